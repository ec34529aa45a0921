"""People's ratings of a split's gold answers, as ``splits.<split>.ratings`` describes their file.

A row an item, a column a gold answer in the order of the gold file; in each the single people's
ratings with `` | `` between, as the form ``listing`` of an import writes them, or ``-`` for none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from scorer.boards import LARGEST_GOLD, Board, Ratings
from scorer.core.errors import DataError, counted, excerpt, report
from scorer.core.reading.tsv import Problems, Row, open_file, read_rows

BETWEEN = "|"
NONE = "-"

ItemRatings = tuple[tuple[float, ...], ...]
"""Of each gold answer of an item: the single people's ratings, none if nobody rated it."""


def read_ratings(board: Board, split: str, path: Path, counts: Sequence[int],
                 ) -> tuple[ItemRatings, ...]:
    """The ratings of every item of a split.

    ``counts``: how many gold answers each item has. Raises DataError with every fault of the file.
    """
    described = board.split(split).ratings
    assert described is not None
    most = max(counts, default=1)
    columns = [f"ratings of answer {place}" for place in range(1, most + 1)]
    table = read_rows(open_file(path, largest=LARGEST_GOLD), columns, optional=most - 1)
    problems = table.problems
    found = [_of_item(row, described, problems) for row in table.rows]
    for row, count in zip(table.rows, counts, strict=False):
        if len(row.fields) != count:
            problems.add(row.line, 1, "TSV-RATINGS", counted(len(row.fields), "column"),
                         f"{count}, one a gold answer")
    if not problems.total and len(found) != len(counts):
        problems.add(1, 1, "TSV-RATINGS", counted(len(found), "row"), f"{len(counts)}, one an item")
    if problems.total:
        raise DataError(f"ratings of {board.id} {split}:\n{report(problems.kept, problems.total)}")
    return tuple(found)


def _of_item(row: Row, described: Ratings, problems: Problems) -> ItemRatings:
    return tuple(_of_answer(row, place, described, problems) for place in range(len(row.fields)))


def _of_answer(row: Row, place: int, described: Ratings, problems: Problems) -> tuple[float, ...]:
    text = row.fields[place].strip()
    if text == NONE:
        return ()
    found = [_number(one) for one in text.split(BETWEEN)]
    if any(not described.lowest <= one <= described.highest for one in found):
        problems.add(row.line, row.column(place), "TSV-RATINGS", excerpt(text),
                     f"numbers from {described.lowest:g} to {described.highest:g} with {BETWEEN} "
                     f"between, or {NONE}")
    return tuple(found)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
