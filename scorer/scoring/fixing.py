"""Predictions files made into what can be scored: corrected copies, and one line for each item.

A correction changes what is around the answers, never an answer. Programs that read an official
file with a row for each reference write a line for each of its rows, the same one for every row of
an item. Whose line it is is known by the number of each item's references, or by the official file
itself; lines of one item that differ are never chosen from.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards import LARGEST_GOLD, Board
from scorer.boards.golds import public_golds
from scorer.core.errors import SubmissionError, UsageError, counted, printable, refusal
from scorer.core.files import write_atomically
from scorer.core.reading.tsv import File, Problems, Row, open_file, rows_bytes, unpacked
from scorer.tasks.texts.art_files import observations

# ---- corrected copies --------------------------------------------------------------------------


class Correction(NamedTuple):
    """A file after a correction, and what was corrected; ``what`` is empty if nothing was."""

    content: bytes
    what: str


def copied(board: Board, file: File, to: Path, split: str | None,
           done: Sequence[str] = ()) -> tuple[File, list[str]]:
    """Write a corrected copy of a predictions file, if there is what to correct.

    ``done``: what was corrected already.

    Returns the file to check and what to print. Raises UsageError if something else lies there
    already.
    """
    if len(file.content) > file.largest:
        return file, [printable(f"{file.shown}: more than {file.largest} bytes, so --fix corrects "
                                "nothing")]
    content, without = file.content, list(done)
    rows = board.split(split).rows if split else None
    for corrected in corrections(board, content, rows):
        content = corrected.content
        without.append(corrected.what)
    if not without:
        return file, [
            printable(f"{file.shown}: nothing that --fix corrects, so no copy was written")]
    if not (to.is_file() and to.stat().st_size == len(content) and to.read_bytes() == content):
        if to.exists():
            raise UsageError(f"{to} exists already; name another folder with --fix")
        write_atomically(to, content)
    return replace(file, content=content, shown=str(to)), [
        printable(f"{to}: a copy of {file.shown} without {', '.join(without)}")]


def corrections(board: Board, content: bytes, rows: int | None) -> Iterator[Correction]:
    """Every correction that changes something, each made on top of those before."""
    if content.startswith(codecs.BOM_UTF8):
        content = content.removeprefix(codecs.BOM_UTF8)
        yield Correction(content, "the byte order mark")
    if b"\r" in content:
        ends = b"\r\n" if b"\n" in content else b"\r"
        count = content.count(ends)
        content = content.replace(ends, b"\n")
        if count:
            name = "CR LF" if ends == b"\r\n" else "CR"
            yield Correction(content, f"{name} at the end of {counted(count, 'line')}")
    faulty = _faulty_lines(board, content, rows)
    columns = len(board.task.prediction_columns)
    if columns == 1 and b"\t" in content.partition(b"\n")[0]:  # before the answers there are ids
        columns = 2
    lines = content.split(b"\n")
    count = 0
    for number in sorted(faulty):
        line = lines[number - 1]
        tabs = len(line) - len(line.rstrip(b"\t"))
        spare = max(0, min(tabs, line.count(b"\t") - columns + 1))
        lines[number - 1] = line[: len(line) - spare]
        count += spare > 0
    if count:
        content = b"\n".join(lines)
        yield Correction(content, f"tabs at the end of {counted(count, 'line')}")
    if 1 in _faulty_lines(board, content, rows, "TSV-HEADER"):
        content = content.partition(b"\n")[2]
        yield Correction(content, "the header")
    # Of the first ``rows`` lines each is an answer where there is one column, an empty one too.
    answers = rows if columns == 1 else 0
    body = content.rstrip(b"\n")
    if not body or answers is None:
        return
    count = min(len(content) - len(body) - 1, content.count(b"\n") - answers)
    if count > 0:
        content = content[:-count]
        yield Correction(content, f"{counted(count, 'empty line')} at the end")


def _faulty_lines(board: Board, content: bytes, rows: int | None, rule: str = "TSV-COLUMNS",
                  ) -> set[int]:
    """The lines that break a rule of files."""
    most = content.count(b"\n") + 1
    table = board.task.read_table(File(content, most=most), rows=rows)
    return {problem.line for problem in table.problems.kept if problem.rule == rule}


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
    content = rows_bytes(chosen[item].fields for item in sorted(chosen))
    return replace(file, content=content, shown=f"{file.shown} (one line an item)")


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
