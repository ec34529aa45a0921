"""What a system gets wrong, for its page: where items stop, and on which kinds of items. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from scorer.scoring.breakdown import Part, breakdown
from scorer.tasks.partitions import Partition, divisions
from scorer.website.browsing.searching import search
from scorer.website.records import Entry, SplitView


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
    page: str
    text: str
    times: int
    alone: int
    """How many of these break nothing else."""
    rows: tuple[int, ...]
    at: str


class Lines(NamedTuple):
    """A system's numbers on the parts of one partition."""

    name: str
    heading: str
    long: bool
    """Whether there are too many parts to show at first."""
    overlapping: bool
    """Whether an item can be in several parts."""
    parts: tuple[tuple[Part, str], ...]
    """Those with items, and where the browser shows their examples."""


class Anatomy(NamedTuple):
    """Of one system on one split."""

    gates: tuple[Gate, ...]
    broken: tuple[RuleCount, ...]
    strict: tuple[RuleCount, ...]
    lines: tuple[Lines, ...]
    metrics: tuple[str, ...]
    """Columns of the breakdown."""


def anatomy(view: SplitView, entry: Entry, partitions: Iterable[Partition[Any]],
            gates: Iterable[Gate], broken: Iterable[RuleCount] = (),
            strict: Iterable[RuleCount] = ()) -> Anatomy:
    """As much as can be told: without items the counts, with hidden gold nothing."""
    whole = bool(view.golds) and len(entry.result.items) == len(view.golds)
    lines = tuple(_lines(view, entry, partitions)) if whole else ()
    metrics = tuple(name for name in view.board.metrics if any(
        name in part.metrics for line in lines for part, _ in line.parts))
    return Anatomy(tuple(gates), tuple(broken), tuple(strict), lines, metrics)


def _lines(view: SplitView, entry: Entry, partitions: Iterable[Partition[Any]]
           ) -> Iterator[Lines]:
    for division in divisions([*partitions], view.golds):
        by = division.by
        parts = breakdown(view.board.task, division, entry.result.items)
        yield Lines(by.id, by.heading, by.long, division.overlapping, tuple(
            (part, search(view, *((by.id, value) for value in by.values_of(part.name)),
                          entry=entry))
            for part in parts if part.rows))
