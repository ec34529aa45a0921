"""Corrected copies of predictions files: what is around the answers, never an answer."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from scorer.board import Board


class Correction(NamedTuple):
    """A file after a correction, and what was corrected; ``what`` is empty if nothing was."""

    content: bytes
    what: str


def copied(board: Board, path: Path, to: Path, split: str | None) -> tuple[Path, list[str]]:
    """Write a corrected copy of a predictions file into a folder, if there is what to correct.

    Returns the file to check and what to print. Raises UsageError if something lies there already.
    """
    from scorer.errors import UsageError, printable
    from scorer.files import write_atomically

    target = to / path.name
    if target.exists():
        raise UsageError(f"{target} exists already; name another folder with --fix")
    content = path.read_bytes()
    done = []
    for corrected in corrections(board, content, board.split(split).rows if split else None):
        content = corrected.content
        done.append(corrected.what)
    if not done:
        return path, [printable(f"{path}: nothing that --fix corrects, so no copy was written")]
    write_atomically(target, content)
    return target, [printable(f"{target}: a copy of {path} without {', '.join(done)}")]


def corrections(board: Board, content: bytes, rows: int | None) -> Iterator[Correction]:
    """Every correction that changes something, each made on top of those before."""
    from scorer.errors import counted
    from scorer.reading.tsv import LARGEST_FILE

    if len(content) > LARGEST_FILE:
        return
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
    body = content.rstrip(b"\n")
    if body and len(content) - len(body) > 1:
        count = len(content) - len(body) - 1
        content = body + b"\n"
        yield Correction(content, f"{counted(count, 'empty line')} at the end")
    faulty = _faulty_lines(board, content, rows)
    lines = content.split(b"\n")
    shorter = [_without_tabs(line, len(board.task.prediction_columns(board.settings)))
               if number in faulty else line for number, line in enumerate(lines, start=1)]
    count = sum(one != other for one, other in zip(lines, shorter, strict=True))
    if count:
        content = b"\n".join(shorter)
        yield Correction(content, f"tabs at the end of {counted(count, 'line')}")
    if 1 in _faulty_lines(board, content, rows, "TSV-HEADER"):
        yield Correction(content.partition(b"\n")[2], "the header")


def _without_tabs(line: bytes, columns: int) -> bytes:
    """A line without the empty columns at its end that are too many."""
    while line.endswith(b"\t") and line.count(b"\t") >= columns:
        line = line.removesuffix(b"\t")
    return line


def _faulty_lines(board: Board, content: bytes, rows: int | None, rule: str = "TSV-COLUMNS",
                  ) -> set[int]:
    """The lines that break a rule of files."""
    from scorer.reading.tsv import File

    most = content.count(b"\n") + 1
    table = board.task.read_table(board.settings, File(content, most=most), rows=rows)
    return {problem.line for problem in table.problems.kept if problem.rule == rule}
