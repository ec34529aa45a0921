"""The three levels of the evaluation: stance, then structure, then semantics.

An item is right at a level only if it is right at those before it.
"""

from __future__ import annotations

from typing import Literal, get_args

from scorer.records import ItemResult
from scorer.tasks.graphs.task import STANCE_INCORRECT, STRUCT_CORRECT

Level = Literal["stance", "structure", "semantics"]

LEVELS: tuple[Level, ...] = get_args(Level)

METRIC_OF: dict[Level, str] = {"stance": "SA", "structure": "StCA", "semantics": "SeCA"}
"""The metric that is a level's share of right items; each item's score is 0 or 1."""


def right(item: ItemResult, level: Level) -> bool | None:
    """Whether an item is right at a level; None if no judge was asked."""
    if level == "stance":
        return item.verdict.annotation != STANCE_INCORRECT
    if level == "structure":
        return item.verdict.annotation == STRUCT_CORRECT
    score = item.scores.get(METRIC_OF[level])
    return None if score is None else score.value == 1.0
