"""Prediction-powered mean: a judge's verdicts on all items, corrected by people's on a sample.

The judge may be wrong as often as it likes, and wrong about one system more often than about
another: what it gets wrong is estimated on the items that people read, and taken out. It only
decides how narrow the interval is. The value is the power-tuned mean of A. Angelopoulos, J. Duchi
and T. Zrnic: PPI++: Efficient Prediction-Powered Inference, 2023. With y people's verdicts and f
the judge's on a random sample of n items, and f on the other N::

    value = mean(y) + w * (mean(f of the others) - mean(f of the sample))
    w = cov(y, f) / ((1 + n / N) * var(f)), within 0 and 1
    se^2 = var(y - w f) / n + w^2 * var(f of the others) / N

A judge that knows nothing gets the weight 0, and people's mean is left. The usual interval, 1.96 se
to both sides, is too narrow with few labels and near 0 or 1: a judge that was right on all of fifty
items is not always right. So the interval is Wilson's of as many people's verdicts as are worth the
same, with t for n - 2, after HALF an observation is added for each of the four ways in which both
can judge. benchmarks/bench_annotations.py has how often both intervals hold the truth.

Items that failed a gate are 0 for the judge and for people alike, and nobody needs to read them.

Of two systems, both values are such means over the same items, so their difference is a sum over
items too: an item adds what it adds to the one value less what it adds to the other. The sum of
the squares of these parts estimates the difference's variance, whichever of the items people read
for one system, for both or for none, and however alike the systems' mistakes and the judge's are.

Fifty items that a judge was right on do not make it infallible, so each value's own variance is
taken as its interval takes it, with half an observation for each of the four ways in which both can
judge, over n - 2, and the difference between the values so shifted is compared with t for n - 2 of
the system of which people read fewer. Without that, equal systems are told apart in up to 10 % of
samples with fifty verified items; with it in at most 5 % (benchmarks/bench_annotations.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from scorer.core.records import Share
from scorer.people.documents import Powered, limits
from scorer.statistics import TIE
from scorer.statistics.intervals import made, none, t_factor, t_outside
from scorer.statistics.ranks import Pairwise

HALF = 0.5
FEWEST_VERIFIED = 10
"""With fewer verdicts by people there is no value."""


class Sums(NamedTuple):
    """What the estimate needs to know of verdicts; numbers, or arrays of one shape."""

    n: Any
    """Items that people read."""
    y: Any
    """The sum of people's verdicts, each 0 to 1."""
    yy: Any
    """Of their squares."""
    f: Any
    """Of the judge's on the same items."""
    ff: Any
    yf: Any
    """Of both verdicts' products."""
    others: Any
    """Items that the judge alone read."""
    g: Any
    """The sum of its verdicts on those."""
    gg: Any


class Tuned(NamedTuple):
    """A power-tuned mean."""

    value: Any
    """May lie a little outside of 0 to 1."""
    weight: Any
    """Of the judge's verdicts, 0 to 1."""
    variance: Any


def power_tuned(sums: Sums, weight: Any = None) -> Tuned:
    """The power-tuned mean; with a ``weight`` of 0, people's mean alone.

    ``n`` must be 1 or more. Where no others are left, the weight is 0.
    """
    n, others = sums.n, np.maximum(sums.others, 1)
    if weight is None:
        covariance = sums.yf / n - sums.y * sums.f / n**2
        total, seen = sums.f + sums.g, n + sums.others
        variance = (sums.ff + sums.gg - total**2 / seen) / np.maximum(seen - 1, 1)
        usable = (variance > 1e-12) & (sums.others > 0)
        best = covariance * sums.others / (seen * np.where(usable, variance, 1))
        weight = np.where(usable, np.clip(best, 0, 1), 0.0)
    value = sums.y / n + weight * (sums.g / others - sums.f / n)
    return Tuned(value, weight, _residual(sums, weight) / n + _of_others(sums, weight))


