"""Results as files: ``<split>.json`` and, where gold is public, ``<split>.items.tsv``.

In their place the pipeline's publisher writes ``<split>.error.json`` if there is no result.

The formats are a contract: ``schema`` 1 of ``scorer/core/results.py``, and the table of items.
Keys are sorted, numbers keep full precision (round in templates), a metric that was not measured is
``{"value": null, "reason": ...}``. Read into pandas: a row for each metric of each result.

Items: a header, then a line an item: ``row``, ``gate`` (the annotation), ``flag`` (which numbers
are not exact, and why), ``edges`` (of predicted graphs; empty where none could be read), a column a
metric in the order of ``<split>.json`` (nine significant digits; empty where it was not measured),
then the counts of which numbers of the whole split are made, such as BLEU's, each once. No texts.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from scorer.core.errors import DataError, Problem, UsageError, excerpt
from scorer.core.files import json_bytes, write_together
from scorer.core.reading.schema import Document, One, Positive, Sha256, problems
from scorer.core.reading.tsv import rows_bytes
from scorer.core.reading.values import Optional
from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.core.results import SCHEMA, MetricValue, Result, pandas_for
from scorer.metrics.catalogue import METRICS

LARGEST_ITEMS = 32 * 1024 * 1024
"""Bytes of a file of items."""
EDGES = "edges"
_FIXED = ("row", "gate", "flag")
_BETWEEN = "; "
"""What stands between two flags of one item; no reason may contain it."""
_GATE = re.compile(r"[a-z][a-z0-9_]{0,59}")
_REASON = re.compile(r"[ -:<-~]{1,200}")


def from_json(document: Any, items: bytes = b"", shown: str = "items.tsv") -> Result:
    """The Result of a document and the bytes of its items, whose name is ``shown`` in errors.

    Raises DataError if either is none, or of another schema.
    """
    if isinstance(document, Mapping) and document.get("schema") != SCHEMA:
        raise DataError(f"a result of schema {document.get('schema')!r}; this program reads "
                        f"schema {SCHEMA}: score the submission again")
    try:
        result = Result.model_validate(document)
    except ValidationError as fault:
        raise _no_result(problems(fault)) from fault
    return result.replace(items=items_of(items, result.metrics, shown) if items else ())


def from_bytes(document: bytes, items: bytes = b"", shown: str = "items.tsv") -> Result:
    """The same of the files' contents."""
    try:
        read: Any = json.loads(document)
    except (ValueError, RecursionError) as fault:
        raise _no_result(f"{type(fault).__name__}: {fault}") from fault
    return from_json(read, items, shown)


def _no_result(what: str) -> DataError:
    return DataError(f"not a result ({what}); score the submission again")


def result_path(folder: Path, board: str, team: str, system: str, split: str) -> Path:
    """Where a result lies below a folder of results."""
    return folder / board / team / system / f"{split}.json"


def items_path(path: Path) -> Path:
    """Where the items of the result at ``path`` lie."""
    return path.with_suffix(".items.tsv")


def find(folders: Iterable[Path], board: str, team: str, system: str, split: str) -> Path | None:
    """Where a result lies: in the first folder that has it with its items, else without them."""
    paths = [result_path(folder, board, team, system, split) for folder in folders]
    there = [path for path in paths if path.is_file()]
    return next((path for path in there if items_path(path).is_file()), next(iter(there), None))


def write(result: Result, folder: Path) -> list[Path]:
    """Write a result below ``folder``: ``<board>/<team>/<system>/<split>.json`` and its items.

    Items are written first, so that a result is never seen without them. Returns the paths.
    """
    path = result_path(folder, result.board, result.team, result.system, result.split)
    files = {}
    if result.items and result.gold.public:
        files[items_path(path)] = items_bytes(result)
    files[path] = json_bytes(result.to_json())
    write_together(files)
    return [*files]


def read(path: Path, *, with_items: bool = True) -> Result:
    """Read ``<split>.json`` with its items, if there are any. Raises DataError if it is broken."""
    try:
        content, items = path.read_bytes(), b""
        if with_items and items_path(path).is_file():
            with items_path(path).open("rb") as file:
                items = file.read(LARGEST_ITEMS + 1)  # of more it is said that they are too many
        return from_bytes(content, items, items_path(path).name)
    except OSError as fault:
        raise DataError(f"{path}: {_no_result(f'{type(fault).__name__}: {fault}')}") from fault
    except DataError as fault:
        raise DataError(f"{path}: {fault}") from fault


