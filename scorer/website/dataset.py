"""The page about a board's data: its licence, downloads, and what its kind counts. Pure."""

from __future__ import annotations

from scorer.website.kinds import kind_of
from scorer.website.page import Page
from scorer.website.views import BoardView


def address(board: str) -> str:
    """Where the page is, relative to the site's root."""
    return f"boards/{board}/data/"


def page(board: BoardView) -> Page:
    """The page; a board whose data are not at hand has its licence and its links there."""
    kind = kind_of(board.board)
    context = {
        "board": board.board, "boardview": board,
        "absent": [view for view in board.splits if not view.golds], **kind.dataset(board),
    }
    return Page(address(board.board.id), f"{board.board.title}: data",
                f"{kind.name}/dataset.html", context)
