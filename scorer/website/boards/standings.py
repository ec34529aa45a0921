"""Where the rows of a split stand on each metric, as far as their items can tell. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.results.ranks import (
    ComparedRow,
    ComparisonGroup,
    compared_row,
    comparison_groups,
)
from scorer.results.signature import UNSTATED, difference
from scorer.scoring.judging import Standing
from scorer.scoring.leaderboard.order import why_nobody
from scorer.statistics.power import Gap
from scorer.statistics.ranks import RankInterval
from scorer.website.records import PREVIEW, Entry, SplitView

NO_SYSTEM = "not ranked: no system"
UNSCORED = "not ranked: no scores of items"


class RowRanks(NamedTuple):
    """The rank intervals of a row among the ranked rows of its comparison group, 1 the best."""

    holm: RankInterval
    """Its comparisons corrected by Holm: the rank."""
    plain: RankInterval
    """Each comparison at 5 %, uncorrected."""

    @property
    def text(self) -> str:
        """The interval as people read it."""
        return interval_text(self.holm.first, self.holm.last)

    @property
    def plain_text(self) -> str:
        """The same without correction."""
        return interval_text(self.plain.first, self.plain.last)


def interval_text(first: int, last: int) -> str:
    """A rank interval in a few characters.

    >>> ascii(interval_text(1, 3)), interval_text(2, 2)
    ("'1\\\\u20133'", '2')
    """
    return str(first) if first == last else f"{first}\u2013{last}"


@dataclass(frozen=True, kw_only=True)
class EntryGroup(ComparisonGroup):
    """A comparison group with the rows that pages show, and the ranks that the board gives."""

    entries: tuple[Entry, ...]
    """In the order of ``keys``."""
    row_ranks: Mapping[str, RowRanks]
    """By key; empty if nobody has a rank."""
    why_not: str
    """Why ``row_ranks`` is empty, to follow *no ranks:*."""
    gap: Gap | None
    """The smallest gap between ranked rows that could be told."""

    @property
    def ranked(self) -> int:
        """How many rows have a rank."""
        return len(self.row_ranks)

    def entry(self, key: str) -> Entry:
        """The row of a key."""
        return next(entry for entry in self.entries if entry.key == key)


@dataclass(frozen=True)
class MetricGroups:
    """One metric of a split."""

    metric: MetricInfo
    groups: tuple[EntryGroup, ...]
    """The largest first, by the rows that are no previews."""

    @property
    def main(self) -> EntryGroup | None:
        """The largest group."""
        return self.groups[0] if self.groups else None

    def group_of(self, key: str) -> EntryGroup | None:
        """The group that a row is in; None for a row without a value."""
        return next((group for group in self.groups
                     if any(entry.key == key for entry in group.entries)), None)

    def ranks_of(self, key: str) -> RowRanks | None:
        """A row's rank intervals, if it has them."""
        group = self.group_of(key)
        return group.row_ranks.get(key) if group else None

    def unranked(self, key: str) -> str:
        """Why a row that could be ranked, or is no system, is not; empty for every other row."""
        group = self.group_of(key)
        if group is None:
            return ""
        if any(entry.key == key and not entry.is_system for entry in group.entries):
            return NO_SYSTEM
        return UNSCORED if key in group.unscored else ""


GroupsByMetric = Mapping[str, MetricGroups]
"""By metric, in the board's order."""


def metric_groups(view: SplitView, judged: Mapping[str, Standing]) -> dict[str, MetricGroups]:
    """Every metric of the board.

    ``judged``: how the columns that judges give stand.
    """
    rows: dict[str, list[ComparedRow]] = {name: [] for name in view.board.metrics}
    for entry in view.entries:  # every metric of one entry at once: its items are unpacked once
        for name, found in rows.items():
            if name in entry.result.metrics:
                found.append(compared_row(
                    entry.key, entry.team, entry.result, name, view.split.rows,
                    withdrawn=entry.unranked))
    return {name: _groups(view, METRICS[name], judged.get(name), found)
            for name, found in rows.items()}


def _groups(view: SplitView, metric: MetricInfo, how: Standing | None,
            rows: Sequence[ComparedRow]) -> MetricGroups:
    by_key = {entry.key: entry for entry in view.entries}
    why_not = why_nobody(view.board, view.name, how)
    groups = [_group(found, metric, why_not, [by_key[key] for key in found.keys])
              for found in comparison_groups(rows, metric)]
    groups.sort(key=lambda group: -sum(entry.kind != PREVIEW for entry in group.entries))
    return MetricGroups(metric, tuple(groups))


def _group(found: ComparisonGroup, metric: MetricInfo, why_not: str, entries: Sequence[Entry]
           ) -> EntryGroup:
    told = found.ranks
    why_not = why_not or told.why_not
    ranked = {} if why_not else {key: RowRanks(told.holm[key], told.plain[key])
                                 for key in found.eligible}
    return EntryGroup(**vars(found), entries=tuple(entries), row_ranks=ranked, why_not=why_not,
                      gap=found.smallest_gap(metric) if ranked else None)


def apart(main: str, other: str) -> str:
    """What keeps values of two signatures from being compared, in words.

    >>> apart("GED|golds:2|gold:aa", "GED|golds:1|gold:aa")
    'golds 1 instead of 2'
    >>> apart("GED|golds:2", "GED|golds:2|against:others")
    'against others'
    """
    if not (main and other):
        return "no signature"
    found = (one.partition(": ") for one in difference(main, other))
    pairs = ((key, *values.split(" / ", 1)) for key, _, values in found)
    return ", ".join(f"{key} {theirs}" + (f" instead of {ours}" if ours != UNSTATED else "")
                     for key, ours, theirs in pairs)
