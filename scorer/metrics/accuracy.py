"""Metrics that only count: the share of right labels, the share of items that passed the gates,
and what a system is more often right for having the graph.
"""

from __future__ import annotations

from collections.abc import Sequence

from scorer.core.errors import NotMeasured
from scorer.core.records import ItemScore
from scorer.metrics.base import BHAGAVATULA, RELEASED, SAHA, Arithmetic, MetricInfo


def label_accuracy(pairs: Sequence[tuple[str | None, str | None]]) -> list[ItemScore]:
    """1.0 where the predicted label equals the gold label, else 0.0.

    ``pairs``: (gold label, predicted label) of every item. Range 0 to 1, higher is better.

    >>> [score.value for score in label_accuracy([("support", "support"), ("support", "counter")])]
    [1.0, 0.0]
    """
    return [ItemScore(float(gold == predicted)) for gold, predicted in pairs]


def passed(items: Sequence[object]) -> list[ItemScore]:
    """1.0 for every item given: only those that passed the gate are.

    >>> [score.value for score in passed([(), ()])]
    [1.0, 1.0]
    """
    return [ItemScore(1.0) for _ in items]


def explain_label(items: Sequence[tuple[str, str]], score: ItemScore) -> Arithmetic:
    """What an item counts by its labels."""
    equal = "equal" if score.value else "not equal"
    return Arithmetic((f"{equal}, so the item counts {score.value:g}",), score.value)


def explain_passed(items: Sequence[object], score: ItemScore) -> Arithmetic:
    """What an item counts that passed the gates, which are explained before."""
    return Arithmetic((f"the label is right and no constraint is broken, so the item counts "
                       f"{score.value:g}",), score.value)


SA = MetricInfo(
    "SA", "Stance accuracy", "higher",
    "Share of items whose predicted label is the gold label.",
    "1 if the label equals gold, else 0. Mean over all items of the split.",
    f"{RELEASED}, metrics/eval.py", SAHA,
    label_accuracy, signature=("match:exact",), graded=False,
    binary=True, explain=explain_label,
)

STCA = MetricInfo(
    "StCA", "Structural correctness accuracy of graphs", "higher",
    "Share of items with the right label whose graph keeps every structural constraint.",
    "1 if the label is right and no constraint is broken, else 0. Mean over all items.",
    f"{RELEASED}, metrics/eval.py", SAHA,
    passed, signature=("concepts:substring", "repeats:allowed"),
    graded=False, binary=True, explain=explain_passed,
)

ACCURACY = MetricInfo(
    "accuracy", "Accuracy", "higher",
    "Share of items with the right label.",
    "1 if the label equals gold, else 0. Mean over all items of the split.",
    "github allenai/mosaic-leaderboard, anli/evaluator/eval.py", BHAGAVATULA,
    label_accuracy, signature=("match:exact",), graded=False,
    binary=True, explain=explain_label,
)

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


def explain_lift(items: Sequence[tuple[str, str, str]], score: ItemScore) -> Arithmetic:
    """What an item counts by both of its labels."""
    gold, *labels = items[0]
    right = [int(answer == gold) for answer in labels]
    verdicts = ["right" if one else "wrong" for one in right]
    return Arithmetic((
        f"without the graph predicted {labels[1]}: {verdicts[0]} with it, {verdicts[1]} without",
        f"{right[0]} - {right[1]} = {score.value:g}"), right[0] - right[1])


GRAPH_LIFT = MetricInfo(
    "graph-lift", "Lift from the graph", "higher",
    "How much more often the label is right with the graph than without it.",
    "1 if only the label given with the graph equals gold, -1 if only that given without it does, "
    "else 0. Mean over all items: accuracy less the same system's accuracy without the graph. "
    "Interval: Bonett and Price, of paired proportions.",
    "this program, scorer/metrics/accuracy.py", "Whyboard",
    graph_lift, signature=("match:exact",), graded=False, lowest=-1.0,
    difference=True, explain=explain_lift,
    instead=("accuracy", "text-only"),
)
