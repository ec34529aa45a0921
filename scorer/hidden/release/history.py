"""What was merged, in order: the only thing besides the gold that released values depend on.

A history is a file of JSON lines, one for each submission to a split, in the order of the merges on
main. The maintainer's tool writes it; nothing in it comes from the submitter but his numeric id and
the digest of his file.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

from scorer.errors import DataError
from scorer.reading.values import is_slug

_KINDS = {"owner": int}


@dataclass(frozen=True)
class HistoryEntry:
    """One submission to one split."""

    team: str
    system: str
    owner: int
    """Numeric id of the account that sent it; names change, ids do not."""
    merged: str
    """Day of the merge on main, YYYY-MM-DD, UTC."""
    predictions: str
    """SHA-256 of the predictions file, 64 hexadecimal digits."""

    @property
    def name(self) -> str:
        """``team/system``."""
        return f"{self.team}/{self.system}"

    @property
    def day(self) -> datetime.date:
        """Day of the merge."""
        return datetime.date.fromisoformat(self.merged)


def read(content: bytes, shown: str) -> tuple[HistoryEntry, ...]:
    """The entries of a history file. Raises DataError naming the first line that is wrong."""
    try:
        lines = content.decode("ascii").split("\n")
    except UnicodeDecodeError as fault:
        raise DataError(f"{shown}: not ASCII at byte {fault.start}") from fault
    entries = []
    for number, line in enumerate(lines, start=1):
        if line:
            entries.append(_entry(line, f"{shown}:{number}"))
    names = [entry.name for entry in entries]
    for earlier, later in pairwise(entries):
        if later.day < earlier.day:
            raise DataError(f"{shown}: {later.name} was merged before {earlier.name}; "
                            "write the history in the order of the merges")
    if len(set(names)) != len(names):
        raise DataError(f"{shown}: the same submission stands there twice")
    return tuple(entries)


def _entry(line: str, place: str) -> HistoryEntry:
    wanted = {field.name: _KINDS.get(field.name, str) for field in fields(HistoryEntry)}
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    if not isinstance(found, dict) or set(found) != set(wanted):
        raise DataError(f"{place}: expected one JSON object with {', '.join(wanted)}")
    if any(type(found[name]) is not kind for name, kind in wanted.items()):
        raise DataError(f"{place}: owner is a whole number, everything else a text")
    sound = (is_slug(found["team"]) and is_slug(found["system"])
             and re.fullmatch("[0-9a-f]{64}", found["predictions"]) and _is_day(found["merged"]))
    if not sound:
        raise DataError(f"{place}: a team, system, day or digest of another form")
    return HistoryEntry(**found)


def _is_day(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def to_bytes(entries: Sequence[HistoryEntry]) -> bytes:
    """The bytes of a history file."""
    lines = (json.dumps(vars(entry), sort_keys=True) + "\n" for entry in entries)
    return "".join(lines).encode("ascii")
