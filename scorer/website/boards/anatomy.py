"""What a system gets wrong, for its page: where items stop, and on which kinds of items. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from scorer.scoring.breakdown import Part, breakdown
from scorer.tasks.partitions import Division
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


class PartTable(NamedTuple):
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
    breakdown: tuple[PartTable, ...]
    metrics: tuple[str, ...]
    """Its columns."""


def part_tables(view: SplitView, entry: Entry, divisions: Iterable[Division]
                ) -> tuple[PartTable, ...]:
    """The breakdown of a system; none without its items or without gold."""
    if not view.golds or len(entry.result.items) != len(view.golds):
        return ()
    return tuple(_part_table(view, entry, division) for division in divisions)


def _part_table(view: SplitView, entry: Entry, division: Division) -> PartTable:
    by = division.by
    parts = breakdown(view.board.task, division, entry.result.items)
    return PartTable(by.id, by.heading, by.long, division.overlapping, tuple(
        (part, search(view, *((by.id, value) for value in by.values_of(part.name)), entry=entry))
        for part in parts if part.rows))
