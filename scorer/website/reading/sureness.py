"""How sure people and systems are: ``results/<board>/sureness.<split>.json``, by ``scorer meta``.

The file says what it was measured on. Of a board, gold or answers that changed since, nothing is
shown; of a system that was scored with other predictions since, or that others.yaml no longer
names, nothing either.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.annotations.published import sureness_file
from scorer.board import Board
from scorer.errors import DataError
from scorer.files import sha256_file
from scorer.website.reading.reader import Reader
from scorer.website.records import Entry

if TYPE_CHECKING:
    from scorer.annotations.sureness_document import SurenessDocument


def sureness(reader: Reader, board: Board, split: str, entries: Sequence[Entry],
             ) -> SurenessDocument | None:
    """What is known of a split; the home folder's file counts before that of the checkout."""
    paths = (place / "results" / board.id / sureness_file(split) for place in reader.places())
    path = next((path for path in paths if path.is_file()), None)
    if path is None:
        return None
    found: SurenessDocument | None = reader.attempt(partial(_read, path, board.id, split))
    if found is None:
        return None
    if fault := _of_others(reader, board, split, found):
        reader.warn(f"{path}: left out: {fault}; {_again(board.id, split, path)}")
        return None
    current = {entry.key: entry.result.provenance["predictions"]["sha256"] for entry in entries}
    theirs = {row.system for row in board.third_party if row.split == split}
    return found.model_copy(update={
        "systems": {key: one for key, one in found.systems.items()
                    if current.get(key) == one.predictions_sha256},
        "probabilities": {system: one for system, one in found.probabilities.items()
                          if system in theirs}})


def _read(path: Path, board: str, split: str) -> SurenessDocument:
    from scorer.annotations.sureness_document import SurenessDocument

    try:
        return SurenessDocument.read(path.read_bytes())
    except ValueError as fault:
        raise DataError(f"{path}: {fault}; {_again(board, split, path)}") from fault


def _again(board: str, split: str, path: Path) -> str:
    return f"run: scorer meta --board {board} --answers --split {split} --json {path}"


def _of_others(reader: Reader, board: Board, split: str, found: SurenessDocument) -> str:
    """Why figures are not of a split as it is; what is not at hand is not compared."""
    if (found.board, found.split) != (board.id, split):
        return f"of {found.board} {found.split}"
    if found.people is not None and board.splits[split].answers is None:
        return "the board names no answers of people to this split"
    gold, answers = (sha256_file(path) if path else None for path in (
        board.data_file(split, reader.home), board.answers_file(split, reader.home)))
    return found.differs(board.version, board.splits[split].sha256 or gold, answers)
