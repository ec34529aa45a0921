"""The page about the quality of a board's gold: what of it is public, counted from the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from scorer.core.rules import lookup
from scorer.scoring.gold_report import faults
from scorer.site.page import Page
from scorer.site.records import BoardView
from scorer.tasks.gold_quality import MOST_NAMED, GoldQuality, SharedBySplits

FOLDER = "data/quality/"


def has_quality(board: BoardView) -> bool:
    """Whether gold of some split may be shown."""
    return any(view.golds for view in board.splits)


def quality_pages(board: BoardView) -> Iterator[Page]:
    """The page of a board with gold that may be shown."""
    if has_quality(board):
        yield Page(f"boards/{board.board.id}/{FOLDER}", f"{board.board.title}: gold quality",
                   "quality.html", partial(_context, board))


def gold_warnings(boards: Iterable[BoardView]) -> Iterator[str]:
    """Rules that gold breaks and board.yaml does not acknowledge."""
    yield from (f"board {board.board.id}: {fault.summary}" for board in boards
                if has_quality(board) for fault in faults(board.board, board.gold_quality))


def _context(board: BoardView) -> Mapping[str, Any]:
    found = board.gold_quality
    return {
        "board": board.board, "boardview": board, "quality": found, "most": MOST_NAMED,
        "labels": sorted({label for split in found.splits for label in split.labels}),
        "lengths": list(dict.fromkeys(name for split in found.splits for name in split.lengths)),
        "paths": {view.name: view.path for view in board.splits if view.golds},
        "reasons": {(one.split, one.rule): one.reason for one in board.board.acknowledged},
        "pages": {rule.rule: lookup(rule.rule).page for split in found.splits
                  for rule in (*split.broken, *split.strict)},
        "units": board.board.task.units, "leaks": list(_leaks(found)),
        "kinds": list(dict.fromkeys(one.what for one in found.shared)),
        "repeated": list(dict.fromkeys(
            one.what for split in found.splits for one in split.repeated)),
    }


def _leaks(found: GoldQuality) -> Iterator[tuple[str, str, int, Mapping[str, SharedBySplits]]]:
    """What each pair of splits shares: the later one, the earlier one, the rows of the later."""
    sizes = {split.name: split.items for split in found.splits}
    pairs: dict[tuple[str, str], dict[str, SharedBySplits]] = {}
    for one in found.shared:
        pairs.setdefault((one.later, one.earlier), {})[one.what] = one
    yield from ((later, earlier, sizes[later], shared)
                for (later, earlier), shared in pairs.items())
