"""Pages of a board besides its leaderboards: about it, its data, how good its gold is, what changed
on it, and the prompts that its rows name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from scorer.boards import Board
from scorer.boards.prompts.reading import prompts_of
from scorer.boards.prompts.records import ANSWER, SYSTEM, USER, Prompt
from scorer.boards.submission import UsedPrompt
from scorer.core.errors import WhyboardError
from scorer.core.rules import lookup
from scorer.scoring.gold_report import faults
from scorer.scoring.results.past import Delta, Past, Rank, causes, deltas, made_by, measured
from scorer.site.boards.leaderboards import Leaderboard, Leaderboards
from scorer.site.outputs import taken_of_board
from scorer.site.page import Page
from scorer.site.records import BoardView, Entry, SplitView
from scorer.site.views.registry import AnyView, view_of
from scorer.tasks.gold_quality import MOST_NAMED, GoldQuality, SharedBySplits

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
    history = [_step(entry, old, *new)
               for old, new in zip(entry.past, states[1:], strict=True)]
    return tuple(reversed(history))


def _step(entry: Entry, old: Past, made: Mapping[str, str], values: Mapping[str, float],
          ranks: Mapping[str, Rank]) -> Recomputation:
    all_deltas = deltas(old, values, ranks)
    changed = tuple(delta for delta in all_deltas if delta.moved)
    return Recomputation(entry, tuple(causes(old.made_by, made)), changed,
                         len(all_deltas) - len(changed))


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
    for cause, group in by_cause.items():
        changed = [(step.entry, delta) for step in group for delta in step.changed]
        yield RecomputedRows(known.view, cause, len(group), tuple(changed[:MOST]), len(changed),
                             sum(step.same for step in group))


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
    return Page(f"boards/{board.board.id}/data/", f"{board.board.title}: data",
                f"{example_view.name}/dataset.html",
                partial(_data_context, board, example_view))


def _data_context(board: BoardView, example_view: AnyView) -> dict[str, Any]:
    return {"board": board.board, "boardview": board,
            "data_files": taken_of_board(board),
            "quality": f"boards/{board.board.id}/{QUALITY}" if has_quality(board) else "",
            "absent": [view for view in board.splits if not view.golds],
            "leaks": board.leaks,
            **example_view.dataset(board)}


QUALITY = "data/quality/"


def has_quality(board: BoardView) -> bool:
    """Whether gold of some split may be shown."""
    return any(view.golds for view in board.splits)


def quality_pages(board: BoardView) -> Iterator[Page]:
    """The page of a board with gold that may be shown."""
    if has_quality(board):
        yield Page(f"boards/{board.board.id}/{QUALITY}", f"{board.board.title}: gold quality",
                   "quality.html", partial(_quality, board))


def gold_warnings(boards: Iterable[BoardView]) -> Iterator[str]:
    """Rules that gold breaks and board.yaml does not acknowledge."""
    yield from (f"board {board.board.id}: {fault.summary}" for board in boards
                if has_quality(board) for fault in faults(board.board, board.gold_quality))


def _quality(board: BoardView) -> Mapping[str, Any]:
    quality = board.gold_quality
    return {
        "board": board.board, "boardview": board, "quality": quality, "most": MOST_NAMED,
        "labels": sorted({label for split in quality.splits for label in split.labels}),
        "lengths": list(dict.fromkeys(name for split in quality.splits for name in split.lengths)),
        "paths": {view.name: view.path for view in board.splits if view.golds},
        "reasons": {(entry.split, entry.rule): entry.reason for entry in board.board.acknowledged},
        "pages": {rule.rule: lookup(rule.rule).page for split in quality.splits
                  for rule in (*split.broken, *split.strict)},
        "units": board.board.task.units, "leaks": list(_leaks(quality)),
        "kinds": list(dict.fromkeys(overlap.what for overlap in quality.shared)),
        "repeated": list(dict.fromkeys(
            repeat.what for split in quality.splits for repeat in split.repeated)),
    }


def _leaks(quality: GoldQuality) -> Iterator[tuple[str, str, int, Mapping[str, SharedBySplits]]]:
    """What each pair of splits shares: the later one, the earlier one, the rows of the later."""
    sizes = {split.name: split.items for split in quality.splits}
    pairs: dict[tuple[str, str], dict[str, SharedBySplits]] = {}
    for overlap in quality.shared:
        pairs.setdefault((overlap.later, overlap.earlier), {})[overlap.what] = overlap
    yield from ((later, earlier, sizes[later], shared)
                for (later, earlier), shared in pairs.items())


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
    known = _prompts(board.board) if uses else {}
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


def _prompts(board: Board) -> Mapping[str, Prompt]:
    """The prompts that this program has for a board; none where its host's cannot be read."""
    try:
        return prompts_of(board)
    except WhyboardError:
        return {}
