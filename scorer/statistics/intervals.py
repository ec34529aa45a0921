"""Intervals of one value, standard errors that take dependent items together, and the band that a
judge's errors make.

Which one: Wilson for a proportion, t for the mean of other per-item scores, percentile bootstrap
for a ratio whose denominator varies. They speak of new items of the same topics, never of another
sample of topics, another gold or another judge. Bounds are rounded to 1e-6: below that, versions of
the numerical libraries differ.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from scorer.models.judge_card import GOLD, INCORRECT, REFUSED, Card, Share
from scorer.records import Interval
from scorer.statistics import LEVEL

RESAMPLES = 1_999
SEED = 20_240_501
"""Fixed, so that the same items always give the same bytes."""
FEWEST_PASSED = 30
"""Then one resample in e^30 has an empty denominator."""
DIGITS = 6

ITEMS_ONLY = "items only: another judge would give another value"
WEIGHTS_KEPT = "with the weights that words have in this split"


class Clustered(NamedTuple):
    """A standard error of a mean whose items come in clusters."""

    se: float | None
    """None where there are fewer than two clusters."""
    clusters: int


def none(because: str) -> Interval:
    """No interval, and why."""
    return Interval(None, None, "none", because, LEVEL)


def proportion(successes: int, n: int, note: str = "") -> Interval:
    """Wilson's interval of ``successes`` of ``n``.

    >>> proportion(174, 400)
    Interval(low=0.387263, high=0.483974, method='wilson', note='', level=0.95)
    """
    from scipy.stats import binomtest

    if n == 0:
        return none("no items")
    found = binomtest(successes, n).proportion_ci(LEVEL, method="wilson")
    return made(found.low, found.high, "wilson", note)


def mean(values: Sequence[float], note: str = "", within: tuple[float, float] = (0.0, 1.0),
         ) -> Interval:
    """The t interval of a mean, cut to ``within``, where every metric's scores lie.

    None where all values are equal: the sample says nothing about how far others may lie.
    """
    if len(values) < 2:
        return none("fewer than two items")
    scores = np.asarray(values, dtype=float)
    if np.ptp(scores) == 0:
        return none("every item has the same score")
    reach = t_factor(len(scores)) * float(scores.std(ddof=1)) / math.sqrt(len(scores))
    middle = float(scores.mean())
    return made(max(within[0], middle - reach), min(within[1], middle + reach), "t", note)


def ratio(numerators: Sequence[float], denominators: Sequence[float], note: str = "") -> Interval:
    """Percentile bootstrap of sum(numerators) / sum(denominators), items resampled together.

    For a mean over the items that passed: ``denominators`` is 1 for those, else 0, and
    ``numerators`` is their score, else 0.
    """
    from scipy.stats import bootstrap

    top, bottom = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    inside = bottom != 0
    if inside.sum() < FEWEST_PASSED:
        return none(f"fewer than {FEWEST_PASSED} items passed")
    if np.ptp(top[inside] / bottom[inside]) == 0:
        return none("every item that passed has the same score")
    found = bootstrap(
        (top, bottom), lambda a, b, axis: a.sum(axis=axis) / b.sum(axis=axis), paired=True,
        vectorized=True, n_resamples=RESAMPLES, batch=max(1, 1_000_000 // len(top)),
        confidence_level=LEVEL, method="percentile", random_state=np.random.default_rng(SEED),
    ).confidence_interval
    return made(found.low, found.high, "bootstrap", note)


def clustered(values: Sequence[float], clusters: Sequence[Hashable]) -> Clustered:
    """Liang and Zeger's standard error of the mean (CR0), with the factor G / (G - 1).

    With n items x in G clusters g and residuals e = x - mean(x)::

        se^2 = G / (G - 1) * sum over g of (sum of e in g)^2 / n^2

    With one item a cluster this is the usual s / sqrt(n). Liang and Zeger: Longitudinal data
    analysis using generalized linear models. Biometrika 73, 1986.
    """
    places = {key: place for place, key in enumerate(dict.fromkeys(clusters))}
    if len(places) < 2:
        return Clustered(None, len(places))
    scores = np.asarray(values, dtype=float)
    sums = np.zeros(len(places))
    np.add.at(sums, [places[key] for key in clusters], scores - scores.mean())
    factor = len(places) / (len(places) - 1)
    se = math.sqrt(factor * float((sums**2).sum())) / len(scores)
    return Clustered(round(se, DIGITS), len(places))


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


def t_factor(n: int) -> float:
    """How many standard errors a two-sided t interval of ``n`` values reaches."""
    from scipy.stats import t

    return float(t.ppf((1 + LEVEL) / 2, n - 1))


def made(low: float, high: float, method: str, note: str = "") -> Interval:
    """An interval with bounds rounded as all are."""
    return Interval(round(float(low), DIGITS), round(float(high), DIGITS), method, note, LEVEL)


Bounds = tuple[float, float]


class JudgeErrors(NamedTuple):
    """How a judge errs: 95 % Wilson intervals from its card."""

    sensitivity: Bounds
    """Of graphs that people accepted: the share that it gives their label."""
    specificity: Bounds
    """Of graphs that people refused: the share that it does not give their label."""


class Band(NamedTuple):
    """A range of values that the judge's errors allow. No sampling of items is in it."""

    low: float | None
    """None where there is no band."""
    high: float | None
    why_not: str = ""


def errors_of(card: Card) -> JudgeErrors | None:
    """A judge's errors as its card has them; None if the card lacks one of the two sets.

    Accepted is what the metric counts: given the item's own label. So of a refused graph only that
    answer is an error, not the other label; the card's set of rejected graphs has those counts.
    """
    gold, refused = card.evaluation(GOLD), card.evaluation(REFUSED)
    if INCORRECT not in card.labels or gold is None or refused is None:
        return None
    right = refused.right
    found = gold.right.interval, Share(right.n - right.count, right.n).interval
    return None if found[0] is None or found[1] is None else JudgeErrors(found[0], found[1])


def band(passed: float, share: float, errors: JudgeErrors) -> Band:
    """What a judged metric would be by people, if its judge errs as often as its card says.

    ``passed``: the value over the graphs that passed every gate, the only ones the judge reads, 0
    to 1. ``share``: how many of all items those are, 0 to 1 (the gate metric). The band is in the
    unit of the column: over all items, from the corners of the two intervals, each cut to [0, 1].
    Unbounded where the judge may be no better than chance: sensitivity + specificity - 1 <= 0.

    Rogan and Gladen: Estimating prevalence from the results of a screening test. American Journal
    of Epidemiology 107, 1978. A judge that accepts a share ``se`` of the graphs that people accept,
    and refuses a share ``sp`` of those that they refuse, accepts q = se * t + (1 - sp) * (1 - t) of
    graphs of which a share t is right; so t = (q + sp - 1) / (se + sp - 1).
    """
    if errors.sensitivity[0] + errors.specificity[0] - 1 <= 0:
        return Band(None, None, "unbounded: this judge may be no better than chance")
    corners = [
        (passed + specificity - 1) / (sensitivity + specificity - 1)
        for sensitivity, specificity in product(errors.sensitivity, errors.specificity)
    ]
    low, high = (share * min(1.0, max(0.0, corner)) for corner in (min(corners), max(corners)))
    return Band(low, high)
