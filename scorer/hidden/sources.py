"""Where opened gold comes from: a folder, age files, or a command. Nothing else knows which.

    folder:PATH              PATH/<board>.<split>.gold, an opened envelope on the runner's own disk
    age:PATH                 PATH/<board>.<split>.age, sealed; an identity opens it
    command:PROGRAM ARGS     run without a shell, with board and split added; writes the envelope
"""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from scorer.hidden import envelope
from scorer.hidden.age import Identity
from scorer.hidden.envelope import Envelope
from scorer.hidden.faults import GoldError, guarded

LARGEST = 64 * 1024 * 1024
"""Bytes of gold that are read, at most."""


class GoldSource(Protocol):
    """Gives the gold of a split."""

    def read(self, board: str, split: str) -> bytes:
        """The bytes of an opened envelope. Raises GoldError."""


@dataclass(frozen=True)
class Folder:
    """Opened envelopes in a folder that only the scoring job can read."""

    path: Path

    def read(self, board: str, split: str) -> bytes:
        """The file's bytes. Raises GoldError(GOLD-MISSING)."""
        return _content(self.path / f"{board}.{split}.gold", f"{board} {split}")


@dataclass(frozen=True)
class AgeFiles:
    """Sealed envelopes, which may lie in a public repository."""

    path: Path
    identity: Identity = field(repr=False)

    def read(self, board: str, split: str) -> bytes:
        """The opened envelope. Raises GoldError(GOLD-MISSING, GOLD-OPEN)."""
        where = f"{board} {split}"
        return self.identity.open(_content(self.path / f"{board}.{split}.age", where), where)


@dataclass(frozen=True)
class Command:
    """A program that writes the envelope to its standard output."""

    words: tuple[str, ...]
    seconds: float = 60.0
    """How long it may take."""
    largest: int = LARGEST
    """How many bytes it may write."""

    def read(self, board: str, split: str) -> bytes:
        """What it wrote. Its standard error is dropped. Raises GoldError(GOLD-COMMAND)."""
        words = [*self.words, board, split]
        return guarded("GOLD-COMMAND", f"{board} {split}", lambda: self._run(words))

    def _run(self, words: Sequence[str]) -> bytes:
        deadline = time.monotonic() + self.seconds
        # The words come from the command line or environment of the scoring job; no shell.
        with subprocess.Popen(  # noqa: S603
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            assert process.stdout is not None
            try:
                content = self._output(process.stdout.fileno(), deadline)
                code = process.wait(max(0.0, deadline - time.monotonic()))
            finally:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
        if code != 0:
            raise ChildProcessError
        return content

    def _output(self, pipe: int, deadline: float) -> bytes:
        content = bytearray()
        while True:
            ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError
            block = os.read(pipe, 64 * 1024)
            if not block:
                return bytes(content)
            content += block
            if len(content) > self.largest:
                raise BufferError


def _content(path: Path, where: str) -> bytes:
    def read() -> bytes:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise BufferError
        return content

    return guarded("GOLD-MISSING", where, read)


def named(text: str, identity: Identity | None) -> GoldSource:
    """The source of an option. Raises GoldError(GOLD-SOURCE, GOLD-IDENTITY)."""
    kind, _, rest = text.partition(":")
    if kind == "folder" and rest:
        return Folder(Path(rest))
    if kind == "age" and rest:
        if identity is None:
            raise GoldError("GOLD-IDENTITY")
        return AgeFiles(Path(rest), identity)
    words = guarded("GOLD-SOURCE", "", lambda: shlex.split(rest)) if kind == "command" else []
    if words:
        return Command(tuple(words))
    raise GoldError("GOLD-SOURCE")


def opened(source: GoldSource, board: str, split: str) -> Envelope:
    """The envelope of a split, surely of this split. Raises GoldError."""
    content = source.read(board, split)
    found = guarded("GOLD-ENVELOPE", f"{board} {split}", lambda: envelope.parse(content))
    if (found.board, found.split) != (board, split):
        raise GoldError("GOLD-ENVELOPE", f"{board} {split}")
    return found
