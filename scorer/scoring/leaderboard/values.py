"""How sure one value is: its interval, and what its judge's errors allow. Pure."""

from __future__ import annotations

from scorer.metrics.catalogue import MetricInfo
from scorer.records import Interval, MetricValue
from scorer.scoring.judging import JudgeRef
from scorer.share import Share
from scorer.statistics.intervals import of_value
from scorer.statistics.judge_band import MAY_HAVE_SEEN, Band, band, errors_of


def interval_of(value: MetricValue, metric: MetricInfo) -> Interval | None:
    """The interval of a result's value; of hidden gold, what the released value allows."""
    if value.grid is not None and value.value is not None:
        return of_value(value.value, value.n, binary=metric.binary, source="the released value")
    return value.interval


def judge_band(value: MetricValue, passing: MetricValue | None, judge: JudgeRef | None,
               ) -> Band | None:
    """What a metric would be by people, if the judge errs as its card says.

    ``passing``: the same row's share of answers that passed the gates.
    """
    errors = errors_of(judge.known.card) if judge and judge.known else {}
    if not errors or not passing or passing.value is None or value.passed is None:
        return None
    if judge and judge.known and judge.known.card.may_have_seen:
        return MAY_HAVE_SEEN
    count = round(value.passed * value.n_passed)
    return band(Share(count, value.n_passed), passing.value, errors)
