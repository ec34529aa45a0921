"""Student's t and the fair coin, in plain Python.

``scipy.special`` has both, but importing it takes as long as scoring a submission. Formulas:
M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions", 1964, chapter 26.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

_LARGE = 1_000
"""From so many degrees of freedom on, the expansion about the normal distribution is exact to
1e-14; below, the sum has few terms."""
_STEPS = 20
"""Newton's method takes four or five."""


@cache
def t_quantile(df: int, p: float) -> float:
    """The value that Student's t with ``df`` degrees of freedom exceeds with probability 1 - ``p``.

    ``df``: 1 or more. ``p``: more than .5, less than 1. To a relative error of 1e-12.

    >>> round(t_quantile(9, 0.975), 6), round(t_quantile(397, 0.975), 6)
    (2.262157, 1.965957)
    """
    guess = _t_near_normal(df, p)
    if df >= _LARGE:
        return guess
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi * df)
    value = math.tan(math.pi * (p - 0.5)) if df < 5 else guess
    for _ in range(_STEPS):
        density = scale * (1 + value * value / df) ** (-(df + 1) / 2)
        step = (_t_within(df, value) / 2 + 0.5 - p) / density
        value = max(value / 2, value - step)
        if abs(step) <= 1e-14 * value:
            break
    return value


def t_outside(df: int, value: float) -> float:
    """The probability of a t with ``df`` degrees of freedom, 1 or more, as far from 0 as ``value``,
    to an absolute error of 1e-15.

    >>> round(t_outside(9, -2.262157), 6)
    0.05
    """
    return max(0.0, 1 - _t_within(df, abs(value)))


def _t_near_normal(df: int, p: float) -> float:
    """26.7.5: four terms beyond the normal quantile; the error is of order ``df`` ** -5."""
    x = NormalDist().inv_cdf(p)
    y = x * x
    terms = (
        x,
        x * (y + 1) / 4,
        x * ((5 * y + 16) * y + 3) / 96,
        x * (((3 * y + 19) * y + 17) * y - 15) / 384,
        x * ((((79 * y + 776) * y + 1482) * y - 1920) * y - 945) / 92_160,
    )
    return sum(term / math.pow(df, power) for power, term in enumerate(terms))


def _t_within(df: int, value: float) -> float:
    """26.7.3 and 26.7.4: the probability of a t between -``value`` and ``value``."""
    angle = math.atan2(value, math.sqrt(df))
    square = math.cos(angle) ** 2
    odd = df % 2
    term = math.cos(angle) if odd else 1.0
    terms = []
    for index in range(df // 2):
        terms.append(term)
        term *= square * (2 * index + 1 + odd) / (2 * index + 2 + odd)
    series = math.sin(angle) * math.fsum(terms)
    return 2 / math.pi * (angle + series) if odd else series


def coin_tail(heads: int, tosses: int) -> float:
    """The probability of at most so many heads when a fair coin is tossed.

    >>> coin_tail(1, 4) == (1 + 4) / 2**4
    True
    """
    ways, total = 1, 0
    for count in range(heads + 1):
        total += ways
        ways = ways * (tosses - count) // (count + 1)
    return total / (1 << tosses)
