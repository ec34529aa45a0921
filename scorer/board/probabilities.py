"""Probabilities that systems by others give each label, in the home folder, never committed.

``data/<board>/third-party/<system>.<split>.probabilities.tsv``: a row an item in the order of the
split, a column a label in the order of the board's labels.
"""

from __future__ import annotations

import math
from pathlib import Path

from scorer.board import LARGEST_GOLD, Board
from scorer.errors import DataError, counted, excerpt, report
from scorer.reading.tsv import Problems, Row, open_file, read_rows

RULE = "TSV-PROBABILITIES"
NEAR = 1e-4
"""Probabilities may miss the sum 1 by so much: they come in single precision."""


def probabilities_files(board: Board, split: str, home: Path) -> dict[str, Path]:
    """The files of a split, by system."""
    end = f".{split}.probabilities.tsv"
    found = sorted((home / "data" / board.id / "third-party").glob(f"*{end}"))
    return {path.name.removesuffix(end): path for path in found}


def read_probabilities(board: Board, path: Path, rows: int) -> tuple[tuple[float, ...], ...]:
    """A file's probabilities, divided by their sum. Raises DataError with every fault."""
    columns = [f"probability of {label}" for label in board.labels]
    table = read_rows(open_file(path, largest=LARGEST_GOLD), columns)
    problems = table.problems
    found = [_of_item(row, problems) for row in table.rows]
    if not problems.total and len(found) != rows:
        problems.add(1, 1, RULE, counted(len(found), "row"), f"{rows}, one an item")
    if problems.total:
        raise DataError(f"probabilities of {board.id}:\n"
                        f"{report(problems.kept, problems.total)}")
    return tuple(found)


def _of_item(row: Row, problems: Problems) -> tuple[float, ...]:
    values = [_number(text) for text in row.fields]
    for place, (value, text) in enumerate(zip(values, row.fields, strict=True)):
        if not 0 <= value <= 1:
            problems.add(row.line, row.column(place), RULE, excerpt(text), "a number from 0 to 1")
            return ()
    total = math.fsum(values)
    if abs(total - 1) > NEAR:
        problems.add(row.line, 1, RULE, f"the sum {total:g}", "1")
        return ()
    return tuple(value / total for value in values)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
