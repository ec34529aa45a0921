"""Values that a result had before it was computed again: ``<split>.past.jsonl`` beside it.

A result is replaced when the scorer, the board, its gold or a model changes. What it said is kept,
with the rank it gave, so that a reader can see every change and what caused it. A line never
changes; the newest is the last.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, Field

from scorer.core.errors import DataError
from scorer.core.files import write_atomically
from scorer.core.reading.schema import Document, Number, One, Positive
from scorer.core.results import Result
from scorer.scoring.results import files
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.results.leaderboard import Row

SMALLEST = 1e-6
"""A value that moved by no more is the same value on another machine."""

_NEEDED: Any = ["scorer", "board", "gold"]

Rank = tuple[int, int]
"""The best and the worst rank that the comparisons leave open."""


def _complete(made_by: dict[str, str]) -> dict[str, str]:
    if missing := [name for name in _NEEDED if name not in made_by]:
        raise ValueError(f"a key is missing: {missing[0]}")
    return made_by


class Past(Document):
    """One result as it was: a line of ``<split>.past.jsonl``."""

    schema_: One = Field(alias="schema")
    key: str = Field(description="The key of the result as it was.")
    made_by: Annotated[dict[str, str], AfterValidator(_complete)] = Field(
        description="What its numbers depended on: scorer, board, gold, models by their names.",
        json_schema_extra={"required": _NEEDED})
    values: dict[str, Number] = Field(description="Every measured metric.")
    signatures: dict[str, str]
    ranks: dict[str, tuple[Positive, Positive]] = Field(
        description="The best and the worst rank that comparisons left open, by metric.")


class Delta(NamedTuple):
    """One metric before and after; None where it was not measured."""

    metric: str
    old: float | None
    new: float | None
    old_rank: Rank | None
    new_rank: Rank | None

    @property
    def moved(self) -> bool:
        """Whether the value or the rank is another."""
        if self.old is None or self.new is None:
            return self.old is not self.new
        return abs(self.new - self.old) > SMALLEST or self.old_rank != self.new_rank


def past_path(path: Path) -> Path:
    """Where the past values of the result at ``path`` lie."""
    return path.with_suffix(".past.jsonl")


def made_by(document: Mapping[str, Any]) -> dict[str, str]:
    """What the numbers of a result's document depend on, by names for people."""
    return {"scorer": document["scorer"]["version"], "board": document["board_version"],
            "gold": document["gold"]["id"], **document["models"]}


def of(document: Mapping[str, Any], row: Row | None) -> Past:
    """What is kept of a result's document; ``row``: its own in the leaderboard, which has its
    ranks."""
    measured = {name: value for name, value in document["metrics"].items()
                if value["value"] is not None}
    ranks = {name: (rank[0], rank[1]) for name in measured
             if row and name in row.values and (rank := row.values[name].rank)}
    return Past(
        schema=1, key=document["key"], made_by=made_by(document),
        values={name: value["value"] for name, value in measured.items()},
        signatures={name: value["signature"] for name, value in measured.items()}, ranks=ranks)


def parse(content: bytes) -> list[Past]:
    """Past values, oldest first. Raises DataError if a line is not ours."""
    try:
        return [Past.model_validate_json(line) for line in content.decode().split("\n") if line]
    except ValueError as fault:
        raise DataError("no file of past values; restore it from the history") from fault


def read(path: Path) -> list[Past]:
    """The past values of the result at ``path``; none if there is no such file."""
    file = past_path(path)
    try:
        return parse(file.read_bytes()) if file.is_file() else []
    except DataError as fault:
        raise DataError(f"{file}: {fault}") from fault


def deltas(old: Past, new: Past) -> list[Delta]:
    """Every metric of either side, in the order of the new one, then of the old one."""
    names = dict.fromkeys([*new.values, *old.values])
    return [Delta(name, old.values.get(name), new.values.get(name), old.ranks.get(name),
                  new.ranks.get(name)) for name in names]


def causes(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """What changed between two results, in words.

    >>> causes({"scorer": "0.1.0", "gold": "a"}, {"scorer": "0.2.0", "gold": "a"})
    ['scorer 0.1.0 -> 0.2.0']
    """
    return [f"{name} {old.get(name, 'none')} -> {new.get(name, 'none')}"
            for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]


# ---- replacing results -----------------------------------------------------------------------


def extended(content: bytes, old: Any, new: Result, leaderboard: bytes) -> bytes:
    """A file of past values once ``new`` replaces the document ``old``: with what that said, and
    the ranks it has in a leaderboard, if ``new`` was made with something newer.

    As it was if both were made with the same, whichever metrics were asked for, or of different
    predictions, or if the last line says it already.
    """
    try:
        was, now = made_by(old), made_by(new.to_json())
        if (old["predictions"]["sha256"] != new.predictions.sha256
                or all(now.get(name, what) == what for name, what in was.items())
                or old["key"] in [past.key for past in parse(content)[-1:]]):
            return content
        row = None
        with suppress(DataError):
            row = documents.from_bytes(leaderboard, "").row_of(new.team, new.system)
        kept = of(old, row)
    except (KeyError, TypeError, AttributeError, ValueError):
        return content  # not a result, of whatever schema: nothing that could be shown
    line = json.dumps(kept.model_dump(), sort_keys=True, allow_nan=False)
    return content + line.encode() + b"\n"


def write(new: Result, folder: Path) -> Path:
    """Write a result below a folder of results; what it replaces is kept if that was made with
    something older.
    """
    path = files.result_path(folder, new.board, new.team, new.system, new.split)
    if path.is_file():
        before, content, leaderboard = (file.read_bytes() if file.is_file() else b"" for file in (
            past_path(path), path, documents.path_of(folder, new.board, new.split)))
        old: Any = None
        with suppress(ValueError):  # no JSON: nothing that could be kept
            old = json.loads(content)
        after = extended(before, old, new, leaderboard)
        if after != before:
            write_atomically(past_path(path), after)
    files.write(new, folder)
    return path
