"""Fields that wait for a person: what a command writes where only a person knows the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from scorer.boards.reading import FILE_NAME
from scorer.boards.records import Board

PLACEHOLDER = "To fill in:"
"""How such a value begins."""
_MARKUP = re.compile(r"[\s>*#-]*(?:<[a-z][^<>]*>)?")
"""What a line of a page may have before its words."""


def is_open(text: str) -> bool:
    """Whether a value still waits.

    >>> is_open("To fill in: who runs this board."), is_open("A board of ours.")
    (True, False)
    """
    return text.lstrip().startswith(PLACEHOLDER)


def open_fields(board: Board) -> Iterator[tuple[int, str]]:
    """The line and name of every open field of board.yaml, in the order of the file."""
    values = {name: value for name, value in vars(board).items() if isinstance(value, str)}
    reasons = {f"reason of {one.rule} in {one.split}": one.reason for one in board.acknowledged}
    waiting = [name for name, value in {**values, **reasons}.items() if is_open(value)]
    lines = (board.folder / FILE_NAME).read_text("utf-8").split("\n")
    yield from sorted((_line(lines, name), name) for name in waiting)


def _line(lines: list[str], name: str) -> int:
    key = "acknowledged" if name.startswith("reason of ") else name
    return next((number for number, line in enumerate(lines, start=1)
                 if line.startswith(f"{key}:")), 1)


def open_lines(root: Path) -> Iterator[tuple[str, int]]:
    """The path and line of every open text of the pages in ``site/`` of a repository."""
    for path in sorted((root / "site").rglob("*.md")):
        lines = path.read_text("utf-8", errors="replace").split("\n")
        yield from ((path.relative_to(root).as_posix(), number)
                    for number, line in enumerate(lines, start=1)
                    if is_open(_MARKUP.sub("", line, count=1)))


def described(root: Path, board: Board) -> list[str]:
    """Open fields of a board, a sentence each, with the file as it is called in the repository."""
    path = board.folder / FILE_NAME
    shown = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
    return [f"{shown}:{line}: {name} is still to be filled in"
            for line, name in open_fields(board)]
