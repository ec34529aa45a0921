"""Intervals of one value, and standard errors that take dependent items together.

Which one: Wilson for a proportion, t for the mean of other per-item scores, or both together where
nearly all of these are the worst there is; percentile bootstrap for a ratio whose denominator
varies. They speak of new items of the same topics, never of another
sample of topics, another gold or another judge. Bounds are rounded to 1e-6: below that, versions of
the numerical libraries differ.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.core.records import NORMAL, Share
from scorer.core.results import Interval, Method
from scorer.statistics import LEVEL, TIE

RESAMPLES = 1_999
SEED = 20_240_501
"""Fixed, so that the same items always give the same bytes."""
FEW = 0.25
"""t is too narrow where no more than this share of the scores is away from one end."""
FEWEST_PASSED = 30
"""Then one resample in e^30 has an empty denominator."""
DIGITS = 6

METHODS = {"wilson": "Wilson", "t": "Student's t", "wilson-t": "Wilson times t",
           "bootstrap": "bootstrap", "bonett-price": "Bonett and Price",
           "effective-wilson": "Wilson, of as many verdicts by people as both are worth"}
"""What people call the methods of intervals."""
ITEMS_ONLY = "items only: another judge would give another value"
WEIGHTS_KEPT = "with the weights that words have in this split"


class Clustered(NamedTuple):
    """A standard error of a mean whose items come in clusters."""

    se: float | None
    """None where there are fewer than two clusters."""
    clusters: int


def none(because: str) -> Interval:
    """No interval, and why."""
    return Interval(low=None, high=None, method="none", note=because, level=LEVEL)


def proportion(successes: int, n: int, note: str = "") -> Interval:
    """Wilson's interval of ``successes`` of ``n``.

    >>> proportion(174, 400)
    Interval(low=0.387263, high=0.483974, method='wilson', note='', level=0.95)
    """
    bounds = Share(successes, n).interval
    return none("no items") if bounds is None else made(*bounds, "wilson", note)


def mean(values: Sequence[float], note: str = "", within: tuple[float, float] = (0.0, 1.0),
         ) -> Interval:
    """The interval of a mean, within ``within``, where every metric's scores lie.

    None where all values are equal: the sample says nothing about how far others may lie. t, but
    Wilson's times t where no more than FEW of the items are away from the same end of the range.
    """
    if len(values) < 2:
        return none("fewer than two items")
    scores = np.asarray(values, dtype=float)
    if np.ptp(scores) <= TIE:
        return none("every item has the same score")
    low, high = within
    if low <= scores.min() and scores.max() <= high:
        for end, sign in ((low, 1), (high, -1)):
            away = np.abs(scores - end)
            if (away > TIE).mean() <= FEW:
                limit, other = (end + sign * bound for bound in _of_few(away, high - low))
                return made(min(limit, other), max(limit, other), "wilson-t", note)
    return t_interval(scores, note, within)


def _of_few(scores: NDArray[np.float64], highest: float) -> tuple[float, float]:
    """Bounds of the mean of scores of which few are above 0, but some; none is above ``highest``.

    The mean is a product: the share of the scores above 0, p in Wilson's interval [l, u], times
    their mean m in its interval [L, U]. The bounds of the product are those of a sum of logarithms
    (Zou and Donner: Construction of confidence limits about effect measures. Statistics in
    Medicine 27, 2008)::

        p m exp(-sqrt(log(p / l)^2 + log(m / L)^2)),  p m exp(sqrt(log(u / p)^2 + log(U / m)^2))
    """
    above = scores[scores > TIE]
    share = Share(len(above), len(scores))
    (low, high), p, m = share.interval or (0.0, 1.0), share.value or 0.0, float(above.mean())
    least, most = _of_skewed(above)
    least, most = max(0.0, least), min(highest, most)
    down = math.hypot(math.log(p / low), math.log(m / least)) if least else math.inf
    up = math.hypot(math.log(high / p), math.log(most / m))
    return p * m * math.exp(-down), min(highest, p * m * math.exp(up))


def _of_skewed(values: NDArray[np.float64]) -> tuple[float, float]:
    """Bounds of the mean of some values: t, corrected for skew where there are three or more.

    With g the skewness over sqrt(n), Hall's transformation of t is the cubic
    ((1 + g t / 3)^3 - 1) / g + g / 6, which is turned round here. P. Hall: On the removal of
    skewness by transformation. Journal of the Royal Statistical Society B 54, 1992.
    """
    n, m = len(values), float(values.mean())
    if n < 2:
        return -math.inf, math.inf
    if np.ptp(values) == 0:
        return m, m
    limit, error = t_factor(n), float(values.std(ddof=1)) / math.sqrt(n)
    g = float(((values - m) ** 3).mean()) / float(values.std()) ** 3 / math.sqrt(n)
    if n < 3 or abs(g) < TIE:
        return m - error * limit, m + error * limit
    low, high = (m - error * (math.cbrt(1 + g * (t - g / 6)) - 1) * 3 / g for t in (limit, -limit))
    return low, high


def t_interval(scores: NDArray[np.float64], note: str = "",
               within: tuple[float, float] = (-math.inf, math.inf)) -> Interval:
    """The t interval of the mean of two or more values that are not all equal."""
    margin = t_factor(len(scores)) * float(scores.std(ddof=1)) / math.sqrt(len(scores))
    middle = float(scores.mean())
    return made(max(within[0], middle - margin), min(within[1], middle + margin), "t", note)


def ratio(numerators: Sequence[float], denominators: Sequence[float], note: str = "") -> Interval:
    """Percentile bootstrap of sum(numerators) / sum(denominators), items resampled together.

    For a mean over the items that passed: ``denominators`` is 1 for those, else 0, and
    ``numerators`` is their score, else 0.
    """
    top, bottom = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    inside = bottom != 0
    if inside.sum() < FEWEST_PASSED:
        return none(f"fewer than {FEWEST_PASSED} items passed")
    if np.ptp(top[inside] / bottom[inside]) == 0:
        return none("every item that passed has the same score")
    drawn, n = np.random.default_rng(SEED), len(top)
    width = max(1, 1_000_000 // n)
    blocks = []
    for start in range(0, RESAMPLES, width):
        resamples = drawn.integers(0, n, (min(width, RESAMPLES - start), n))
        blocks.append(top[resamples].sum(axis=1) / bottom[resamples].sum(axis=1))
    return made(*percentiles(np.concatenate(blocks)), "bootstrap", note)


def percentiles(values: NDArray[np.float64]) -> tuple[float, float]:
    """The percentile interval of resampled values, each bound by a line between the nearest two.

    ``np.quantile`` gives the same, and imports numpy's masked arrays for it.
    """
    ordered = np.sort(values)
    positions = np.array([1 - LEVEL, 1 + LEVEL]) / 2 * (len(ordered) - 1)
    low, high = np.interp(positions, np.arange(len(ordered)), ordered).tolist()
    return low, high


def clustered(values: Sequence[float], clusters: Sequence[Hashable]) -> Clustered:
    """Liang and Zeger's standard error of the mean (CR0), with the factor G / (G - 1).

    With n items x in G clusters g and residuals e = x - mean(x)::

        se^2 = G / (G - 1) * sum over g of (sum of e in g)^2 / n^2

    With one item a cluster this is the usual s / sqrt(n). Liang and Zeger: Longitudinal data
    analysis using generalized linear models. Biometrika 73, 1986.
    """
    indexes = {key: index for index, key in enumerate(dict.fromkeys(clusters))}
    if len(indexes) < 2:
        return Clustered(None, len(indexes))
    scores = np.asarray(values, dtype=float)
    sums = np.zeros(len(indexes))
    np.add.at(sums, [indexes[key] for key in clusters], scores - scores.mean())
    factor = len(indexes) / (len(indexes) - 1)
    se = math.sqrt(factor * float((sums**2).sum())) / len(scores)
    return Clustered(round(se, DIGITS), len(indexes))


def of_items(values: Sequence[float], *, binary: bool, note: str = "", highest: float = 1.0,
             ) -> Interval:
    """The interval of a metric's value from the scores of all items; none is above ``highest``."""
    if binary:
        return proportion(round(sum(values)), len(values), note)
    return mean(values, note, (0.0, highest))


