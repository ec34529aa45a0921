"""The ledger on the main branch: what became of every submission, one JSON object a line.

``ledger/<board>.jsonl`` holds outcomes, ``ledger/owners.jsonl`` the account of each team. Lines are
only ever appended, each line once, and none holds a time: dates come from the history of git.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scorer.ci.git import Repository, TreeEntry
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
ACCEPTED, REPLACED, REMOVED, DISOWNED = "accepted", "replaced", "removed", "disowned"
RELABELLED, WITHDRAWN, RESTORED, DESCRIBED = "relabelled", "withdrawn", "restored", "described"
ERRATUM = "erratum"
OF_DESCRIPTIONS = (ACCEPTED, RELABELLED, WITHDRAWN, RESTORED, DESCRIBED)
"""Without a split: what a submission says of itself, as its owner wrote it."""
EVENTS = (*OF_JOBS, *OF_DESCRIPTIONS, REPLACED, REMOVED, DISOWNED, ERRATUM)
_NEEDED = {
    **dict.fromkeys(EVENTS, ("board", "team", "system")),
    **dict.fromkeys(OF_JOBS, ("board", "team", "system", "split", "key")),
    **dict.fromkeys(SCORED, ("board", "team", "system", "split", "predictions", "commit", "key",
                             "result")),
    "rejected": ("board", "team", "system", "split", "key", "commit", "rule"),
    "attempt": ("board", "team", "system", "split", "key", "run"),
    WITHDRAWN: ("board", "team", "system", "reason"),
    "error": ("board", "team", "system", "split", "key", "code"),
    REPLACED: ("board", "team", "system", "split", "predictions", "commit"),
    REMOVED: ("board", "team", "system", "path", "commit"),
    DISOWNED: ("board", "team", "system", "commit", "sha256"),
    ERRATUM: ("board", "id", "split", "decision", "reason"),
}
"""Texts that a line must have, by its event."""

Line = Mapping[str, Any]


@dataclass
class Ledger:
    """All lines, by file."""

    files: dict[str, list[str]] = field(default_factory=dict)
    _parsed: dict[str, Line] = field(default_factory=dict, repr=False, compare=False)
    """Lines by their text: each is parsed once, however often it is asked for."""

    def lines(self) -> list[Line]:
        """Every line of every board."""
        return [self._line(text) for path, texts in sorted(self.files.items())
                if path != OWNERS for text in texts]

    def _line(self, text: str) -> Line:
        if text not in self._parsed:
            self._parsed[text] = json.loads(text)
        return self._parsed[text]

    def by_key(self) -> dict[str, list[Line]]:
        """The lines of each key, in order."""
        found: dict[str, list[Line]] = {}
        for line in self.lines():
            if line["event"] in OF_JOBS:
                found.setdefault(line["key"], []).append(line)
        return found

    def accepted(self) -> dict[tuple[str, ...], Line]:
        """For each board, team, system and split: the line that says which predictions count."""
        return {_place(line, "split"): line for line in self.lines()
                if line["event"] in (ACCEPTED, REPLACED, *SCORED) and "split" in line}

    def described(self) -> dict[tuple[str, ...], Line]:
        """For each board, team and system: the last line about its description, with why it was
        withdrawn then under ``withdrawn``.
        """
        found: dict[tuple[str, ...], Line] = {}
        for line in self.lines():
            if line["event"] in OF_DESCRIPTIONS and "split" not in line:
                place = _place(line)
                reason = found.get(place, {}).get("withdrawn")
                if line["event"] in (WITHDRAWN, RESTORED):
                    reason = line.get("reason")
                found[place] = {**line, "withdrawn": reason}
        return found

    def disowned(self) -> set[tuple[str, ...]]:
        """Board, team, system and commit of descriptions that another account wrote."""
        return {_place(line, "commit") for line in self.lines() if line["event"] == DISOWNED}

    def owners(self) -> dict[str, int]:
        """The account of each team; the last line about a team holds."""
        lines = [self._line(text) for text in self.files.get(OWNERS, ())]
        return {line["team"]: line["id"] for line in lines}

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


def _place(line: Line, *more: str) -> tuple[str, ...]:
    return tuple(str(line[name]) for name in ("board", "team", "system", *more))


def _is_ours(line: Line, path: str) -> bool:
    """Whether a line has what its readers rely on. Raises KeyError or TypeError if not."""
    if path == OWNERS:
        return isinstance(line["team"], str) and type(line["id"]) is int
    names = _NEEDED.get(line["event"], ("schema",))
    if line["event"] == ACCEPTED and "split" in line:
        names = _NEEDED[REPLACED]
    return all(isinstance(line[name], str) for name in names)


def _lines(repository: Repository, entry: TreeEntry) -> Iterable[str]:
    content = repository.blob(entry.oid, LARGEST)
    if content is None:
        raise DataError(f"{entry.path}: larger than {LARGEST} bytes")
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line:
            continue
        try:
            text = line.decode()
            found = json.loads(text)
            ours = found["schema"] == SCHEMA and _is_ours(found, entry.path)
        except (ValueError, KeyError, TypeError, RecursionError) as fault:
            raise DataError(f"{entry.path}:{number}: no line of a ledger; restore the file from "
                            "the history") from fault
        if not ours:
            raise DataError(f"{entry.path}:{number}: of another schema; use the newest program")
        yield text
