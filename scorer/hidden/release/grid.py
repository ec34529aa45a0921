"""Rounding to the grid of released values: exact, and the same on every machine."""

from __future__ import annotations

import math
from fractions import Fraction


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
