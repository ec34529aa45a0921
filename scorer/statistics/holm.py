"""Several tests of one family, corrected together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm(values: Sequence[float]) -> list[float]:
    """p-values corrected together: the smallest times their number, the next times one less ...

    S. Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6, 1979.

    >>> holm([.03, .01, .5])
    [0.06, 0.03, 0.5]
    """
    each = np.asarray(values, dtype=float)
    order = np.argsort(each, kind="stable")
    corrected = np.empty_like(each)
    corrected[order] = np.maximum.accumulate(
        np.minimum(1.0, each[order] * np.arange(len(each), 0, -1)))
    found: list[float] = corrected.tolist()
    return found
