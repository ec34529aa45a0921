"""Lift from the graph: what a system is more often right for having the graph."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.core.errors import NotMeasured
from scorer.core.records import ItemScore
from scorer.metrics.base import MetricInfo
from scorer.metrics.worked import Arithmetic

UNTOLD = "the predictions do not tell the label without the graph"


def graph_lift(items: Sequence[tuple[str, str, str | None]]) -> list[ItemScore]:
    """1 where only the label with the graph is right, -1 where only that without it is, else 0.

    ``items``: (gold label, label, label without the graph) of every item. Raises NotMeasured if
    an item has no label without the graph.

    >>> items = [("a", "a", "b"), ("a", "b", "a"), ("a", "a", "a")]
    >>> [score.value for score in graph_lift(items)]
    [1.0, -1.0, 0.0]
    """
    if any(without is None for _, _, without in items):
        raise NotMeasured(UNTOLD)
    return [ItemScore(float((label == gold) - (without == gold)))
            for gold, label, without in items]


def explain(metric: MetricInfo, items: Sequence[tuple[str, str, str]]) -> Arithmetic:
    """What an item counts by both of its labels."""
    [score] = metric.compute(items[:1])
    gold, label, without = items[0]
    verdicts = [("right" if answer == gold else "wrong") for answer in (label, without)]
    right = [int(answer == gold) for answer in (label, without)]
    return Arithmetic((
        f"without the graph predicted {without}: {verdicts[0]} with it, {verdicts[1]} without",
        f"{right[0]} - {right[1]} = {score.value:g}"), score.value)


GRAPH_LIFT = MetricInfo(
    "graph-lift", "Lift from the graph", "higher",
    "How much more often the label is right with the graph than without it.",
    "1 if only the label given with the graph equals gold, -1 if only that given without it does, "
    "else 0. Mean over all items: accuracy less the same system's accuracy without the graph. "
    "Interval: Bonett and Price, of paired proportions.",
    "this program, scorer/metrics/graph_lift.py", "Whyboard",
    graph_lift, signature=("match:exact",), graded=False, lowest=-1.0,
    difference=True, explain=explain,
    instead=("accuracy", "text-only"),
)
