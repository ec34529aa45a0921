"""What judges have said of texts: remembered in a run, and kept in a file between runs.

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
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from scorer.core.records import TextPair

PATIENCE = 20.0
"""Seconds to wait for another process that writes."""

_LOG = logging.getLogger(__name__)
_OPEN = """PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;
CREATE TABLE IF NOT EXISTS judged (key BLOB PRIMARY KEY, answer BLOB NOT NULL) WITHOUT ROWID"""
_ASK = """SELECT key, answer FROM judged
WHERE key = ? AND typeof(answer) = 'blob' AND length(answer) = ?"""
_Made = TypeVar("_Made")


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
        return self._do(lambda file: {
            key: answer for asked in keys for key, answer in file.execute(_ASK, (asked, size))}
        ) or {}

    def put(self, answers: Mapping[bytes, bytes]) -> None:
        """Add answers; those already there are replaced."""
        if answers:
            self._do(lambda file: file.executemany(
                "INSERT OR REPLACE INTO judged VALUES (?, ?)", answers.items()))

    def _do(self, action: Callable[[sqlite3.Connection], _Made]) -> _Made | None:
        """An action within a transaction; after the first that fails, there is no file."""
        if self._path is None:
            return None
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=PATIENCE)) as file, file:
                file.executescript(_OPEN)
                return action(file)
        except (sqlite3.Error, OSError) as fault:
            _LOG.warning("%s cannot be used as a cache (%s); scoring goes on without it. Delete it",
                         self._path, fault)
            self._path = None
            return None


class CachedJudge:
    """A judge that works out each text once."""

    def __init__(self, labels: tuple[str, ...], fingerprint: str, cache: TextCache) -> None:
        """``fingerprint`` names whatever may change an answer."""
        self.labels = labels
        self._fingerprint = fingerprint
        self._cache = cache
        self._known: dict[bytes, bytes] = {}

    def probabilities(self, pairs: Sequence[TextPair]) -> NDArray[np.float32]:
        """Shape (pairs, labels). Raises NotMeasured, with the reason, if there is no answer."""
        asked = {key(self._fingerprint, *pair): pair for pair in pairs}
        self._known |= self._cache.get([*asked.keys() - self._known.keys()], 4 * len(self.labels))
        new = {name: pair for name, pair in asked.items() if name not in self._known}
        if new:
            self._judge(new, len(asked) - len(new))
        rows = b"".join(self._known[key(self._fingerprint, *pair)] for pair in pairs)
        return np.frombuffer(rows, np.float32).reshape(-1, len(self.labels)).copy()

    def _judge(self, new: Mapping[bytes, TextPair], cached: int) -> None:
        """Hand the row of every new pair to ``_keep``; ``cached`` texts are known already."""
        raise NotImplementedError

    def _keep(self, rows: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Remember rows of probabilities, in float32, by key."""
        answers = {name: row.tobytes() for name, row in rows.items()}
        self._known |= answers
        self._cache.put(answers)
