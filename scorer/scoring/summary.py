"""One metric over a split, from its scores of items: values, how sure they are, the null. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import reduce
from typing import Any, Literal

from scorer.core.records import ItemScore
from scorer.core.results import Measured, MetricValue, Result
from scorer.metrics.catalogue import METRICS, WHOLE_SPLIT, MetricInfo
from scorer.statistics import ALPHA, FEWEST, comparison, intervals
from scorer.statistics.resampling import Scores, corpus, resampled

CLOSE = 1e-8
"""By how much a result and what its items give may differ."""
EQUAL = 5e-5
"""A lift smaller than this does not show in any table."""
LAST_DIGIT = 2e-6
"""Of scores of models and of bounds, which are rounded to 1e-6, and of a p of six digits."""
_GIVEN_BY_ITEMS = (
    "value", "n", "flagged", "passed.value", "passed.n",
    *(f"{interval}.{part}" for interval in ("interval", "passed.interval")
      for part in ("method", "low", "high", "note")))


def disagreements(result: Result, passed: str) -> list[str]:
    """What a result says that its items do not, a line each; ``passed``: the last gate's name.

    Of every metric value, mean over what passed, intervals and numbers of items, and scores that it
    cannot give; of the counts those of gates. Items in a file have neither findings nor parts, so
    these cannot be checked, nor can the null.
    """
    gates = {name: count for name, count in result.counts.items() if isinstance(count, int)}
    seen = Counter(item.verdict.annotation for item in result.items)
    wanted = {**dict.fromkeys(gates, 0), **seen, "items": len(result.items)}
    lines = [] if gates == wanted else [f"counts: {gates}, and {wanted} of the items"]
    inside = [item.verdict.annotation == passed for item in result.items]
    for name, value in result.metrics.items():
        info, scores = METRICS[name], [
            item.scores[name] for item in result.items if name in item.scores]
        if len(scores) != (0 if value.value is None else len(result.items)):
            lines.append(f"{name}: {len(scores)} scores of items")
        elif odd := [score.value for score in scores if not _possible(info, score.value)]:
            lines.append(f"{name}: {odd[0]:g} for an item")
        elif scores:
            own = summarise(info, scores, inside, range(len(scores)))
            lines += [f"{name}: {path}" for path in _GIVEN_BY_ITEMS
                      if not _close(_at(value, path), _at(own, path))]
    return lines


def _possible(info: MetricInfo, score: float) -> bool:
    """Whether a metric can give an item a score; those of two values are exact."""
    return (score in (0.0, 1.0) if info.binary
            else info.lowest <= score <= info.highest + LAST_DIGIT)


def _at(value: object, path: str) -> object:
    """What lies at a path of attributes; None where there is nothing."""
    return reduce(lambda part, name: getattr(part, name, None), path.split("."), value)


def _close(figure: object, own: object) -> bool:
    if isinstance(figure, float) and isinstance(own, float):
        return math.isclose(figure, own, rel_tol=0.0, abs_tol=CLOSE)
    return figure == own


def summarise(
    info: MetricInfo, items: Sequence[ItemScore], passed: Sequence[bool],
    clusters: Sequence[Hashable] | None,
) -> Measured:
    """Values over all items, and over those that passed every gate (only for graded metrics).

    ``clusters``: one an item; None where the gold is hidden, and then there are no intervals.
    """
    inside = [item for item, ok in zip(items, passed, strict=True) if ok]
    of_passed = total(info, inside) if info.graded and inside else None
    passed_all: dict[str, Any] = {"value": of_passed, "n": len(inside)}
    fields: dict[str, Any] = {
        # Items that were read from a file have no parts.
        **{part: mean([item.parts[part] for item in items]) for part in info.parts
           if all(part in item.parts for item in items)},
        "value": total(info, items), "n": len(items), "passed": passed_all,
        "flagged": sum(item.flag is not None for item in items), "signature": "",
        "clustered_se": None, "clusters": 0}
    if clusters is None:
        return Measured.model_validate(fields)
    if info.total is not None:
        span = intervals.made(
            *intervals.percentiles(resampled(corpus(items, info.total))), "bootstrap")
        if span.low == span.high:
            span = intervals.none("drawn sets of items hardly differ")
        within = intervals.none(WHOLE_SPLIT)
        fields |= {"interval": span, "clusters": len(set(clusters))}
    else:
        values = [item.value for item in items]
        note = intervals.ITEMS_ONLY if info.judge is not None else (
            intervals.WEIGHTS_KEPT if info.whole else "")
        span = comparison.proportions_interval(values) if info.difference else intervals.of_items(
            values, binary=info.binary, note=note, highest=info.highest)
        within = intervals.of_passed(values, passed, note)
        dependent = intervals.clustered(values, clusters)
        fields |= {"interval": span, "clustered_se": dependent.se, "clusters": dependent.clusters}
    if of_passed is not None:
        passed_all["interval"] = within
    return Measured.model_validate(fields)


def with_null_of(
    value: Measured, info: MetricInfo, items: Sequence[ItemScore], nulls: Sequence[ItemScore]
) -> Measured:
    """A value beside its null, and whether it is better."""
    def row(scores: Sequence[ItemScore]) -> Scores:
        return corpus(scores, info.total) if info.total else [item.value for item in scores]

    versus = comparison.versus_null(row(items), row(nulls), better=info.better,
                                    binary=info.binary or info.difference)
    null = total(info, nulls)
    return value.replace(null=null, lift=value.value - null, versus_null=versus)


def null_can_be(value: MetricValue, info: MetricInfo) -> bool:
    """Whether a value's null, and the test against it, can have come out so; items are not known.
    """
    null, versus = value.null, value.versus_null
    if null is None or value.value is None or versus is None:
        return False
    if info.binary and not math.isclose(null * value.n, round(null * value.n), abs_tol=1e-6):
        return False  # no share of the items
    return comparison.can_be(versus, value.value, null, value.n,
                             binary=info.binary or info.difference, better=info.better)


Lift = Literal["", "better", "worse", "same", "equal", "untested"]


def lift_word(value: MetricValue, metric: MetricInfo) -> Lift:
    """Whether a submission is better or worse than its null, in the metric's own direction."""
    ahead = metric.lift(value)
    if ahead is None:
        return ""
    return "equal" if abs(ahead) < EQUAL else "better" if ahead > 0 else "worse"


def lift_verdict(value: MetricValue, metric: MetricInfo) -> Lift:
    """The same as far as the paired test bears it out.

    ``same``: no significant difference; ``untested``: no test, or too few items for one.
    """
    word = lift_word(value, metric)
    if word in ("", "equal"):
        return word
    if value.versus_null is None or value.n < FEWEST:
        return "untested"
    return word if value.versus_null.p <= ALPHA else "same"


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
