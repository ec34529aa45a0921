"""How sure a value is, in the few words that a cell has room for. Pure."""

from __future__ import annotations

from typing import NamedTuple

from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.records import Interval, MetricValue
from scorer.statistics.intervals import of_value
from scorer.statistics.judge_band import band, errors_of
from scorer.statistics.paired import marked
from scorer.website.judges.judging import JudgeRef
from scorer.website.records import Entry
from scorer.website.render import score

METHODS = {"wilson": "Wilson", "t": "Student's t", "bootstrap": "bootstrap"}


class Sure(NamedTuple):
    """What is known of one value."""

    text: str = ""
    """The interval; ``no interval`` where none can be given; empty where none was computed."""
    about: str = ""
    """How it was made, as a clause."""
    interval: Interval | None = None
    band: str = ""
    """What the judge's errors allow, where a judge gave the value."""
    null: bool = False
    """Whether the value is marked as not better than its null."""


def sure(
    entry: Entry, metric: MetricInfo, judge: JudgeRef | None, gate: str | None
) -> Sure:
    """What is known of the value of a row that was scored here; ``gate``: the gate metric."""
    value = entry.result.metrics.get(metric.id)
    if value is None or value.value is None:
        return Sure()
    found = interval_of(value, metric)
    return Sure(
        interval_text(found, metric), _about(found, value, metric), found,
        _band(entry, value, judge, gate) if judge is not None and gate is not None else "",
        marked(value, graded=metric.graded),
    )


def published(value: float, n: int, metric: MetricInfo) -> Sure:
    """What is known of a value that was published elsewhere."""
    found = of_value(value, n, binary=metric.binary, source="the published value")
    if not found.given:
        return Sure(interval=found)
    return Sure(interval_text(found, metric), f"{_method(found)}, {found.note}", found)


def interval_of(value: MetricValue, metric: MetricInfo) -> Interval | None:
    """The interval of a result's value; of hidden gold, what the released value allows."""
    if value.grid is not None and value.value is not None:
        return of_value(value.value, value.n, binary=metric.binary, source="the released value")
    return value.interval


def interval_text(found: Interval | None, metric: MetricInfo) -> str:
    """The bounds as people read them."""
    if found is None:
        return ""
    if found.low is None or found.high is None:
        return "no interval"
    return f"{score(found.low, metric)}\u2013{score(found.high, metric)}"


def _method(found: Interval) -> str:
    """Its name; of an older result, what that says."""
    return METHODS.get(found.method, found.method)


def _about(found: Interval | None, value: MetricValue, metric: MetricInfo) -> str:
    if found is None:
        return ""
    parts = [f"95 % interval, {_method(found)}" if found.given else ""]
    parts.append(found.note)
    if value.clustered_se is not None:
        parts.append(f"clustered SE {score(value.clustered_se, metric)} over {value.clusters} "
                     "clusters")
    return "; ".join(part for part in parts if part)


def _band(entry: Entry, value: MetricValue, judge: JudgeRef, gate_metric: str) -> str:
    """What the metric would be by people, if the judge errs as its card says.

    ``none fits``: the judge accepted more, or fewer, than such errors could make of any graphs.
    """
    gate = entry.result.metrics.get(gate_metric)
    errors = errors_of(judge.known.card) if judge.known else None
    if errors is None or gate is None or gate.value is None or value.passed is None:
        return ""
    found = band(value.passed, gate.value, errors)
    if found.low is None or found.high is None:
        return "unbounded"
    if found.low == found.high:
        return "none fits"
    metric = METRICS[value.metric]
    return f"{score(found.low, metric)}\u2013{score(found.high, metric)}"
