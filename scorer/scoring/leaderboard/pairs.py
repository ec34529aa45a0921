"""Rows of a leaderboard document against each other: all pairs, the closest ones, halves. Pure.

Rows are named by their keys; ``names`` gives what the document calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from scorer.metrics.catalogue import MetricInfo
from scorer.scoring.results.leaderboard import (
    CloseColumn,
    Pairs,
    Stability,
    nine,
    six,
)
from scorer.scoring.results.ranks import ComparisonGroup
from scorer.statistics import TIE
from scorer.statistics.comparison import difference_interval, proportions_interval
from scorer.statistics.intervals import percentiles
from scorer.statistics.ranks import Pairwise, holm
from scorer.statistics.resampling import resampled, row_of, without_ties

MOST_PAIRED = 200
"""So many rows have their pairs in the document."""
HALVES, SEED = 100, 0
Names = Mapping[str, str]


def pairs_of(metric: MetricInfo, every: Pairwise, ranked: Sequence[str], names: Names,
             null_of: Callable[[str], str]) -> Pairs:
    """Every two rows of a group; ``ranked``: the ranked ones, ``null_of``: the key of a row's null.
    """
    pairs = every.among(every.keys[:MOST_PAIRED])
    corrected = _by_holm(pairs, ranked)
    tri: list[list[int | float | None]] = [
        [int(pairs.wins[a, b]), int(pairs.wins[b, a]), six(pairs.p[a, b]), corrected.get((a, b))]
        for a, b in combinations(range(len(pairs.keys)), 2)]
    # Each row beyond these has its pair with the row above it, and with its null.
    indices = {key: index for index, key in enumerate(every.keys)}
    more: list[list[str | float]] = []
    for index, key in enumerate(every.keys[MOST_PAIRED:], start=MOST_PAIRED):
        for other in sorted({index - 1, indices.get(null_of(key), index)} - {index}):
            a, b = sorted((other, index))
            more.append([names[every.keys[a]], names[every.keys[b]],
                         int(every.wins[a, b]), int(every.wins[b, a]), six(every.p[a, b])])
    return Pairs.model_validate({
        "by": metric.id, "test": pairs.test, "rows": [names[key] for key in pairs.keys],
        "tri": tri, "more": more or None})


def _by_holm(pairs: Pairwise, ranked: Sequence[str]) -> dict[tuple[int, int], float]:
    """p of two ranked rows, corrected among the lower row's tests with the rows above it."""
    indices = [pairs.keys.index(key) for key in ranked if key in pairs.keys]
    p_values = {}
    for low in indices:
        above = [high for high in indices if pairs.ahead[high, low]]
        for high, p in zip(above, holm([float(pairs.p[high, low]) for high in above]), strict=True):
            p_values[high, low] = six(p)
    return {both: p_values.get(both, 1.0) for both in combinations(sorted(indices), 2)}


def close_column(metric: MetricInfo, group: ComparisonGroup, keys: Sequence[str], names: Names,
                 ) -> CloseColumn:
    """A few rows of a group on its column, with the interval of each difference."""
    assert group.pairs is not None
    pairs = group.pairs.among(keys)
    tri = []
    for a, b in combinations(range(len(keys)), 2):
        low, high = _bounds(metric, group, keys[a], keys[b])
        tri.append([nine(pairs.means[a] - pairs.means[b]), low, high, six(pairs.p[a, b]),
                    int(pairs.wins[a, b]), int(pairs.wins[b, a])])
    return CloseColumn.model_validate(
        {"test": pairs.test, "tri": tri, "rows": [names[key] for key in keys]})


def _bounds(metric: MetricInfo, group: ComparisonGroup, a: str, b: str
            ) -> tuple[float | None, float | None]:
    """The interval of a difference, as ``comparison.compare`` gives it; nothing where none is."""
    one, two = row_of(group.scores[a]), row_of(group.scores[b])
    if one.total:
        drawn = resampled(one) - resampled(two)
        if not drawn.std(ddof=1):
            return None, None
        low, high = percentiles(drawn)
        return nine(low), nine(high)
    if group.pairs and group.pairs.test == "prediction-powered":
        return None, None  # not known of every item
    apart = without_ties(one.items - two.items)
    interval = (proportions_interval(apart) if metric.binary
                else difference_interval(apart, metric.highest - metric.lowest))
    return ((None, None) if interval.low is None or interval.high is None
            else (nine(interval.low), nine(interval.high)))


def stability_of(metric: MetricInfo, group: ComparisonGroup, ranked: Sequence[str]) -> Stability:
    """In how many of HALVES random halves of the items the first row is first, or equal to it."""
    scores: Any = np.array([row_of(group.scores[key]).items for key in ranked])
    n = scores.shape[1]
    signed = scores if metric.better == "higher" else -scores
    source, count = np.random.PCG64(SEED), 0
    for _ in range(HALVES):
        half = np.argsort(source.random_raw(n), kind="stable")[: n // 2]
        means = signed[:, half].mean(axis=1)
        count += bool(means[0] >= means.max() - TIE)
    return Stability(first=count, of=HALVES, seed=SEED)
