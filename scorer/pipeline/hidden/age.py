"""Sealing with age (https://age-encryption.org/v1), and what can go wrong with hidden gold.

Only this file imports pyrage. Faults are codes: none of them quotes a key, a label or a file.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from scorer.core.errors import DataError
from scorer.pipeline.hidden.handing import VARIABLE
from scorer.scoring.engines.process import close_memory

Answer = TypeVar("Answer")

CODES = {
    "GOLD-SOURCE": "no such source; name age:PATH, the folder of sealed gold",
    "GOLD-MISSING": "the source has no gold for this split; it waits for gold",
    "GOLD-EXTRA": "age is not installed: pip install 'whyboard[hidden]'",
    "GOLD-IDENTITY": "no usable identity; name a file with AGE-SECRET-KEY-1... that only you can "
                     "read, or set WHYBOARD_GOLD_IDENTITY",
    "GOLD-RECIPIENT": "no usable recipient; name age1... as `scorer gold key` prints it",
    "GOLD-OPEN": "cannot be opened: another identity is needed, or the file is damaged",
    "GOLD-ENVELOPE": "opened, but not as gold of this board and split; seal it again",
    "GOLD-ROWS": "opened, but not as rows of gold in the board's columns; check it where it was "
                 "sealed: scorer gold seal",
    "GOLD-INPUTS": "its texts are not those of the split's input file; seal the right file",
    "GOLD-DIGEST": "not the gold that board.yaml names under gold_hmac; seal or name the right one",
    "GOLD-GRID": "the board's grid of released values shows single items; see "
                 "scorer handbook board",
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


def _pyrage() -> Any:
    try:
        import pyrage
    except ImportError:
        raise GoldError("GOLD-EXTRA") from None
    return pyrage


class Identity:
    """A secret key. Its text form says nothing."""

    def __init__(self, text: str) -> None:
        """``text``: as age-keygen writes it, comments allowed. Raises GoldError(GOLD-IDENTITY).
        """
        self._keys = guarded("GOLD-IDENTITY", "", lambda: _secret_keys(text))
        if not self._keys:
            raise GoldError("GOLD-IDENTITY")

    @property
    def recipient(self) -> str:
        """The public key that belongs to the first secret key."""
        return str(self._keys[0].to_public())

    def open(self, sealed: bytes, where: str) -> bytes:
        """What was sealed. Raises GoldError(GOLD-OPEN)."""
        pyrage = _pyrage()
        return bytes(guarded("GOLD-OPEN", where, lambda: pyrage.decrypt(sealed, self._keys)))


def _secret_keys(text: str) -> list[Any]:
    pyrage = _pyrage()
    lines = [line.strip() for line in text.split("\n")]
    return [pyrage.x25519.Identity.from_str(line) for line in lines
            if line and not line.startswith("#")]


def seal(content: bytes, recipients: Sequence[str]) -> bytes:
    """Bytes that each recipient, ``age1...``, can open. Raises GoldError(GOLD-RECIPIENT)."""
    pyrage = _pyrage()
    parse = pyrage.x25519.Recipient.from_str
    keys = guarded("GOLD-RECIPIENT", "", lambda: [parse(text.strip()) for text in recipients])
    if not keys:
        raise GoldError("GOLD-RECIPIENT")
    return bytes(pyrage.encrypt(content, keys))


def new_identity() -> str:
    """The text of a new identity file."""
    identity = _pyrage().x25519.Identity.generate()
    return f"# public key: {identity.to_public()}\n{identity}\n"


def own_identity(path: Path | None = None) -> Identity | None:
    """The identity of a file, else of the environment, from which it is removed; None if neither.

    A file that others may read is refused. Nobody else can read our memory from now on. Raises
    GoldError(GOLD-IDENTITY).
    """
    close_memory()
    secret = os.environ.pop(VARIABLE, None)
    if path is not None:
        return Identity(guarded("GOLD-IDENTITY", "", lambda: _private_text(path)))
    return Identity(secret) if secret else None


def _private_text(path: Path) -> str:
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise PermissionError
    return path.read_text("ascii")


def write_private(path: Path, content: bytes) -> None:
    """Write a new file that only its owner can read. Raises GoldError(GOLD-WRITE)."""

    def write() -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            file.write(content)

    guarded("GOLD-WRITE", str(path), write)
