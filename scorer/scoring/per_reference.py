"""Predictions with a line for each reference, made into ones with a line for each item.

Programs that read an official file with a row for each reference write a line for each of its rows,
the same one for every row of an item. Whose line it is is known by the number of each item's
references, or by the official file itself; lines of one item that differ are never chosen from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards import LARGEST_GOLD, Board
from scorer.boards.golds import read_golds
from scorer.core.errors import SubmissionError, UsageError, counted, printable, refusal
from scorer.core.reading.packed import unpacked
from scorer.core.reading.tsv import File, Problems, Row, open_file


class LineOwners(NamedTuple):
    """Whose each line is."""

    items: tuple[int | None, ...]
    """One-based number of the item of each line; None: of none of the split."""
    split_items: int
    """How many items the split has."""
    source: str
    """What says so, in words."""


def owners(board: Board, split: str | None, home: Path, order: Path | None,
           golds: Sequence[Any] | None = None) -> LineOwners:
    """Whose each line is: there are as many for each item as it has references, in the order of the
    items, or one for each row of the official file ``order``.

    ``golds``: those of other files than the split's. Raises UsageError where nothing says it.
    """
    count = len(golds or ())
    if golds is None:
        if split is None:
            raise UsageError("--per-reference needs --split")
        path, count = board.data_file(split, home), board.split(split).rows
        if path is not None and board.split(split).gold == "public":
            golds = read_golds(board, split, path).items
    if order is not None:
        return _by_order(board, order, count, golds and [gold.texts for gold in golds])
    if golds is None:
        raise UsageError(f"the references of {board.id} {split} are not on this machine; run: "
                         f"{board.how_to_bring}; or name the file that the lines follow with "
                         "--order FILE")
    items = tuple(number for number, gold in enumerate(golds, start=1)
                  for _ in range(board.task.gold_count(gold)))
    return LineOwners(items, len(golds), "references of the gold")


def _by_order(
    board: Board, order: Path, count: int, texts: Sequence[Sequence[str]] | None
) -> LineOwners:
    """A line for each row of an official file, known by its input texts.

    ``texts``: those of the split's ``count`` items; without them the items are those of the file,
    in the order of their first rows. Raises UsageError for a file that does not fit.
    """
    if not order.exists():
        raise UsageError(f"{order}: no such file; name the file that the lines follow")
    content = unpacked(open_file(order, largest=LARGEST_GOLD)).content
    try:
        rows = board.task.inputs_by_line(content)
    except UsageError as fault:
        raise UsageError(f"{order}: {fault}") from fault
    known = dict.fromkeys(map(tuple, rows if texts is None else texts))
    if len(known) != count:
        raise UsageError(f"{order}: {counted(len(known), 'item')}, but the split has {count}; name "
                         "the split's own file, or bring the board's data")
    numbers = {key: number for number, key in enumerate(known, start=1)}
    return LineOwners(tuple(numbers.get(tuple(key)) for key in rows), count, f"rows of {order}")


def described(file: File, owned: LineOwners) -> str:
    """What is done with the file."""
    outside = owned.items.count(None)
    left = f"; {counted(outside, 'line')} of items outside the split left out" if outside else ""
    return printable(f"{file.shown}: read as one line for each of the {len(owned.items)} "
                     f"{owned.source}; one is kept for each of {owned.split_items} items{left}")


def one_an_item(board: Board, file: File, owned: LineOwners) -> File:
    """The file with one line for each item, in the order of the items.

    Raises SubmissionError with every line that cannot be read, or with every item whose lines
    differ.
    """
    if not board.task.per_reference:
        raise UsageError(f"--per-reference: an item of {board.id} has one line, not one for each "
                         "reference")
    table = board.task.read_table(file, rows=len(owned.items))
    problems = table.problems
    for row in table.rows:
        board.task.read_prediction(row, problems)
    if not problems.total and table.lines != len(owned.items):
        count = table.lines or 0
        problems.say(max(1, min(count, len(owned.items) + 1)), 1, "TSV-ROWS", "order",
                     count=counted(count, "line"),
                     rows=f"{len(owned.items)}, one for each of the {owned.source}")
    chosen = {} if problems.total else _chosen(table.rows, owned, problems)
    if problems.total:
        lines = [*map(str, problems.lines())]
        raise SubmissionError(sorted(problems.kept), problems.total,
                              "\n".join([*lines, refusal(problems.total)]))
    content = "".join("\t".join(chosen[item].fields) + "\n" for item in sorted(chosen)).encode()
    return replace(file, content=content, size=None, shown=f"{file.shown} (one line an item)")


def _chosen(rows: Sequence[Row], owned: LineOwners, problems: Problems) -> dict[int, Row]:
    """The first line of each item; an item whose lines differ is a problem."""
    chosen: dict[int, Row] = {}
    reported = set()
    for row, item in zip(rows, owned.items, strict=True):
        if item is None:
            continue
        first = chosen.setdefault(item, row)
        if row.fields != first.fields and item not in reported:
            reported.add(item)
            problems.say(row.line, 1, "ART-TWICE references", "references", item=item,
                         earlier=first.line)
    last = rows[-1].line if rows else 1
    for item in range(1, owned.split_items + 1):
        if item not in chosen:
            problems.say(last, 1, "ART-MISSING", key="item", value=item)
    return chosen
