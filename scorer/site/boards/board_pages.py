"""Pages of a board besides its leaderboards: about it, its data, how good its gold is, what changed
on it, the prompts that its rows name, and plots of its columns. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any, NamedTuple

from scorer.boards.prompts.prompt import ANSWER, SYSTEM, USER, Prompt, prompts_of
from scorer.boards.submission import UsedPrompt
from scorer.core.errors import WhyboardError
from scorer.metrics.catalogue import METRICS
from scorer.scoring.results.leaderboard import Column
from scorer.scoring.results.past import Delta, causes, deltas, made_by, measured
from scorer.site.boards.leaderboards import Leaderboard, Leaderboards
from scorer.site.outputs import taken_of_board
from scorer.site.page import Page
from scorer.site.records import BoardView, Entry, SplitView
from scorer.site.views.registry import view_of
from scorer.tasks.gold_quality import MOST_NAMED

MOST = 300
"""Changed values that are shown for one cause; the rest is counted."""


class Recomputation(NamedTuple):
    """One result computed again: what it said, what it says, and why that may differ."""

    entry: Entry
    causes: tuple[str, ...]
    changed: tuple[Delta, ...]
    same: int
    """Metrics whose value and rank are as before."""


def steps(entry: Entry, known: Leaderboard) -> list[Recomputation]:
    """Every time that a row was computed again, the newest first."""
    ranks = {name: (value.rank[0], value.rank[1])
             for name, value in known.row(entry).values.items() if value.rank}
    states = [*((past.made_by, past.values, past.ranks) for past in entry.past),
              (made_by(entry.result.to_json()), measured(entry.result), ranks)]
    history = []
    for old, (made, values, now) in zip(entry.past, states[1:], strict=True):
        all_deltas = deltas(old, values, now)
        changed = tuple(delta for delta in all_deltas if delta.moved)
        history.append(Recomputation(entry, tuple(causes(old.made_by, made)), changed,
                                     len(all_deltas) - len(changed)))
    return history[::-1]


def changes(known: Leaderboard) -> Iterator[dict[str, Any]]:
    """Rows of a split that were computed again for the same reason, together: how many, at most
    ``MOST`` of their changed values, how many changed and how many did not."""
    by_cause: dict[tuple[str, ...], list[Recomputation]] = {}
    for entry in known.view.entries:
        for step in steps(entry, known):
            by_cause.setdefault(step.causes, []).append(step)
    for cause, group in by_cause.items():
        changed = [(step.entry, delta) for step in group for delta in step.changed]
        yield {"view": known.view, "causes": cause, "rows": len(group), "changed": changed[:MOST],
               "total": len(changed), "same": sum(step.same for step in group)}


def changes_page(board: BoardView, leaderboards: Leaderboards) -> Page:
    """The page of everything that changed on a board."""
    context = {
        "board": board.board, "boardview": board,
        "changes": [change for view in board.splits if view.path in leaderboards
                    for change in changes(leaderboards[view.path])],
        "withdrawn": [(view, entry) for view in board.splits for entry in view.entries
                      if entry.about.withdrawn],
        "with_golds": {view.name for view in board.splits if view.golds},
    }
    return Page(f"boards/{board.board.id}/changes/", f"{board.board.title}: changes",
                "changes.html", context)


# ---- about, data ------------------------------------------------------------------------------


def about_page(board: BoardView) -> Page:
    context = {"view": board, "board": board.board,
               "example_view": view_of(board.board)}
    return Page(f"boards/{board.board.id}/", board.board.title, "board.html", context)


def data_page(board: BoardView) -> Page:
    """Of a board's data: its licence, its downloads, and what is counted of gold at hand."""
    example_view = view_of(board.board)

    def context() -> dict[str, Any]:
        return {"board": board.board, "boardview": board,
                "data_files": taken_of_board(board),
                "quality": f"boards/{board.board.id}/{QUALITY}" if board.public_golds() else "",
                "absent": [view for view in board.splits if not view.golds],
                "leaks": board.leaks,
                **example_view.dataset(board)}

    return Page(f"boards/{board.board.id}/data/", f"{board.board.title}: data",
                f"{example_view.name}/dataset.html", context)


QUALITY = "data/quality/"


