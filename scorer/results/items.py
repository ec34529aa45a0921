"""Scores of items as a table: ``<split>.items.tsv``, read by pandas in one line, and by eye.

A header, then a line an item: ``row``, ``gate`` (the annotation), ``flag`` (which numbers are not
exact, and why), ``edges`` (of predicted graphs; empty where none could be read), a column a metric
in the order of ``<split>.json`` (nine significant digits; empty where it was not measured), then
the counts of which numbers of the whole split are made, such as BLEU's, each once. No texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
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


class _Fault(NamedTuple):
    """What is wrong on one line, or with one of its cells."""

    line: int
    """From 1."""
    cell: int | None
    """From 0; None for the whole line."""
    found: str
    expected: str


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
    cells = [line.split("\t") for line in lines[1:]]
    table = _Table(columns, cells)
    items = table.items()
    if table.faults:
        first = {fault.line: fault for fault in sorted(
            table.faults, key=lambda fault: (fault.line, fault.cell or 0), reverse=True)}
        raise DataError("\n".join(str(_problem(shown, cells[line - 2], first[line]))
                                  for line in sorted(first)[:_MOST_NAMED]))
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
    return _problem(shown, found, _Fault(1, at, what, expected))


def _problem(shown: str, cells: Sequence[str], fault: _Fault) -> Problem:
    """``column``: where the cell begins, in characters from 1."""
    column = 1 + sum(len(cell) + 1 for cell in cells[:fault.cell or 0])
    return Problem(shown, fault.line, column, _RULE, fault.found, fault.expected, _AGAIN)


class _Table:
    """The lines below the header, read a column at a time: equal cells are converted once, and
    items share the objects made of them."""

    def __init__(self, columns: _Columns, lines: Sequence[Sequence[str]]) -> None:
        self.columns = columns
        self.faults: list[_Fault] = []
        self._lines: list[tuple[int, Sequence[str]]] = []
        width = len(columns.header)
        for number, cells in enumerate(lines, start=2):
            if len(cells) == width:
                self._lines.append((number, cells))
            else:
                self._fault(number, None, f"{len(cells)} columns", f"{width}, as in the header")

    def items(self) -> list[ItemResult]:
        """An item a line; of no use where there are faults."""
        names, measured = self.columns.metrics, self.columns.measured
        rows = self._rows()
        gates = self._column("gate", _gate, "a gate's name")
        flags = self._column("flag", self._flags, "METRIC: reason, of measured metrics in their "
                             "order, with a semicolon and a space between two")
        edges = (self._column(EDGES, _edges, "a number of edges, or nothing")
                 if self.columns.edges else [None] * len(rows))
        values = {name: self._column(name, _number, "a number of nine significant digits at most")
                  for name in names if name in measured}
        for name in names:
            if name not in measured:
                self._column(name, _nothing, "nothing, for the metric was not measured")
        counts = {name: self._column(name, _whole, "a count") for name in self.columns.counts}
        if self.faults:
            return []
        scores = zip(*(_scores(name, column, flags, counts) for name, column in values.items()),
                     strict=True) if values else ((),) * len(rows)
        return [ItemResult(row, verdict, dict(zip(values, mine, strict=True)), number)
                for row, verdict, mine, number in zip(rows, gates, scores, edges, strict=True)]

    def _fault(self, line: int, cell: int | None, found: str, expected: str) -> None:
        self.faults.append(_Fault(line, cell, found, expected))

    def _column(self, name: str, convert: Callable[[str], Value], expected: str) -> list[Value]:
        """The values of a column; ``convert`` raises ValueError for what is none."""
        place = self.columns.header.index(name)
        texts = [cells[place] for _, cells in self._lines]
        values: dict[str, Value] = {}
        for text in set(texts):
            with suppress(ValueError):
                values[text] = convert(text)
        for (line, _), text in zip(self._lines, texts, strict=True):
            if text not in values:
                self._fault(line, place, excerpt(text), expected)
        return [values[text] for text in texts if text in values]

    def _rows(self) -> list[int]:
        rows = self._column("row", _whole, "a row's number")
        if len(rows) == len(self._lines):
            for (line, _), before, row in zip(self._lines, (0, *rows), rows, strict=False):
                if row <= before:
                    self._fault(line, 0, f"row {row}", f"a row after {before}")
        return rows

    def _flags(self, text: str) -> dict[str, str]:
        """Why numbers are not exact, by metric, in the order of the columns."""
        if not text:
            return {}
        reasons = dict(one.partition(": ")[::2] for one in text.split(_BETWEEN))
        sound = (list(reasons) == [name for name in self.columns.metrics if name in reasons]
                 and len(reasons) == text.count(_BETWEEN) + 1
                 and reasons.keys() <= self.columns.measured
                 and all(map(_REASON.fullmatch, reasons.values())))
        if not sound:
            raise ValueError(text)
        return reasons


def _scores(name: str, values: Sequence[float], flags: Sequence[Mapping[str, str]],
            counts: Mapping[str, Sequence[int]]) -> list[ItemScore]:
    """One metric's scores of all items."""
    own = counts_of(name)
    if own:
        return [ItemScore(value, {count: counts[count][at] for count in own}, flags[at].get(name))
                for at, value in enumerate(values)]
    plain = {value: ItemScore(value) for value in set(values)}
    return [ItemScore(value, {}, flag[name]) if name in flag else plain[value]
            for value, flag in zip(values, flags, strict=True)]


def _gate(text: str) -> Verdict:
    if not _GATE.fullmatch(text):
        raise ValueError(text)
    return Verdict(text)


def _whole(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ValueError(text)
    return int(text)


def _edges(text: str) -> int | None:
    return _whole(text) if text else None


def _nothing(text: str) -> None:
    if text:
        raise ValueError(text)


def _number(text: str) -> float:
    """A score as it is written; the same number in another form is refused."""
    value = float(text)
    if not math.isfinite(value) or _written(value) != text:
        raise ValueError(text)
    return value
