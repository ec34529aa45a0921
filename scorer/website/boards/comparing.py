"""Pairwise comparison of a split's rows: a matrix a metric, and one row's rivals. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.metrics.catalogue import MetricInfo
from scorer.statistics import FEWEST
from scorer.statistics.comparison import differing
from scorer.website.boards.standings import Contest, Field, apart
from scorer.website.boards.table import Table
from scorer.website.page import Page
from scorer.website.records import BoardView, Entry, SplitView
from scorer.website.render import score
from scorer.website.text import slug

FOLDER = "compare/"
WORDS = {"better": "better", "worse": "worse", "same": "no significant difference",
         "": "no verdict"}
"""The verdict on a row against another one; none where there are too few items."""
SIGNS = {"better": "▲", "worse": "▼", "same": "≈", "": ""}


class Duel(NamedTuple):
    """One row against another one, on one metric."""

    difference: str
    """Its value less the other's."""
    p: str
    verdict: str
    """One of ``WORDS``."""
    wins: tuple[int, ...]
    """One-based rows on which it is better, the greatest differences first."""
    losses: tuple[int, ...]
    ties: int


class Rival(NamedTuple):
    """Another row, and how one fares against it."""

    entry: Entry
    duel: Duel


class Line(NamedTuple):
    """One row of a matrix: against the rows above it."""

    entry: Entry
    duels: tuple[Duel, ...]


class Matrix(NamedTuple):
    """Every two rows of one signature."""

    field: Field
    lines: tuple[Line, ...]
    apart: str
    """What keeps these rows from being compared with those of the first matrix."""
    left_out: tuple[Entry, ...]
    """Rows whose scores of single items are not at hand."""


def duel(field: Field, metric: MetricInfo, row: str, other: str) -> Duel:
    """One row against another one of its field; both have scores of items."""
    assert field.pairs is not None
    one, two = field.pairs.keys.index(row), field.pairs.keys.index(other)
    wins, losses = differing(field.scores[row], field.scores[other], better=metric.better)
    return Duel(
        score(float(field.pairs.means[one] - field.pairs.means[two]), metric, signed=True),
        chance(float(field.pairs.p[one, two])), _verdict(field, row, other), wins, losses,
        field.pairs.n - len(wins) - len(losses),
    )


def _verdict(field: Field, row: str, other: str) -> str:
    assert field.pairs is not None
    if field.pairs.n < FEWEST:
        return ""
    if field.pairs.better(row, other):
        return "better"
    return "worse" if field.pairs.better(other, row) else "same"


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
    contest = table.contest
    field = contest.field_of(entry.key) if contest else None
    if contest is None or field is None or field.pairs is None or entry.key not in field.scores:
        return ()
    return tuple(Rival(field.entry(key), duel(field, contest.metric, entry.key, key))
                 for key in field.pairs.keys if key != entry.key)


def matrices(contest: Contest) -> tuple[Matrix, ...]:
    """One matrix a signature, where there are two rows to compare."""
    return tuple(_matrix(contest, field) for field in contest.fields if field.pairs is not None)


def _matrix(contest: Contest, field: Field) -> Matrix:
    assert field.pairs is not None
    keys = field.pairs.keys
    lines = tuple(
        Line(field.entry(key), tuple(duel(field, contest.metric, key, other)
                                     for other in keys[:place]))
        for place, key in enumerate(keys)
    )
    main = contest.fields[0].signature
    return Matrix(field, lines, "" if field is contest.main else apart(main, field.signature),
                  tuple(entry for entry in field.entries if entry.key not in field.scores))


def metrics_compared(table: Table) -> list[MetricInfo]:
    """Metrics on which two rows can be compared; what orders rows comes first."""
    found = [contest.metric for contest in table.contests.values()
             if any(field.pairs is not None for field in contest.fields)]
    return sorted(found, key=lambda metric: metric.id != table.ordered_by)


def compare_pages(board: BoardView, view: SplitView, table: Table) -> Iterator[Page]:
    """One page a metric; the first is that of the metric that orders rows."""
    metrics = metrics_compared(table)
    for metric in metrics:
        contest = table.contests[metric.id]
        path = address(view, metric, metrics)
        context = {
            "board": board.board, "boardview": board, "view": view, "here": view.name,
            "items": "../" * path.removeprefix(view.path).count("/"), "metric": metric,
            "table": table, "matrices": matrices(contest), "words": WORDS,
            "signs": SIGNS, "fewest": FEWEST,
            "choices": [(one, address(view, one, metrics)) for one in metrics],
        }
        title = f"{board.board.title}: {view.name}, pairwise comparison on {metric.id}"
        yield Page(path, title, "compare.html", context)


def address(view: SplitView, metric: MetricInfo, metrics: Sequence[MetricInfo]) -> str:
    """The address of the pairwise comparison on a metric."""
    own = "" if metric is metrics[0] else f"{slug(metric.id)}/"
    return f"{view.path}{FOLDER}{own}"
