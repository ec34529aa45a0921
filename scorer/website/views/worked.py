"""The item that the worked examples of a task's metrics explain, and what they show of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from scorer.board import Board, boards_folder, load
from scorer.board.golds import read_golds
from scorer.errors import DataError


class WorkedItem(NamedTuple):
    """A board that comes with the program, and answers to some of its items or like ones."""

    board: Board
    golds: Sequence[Any]
    """The first is explained; a metric of a whole split sees all."""
    predictions: Sequence[Any]
    texts: tuple[tuple[str, str], ...]
    """Names of the texts and what they say."""
    label: tuple[str, ...] = ()
    """What was predicted, in a line that every metric begins with, where that is a label."""
    gates: tuple[str, ...] = ()
    """How the answer passes the gates, a line each."""
    drawings: tuple[tuple[str, Markup], ...] = ()
    """Captions and graphs, gold first."""


def practice(name: str) -> tuple[Board, tuple[Any, ...]]:
    """A practice board, and the gold of its items, which come with the program."""
    board = load(name, boards_folder())
    path = board.data_file("dev", board.folder)
    if path is None:
        raise DataError(f"board {name} has no file of its dev split")
    return board, tuple(read_golds(board, "dev", path).items)