def remove(path: Path) -> None:
    """Remove the result at ``path``, then its items; nothing happens if there is none."""
    path.unlink(missing_ok=True)
    items_path(path).unlink(missing_ok=True)


# ---- scores of items ---------------------------------------------------------------------------


def items_bytes(result: Result) -> bytes:
    """The bytes of ``<split>.items.tsv``; every item has a score of every measured metric."""
    return rows_bytes(lines_of(result.metrics, result.items))


def lines_of(metrics: Mapping[str, MetricValue], items: Sequence[ItemResult],
             ) -> list[Sequence[str]]:
    """The cells of the file's lines, the header's first."""
    edges = any(item.edges is not None for item in items)
    header, measured = _header(metrics, edges=edges), _measured(metrics)
    lines: list[Sequence[str]] = [header]
    for item in items:
        flags, cells = list[str](), {
            "row": str(item.row), "gate": item.verdict.annotation,
            EDGES: "" if item.edges is None else str(item.edges)}
        for name, counts in measured.items():
            score = item.scores[name]
            cells[name] = _written(score.value)
            for count in counts:
                cells[count] = f"{score.parts[count]:.0f}"
            if score.flag:
                flags.append(f"{name}: {score.flag}")
        cells["flag"] = _BETWEEN.join(flags)
        lines.append([cells.get(name, "") for name in header])
    return lines


def _measured(metrics: Mapping[str, MetricValue]) -> dict[str, tuple[str, ...]]:
    """The measured metrics, each with the parts that make a number of the whole split; of other
    metrics, or unknown ones, there are none."""
    return {name: METRICS[name].counts if name in METRICS else () for name in sorted(metrics)
            if metrics[name].value is not None}


def _header(metrics: Mapping[str, MetricValue], *, edges: bool) -> tuple[str, ...]:
    counts = (count for counts in _measured(metrics).values() for count in counts)
    return (*_FIXED, *([EDGES] if edges else []), *sorted(metrics), *dict.fromkeys(counts))


def _written(value: float) -> str:
    """A score with nine significant digits; there is one zero.

    >>> _written(-0.0), _written(2 / 3)
    ('0', '0.666666667')
    """
    return f"{value + 0.0:.9g}"


def items_of(content: bytes, metrics: Mapping[str, MetricValue], shown: str = "items.tsv",
             ) -> tuple[ItemResult, ...]:
    """The items of a result with these metrics.

    Scores have no parts but counts, verdicts no findings. Raises DataError with the first line that
    holds no item. Whoever has to know that a file is as ``items_bytes`` writes it writes it again.
    """
    if len(content) > LARGEST_ITEMS:
        raise _refused(shown, 1, f"{len(content)} bytes", f"{LARGEST_ITEMS} or fewer")
    try:
        first, *lines = content.decode("ascii").removesuffix("\n").split("\n")
    except UnicodeDecodeError as fault:
        raise _refused(shown, 1, f"byte {fault.start + 1} is no ASCII", "plain text") from fault
    header, measured = _header(metrics, edges=f"\t{EDGES}" in first), _measured(metrics)
    if first != "\t".join(header):
        raise _refused(shown, 1, excerpt(first), "the columns " + ", ".join(header))
    empty, items, above = metrics.keys() - measured.keys(), list[ItemResult](), 0
    known = cache(_score)  # equal cells become one and the same object
    for number, line in enumerate(lines, start=2):
        try:
            cells = dict(zip(header, line.split("\t"), strict=True))
            item = _item(cells, measured, known)
            if item.row <= above or (empty and any(cells[name] for name in empty)):
                raise ValueError(cells)
        except (ValueError, LookupError) as fault:
            raise _refused(shown, number, excerpt(line),
                           "the cells of an item, in rows that go upwards") from fault
        items.append(item)
        above = item.row
    return tuple(items)


def _refused(shown: str, line: int, actual: str, expected: str) -> DataError:
    return DataError(str(Problem(shown, line, 1, "RESULT-ITEMS", actual, expected,
                                 "score the submission again, or restore the file")))


