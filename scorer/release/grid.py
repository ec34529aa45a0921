"""Rounding to the grid of released values: exact, and the same on every machine."""

from __future__ import annotations

import math
from fractions import Fraction


def step(grid: str) -> float:
    """A grid in the metric's unit.

    >>> step("0.5")
    0.005
    """
    return float(Fraction(grid) / 100)


def rounded(value: float, grid: str) -> float:
    """The multiple of the grid nearest to ``value``, ties upwards, as the float nearest to it.

    ``value``: in the metric's unit, finite; taken as the simple fraction it stands for, so that
    261 / 400 is a tie. ``grid``: a step in points. Raises ValueError for no finite number.

    >>> rounded(261 / 400, "0.5"), rounded(0.6524, "0.5"), rounded(1 / 3, "2.5")
    (0.655, 0.65, 0.325)
    """
    if not math.isfinite(value):
        raise ValueError("only a finite number can be rounded")
    width = Fraction(grid) / 100
    exact = Fraction(value).limit_denominator(10**9)
    return float(math.floor(exact / width + Fraction(1, 2)) * width)
