"""Files with a row an item beside a split's gold: what people said, and systems' probabilities.

``splits.<split>.answers``: the item's inputs as in the split's file, so that rows in another order
are found, then how many people gave each label. A last column, in every row or in none, is the
label that the source takes for the majority's where two are equally frequent.

``splits.<split>.ratings``: a column a gold answer in the order of the gold file; in each the single
people's ratings with `` | `` between, as the form ``listing`` of an import writes them, or ``-``.

Probabilities that a system of others gave to each label stand beside its predictions, as their
source prints them. No score comes of them; they are never committed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scorer.boards import LARGEST_GOLD, Board, Ratings
from scorer.boards.others import probabilities_path
from scorer.core.errors import DataError, counted, excerpt, report
from scorer.core.reading.tsv import Problems, ReadTable, Row, open_file, read_rows

MOST_DIGITS = 3
"""Of a number of people: every way to draw a majority from them is counted."""
ANSWERS, RATINGS = "TSV-ANSWERS", "TSV-RATINGS"
BETWEEN, NONE = "|", "-"
TOLERANCE = 1e-3
"""How far the sum of a row of probabilities may be from 1."""
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")

ItemRatings = tuple[tuple[float, ...], ...]
"""Of each gold answer of an item: the single people's ratings, none if nobody rated it."""


def _table(path: Path, columns: Sequence[str], optional: int = 0) -> ReadTable:
    return read_rows(open_file(path, largest=LARGEST_GOLD), columns, optional=optional)


def _refuse(problems: Problems, what: str, rows: int, items: int, rule: str, line: int = 1) -> None:
    """Raise DataError with every problem, or where there is not a row an item."""
    if not problems.total and rows != items:
        problems.add(line, 1, rule, counted(rows, "row"), f"{items}, one an item")
    if problems.total:
        raise DataError(f"{what}:\n{report(problems.kept, problems.total)}")


class LabelCounts(NamedTuple):
    """How many people gave each label, item by item."""

    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    """Of each item, in the order of ``labels``; at least one answer an item."""
    named: tuple[str, ...] = ()
    """The majority's labels as the source names them; none if it does not."""


def read_answers(board: Board, split: str, path: Path, texts: Sequence[Sequence[str]],
                 ) -> LabelCounts:
    """People's answers to every item of a split.

    ``texts``: the inputs of each item, empty ones where only labels are known. Raises DataError
    with every fault of the file.
    """
    inputs, labels = len(board.task.input_columns), board.labels
    columns = [*board.task.input_columns, *(f"people who say {label}" for label in labels),
               "the majority's label"]
    table = _table(path, columns, optional=1)
    problems = table.problems
    counts = [_counts(row, inputs, labels, problems) for row in table.rows]
    for row, item in zip(table.rows, texts, strict=False):
        odd = [index for index in range(inputs) if any(item) and row.fields[index] != item[index]]
        if odd:
            problems.add(row.line, row.column(odd[0]), ANSWERS, excerpt(row.fields[odd[0]]),
                         f"{excerpt(item[odd[0]])}, as in row {row.line} of the split: rows stand "
                         "in its order")
    unnamed = [row.line for row in table.rows if len(row.fields) < len(columns)]
    if not problems.total and len(counts) == len(texts) and 0 < len(unnamed) < len(counts):
        problems.add(unnamed[0], 1, ANSWERS, "no majority's label", "one in every row, or in none")
    _refuse(problems, f"answers of {board.id} {split}", len(counts), len(texts), ANSWERS)
    named = () if unnamed else tuple(row.fields[-1] for row in table.rows)
    return LabelCounts(labels, tuple(counts), named)


def _counts(row: Row, inputs: int, labels: Sequence[str], problems: Problems) -> tuple[int, ...]:
    """The counts of a row; faults are added to ``problems``."""
    end = inputs + len(labels)
    for number, text in enumerate(row.fields[inputs:end], start=inputs):
        if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
            problems.add(row.line, row.column(number), ANSWERS, excerpt(text),
                         f"a number of people, {10 ** MOST_DIGITS - 1} at most")
            return ()
    counts = tuple(map(int, row.fields[inputs:end]))
    if not any(counts):
        problems.add(row.line, row.column(inputs), ANSWERS, "nobody's answer",
                     "one person's at least")
    frequent = [label for label, count in zip(labels, counts, strict=True) if count == max(counts)]
    if not {*row.fields[end:]} <= {*frequent}:
        problems.add(row.line, row.column(end), ANSWERS, excerpt(row.fields[end]),
                     f"the most frequent answer, {' or '.join(frequent)}")
    return counts


def read_ratings(board: Board, split: str, path: Path, counts: Sequence[int],
                 ) -> tuple[ItemRatings, ...]:
    """The ratings of every item of a split.

    ``counts``: how many gold answers each item has. Raises DataError with every fault of the file.
    """
    described = board.split(split).ratings
    assert described is not None
    most = max(counts, default=1)
    table = _table(path, [f"ratings of answer {number}" for number in range(1, most + 1)],
                   optional=most - 1)
    ratings = [tuple(_ratings(row, index, described, table.problems)
                     for index in range(len(row.fields))) for row in table.rows]
    for row, count in zip(table.rows, counts, strict=False):
        if len(row.fields) != count:
            table.problems.add(row.line, 1, RATINGS, counted(len(row.fields), "column"),
                               f"{count}, one a gold answer")
    _refuse(table.problems, f"ratings of {board.id} {split}", len(ratings), len(counts), RATINGS)
    return tuple(ratings)


def _ratings(row: Row, index: int, described: Ratings, problems: Problems) -> tuple[float, ...]:
    text = row.fields[index].strip()
    if text == NONE:
        return ()
    try:
        numbers = [float(part) for part in text.split(BETWEEN)]
    except ValueError:
        numbers = [math.nan]
    if any(not described.lowest <= number <= described.highest for number in numbers):
        problems.add(row.line, row.column(index), RATINGS, excerpt(text),
                     f"numbers from {described.lowest:g} to {described.highest:g} with {BETWEEN} "
                     f"between, or {NONE}")
    return tuple(numbers)


def read_probabilities(board: Board, system: str, split: str, home: Path,
                       ) -> tuple[tuple[float, ...], ...] | None:
    """The probabilities of a system of ``others.yaml``: rows x labels, each row sums to 1.

    None if they were not fetched, or if there are none. Raises DataError with every row that is
    not such, or if their number is not that of the split's items.
    """
    name = probabilities_path(system, split)
    path = home / "data" / board.id / name
    recipe = next((entry for entry in board.recipes if entry.to == name), None)
    if recipe is None or not path.is_file():
        return None
    table = _table(path, [column.name for column in recipe.columns])
    values = tuple(tuple(float(text) if _NUMBER.fullmatch(text) else math.nan
                         for text in row.fields) for row in table.rows)
    for row, shares in zip(table.rows, values, strict=True):
        if not abs(sum(shares) - 1) <= TOLERANCE:
            table.problems.add(row.line, 1, "TSV-PROBABILITIES", excerpt(" ".join(row.fields)),
                               f"numbers from 0 to 1 whose sum is 1, give or take {TOLERANCE:g}")
    _refuse(table.problems, f"probabilities of {system} on {board.id} {split}", len(values),
            board.split(split).rows, "TSV-ROWS", len(values) + 1)
    return values
