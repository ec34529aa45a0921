"""The probabilities that a system of others gave to each label, as ``data fetch`` keeps them.

They stand in a file beside its predictions, a row an item, a column a label, as their source prints
them. No score comes of them; they are never committed.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from scorer.boards import LARGEST_GOLD, Board
from scorer.boards.others import probabilities_path
from scorer.core.errors import DataError, counted, excerpt, report
from scorer.core.reading.tsv import Problems, Row, open_file, read_rows

TOLERANCE = 1e-3
"""How far the sum of a row may be from 1."""
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")


def read_probabilities(board: Board, system: str, split: str, home: Path,
                       ) -> tuple[tuple[float, ...], ...] | None:
    """The probabilities of a system of ``others.yaml``: rows x labels, each row sums to 1.

    None if they were not fetched, or if there are none. Raises DataError with every row that is
    not such, or if their number is not that of the split's items.
    """
    name = probabilities_path(system, split)
    path = home / "data" / board.id / name
    recipe = next((one for one in board.recipes if one.to == name), None)
    if recipe is None or not path.is_file():
        return None
    table = read_rows(open_file(path, largest=LARGEST_GOLD), [one.name for one in recipe.columns])
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
