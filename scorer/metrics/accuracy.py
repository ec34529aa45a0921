"""Metrics that only count: the share of right labels, the share of items that passed the gates."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.records import ItemScore


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
