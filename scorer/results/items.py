"""Scores of items as a table: ``<split>.items.tsv``, read by pandas in one line, and by eye.

A header, then a line an item: ``row``, ``gate`` (the annotation), ``flag`` (which numbers are not
exact, and why), ``edges`` (of predicted graphs; empty where none could be read), a column a metric
in the order of ``<split>.json`` (nine significant digits; empty where it was not measured), then
the counts of which numbers of the whole split are made, such as BLEU's, each once. No texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from scorer.errors import DataError, Problem, excerpt
from scorer.metrics.catalogue import METRICS
from scorer.records import ItemResult, ItemScore, MetricValue, Verdict

LARGEST = 32 * 1024 * 1024
"""Bytes of a file of items."""
EDGES = "edges"
_FIXED = ("row", "gate", "flag")
_BETWEEN = "; "
"""What stands between two flags of one item; no reason may contain it."""
_RULE = "RESULT-ITEMS"
_AGAIN = "score the submission again, or restore the file"
_MOST_NAMED = 10

_WHOLE = re.compile(r"0|[1-9][0-9]{0,11}")
_GATE = re.compile(r"[a-z][a-z0-9_]{0,59}")
_REASON = re.compile(r"[ -:<-~]{1,200}")

Value = TypeVar("Value")


class _Fault(Exception):
    """What is wrong with one cell, by its zero-based place, or with a line (None)."""

    def __init__(self, cell: int | None, found: str, expected: str) -> None:
        super().__init__(found)
        self.cell, self.found, self.expected = cell, found, expected


class _Columns(NamedTuple):
    """The columns after ``row``, ``gate`` and ``flag``."""

    edges: bool
    metrics: tuple[str, ...]
    measured: frozenset[str]
    counts: tuple[str, ...]

    @classmethod
    def of(cls, metrics: Mapping[str, MetricValue], *, edges: bool) -> _Columns:
        """Of a result's metrics."""
        names = tuple(sorted(metrics))
        measured = [name for name in names if metrics[name].value is not None]
        counts = dict.fromkeys(count for name in measured for count in counts_of(name))
        return cls(edges, names, frozenset(measured), tuple(counts))

    @property
    def header(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (*_FIXED, *((EDGES,) if self.edges else ()), *self.metrics, *self.counts)


def counts_of(metric: str) -> tuple[str, ...]:
    """The parts that make a number of the whole split; none for other metrics, or unknown ones."""
    return METRICS[metric].counts if metric in METRICS else ()


def to_bytes(metrics: Mapping[str, MetricValue], items: Sequence[ItemResult]) -> bytes:
    """The file's bytes; every item has a score of every measured metric."""
    columns = _Columns.of(metrics, edges=any(item.edges is not None for item in items))
    lines = [columns.header, *(_cells(columns, item) for item in items)]
    return "".join("\t".join(line) + "\n" for line in lines).encode()


def _cells(columns: _Columns, item: ItemResult) -> tuple[str, ...]:
    scores = {name: item.scores[name] for name in columns.metrics if name in columns.measured}
    flags = (f"{name}: {score.flag}" for name, score in scores.items() if score.flag)
    counts = {name: count for metric, score in scores.items() for name, count in score.parts.items()
              if name in counts_of(metric)}
    edges = ("" if item.edges is None else str(item.edges),) if columns.edges else ()
    return (str(item.row), item.verdict.annotation, _BETWEEN.join(flags), *edges,
            *(_written(scores[name].value) if name in scores else "" for name in columns.metrics),
            *(f"{counts[name]:.0f}" for name in columns.counts))


def _written(value: float) -> str:
    """A score with nine significant digits; there is one zero.

    >>> _written(-0.0), _written(2 / 3)
    ('0', '0.666666667')
    """
    return f"{value + 0.0:.9g}"


def from_bytes(content: bytes, metrics: Mapping[str, MetricValue], shown: str = "items.tsv",
               ) -> tuple[ItemResult, ...]:
    """The items of a result with these metrics.

    Scores have no parts but counts, verdicts no findings. Raises DataError, with line and column of
    the first faults, for what ``to_bytes`` does not write.
    """
    lines = _lines(content, shown)
    header = lines[0].split("\t")
    columns = _Columns.of(metrics, edges=EDGES in header[len(_FIXED):len(_FIXED) + 1])
    if tuple(header) != columns.header:
        raise DataError(str(_header_problem(header, columns.header, shown)))
    items: list[ItemResult] = []
    problems: list[Problem] = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            items.append(_item(line.split("\t"), columns, items[-1].row if items else 0))
        except _Fault as fault:
            problems.append(_problem(shown, number, line.split("\t"), fault))
            if len(problems) == _MOST_NAMED:
                break
    if problems:
        raise DataError("\n".join(map(str, problems)))
    return tuple(items)


def _lines(content: bytes, shown: str) -> list[str]:
    """The lines of a table. Raises DataError for what is none."""
    def refuse(found: str, expected: str) -> DataError:
        return DataError(str(Problem(shown, 1, 1, _RULE, found, expected, _AGAIN)))

    if len(content) > LARGEST:
        raise refuse(f"{len(content)} bytes", f"{LARGEST} or fewer")
    try:
        text = content.decode("ascii")
    except UnicodeDecodeError as fault:
        raise refuse(f"byte {fault.start + 1} is no ASCII", "plain text") from fault
    if not text.endswith("\n"):
        raise refuse("no newline at the end", "whole lines")
    return text[:-1].split("\n")


def _header_problem(found: Sequence[str], wanted: Sequence[str], shown: str) -> Problem:
    at = next((i for i, (one, other) in enumerate(zip(found, wanted, strict=False))
               if one != other), min(len(found), len(wanted)))
    what = f"column {excerpt(found[at])}" if at < len(found) else "the end of the header"
    expected = f"column {wanted[at]}" if at < len(wanted) else "no further column"
    return _problem(shown, 1, found, _Fault(at, what, expected))


def _problem(shown: str, line: int, cells: Sequence[str], fault: _Fault) -> Problem:
    """``column``: where the cell begins, in characters from 1."""
    column = 1 + sum(len(cell) + 1 for cell in cells[:fault.cell or 0])
    return Problem(shown, line, column, _RULE, fault.found, fault.expected, _AGAIN)


def _item(cells: Sequence[str], columns: _Columns, before: int) -> ItemResult:
    """One line; ``before``: the row of the line above it, or 0."""
    if len(cells) != len(columns.header):
        raise _Fault(None, f"{len(cells)} columns", f"{len(columns.header)}, as in the header")
    rest: Iterator[tuple[int, str]] = iter(enumerate(cells))
    row = _whole(next(rest), "a row's number")
    if row <= before:
        raise _Fault(0, f"row {row}", f"a row after {before}")
    gate = _matching(next(rest), _GATE, "a gate's name")
    flags = _flags(next(rest), columns)
    edges = _optional(next(rest), _edges) if columns.edges else None
    values = {name: _value(next(rest), measured=name in columns.measured)
              for name in columns.metrics}
    counts = {name: _whole(next(rest), "a count") for name in columns.counts}
    scores = {name: ItemScore(value, {count: counts[count] for count in counts_of(name)},
                              flags.get(name))
              for name, value in values.items() if value is not None}
    return ItemResult(row, Verdict(gate), scores, edges)


def _matching(cell: tuple[int, str], pattern: re.Pattern[str], what: str) -> str:
    place, text = cell
    if not pattern.fullmatch(text):
        raise _Fault(place, excerpt(text), what)
    return text


def _whole(cell: tuple[int, str], what: str) -> int:
    return int(_matching(cell, _WHOLE, what))


def _edges(cell: tuple[int, str]) -> int:
    return _whole(cell, "a number of edges, or nothing")


def _optional(cell: tuple[int, str], read: Callable[[tuple[int, str]], Value]) -> Value | None:
    return read(cell) if cell[1] else None


def _value(cell: tuple[int, str], *, measured: bool) -> float | None:
    """A score as it is written; the same number in another form is refused."""
    place, text = cell
    if not measured:
        if text:
            raise _Fault(place, excerpt(text), "nothing, for the metric was not measured")
        return None
    value = _number(text)
    if value is None:
        raise _Fault(place, excerpt(text), "a number of nine significant digits at most")
    return value


@lru_cache(maxsize=2**14)
def _number(text: str) -> float | None:
    """A number as it is written, kept because many items have the same; None for anything else."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and _written(value) == text else None


def _flags(cell: tuple[int, str], columns: _Columns) -> dict[str, str]:
    """Why numbers are not exact, by metric, in the order of the columns."""
    place, text = cell
    if not text:
        return {}
    found = dict(one.partition(": ")[::2] for one in text.split(_BETWEEN))
    sound = (list(found) == [name for name in columns.metrics if name in found]
             and len(found) == text.count(_BETWEEN) + 1
             and found.keys() <= columns.measured
             and all(map(_REASON.fullmatch, found.values())))
    if not sound:
        raise _Fault(place, excerpt(text), "METRIC: reason, of measured metrics in their order, "
                                           "with a semicolon and a space between two")
    return found
