"""Where hidden gold comes from, opened in memory. Nothing else knows which.

    folder:PATH              PATH/<board>.<split>.gold, an opened envelope on the runner's own disk
    age:PATH                 PATH/<board>.<split>.age, sealed; an identity opens it
    command:PROGRAM ARGS     run without a shell, with board and split added; writes the envelope
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from scorer.boards import Board
from scorer.boards.policy import chosen
from scorer.core.errors import UsageError
from scorer.pipeline.hidden import envelope
from scorer.pipeline.hidden.age import Identity
from scorer.pipeline.hidden.envelope import Envelope
from scorer.pipeline.hidden.faults import GoldError, guarded
from scorer.pipeline.hidden.items import read_items

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
    content = read(source, identity, board.id, split)
    gold = guarded("GOLD-ENVELOPE", where, lambda: envelope.parse(content))
    if (gold.board, gold.split) != (board.id, split):
        raise GoldError("GOLD-ENVELOPE", where)
    read_items(board, gold, home)
    return gold


def read(source: str, identity: Identity | None, board: str, split: str) -> bytes:
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
