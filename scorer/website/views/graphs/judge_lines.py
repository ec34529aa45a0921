"""What judges said of one graph, beside the numbers that were made of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from scorer.metrics.catalogue import METRICS
from scorer.models.judges import KNOWN
from scorer.records import EDGE_PART, ItemResult
from scorer.website.judges.judging import JudgeRef, Judges
from scorer.website.records import Entry


class JudgeLine(NamedTuple):
    """What a judge said of one graph."""

    metric: str
    judge: JudgeRef
    said: tuple[tuple[str, str], ...]
    """Names and numbers."""


def judge_lines(item: ItemResult, entry: Entry, judges: Judges) -> Iterator[JudgeLine]:
    """What stands behind the numbers of judges, for graphs that a judge was asked about."""
    for metric, info in METRICS.items():
        found = item.scores.get(metric)
        if info.judge is None or found is None or len(found.parts) == len(info.parts):
            continue  # a graph that stopped at a gate has no more than the metric's own parts
        judge = judges.behind(entry.result, metric)
        if judge is None:
            continue
        labels = [f"p {label}" for label in KNOWN[info.judge].labels]
        names = dict.fromkeys([*(name for name in labels if name in found.parts),
                               *sorted(name for name in found.parts
                                       if not name.startswith(EDGE_PART))])
        yield JudgeLine(metric, judge,
                        tuple((name, told(name, found.parts[name])) for name in names))


def importance(item: ItemResult) -> dict[int, float]:
    """By the zero-based place of an edge: by how much a judge is less sure of the gold label
    without it; empty where no judge was asked about single edges."""
    return {int(name.removeprefix(EDGE_PART)) - 1: value
            for score in item.scores.values() for name, value in score.parts.items()
            if name.startswith(EDGE_PART)}


def told(name: str, value: float) -> str:
    """A judge's number: probabilities as they are, shares of edges as percentages.

    >>> told("p counter", 0.98765), told("decided", 0.6), told("smallest difference", 0.00001234)
    ('0.988', '60.0', '1.2e-05')
    """
    if name.startswith("p "):
        return f"{value:.3f}"
    return f"{value:.2g}" if "difference" in name else f"{100 * value:.1f}"
