"""What judges have said of texts: kept in a file between runs.

Keys are SHA-256 digests of a model's fingerprint and the texts, so an answer can never be taken for
another model's or another text's. The file is an SQLite database that many processes may use at
once. It is a convenience: if it is broken, locked or full, one line is logged and scoring goes on
without it.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path

PATIENCE = 20.0
"""Seconds to wait for another process that writes."""
ASKED_AT_ONCE = 500

_LOG = logging.getLogger(__name__)
_TABLE = ("CREATE TABLE IF NOT EXISTS judged "
          "(key BLOB PRIMARY KEY, answer BLOB NOT NULL) WITHOUT ROWID")


def key(fingerprint: str, *texts: str) -> bytes:
    """The key of what one model says of these texts, 32 bytes."""
    return sha256(json.dumps([fingerprint, *texts]).encode()).digest()


class TextCache:
    """Answers in a file, by key; no method raises. Connections live for one call: fork at will."""

    def __init__(self, path: Path | None) -> None:
        """``path``: None to keep nothing."""
        self._path = path

    def get(self, keys: Sequence[bytes], size: int) -> dict[bytes, bytes]:
        """The answers of ``size`` bytes that are there."""
        if not keys or self._path is None or not self._path.exists():
            return {}
        answers: dict[bytes, bytes] = {}

        def read(file: sqlite3.Connection) -> None:
            for start in range(0, len(keys), ASKED_AT_ONCE):
                part = keys[start : start + ASKED_AT_ONCE]
                marks = ",".join("?" * len(part))
                answers.update(file.execute(
                    f"SELECT key, answer FROM judged WHERE key IN ({marks}) "  # noqa: S608
                    "AND typeof(answer) = 'blob' AND length(answer) = ?", [*part, size]))

        self._do(read)
        return answers

    def put(self, answers: Mapping[bytes, bytes]) -> None:
        """Add answers; those already there are replaced."""
        if answers:
            self._do(lambda file: file.executemany(
                "INSERT OR REPLACE INTO judged VALUES (?, ?)", answers.items()))

    def _do(self, action: Callable[[sqlite3.Connection], object]) -> None:
        """An action within a transaction; after the first that fails, there is no file."""
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=PATIENCE)) as file, file:
                file.execute("PRAGMA journal_mode=WAL")
                file.execute("PRAGMA synchronous=NORMAL")
                file.execute(_TABLE)
                action(file)
        except (sqlite3.Error, OSError) as fault:
            _LOG.warning("%s cannot be used as a cache (%s); scoring goes on without it. Delete it",
                         self._path, fault)
            self._path = None