def of_passed(values: Sequence[float], passed: Sequence[bool], note: str = "") -> Interval:
    """The interval of the mean over the items that passed every gate, a ratio."""
    inside = [value if ok else 0.0 for value, ok in zip(values, passed, strict=True)]
    return ratio(inside, [float(ok) for ok in passed], note)


def of_value(value: float, n: int, *, binary: bool, source: str) -> Interval:
    """The interval of a value of which nothing else is known: released, or published elsewhere.

    ``value``: in the metric's unit, 0 to 1. ``source``: where it is from, such as ``the released
    value``. Only a proportion has one: the nearest count of ``n`` is taken.

    >>> of_value(0.435, 400, binary=True, source="the published value").note
    'from the published value, as 174 of 400'
    """
    if not binary:
        return none(f"{source} alone does not say how items differ")
    count = min(n, max(0, round(value * n)))
    return proportion(count, n, f"from {source}, as {count} of {n}")


def made(low: float, high: float, method: Method, note: str = "") -> Interval:
    """An interval with bounds rounded as all are."""
    return Interval(low=round(float(low), DIGITS), high=round(float(high), DIGITS), method=method,
                    note=note, level=LEVEL)


# ---- Student's t in plain Python ---------------------------------------------------------------
#
# ``scipy.special`` has it, but importing that takes as long as scoring a submission. Formulas:
# M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions", 1964, chapter 26.

_STEPS = 20
"""Newton's method takes four to six."""


@cache
def t_factor(n: int) -> float:
    """How many standard errors a two-sided t interval of ``n`` values, two or more, reaches.

    That is what a t with n - 1 degrees of freedom exceeds with probability .025, to a relative
    error of 1e-11.

    >>> round(t_factor(10), 6), round(t_factor(398), 6)
    (2.262157, 1.965957)
    """
    df = n - 1
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(math.pi * df)
    value = math.tan(math.pi * LEVEL / 2) if df < 5 else NORMAL
    for _ in range(_STEPS):
        density = scale * (1 + value * value / df) ** (-(df + 1) / 2)
        step = (_t_within(df, value) - LEVEL) / 2 / density
        value = max(value / 2, value - step)
        if abs(step) <= 1e-12 * value:
            break
    return value


def t_outside(df: int, value: float) -> float:
    """The probability of a t with ``df`` degrees of freedom, 1 or more, as far from 0 as ``value``,
    to an absolute error of 1e-15.

    >>> round(t_outside(9, -2.262157), 6)
    0.05
    """
    return max(0.0, 1 - _t_within(df, abs(value)))


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
