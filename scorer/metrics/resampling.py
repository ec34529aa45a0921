"""Percentile bootstrap over items, also of values that are no means (corpus BLEU).

Every item's parts are its sufficient statistics: a resampled set's value is made from how often
each item was drawn and the sums of what was drawn; nothing is counted again. Metrics that depend on
the whole set (CIDEr, BERTScore) keep the weights of the whole set: only which items count is drawn.
B. Efron and R. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from scorer.records import ItemScore

DRAWS = 1000
BLOCK = 100
"""Draws made at once, so that memory does not grow with them."""


def resampled(
    items: Sequence[ItemScore], total: Callable[[Mapping[str, float]], float] | None, *,
    draws: int = DRAWS, seed: int = 0,
) -> NDArray[np.float64]:
    """The metric's value for ``draws`` sets of as many items drawn with replacement.

    ``total`` as in ``MetricInfo.total``: None for a mean. The same seed draws the same items
    for every metric and every system of as many items, so differences are of pairs.
    """
    names = list(items[0].parts) if total else []
    counts = np.array([[item.parts[name] for name in names] if total else [item.value]
                       for item in items], np.float64)
    rng, found = np.random.default_rng(seed), []
    for start in range(0, draws, BLOCK):
        drawn = rng.multinomial(len(items), np.full(len(items), 1 / len(items)),
                                min(BLOCK, draws - start))
        found += (drawn @ counts).tolist()
    if total is None:
        return np.array(found)[:, 0] / len(items)
    return np.array([total(dict(zip(names, sums, strict=True))) for sums in found])


def interval(values: NDArray[np.float64], level: float = 0.95) -> tuple[float, float]:
    """The percentile interval of resampled values."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
