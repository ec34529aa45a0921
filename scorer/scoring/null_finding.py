"""A system against its null: the same labels, with graphs that say nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.records import MetricValue, Result
from scorer.statistics import ALPHA, FEWEST

EQUAL = 5e-5
"""A lift smaller than this does not show in any table."""


def lift_word(found: MetricValue, metric: MetricInfo) -> str:
    """Whether a submission is better or worse than its null, in the metric's own direction."""
    ahead = metric.lift(found)
    if ahead is None:
        return ""
    return "equal" if abs(ahead) < EQUAL else "better" if ahead > 0 else "worse"


def lift_verdict(found: MetricValue, metric: MetricInfo) -> str:
    """The same as far as the paired test bears it out.

    ``same``: no significant difference; ``untested``: no test, or too few items for one.
    """
    word = lift_word(found, metric)
    if word in ("", "equal"):
        return word
    if found.versus_null is None or found.n < FEWEST:
        return "untested"
    return word if found.versus_null.p <= ALPHA else "same"


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


class Separation(NamedTuple):
    """How many rows a metric puts significantly above their nulls."""

    metric: str
    better: int
    rows: int
    """A system with others' labels is a row of its own."""


def separations(results: Sequence[Result], metrics: Sequence[str]) -> tuple[Separation, ...]:
    """The metrics that tell rows from their nulls most often first, equal ones in their order.

    A row that answers with its null itself counts for nothing.
    """
    found = []
    for name in metrics:
        verdicts = [lift_verdict(result.metrics[name], METRICS[name]) for result in results
                    if name in result.metrics and not _is_null(result, metrics)]
        known = [verdict for verdict in verdicts if verdict not in ("", "untested")]
        if known:
            found.append(Separation(name, known.count("better"), len(known)))
    return tuple(sorted(found, key=lambda one: -one.better / one.rows))


def _is_null(result: Result, metrics: Sequence[str]) -> bool:
    finding = null_finding(result, metrics)
    return finding is not None and not (finding.ahead or finding.behind)


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
