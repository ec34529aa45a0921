"""What can go wrong with hidden gold, as codes: none of them quotes a key, a label or a file."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from scorer.core.errors import DataError

Answer = TypeVar("Answer")

CODES = {
    "GOLD-SOURCE": "no such source; name folder:PATH, age:PATH or command:PROGRAM",
    "GOLD-MISSING": "the source has no gold for this split; it waits for gold",
    "GOLD-EXTRA": "age is not installed: pip install 'whyboard[hidden]'",
    "GOLD-IDENTITY": "no usable identity; name a file with AGE-SECRET-KEY-1... that only you can "
                     "read, or set WHYBOARD_GOLD_IDENTITY",
    "GOLD-RECIPIENT": "no usable recipient; name age1... as `scorer gold key` prints it, or a "
                      "public SSH key (ssh-ed25519, ssh-rsa)",
    "GOLD-OPEN": "cannot be opened: another identity is needed, or the file is damaged",
    "GOLD-ENVELOPE": "opened, but not as gold of this board and split; seal it again",
    "GOLD-ROWS": "opened, but not as rows of gold in the board's columns; check it where it was "
                 "sealed: scorer gold seal",
    "GOLD-INPUTS": "its texts are not those of the split's input file; seal the right file",
    "GOLD-DIGEST": "not the gold that board.yaml names under gold_hmac; seal or name the right one",
    "GOLD-GRID": "the board's grid of released values shows single items; see "
                 "scorer handbook board",
    "GOLD-COMMAND": "the command failed, took too long or wrote too much",
    "GOLD-SCORE": "the scorer failed on this submission; nothing is said about it",
    "GOLD-MEMORY": "scoring this submission took more memory than a worker may have",
    "GOLD-TIME": "scoring this submission took too long",
    "GOLD-WRITE": "cannot be written: it is there already, or the folder is closed to us",
}
"""Code -> what it means and what to do."""


class GoldError(DataError):
    """Hidden gold cannot be used; ``code`` says all that may be known."""

    def __init__(self, code: str, where: str = "") -> None:
        """``where``: a board, split, option or submission; never anything that was opened."""
        self.code = code
        super().__init__(f"{where}{': ' if where else ''}{code} {CODES[code]}")


def guarded(code: str, where: str, action: Callable[[], Answer]) -> Answer:
    """The action's answer; whatever it raises becomes a GoldError without cause or context."""
    with suppress(Exception):
        return action()
    raise GoldError(code, where)
