"""Two systems on the same items: is the difference more than chance?

Scores of 0 and 1 get McNemar's exact test, others a sign-flip permutation test of the mean
difference. Both are two-sided. ``a`` and ``b`` hold one score an item, in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scorer.core.results import MetricValue, Test, VersusNull
from scorer.statistics import ALPHA, FEWEST, TIE

FLIPS = 9_999
"""Sign flips drawn where there are too many to try all."""
SEED = 20_240_502
MOST_TOSSES = 10_000
"""Of more of them scipy computes the tail, which then takes less time than its import."""
_BLOCK = 1_000
_SIGNS = 20_000_000
"""Held at once, as floats: blocks of more than 20,000 items are narrower."""

Vector = NDArray[np.float64]


class McNemar(NamedTuple):
    """p of McNemar's test of paired 0/1 scores; items on which both agree say nothing."""

    exact: float
    """Decides."""
    mid: float
    """Shown beside it only: with few discordant items it rejects more often than it says."""


def mcnemar(wins: int, losses: int) -> McNemar:
    """The exact binomial test of ``wins`` among ``wins + losses``, and its mid-p.

    ``wins``: items that only the first has right. The exact p is 2 P(X <= fewer) of as many tosses,
    mid-p is P(X <= fewer) + P(X < fewer). Fagerland, Lydersen and Laake: The McNemar test for
    binary matched-pairs data. BMC Medical Research Methodology 13, 2013.

    >>> mcnemar(4, 0)
    McNemar(exact=0.125, mid=0.0625)
    """
    fewer, total = min(wins, losses), wins + losses
    tail = coin_tail(fewer, total)
    return McNemar(min(1.0, 2 * tail), tail + coin_tail(fewer - 1, total))


def coin_tail(heads: int, tosses: int) -> float:
    """The probability of at most so many heads when a fair coin is tossed.

    >>> coin_tail(1, 4) == (1 + 4) / 2**4
    True
    """
    if tosses > MOST_TOSSES and heads >= 0:
        from scipy.special import bdtr

        return float(bdtr(heads, tosses, 0.5))
    ways, total = 1, 0
    for count in range(heads + 1):
        total += ways
        ways = ways * (tosses - count) // (count + 1)
    return total / (1 << tosses)


def mcnemar_p(wins: ArrayLike, losses: ArrayLike) -> Vector:
    """The exact p of many pairs at once, in the shape of the counts."""
    from scipy.special import bdtr

    won, lost = np.asarray(wins), np.asarray(losses)
    tail: Vector = 2 * bdtr(np.minimum(won, lost), won + lost, 0.5)
    return np.minimum(1.0, tail)


def permutation_p(differences: Sequence[float] | Vector) -> float:
    """How often flipping the signs of the differences gives a mean as far from 0.

    All flips are tried where they are no more than FLIPS; else FLIPS are drawn with a fixed seed
    and p = (1 + as far) / (1 + FLIPS). Differences within TIE of 0 count as none.
    """
    values = without_ties(differences)
    real = values[values != 0]
    if 2 ** len(real) <= FLIPS:
        return exact_permutation_p(real)
    far = abs(values.sum()) - TIE * len(values)
    count = sum(int((np.abs(values @ signs) >= far).sum()) for signs in sign_blocks(len(values)))
    return (1 + count) / (1 + FLIPS)


def exact_permutation_p(differences: Vector) -> float:
    """The same over every flip; for few differences, none of them 0."""
    sums = np.abs(all_signs(len(differences)) @ differences)
    return float((sums >= abs(differences.sum()) - TIE * len(differences)).mean())


@lru_cache(maxsize=16)
def all_signs(n: int) -> Vector:
    """Every row of ``n`` signs, (2^n, n)."""
    bits = np.arange(2**n)[:, None] >> np.arange(n)
    return np.where(bits & 1, -1.0, 1.0)


def sign_blocks(n: int) -> Iterator[Vector]:
    """FLIPS columns of ``n`` signs, in blocks: (n, up to _BLOCK). Always the same.

    Made from the generator's bits, which numpy keeps from version to version.
    """
    source = np.random.PCG64(SEED)
    most = min(_BLOCK, max(1, _SIGNS // max(1, n)))
    for start in range(0, FLIPS, most):
        width = min(most, FLIPS - start)
        words = source.random_raw(math.ceil(n * width / 64)).astype("<u8")
        signs = np.unpackbits(words.view(np.uint8), count=n * width).astype(float)
        signs *= 2  # in place, which takes half the time of choosing between two numbers
        signs -= 1
        yield signs.reshape(n, width)


def without_ties(differences: Any) -> Vector:
    """Differences as floats, those within TIE of 0 made 0."""
    values = np.asarray(differences, dtype=float)
    return np.where(np.abs(values) <= TIE, 0.0, values)


def versus_null(values: Sequence[float], nulls: Sequence[float], *, binary: bool,
                better: str) -> VersusNull:
    """A system's scores against those of its own null; ``better``: ``higher`` or ``lower``."""
    differences = without_ties(np.asarray(values, dtype=float) - np.asarray(nulls, dtype=float))
    test: Test = "mcnemar" if binary else "permutation"
    p = (mcnemar(int((differences > 0).sum()), int((differences < 0).sum())).exact if binary
         else permutation_p(differences))
    return tested(float(differences.sum()), p, test, better=better)


def tested(difference: float, p: float, test: Test, *, better: str) -> VersusNull:
    """A value against its null's, ``difference`` away from it; ``better`` as above.

    p is rounded to six significant digits: below that, numerical libraries differ.
    """
    ahead = difference > 0 if better == "higher" else difference < 0
    return VersusNull(p=float(f"{p:.6g}"), better=bool(ahead and p <= ALPHA), test=test)


def can_be(versus: VersusNull, value: float, null: float, n: int, *, binary: bool, better: str,
           ) -> bool:
    """Whether a test against a null can have come out so, where the null's items are not known.

    ``n``: how many items ``value`` and ``null`` are means of; the others as in ``versus_null``.

    >>> can_be(VersusNull(p=0.5, better=True, test="mcnemar"), 0.9, 0.1, 40, binary=True,
    ...        better="higher")
    False
    """
    ahead = value > null if better == "higher" else value < null
    test, least = ("mcnemar", 2 * 0.5**n) if binary else ("permutation", 1 / (1 + FLIPS))
    return (versus.test == test and float(f"{least:.6g}") <= versus.p <= 1
            and versus.better == (ahead and versus.p <= ALPHA))


def marked(value: MetricValue, *, graded: bool) -> bool:
    """Whether a value is to be marked as not better than its null.

    ``graded``: whether the metric grades graphs. Others see labels and gates alone, and there a
    null is never worse than its system, so nothing is marked; nor is it with few items.
    """
    versus = value.versus_null
    return graded and value.n >= FEWEST and versus is not None and not versus.better
