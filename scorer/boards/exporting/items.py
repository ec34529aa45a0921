"""The items of a board that may be given away, as tables of text, and its licence's usual name.

A split leaves if its file lies beside board.yaml, the board lets its items be shown and its licence
is filled in. Gold leaves where it is public, corrected by the errata that hold; else its columns
are empty, whatever the file has there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from scorer.boards import LARGEST_GOLD, Board, errata
from scorer.boards.golds import input_texts, read_golds
from scorer.boards.reading import is_open
from scorer.core.errors import UsageError
from scorer.core.reading.tsv import open_file, read_rows

ROW = "row"
"""The column before the board's own: the item's number, from 1, as results name it."""


@dataclass(frozen=True)
class ExportedItems:
    """The items of one split."""

    split: str
    columns: tuple[str, ...]
    """The board's own columns, the same for every split."""
    optional: frozenset[str]
    """Those that may be empty."""
    rows: tuple[tuple[str | None, ...], ...]
    """The fields of every item, as many as there are columns."""
    gold: bool
    """Whether gold is among them."""
    sha256: str = ""
    """Digest of the gold, as results name it; empty without."""


def why_not(board: Board, split: str) -> str:
    """Why the items of a split may not be given away; empty if they may."""
    if board.examples != "public":
        return "board.yaml says that no item may be shown (examples: private)"
    if is_open(board.licence):
        return "the licence in board.yaml is still to be filled in"
    if _file(board, split) is None:
        return "its file is no part of the board's folder; each user brings it"
    return ""


def items_of(board: Board) -> tuple[ExportedItems, ...]:
    """Every split that may be given away, in the order of board.yaml; they have the same columns,
    without those that no row of any split has.

    Raises DataError if a file is not what the board says.
    """
    tables = [_items(board, split) for split in board.splits if not why_not(board, split)]
    width = max((len(row) for table in tables for row in table.rows), default=0)
    return tuple(
        replace(table, columns=table.columns[:width],
                optional=table.optional & {*table.columns[:width]},
                rows=tuple((*row, *[None] * (width - len(row))) for row in table.rows))
        for table in tables)


def check_any(board: Board) -> None:
    """Raise UsageError, with a reason for each split, if none may be given away."""
    reasons = {split: why_not(board, split) for split in board.splits}
    if all(reasons.values()):
        details = "; ".join(f"{split}: {reason}" for split, reason in reasons.items())
        raise UsageError(f"no data of board {board.id} may be given away. {details}")


def _file(board: Board, split: str) -> Path | None:
    """The split's file beside board.yaml."""
    name = board.splits[split].file
    path = board.folder / "data" / name if name is not None else None
    return path if path is not None and path.is_file() else None


def _items(board: Board, split: str) -> ExportedItems:
    columns, further = board.task.gold_columns
    inputs = board.task.input_columns
    path = _file(board, split)
    assert path is not None
    if board.splits[split].gold != "public":
        texts = input_texts(board, split, board.folder) or ()
        return ExportedItems(split, tuple(columns), frozenset(columns) - set(inputs), texts,
                             gold=False)
    golds = read_golds(board, split, path)
    table = read_rows(open_file(path, largest=LARGEST_GOLD), columns, optional=further)
    rows = errata.corrected(table.rows, columns, golds.errata)
    return ExportedItems(split, tuple(columns), frozenset(columns[len(columns) - further:]),
                         tuple(row.fields for row in rows), gold=True, sha256=golds.sha256)


_CC = "https://creativecommons.org"
_KNOWN = {
    "cc0-1.0": (r"CC0(?: 1\.0)?", f"{_CC}/publicdomain/zero/1.0/"),
    "cc-by-4.0": (r"CC[ -]BY[ -]4\.0", f"{_CC}/licenses/by/4.0/"),
    "cc-by-sa-4.0": (r"CC[ -]BY-SA[ -]4\.0", f"{_CC}/licenses/by-sa/4.0/"),
    "cc-by-nc-4.0": (r"CC[ -]BY-NC[ -]4\.0", f"{_CC}/licenses/by-nc/4.0/"),
    "cc-by-nc-sa-4.0": (r"CC[ -]BY-NC-SA[ -]4\.0", f"{_CC}/licenses/by-nc-sa/4.0/"),
    "mit": (r"(?:The )?MIT(?: [Ll]icen[cs]e)?", "https://opensource.org/license/mit"),
    "apache-2.0": (r"Apache[ -](?:[Ll]icen[cs]e )?2\.0",
                   "https://www.apache.org/licenses/LICENSE-2.0"),
}


class Licence(NamedTuple):
    """A licence that the Hub knows, or ``other``."""

    id: str
    url: str


def licence(text: str) -> Licence:
    """The licence that a text begins with and says nothing but words of explanation after.

    A text that names two is ``other``: which one holds is for people to say.

    >>> licence("CC0 1.0: do with it what you like.").id
    'cc0-1.0'
    >>> licence("MIT licence in one place, CC BY-SA 4.0 in another.").id
    'other'
    """
    words = " ".join(text.split())
    named = [name for name, (pattern, _) in _KNOWN.items()
             if re.search(rf"(?<![\w-]){pattern}(?![\w-])", words)]
    if len(named) == 1 and re.match(rf"{_KNOWN[named[0]][0]}(?:[.:,;]|$)", words):
        return Licence(named[0], _KNOWN[named[0]][1])
    return Licence("other", "")
