"""How much of each column is StCA again?

An item that fails a gate counts 0 (GED: 1) in every later column, so those columns repeat StCA to
the extent that rows differ in what passes. Three views: over rows, over the items of one row, and
the values over the graphs that passed, which no gate moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scorer.records import Result

GATE = "StCA"
FEWEST_ROWS = 3


@dataclass(frozen=True)
class ColumnEcho:
    """One metric against StCA over the rows of a board."""

    metric: str
    rows: int
    """Rows that have both values."""
    pearson: float | None
    """Of the rows' values with their StCA, -1 to 1; None with fewer than three rows or if one of
    the two is constant."""
    spearman: float | None
    """The same of ranks."""
    conditional: float | None
    """Pearson's of StCA with the values over the graphs that passed: what no gate explains."""


@dataclass(frozen=True)
class RowEcho:
    """One metric of one row against which of its items passed."""

    metric: str
    value: float
    """Over all items."""
    passed: float | None
    """Over the items that passed every gate."""
    n_passed: int
    point_biserial: float | None
    """Pearson's of 0/1 passed with the item's score; None without items, or if either is
    constant."""


def over_rows(results: Sequence[Result], metrics: Sequence[str]) -> list[ColumnEcho]:
    """Each metric but StCA over rows of one board, split and signature; which is for the caller."""
    return [_column(results, metric) for metric in metrics if metric != GATE]


def within(result: Result, metrics: Sequence[str]) -> list[RowEcho]:
    """Each measured metric but StCA over the items of one row."""
    gate = [item.scores[GATE].value for item in result.items if GATE in item.scores]
    found = []
    for metric in metrics:
        value = result.metrics.get(metric)
        if metric == GATE or value is None or value.value is None:
            continue
        scores = [item.scores[metric].value for item in result.items if metric in item.scores]
        related = _pearson(gate, scores) if len(gate) == len(scores) else None
        found.append(RowEcho(metric, value.value, value.passed, value.n_passed, related))
    return found


def _column(results: Sequence[Result], metric: str) -> ColumnEcho:
    pairs = [(gate, value) for result in results
             if (gate := _value(result, GATE)) is not None
             and (value := _value(result, metric)) is not None]
    inside = [(gate, result.metrics[metric].passed) for result in results
              if (gate := _value(result, GATE)) is not None and metric in result.metrics]
    passed = [(gate, value) for gate, value in inside if value is not None]
    gates, values = [gate for gate, _ in pairs], [value for _, value in pairs]
    return ColumnEcho(
        metric, len(pairs), _pearson(gates, values), _spearman(gates, values),
        _pearson([gate for gate, _ in passed], [value for _, value in passed]),
    )


def _value(result: Result, metric: str) -> float | None:
    found = result.metrics.get(metric)
    return None if found is None else found.value


def _pearson(one: Sequence[float], two: Sequence[float]) -> float | None:
    from scipy.stats import pearsonr

    return None if _no_relation(one, two) else float(pearsonr(one, two).statistic)


def _spearman(one: Sequence[float], two: Sequence[float]) -> float | None:
    from scipy.stats import spearmanr

    return None if _no_relation(one, two) else float(spearmanr(one, two).statistic)


def _no_relation(one: Sequence[float], two: Sequence[float]) -> bool:
    """Whether there are too few values, or one side hardly varies."""
    return len(one) < FEWEST_ROWS or bool(np.ptp(one) < 1e-9 or np.ptp(two) < 1e-9)
