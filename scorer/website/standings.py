"""Where rows stand on each metric, as far as their items can tell: rank intervals. Pure.

One rule says what may be compared: values of equal signatures. So scorer, board, gold, number of
golds, encoder and judge are the same within a ``Field``, and nothing is said across two of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.signature import comparable_groups, difference
from scorer.statistics import FEWEST
from scorer.statistics.pairwise import Pairwise, pairwise
from scorer.statistics.power import Gap, smallest_gap
from scorer.statistics.ranks import Candidate, RankInterval, eligible, rank_intervals
from scorer.website.judging import Standing
from scorer.website.views import Entry, SplitView


class Place(NamedTuple):
    """The places that a row may have among the ranked rows of its field, 1 the best."""

    plain: RankInterval
    """Each comparison at 5 %, uncorrected."""
    holm: RankInterval

    @property
    def text(self) -> str:
        """The interval as people read it."""
        return places(self.plain.first, self.plain.last)

    @property
    def holm_text(self) -> str:
        """The same with Holm's correction."""
        return places(self.holm.first, self.holm.last)


def places(first: int, last: int) -> str:
    """An interval of places in a few characters.

    >>> ascii(places(1, 3)), places(2, 2)
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
    """Why ``places`` is empty, to follow *because*."""
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
    """Every metric of the board. ``judged``: how the columns that judges give stand."""
    return {name: _contest(view, METRICS[name], judged.get(name)) for name in view.board.metrics}


def _contest(view: SplitView, metric: MetricInfo, how: Standing | None) -> Contest:
    values = {entry.key: entry.result.metrics[metric.id] for entry in view.entries
              if metric.id in entry.result.metrics}
    by_key = {entry.key: entry for entry in view.entries}
    fields = []
    for group in comparable_groups(values):
        entries = sorted((by_key[key] for key in group.members),
                         key=lambda entry: _order(entry, metric))
        fields.append(_field(view, metric, how, group.signature, tuple(entries)))
    return Contest(metric, tuple(fields))


def _order(entry: Entry, metric: MetricInfo) -> tuple[float, str]:
    value = entry.result.metrics[metric.id].value or 0.0
    return -value if metric.better == "higher" else value, entry.key


def _field(view: SplitView, metric: MetricInfo, how: Standing | None, signature: str,
           entries: tuple[Entry, ...]) -> Field:
    scores = {entry.key: found for entry in entries
              if (found := item_scores(entry, metric.id, view.split.rows))}
    pairs = (pairwise(scores, binary=metric.binary, better=metric.better)
             if len(scores) > 1 else None)
    keys = eligible([_candidate(entry, metric) for entry in entries], better=metric.better)
    why_not = _why_not(view, how, keys, scores)
    gap = smallest_gap([scores[key] for key in keys if key in scores], binary=metric.binary)
    ranked: dict[str, Place] = {}
    if not why_not and pairs is not None:
        told = rank_intervals(pairs.among(keys))
        ranked = {key: Place(told.plain[key], told.holm[key]) for key in keys}
    return Field(signature, entries, scores, pairs, ranked, why_not, gap if ranked else None)


def _candidate(entry: Entry, metric: MetricInfo) -> Candidate:
    """Predictions by others are each of a team of their own."""
    team = entry.team if entry.kind == "scored" else entry.key
    value = entry.result.metrics[metric.id].value or 0.0
    return Candidate(entry.key, team, value, entry.kind == "reference", bool(entry.withdrawn))


def item_scores(entry: Entry, metric: str, rows: int) -> tuple[float, ...]:
    """One score an item of ``rows``; empty if they are not at hand for every item."""
    items = entry.result.items
    if len(items) != rows or not all(metric in item.scores for item in items):
        return ()
    return tuple(item.scores[metric].value for item in items)


def _why_not(view: SplitView, how: Standing | None, keys: Sequence[str],
             scores: Mapping[str, Sequence[float]]) -> str:
    """Why nobody has a rank; empty if there are ranks."""
    if view.split.rows < FEWEST:
        return f"{view.split.rows} items are too few: fewer than {FEWEST} give no rank"
    if view.board.practice:
        return "this is a practice board"
    if view.split.gold != "public":
        return "the gold is hidden, so there are no scores of single items to compare rows by"
    if how is not None and not how.ranks:
        return f"{how.metric.id} {how.because}"
    if len(keys) < 2:
        return ("there is one row alone that may be ranked" if keys
                else "there is no row that may be ranked")
    if not all(key in scores for key in keys):
        return "this copy of the site does not have every row's scores of single items"
    return ""


def apart(main: str, other: str) -> str:
    """What keeps values of two signatures from being compared, in words.

    >>> apart("SA|golds:2|gold:aa", "SA|golds:1|gold:aa")
    'golds 1 instead of 2'
    """
    if not (main and other):
        return "no signature"
    found = (one.partition(": ") for one in difference(main, other))
    pairs = ((key, *values.split(" / ", 1)) for key, _, values in found)
    return ", ".join(f"{key} {theirs} instead of {ours}" for key, ours, theirs in pairs)
