"""The page about a board's data: its licence, downloads, and what its view counts. Pure."""

from __future__ import annotations

from functools import partial
from typing import Any

from scorer.website.page import Later, Page
from scorer.website.records import BoardView
from scorer.website.views.registry import AnyView, view_of


def address(board: str) -> str:
    """Where the page is, relative to the site's root."""
    return f"boards/{board}/data/"


def page(board: BoardView) -> Page:
    """The page; a board whose data are not at hand has its licence and its links there."""
    example_view = view_of(board.board)
    return Page(address(board.board.id), f"{board.board.title}: data",
                f"{example_view.name}/dataset.html", Later(partial(_context, board, example_view)))


def _context(board: BoardView, example_view: AnyView) -> dict[str, Any]:
    return {"board": board.board, "boardview": board,
            "absent": [view for view in board.splits if not view.golds],
            **example_view.dataset(board)}
