"""Rows of a group against each other: all pairs, the closest ones, random halves of items. Pure.

``names``: what the document calls rows, by their keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from scorer.metrics.catalogue import MetricInfo
from scorer.scoring.results.leaderboard import CloseColumn, Pairs, Stability, nine, six
from scorer.scoring.results.ranks import ComparisonGroup
from scorer.statistics import TIE
from scorer.statistics.comparison import difference_interval, proportions_interval
from scorer.statistics.intervals import percentiles
from scorer.statistics.ranks import Pairwise, holm
from scorer.statistics.resampling import Scores, resampled, row_of, without_ties

MOST_PAIRED = 200
"""So many rows have their pairs in the document."""
HALVES, SEED = 100, 0


def pairs_of(by: str, every: Pairwise, ranked: Sequence[str], names: Mapping[str, str],
             null_of: Mapping[str, str]) -> Pairs:
    """Every two rows of a group; ``ranked``: the ranked ones, ``null_of``: the keys of nulls."""
    pairs = every.among(every.keys[:MOST_PAIRED])
    indices = [at for at, key in enumerate(pairs.keys) if key in ranked]
    corrected = dict.fromkeys(combinations(indices, 2), 1.0)
    for low in indices:
        above = [high for high in indices if pairs.ahead[high, low]]
        p_values = holm([float(pairs.p[high, low]) for high in above])
        corrected |= {(high, low): six(p) for high, p in zip(above, p_values, strict=True)}
    tri: list[list[int | float | None]] = [
        [int(pairs.wins[a, b]), int(pairs.wins[b, a]), six(pairs.p[a, b]), corrected.get((a, b))]
        for a, b in combinations(range(len(pairs.keys)), 2)]
    # Each row beyond these has its pair with the row above it, and with its null.
    at = {key: index for index, key in enumerate(every.keys)}
    more: list[list[str | float]] = []
    for index, key in enumerate(every.keys[MOST_PAIRED:], start=MOST_PAIRED):
        for other in sorted({index - 1, at.get(null_of[key], index)} - {index}):
            a, b = sorted((other, index))
            more.append([names[every.keys[a]], names[every.keys[b]],
                         int(every.wins[a, b]), int(every.wins[b, a]), six(every.p[a, b])])
    return Pairs.model_validate({
        "by": by, "test": pairs.test, "rows": [names[key] for key in pairs.keys],
        "tri": tri, "more": more or None})


def close_column(metric: MetricInfo, every: Pairwise, scores: Mapping[str, Scores],
                 keys: Sequence[str], names: Mapping[str, str]) -> CloseColumn:
    """A few rows of a group on its column, with the interval of each difference."""
    pairs, tri = every.among(keys), []
    for a, b in combinations(range(len(keys)), 2):
        low, high = _bounds(metric, scores[keys[a]], scores[keys[b]]) if (
            pairs.test != "prediction-powered") else (None, None)  # not known of every item
        tri.append([nine(pairs.means[a] - pairs.means[b]), low, high, six(pairs.p[a, b]),
                    int(pairs.wins[a, b]), int(pairs.wins[b, a])])
    return CloseColumn.model_validate(
        {"test": pairs.test, "tri": tri, "rows": [names[key] for key in keys]})


def _bounds(metric: MetricInfo, a: Scores, b: Scores) -> tuple[float | None, float | None]:
    """The interval of a difference, as ``comparison.compare`` gives it; nothing where none is."""
    one, two = row_of(a), row_of(b)
    low: float | None = None
    high: float | None = None
    if one.total:
        drawn = resampled(one) - resampled(two)
        if drawn.std(ddof=1):
            low, high = percentiles(drawn)
    else:
        apart = without_ties(one.items - two.items)
        found = (proportions_interval(apart) if metric.binary
                 else difference_interval(apart, metric.highest - metric.lowest))
        low, high = found.low, found.high
    return (None, None) if low is None or high is None else (nine(low), nine(high))


def stability_of(metric: MetricInfo, group: ComparisonGroup) -> Stability:
    """In how many of HALVES random halves of the items the first row is first, or equal to it."""
    scores: Any = np.array([row_of(group.scores[key]).items for key in group.eligible])
    signed = scores if metric.better == "higher" else -scores
    n, source, count = scores.shape[1], np.random.PCG64(SEED), 0
    for _ in range(HALVES):
        half = np.argsort(source.random_raw(n), kind="stable")[: n // 2]
        means = signed[:, half].mean(axis=1)
        count += bool(means[0] >= means.max() - TIE)
    return Stability(first=count, of=HALVES, seed=SEED)
