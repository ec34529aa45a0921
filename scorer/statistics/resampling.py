"""Percentile bootstrap over items, also of values that are no means (corpus BLEU).

Every item's parts are its sufficient statistics: a resampled set's value is made from how often
each item was drawn and the sums of what was drawn; nothing is counted again. Metrics that depend on
the whole set (CIDEr, BERTScore) keep the weights of the whole set: only which items count is drawn.
B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scorer.statistics.corpus import Corpus

DRAWS = 1000
BLOCK = 100
"""Draws made at once, so that memory does not grow with them."""


def resampled(row: Corpus, *, draws: int = DRAWS, seed: int = 0) -> NDArray[np.float64]:
    """The row's value for ``draws`` sets of as many items drawn with replacement.

    The same seed draws the same items for every metric and every system of as many items, so that
    differences are of pairs.
    """
    sums = [drawn @ row.counts for drawn in _times(len(row.counts), draws, seed)]
    return row.value(np.concatenate(sums).T)


def interval(values: NDArray[np.float64], level: float = 0.95) -> tuple[float, float]:
    """The percentile interval of resampled values."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


@lru_cache(maxsize=1)
def _times(n: int, draws: int, seed: int) -> tuple[NDArray[np.uint8], ...]:
    """How often each of ``n`` items is drawn: (up to BLOCK, n) each.

    Kept for the next metric of as many items: a byte an item and draw, for none is drawn 256 times.
    """
    rng = np.random.default_rng(seed)
    shares = np.full(n, 1 / n)
    return tuple(rng.multinomial(n, shares, min(BLOCK, draws - start)).astype(np.uint8)
                 for start in range(0, draws, BLOCK))
