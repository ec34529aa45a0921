"""What a system gets wrong, for its page: where items stop, and on which kinds of items. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scorer.core.records import ItemResult
from scorer.metrics.catalogue import METRICS
from scorer.scoring.summary import total
from scorer.site.browsing.facets import search
from scorer.site.records import Entry, SplitView
from scorer.tasks.partitions import Division
from scorer.tasks.registry import AnyTask


class Part(NamedTuple):
    """One system's numbers on one part of a split."""

    name: str
    rows: tuple[int, ...]
    passed: int
    """Items that passed every gate."""
    metrics: Mapping[str, float]
    """Values over the part, for every metric that was measured; empty for a part without items."""
    at: str = ""
    """Where the browser shows its examples, if it can."""


def breakdown(task: AnyTask, division: Division, items: Sequence[ItemResult]) -> tuple[Part, ...]:
    """One system's numbers on every part; ``items`` are all items of the split, in order.

    Tables 7 (depth) and 8 (shape) of the ExplaGraphs paper are such breakdowns of one system on
    dev. A metric's mean over a part has all items of the part as its denominator, so the means of
    parts that do not overlap, weighted by items, give the mean over the split.
    """
    parts = []
    for name, rows in division.rows.items():
        chosen = [items[row - 1] for row in rows]
        parts.append(Part(
            name, rows, sum(item.verdict.annotation == task.passed for item in chosen),
            {metric: total(METRICS[metric], [item.scores[metric] for item in chosen])
             for metric in (chosen[0].scores if chosen else ())
             if metric in METRICS and all(metric in item.scores for item in chosen)}))
    return tuple(parts)


class Gate(NamedTuple):
    """The items that came so far."""

    text: str
    passed: int
    stopped: int
    """Items that had come to this gate and did not pass it."""
    passed_at: str
    """Where the browser shows them, from the site's root; empty where it cannot."""
    stopped_at: str
    rows: tuple[int, ...] = ()
    """Those that were stopped, where the browser has no search for them."""


class RuleCount(NamedTuple):
    """How often one rule was broken, and where."""

    rule: str
    text: str
    times: int
    alone: int
    """How many of these break nothing else."""
    rows: tuple[int, ...]
    at: str


def part_tables(view: SplitView, entry: Entry) -> list[tuple[Division, list[Part]]]:
    """The ways to divide the items, with a system's numbers on each part that has some; none
    without its items or without gold."""
    if not view.golds or len(entry.result.items) != len(view.golds):
        return []
    items = [*entry.result.items]  # unpacked once: parts take them in orders of their own
    return [(division, [
        part._replace(at=search(view, *((division.by.id, value)
                                        for value in division.by.values_of(part.name)),
                                entry=entry))
        for part in breakdown(view.board.task, division, items) if part.rows])
        for division in view.divisions]