def _residual(sums: Sums, weight: Any) -> Any:
    """The variance of people's verdicts less the weighted judge's."""
    mean = (sums.y - weight * sums.f) / sums.n
    squares = sums.yy - 2 * weight * sums.yf + weight**2 * sums.ff
    return np.maximum(squares / sums.n - mean**2, 0)


def _of_others(sums: Sums, weight: Any) -> Any:
    """The variance that comes from the items that the judge alone read."""
    others = np.maximum(sums.others, 1)
    return weight**2 * np.maximum(sums.gg / others - (sums.g / others) ** 2, 0) / others


def _cautious(sums: Sums, items: Any, weight: Any, divisor: Any) -> tuple[Any, Any]:
    """The value over all ``items`` and its variance, with HALF an observation more for each of the
    four ways in which both can judge.

    All but ``n + others`` of the items count 0; how many do is a sample as well. ``divisor``: of
    the variance of people's verdicts.
    """
    more = sums._replace(
        n=sums.n + 4 * HALF, y=sums.y + 2 * HALF, yy=sums.yy + 2 * HALF, f=sums.f + 2 * HALF,
        ff=sums.ff + 2 * HALF, yf=sums.yf + HALF)
    least = HALF / more.n
    near = np.clip(power_tuned(more, weight).value, least, 1 - least)
    share = (sums.n + sums.others) / items
    variance = share**2 * (_residual(more, weight) / divisor + _of_others(sums, weight))
    return share * near, variance + near**2 * share * (1 - share) / items


def bounds(sums: Sums, items: Any, weight: Any = None) -> tuple[Any, Any, Any]:
    """The value over all ``items``, and the interval's bounds, each 0 to 1."""
    tuned = power_tuned(sums, weight)
    value = (sums.n + sums.others) / items * np.clip(tuned.value, 0, 1)
    near, variance = _cautious(sums, items, tuned.weight, sums.n)
    sizes, indices = np.unique(sums.n, return_inverse=True)
    quantiles = np.array([t_factor(int(size) - 1) for size in sizes])
    square = quantiles[indices].reshape(np.shape(sums.n))**2 * variance / (near * (1 - near))
    middle = (value + square / 2) / (1 + square)
    half = np.sqrt(square * (value * (1 - value) + square / 4)) / (1 + square)
    return value, np.maximum(middle - half, 0), np.minimum(middle + half, 1)


def powered(people: Mapping[Any, float], judge: Mapping[Any, float], items: int,
            weight: float | None = None) -> Powered:
    """The prediction-powered value of one row.

    ``judge``: its verdict, 0 or 1, on each of the items that passed every gate. ``people``: the
    share of people who found the item right, 0 to 1, for a random sample of those. ``items``: how
    many items there are. ``weight``: 0 for what people's verdicts alone say, whatever the judge's.
    Raises KeyError for an item that the judge did not read.
    """
    if unread := people.keys() - judge.keys():
        raise KeyError(*unread)
    value, used = None, 0.0
    interval = none(f"fewer than {FEWEST_VERIFIED} verdicts by people")
    if not judge:
        value, bound = 0.0, Share(0, items).interval or (0.0, 1.0)
        interval = made(*bound, "wilson", "no item passed every gate")
    elif len(people) >= FEWEST_VERIFIED:
        sums = Verdicts.of(people, judge, [*judge]).sums
        value, low, high = map(float, bounds(sums, items, weight))
        interval = made(low, high, "effective-wilson")
        used = float(power_tuned(sums, weight).weight)
    return Powered(value=value, **limits(interval), weight=used, verified=len(people),
                   passed=len(judge), items=items)


# ---- two systems -------------------------------------------------------------------------------

