"""The page of each prompt that a row of a board names: its templates, and how to print it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scorer.boards import Board
from scorer.boards.prompts.reading import prompts_of
from scorer.boards.prompts.records import ANSWER, SYSTEM, USER, Prompt
from scorer.boards.submission import UsedPrompt
from scorer.core.errors import WhyboardError
from scorer.site.page import Page
from scorer.site.records import BoardView, Entry, SplitView

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
    known = _known(board.board) if uses else {}
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


def _known(board: Board) -> Mapping[str, Prompt]:
    """The prompts that this program has for a board; none where its host's cannot be read."""
    try:
        return prompts_of(board)
    except WhyboardError:
        return {}
