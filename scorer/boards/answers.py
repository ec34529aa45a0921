"""People's answers to a split's items, as ``splits.<split>.answers`` describes their file.

A row an item: its inputs as in the split's file, so that rows in another order are found, then how
many people gave each label. A last column, in every row or in none, is the label that the source
takes for the majority's where two are equally frequent.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scorer.boards import LARGEST_GOLD, Board
from scorer.core.errors import DataError, counted, excerpt, report
from scorer.core.reading.tsv import Problems, Row, open_file, read_rows

MOST_DIGITS = 3
"""Of a number of people: every way to draw a majority from them is counted."""
RULE = "TSV-ANSWERS"


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
    inputs = len(board.task.input_columns)
    columns = [*board.task.input_columns,
               *(f"people who say {label}" for label in board.labels), "the majority's label"]
    table = read_rows(open_file(path, largest=LARGEST_GOLD), columns, optional=1)
    problems, labels = table.problems, board.labels
    found = [_counts(row, inputs, labels, problems) for row in table.rows]
    for row, item in zip(table.rows, texts, strict=False):
        _check_inputs(row, tuple(item), inputs, problems)
    if not problems.total and len(found) != len(texts):
        problems.add(1, 1, RULE, counted(len(found), "row"), f"{len(texts)}, one an item")
    named = [row.fields[-1] for row in table.rows if len(row.fields) == len(columns)]
    if not problems.total and named and len(named) != len(found):
        row = next(one for one in table.rows if len(one.fields) != len(columns))
        problems.add(row.line, 1, RULE, "no majority's label", "one in every row, or in none")
    if problems.total:
        raise DataError(f"answers of {board.id} {split}:\n{report(problems.kept, problems.total)}")
    return LabelCounts(labels, tuple(found), tuple(named))


def _check_inputs(row: Row, item: tuple[str, ...], inputs: int, problems: Problems) -> None:
    for place, (mine, known) in enumerate(zip(row.fields[:inputs], item, strict=False)):
        if mine != known and any(item):
            problems.add(row.line, row.column(place), RULE, excerpt(mine),
                         f"{excerpt(known)}, as in row {row.line} of the split: rows stand in its "
                         "order")
            return


def _counts(row: Row, inputs: int, labels: Sequence[str], problems: Problems) -> tuple[int, ...]:
    """The counts of a row; faults are added to ``problems``."""
    texts, named = row.fields[inputs:inputs + len(labels)], row.fields[inputs + len(labels):]
    for place, text in enumerate(texts, start=inputs):
        if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
            problems.add(row.line, row.column(place), RULE, excerpt(text),
                         f"a number of people, {10 ** MOST_DIGITS - 1} at most")
            return ()
    found = tuple(map(int, texts))
    if not any(found):
        problems.add(row.line, row.column(inputs), RULE, "nobody's answer", "one person's at least")
    frequent = [label for label, count in zip(labels, found, strict=True) if count == max(found)]
    if named and named[0] not in frequent:
        problems.add(row.line, row.column(len(row.fields) - 1), RULE, excerpt(named[0]),
                     f"the most frequent answer, {' or '.join(frequent)}")
    return found