def _item(cells: Mapping[str, str], measured: Mapping[str, tuple[str, ...]],
          known: Callable[[str], ItemScore]) -> ItemResult:
    """The item of a line's cells by their columns. Raises ValueError or LookupError for any other.
    """
    flags = {}
    if text := cells["flag"]:
        flags = dict(flag.split(": ", 1) for flag in text.split(_BETWEEN) if flag)
        if not flags.keys() <= measured.keys() or not all(map(_REASON.fullmatch, flags.values())):
            raise ValueError(flags)
    scores = {}
    for name, counts in measured.items():
        score = known(cells[name])
        if counts or name in flags:
            score = score._replace(parts={count: int(cells[count]) for count in counts},
                                   flag=flags.get(name))
        scores[name] = score
    edges = cells.get(EDGES)
    return ItemResult(int(cells["row"]), _verdict(cells["gate"]), scores,
                      int(edges) if edges else None)


def _score(text: str) -> ItemScore:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return ItemScore(value)


@lru_cache
def _verdict(gate: str) -> Verdict:
    if not _GATE.fullmatch(gate):
        raise ValueError(gate)
    return Verdict(gate)


# ---- why there is no result --------------------------------------------------------------------

MOST_ATTEMPTS = 3
"""Runs in which the scoring machine may fail on a submission."""
Word = Annotated[str, Field(pattern="^[A-Z0-9-]{3,60}$")]


class Unscored(Document):
    """Why a merged submission has no result: ``<split>.error.json``.

    Only the publisher writes it, and removes it when the submission is scored. It counts the runs
    that tried one key; other predictions, another board, gold or scorer begin anew.
    """

    schema_: One = Field(alias="schema")
    key: Sha256 = Field(description="Of all that its numbers depend on but models.")
    attempts: Positive = Field(description="Runs that tried it.")
    code: Optional[Word] = Field(default=None, description="Of the error that ended it.")
    rule: Optional[Word] = Field(default=None, description="The rule that rejected it.")

    @classmethod
    def first(cls, key: str, **why: str) -> Unscored:
        """The first attempt at a key; ``why``: its ``code`` or ``rule``, if there is one."""
        return cls(schema=1, key=key, attempts=1, **why)

    @property
    def kind(self) -> Literal["rejected", "error", "started"]:
        """What ended it; ``started``: the machine failed fewer than three times, and the next run
        tries again.
        """
        return "rejected" if self.rule else "error" if self.code else "started"


COLUMNS = (
    "board", "board_version", "split", "team", "system", "metric", "value", "low", "high",
    "interval", "n", "passed", "n_passed", "flagged", "null", "lift", "p_versus_null",
    "clustered_se", "reason", "signature", "key",
)
"""Documented in docs/results.md."""


def load_results(folder: str | os.PathLike[str]) -> Any:
    """Every result below a folder (``<board>/<team>/<system>/<split>.json``) in one DataFrame.

    One row for each metric of each result, in the order of the paths; the columns are ``COLUMNS``.
    What was not measured has NaN as its value, and a reason. Raises UsageError if there is no such
    folder, DataError if a file is no result, or without pandas (extra ``site``).
    """
    top = Path(folder)
    if not top.is_dir():
        raise UsageError(f"{top} is no folder of results; name one such as results")
    pd = pandas_for("a DataFrame of results")
    rows: list[tuple[Any, ...]] = []
    for path in sorted(top.glob("*/*/*/*.json")):
        if not path.name.endswith(".error.json"):
            result = read(path, with_items=False)
            rows += [_row(result, name, value) for name, value in result.metrics.items()]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    numbers = ["value", "low", "high", "passed", "null", "lift", "p_versus_null", "clustered_se"]
    return frame.astype(dict.fromkeys(numbers, "float64"))


def _row(result: Result, name: str, value: MetricValue) -> tuple[Any, ...]:
    interval, versus = value.interval, value.versus_null
    bounds = (interval.low, interval.high, interval.method) if interval else (None, None, None)
    return (result.board, result.board_version, result.split, result.team, result.system, name,
            value.value, *bounds, value.n, value.passed.value, value.passed.n, value.flagged,
            value.null, METRICS[name].lift(value) if name in METRICS else value.lift,
            versus.p if versus else None, value.clustered_se, value.reason, value.signature,
            result.key)
