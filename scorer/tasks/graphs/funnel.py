"""Where the items of a system stop, and which constraints its graphs break, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scorer.records import Finding, ItemResult
from scorer.tasks.graphs.levels import LEVELS, Level, right


class Step(NamedTuple):
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
    steps: tuple[Step, ...]
    """Levels in order; the last one is left out if no judge was asked."""
    broken: tuple[Broken, ...]
    """Constraints broken by items with the right label, the most frequent first."""
    strict: tuple[Broken, ...]
    """Diagnostics that never change a number, of all items."""


def funnel(items: Sequence[ItemResult]) -> Funnel:
    """The funnel of one system. The counts of ``broken`` and ``strict`` are the result's own."""
    rows = tuple(item.row for item in items)
    steps = []
    for level in LEVELS:
        told = {item.row: right(item, level) for item in items}
        if None not in told.values():
            passed = tuple(row for row in rows if told[row])
            steps.append(Step(level, passed, tuple(row for row in rows if not told[row])))
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
