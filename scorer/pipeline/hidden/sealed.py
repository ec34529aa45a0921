"""Gold as it is sealed, where it comes from, and its rows as the task's own records.

Sealed are the rows with a first line that binds them to a board, a split and a key:

    whyboard-gold 1 <board> <split> <64 hexadecimal digits>

The digits are a random key that nobody sees without opening the envelope. Published is the HMAC of
the rows under that key: a plain digest of a small label file could be found by trying labels.

Opened, in memory and never quoted, it comes from one of these, and nothing else knows which:

    folder:PATH              PATH/<board>.<split>.gold, an opened envelope on the runner's own disk
    age:PATH                 PATH/<board>.<split>.age, sealed; an identity opens it
    command:PROGRAM ARGS     run without a shell, with board and split added; writes the envelope
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import shlex
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scorer.boards import Board
from scorer.boards.golds import input_texts, parse_golds
from scorer.boards.policy import chosen
from scorer.core.errors import UsageError
from scorer.core.files import write_atomically
from scorer.core.reading.tsv import File, read_rows
from scorer.core.records import SPLITS
from scorer.pipeline.hidden import age
from scorer.pipeline.hidden.age import GoldError, Identity, guarded

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
    items = guarded("GOLD-ROWS", where, lambda: _parsed(board, gold.rows))
    most = max(map(board.task.gold_count, items), default=0)
    if len(items) != described.rows or most > described.golds:
        raise GoldError("GOLD-ROWS", where)
    if described.gold_hmac not in (None, gold.hmac):
        raise GoldError("GOLD-DIGEST", where)
    texts = input_texts(board, gold.split, home) if home is not None else None
    if texts is not None and texts != tuple(tuple(item.texts) for item in items):
        raise GoldError("GOLD-INPUTS", where)
    return tuple(board.task.first_golds(item, described.golds) for item in items)


def _parsed(board: Board, rows: bytes) -> tuple[Any, ...]:
    columns, optional = board.task.gold_columns
    table = read_rows(File(rows, "gold"), columns, optional=optional)
    items = parse_golds(board, table.rows, table.problems)
    table.problems.raise_if_any()
    return items


SECONDS = 60.0
"""How long a command may take."""


def opened(source: str, identity: Identity | None, board: Board, split: str,
           home: Path) -> Envelope:
    """The gold of a split, surely of this split, in the board's columns and beside its inputs.

    ``source``: as a person names it. ``home``: where fetched inputs lie. Raises GoldError, or
    UsageError where the gold is not hidden.
    """
    where, described = f"{board.id} {split}", board.split(split)
    if described.gold != "hidden":
        raise UsageError(f"{where}: gold is not hidden; use scorer score")
    if chosen(board.release, described.rows) is None:
        raise GoldError("GOLD-GRID", where)
    content = read_source(source, identity, board.id, split)
    gold = guarded("GOLD-ENVELOPE", where, lambda: parse(content))
    if (gold.board, gold.split) != (board.id, split):
        raise GoldError("GOLD-ENVELOPE", where)
    read_items(board, gold, home)
    return gold


def read_source(source: str, identity: Identity | None, board: str, split: str) -> bytes:
    """The bytes of an opened envelope. Raises GoldError."""
    kind, _, rest = source.partition(":")
    where = f"{board} {split}"
    if kind == "folder" and rest:
        return guarded("GOLD-MISSING", where, Path(rest, f"{board}.{split}.gold").read_bytes)
    if kind == "age" and rest:
        if identity is None:
            raise GoldError("GOLD-IDENTITY")
        sealed = guarded("GOLD-MISSING", where, Path(rest, f"{board}.{split}.age").read_bytes)
        return identity.open(sealed, where)
    words = guarded("GOLD-SOURCE", "", lambda: shlex.split(rest)) if kind == "command" else []
    if not words:
        raise GoldError("GOLD-SOURCE")
    return guarded("GOLD-COMMAND", where, lambda: _output([*words, board, split]))


def _output(words: Sequence[str]) -> bytes:
    """What a program writes to its standard output; all that it began is killed when it is late."""
    # The words come from the command line or environment of the scoring job; no shell.
    with subprocess.Popen(  # noqa: S603
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            content, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode != 0:
        raise ChildProcessError
    return content


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
    write_atomically(out, age.seal(gold.to_bytes(), recipients))
    return gold


def unsealed(sealed: Path, identity: Identity | None) -> Envelope:
    """Open a sealed file. Raises GoldError."""
    if identity is None:
        raise GoldError("GOLD-IDENTITY")
    content = identity.open(guarded("GOLD-MISSING", str(sealed), sealed.read_bytes), "")
    return guarded("GOLD-ENVELOPE", "", lambda: parse(content))


def rotate(sealed: Path, identity: Identity | None, recipients: Sequence[str]) -> Envelope:
    """Seal the same gold to other recipients, in its place. Raises GoldError."""
    gold = unsealed(sealed, identity)
    write_atomically(sealed, age.seal(gold.to_bytes(), recipients))
    return gold
