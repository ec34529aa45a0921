"""Columns of a leaderboard: of results, and those that people gave. Pure.

*people* says how often people find a system's graphs right, of those that passed every gate. The
other corrects a judge's metric by these verdicts, over all items, and may order rows
(docs/decisions/029-people-correct-a-judge.md). Neither is a metric of results: both follow from
closed batches, and change when another batch is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from scorer.boards import Board
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.scoring.leaderboard.about import ScoredRow
from scorer.scoring.results.leaderboard import Value
from scorer.scoring.results.ranks import ComparisonGroup

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

    @property
    def main(self) -> ComparisonGroup | None:
        """The largest group."""
        return self.groups[0] if self.groups else None

    @cached_property
    def group_of(self) -> Mapping[str, ComparisonGroup]:
        """The group of each row with a value."""
        return {key: group for group in self.groups for key in group.keys}


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
