"""What changed on a board: values computed again, errata, rows withdrawn. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scorer.results.files import to_json
from scorer.results.past import Delta, Past, Rank, causes, deltas, made_by, measured
from scorer.website.boards.table import Table, Tables
from scorer.website.page import Page
from scorer.website.records import BoardView, Entry, SplitView

FOLDER = "changes/"
MOST = 300
"""Moved values that are shown for one cause; the rest is counted."""


class Step(NamedTuple):
    """One result computed again: what it said, what it says, and why that may differ."""

    entry: Entry
    causes: tuple[str, ...]
    moved: tuple[Delta, ...]
    same: int
    """Metrics whose value and rank are as before."""


class Moved(NamedTuple):
    """One value that moved."""

    entry: Entry
    delta: Delta


class Change(NamedTuple):
    """Everything on one split that was computed again for the same reason."""

    view: SplitView
    causes: tuple[str, ...]
    rows: int
    moved: tuple[Moved, ...]
    """At most ``MOST``."""
    total: int
    same: int


def steps(entry: Entry, table: Table) -> tuple[Step, ...]:
    """Every time that a row was computed again, the newest first."""
    states = [*((past.made_by, past.values, past.ranks) for past in entry.past),
              (made_by(to_json(entry.result)), measured(entry.result), _ranks(entry, table))]
    found = [_step(entry, old, *new)
             for old, new in zip(entry.past, states[1:], strict=True)]
    return tuple(reversed(found))


def _step(entry: Entry, old: Past, made: Mapping[str, str], values: Mapping[str, float],
          ranks: Mapping[str, Rank]) -> Step:
    found = deltas(old, values, ranks)
    moved = tuple(delta for delta in found if delta.moved)
    return Step(entry, tuple(causes(old.made_by, made)), moved, len(found) - len(moved))


def _ranks(entry: Entry, table: Table) -> dict[str, Rank]:
    """The places that the row has now, by metric."""
    found = {name: contest.place(entry.key) for name, contest in table.contests.items()}
    return {name: (place.plain.first, place.plain.last)
            for name, place in found.items() if place is not None}


def changes(view: SplitView, table: Table) -> Iterator[Change]:
    """Rows that were computed again for the same reason, together."""
    by_cause: dict[tuple[str, ...], list[Step]] = {}
    for entry in view.entries:
        for step in steps(entry, table):
            by_cause.setdefault(step.causes, []).append(step)
    for cause, found in by_cause.items():
        moved = [Moved(step.entry, delta) for step in found for delta in step.moved]
        yield Change(view, cause, len(found), tuple(moved[:MOST]), len(moved),
                     sum(step.same for step in found))


def changes_page(board: BoardView, tables: Tables) -> Page:
    """The page of everything that changed on a board."""
    context = {
        "board": board.board, "boardview": board, "here": "changes",
        "changes": [one for view in board.splits for one in changes(view, tables[view.path])],
        "withdrawn": [(view, entry) for view in board.splits for entry in view.entries
                      if entry.withdrawn],
        "with_golds": {view.name for view in board.splits if view.golds},
    }
    return Page(f"boards/{board.board.id}/{FOLDER}", f"{board.board.title}: changes",
                "changes.html", context)
