"""One metric over a split, from its scores of items: values, how sure they are, the null. Pure."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

from scorer.metrics.catalogue import WHOLE_SPLIT, MetricInfo
from scorer.records import Interval, ItemScore, MetricValue
from scorer.statistics import intervals, paired
from scorer.statistics.comparison import proportions_interval
from scorer.statistics.corpus import Corpus, corpus, swap_p
from scorer.statistics.resampling import interval, resampled


def summarise(
    info: MetricInfo, items: Sequence[ItemScore], passed: Sequence[bool],
    clusters: Sequence[Hashable] | None,
) -> MetricValue:
    """Values over all items, and over those that passed every gate (only for graded metrics).

    ``clusters``: one an item; None where the gold is hidden, and then there are no intervals.
    """
    inside = [item for item, ok in zip(items, passed, strict=True) if ok]
    found = MetricValue(
        info.id,
        total(info, items),
        parts={part: mean([item.parts[part] for item in items]) for part in info.parts},
        passed=total(info, inside) if info.graded and inside else None,
        n=len(items),
        n_passed=len(inside),
        flagged=sum(item.flag is not None for item in items),
    )
    if clusters is None:
        return found
    if info.total is not None:
        return replace(
            found, interval=_of_resampled(corpus(items, info.total)), clusters=len(set(clusters)),
            passed_interval=None if found.passed is None else intervals.none(WHOLE_SPLIT),
        )
    values = [item.value for item in items]
    note = _note(info)
    dependent = intervals.clustered(values, clusters)
    return replace(
        found,
        interval=(proportions_interval(values) if info.difference else
                  intervals.of_items(values, binary=info.binary, note=note, highest=info.highest)),
        passed_interval=(None if found.passed is None
                         else intervals.of_passed(values, passed, note)),
        clustered_se=dependent.se,
        clusters=dependent.clusters,
    )


def with_null_of(
    value: MetricValue, info: MetricInfo, items: Sequence[ItemScore], nulls: Sequence[ItemScore]
) -> MetricValue:
    """A value beside its null, and whether it is better."""
    if info.total is None:
        versus = paired.versus_null([item.value for item in items], [item.value for item in nulls],
                                    binary=info.binary or info.difference, better=info.better)
    else:
        both = [corpus(items, info.total), corpus(nulls, info.total)]
        versus = paired.tested(both[0].whole - both[1].whole, float(swap_p(both)[0, 1]),
                               "permutation", better=info.better)
    return replace(value, null=total(info, nulls), versus_null=versus)


def with_null_as_told(value: MetricValue, info: MetricInfo, told: MetricValue) -> MetricValue:
    """A value beside the null that somebody else measured, of which only the mean is known.

    Raises ValueError where there is none, or where the test against it cannot have come out so.
    """
    null, versus = told.null, told.versus_null
    if null is None or value.value is None or versus is None:
        raise ValueError("no null, or not what belongs to it")
    if info.binary and not math.isclose(null * value.n, round(null * value.n), abs_tol=1e-6):
        raise ValueError("no share of the items")
    if not paired.can_be(versus, value.value, null, value.n, binary=info.binary,
                         better=info.better):
        raise ValueError("no such test")
    return replace(value, null=null, versus_null=versus)


def total(info: MetricInfo, items: Sequence[ItemScore]) -> float:
    """A metric's value for some items: the mean of theirs, or what its sums of parts make."""
    of_sums = info.total
    if of_sums is None:
        return mean([item.value for item in items])
    sums = {part: math.fsum(item.parts[part] for item in items) for part in items[0].parts}
    return float(of_sums(sums))


def mean(values: Sequence[float]) -> float:
    """The mean, correctly rounded whatever the order.

    >>> mean([0.1] * 10)
    0.1
    """
    return math.fsum(values) / len(values)


def _note(info: MetricInfo) -> str:
    """What the items alone do not show."""
    if info.judge is not None:
        return intervals.ITEMS_ONLY
    return intervals.WEIGHTS_KEPT if info.whole else ""


def _of_resampled(row: Corpus) -> Interval:
    """Percentile bootstrap of a value that is no mean, items drawn with all their parts."""
    found = intervals.made(*interval(resampled(row)), "bootstrap")
    return intervals.none("drawn sets of items hardly differ") if found.low == found.high else found
