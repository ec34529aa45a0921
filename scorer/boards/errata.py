"""Disputed gold, decided in public: one file a dispute, ``boards/<board>/errata/<id>.yaml``.

The gold file itself never changes. An accepted erratum replaces fields of one row from a minor
version of the board on; a declined one stays on record with its reason.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

from scorer.core.errors import Problem, excerpt
from scorer.core.reading import schema, strict
from scorer.core.reading.tsv import LARGEST_FIELD, Row
from scorer.core.reading.values import Choice, Integer, Internal, Items, Link, Optional, Text
from scorer.core.records import SPLITS

if TYPE_CHECKING:
    from scorer.boards import Board

FOLDER = "errata"
ACCEPTED, DECLINED = "accepted", "declined"
_Version = Annotated[str, Text(20, r"[0-9]+(?:\.[0-9]+)*", "a version such as 1.1")]


@dataclass(frozen=True)
class Erratum:
    """One decided dispute about the gold of one item."""

    schema: Annotated[int, Integer(1, 1), "Version of this format."]
    split: Annotated[str, Choice(SPLITS), "The split of the item."]
    row: Annotated[int, Integer(1, 10**6), "The item's row in the gold file, from 1."]
    found: Annotated[str, Text(1000, lines=True), "What is said to be wrong, and by whom."]
    decision: Annotated[str, Choice((ACCEPTED, DECLINED)), "What was decided."]
    reason: Annotated[str, Text(1000, lines=True), "Why."]
    since: Annotated[Optional[_Version], "Accepted: the board's version from which on it "
                     "holds."] = None
    change: Annotated[Mapping[Annotated[str, Text(60)], Annotated[str, Text(LARGEST_FIELD)]],
                      Items(1), "Accepted: gold columns and what they read "
                      "instead."] = field(default_factory=dict)
    dispute: Annotated[Optional[Link], "Where it was disputed."] = None
    id: Internal[str] = ""
    """The file's name without its ending."""

    def holds(self, version: str) -> bool:
        """Whether it changes the gold of this version of the board."""
        return (self.decision == ACCEPTED and self.since is not None
                and ordered(self.since) <= ordered(version))


def ordered(version: str) -> tuple[int, ...]:
    """A version as numbers, so that 1.10 comes after 1.9."""
    return tuple(int(part) for part in version.split("."))


def read(board: Board) -> tuple[tuple[Erratum, ...], list[Problem]]:
    """Every erratum of a board in the order of their names, and every problem found."""
    errata, problems = [], []
    folder = board.folder / FOLDER
    for path in sorted(folder.glob("*")) if folder.is_dir() else ():
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,59}\.yaml", path.name):
            problems.append(Problem(str(path), 1, 1, "META-SLUG", excerpt(path.name),
                                    "a name such as 0001-dev-17.yaml", "rename the file"))
            continue
        content = path.read_bytes()[:strict.LARGEST + 1]
        erratum, faults = schema.load(Erratum, content, str(path))
        if erratum is not None:
            faults = schema.at_places([*_misfits(board, erratum)], content, str(path))
        problems += faults
        if not faults:
            errata.append(replace(erratum, id=path.stem))
    return tuple(errata), problems


def _misfits(board: Board, erratum: Erratum) -> Iterator[schema.Misfit]:
    split = board.splits.get(erratum.split)
    if split is None or split.gold != "public":
        yield (("split",), f"the split {erratum.split}", "a split with public gold",
               "gold that is hidden is sealed anew instead")
        return
    if erratum.row > split.rows:
        yield ("row",), f"row {erratum.row}", f"at most {split.rows}", "mend the row"
    accepted = erratum.decision == ACCEPTED
    if accepted != bool(erratum.change) or accepted != (erratum.since is not None):
        yield (("decision",), f"{erratum.decision}, with change {sorted(erratum.change)} and since "
               f"{erratum.since}", "both if accepted, neither if declined", "add or remove them")
    columns, _ = board.task.gold_columns
    changeable = [name for name in columns if name not in board.task.input_columns]
    for name in erratum.change:
        if name not in changeable:
            yield (("change", name), f"a change of {excerpt(name)}",
                   "one of: " + ", ".join(changeable),
                   "predictions answer the input texts, so these never change")


def applied(board: Board, errata: Sequence[Erratum], split: str) -> tuple[Erratum, ...]:
    """Those that change the gold of a split in the board's version."""
    return tuple(entry for entry in errata if entry.split == split and entry.holds(board.version))


def corrected(rows: Sequence[Row], columns: Sequence[str], errata: Sequence[Erratum],
              ) -> tuple[Row, ...]:
    """Rows of a gold file with the fields that errata replace; a later one of a row holds."""
    changes: dict[int, dict[str, str]] = {}
    for erratum in errata:
        changes.setdefault(erratum.row, {}).update(erratum.change)
    corrected = list(rows)
    for number, change in changes.items():
        if number > len(rows):  # the file is not the board's: its digest says so
            continue
        row = rows[number - 1]
        values = {**dict(zip(columns, row.fields, strict=False)), **change}
        fields = tuple(values[name] for name in columns if name in values)
        corrected[number - 1] = replace(row, fields=fields)
    return tuple(corrected)


def digest(file: str, errata: Sequence[Erratum]) -> str:
    """The digest of gold: of its file, and of the errata that change it."""
    if not errata:
        return file
    content = [file, [[erratum.row, dict(erratum.change)] for erratum in errata]]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
