"""Pairwise comparison of a split's rows: a matrix a metric, and one row's rivals. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.metrics.catalogue import MetricInfo
from scorer.statistics import FEWEST
from scorer.statistics.comparison import differing
from scorer.website.boards.standings import EntryGroup, MetricGroups, apart
from scorer.website.boards.table import Table
from scorer.website.page import Page
from scorer.website.records import BoardView, Entry, SplitView
from scorer.website.render import score
from scorer.website.text import slug

FOLDER = "compare/"
WORDS = {"better": "better", "worse": "worse", "same": "no significant difference",
         "": "no verdict"}
"""The verdict on a row against another one; none where there are too few items."""
ROWS_SHOWN = 8
"""Rows that are linked in one list; the rest is counted."""
SIGNS = {"better": "▲", "worse": "▼", "same": "≈", "": ""}


class Ahead(NamedTuple):
    """The items on which one row is better than another."""

    number: int
    rows: tuple[int, ...]
    """The first ROWS_SHOWN of them, one-based, the greatest differences first."""


class PairComparison(NamedTuple):
    """One row against another one, on one metric."""

    difference: str
    """Its value less the other's."""
    p: str
    verdict: str
    """One of ``WORDS``."""
    wins: Ahead
    losses: Ahead
    ties: int


class Rival(NamedTuple):
    """Another row, and how one fares against it."""

    entry: Entry
    pair: PairComparison


class Line(NamedTuple):
    """One row of a matrix: against the rows above it."""

    entry: Entry
    pairs: tuple[PairComparison, ...]


class Matrix(NamedTuple):
    """Every two rows of one signature."""

    group: EntryGroup
    lines: tuple[Line, ...]
    apart: str
    """What keeps these rows from being compared with those of the first matrix."""
    left_out: tuple[Entry, ...]
    """Rows whose scores of single items are not at hand."""


def compare_pair(group: EntryGroup, metric: MetricInfo, row: str, other: str) -> PairComparison:
    """One row against another one of its group; both have scores of items."""
    assert group.pairs is not None
    one, two = group.pairs.keys.index(row), group.pairs.keys.index(other)
    first, lost = differing(
        group.scores[row], group.scores[other], better=metric.better, most=ROWS_SHOWN)
    wins = Ahead(int(group.pairs.wins[one, two]), first)
    losses = Ahead(int(group.pairs.wins[two, one]), lost)
    return PairComparison(
        score(float(group.pairs.means[one] - group.pairs.means[two]), metric, signed=True),
        chance(float(group.pairs.p[one, two])), _verdict(group, row, other), wins, losses,
        group.pairs.n - wins.number - losses.number,
    )


def _verdict(group: EntryGroup, row: str, other: str) -> str:
    assert group.pairs is not None
    if group.pairs.n < FEWEST:
        return ""
    if group.pairs.better(row, other):
        return "better"
    return "worse" if group.pairs.better(other, row) else "same"


def chance(p: float) -> str:
    """A probability with three decimals.

    >>> chance(0.0123), chance(0.0002), chance(1.0)
    ('.012', '<.001', '1')
    """
    if p < 0.0005:
        return "<.001"
    return f"{p:.3f}".removeprefix("0") if p < 0.9995 else "1"


def rivals(table: Table, entry: Entry) -> tuple[Rival, ...]:
    """One row against every other one, on the metric that orders rows, best value first."""
    groups = table.ordering_groups
    group = groups.group_of(entry.key) if groups else None
    if groups is None or group is None or group.pairs is None or entry.key not in group.scores:
        return ()
    return tuple(Rival(group.entry(key), compare_pair(group, groups.metric, entry.key, key))
                 for key in group.pairs.keys if key != entry.key)


def matrices(groups: MetricGroups) -> tuple[Matrix, ...]:
    """One matrix a signature, where there are two rows to compare."""
    return tuple(_matrix(groups, group) for group in groups.groups if group.pairs is not None)


def _matrix(groups: MetricGroups, group: EntryGroup) -> Matrix:
    assert group.pairs is not None
    keys = group.pairs.keys
    lines = tuple(
        Line(group.entry(key), tuple(compare_pair(group, groups.metric, key, other)
                                     for other in keys[:at]))
        for at, key in enumerate(keys)
    )
    main = groups.groups[0].signature
    return Matrix(group, lines, "" if group is groups.main else apart(main, group.signature),
                  tuple(entry for entry in group.entries if entry.key not in group.scores))


def metrics_compared(table: Table) -> list[MetricInfo]:
    """Metrics on which two rows can be compared; what orders rows comes first."""
    found = [groups.metric for groups in table.groups_by_metric.values()
             if any(group.pairs is not None for group in groups.groups)]
    return sorted(found, key=lambda metric: metric.id != table.ordered_by)


def uncompared(table: Table) -> dict[str, list[MetricInfo]]:
    """The other columns by the reason why no two of their rows are compared."""
    known = {metric.id for metric in metrics_compared(table)}
    found: dict[str, list[MetricInfo]] = {}
    for metric in table.columns:
        if metric.id not in known and metric.id in table.groups_by_metric:
            why = _why_uncompared(table.groups_by_metric[metric.id])
            found.setdefault(why, []).append(metric)
    return found


def _alone(groups: MetricGroups) -> list[Entry]:
    """Rows that have nobody to be compared with, though others have."""
    return [entry for group in groups.groups if group.pairs is None for entry in group.entries]


def _why_uncompared(groups: MetricGroups) -> str:
    found = groups.groups
    if not found:
        return "no row has a value"
    if sum(len(group.scores) for group in found) < 2:
        return "fewer than two rows have per-item scores here"
    return "no two rows with per-item scores have the same signature"


def compare_pages(board: BoardView, view: SplitView, table: Table) -> Iterator[Page]:
    """One page a metric; the first is that of the metric that orders rows."""
    metrics = metrics_compared(table)
    for metric in metrics:
        groups = table.groups_by_metric[metric.id]
        path = address(view, metric, metrics)
        context = {
            "board": board.board, "boardview": board, "view": view, "here": view.name,
            "items": "../" * path.removeprefix(view.path).count("/"), "metric": metric,
            "table": table, "matrices": matrices(groups), "words": WORDS,
            "signs": SIGNS, "fewest": FEWEST,
            "uncompared": uncompared(table), "alone": _alone(groups),
            "choices": [(one, address(view, one, metrics)) for one in metrics],
        }
        title = f"{board.board.title}: {view.name}, pairwise comparison on {metric.id}"
        yield Page(path, title, "compare.html", context)


def address(view: SplitView, metric: MetricInfo, metrics: Sequence[MetricInfo]) -> str:
    """The address of the pairwise comparison on a metric."""
    own = "" if metric is metrics[0] else f"{slug(metric.id)}/"
    return f"{view.path}{FOLDER}{own}"
