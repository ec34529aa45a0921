"""Which metric agrees with people: every metric beside the same people's ratings.

Values in, values out, whoever the people are: votes of closed batches, or ratings that others
published. ``judged.metrics_beside_people`` takes the values from results, ``rated_golds`` has
metrics score the gold answers that were rated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from scorer.annotations.meta import (
    ItemLevel,
    Reliability,
    Scores,
    SystemLevel,
    item_level,
    split_half,
    system_level,
)
from scorer.annotations.verdicts import Verified, shares
from scorer.annotations.within import WithinItems, within_items

Reference = Literal["best", "others"]
BEST: Reference = "best"
"""Against the answer that people rate highest, which is itself left out; of several the first."""
OTHERS: Reference = "others"
"""Every answer, against all others of its item; the board says how several golds count."""
REFERENCES: tuple[Reference, ...] = (OTHERS, BEST)
WORDS, PARTS, OVERLAP = "words", "parts", "overlap"
"""Numbers that no metric needs: words of an answer, its edges or other parts, and the share of its
different words that the texts of the item have."""
CONTROLS = (PARTS, WORDS)
"""Those that every other agreement is controlled for; pairs are matched by the first."""


class Rated(NamedTuple):
    """What people say: the one side."""

    scores: Scores
    """Of each system: of each item, a number, the higher the better."""
    ratings: Sequence[Sequence[float]]
    """Of each item of each system, the single people's: how far people agree among themselves."""


class Measured(NamedTuple):
    """What one metric says: the other side."""

    metric: str
    better: str
    scores: Scores


class MetricAgreement(NamedTuple):
    """How far one metric agrees with people."""

    metric: str
    better: str
    item: ItemLevel
    system: SystemLevel
    within: WithinItems
    """Of several systems' answers to one item against each other; nothing is held fixed."""


class Agreements(NamedTuple):
    """How far every metric agrees with the same people."""

    systems: tuple[str, ...]
    """Those that people rated."""
    rated: int
    """Items with a rating, counted for each system."""
    ratings: int
    """By single people."""
    reliability: Reliability
    metrics: tuple[MetricAgreement, ...]


class AnswerAgreement(NamedTuple):
    """How far one metric, or a number beside metrics, agrees with people."""

    metric: str
    better: str
    signature: str
    """Empty for what is no metric."""
    found: WithinItems | None
    why_not: str = ""
    """Why it is not measured."""


class RatedGolds(NamedTuple):
    """How far metrics agree with people's ratings of a split's gold answers."""

    items: int
    """With two rated answers or more."""
    answers: int
    ratings: int
    """By single people."""
    over_all: Reliability
    within: Reliability
    """Of answers of one item against each other."""
    counts: tuple[AnswerAgreement, ...]
    """The numbers beside metrics."""
    metrics: dict[Reference, tuple[AnswerAgreement, ...]]


def agreements(people: Rated, metrics: Iterable[Measured]) -> Agreements:
    """Every metric beside the same people."""
    return Agreements(
        tuple(people.scores), sum(map(len, people.scores.values())),
        sum(map(len, people.ratings)), split_half(people.ratings),
        tuple(MetricAgreement(one.metric, one.better,
                              item_level(one.scores, people.scores, better=one.better),
                              system_level(one.scores, people.scores, better=one.better),
                              within_items(one.scores, people.scores, better=one.better))
              for one in metrics))


def rated(votes: Mapping[str, Sequence[Verified]]) -> Rated:
    """People's verdicts on graphs: of each, the share of its votes that find it right."""
    scores = {system: shares(read) for system, read in votes.items()}
    return Rated({system: one for system, one in scores.items() if one},
                 [[float(vote == one.wanted) for vote in one.votes]
                  for read in votes.values() for one in read if one.votes])