def quality_pages(board: BoardView) -> Iterator[Page]:
    """The page of a board with gold that may be shown."""
    if board.public_golds():
        yield Page(f"boards/{board.board.id}/{QUALITY}", f"{board.board.title}: gold quality",
                   "quality.html", lambda: {
                       "board": board.board, "boardview": board, "quality": board.gold_quality,
                       "most": MOST_NAMED, "paths": {
                           view.name: view.path for view in board.splits if view.golds}})


WHAT = {SYSTEM: "the system message", USER: "the question about an item",
        ANSWER: "how the answer to an example is written"}
"""A prompt's templates, in the order of a chat."""


def prompt_pages(board: BoardView) -> Iterator[Page]:
    """One page for each prompt that a row names; none where no row does."""
    uses: dict[UsedPrompt, dict[str, list[tuple[Entry, SplitView]]]] = {}
    for view in board.splits:
        for entry in view.entries:
            if entry.prompt is not None:
                uses.setdefault(entry.prompt, {}).setdefault(entry.key, []).append((entry, view))
    known: Mapping[str, Prompt] = {}
    if uses:
        with suppress(WhyboardError):  # none where its host's cannot be read
            known = prompts_of(board.board)
    for used, systems in sorted(uses.items()):
        prompt = known.get(used.name)
        there = prompt is not None and prompt.digest == used.digest
        context = {
            "board": board.board, "used": used, "prompt": prompt if there else None,
            "newer": None if there else prompt,
            "templates": [(name, what, prompt.templates[name]) for name, what in WHAT.items()
                          if prompt is not None and there and name in prompt.templates],
            "uses": list(systems.values()),
        }
        yield Page(f"boards/{board.board.id}/{used.folder}",
                   f"Prompt {used.name} v{used.version} on {board.board.title}", "prompt.html",
                   context)


# ---- plots -----------------------------------------------------------------------------------

PLOTS = "plots/"
SYSTEMS = ("scored", "third-party", "preview")
NOT_SHOWN = 99
"""Stands for the place of a column that is not shown at first."""


class PlotPoint(NamedTuple):
    """One row of a leaderboard, scored or published, as plots see it."""

    title: str
    kind: str
    entry: Entry | None
    values: Mapping[str, float]
    intervals: Mapping[str, Sequence[float]]


def plot_pages(board: BoardView, known: Leaderboard) -> Iterator[Page]:
    """Any two columns of a split as dots, which ``site/assets/plots.js`` draws from a table; no
    page if no two rows share two columns."""
    points = points_of(known)
    pairs = _pairs(known, points)
    if not pairs:
        return
    x, y = pairs[0]
    columns = [column for column in known.document.columns if any(column in pair for pair in pairs)]
    context = {
        "board": board.board, "boardview": board, "view": known.view,
        "x": x, "y": y, "columns": columns,
        "fitted": sum(point.kind in SYSTEMS for point in points) > 1,
        "points": [one for one in points if sum(column.id in one.values for column in columns) > 1],
        "compared": bool(known.pairs),
    }
    title = f"{board.board.title}: {known.view.name}, {y.id} against {x.id}"
    yield Page(f"{known.view.path}{PLOTS}", title, "plots.html", context)


def points_of(known: Leaderboard) -> list[PlotPoint]:
    """The rows that may be drawn: scored ones as ordered, then those published elsewhere."""
    scored = [PlotPoint(known.title(row.key), row.kind, known.entries[row.key],
                        {name: float(one.v) for name, one in row.values.items()
                         if one.v is not None},
                        {name: cell.ci for name, cell in row.values.items() if cell.ci})
              for row in known.document.rows if not row.withdrawn]
    return scored + [PlotPoint(row.system, "human" if row.human else "reported", None,
                               {name: float(value) for name, value in row.values.items()}, {})
                     for row in known.document.published]


def _pairs(known: Leaderboard, points: Sequence[PlotPoint]) -> list[tuple[Column, Column]]:
    """Every two columns that two rows have numbers for; first those with what orders rows, and of
    these the first as shown whose items are not just right or wrong."""
    lead = known.document.order.by

    def late(pair: tuple[Column, Column]) -> tuple[bool, list[tuple[bool, int]]]:
        others = [column for column in pair if column.id != lead]
        return len(others) == len(pair), [
            (column.id in METRICS and METRICS[column.id].binary, column.shown or NOT_SHOWN)
            for column in others]

    return sorted((pair for pair in combinations(known.document.columns, 2)
                   if sum(all(column.id in point.values for column in pair)
                          for point in points) > 1), key=late)
