"""How sure a value is, in the few words that a cell has room for. Pure."""

from __future__ import annotations

from typing import NamedTuple

from scorer.metrics.catalogue import MetricInfo
from scorer.records import Interval, MetricValue
from scorer.results.ranks import item_scores
from scorer.scoring.judging import JudgeRef
from scorer.scoring.leaderboard.values import interval_of, judge_band
from scorer.share import Share
from scorer.statistics.intervals import METHODS, of_value
from scorer.statistics.judge_band import Band
from scorer.statistics.paired import marked
from scorer.website.records import Entry, SplitView
from scorer.website.render import score


class Sure(NamedTuple):
    """What is known of one value."""

    text: str = ""
    """The interval; ``no interval`` where none can be given; empty where none was computed."""
    about: str = ""
    """How it was made, as a clause."""
    interval: Interval | None = None
    band: str = ""
    """What the judge's errors allow, where a judge gave the value."""
    no_band: str = ""
    """Why ``band`` says that there are no bounds."""
    null: bool = False
    """Whether the value is marked as not better than its null."""


def sure(entry: Entry, metric: MetricInfo, judge: JudgeRef | None, view: SplitView) -> Sure:
    """What is known of the value of a row of the split that was scored here."""
    value = entry.result.metrics.get(metric.id)
    if value is None or value.value is None:
        return Sure()
    found = interval_of(value, metric)
    allowed = _band(entry, value, judge, view)
    return Sure(
        interval_text(found, metric), _about(found, value, metric), found,
        "" if allowed is None else _band_text(allowed, metric),
        "" if allowed is None else allowed.why_not,
        marked(value, graded=metric.graded),
    )


def published(value: float, n: int, metric: MetricInfo) -> Sure:
    """What is known of a value that was published elsewhere."""
    found = of_value(value, n, binary=metric.binary, source="the published value")
    if not found.given:
        return Sure(interval=found)
    return Sure(interval_text(found, metric), f"{_method(found)}, {found.note}", found)


def interval_text(found: Interval | None, metric: MetricInfo) -> str:
    """The bounds as people read them."""
    if found is None:
        return ""
    if found.low is None or found.high is None:
        return "no interval"
    return f"{score(found.low, metric)}\u2013{score(found.high, metric)}"


def about(found: Interval) -> str:
    """How an interval of people's verdicts was made, as a clause; empty without one."""
    return f"95 % interval, {_method(found)}" if found.given else found.note


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


def _band(
    entry: Entry, value: MetricValue, judge: JudgeRef | None, view: SplitView
) -> Band | None:
    """What the metric would be by people, by the gold labels of the graphs that passed, where items
    and gold are at hand; else for any mix of labels."""
    gate = view.board.task.gate_metric
    passing = entry.result.metrics.get(gate) if gate else None
    return judge_band(value, passing, judge,
                      _accepted(entry, value.metric, passing.metric, view) if passing else None)


def _accepted(entry: Entry, metric: str, gate: str, view: SplitView) -> dict[str, Share] | None:
    """How many of the graphs that passed were accepted, by gold label; None if none can tell."""
    n = len(view.labels)
    scores, passes = item_scores(entry.result, metric, n), item_scores(entry.result, gate, n)
    if not scores or not passes:
        return None
    found: dict[str, list[float]] = {}
    for label, passed, scored in zip(view.labels, passes, scores, strict=True):
        if passed:
            found.setdefault(label or "", []).append(scored)
    return {label: Share(round(sum(ones)), len(ones)) for label, ones in found.items()}


def _band_text(found: Band, metric: MetricInfo) -> str:
    if found.low is None or found.high is None:
        return found.why_not.partition(":")[0]
    return f"{score(found.low, metric)}\u2013{score(found.high, metric)}"
