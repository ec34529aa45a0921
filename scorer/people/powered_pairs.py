"""Whether people find one system better than another, where a judge read what people did not.

Both values are prediction-powered means over the same items, so their difference is a sum over
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

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from scorer.people.prediction_powered import (
    Sums,
    of_others,
    power_tuned,
    powered,
    with_halves,
)
from scorer.statistics import TIE
from scorer.statistics.distributions import t_outside
from scorer.statistics.pairwise import Pairwise


class ReadRow(NamedTuple):
    """What is known of one system's items."""

    people: Mapping[Any, float]
    """The share of people who found the item right, for a random sample of those that passed."""
    judge: Mapping[Any, float]
    """The judge's verdict, 0 or 1, on each item that passed every gate."""


class Verdicts(NamedTuple):
    """The same as arrays; the last axis is the board's items."""

    passed: Any
    read: Any
    """Whether people read it; such an item passed."""
    people: Any
    """0 where they did not."""
    judge: Any
    """0 where the item failed a gate."""

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
    near, residual = with_halves(sums, tuned.weight)
    share = (sums.n + sums.others) / items
    variance = share**2 * (residual / (sums.n - 2) + of_others(sums, tuned.weight))
    variance = variance + near**2 * share * (1 - share) / items
    return Side(sums.n, share * near, variance, _parts(found, sums, tuned.weight, share))


def _parts(found: Verdicts, sums: Sums, weight: Any, share: Any) -> Any:
    """An item that passed adds that it passed; beside that, what people and the judge say if people
    read it, else what the judge alone says."""
    each = [np.expand_dims(one, -1) for one in (
        weight, share, sums.n, np.maximum(sums.others, 1), (sums.y - weight * sums.f) / sums.n,
        sums.g / np.maximum(sums.others, 1), power_tuned(sums, weight).value)]
    weight, share, n, others, residual, judged, value = each
    of_read = found.read * (found.people - weight * found.judge - residual) / n
    of_rest = weight * (found.passed & ~found.read) * (found.judge - judged) / others
    return (found.passed - share) * value / found.passed.shape[-1] + share * (of_read + of_rest)


def t_of(one: Side, other: Side) -> Any:
    """How many standard errors of their difference the first value is above the second."""
    shared = (one.parts * other.parts).sum(axis=-1)
    variance = np.maximum(one.variance + other.variance - 2 * shared, 1e-12)
    return (one.value - other.value) / np.sqrt(variance)


def compared(rows: Mapping[str, ReadRow], items: Sequence[Hashable]) -> Pairwise:
    """Every two systems on the same ``items``.

    People must have read at least FEWEST_VERIFIED items of each. ``wins`` are counted on items that
    people read for both systems, where an item that failed a gate is read and not right.
    """
    names = list(rows)
    arrays = [_verdicts(rows[name], items) for name in names]
    values = np.array([powered(rows[name].people, rows[name].judge, len(items)).value
                       for name in names], dtype=float)
    sides = [side(one) for one in arrays]
    known_values = [np.array(known(rows[name], items)) for name in names]
    ahead = values[:, None] - values[None, :] > TIE
    p, wins = np.ones(ahead.shape), np.zeros(ahead.shape, dtype=np.int64)
    for i, one in enumerate(sides):
        for j, other in enumerate(sides):
            wins[i, j] = (known_values[i] - known_values[j] > TIE).sum()
            if ahead[i, j]:
                p[i, j] = p[j, i] = _p(float(t_of(one, other)), int(min(one.n, other.n)) - 2)
    return Pairwise(tuple(names), len(items), "prediction-powered", values, wins, p, ahead)


def known(row: ReadRow, items: Sequence[Hashable]) -> list[float]:
    """What is known of each item: what people said, 0 where it failed a gate, else NaN."""
    found = _verdicts(row, items)
    known_values: list[float] = np.where(found.read | ~found.passed, found.people, np.nan).tolist()
    return known_values


def _p(t: float, df: int) -> float:
    """1 where the half observations turn the order round."""
    return t_outside(df, t) if t > 0 else 1.0


def _verdicts(row: ReadRow, items: Sequence[Hashable]) -> Verdicts:
    return Verdicts(
        np.array([item in row.judge for item in items]),
        np.array([item in row.people for item in items]),
        np.array([row.people.get(item, 0.0) for item in items]),
        np.array([row.judge.get(item, 0.0) for item in items]))
