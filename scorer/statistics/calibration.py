"""How far a system's probabilities can be believed, and how far they are from people's answers.

Pure: arrays in, numbers out. ``probabilities``: (items, labels), each row with the sum 1. ``gold``:
(items,), the place of each item's right label.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.core.results import Interval
from scorer.statistics.intervals import mean, proportion

BINS = 15
"""Guo et al. 2017 use so many."""
LEAST = 1e-15
"""Smaller probabilities count as this, as in the code of ChaosNLI, so that divergences stay
finite."""

Floats = NDArray[np.float64]


class ReliabilityBin(NamedTuple):
    """The items whose predicted label has a confidence above ``low`` and up to ``high``."""

    low: float
    high: float
    items: int
    confidence: float | None
    """The mean; None of no items."""
    accuracy: float | None


class Calibration(NamedTuple):
    """What one system's probabilities are worth against gold."""

    accuracy: float
    accuracy_interval: Interval
    confidence: float
    """Mean probability of the predicted label."""
    error: float
    """The expected calibration error, 0 to 1."""
    brier: float
    """0 to 2."""
    brier_interval: Interval
    bins: tuple[ReliabilityBin, ...]


def calibration(probabilities: Floats, gold: NDArray[np.int64], bins: int = BINS) -> Calibration:
    """Calibration of the predicted label, the most probable one; of equals, the first.

    The expected calibration error is that of C. Guo et al., On calibration of modern neural
    networks, ICML 2017: over ``bins`` bins of equal width of the predicted label's probability,
    each without its lower end and with its upper one::

        ECE = sum over bins b of (n_b / n) * |accuracy_b - mean confidence_b|

    It has no interval: with every finite sample it is too large, and a bootstrap adds to that. The
    Brier score is that of G. Brier, Verification of forecasts, 1950: the mean over items of the sum
    over labels of (p - y)^2, with y 1 for the right label and 0 for others. Of two labels that is
    twice the form that looks at one of them alone. Raises ValueError without items.
    """
    if not len(gold):
        raise ValueError("no items")
    predicted = probabilities.argmax(axis=1)
    confidence, right = probabilities.max(axis=1), predicted == gold
    cells = tuple(_bins(confidence, right, bins))
    error = sum(cell.items * abs(cell.accuracy - cell.confidence) for cell in cells
                if cell.accuracy is not None and cell.confidence is not None) / len(gold)
    squares = ((probabilities - np.eye(probabilities.shape[1])[gold]) ** 2).sum(axis=1)
    return Calibration(
        float(right.mean()), proportion(int(right.sum()), len(gold)), float(confidence.mean()),
        float(error), float(squares.mean()), mean(squares.tolist(), within=(0.0, 2.0)), cells)


def _bins(confidence: Floats, right: NDArray[np.bool_], bins: int) -> Sequence[ReliabilityBin]:
    edges = np.linspace(0, 1, bins + 1)
    at = np.clip(np.searchsorted(edges, confidence, side="left") - 1, 0, bins - 1)
    return [ReliabilityBin(
        float(low), float(high), int(inside.sum()),
        float(confidence[inside].mean()) if inside.any() else None,
        float(right[inside].mean()) if inside.any() else None,
    ) for low, high, inside in zip(edges, edges[1:], (at == index for index in range(bins)),
                                   strict=False)]


class Distances(NamedTuple):
    """How far a system's probabilities are from people's answers, item by item."""

    jensen_shannon: Floats
    """0 to .8326, the root of ln 2."""
    kullback_leibler: Floats
    """0 to 34.5, that of LEAST."""


def distances(people: NDArray[np.int64], probabilities: Floats) -> Distances:
    """Of each item, as Nie, Zhou and Bansal (EMNLP 2020) print their means for ChaosNLI.

    Their released code (easonnie/ChaosNLI, src/evaluation/tools.py) takes SciPy's Jensen-Shannon
    *distance*, which is the square root of the divergence, and SciPy's relative entropy KL(people
    || system), both with natural logarithms. Probabilities below LEAST become LEAST, and are then
    divided by their sum. ``people``: (items, labels), how many gave each label.
    """
    from scipy.spatial.distance import jensenshannon
    from scipy.stats import entropy

    shares = people / people.sum(axis=1, keepdims=True)
    raised = np.maximum(probabilities, LEAST)
    raised /= raised.sum(axis=1, keepdims=True)
    apart: Any = jensenshannon(shares, raised, axis=1)
    # Of equal distributions rounding may leave the root of a number just below 0.
    return Distances(np.nan_to_num(apart, nan=0.0), np.asarray(entropy(shares, raised, axis=1)))
