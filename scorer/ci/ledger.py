"""The ledger on the main branch: what became of every submission, one JSON object a line.

``ledger/<board>.jsonl`` holds outcomes, ``ledger/owners.jsonl`` the account of each team. Lines are
only ever appended, each line once, and none holds a time: dates come from the history of git.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scorer.ci.git import Entry, Repository
from scorer.errors import DataError

TOP = "ledger"
OWNERS = f"{TOP}/owners.jsonl"
RELEASES = (f"{TOP}/history.", f"{TOP}/queries.")
"""Files about hidden splits, derived from the rest by ``ci.history``."""
SCHEMA = 1
LARGEST = 64 * 1024 * 1024
SCORED = ("published", "rescored")
"""A result was written: for the first time, or again because what it depends on changed."""
FINAL = ("rejected", "error")
OF_JOBS = (*SCORED, *FINAL, "attempt")
"""Events of one split under one key."""
ACCEPTED, RELABELLED, WITHDRAWN, RESTORED, ERRATUM = (
    "accepted", "relabelled", "withdrawn", "restored", "erratum")
EVENTS = (*OF_JOBS, ACCEPTED, RELABELLED, WITHDRAWN, RESTORED, ERRATUM)

Line = Mapping[str, Any]


@dataclass
class Ledger:
    """All lines, by file."""

    files: dict[str, list[str]] = field(default_factory=dict)

    def lines(self) -> list[Line]:
        """Every line of every board."""
        return [json.loads(line) for path, lines in sorted(self.files.items())
                if path != OWNERS for line in lines]

    def by_key(self) -> dict[str, list[Line]]:
        """The lines of each key, in order."""
        found: dict[str, list[Line]] = {}
        for line in self.lines():
            if line["event"] in OF_JOBS:
                found.setdefault(line["key"], []).append(line)
        return found

    def owners(self) -> dict[str, int]:
        """The account of each team; the first line about a team holds."""
        found: dict[str, int] = {}
        for text in self.files.get(OWNERS, ()):
            line = json.loads(text)
            found.setdefault(line["team"], line["id"])
        return found

    def add(self, path: str, line: Line) -> bool:
        """Append a line unless it is there already; returns whether it is new."""
        text = json.dumps({"schema": SCHEMA, **line}, sort_keys=True, ensure_ascii=True,
                          allow_nan=False)
        lines = self.files.setdefault(path, [])
        if text in lines:
            return False
        lines.append(text)
        return True

    def content(self, path: str) -> bytes:
        """The bytes of a file of the ledger."""
        return "".join(f"{line}\n" for line in self.files[path]).encode()


def board_file(board: str) -> str:
    """Where the outcomes of a board lie."""
    return f"{TOP}/{board}.jsonl"


def read(repository: Repository, commit: str) -> Ledger:
    """The ledger of a commit. Raises DataError if a line of it is not ours."""
    ledger = Ledger()
    for entry in repository.tree(commit, TOP):
        if entry.path.endswith(".jsonl") and not entry.path.startswith(RELEASES):
            ledger.files[entry.path] = list(_lines(repository, entry))
    return ledger


def _is_event(line: Line) -> bool:
    named = isinstance(line["key"] if line["event"] in OF_JOBS else line["board"], str)
    return named and line["event"] in EVENTS


def _lines(repository: Repository, entry: Entry) -> Iterable[str]:
    content = repository.blob(entry.oid, LARGEST)
    if content is None:
        raise DataError(f"{entry.path}: larger than {LARGEST} bytes")
    for number, text in enumerate(content.decode().split("\n"), start=1):
        if not text:
            continue
        try:
            line = json.loads(text)
            known = line["schema"] == SCHEMA and (entry.path == OWNERS or _is_event(line))
        except (ValueError, KeyError, TypeError) as fault:
            raise DataError(f"{entry.path}:{number}: no line of a ledger; restore the file from "
                            "the history") from fault
        if not known:
            raise DataError(f"{entry.path}:{number}: of another schema; use the newest program")
        yield text
