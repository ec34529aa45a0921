"""What orders the rows of a leaderboard, and the columns that people gave. Pure.

*people* says how often people find a system's graphs right, of those that passed every gate. The
other corrects a judge's metric by these verdicts, over all items, and may order rows
(docs/decisions/029-people-correct-a-judge.md). Neither is a metric of results: both follow from
closed batches, and change when another batch is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scorer.boards import Board
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.scoring.judging import Judges, Standing, standing
from scorer.scoring.leaderboard.about import ScoredRow
from scorer.scoring.results.leaderboard import Order, PassedOver, Value
from scorer.scoring.results.ranks import ComparisonGroup
from scorer.statistics import FEWEST


def ordering(board: Board, rows: Sequence[Result], judges: Judges,
             previews: Sequence[Result] = (), people: PeopleColumns | None = None) -> Order:
    """The first ranking metric that any row has and, if a judge gave it, that a fit judge gave all;
    before it the same as people correct it, where enough of them read enough of every row.

    Without one: the last ranking metric that needs no judge, in which every row is equal.
    ``previews``: rows that have no say.
    """
    passed_over: list[PassedOver] = []
    for metric in board.ranking:
        if people and metric == people.corrects:
            column = corrected(metric).id
            if not people.why_not:
                return Order(by=column, passed_over=passed_over)
            passed_over.append(
                PassedOver(id=column, code="people", text="; ".join(people.why_not)))
        why_not = _why_not(metric, rows, judges, previews)
        if why_not is None:
            return Order(by=metric, passed_over=passed_over)
        passed_over.append(why_not)
    plain = [metric for metric in board.ranking if METRICS[metric].judge is None]
    return Order(by=plain[-1] if plain else None,
                 passed_over=[entry for entry in passed_over if entry.id not in plain[-1:]])


def _why_not(metric: str, rows: Sequence[Result], judges: Judges, previews: Sequence[Result],
             ) -> PassedOver | None:
    """Why a metric cannot order rows; None if it can."""
    if not any(value_of(row, metric) is not None for row in rows):
        previewed = any(value_of(row, metric) is not None for row in previews)
        what = "measured for previews alone" if previewed else "not measured for any row"
        return PassedOver(id=metric, code="unmeasured", text=f"it is {what}")
    how = standing(metric, rows, judges)
    if how is None or how.ranks:
        return None
    return PassedOver.model_validate(
        {"id": metric, "code": how.state, "text": how.because})


def value_of(result: Result, metric: str) -> float | None:
    """A result's value of a metric, if it has one."""
    value = result.metrics.get(metric)
    return value.value if value is not None else None


def why_nobody(board: Board, split: str, how: Standing | None) -> str:
    """Why nobody has a rank, whatever the rows are; empty if there may be ranks.

    ``how``: the standing of a column that a judge gives.
    """
    rows = board.splits[split].rows
    if rows < FEWEST:
        return f"{rows} items are too few ({FEWEST} needed)"
    if board.practice:
        return "this is a practice board"
    if board.splits[split].gold != "public":
        return "the gold is hidden, so we have no per-item scores to compare"
    return "" if how is None or how.ranks else how.because


PEOPLE = MetricInfo(
    "people", "Semantic correctness by people", "higher",
    "How often people who see the graph alone give it the label that a right one has: votes on a "
    "random sample of the graphs that passed every gate.",
    "", "", "", binary=True, group="people")
_CORRECTED = "+people"


def corrected(metric: str) -> MetricInfo:
    """A judge's metric as people correct it."""
    return replace(
        PEOPLE, id=f"{metric}{_CORRECTED}", title=f"{METRICS[metric].title}, corrected by people",
        summary=f"{metric} over all items, corrected by people's verdicts on a random "
                "sample: what people would say of every graph. A wrong judge makes its "
                "interval wider, not the value wrong.")


def metric_of(column: str) -> MetricInfo:
    """What a column of a document is: a metric of results, or what people said.

    >>> metric_of("people").title
    'Semantic correctness by people'
    """
    if column.endswith(_CORRECTED):
        return corrected(column.removesuffix(_CORRECTED))
    return PEOPLE if column == PEOPLE.id else METRICS[column]


@dataclass(frozen=True)
class ColumnValues:
    """One column of a leaderboard, of results or of people."""

    metric: MetricInfo
    kind: Literal["votes", "corrected"] | None
    """What people gave; None of results."""
    values: Mapping[str, Value]
    """Every row's value in the document but for signature and rank, by ``<team>/<system>``."""
    signatures: Mapping[str, str]
    groups: tuple[ComparisonGroup, ...] = ()
    """The largest first; none of votes, which people did not give to the same items."""
    no_ranks: str = ""
    """Why nobody has a rank in it, whatever its rows are; empty if there may be ranks."""


@dataclass(frozen=True)
class PeopleColumns:
    """What people said of the rows of one split."""

    columns: tuple[ColumnValues, ...]
    kappa: float | None
    """Fleiss's, of all votes on the split."""
    simulated: bool
    corrects: str
    """The judge's metric that people corrected; empty if none."""
    why_not: tuple[str, ...]
    """Why the corrected column may not order rows; nothing if it may."""


PeopleOf = Callable[[Board, str, Sequence[ScoredRow]], PeopleColumns | None]
"""What people said of some rows of a split; None where they read none."""


def nobody(board: Board, split: str, rows: Sequence[ScoredRow]) -> PeopleColumns | None:
    """Where no folder of annotations is at hand."""
