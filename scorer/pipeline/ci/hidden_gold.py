"""Hidden gold where it must not be: in files that git has, or would take with ``git add .``.

Three things are known without any key: how opened gold begins, how a secret key is written, and the
inputs of every hidden split, so that a table with those inputs and something beside them is gold:
as TSV or CSV, in any order of columns, in any case. A list of labels alone cannot be told from any
other list.
"""

from __future__ import annotations

import codecs
import csv
import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import NamedTuple

from scorer.boards import LARGEST_GOLD, Board
from scorer.core.errors import Problem, counted
from scorer.pipeline.ci.git import EXECUTABLE, FILE, Repository
from scorer.pipeline.ci.pull import Merge, problem
from scorer.pipeline.hidden import sealed

MOST_FILES = 200
"""Changed files of a pull request that are read."""
FEW = 20
"""As many are read of one that is refused anyway."""
MOST_BYTES = 16 * 1024 * 1024
"""Bytes of them in all."""
ENOUGH = 10
"""Gold of one in so many rows of a split is told; fewer may be items that splits share."""
FEWEST_ROWS = 3
"""As many at least, of a split that has them."""
KEY = re.compile(
    rb"(?i)AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}"
    rb"|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:\s|\\[nr]){1,20}[A-Za-z0-9+/=]{40}"
)
"""An identity of age (https://age-encryption.org/v1), or a private key as PEM."""
Cells = frozenset[str]


class HiddenInputs(NamedTuple):
    """What is known of a hidden split, its cells as ``_cells`` has them."""

    board: str
    split: str
    rows: frozenset[Cells]
    known: Cells
    """Every cell of every row."""

    @property
    def enough(self) -> int:
        """So many rows with something beside them are gold."""
        return max(ceil(len(self.rows) / ENOUGH), min(len(self.rows), FEWEST_ROWS))


def inputs_of(board: Board, home: Path) -> Iterator[HiddenInputs]:
    """The hidden splits of a board whose inputs are at hand."""
    columns = len(board.task.input_columns)
    for name, split in board.splits.items():
        path = board.data_file(name, home) if split.gold == "hidden" else None
        if path is not None and path.stat().st_size <= LARGEST_GOLD:
            lines = _text(path.read_bytes()).split("\n")
            rows = frozenset(_cells(line.split("\t")[:columns]) for line in lines) - {frozenset()}
            yield HiddenInputs(board.id, name, rows, frozenset().union(*rows))


def held(content: bytes, hidden: Sequence[HiddenInputs]) -> str | None:
    """What of hidden gold some bytes hold, without a word of it; None if nothing."""
    text = _text(content)
    content = text.encode()
    try:
        opened = sealed.parse(content)
        return f"opened gold of {opened.board} {opened.split}"
    except ValueError:
        pass
    if KEY.search(content):
        return "a secret key"
    labelled = [(split, set[Cells]()) for split in hidden]
    for cells in _records(text) if hidden else ():
        for split, rows in labelled:
            row = cells & split.known
            if row != cells and row in split.rows:
                rows.add(row)
    for split, rows in labelled:
        if rows and len(rows) >= split.enough:
            return f"gold of {split.board} {split.split}, {counted(len(rows), 'row')}"
    return None


def _text(content: bytes) -> str:
    """A file as text with LF line ends, whatever its encoding."""
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # as spreadsheets write
    text = content.decode("utf-16" if wide else "utf-8-sig", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _cells(parts: Sequence[str]) -> Cells:
    """What a record says, without what an editor or a spreadsheet changes."""
    folded = (" ".join(part.split()).strip("\"'").casefold() for part in parts)
    return frozenset(cell for cell in folded if cell)


def _records(text: str) -> Iterator[Cells]:
    """The cells of each line of TSV or CSV."""
    for line in io.StringIO(text):
        if "\t" in line:
            yield _cells(line.split("\t"))
        elif "," in line:
            with suppress(csv.Error):
                yield _cells(next(csv.reader([line])))


def of_work_tree(repository: Repository, hidden: Sequence[HiddenInputs]) -> Iterator[str]:
    """Files that git has or would take, with what they hold."""
    listed = repository.run("ls-files", "-z", "--cached", "--others", "--exclude-standard",
                            check=False)
    for name in sorted(set(listed.stdout.split(b"\0")) - {b""}):
        path = repository.folder / os.fsdecode(name)
        if not path.is_file() or path.is_symlink():
            continue
        with path.open("rb") as file:
            secret = held(file.read(LARGEST_GOLD), hidden)
        if secret is not None:
            yield f"{ascii(os.fsdecode(name))[1:-1]} holds {secret}"


def problems(merge: Merge, hidden: Sequence[HiddenInputs], most: int = MOST_FILES
             ) -> Iterator[Problem]:
    """Refuse files of a pull request that hold hidden gold, whoever opened it; note what of them
    was not read, because it was left out for its size or there are more than ``most``.
    """
    files: dict[str, str] = {}
    for change in merge.changes:
        if change.mode in (FILE, EXECUTABLE):
            files.setdefault(change.oid, change.path)
    sizes = merge.repository.sizes([*files][:most])
    left, read, unread = MOST_BYTES, [], []
    for oid, path in files.items():
        if sizes.get(oid, MOST_BYTES + 1) > left:
            unread.append(path)
        else:
            left -= sizes[oid]
            read.append(oid)
    for oid, content in merge.repository.each(read):
        secret = held(content, hidden)
        if secret is not None:
            yield problem("PR-GOLD", files[oid], secret, "no hidden gold and no key")
    if unread:
        missed = f"{len(unread)} of {counted(len(files), 'file')}"
        yield problem("PR-UNREAD", unread[0], f"{missed} not searched for hidden gold",
                      f"at most {most} files and {MOST_BYTES >> 20} MiB")
