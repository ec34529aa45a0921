"""Hidden gold where it must not be: in files that git has, or would take with ``git add .``.

Three things are known without any key: how opened gold begins, how a secret key is written, and the
inputs of every hidden split, so that a file with those inputs and something beside them is gold.
A list of labels alone cannot be told from any other list.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scorer.board import LARGEST_GOLD, Board, known_boards, load
from scorer.ci.git import EXECUTABLE, FILE, Change, Repository
from scorer.ci.scope import Scope
from scorer.errors import WhyboardError, counted
from scorer.hidden import envelope

MOST_FILES = 200
"""Changed files of a pull request that are read."""
FEW = 20
"""As many are read of a pull request that is refused anyway."""
MOST_BYTES = 64 * 1024 * 1024
"""Bytes of them in all."""
ENOUGH = 10
"""Gold of one in so many rows of a split is told; fewer may be items that splits share."""
_KEY = re.compile(rb"^AGE-SECRET-KEY-1[0-9A-Z]{58}\s*$", re.MULTILINE)
_HEAD = 4096


class HiddenInputs(NamedTuple):
    """What is known of a hidden split."""

    board: str
    split: str
    columns: int
    rows: frozenset[bytes]


def inputs_of(board: Board, home: Path) -> Iterator[HiddenInputs]:
    """The hidden splits of a board whose inputs are at hand."""
    columns = len(board.task.input_columns(board.settings))
    for name, split in board.splits.items():
        path = board.data_file(name, home) if split.gold == "hidden" else None
        if path is not None and path.stat().st_size <= LARGEST_GOLD:
            lines = path.read_bytes().splitlines()
            yield HiddenInputs(board.id, name, columns, frozenset(
                b"\t".join(line.split(b"\t")[:columns]) for line in lines if line))


def all_inputs(boards: Path, home: Path) -> list[HiddenInputs]:
    """Those of every board of a folder that can be read."""
    found: list[HiddenInputs] = []
    for name in known_boards(boards):
        try:
            found += inputs_of(load(name, boards), home)
        except WhyboardError:
            continue  # what is wrong with a board is told elsewhere
    return found


def held(content: bytes, hidden: Sequence[HiddenInputs]) -> str | None:
    """What of hidden gold some bytes hold, without a word of it; None if nothing."""
    try:
        opened = envelope.parse(content)
        return f"opened gold of {opened.board} {opened.split}"
    except ValueError:
        pass
    if _KEY.search(content[:_HEAD]):
        return "a secret key"
    lines = content.splitlines() if hidden and b"\t" in content else []
    for split in hidden:
        rows = {parts for line in lines if line.count(b"\t") >= split.columns
                and (parts := b"\t".join(line.split(b"\t")[: split.columns])) in split.rows}
        if rows and len(rows) * ENOUGH >= len(split.rows):
            return f"gold of {split.board} {split.split}, {counted(len(rows), 'row')}"
    return None


def of_work_tree(repository: Repository, hidden: Sequence[HiddenInputs]) -> Iterator[str]:
    """Files that git has or would take, with what they hold."""
    listed = repository.run("ls-files", "-z", "--cached", "--others", "--exclude-standard",
                            check=False)
    for name in sorted(set(listed.stdout.split(b"\0")) - {b""}):
        path = repository.folder / os.fsdecode(name)
        if not path.is_file() or path.is_symlink() or path.stat().st_size > LARGEST_GOLD:
            continue
        found = held(path.read_bytes(), hidden)
        if found is not None:
            yield f"{ascii(os.fsdecode(name))[1:-1]} holds {found}"


def check_changes(scope: Scope, repository: Repository, changes: Sequence[Change],
                  hidden: Sequence[HiddenInputs]) -> None:
    """Refuse files of a pull request that hold hidden gold, whoever opened it."""
    left, most = MOST_BYTES, FEW if scope.total else MOST_FILES
    for change in [one for one in changes if one.mode in (FILE, EXECUTABLE)][:most]:
        content = repository.blob(change.oid, left)
        found = held(content, hidden) if content is not None else None
        left -= len(content or b"")
        if found is not None:
            scope.submits = True
            scope.add("PR-GOLD", change.path, found, "no hidden gold and no key")
