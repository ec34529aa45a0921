"""Scores of items as a table: ``<split>.items.tsv``, read by pandas in one line, and by eye.

A header, then a line an item: ``row``, ``gate`` (the annotation), ``flag`` (which numbers are not
exact, and why), ``edges`` (of predicted graphs; empty where none could be read), a column a metric
in the order of ``<split>.json`` (nine significant digits; empty where it was not measured), then
the counts of which numbers of the whole split are made, such as BLEU's, each once. No texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scorer.core.errors import DataError, Problem, excerpt
from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.core.results import MetricValue
from scorer.metrics.catalogue import METRICS

LARGEST = 32 * 1024 * 1024
"""Bytes of a file of items."""
EDGES = "edges"
_FIXED = ("row", "gate", "flag")
_BETWEEN = "; "
"""What stands between two flags of one item; no reason may contain it."""
_GATE = re.compile(r"[a-z][a-z0-9_]{0,59}")
_REASON = re.compile(r"[ -:<-~]{1,200}")


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

    Scores have no parts but counts, verdicts no findings. Raises DataError with the first line that
    holds no item. Whoever has to know that a file is as ``to_bytes`` writes it writes it again.
    """
    if len(content) > LARGEST:
        raise _refused(shown, 1, f"{len(content)} bytes", f"{LARGEST} or fewer")
    try:
        header, *lines = content.decode("ascii").removesuffix("\n").split("\n")
    except UnicodeDecodeError as fault:
        raise _refused(shown, 1, f"byte {fault.start + 1} is no ASCII", "plain text") from fault
    columns = _Columns.of(metrics, edges=f"\t{EDGES}" in header)
    if header != "\t".join(columns.header):
        raise _refused(shown, 1, excerpt(header), "the columns " + ", ".join(columns.header))
    items, reader = list[ItemResult](), _Reader(columns)
    for number, line in enumerate(lines, start=2):
        try:
            items.append(reader.item(line.split("\t"), items[-1].row if items else 0))
        except (ValueError, LookupError) as fault:
            raise _refused(shown, number, excerpt(line),
                           "the cells of an item, in rows that go upwards") from fault
    return tuple(items)


def _refused(shown: str, line: int, actual: str, expected: str) -> DataError:
    return DataError(str(Problem(shown, line, 1, "RESULT-ITEMS", actual, expected,
                                 "score the submission again, or restore the file")))


class _Reader:
    """Makes items of the cells of lines; equal cells become one and the same object."""

    def __init__(self, columns: _Columns) -> None:
        self._header = columns.header
        self._measured = {name: counts_of(name) for name in columns.metrics
                          if name in columns.measured}
        self._empty = [name for name in columns.metrics if name not in columns.measured]
        self._scores: dict[str, ItemScore] = {}
        self._verdicts: dict[str, Verdict] = {}

    def item(self, cells: Sequence[str], above: int) -> ItemResult:
        """The item of a line below row ``above``. Raises ValueError or LookupError for any other.
        """
        named = dict(zip(self._header, cells, strict=True))
        row, edges = int(named["row"]), named.get(EDGES)
        if row <= above:
            raise ValueError(row)
        flags = dict(flag.split(": ", 1) for flag in named["flag"].split(_BETWEEN) if flag)
        if not all(map(_REASON.fullmatch, flags.values())):
            raise ValueError(flags)
        scores = {}
        for name, counts in self._measured.items():
            score = self._scores.get(named[name]) or self._score(named[name])
            if counts or name in flags:
                score = score._replace(parts={count: int(named[count]) for count in counts},
                                       flag=flags.pop(name, None))
            scores[name] = score
        if flags or any(named[name] for name in self._empty):
            raise ValueError(cells)
        return ItemResult(row, self._verdict(named["gate"]), scores, int(edges) if edges else None)

    def _score(self, text: str) -> ItemScore:
        value = float(text)
        if not math.isfinite(value):
            raise ValueError(text)
        return self._scores.setdefault(text, ItemScore(value))

    def _verdict(self, gate: str) -> Verdict:
        if gate not in self._verdicts:
            if not _GATE.fullmatch(gate):
                raise ValueError(gate)
            self._verdicts[gate] = Verdict(gate)
        return self._verdicts[gate]
