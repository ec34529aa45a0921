"""What ``scorer meta --board`` found: ``results/<board>/metric-agreement.json``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.annotations.published import METRIC_AGREEMENT
from scorer.board import Board
from scorer.errors import DataError
from scorer.website.reading.reader import Reader

if TYPE_CHECKING:
    from scorer.annotations.documents import RatedGoldsDocument


def agreements(reader: Reader, board: Board) -> Mapping[str, RatedGoldsDocument]:
    """How far metrics agree with ratings of a board's gold answers, by split; the home folder's
    file counts before that of the checkout."""
    paths = (place / "results" / board.id / METRIC_AGREEMENT for place in reader.places())
    path = next((path for path in paths if path.is_file()), None)
    found = reader.attempt(partial(_read, path)) if path is not None else None
    return {name: found[f"{board.id}-{name}"] for name in board.splits
            if found and f"{board.id}-{name}" in found}


def _read(path: Path) -> Mapping[str, RatedGoldsDocument]:
    from scorer.annotations.documents import MetaResults

    try:
        return MetaResults.read(path.read_bytes()).rated
    except ValueError as fault:
        raise DataError(f"{path}: {fault}; run: scorer meta --board {path.parent.name} --json "
                        f"{path}") from fault
