"""Samples of lm-evaluation-harness: ``samples_TASK_DATE.jsonl``, written with ``--log_samples``.

A line is one document under one filter. ``results_DATE.json`` beside it says which metrics are
better when lower, and the versions of the tasks. Metrics made from the whole corpus (BLEU, F1,
perplexity) log no number a document, so they are not compared.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scorer.core.errors import excerpt
from scorer.lab.logs import reading
from scorer.lab.logs.log import Log, digest
from scorer.lab.logs.reading import Budget, LogFault, NotJSON, Shape, object_of

_NAMED = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.-]+)\.jsonl")
_OF_ITSELF = frozenset((
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash", "bypass"))
"""What a line has beside its metrics."""
LONGEST_LINE = 16 * 2**20
"""Bytes of one line."""
_WHAT = "expected a line of samples_*.jsonl as lm-evaluation-harness writes it"


def found_in(folder: Path) -> dict[str, Path]:
    """Task -> its newest samples in an output folder, or in the one folder of a model in it.

    Raises LogFault where there are several models. Links are not followed.
    """
    holding = [path for path in (folder, *sorted(folder.glob("*/"))) if _files(path)]
    if len(holding) > 1:
        raise LogFault(str(folder), f"samples in {len(holding)} folders "
                       f"({', '.join(path.name for path in holding[:5])})",
                       "name one of them, the folder of one model")
    files = _files(holding[0]) if holding else []
    return {_named(file, "task"): file
            for file in sorted(files, key=lambda file: _named(file, "date"))}


def _files(folder: Path) -> list[Path]:
    return [] if folder.is_symlink() else [
        file for file in folder.glob("samples_*.jsonl") if file.is_file() and not file.is_symlink()]


def _named(file: Path, part: str) -> str:
    """The task or the date that a file is named after; empty for other names."""
    named = _NAMED.fullmatch(file.name)
    return named[part] if named else ""


def read(path: Path, budget: Budget, cluster: str | None = None) -> Log:
    """The samples of a task; ``cluster``: a field of its documents. Raises LogFault."""
    log, task = Log(path, "lm-evaluation-harness", budget, cluster), _named(path, "task")
    shape: Mapping[str, Shape] = {
        "*": {}, "metrics": True, "target": True, "arguments": False, "resps": False,
        "filtered_resps": False, "doc": {} if cluster is None else {cluster: True}}
    for number, line in _lines(path, budget):
        where = f"{log.path}:{number}"
        try:
            _take(log, where, dict(reading.entries(io.BytesIO(line), where, shape, budget)))
        except NotJSON:
            log.faults.add(where, "not JSON", _WHAT)
    results = _results(path, budget)
    higher, version = (object_of(results.get(name)).get(task)
                       for name in ("higher_is_better", "versions"))
    log.end(task=task, version=version, model=results.get("model_name"), dataset="", higher=higher)
    return log


def _lines(path: Path, budget: Budget) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, from 1; blank ones are left out."""
    with reading.opened(path) as file:
        number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                raise LogFault(f"{path}:{number}", f"a line of more than {LONGEST_LINE >> 20} MiB",
                               "leave out what is not needed (resps, arguments)")
            if line.strip():
                yield number, line
            else:
                budget.take("values", f"{path}:{number}")


def _take(log: Log, where: str, line: Mapping[str, Any]) -> None:
    if "doc_id" not in line:
        log.faults.add(where, "no object with a doc_id", _WHAT)
        return
    by = line.get("filter", "none")
    names = line.get("metrics")
    metrics = [name for name in (names if isinstance(names, list) else line)
               if isinstance(name, str) and name not in _OF_ITSELF]
    missing = [name for name in metrics if name not in line]
    if missing or not isinstance(by, str):
        log.faults.add(where, f"no value of {excerpt(missing[0])}" if missing else
                       "a filter that is no text", _WHAT)
        return
    suffix = "" if by == "none" else f",{by}"
    log.add(
        where, line["doc_id"], f"filter {excerpt(by, 40)}",
        {f"{name}{suffix}": line[name] for name in metrics},
        content=(_hash(line, "doc_hash"), digest(line["target"]) if "target" in line else ""),
        prompt=_hash(line, "prompt_hash"), fields=line.get("doc"))


def _hash(line: Mapping[str, Any], key: str) -> str:
    """As much of a SHA-256 as tells contents apart; empty where there is none."""
    value = line.get(key)
    return value[:16] if isinstance(value, str) else ""


def _results(path: Path, budget: Budget) -> Mapping[str, Any]:
    """What ``results_DATE.json`` of the same run says; empty where there is none."""
    task, date = (_named(path, part) for part in ("task", "date"))
    beside = path.with_name(f"results_{date}.json")
    if not date or beside.is_symlink() or not beside.is_file():
        return {}
    with reading.opened(beside) as file:
        return dict(reading.entries(file, str(beside), {
            "higher_is_better": {task: True}, "versions": {task: {}}, "model_name": {}}, budget))
