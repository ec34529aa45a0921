"""Where the items of a system stop, and which constraints its graphs break, row by row.

The evaluation has three levels: stance, then structure, then semantics. An item is right at a level
only if it is right at those before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from scorer.core.records import Finding, ItemResult
from scorer.tasks.graphs.task import STANCE_INCORRECT, STRUCT_CORRECT

Level = Literal["stance", "structure", "semantics"]

LEVELS: tuple[Level, ...] = get_args(Level)

METRIC_OF: dict[Level, str] = {"stance": "SA", "structure": "StCA", "semantics": "SeCA"}
"""The metric that is a level's share of right items; each item's score is 0 or 1."""


class FunnelStep(NamedTuple):
    """One level: the items that passed it, and those that had come so far and stopped here."""

    level: Level
    passed: tuple[int, ...]
    stopped: tuple[int, ...]


class Broken(NamedTuple):
    """One rule and the items that break it."""

    rule: str
    rows: tuple[int, ...]
    alone: tuple[int, ...]
    """Those of them that break nothing else: without this rule they would have passed."""


@dataclass(frozen=True)
class Funnel:
    """Every item of a split, sorted by how far it came."""

    items: int
    steps: tuple[FunnelStep, ...]
    """Levels in order; the last one is left out if no judge was asked."""
    broken: tuple[Broken, ...]
    """Constraints broken by items with the right label, the most frequent first."""
    strict: tuple[Broken, ...]
    """Strict findings of all items."""


def right(item: ItemResult, level: Level) -> bool | None:
    """Whether an item is right at a level; None if no judge was asked."""
    if level == "stance":
        return item.verdict.annotation != STANCE_INCORRECT
    if level == "structure":
        return item.verdict.annotation == STRUCT_CORRECT
    score = item.scores.get(METRIC_OF[level])
    return None if score is None else score.value == 1.0


def funnel(items: Sequence[ItemResult]) -> Funnel:
    """The funnel of one system. The counts of ``broken`` and ``strict`` are the result's own."""
    rows = tuple(item.row for item in items)
    steps = []
    for level in LEVELS:
        outcomes = {item.row: right(item, level) for item in items}
        if None not in outcomes.values():
            passed = tuple(row for row in rows if outcomes[row])
            steps.append(FunnelStep(level, passed, tuple(row for row in rows if not outcomes[row])))
            rows = passed
    labelled = [item for item in items if right(item, "stance")]
    return Funnel(
        len(items), tuple(steps),
        _broken((item.row, item.verdict.broken) for item in labelled),
        _broken((item.row, item.verdict.strict) for item in items),
    )


def _broken(found: Iterable[tuple[int, Sequence[Finding]]]) -> tuple[Broken, ...]:
    rows: dict[str, list[int]] = {}
    alone: dict[str, list[int]] = {}
    for row, findings in found:
        rules = {finding.rule for finding in findings}
        for rule in rules:
            rows.setdefault(rule, []).append(row)
            if len(rules) == 1:
                alone.setdefault(rule, []).append(row)
    return tuple(
        Broken(rule, tuple(rows[rule]), tuple(alone.get(rule, ())))
        for rule in sorted(rows, key=lambda rule: (-len(rows[rule]), rule))
    )
