"""The page about the quality of a board's gold: what of it is public, counted from the files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from scorer.rules import lookup
from scorer.tasks.gold_quality import MOST_NAMED, SplitItems, measure
from scorer.website.page import Later, Page
from scorer.website.records import BoardView

FOLDER = "data/quality/"


def has_quality(board: BoardView) -> bool:
    """Whether gold of some split may be shown."""
    return any(view.golds for view in board.splits)


def quality_pages(board: BoardView) -> Iterator[Page]:
    """The page of a board with gold that may be shown."""
    if has_quality(board):
        yield Page(f"boards/{board.board.id}/{FOLDER}", f"{board.board.title}: gold quality",
                   "quality.html", Later(partial(_context, board)))


def _context(board: BoardView) -> Mapping[str, Any]:
    shown = [SplitItems(view.name, [gold.texts for gold in view.golds] or view.inputs, view.golds)
             for view in board.splits if view.golds or view.inputs]
    found = measure(board.board.task, board.settings, shown)
    return {
        "board": board.board, "boardview": board, "quality": found, "most": MOST_NAMED,
        "labels": sorted({label for split in found.splits for label in split.labels}),
        "lengths": list(dict.fromkeys(name for split in found.splits for name in split.lengths)),
        "paths": {view.name: view.path for view in board.splits if view.golds},
        "reasons": {(one.split, one.rule): one.reason for one in board.board.acknowledged},
        "pages": {rule.rule: lookup(rule.rule).page for split in found.splits
                  for rule in (*split.broken, *split.strict)},
        "units": board.board.task.units,
    }
