"""Training that never sees what it answers: on train, or by folds where there is no train."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

FOLDS = 10
MOST_TRAINED_ON = 5000
"""Items of train that are used, evenly spaced; more change little and take long."""

Fit = Callable[[Sequence[int]], Callable[[Sequence[int]], list[Any]]]
"""Is given the places of items to learn from; what it returns answers the items at others."""


def answered(fit: Fit, train: int, items: int) -> list[Any]:
    """An answer for each item. Items of train have the places before those of the others.

    Without train, each tenth is answered by what was fitted on the other nine; an item's tenth is
    the rest of its place divided by ten, so that neighbours fall apart.

    >>> answered(lambda known: lambda asked: [(place, len(known)) for place in asked], 0, 3)
    [(0, 2), (1, 2), (2, 2)]
    """
    if train:
        step = -(-train // MOST_TRAINED_ON)
        return fit(range(0, train, step))(range(train, train + items))
    answers: dict[int, Any] = {}
    for fold in range(min(FOLDS, items)):
        asked = range(fold, items, FOLDS)
        known = [place for place in range(items) if place not in asked]
        answers.update(zip(asked, fit(known)(asked), strict=True))
    return [answers[place] for place in range(items)]
