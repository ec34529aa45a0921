"""Where the rows of a split stand on each metric, as far as their items can tell. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.results import ranks
from scorer.results.ranks import Row, fields, item_scores
from scorer.results.signature import difference
from scorer.statistics import FEWEST
from scorer.statistics.pairwise import Pairwise
from scorer.statistics.power import Gap, smallest_gap
from scorer.statistics.ranks import Candidate, RankInterval
from scorer.website.judges.judging import Standing
from scorer.website.records import Entry, SplitView


class Place(NamedTuple):
    """The places that a row may have among the ranked rows of its field, 1 the best."""

    plain: RankInterval
    """Each comparison at 5 %, uncorrected."""
    holm: RankInterval

    @property
    def text(self) -> str:
        """The interval as people read it."""
        return interval_text(self.plain.first, self.plain.last)

    @property
    def holm_text(self) -> str:
        """The same with Holm's correction."""
        return interval_text(self.holm.first, self.holm.last)


def interval_text(first: int, last: int) -> str:
    """An interval of places in a few characters.

    >>> ascii(interval_text(1, 3)), interval_text(2, 2)
    ("'1\\\\u20133'", '2')
    """
    return str(first) if first == last else f"{first}\u2013{last}"


@dataclass(frozen=True)
class Field:
    """The rows of one metric whose values have one signature."""

    signature: str
    entries: tuple[Entry, ...]
    """Best value first; withdrawn and reference rows too."""
    scores: Mapping[str, Sequence[float]]
    """By key, one score an item; only of rows whose items are at hand."""
    pairs: Pairwise | None
    """Every two rows with ``scores``, in the order of ``entries``; None with fewer than two."""
    places: Mapping[str, Place]
    """By key; empty if nobody has a rank."""
    why_not: str
    """Why ``places`` is empty, to follow *no ranks:*."""
    gap: Gap | None
    """The smallest gap between ranked rows that could be told."""

    @property
    def ranked(self) -> int:
        """How many rows have a place."""
        return len(self.places)

    def entry(self, key: str) -> Entry:
        """The row of a key."""
        return next(entry for entry in self.entries if entry.key == key)


@dataclass(frozen=True)
class Contest:
    """One metric of a split."""

    metric: MetricInfo
    fields: tuple[Field, ...]
    """The largest first."""

    @property
    def main(self) -> Field | None:
        """The largest field."""
        return self.fields[0] if self.fields else None

    def field_of(self, key: str) -> Field | None:
        """The field that a row is in; None for a row without a value."""
        return next((field for field in self.fields
                     if any(entry.key == key for entry in field.entries)), None)

    def place(self, key: str) -> Place | None:
        """A row's place, if it has one."""
        field = self.field_of(key)
        return field.places.get(key) if field else None


Contests = Mapping[str, Contest]
"""By metric, in the board's order."""


def contests(view: SplitView, judged: Mapping[str, Standing]) -> dict[str, Contest]:
    """Every metric of the board.

    ``judged``: how the columns that judges give stand.
    """
    rows: dict[str, list[Row]] = {name: [] for name in view.board.metrics}
    for entry in view.entries:  # every metric of one entry at once: its items are unpacked once
        for name, found in rows.items():
            if name in entry.result.metrics:
                found.append(_row(entry, METRICS[name], view.split.rows))
    return {name: _contest(view, METRICS[name], judged.get(name), found)
            for name, found in rows.items()}


def _contest(view: SplitView, metric: MetricInfo, how: Standing | None, rows: Sequence[Row]
             ) -> Contest:
    by_key = {entry.key: entry for entry in view.entries}
    return Contest(metric, tuple(
        _field(found, metric, _why_not(view, how), [by_key[key] for key in found.keys])
        for found in fields(rows, metric)))


def _row(entry: Entry, metric: MetricInfo, items: int) -> Row:
    """Predictions by others are each of a team of their own."""
    value = entry.result.metrics[metric.id]
    team = entry.team if entry.kind == "scored" else entry.key
    candidate = Candidate(entry.key, team, value.value or 0.0, entry.kind == "reference",
                          bool(entry.withdrawn))
    return Row(candidate, value, item_scores(entry.result, metric.id, items))


def _field(found: ranks.Field, metric: MetricInfo, why_not: str, entries: Sequence[Entry],
           ) -> Field:
    told = found.ranks
    why_not = why_not or told.why_not
    ranked = {} if why_not else {key: Place(told.plain[key], told.holm[key])
                                 for key in found.eligible}
    gap = (smallest_gap([found.scores[key] for key in ranked], binary=metric.binary)
           if ranked else None)
    return Field(found.signature, tuple(entries), found.scores, found.pairs, ranked, why_not, gap)


def _why_not(view: SplitView, how: Standing | None) -> str:
    """Why nobody has a rank, whatever the rows are; empty if there may be ranks."""
    if view.split.rows < FEWEST:
        return f"{view.split.rows} items are too few ({FEWEST} needed)"
    if view.board.practice:
        return "this is a practice board"
    if view.split.gold != "public":
        return "the gold is hidden, so we have no per-item scores to compare"
    if how is not None and not how.ranks:
        return how.because
    return ""


def apart(main: str, other: str) -> str:
    """What keeps values of two signatures from being compared, in words.

    >>> apart("GED|golds:2|gold:aa", "GED|golds:1|gold:aa")
    'golds 1 instead of 2'
    """
    if not (main and other):
        return "no signature"
    found = (one.partition(": ") for one in difference(main, other))
    pairs = ((key, *values.split(" / ", 1)) for key, _, values in found)
    return ", ".join(f"{key} {theirs} instead of {ours}" for key, ours, theirs in pairs)
