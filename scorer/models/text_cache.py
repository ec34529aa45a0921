"""What models have said of texts: remembered within a run, and in a file between runs.

Keys are SHA-256 digests of a model's fingerprint and the texts, so an answer can never be taken for
another model's or another text's. The file is an SQLite database that many processes may use at
once. It is a convenience: if it is broken, locked or full, one line is logged and scoring goes on
without it, and a damaged answer is a missing one.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from hashlib import blake2b, sha256
from pathlib import Path

MOST_BYTES = 512 * 1024**2
"""The most that a cache file holds unless told otherwise: some five million answers of a judge."""
PATIENCE = 20.0
"""Seconds to wait for another process that writes."""
OVERHEAD = 300
"""Bytes that an answer takes in memory beside its own, about."""
ASKED_AT_ONCE = 500

_LOG = logging.getLogger(__name__)
_TABLE = ("CREATE TABLE IF NOT EXISTS answers "
          "(key BLOB PRIMARY KEY, answer BLOB NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID")


def key(fingerprint: str, *texts: str) -> bytes:
    """The key of what one model says of these texts, 32 bytes."""
    return sha256(json.dumps([fingerprint, *texts]).encode()).digest()


class TextCache:
    """Answers in a file, by key; no method raises. Connections live for one call: fork at will."""

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        """``most_bytes``: above this, the answers that were not used for longest are dropped."""
        self._path = path
        self._most = most_bytes
        self._broken = False

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The answers that are there, undamaged."""
        return self._try(lambda file: self._get(file, keys)) if keys and self._path.exists() else {}

    def put(self, answers: Mapping[bytes, bytes]) -> None:
        """Add answers; those already there are replaced."""
        if answers:
            self._try(lambda file: self._put(file, answers))

    def _try(self, action: Callable[[sqlite3.Connection], dict[bytes, bytes]]
             ) -> dict[bytes, bytes]:
        if self._broken:
            return {}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(
                sqlite3.connect(self._path, timeout=PATIENCE, isolation_level=None)
            ) as file:
                file.execute("PRAGMA journal_mode=WAL")
                file.execute("PRAGMA synchronous=NORMAL")
                file.execute(_TABLE)
                return action(file)
        except (sqlite3.Error, OSError) as fault:
            self._broken = True
            _LOG.warning("%s cannot be used as a cache (%s); scoring goes on without it. "
                         "Delete it, or work without it: --no-cache", self._path, fault)
            return {}

    def _get(self, file: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        answers, old, now = {}, [], _hour()
        for start in range(0, len(keys), ASKED_AT_ONCE):
            part = keys[start : start + ASKED_AT_ONCE]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, answer, used FROM answers WHERE key IN ({marks})"  # noqa: S608
            for name, sealed, used in file.execute(query, part):
                answer = sealed[8:] if isinstance(sealed, bytes) else b""
                if sealed == _check(name, answer) + answer:  # no bit of it changed on the disk
                    answers[name] = answer
                    if used != now:
                        old.append((now, name))
        if old:
            file.execute("BEGIN IMMEDIATE")
            file.executemany("UPDATE answers SET used = ? WHERE key = ?", old)
            file.execute("COMMIT")
        return answers

    def _put(self, file: sqlite3.Connection, answers: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
        now = _hour()
        file.execute("BEGIN IMMEDIATE")
        rows = [(name, _check(name, answer) + answer, now) for name, answer in answers.items()]
        file.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", rows)
        while True:
            pages, free, size = (file.execute(f"PRAGMA {name}").fetchone()[0]
                                 for name in ("page_count", "freelist_count", "page_size"))
            if (pages - free) * size <= self._most:
                break
            [[count]] = file.execute("SELECT count(*) FROM answers")
            if not count:
                break
            file.execute("DELETE FROM answers WHERE key IN "
                         "(SELECT key FROM answers ORDER BY used LIMIT ?)", [count // 4 + 1])
        file.execute("COMMIT")
        return {}


def _hour() -> int:
    """Hours are fine enough to tell which answers are old, and save most of the writing."""
    return int(time.time()) // 3600


def _check(name: bytes, answer: bytes) -> bytes:
    return blake2b(name + answer, digest_size=8).digest()


class Memory:
    """The answers of one run, up to so many bytes, and behind them a cache file if there is one."""

    def __init__(self, most_bytes: int, cache: TextCache | None = None) -> None:
        self._most = most_bytes
        self._cache = cache
        self._held = 0
        self._answers: OrderedDict[bytes, bytes] = OrderedDict()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The answers that are known."""
        hits = {}
        for name in dict.fromkeys(keys):
            if name in self._answers:
                self._answers.move_to_end(name)
                hits[name] = self._answers[name]
        if self._cache is not None and len(hits) < len(keys):
            from_file = self._cache.get([name for name in dict.fromkeys(keys) if name not in hits])
            self._remember(from_file)
            hits |= from_file
        return hits

    def put(self, answers: Mapping[bytes, bytes]) -> None:
        """Remember answers."""
        self._remember(answers)
        if self._cache is not None:
            self._cache.put(answers)

    def _remember(self, answers: Mapping[bytes, bytes]) -> None:
        for name, answer in answers.items():
            if name not in self._answers:
                self._answers[name] = answer
                self._held += len(answer) + OVERHEAD
        while self._held > self._most and self._answers:
            _, answer = self._answers.popitem(last=False)
            self._held -= len(answer) + OVERHEAD
