"""Corrected copies of predictions files: what is around the answers, never an answer."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from scorer.boards import Board
from scorer.core.errors import UsageError, counted, printable
from scorer.core.files import write_atomically
from scorer.core.reading.tsv import File


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
    return replace(file, content=content, shown=str(to), size=None), [
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
