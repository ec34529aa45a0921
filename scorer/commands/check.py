"""``scorer check``: is this file or folder a submission that can be scored?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options
from scorer.commands.options import Action, option
from scorer.records import SPLITS

if TYPE_CHECKING:
    from scorer.board import Board


def run(given: argparse.Namespace) -> int:
    """Check every target; 0 if all can be scored, else 2, or 3 if our own data are at fault."""
    return max(_target(target, given) for target in given.target)


def _target(path: Path, given: argparse.Namespace) -> int:
    from scorer.errors import WhyboardError

    try:
        wrong = _folder(path, given) if path.is_dir() else _file(path, given)
    except WhyboardError as fault:
        print(fault, file=sys.stderr)
        return fault.exit_code
    return 2 if wrong else 0


def _folder(path: Path, given: argparse.Namespace) -> int:
    from scorer import submission
    from scorer.board import load
    from scorer.errors import report

    sent, problems = submission.read(path, reserved=given.reserved)
    if sent is None:
        print(report(problems, len(problems)), file=sys.stderr)
    board = load(given.board or path.resolve().parent.parent.name, given.boards)
    wrong = [_check(board, submission.predictions_path(path, split), split, given)
             for split in submission.splits_in(path)]
    return len(problems) + sum(wrong)


def _file(path: Path, given: argparse.Namespace) -> int:
    from scorer.board import load
    from scorer.errors import UsageError

    if not path.exists():
        raise UsageError(f"{path}: no such file or folder; name predictions or a submission")
    if given.board is None:
        raise UsageError(f"{path} is a file: name its board with --board, and its split with "
                         "--split if it has one")
    return _check(load(given.board, given.boards), path, given.split, given)


def _check(board: Board, path: Path, split: str | None, given: argparse.Namespace) -> int:
    from scorer.errors import printable
    from scorer.scoring.checking import check_file, input_texts

    texts = input_texts(board, split, given.home) if split is not None else None
    found, _ = check_file(board, path, split=split, texts=texts)
    for note in found.notes:
        print(f"note: {note}", file=sys.stderr)
    if not found.ok:
        print(found, file=sys.stderr)
        return 1
    where = f" {split}" if split else ""
    print(printable(f"{path}: can be scored on {board.id}{where}: {found}"))
    if split is not None and texts is None and board.task.needs_inputs:
        print(f"  the inputs of {board.id} {split} are not at hand, so {board.task.needs_inputs} "
              f"were not checked; run: {board.how_to_bring}")
    return 0


VERB = Action("check", "check a submission and list every error", run, """\
scorer check submissions/explagraphs-practice/my-team/my-system
scorer check predictions.dev.tsv --board explagraphs-practice --split dev""", (
    option("target", nargs="+", type=Path, help="submission folder or TSV file"),
    option("--board", help="board name or path (a folder names its own)"),
    option("--split", choices=SPLITS, help="split of a TSV file"),
    option("--reserved", action="store_true",
           help="allow reserved teams (for maintainers)"),
    options.boards,
    options.home,
))
