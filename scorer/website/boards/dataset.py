"""The page about a board's data: its licence, downloads, and what its kind counts. Pure."""

from __future__ import annotations

from functools import partial
from typing import Any

from scorer.website.page import Later, Page
from scorer.website.records import BoardView
from scorer.website.views.base import ExampleKind
from scorer.website.views.registry import kind_of


def address(board: str) -> str:
    """Where the page is, relative to the site's root."""
    return f"boards/{board}/data/"


def page(board: BoardView) -> Page:
    """The page; a board whose data are not at hand has its licence and its links there."""
    kind = kind_of(board.board)
    return Page(address(board.board.id), f"{board.board.title}: data",
                f"{kind.name}/dataset.html", Later(partial(_context, board, kind)))


def _context(board: BoardView, kind: ExampleKind) -> dict[str, Any]:
    return {"board": board.board, "boardview": board,
            "absent": [view for view in board.splits if not view.golds], **kind.dataset(board)}
