"""A system against its null: the same labels, with graphs that say nothing."""

from __future__ import annotations

from scorer.metrics.catalogue import MetricInfo
from scorer.records import MetricValue
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
