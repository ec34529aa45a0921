"""Predictions files made into what can be scored: corrected copies, and one line for each item.

A correction changes what is around the answers, never an answer. Programs that read an official
file with a row for each reference write a line for each of its rows, the same one for every row of
an item. Whose line it is is known by the number of each item's references, or by the official file
itself; lines of one item that differ are never chosen from.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards import LARGEST_GOLD, Board
from scorer.boards.golds import public_golds
from scorer.core.errors import SubmissionError, UsageError, counted, printable, refusal
from scorer.core.files import write_atomically
from scorer.core.reading.tsv import File, Row, open_file, rows_bytes, unpacked
from scorer.tasks.texts.art_files import observations

# ---- corrected copies --------------------------------------------------------------------------


def copied(board: Board, file: File, to: Path, split: str | None,
           done: Sequence[str] = ()) -> tuple[File, str]:
    """Write a corrected copy of a predictions file, if there is what to correct.

    ``done``: what was corrected already.

    Returns the file to check and what to print. Raises UsageError if something else lies there
    already.
    """
    if len(file.content) > file.largest:
        return file, printable(f"{file.shown}: more than {file.largest} bytes, so --fix corrects "
                               "nothing")
    rows = board.split(split).rows if split else None
    content, corrections = corrected(board, file.content, rows)
    if not (without := [*done, *corrections]):
        return file, printable(f"{file.shown}: nothing that --fix corrects, so no copy was written")
    if not (to.is_file() and to.stat().st_size == len(content) and to.read_bytes() == content):
        if to.exists():
            raise UsageError(f"{to} exists already; name another folder with --fix")
        write_atomically(to, content)
    return replace(file, content=content, shown=str(to)), printable(
        f"{to}: a copy of {file.shown} without {', '.join(without)}")


def corrected(board: Board, content: bytes, rows: int | None) -> tuple[bytes, list[str]]:
    """The bytes of a file after every correction that changes something, and what each removed.

    ``rows``: how many there should be, if that is known.
    """
    without = []
    if content.startswith(codecs.BOM_UTF8):
        content = content.removeprefix(codecs.BOM_UTF8)
        without.append("the byte order mark")
    ends = b"\r\n" if b"\n" in content else b"\r"
    if count := content.count(ends):
        content = content.replace(ends, b"\n")
        name = "CR LF" if ends == b"\r\n" else "CR"
        without.append(f"{name} at the end of {counted(count, 'line')}")
    columns = len(board.task.prediction_columns)
    if columns == 1 and b"\t" in content.partition(b"\n")[0]:  # before the answers there are ids
        columns = 2
    lines, count = content.split(b"\n"), 0
    for number in _faulty_lines(board, content, rows, "TSV-COLUMNS"):
        line = lines[number - 1]
        spare = min(len(line) - len(line.rstrip(b"\t")), line.count(b"\t") - columns + 1)
        if spare > 0:
            lines[number - 1] = line[:-spare]
            count += 1
    if count:
        content = b"\n".join(lines)
        without.append(f"tabs at the end of {counted(count, 'line')}")
    if 1 in _faulty_lines(board, content, rows, "TSV-HEADER"):
        content = content.partition(b"\n")[2]
        without.append("the header")
    # Of the first ``rows`` lines each is an answer where there is one column, an empty one too.
    answers = rows if columns == 1 else 0
    if body := content.rstrip(b"\n"):
        count = 0 if answers is None else min(len(content) - len(body) - 1,
                                              content.count(b"\n") - answers)
        if count > 0:
            content = content[:-count]
            without.append(f"{counted(count, 'empty line')} at the end")
    return content, without


def _faulty_lines(board: Board, content: bytes, rows: int | None, rule: str) -> set[int]:
    """The lines that break a rule of files."""
    file = File(content, most=content.count(b"\n") + 1)
    problems = board.task.read_table(file, rows=rows).problems
    return {problem.line for problem in problems.kept if problem.rule == rule}


# ---- one line for each item --------------------------------------------------------------------


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
    if not board.task.per_reference:
        raise UsageError(f"--per-reference: an item of {board.id} has one line, not one for each "
                         "reference")
    count = len(golds or ())
    if golds is None:
        if split is None:
            raise UsageError("--per-reference needs --split")
        count, public = board.split(split).rows, public_golds(board, split, home)
        golds = public.items if public is not None else None
    if order is not None:
        return _by_order(board, order, count, golds and [gold.texts for gold in golds])
    if golds is None:
        raise UsageError(f"the references of {board.id} {split} are not on this machine; run: "
                         f"{board.how_to_bring}; or name the file that the lines follow with "
                         "--order FILE")
    items = tuple(number for number, gold in enumerate(golds, start=1)
                  for _ in range(board.task.gold_count(gold)))
    return LineOwners(items, count, "references of the gold")


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
        rows = observations(content)
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
                     f"{owned.source}; one is kept for each of "
                     f"{counted(owned.split_items, 'item')}{left}")


def one_an_item(board: Board, file: File, owned: LineOwners) -> File:
    """The file with one line for each item, in the order of the items.

    Raises SubmissionError with every line that cannot be read, or with every item whose lines
    differ.
    """
    wanted = len(owned.items)
    table = board.task.read_table(file, rows=wanted)
    problems = table.problems
    for row in table.rows:
        board.task.read_prediction(row, problems)
    if not problems.total and table.lines != wanted:
        count = table.lines or 0
        problems.say(max(1, min(count, wanted + 1)), 1, "TSV-ROWS", "order",
                     count=counted(count, "line"), rows=f"{wanted}, one for each of the "
                     f"{owned.source}")
    chosen: dict[int, Row] = {}
    if not problems.total:
        differ: dict[int, Row] = {}
        for row, item in zip(table.rows, owned.items, strict=True):
            if item is not None and chosen.setdefault(item, row).fields != row.fields:
                differ.setdefault(item, row)
        for item, row in differ.items():
            problems.say(row.line, 1, "ART-TWICE references", "references", item=item,
                         earlier=chosen[item].line)
        for item in range(1, owned.split_items + 1):
            if item not in chosen:
                problems.say(table.rows[-1].line, 1, "ART-MISSING", key="item", value=item)
    if problems.total:
        lines = [*map(str, problems.lines()), refusal(problems.total)]
        raise SubmissionError(sorted(problems.kept), problems.total, "\n".join(lines))
    content = rows_bytes(chosen[item].fields for item in sorted(chosen))
    return replace(file, content=content, shown=f"{file.shown} (one line an item)")