class Verdicts(NamedTuple):
    """What is known of one system's items, as arrays; the last axis is the board's items."""

    passed: Any
    read: Any
    """Whether people read it; such an item passed."""
    people: Any
    """0 where they did not."""
    judge: Any
    """0 where the item failed a gate."""

    @classmethod
    def of(cls, people: Mapping[Any, float], judge: Mapping[Any, float], items: Sequence[Any],
           ) -> Verdicts:
        """Those of ``items``; ``people`` and ``judge`` as ``powered`` takes them."""
        return cls(np.array([item in judge for item in items], dtype=bool),
                   np.array([item in people for item in items], dtype=bool),
                   np.array([people.get(item, 0.0) for item in items], dtype=float),
                   np.array([judge.get(item, 0.0) for item in items], dtype=float))

    @property
    def known(self) -> list[float]:
        """Of each item: what people said, 0 where it failed a gate, else NaN."""
        values: list[float] = np.where(self.read | ~self.passed, self.people, np.nan).tolist()
        return values

    @property
    def sums(self) -> Sums:
        """The sums that the estimate needs."""
        f, g = self.judge * self.read, self.judge * (self.passed & ~self.read)
        others = (self.passed & ~self.read).sum(axis=-1)
        return Sums(self.read.sum(axis=-1), self.people.sum(axis=-1), (self.people**2).sum(axis=-1),
                    f.sum(axis=-1), (f * f).sum(axis=-1), (self.people * f).sum(axis=-1),
                    others, g.sum(axis=-1), (g * g).sum(axis=-1))


class Side(NamedTuple):
    """One of two values that are compared."""

    n: Any
    """Items that people read, 3 or more."""
    value: Any
    """Over all items, with the half observations."""
    variance: Any
    parts: Any
    """What each item adds to the error of the value."""


def side(found: Verdicts) -> Side:
    """One system's side of every comparison."""
    sums, items = found.sums, found.passed.shape[-1]
    tuned = power_tuned(sums)
    value, variance = _cautious(sums, items, tuned.weight, sums.n - 2)
    # An item that passed adds that it passed; beside that, what people and the judge say if people
    # read it, else what the judge alone says.
    others = np.maximum(sums.others, 1)
    n, weight, mean, share, of_read, of_rest, count = (np.expand_dims(number, -1) for number in (
        sums.n, tuned.weight, tuned.value, (sums.n + sums.others) / items,
        (sums.y - tuned.weight * sums.f) / sums.n, sums.g / others, others))
    read = found.read * (found.people - weight * found.judge - of_read) / n
    rest = weight * (found.passed & ~found.read) * (found.judge - of_rest) / count
    return Side(sums.n, value, variance,
                (found.passed - share) * mean / items + share * (read + rest))


def t_of(first: Side, other: Side) -> Any:
    """How many standard errors of their difference the first value is above the second."""
    shared = (first.parts * other.parts).sum(axis=-1)
    variance = np.maximum(first.variance + other.variance - 2 * shared, 1e-12)
    return (first.value - other.value) / np.sqrt(variance)


def compared(rows: Mapping[str, Verdicts], means: Mapping[str, float]) -> Pairwise:
    """Every two systems on the same items.

    ``means``: the values of ``powered``. People must have read at least FEWEST_VERIFIED items of
    each. ``wins`` are counted on items that people read for both systems, where an item that failed
    a gate is read and not right.
    """
    names = list(rows)
    values = np.array([means[name] for name in names], dtype=float)
    sides = [side(row) for row in rows.values()]
    known = [np.array(row.known) for row in rows.values()]
    ahead = values[:, None] - values[None, :] > TIE
    p, wins = np.ones(ahead.shape), np.zeros(ahead.shape, dtype=np.int64)
    for i, first in enumerate(sides):
        for j, other in enumerate(sides):
            wins[i, j] = (known[i] - known[j] > TIE).sum()
            if ahead[i, j]:
                t = float(t_of(first, other))  # not above 0 where half observations turn the order
                p[i, j] = p[j, i] = t_outside(int(min(first.n, other.n)) - 2, t) if t > 0 else 1.0
    items = len(known[0]) if known else 0
    return Pairwise(tuple(names), items, "prediction-powered", values, wins, p, ahead)
