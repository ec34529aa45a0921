"""The Ladder: a value is released only where it is a significant improvement.

Blum and Hardt 2015 (arXiv 1502.04585), the parameter-free form, reference code mrtzh/Ladder.jl,
src/Ladder.jl: a submission is better if its mean exceeds the best one's by more than s / sqrt(n),
s the sample standard deviation of the n paired differences. Deviation: where it is not better the
paper repeats the old value; here no value is shown, because a row is one system's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def is_better(scores: NDArray[Any], best: NDArray[Any]) -> Any:
    """Whether scores are significantly better than the best so far.

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
