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


def null_lines(finding: NullFinding, title: str) -> tuple[str, str, str]:
    """The finding in three lines, both halves of it."""
    return (
        f"The null of {title} keeps its labels and replaces every one of its {finding.items} "
        "graphs by a chain of the texts' first words.",
        f"It is better on {_listed(finding.ahead)}.",
        f"It is worse on {_listed(finding.behind)}"
        + (f", and equal on {_listed(finding.equal)}." if finding.equal else "."),
    )


def _listed(found: Sequence[AgainstNull]) -> str:
    """Metrics with the null's value and the submission's, four decimals as the README has them."""
    told = [f"{one.metric} ({_number(one.null)} against {_number(one.value)})" for one in found]
    if len(told) < 2:
        return told[0] if told else "no metric"
    return f"{', '.join(told[:-1])} and {told[-1]}"


def _number(value: float) -> str:
    text = f"{value:.4f}"
    return text.removeprefix("0") if text != "0.0000" else "0"
