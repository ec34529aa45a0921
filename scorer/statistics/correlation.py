"""How far does each metric repeat the gate metric, the share of items that pass every gate?

An item that fails a gate gets the worst score on every later metric, so those correlate with the
gate metric as far as rows differ in what passes. Three views: over rows, over the items of one row,
and the values over the items that passed, which no gate changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorer.records import Result

FEWEST_ROWS = 3


@dataclass(frozen=True)
class ColumnCorrelation:
    """One metric with the gate metric over the rows of a board."""

    metric: str
    rows: int
    """Rows that have both values."""
    pearson: float | None
    """Of the two values of each row, -1 to 1; None with fewer than three rows or if one of the two
    is constant."""
    spearman: float | None
    """The same of ranks."""
    conditional: float | None
    """Pearson's with the values over the items that passed: what no gate explains."""


@dataclass(frozen=True)
class RowCorrelation:
    """One metric of one row with which of its items passed."""

    metric: str
    value: float
    """Over all items."""
    passed: float | None
    """Over the items that passed every gate."""
    n_passed: int
    point_biserial: float | None
    """Pearson's of 0/1 passed with the item's score; None without items, or if either is
    constant."""


def over_rows(results: Sequence[Result], metric: str, gate: str) -> ColumnCorrelation:
    """A metric with the gate metric over rows of one board, split and signature.

    Which rows those are is for the caller.
    """
    gated = [(value, result.metrics[metric]) for result in results
             if (value := _value(result, gate)) is not None and metric in result.metrics]
    pairs = [(value, found.value) for value, found in gated if found.value is not None]
    passed = [(value, found.passed) for value, found in gated if found.passed is not None]
    gates, values = [value for value, _ in pairs], [value for _, value in pairs]
    return ColumnCorrelation(
        metric, len(pairs), _pearson(gates, values), _spearman(gates, values),
        _pearson([value for value, _ in passed], [value for _, value in passed]),
    )


def within(result: Result, metrics: Sequence[str], gate: str) -> list[RowCorrelation]:
    """Each measured metric but the gate metric over the items of one row."""
    gates = [item.scores[gate].value for item in result.items if gate in item.scores]
    found = []
    for metric in metrics:
        value = result.metrics.get(metric)
        if metric == gate or value is None or value.value is None:
            continue
        scores = [item.scores[metric].value for item in result.items if metric in item.scores]
        related = _pearson(gates, scores) if len(gates) == len(scores) else None
        found.append(RowCorrelation(metric, value.value, value.passed, value.n_passed, related))
    return found


def _value(result: Result, metric: str) -> float | None:
    found = result.metrics.get(metric)
    return None if found is None else found.value


def _pearson(one: Sequence[float], two: Sequence[float]) -> float | None:
    return None if _no_relation(one, two) else float(np.corrcoef(one, two)[0, 1])


def _spearman(one: Sequence[float], two: Sequence[float]) -> float | None:
    return None if _no_relation(one, two) else _pearson(_ranks(one), _ranks(two))


def _ranks(values: Sequence[float]) -> Sequence[float]:
    """The rank of each value from 1, equal values with the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: list[float] = (np.cumsum(counts) - (counts - 1) / 2)[places].tolist()
    return ranks


def _no_relation(one: Sequence[float], two: Sequence[float]) -> bool:
    """Whether there are too few values, or one side hardly varies."""
    return len(one) < FEWEST_ROWS or bool(np.ptp(one) < 1e-9 or np.ptp(two) < 1e-9)
