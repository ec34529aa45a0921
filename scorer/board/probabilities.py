"""The probabilities that a system of others gave to each label, in the home folder.

They stand in a file beside its predictions, a row an item, a column a label, as their source prints
them. No score comes of them; they are never committed.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from scorer.board import LARGEST_GOLD, Board
from scorer.errors import DataError, counted, excerpt, report
from scorer.reading.tsv import Problems, Row, open_file, read_rows

TOLERANCE = 1e-3
"""How far the sum of a row may be from 1."""
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")


def probabilities_path(system: str, split: str) -> str:
    """Where the probabilities of a system lie, relative to the board's data folder."""
    return f"third-party/{system}.{split}.probabilities.tsv"


def read_probabilities(board: Board, system: str, split: str, home: Path,
                       ) -> tuple[tuple[float, ...], ...] | None:
    """The probabilities of a system: rows x labels, each row sums to 1.

    None if they are not there. Raises DataError with every row that is not such, or if their number
    is not that of the split's items.
    """
    path = home / "data" / board.id / probabilities_path(system, split)
    if not path.is_file():
        return None
    columns = [f"probability of {label}" for label in board.labels]
    table = read_rows(open_file(path, largest=LARGEST_GOLD), columns)
    problems, rows = table.problems, board.split(split).rows
    found = tuple(_of_item(row, problems) for row in table.rows)
    if not problems.total and len(found) != rows:
        problems.add(len(found) + 1, 1, "TSV-ROWS", counted(len(found), "row"),
                     f"{rows}, one an item")
    if problems.total:
        raise DataError(f"probabilities of {system} on {board.id} {split}:\n"
                        f"{report(problems.kept, problems.total)}")
    return found


def _of_item(row: Row, problems: Problems) -> tuple[float, ...]:
    found = tuple(float(text) if _NUMBER.fullmatch(text) else math.nan for text in row.fields)
    if not abs(sum(found) - 1) <= TOLERANCE:
        problems.add(row.line, 1, "TSV-PROBABILITIES", excerpt(" ".join(row.fields)),
                     f"numbers from 0 to 1 whose sum is 1, give or take {TOLERANCE:g}")
    return found
