"""Metrics that only count: the share of right labels, the share of items that passed the gates."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.core.records import ItemScore
from scorer.metrics.base import BHAGAVATULA, RELEASED, SAHA, MetricInfo
from scorer.metrics.worked import Arithmetic


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


def explain_label(metric: MetricInfo, items: Sequence[tuple[str, str]]) -> Arithmetic:
    """What an item counts by its labels."""
    [score] = metric.compute(items[:1])
    equal = "equal" if score.value else "not equal"
    return Arithmetic((f"{equal}, so the item counts {score.value:g}",), score.value)


def explain_passed(metric: MetricInfo, items: Sequence[object]) -> Arithmetic:
    """What an item counts that passed the gates, which are explained before."""
    [score] = metric.compute(items[:1])
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
