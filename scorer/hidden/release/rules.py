"""The rules of release, each by itself: rounding, how often, what is a probe, what is better."""

from __future__ import annotations

import datetime
import math
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.hidden.release.history import HistoryEntry

Views = Mapping[str, Sequence[Hashable]]
"""View name -> one value a row, all of the same length and in the order of the split.

Rows are compared in several views, because a probe may hide in another: to learn the label of one
row somebody changes that label, and a space in every graph. A view needs no gold: the whole row,
the label, the label of rows whose graph is sound, the row as metrics read it.
"""

WHOLE = "row"
"""The view of whole rows; equal files are near-duplicates, equal labels alone are not."""
CONTENT = "content"
"""The view of rows as metrics read them; if all are equal there, the submissions are the same."""


def _width(grid: str, highest: float) -> Fraction:
    return Fraction(grid) / 100 * Fraction(highest)


def step(grid: str, highest: float = 1.0) -> float:
    """A grid in the unit of a metric whose greatest value is ``highest``.

    >>> step("0.5"), step("0.5", 10.0)
    (0.005, 0.05)
    """
    return float(_width(grid, highest))


def rounded(value: float, grid: str, highest: float = 1.0) -> float:
    """The multiple of the grid nearest to ``value``, ties upwards, as the float nearest to it.

    ``value``: in the metric's unit, finite; taken as the simple fraction it stands for, so that
    261 / 400 is a tie. ``grid``: a step in points, hundredths of ``highest``, the metric's greatest
    value. Raises ValueError for no finite number.

    >>> rounded(261 / 400, "0.5"), rounded(0.6524, "0.5"), rounded(1 / 3, "2.5")
    (0.655, 0.65, 0.325)
    >>> rounded(6.524, "0.5", 10.0)
    6.5
    """
    if not math.isfinite(value):
        raise ValueError("only a finite number can be rounded")
    width = _width(grid, highest)
    exact = Fraction(value).limit_denominator(10**9)
    return float(math.floor(exact / width + Fraction(1, 2)) * width)


def release_days(entries: Sequence[HistoryEntry], days: int) -> list[datetime.date]:
    """For each entry the day of its release: its merge, or ``days`` after its owner's last one.

    ``entries``: in the order of the merges. An owner's submissions wait in a queue; nothing is
    lost. Every entry depends on its owner's earlier ones only.
    """
    last: dict[int, datetime.date] = {}
    found = []
    for entry in entries:
        day = entry.day
        if entry.owner in last:
            day = max(day, last[entry.owner] + datetime.timedelta(days=days))
        last[entry.owner] = day
        found.append(day)
    return found


def distance(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """In how many rows two views differ (Hamming)."""
    return sum(a != b for a, b in zip(one, other, strict=True))


def is_near(one: Views, other: Views, percent: int) -> bool:
    """Whether in some view fewer than ``percent`` of the rows differ, but at least one.

    For whole rows and their content also if none does. ``percent`` 0: never.

    >>> is_near({"row": "abcd" * 50}, {"row": "abcd" * 49 + "abxx"}, 1)
    False
    >>> is_near({"row": "abcd" * 50}, {"row": "abcd" * 49 + "abcx"}, 1)
    True
    """
    for name, rows in one.items():
        differ = distance(rows, other[name])
        few = Fraction(differ) < Fraction(percent * len(rows), 100)
        if few and (differ > 0 or name in (WHOLE, CONTENT)):
            return True
    return False


def first_near(views: Views, earlier: Sequence[Views], percent: int) -> int | None:
    """The position of the first earlier submission that this one is near to, or None."""
    near = (at for at, other in enumerate(earlier) if is_near(views, other, percent))
    return next(near, None)


def is_better(scores: NDArray[Any], best: NDArray[Any]) -> Any:
    """Whether scores are significantly better than the best so far: the Ladder's rule.

    Blum and Hardt 2015 (arXiv 1502.04585), the parameter-free form, reference code
    mrtzh/Ladder.jl, src/Ladder.jl: a submission is better if its mean exceeds the best one's by
    more than s / sqrt(n), s the sample standard deviation of the n paired differences. Deviation:
    where it is not better the paper repeats the old value; here no value is shown, because a row is
    one system's.

    ``scores``, ``best``: one number an item in the last axis, n >= 2, higher is better; further
    axes are independent comparisons. Returns a boolean of the remaining axes' shape.

    With the differences' sum S and sum of squares Q, mean > s / sqrt(n) is S > 0 and S**2 > Q. The
    sums are of multiples of 2**-20, exact up to some thousand items: one item more is a tie, never
    an improvement.

    >>> bool(is_better(np.array([1, 1, 1, 0.0]), np.array([0, 0, 1, 0.0])))
    True
    >>> bool(is_better(np.array([1, 0, 1, 0.0]), np.array([0, 0, 1, 0.0])))
    False
    """
    gain = np.rint(np.ldexp(np.asarray(scores, np.float64) - best, 20))
    total = gain.sum(-1)
    return (total > 0) & (total**2 > (gain**2).sum(-1))
