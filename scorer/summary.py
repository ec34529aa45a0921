"""One metric over a split, from its scores of items: means, how sure they are, the null. Pure."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

from scorer.metrics.catalogue import MetricInfo
from scorer.records import ItemScore, MetricValue
from scorer.statistics import intervals, paired


def summarise(
    info: MetricInfo, items: Sequence[ItemScore], passed: Sequence[bool],
    clusters: Sequence[Hashable] | None,
) -> MetricValue:
    """Means over all items, and over those that passed every gate (only for graded metrics).

    ``clusters``: one an item; None where the gold is hidden, and then there are no intervals.
    """
    values = [item.value for item in items]
    inside = [value for value, ok in zip(values, passed, strict=True) if ok]
    found = MetricValue(
        info.id,
        mean(values),
        parts={part: mean([item.parts[part] for item in items]) for part in info.parts},
        passed=mean(inside) if info.graded and inside else None,
        n=len(items),
        n_passed=len(inside),
        flagged=sum(item.flag is not None for item in items),
    )
    if clusters is None:
        return found
    note = intervals.ITEMS_ONLY if info.judge is not None else ""
    dependent = intervals.clustered(values, clusters)
    return replace(
        found,
        interval=intervals.of_items(values, binary=info.binary, note=note),
        passed_interval=(None if found.passed is None
                         else intervals.of_passed(values, passed, note)),
        clustered_se=dependent.se,
        clusters=dependent.clusters,
    )


def with_null_of(
    value: MetricValue, info: MetricInfo, items: Sequence[ItemScore], nulls: Sequence[ItemScore]
) -> MetricValue:
    """A value beside its null, and whether it is better, item by item."""
    of_null = [item.value for item in nulls]
    versus = paired.versus_null([item.value for item in items], of_null, binary=info.binary,
                                better=info.better)
    return replace(value, null=mean(of_null), versus_null=versus)


def mean(values: Sequence[float]) -> float:
    """The mean, correctly rounded whatever the order.

    >>> mean([0.1] * 10)
    0.1
    """
    return math.fsum(values) / len(values)
