"""Examples of metrics, computed by the metrics' own code, as plain values.

Where a metric asks a model, a stand-in takes its place: its few numbers were made for the page,
which says so, and all that follows from them is the metric's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from scorer.board import Board, boards_folder, load
from scorer.board.golds import read_golds
from scorer.errors import DataError


class Table(NamedTuple):
    """Numbers between the words of two sentences."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """What heads a row, then its cells."""


class Arithmetic(NamedTuple):
    """How a value comes about."""

    steps: tuple[str, ...]
    """One line each; the last one gives the value."""
    value: float
    """What the metric says."""
    made: str = ""
    """Which numbers were made for the page, if any."""
    table: Table | None = None


class Example(NamedTuple):
    """What was answered to what, and how a metric's value of it comes about."""

    texts: tuple[tuple[str, str], ...]
    """Names of texts and what they say."""
    arithmetic: Arithmetic


@cache
def practice(name: str) -> tuple[Board, tuple[Any, ...]]:
    """A practice board, and the gold of its items, which come with the program."""
    board = load(name, boards_folder())
    path = board.data_file("dev", board.folder)
    if path is None:
        raise DataError(f"board {name} has no file of its dev split")
    return board, tuple(read_golds(board, "dev", path).items)


def counts(value: float) -> str:
    """What a label counts, in words.

    >>> counts(1.0)
    'equal, so the item counts 1'
    """
    return f"{'equal' if value else 'not equal'}, so the item counts {value:g}"


def checked(metric: str, computed: float, value: float, least: float = 1e-9) -> float:
    """The value, where the lines that explain it give the same. Raises DataError else.

    >>> checked("SA", 2 / 4, 0.5)
    0.5
    """
    if abs(computed - value) > least:
        raise DataError(f"the worked example of {metric} gives {computed}, the metric {value}")
    return value


def product(numbers: Sequence[tuple[int, int]]) -> str:
    """Fractions as they are multiplied.

    >>> product([(1, 2), (3, 4)])
    '1/2 · 3/4'
    """
    return " · ".join(f"{over}/{under}" for over, under in numbers)
