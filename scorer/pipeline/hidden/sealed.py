"""Gold as it is sealed, where it comes from, and its rows as the task's own records.

Sealed are the rows with a first line that binds them to a board, a split and a key:

    whyboard-gold 1 <board> <split> <64 hexadecimal digits>

The digits are a random key that nobody sees without opening the envelope. Published is the HMAC of
the rows under that key: a plain digest of a small label file could be found by trying labels.

It is opened in memory and never quoted: ``age:PATH`` names the folder of ``<board>.<split>.age``.

Faults are codes: none of them quotes a key, a label or a file. Only this file imports pyrage.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from scorer.boards import Board
from scorer.boards.golds import input_texts, parsed
from scorer.boards.policy import chosen
from scorer.core.errors import DataError, UsageError
from scorer.core.files import write_atomically
from scorer.core.reading.tsv import File
from scorer.core.records import SPLITS
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
        parse = _pyrage().x25519.Identity.from_str
        lines = [line.strip() for line in text.split("\n")]
        self._keys = guarded("GOLD-IDENTITY", "", lambda: [
            parse(line) for line in lines if line and not line.startswith("#")])
        if not self._keys:
            raise GoldError("GOLD-IDENTITY")

    @property
    def recipient(self) -> str:
        """The public key that belongs to the first secret key."""
        return str(self._keys[0].to_public())

    def open(self, sealed: bytes, where: str) -> bytes:
        """What was sealed. Raises GoldError(GOLD-OPEN)."""
        decrypt = _pyrage().decrypt
        return bytes(guarded("GOLD-OPEN", where, lambda: decrypt(sealed, self._keys)))


def encrypted(content: bytes, recipients: Sequence[str]) -> bytes:
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
    GoldError(GOLD-IDENTITY), without age GoldError(GOLD-EXTRA).
    """
    close_memory()
    secret = os.environ.pop(VARIABLE, None) or None
    if path is not None:
        if guarded("GOLD-IDENTITY", "", path.stat).st_mode & 0o077:
            raise GoldError("GOLD-IDENTITY")
        secret = guarded("GOLD-IDENTITY", "", partial(path.read_text, "ascii"))
    return Identity(secret) if secret is not None else None


def write_private(path: Path, content: bytes) -> None:
    """Write a new file that only its owner can read. Raises GoldError(GOLD-WRITE)."""

    def write() -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
            file.write(content)

    guarded("GOLD-WRITE", str(path), write)


# ---- envelopes -----------------------------------------------------------------------------------

_HEAD = re.compile(rb"whyboard-gold 1 ([a-z0-9-]{1,40}) (%s) ([0-9a-f]{64})\n"
                   % "|".join(SPLITS).encode())


@dataclass(frozen=True)
class Envelope:
    """Opened gold. Its text form shows neither rows nor key."""

    board: str
    split: str
    rows: bytes = field(repr=False)
    """A gold file in the board's columns."""
    key: bytes = field(repr=False)
    """32 random bytes."""

    @property
    def hmac(self) -> str:
        """What may be published: HMAC-SHA256 of board, split and rows, 64 hexadecimal digits."""
        named = f"{self.board} {self.split}\n".encode()
        return hmac.new(self.key, named + self.rows, hashlib.sha256).hexdigest()

    def to_bytes(self) -> bytes:
        """The envelope as it is sealed."""
        return f"whyboard-gold 1 {self.board} {self.split} {self.key.hex()}\n".encode() + self.rows


def new(board: str, split: str, rows: bytes) -> Envelope:
    """An envelope with a fresh key."""
    return Envelope(board, split, rows, secrets.token_bytes(32))


def parse(content: bytes) -> Envelope:
    """The envelope of some bytes. Raises ValueError without quoting them."""
    head = _HEAD.match(content)
    if head is None:
        raise ValueError("no envelope")
    board, split, key = (part.decode("ascii") for part in head.groups())
    return Envelope(board, split, content[head.end():], bytes.fromhex(key))


def read_items(board: Board, gold: Envelope, home: Path | None = None) -> tuple[Any, ...]:
    """One gold record for each row, in order.

    ``home``: where fetched inputs lie; with it the texts must be those of the input file, if that
    is at hand. Raises GoldError(GOLD-ROWS, GOLD-INPUTS, GOLD-DIGEST).
    """
    where = f"{board.id} {gold.split}"
    described = board.split(gold.split)
    items, problems = guarded("GOLD-ROWS", where, lambda: parsed(board, File(gold.rows, "gold")))
    guarded("GOLD-ROWS", where, problems.raise_if_any)
    most = max(map(board.task.gold_count, items), default=0)
    if len(items) != described.rows or most > described.golds:
        raise GoldError("GOLD-ROWS", where)
    if described.gold_hmac not in (None, gold.hmac):
        raise GoldError("GOLD-DIGEST", where)
    texts = input_texts(board, gold.split, home) if home is not None else None
    if texts is not None and texts != tuple(tuple(item.texts) for item in items):
        raise GoldError("GOLD-INPUTS", where)
    return tuple(board.task.first_golds(item, described.golds) for item in items)


def opened(source: str, identity: Identity | None, board: Board, split: str,
           home: Path) -> Envelope:
    """The gold of a split, surely of this split, in the board's columns and beside its inputs.

    ``source``: ``age:PATH``. ``home``: where fetched inputs lie. Raises GoldError, or
    UsageError where the gold is not hidden.
    """
    where, described = f"{board.id} {split}", board.split(split)
    if described.gold != "hidden":
        raise UsageError(f"{where}: gold is not hidden; use scorer score")
    if chosen(board.release, described.rows) is None:
        raise GoldError("GOLD-GRID", where)
    kind, _, folder = source.partition(":")
    if kind != "age" or not folder:
        raise GoldError("GOLD-SOURCE")
    gold = unsealed(Path(folder, f"{board.id}.{split}.age"), identity, where)
    if (gold.board, gold.split) != (board.id, split):
        raise GoldError("GOLD-ENVELOPE", where)
    read_items(board, gold, home)
    return gold


def seal(gold_file: Path, board: Board, split: str, recipients: Sequence[str],
         out: Path) -> Envelope:
    """Seal a gold file under a fresh key, once its rows are those of the split.

    Raises UsageError, GoldError.
    """
    described = board.split(split)
    if described.gold != "hidden":
        raise UsageError(f"{board.id} {split}: gold is {described.gold}; only hidden gold is "
                         "sealed")
    if not gold_file.is_file():
        raise UsageError(f"{gold_file}: no such file; name a gold file")
    gold = new(board.id, split, gold_file.read_bytes())
    unnamed = replace(described, gold_hmac=None)  # board.yaml may still name earlier gold
    read_items(replace(board, splits={split: unnamed}), gold)
    write_atomically(out, encrypted(gold.to_bytes(), recipients))
    return gold


def unsealed(sealed: Path, identity: Identity | None, where: str) -> Envelope:
    """Open a sealed file. Raises GoldError."""
    if identity is None:
        raise GoldError("GOLD-IDENTITY")
    content = identity.open(guarded("GOLD-MISSING", where, sealed.read_bytes), where)
    return guarded("GOLD-ENVELOPE", where, lambda: parse(content))


def rotate(sealed: Path, identity: Identity | None, recipients: Sequence[str]) -> Envelope:
    """Seal the same gold to other recipients, in its place. Raises GoldError."""
    gold = unsealed(sealed, identity, str(sealed))
    write_atomically(sealed, encrypted(gold.to_bytes(), recipients))
    return gold
