"""How sure people and systems are: ``results/<board>/sureness.<split>.json``, by ``scorer meta``.

The file says what it was measured on. Of a board, gold or answers that changed since, nothing is
shown; of a system that was scored with other predictions since, or that others.yaml no longer
names, nothing either.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scorer.boards import Board
from scorer.core.files import sha256_file
from scorer.people.published import sureness_file
from scorer.site.reading.reader import Reader, again
from scorer.site.records import Entry

if TYPE_CHECKING:
    from scorer.people.documents import SurenessDocument


def sureness(reader: Reader, board: Board, split: str, entries: Sequence[Entry],
             ) -> SurenessDocument | None:
    """What is known of a split."""
    from scorer.people.documents import SurenessDocument

    command = f"meta --board {board.id} --answers --split {split}"
    path, found = reader.document(f"results/{board.id}/{sureness_file(split)}",
                                  SurenessDocument.read, command)
    if found is None:
        return None
    if fault := _of_others(reader, board, split, found):
        reader.warn(f"{path}: left out: {fault}; {again(command, path)}")
        return None
    current = {entry.key: entry.result.predictions.sha256 for entry in entries}
    theirs = {row.system for row in board.third_party if row.split == split}
    kept: SurenessDocument = found.model_copy(update={
        "systems": {key: one for key, one in found.systems.items()
                    if current.get(key) == one.predictions_sha256},
        "probabilities": {system: one for system, one in found.probabilities.items()
                          if system in theirs}})
    return kept


def _of_others(reader: Reader, board: Board, split: str, found: SurenessDocument) -> str:
    """Why figures are not of a split as it is; what is not at hand is not compared."""
    if (found.board, found.split) != (board.id, split):
        return f"of {found.board} {found.split}"
    if found.people is not None and board.splits[split].answers is None:
        return "the board names no answers of people to this split"
    gold, answers = (sha256_file(path) if path else None for path in (
        board.data_file(split, reader.home), board.answers_file(split, reader.home)))
    return found.differs(board.version, board.splits[split].sha256 or gold, answers)
