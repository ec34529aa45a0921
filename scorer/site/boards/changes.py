"""What changed on a board: values computed again, errata, rows withdrawn. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from scorer.scoring.results.past import Delta, Past, Rank, causes, deltas, made_by, measured
from scorer.site.boards.leaderboards import Leaderboard, Leaderboards
from scorer.site.page import Page
from scorer.site.records import BoardView, Entry, SplitView

FOLDER = "changes/"
MOST = 300
"""Changed values that are shown for one cause; the rest is counted."""


class Recomputation(NamedTuple):
    """One result computed again: what it said, what it says, and why that may differ."""

    entry: Entry
    causes: tuple[str, ...]
    changed: tuple[Delta, ...]
    same: int
    """Metrics whose value and rank are as before."""


class RecomputedRows(NamedTuple):
    """Everything on one split that was computed again for the same reason."""

    view: SplitView
    causes: tuple[str, ...]
    rows: int
    changed: tuple[tuple[Entry, Delta], ...]
    """At most ``MOST``."""
    total: int
    same: int


def steps(entry: Entry, known: Leaderboard) -> tuple[Recomputation, ...]:
    """Every time that a row was computed again, the newest first."""
    states = [*((past.made_by, past.values, past.ranks) for past in entry.past),
              (made_by(entry.result.to_json()), measured(entry.result), _ranks(entry, known))]
    found = [_step(entry, old, *new)
             for old, new in zip(entry.past, states[1:], strict=True)]
    return tuple(reversed(found))


def _step(entry: Entry, old: Past, made: Mapping[str, str], values: Mapping[str, float],
          ranks: Mapping[str, Rank]) -> Recomputation:
    found = deltas(old, values, ranks)
    changed = tuple(delta for delta in found if delta.moved)
    return Recomputation(entry, tuple(causes(old.made_by, made)), changed,
                         len(found) - len(changed))


def _ranks(entry: Entry, known: Leaderboard) -> dict[str, Rank]:
    """The rank intervals that the row has now, by metric."""
    return {name: (value.rank[0], value.rank[1])
            for name, value in known.row(entry).values.items() if value.rank}


def changes(known: Leaderboard) -> Iterator[RecomputedRows]:
    """Rows that were computed again for the same reason, together."""
    by_cause: dict[tuple[str, ...], list[Recomputation]] = {}
    for entry in known.view.entries:
        for step in steps(entry, known):
            by_cause.setdefault(step.causes, []).append(step)
    for cause, found in by_cause.items():
        changed = [(step.entry, delta) for step in found for delta in step.changed]
        yield RecomputedRows(known.view, cause, len(found), tuple(changed[:MOST]), len(changed),
                             sum(step.same for step in found))


def changes_page(board: BoardView, leaderboards: Leaderboards) -> Page:
    """The page of everything that changed on a board."""
    context = {
        "board": board.board, "boardview": board,
        "changes": [one for view in board.splits if view.path in leaderboards
                    for one in changes(leaderboards[view.path])],
        "withdrawn": [(view, entry) for view in board.splits for entry in view.entries
                      if entry.about.withdrawn],
        "with_golds": {view.name for view in board.splits if view.golds},
    }
    return Page(f"boards/{board.board.id}/{FOLDER}", f"{board.board.title}: changes",
                "changes.html", context)
