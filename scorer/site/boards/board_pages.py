"""Pages of a board besides its leaderboards: about it, its data, how good its gold is, what changed
on it, the prompts that its rows name, and plots of its columns. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import combinations, pairwise
from typing import Any

from scorer.boards.prompts import ANSWER, SYSTEM, USER, Prompt, prompts_of
from scorer.boards.submission import UsedPrompt
from scorer.core.errors import WhyboardError
from scorer.metrics.catalogue import METRICS
from scorer.scoring.results import past
from scorer.scoring.results.leaderboard import Column, LeaderboardDocument
from scorer.site.outputs import taken_of_board
from scorer.site.page import Page
from scorer.site.records import BoardView, Entry, SplitView
from scorer.site.views.registry import view_of
from scorer.tasks.gold_quality import MOST_NAMED

MOST = 300
"""Changed values that are shown for one cause; the rest is counted."""


def changes(view: SplitView) -> Iterator[dict[str, Any]]:
    """Rows of a split that were computed again for the same reason, together: how many, at most
    ``MOST`` of their changed values, how many changed and how many did not."""
    by_cause: dict[tuple[str, ...], list[tuple[Entry, list[past.Delta]]]] = {}
    for entry in view.entries:
        now = past.of(entry.result.to_json(), view.row(entry)) if entry.past else None
        for old, new in reversed([*pairwise(filter(None, (*entry.past, now)))]):
            by_cause.setdefault(tuple(past.causes(old.made_by, new.made_by)), []).append(
                (entry, past.deltas(old, new)))
    for cause, group in by_cause.items():
        changed = [(entry, delta) for entry, every in group for delta in every if delta.moved]
        yield {"view": view, "causes": cause, "rows": len(group), "changed": changed[:MOST],
               "total": len(changed),
               "same": sum(len(every) for _, every in group) - len(changed)}


def changes_page(board: BoardView) -> Page:
    """The page of everything that changed on a board."""
    context = {
        "board": board.board, "boardview": board,
        "changes": [change for view in board.splits for change in changes(view)],
        "withdrawn": [(view, entry) for view in board.splits for entry in view.entries
                      if entry.about.withdrawn],
        "with_golds": {view.name for view in board.splits if view.golds},
    }
    return Page(f"boards/{board.board.id}/changes/", f"{board.board.title}: changes",
                "changes.html", context)


# ---- about, data ------------------------------------------------------------------------------


def about_page(board: BoardView) -> Page:
    return Page(f"boards/{board.board.id}/", board.board.title, "board.html", {
        "view": board, "board": board.board, "example_view": view_of(board.board)})


def data_pages(board: BoardView) -> Iterator[Page]:
    """Of a board's data: its licence, its downloads, and what is counted of gold at hand; and how
    good its gold is, where it may be shown."""
    path, example_view = f"boards/{board.board.id}/data/", view_of(board.board)
    quality = f"{path}quality/" if board.public_golds() else ""
    yield Page(path, f"{board.board.title}: data", "dataset.html", lambda: {
        "board": board.board, "example_view": example_view, "data_files": taken_of_board(board),
        "quality": quality, "absent": [view for view in board.splits if not view.golds],
        "leaks": board.leaks, **example_view.dataset(board)})
    if quality:
        yield Page(quality, f"{board.board.title}: gold quality", "quality.html", lambda: {
            "board": board.board, "boardview": board, "quality": board.gold_quality,
            "most": MOST_NAMED,
            "paths": {view.name: view.path for view in board.splits if view.golds}})


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


def drawable(document: LeaderboardDocument) -> list[tuple[Column, Column]]:
    """Every two columns that at least two rows share, scored or published."""
    there = [{name for name, value in row.values.items() if value.v is not None}
             for row in document.rows if not row.withdrawn]
    there += [{*row.values} for row in document.published]
    return [pair for pair in combinations(document.columns, 2)
            if sum({column.id for column in pair} <= names for names in there) > 1]


def plot_page(board: BoardView, view: SplitView) -> Page:
    """Any two of these columns as dots, which ``site/assets/plots.js`` draws from a table."""
    document = view.document
    pairs, rows = drawable(document), [row for row in document.rows if not row.withdrawn]
    # First those with what orders rows, and of these the first as shown whose items are not just
    # right or wrong.
    lead = document.order.by

    def late(pair: tuple[Column, Column]) -> tuple[bool, list[tuple[bool, int]]]:
        others = [column for column in pair if column.id != lead]
        return len(others) == len(pair), [
            (column.id in METRICS and METRICS[column.id].binary,
             column.shown or len(document.columns) + 1)
            for column in others]

    x, y = min(pairs, key=late)
    context = {
        "board": board.board, "view": view, "document": document, "x": x, "y": y, "rows": rows,
        "columns": [column for column in document.columns
                    if any(column in pair for pair in pairs)],
        "fitted": sum(row.kind != "reference" for row in rows) > 1,
    }
    title = f"{board.board.title}: {view.name}, {y.id} against {x.id}"
    return Page(f"{view.path}plots/", title, "plots.html", context)
