"""How sure people are of each item's label, and what that means for gold and for systems.

Pure: how many people gave each label, ``counts`` of shape (items, labels), and what is held against
it. Values are exact fractions where they are counted. Every interval is one over items: it says
what other items of the same kind would give, never what other people would.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.annotations.agreement import Agreement, measured_counts
from scorer.annotations.bootstrap import Estimate
from scorer.statistics import ALPHA, TIE
from scorer.statistics.calibration import distances
from scorer.statistics.distributions import coin_tail
from scorer.statistics.intervals import mean, none, proportion

PARTS = 4
"""So many bins of equal width divide the entropies that answers can have."""
DRAWN = (3, 5)
"""The sizes of small groups of people whose majority is held against gold."""

Counts = NDArray[np.int64]


class Bin(NamedTuple):
    """Items on which people's answers have an entropy of ``low`` to below ``high``, in bits; of
    the last bin, up to ``high``."""

    low: float
    high: float
    items: int
    one: Estimate
    """Whether one person's answer is gold."""
    majority: Estimate
    """Whether the majority's is."""


class Sureness(NamedTuple):
    """What people's answers to a split say."""

    items: int
    answers: int
    right: int
    """Answers that are gold's label."""
    people: tuple[int, int]
    """Fewest and most answers to an item."""
    tied: int
    """Items without one most frequent label."""
    unclear: int
    """Items on which the two most frequent labels are no further apart than a coin would have
    it."""
    one: Estimate
    """Whether one person, drawn from those who answered, gives gold's label."""
    majorities: Mapping[int, Estimate]
    """The same of the majority of so many, drawn without replacement; ties count by halves."""
    majority: Estimate
    """The same of all who answered, with the source's own word for ties if it has one."""
    agreement: Agreement
    bins: tuple[Bin, ...]


def sureness(counts: Counts, gold: Sequence[int], named: Sequence[int] = ()) -> Sureness:
    """What ``counts`` say of ``gold``, the place of each item's right label.

    ``named``: the places of the labels that the source takes for the majority's; left out, ties
    count by halves (by thirds of three labels, and so on).
    """
    sizes = counts.sum(axis=1)
    rows = counts.tolist()
    whole = ([Fraction(int(one == right)) for one, right in zip(named, gold, strict=True)]
             if len(named) else expected_right(rows, gold, None))
    one = expected_right(rows, gold, 1)
    most = int(sizes.min())
    at, edges = bins_of(counts)
    return Sureness(
        len(rows), int(sizes.sum()), sum(row[right] for row, right in zip(rows, gold, strict=True)),
        (most, int(sizes.max())), sum(row.count(max(row)) > 1 for row in rows),
        sum(map(unclear, rows)), estimate(one),
        {n: estimate(expected_right(rows, gold, n)) for n in (*DRAWN, most) if n <= most},
        estimate(whole), measured_counts(counts),
        tuple(Bin(low, high, int((at == place).sum()), estimate(_inside(one, at, place)),
                  estimate(_inside(whole, at, place)))
              for place, (low, high) in enumerate(pairwise(edges))))


def _inside(values: Sequence[Fraction], at: NDArray[np.int64], place: int) -> list[Fraction]:
    return [value for value, bin_ in zip(values, at.tolist(), strict=True) if bin_ == place]


def entropies(counts: Counts) -> NDArray[np.float64]:
    """Of the answers to each item, in bits: 0 where all are equal, log2 of the number of labels
    where all labels are as frequent."""
    from scipy.stats import entropy

    found: NDArray[np.float64] = entropy(counts, base=2, axis=1)
    return found


def bins_of(counts: Counts) -> tuple[NDArray[np.int64], list[float]]:
    """The bin of each item, from 0, and the edges of the PARTS bins, in bits."""
    edges = np.linspace(0, math.log2(counts.shape[1]), PARTS + 1)
    at = np.searchsorted(edges, entropies(counts) + TIE, side="right") - 1
    return np.clip(at, 0, PARTS - 1), edges.tolist()


def unclear(counts: Sequence[int]) -> bool:
    """Whether people do not say which of the two most frequent labels is right: a two-sided sign
    test between these is not significant at 5 %.

    >>> unclear([60, 40]), unclear([61, 39])
    (True, False)
    """
    most, next_ = sorted(counts, reverse=True)[:2]
    return 2 * coin_tail(next_, most + next_) > ALPHA


def expected_right(rows: Sequence[Sequence[int]], gold: Sequence[int], n: int | None,
                   ) -> list[Fraction]:
    """Of each item, the probability that the majority of ``n`` people gives gold's label.

    They are drawn without replacement from those who answered (a multivariate hypergeometric
    distribution); None: all of them. Of t labels that are equally frequent each is taken with
    probability 1 / t. Exact: all draws are counted.
    """
    return [_expected(tuple(row), right, sum(row) if n is None else n)
            for row, right in zip(rows, gold, strict=True)]


@lru_cache(maxsize=4096)
def _expected(counts: tuple[int, ...], right: int, n: int) -> Fraction:
    ways = Fraction(0)
    for drawn in _draws(counts, n):
        if drawn[right] == max(drawn):
            of = math.prod(math.comb(all_, some) for all_, some in zip(counts, drawn, strict=True))
            ways += Fraction(of, drawn.count(drawn[right]))
    return ways / math.comb(sum(counts), n)


def _draws(counts: tuple[int, ...], n: int) -> Iterator[tuple[int, ...]]:
    """Every way in which ``n`` answers may be divided among the labels."""
    first, *rest = counts
    if not rest:
        yield (n,)
        return
    for some in range(max(0, n - sum(rest)), min(first, n) + 1):
        yield from ((some, *others) for others in _draws(tuple(rest), n - some))


def estimate(values: Sequence[Fraction | float]) -> Estimate:
    """The mean over items: Wilson's interval if all are 0 or 1, else that of a mean."""
    if not values:
        return Estimate(None, 0, none("no items"))
    total, n = sum(values, Fraction(0)), len(values)
    if all(value in (0, 1) for value in values):
        return Estimate(total / n, n, proportion(int(total), n))
    return Estimate(total / n, n, mean([float(value) for value in values]))


class BySureness(NamedTuple):
    """A system's accuracy on items that people are more or less sure of."""

    whole: Estimate
    bins: tuple[Estimate, ...]
    """In the order of the bins."""


def by_sureness(counts: Counts, scores: Mapping[str, Sequence[float]]) -> dict[str, BySureness]:
    """Accuracy of each system, all and by the bins of people's answers.

    ``scores``: of each item 1 where the system's label is gold's, else 0.
    """
    at, edges = bins_of(counts)
    return {system: BySureness(estimate(list(values)), tuple(
        estimate([value for value, bin_ in zip(values, at.tolist(), strict=True) if bin_ == place])
        for place in range(len(edges) - 1))) for system, values in scores.items()}


class FromPeople(NamedTuple):
    """How far a system's probabilities are from people's answers: means over items."""

    jensen_shannon: Estimate
    kullback_leibler: Estimate


def from_people(counts: Counts, probabilities: NDArray[np.float64]) -> FromPeople:
    """As ``statistics.calibration.distances`` defines both."""
    found = distances(counts, probabilities)
    return FromPeople(*(Estimate(float(one.mean()), len(one), mean(one.tolist(), within=(
        0.0, math.inf))) for one in found))
