"""The columns of a leaderboard that people gave: their votes, and a judge corrected by them. Pure.

*people* says how often people find a system's graphs right, of those that passed every gate. The
other corrects the judge's metric by these verdicts, over all items, and may order rows
(docs/decisions/057-people-order-rows.md). Neither is a metric of results: both follow from
closed batches, and change when another batch is closed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from scorer.errors import counted
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.records import Interval
from scorer.scoring.leaderboard.order import why_nobody
from scorer.statistics.intervals import none
from scorer.statistics.pairwise import Pairwise
from scorer.statistics.ranks import Candidate, eligible
from scorer.submission import REFERENCE, THIRD_PARTY
from scorer.website.boards.standings import EntryGroup, MetricGroups, RowRanks
from scorer.website.records import PREVIEW, Entry, ReadGraph, SplitPeople, SplitView, official

if TYPE_CHECKING:
    from scorer.annotations.documents import VerdictDocument
    from scorer.annotations.powered_pairs import ReadRow
    from scorer.annotations.prediction_powered import Powered

PEOPLE = MetricInfo(
    "people", "Semantic correctness by people", "higher",
    "How often people who see the graph alone give it the label that a right one has: votes on a "
    "random sample of the graphs that passed every gate.",
    "", "", "", binary=True, group="people")
NOBODY_READ = "nobody has verified its graphs"
OUTDATED = "people verified graphs of its earlier predictions"
CHOSEN = "people verified chosen graphs, no random sample"


class Said(NamedTuple):
    """What stands in one cell of these columns."""

    metric: MetricInfo
    value: float | None
    interval: Interval
    counts: tuple[str, ...] = ()
    """What people read for it, a line each."""
    why_not: str = ""
    """Why there is no value."""


class PoweredRow(NamedTuple):
    """One row whose judge people corrected."""

    entry: Entry
    powered: Powered
    read: ReadRow
    signature: str


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

    @cached_property
    def powered(self) -> MetricInfo | None:
        """The corrected column; None if no judge's verdicts are at hand."""
        if not self.corrects:
            return None
        return replace(
            PEOPLE, id=f"{self.corrects}+people",
            title=f"{METRICS[self.corrects].title}, corrected by people",
            summary=f"{self.corrects} over all items, corrected by people's verdicts on a random "
                    "sample: what people would say of every graph. A wrong judge makes its "
                    "interval wider, not the value wrong.")

    @property
    def columns(self) -> tuple[MetricInfo, ...]:
        """One or both."""
        return (PEOPLE, self.powered) if self.powered else (PEOPLE,)

    @cached_property
    def corrects(self) -> str:
        """The judge's metric that people corrected; empty if none."""
        counted = [one.judge for one in self.verdicts.values() if one.judge and one.powered]
        return max(dict.fromkeys(counted), key=counted.count, default="")

    @cached_property
    def verdicts(self) -> Mapping[str, VerdictDocument]:
        """The figures of the rows that people read, by key."""
        keys = {entry.key for entry in self.view.entries}
        return {key: one for key, one in self.people.verdicts.systems.items() if key in keys}

    @cached_property
    def rows(self) -> Mapping[str, PoweredRow]:
        """The rows with a corrected judge, by key."""
        from scorer.annotations.powered_pairs import ReadRow
        from scorer.annotations.prediction_powered import powered
        from scorer.annotations.verdicts import shares

        found = {}
        for entry in self.view.entries:
            votes, said = self.people.votes.get(entry.key), self.verdicts.get(entry.key)
            judged = votes.judged if votes else None
            if votes and said and judged and judged.verdicts and said.judge == self.corrects:
                read = ReadRow(shares(votes.read), judged.verdicts)
                found[entry.key] = PoweredRow(entry, powered(*read, judged.items), read,
                                              said.signature or "")
        return found

    def value(self, key: str) -> float | None:
        """A row's corrected value."""
        return self.rows[key].powered.value if key in self.rows else None

    def said(self, entry: Entry) -> tuple[Said, ...]:
        """What people say of a row, in the order of ``columns``."""
        return (self._votes(entry), *([self._corrected(entry)] if self.powered else []))

    def _votes(self, entry: Entry) -> Said:
        said = self.verdicts.get(entry.key)
        found = said.votes if said else None
        if found is None or found.value is None:
            why = (CHOSEN if said and said.chosen else OUTDATED if said and said.outdated
                   else NOBODY_READ)
            return Said(PEOPLE, None, none(why), why_not=why)
        graphs = len(self.people.votes[entry.key].read)
        low, high = found.ci or (None, None)
        return Said(PEOPLE, float(found.value), Interval(low, high, found.method, found.note),
                    (counted(graphs, "graph"), counted(found.n, "vote"), *self._mark(entry)))

    def _corrected(self, entry: Entry) -> Said:
        assert self.powered is not None
        if entry.key not in self.rows:
            why = ("no judge's verdicts on its graphs are at hand" if entry.key in self.verdicts
                   else NOBODY_READ)
            return Said(self.powered, None, none(why), why_not=why)
        found = self.rows[entry.key].powered
        return Said(self.powered, found.value, found.interval,
                    (f"{found.verified} of {found.judged} verified",
                     f"judge's weight {found.weight:.2f}", *self._mark(entry)),
                    found.interval.note)

    def of_system(self, entry: Entry) -> OfSystem | None:
        """Everything that people said of a row; None if they read none of its graphs."""
        if entry.key not in self.verdicts:
            return None
        votes = self.people.votes[entry.key]
        graphs = self.people.graphs(entry.key)
        group = self.groups.group_of(entry.key) if self.powered else None
        return OfSystem(
            self.said(entry), self.verdicts[entry.key],
            tuple(graphs[row] for row in sorted(graphs)), len(votes.voters),
            self.people.simulated_of(entry.key),
            group.row_ranks.get(entry.key) if group else None, group.ranked if group else 0)

    def _mark(self, entry: Entry) -> tuple[str, ...]:
        return ("simulated",) if self.people.simulated_of(entry.key) else ()

    @cached_property
    def contenders(self) -> Mapping[str, Powered]:
        """The rows that would be ranked by the corrected value, by key: the best of each team that
        has a judged row, of those with enough verdicts if there are any."""
        best: dict[str, tuple[tuple[bool, float, int], str, Powered]] = {}
        for entry in sorted(official(self.view.entries), key=lambda one: one.key):
            if self._unranked(entry):
                continue
            team = entry.key if entry.team == THIRD_PARTY else entry.team
            powered = self._powered_of(entry)
            place = (self._enough(powered), powered.value or 0.0, powered.verified)
            if team not in best or place > best[team][0]:
                best[team] = place, entry.key, powered
        return {key: powered for _, key, powered in best.values()}

    def _unranked(self, entry: Entry) -> bool:
        value = entry.result.metrics.get(self.corrects)
        return (entry.team == REFERENCE or entry.unranked
                or value is None or value.value is None)

    def _powered_of(self, entry: Entry) -> Powered:
        from scorer.annotations.prediction_powered import Powered

        if entry.key in self.rows:
            return self.rows[entry.key].powered
        judged = entry.result.metrics[self.corrects]
        return Powered(None, none(NOBODY_READ), 0.0, 0, judged.n_passed or judged.n, judged.n)

    def _enough(self, powered: Powered) -> bool:
        needed = min(self.view.board.people.verified, powered.judged)
        return powered.value is not None and powered.verified >= needed

    @property
    def has_items(self) -> bool:
        """Whether scores of single items are at hand of any graph that people read."""
        return any(one.judged is not None and one.read for one in self.people.votes.values())

    @property
    def kappa(self) -> float | None:
        """Fleiss's kappa of all votes on the split."""
        fleiss = self.people.verdicts.agreement.fleiss
        return None if fleiss is None or fleiss.value is None else float(fleiss.value)

    @property
    def _names(self) -> Mapping[str, str]:
        """The contenders as readers know them, each by a name of its own: teams that may not be
        named yet can have systems of one name."""
        names = {entry.key: entry.name for entry in self.view.entries}
        taken: Counter[str] = Counter()
        found = {}
        for key in self.contenders:
            taken[names[key]] += 1
            more = f" ({taken[names[key]]})" if taken[names[key]] > 1 else ""
            found[key] = names[key] + more
        return found

    @cached_property
    def why_not(self) -> tuple[str, ...]:
        """Why the corrected column may not order rows; nothing if it may."""
        from scorer.annotations.verdicts import agreement_of, why_not_ranked

        names = self._names
        ranked = [self.people.votes[key] for key in self.contenders if key in self.people.votes]
        together = agreement_of([one for votes in ranked for one in votes.read],
                                min((votes.needed for votes in ranked), default=1))
        found = why_not_ranked({names[key]: one for key, one in self.contenders.items()},
                               together, self.view.board.people, self.people.simulated,
                               {names[key]: self.people.votes[key].unfinished
                                for key in self.contenders if key in self.people.votes})
        signatures = {self.rows[key].signature for key in self.contenders if key in self.rows}
        return (*found, *(["different judges scored the rows"] if len(signatures) > 1 else []))

    @cached_property
    def groups(self) -> MetricGroups:
        """The rows with a corrected value by signature, the largest group first, with the ranks
        that the tests between them leave."""
        assert self.powered is not None
        valued = [row for row in self.rows.values() if row.powered.value is not None]
        valued.sort(key=lambda row: row.signature)
        groups = [self._group(signature, list(rows))
                  for signature, rows in groupby(valued, key=lambda row: row.signature)]
        groups.sort(key=lambda one: -sum(entry.kind != PREVIEW for entry in one.entries))
        return MetricGroups(self.powered, tuple(groups))

    def _group(self, signature: str, rows: Sequence[PoweredRow]) -> EntryGroup:
        from scorer.annotations.powered_pairs import known
        from scorer.results.ranks import ComparisonGroup

        rows = sorted(rows, key=lambda row: (-(row.powered.value or 0.0), row.entry.key))
        items = range(1, self.view.split.rows + 1)
        keys = tuple(row.entry.key for row in rows)
        found = ComparisonGroup(
            signature, keys, {row.entry.key: known(row.read, items) for row in rows}, {},
            _pairs(rows, items), tuple(eligible(
                [_candidate(row) for row in rows if row.entry.key in self.contenders],
                better="higher")))
        told = found.ranks
        why_not = (why_nobody(self.view.board, self.view.name, None) or "; ".join(self.why_not)
                   or told.why_not)
        ranks = {} if why_not else {key: RowRanks(told.holm[key], told.plain[key])
                                    for key in found.eligible}
        return EntryGroup(**vars(found), entries=tuple(row.entry for row in rows),
                          row_ranks=ranks, why_not=why_not, gap=None)


def _candidate(row: PoweredRow) -> Candidate:
    entry = row.entry
    team = entry.key if entry.team == THIRD_PARTY else entry.team
    return Candidate(entry.key, team, row.powered.value or 0.0)


def _pairs(rows: Sequence[PoweredRow], items: range) -> Pairwise | None:
    from scorer.annotations.powered_pairs import compared

    if len(rows) < 2:
        return None
    return compared({row.entry.key: row.read for row in rows}, items)


def people_columns(view: SplitView) -> PeopleColumns | None:
    """The columns of a split; None where people read none of its rows."""
    found = PeopleColumns(view, view.people) if view.people else None
    return found if found and found.verdicts else None
