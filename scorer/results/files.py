"""Results as files: ``<split>.json`` and, where gold is public, ``<split>.items.jsonl``.

The format is a contract: ``schema`` 1, described by ``schemas/result.schema.json``. Keys are
sorted, numbers keep full precision (round in templates), a metric that was not measured is
``{"value": null, "reason": ...}``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import resources
from pathlib import Path
from typing import Any

from scorer.errors import DataError
from scorer.files import json_bytes, remove_abandoned, write_atomically
from scorer.records import (
    Finding,
    Interval,
    ItemResult,
    ItemScore,
    MetricValue,
    Result,
    Verdict,
    VersusNull,
)

SCHEMA = 1

_HALF_WRITTEN = re.compile(r"\.[a-z]+(\.items|\.past)?\.jsonl?\.[a-z0-9_]{8}")
"""How ``write_atomically`` calls the file that it then renames."""


def to_json(result: Result) -> dict[str, Any]:
    """The document of ``<split>.json``."""
    return {
        "schema": SCHEMA,
        "board": result.board,
        "board_version": result.board_version,
        "task": result.task,
        "split": result.split,
        "team": result.team,
        "system": result.system,
        "counts": dict(result.counts),
        "metrics": {name: _metric_json(value) for name, value in result.metrics.items()},
        **result.provenance,
    }


def _metric_json(value: MetricValue) -> dict[str, Any]:
    if value.value is None:
        return {"value": None, "reason": value.reason, "n": value.n}
    if value.grid is not None:
        return {"value": value.value, "grid": value.grid, "n": value.n,
                "signature": value.signature}
    document: dict[str, Any] = {
        "value": value.value,
        **value.parts,
        "n": value.n,
        "passed": {"value": value.passed, "n": value.n_passed,
                   **_interval_json(value.passed_interval)},
        "flagged": value.flagged,
        "signature": value.signature,
        **_interval_json(value.interval),
        "clustered_se": value.clustered_se,
        "clusters": value.clusters,
    }
    if value.null is not None:
        document |= {"null": value.null, "lift": value.lift}
    if value.versus_null is not None:
        document["versus_null"] = asdict(value.versus_null)
    return document


def _interval_json(interval: Interval | None) -> dict[str, Any]:
    return {} if interval is None else {"interval": asdict(interval)}


def _interval(document: Mapping[str, Any]) -> Interval | None:
    return Interval(**document["interval"]) if "interval" in document else None


def from_json(document: Any, items: Sequence[Any] = ()) -> Result:
    """The Result of a document and its items; raises DataError if either is none, or of another
    schema."""
    try:
        return _result(document, items)
    except (AttributeError, KeyError, TypeError, ValueError) as fault:
        raise DataError(f"not a result ({type(fault).__name__}: {fault}); "
                        "score the submission again") from fault


def _result(document: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> Result:
    if document.get("schema") != SCHEMA:
        raise DataError(f"a result of schema {document.get('schema')!r}; this program reads "
                        f"schema {SCHEMA}: score the submission again")
    plain = {"schema", "board", "board_version", "task", "split", "team", "system", "counts",
             "metrics"}
    return Result(
        board=document["board"],
        board_version=document["board_version"],
        task=document["task"],
        split=document["split"],
        team=document["team"],
        system=document["system"],
        counts=document["counts"],
        metrics={name: _metric(name, value) for name, value in document["metrics"].items()},
        items=tuple(_item(item) for item in items),
        provenance={name: value for name, value in document.items() if name not in plain},
    )


def _metric(name: str, document: Mapping[str, Any]) -> MetricValue:
    if document["value"] is None:
        return MetricValue(name, None, document["reason"], n=document["n"])
    if "grid" in document:
        return MetricValue(name, document["value"], n=document["n"], grid=document["grid"],
                           signature=document["signature"])
    own = {"value", "n", "passed", "flagged", "signature", "null", "lift", "interval",
           "clustered_se", "clusters", "versus_null"}
    versus = document.get("versus_null")
    return MetricValue(
        name,
        document["value"],
        parts={part: value for part, value in document.items() if part not in own},
        passed=document["passed"]["value"],
        n=document["n"],
        n_passed=document["passed"]["n"],
        flagged=document["flagged"],
        signature=document["signature"],
        null=document.get("null"),
        interval=_interval(document),
        passed_interval=_interval(document["passed"]),
        clustered_se=document.get("clustered_se"),
        clusters=document.get("clusters", 0),
        versus_null=None if versus is None else VersusNull(**versus),
    )


def item_json(item: ItemResult) -> dict[str, Any]:
    """One line of ``<split>.items.jsonl``."""
    document = {
        "row": item.row,
        "annotation": item.verdict.annotation,
        "scores": {name: _score_json(score) for name, score in item.scores.items()},
    }
    for name, findings in (("broken", item.verdict.broken), ("strict", item.verdict.strict)):
        if findings:
            document[name] = [_finding_json(finding) for finding in findings]
    return document


def _score_json(score: ItemScore) -> dict[str, Any]:
    return {"value": score.value, **score.parts} | ({"flag": score.flag} if score.flag else {})


def _finding_json(finding: Finding) -> dict[str, Any]:
    document: dict[str, Any] = {"rule": finding.rule, "detail": finding.detail}
    if finding.edges:
        document["edges"] = list(finding.edges)
    if finding.concepts:
        document["concepts"] = list(finding.concepts)
    return document


def _item(document: Mapping[str, Any]) -> ItemResult:
    verdict = Verdict(
        document["annotation"],
        tuple(_finding(finding) for finding in document.get("broken", ())),
        tuple(_finding(finding) for finding in document.get("strict", ())),
    )
    scores = {
        name: ItemScore(
            score["value"],
            {part: value for part, value in score.items() if part not in ("value", "flag")},
            score.get("flag"),
        )
        for name, score in document["scores"].items()
    }
    return ItemResult(document["row"], verdict, scores)


def _finding(document: Mapping[str, Any]) -> Finding:
    return Finding(
        document["rule"], document["detail"], tuple(document.get("edges", ())),
        tuple(document.get("concepts", ())),
    )


def result_path(folder: Path, board: str, team: str, system: str, split: str) -> Path:
    """Where a result lies below a folder of results."""
    return folder / board / team / system / f"{split}.json"


def items_path(path: Path) -> Path:
    """Where the items of the result at ``path`` lie."""
    return path.with_suffix(".items.jsonl")


def write(result: Result, folder: Path) -> list[Path]:
    """Write a result below ``folder``: ``<board>/<team>/<system>/<split>.json`` and its items.

    Items are written first, so that a result is never seen without them. Returns the paths.
    """
    path = result_path(folder, result.board, result.team, result.system, result.split)
    written = []
    if result.items and result.provenance["gold"]["public"]:
        write_atomically(items_path(path), items_bytes(result.items))
        written.append(items_path(path))
    write_atomically(path, json_bytes(to_json(result)))
    return [*written, path]


def items_bytes(items: Sequence[ItemResult]) -> bytes:
    """The bytes of ``<split>.items.jsonl``: one sorted compact object a line."""
    lines = (
        json.dumps(item_json(item), sort_keys=True, ensure_ascii=False, allow_nan=False,
                   separators=(",", ":"))
        for item in items
    )
    return ("\n".join(lines) + "\n").encode()


def read(path: Path) -> Result:
    """Read ``<split>.json`` with its items, if there are any. Raises DataError if it is broken."""
    items = items_path(path)
    try:
        document = json.loads(path.read_bytes())
        lines = items.read_text("utf-8").split("\n") if items.is_file() else []
        rows = [json.loads(line) for line in lines if line]
    except (OSError, ValueError) as fault:
        raise DataError(f"{path}: not a result ({type(fault).__name__}: {fault}); "
                        "score the submission again") from fault
    try:
        return from_json(document, rows)
    except DataError as fault:
        raise DataError(f"{path}: {fault}") from fault


def remove(path: Path) -> None:
    """Remove the result at ``path``, then its items; nothing happens if there is none."""
    path.unlink(missing_ok=True)
    items_path(path).unlink(missing_ok=True)


def sweep(place: Path) -> None:
    """Remove what a killed run left half written in a submission's folder of results.

    What another process is writing stays.
    """
    for path in place.glob(".*.json*") if place.is_dir() else ():
        if _HALF_WRITTEN.fullmatch(path.name):
            remove_abandoned(path)


def schema() -> dict[str, Any]:
    """The JSON Schema of ``<split>.json``."""
    text = resources.files("scorer").joinpath("schemas/result.schema.json").read_text("utf-8")
    document: dict[str, Any] = json.loads(text)
    return document
