"""A system against its null: the same labels, with graphs that say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.records import MetricValue, Result

EQUAL = 5e-5
"""A lift smaller than this does not show in any table."""


def lift_word(found: MetricValue, metric: MetricInfo) -> str:
    """Whether a submission is better or worse than its null, in the metric's own direction."""
    if found.lift is None:
        return ""
    gain = found.lift if metric.better == "higher" else -found.lift
    return "equal" if abs(gain) < EQUAL else "better" if gain > 0 else "worse"


class AgainstNull(NamedTuple):
    """One metric of a submission and of its null."""

    metric: str
    value: float
    null: float


class NullFinding(NamedTuple):
    """How one submission fares against its null, metric by metric."""

    items: int
    ahead: tuple[AgainstNull, ...]
    """Where the graph that says nothing is better."""
    behind: tuple[AgainstNull, ...]
    equal: tuple[AgainstNull, ...]


def null_finding(result: Result, metrics: Sequence[str]) -> NullFinding | None:
    """The finding over some metrics in their order; None if none of them has a null.

    Leave out of ``metrics`` what a judge gave that may not order rows: it says more of the judge.
    """
    found: dict[str, list[AgainstNull]] = {"worse": [], "better": [], "equal": []}
    for name in metrics:
        value = result.metrics.get(name)
        if value is not None and value.value is not None and value.null is not None:
            found[lift_word(value, METRICS[name])].append(
                AgainstNull(name, value.value, value.null))
    if not any(found.values()):
        return None
    return NullFinding(result.counts["items"], tuple(found["worse"]), tuple(found["better"]),
                       tuple(found["equal"]))
