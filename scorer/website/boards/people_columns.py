"""What the pages of a leaderboard and of a system show of the columns that people gave. Pure.

The columns are made by ``scorer.annotations.leaderboard``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.errors import counted
from scorer.metrics.catalogue import MetricInfo
from scorer.records import Interval
from scorer.scoring.leaderboard.order import why_nobody
from scorer.scoring.leaderboard.people import PEOPLE, PeopleColumn, corrected
from scorer.scoring.leaderboard.people import PeopleColumns as Found
from scorer.website.boards.leaderboards import people_of
from scorer.website.boards.standings import EntryGroup, MetricGroups, RowRanks
from scorer.website.records import Entry, ReadGraph, SplitPeople, SplitView

if TYPE_CHECKING:
    from scorer.annotations.documents import VerdictDocument


class Said(NamedTuple):
    """What stands in one cell of these columns."""

    metric: MetricInfo
    value: float | None
    interval: Interval
    counts: tuple[str, ...] = ()
    """What people read for it, a line each."""
    why_not: str = ""
    """Why there is no value."""


class OfSystem(NamedTuple):
    """What people said of one system, for its page."""

    said: tuple[Said, ...]
    """Its cells on the leaderboard."""
    verdict: VerdictDocument
    graphs: tuple[ReadGraph, ...]
    """By row."""
    voters: int
    simulated: bool
    ranks: RowRanks | None
    ranked: int
    """How many rows have ranks beside it."""


@dataclass(frozen=True)
class PeopleColumns:
    """What people said of the rows of one split."""

    view: SplitView
    people: SplitPeople
    found: Found

    @property
    def powered(self) -> MetricInfo | None:
        """The corrected column; None if no judge's verdicts are at hand."""
        return corrected(self.found.corrects) if self.found.corrects else None

    @property
    def corrects(self) -> str:
        """The judge's metric that people corrected; empty if none."""
        return self.found.corrects

    @property
    def columns(self) -> tuple[MetricInfo, ...]:
        """One or both."""
        return tuple(one.metric for one in self.found.columns)

    def value(self, key: str) -> float | None:
        """A row's corrected value."""
        found: float | None = self.found.columns[-1].values[key]["v"]
        return found

    def said(self, entry: Entry) -> tuple[Said, ...]:
        """What people say of a row, in the order of ``columns``."""
        return tuple(_said(one, one.values[entry.key]) for one in self.found.columns)

    def of_system(self, entry: Entry) -> OfSystem | None:
        """Everything that people said of a row; None if they read none of its graphs."""
        if entry.key not in self.people.votes:
            return None
        graphs = self.people.graphs(entry.key)
        group = self.groups.group_of(entry.key) if self.powered else None
        return OfSystem(
            self.said(entry), self.people.verdicts.systems[entry.key],
            tuple(graphs[row] for row in sorted(graphs)),
            len(self.people.votes[entry.key].voters), self.people.simulated_of(entry.key),
            group.row_ranks.get(entry.key) if group else None, group.ranked if group else 0)

    @property
    def has_items(self) -> bool:
        """Whether scores of single items are at hand of any graph that people read."""
        return any(one.judged is not None and one.read for one in self.people.votes.values())

    @property
    def kappa(self) -> float | None:
        """Fleiss's kappa of all votes on the split."""
        return self.found.kappa

    @property
    def why_not(self) -> tuple[str, ...]:
        """Why the corrected column may not order rows; nothing if it may."""
        return self.found.why_not

    @cached_property
    def groups(self) -> MetricGroups:
        """The rows with a corrected value by signature, the largest group first, with their
        ranks."""
        entries = {entry.key: entry for entry in self.view.entries}
        column = self.found.columns[-1]
        return MetricGroups(column.metric, tuple(
            self._group(one, [entries[key] for key in one.keys]) for one in column.groups))

    def _group(self, found: Any, entries: list[Entry]) -> EntryGroup:
        told = found.ranks
        why_not = (why_nobody(self.view.board, self.view.name, None) or "; ".join(self.why_not)
                   or told.why_not)
        ranks = {} if why_not else {key: RowRanks(told.holm[key], told.plain[key])
                                    for key in found.eligible}
        return EntryGroup(**vars(found), entries=tuple(entries), row_ranks=ranks, why_not=why_not,
                          gap=None)


def _said(column: PeopleColumn, value: Mapping[str, Any]) -> Said:
    low, high = value.get("ci", (None, None))
    interval = Interval(low, high, value.get("method", "none"), value.get("note", ""))
    if value["v"] is None:
        return Said(column.metric, None, interval, why_not=value["why"])
    read = value["people"]
    counts = ((counted(read["graphs"], "graph"), counted(read["votes"], "vote"))
              if column.metric == PEOPLE else
              (f"{read['graphs']} of {value['n_passed']} verified",
               f"judge's weight {read['weight']:.2f}"))
    return Said(column.metric, value["v"], interval,
                (*counts, *(("simulated",) if read.get("simulated") else ())))


def people_columns(view: SplitView) -> PeopleColumns | None:
    """The columns of a split; None where people read none of its rows."""
    found = people_of(view)
    return PeopleColumns(view, view.people, found) if view.people and found else None
