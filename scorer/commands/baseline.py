"""``scorer baseline``: write reference rows as submissions."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from scorer.commands import options, running
from scorer.commands.options import Action, option


def run(given: argparse.Namespace) -> int:
    """Write them and name the folders."""
    from scorer import boards
    from scorer.boards.submission import THIRD_PARTY
    from scorer.core.errors import NotMeasured, UsageError
    from scorer.models.registry import Models
    from scorer.scoring import reference
    from scorer.scoring.submissions import open_submission

    out = given.out or given.home / "submissions"
    for path in given.null_of:
        sent = open_submission(path)
        board = boards.load(given.board or sent.board, given.boards)
        null = reference.null_of(board, sent, given.home)
        print(reference.write_null_of(board, sent, null, out))
    if given.null_of:
        return 0
    if given.board is None:
        raise UsageError("name the board with --board")
    board = boards.load(given.board, given.boards)
    sources, how = running.models_of(given)
    models = Models(sources, home=given.home, **how)
    for baseline in reference.named(board, given.name):
        try:
            written = reference.write_baseline(
                board, baseline, given.split or ("dev", "test"), given.home, out, models
            )
        except NotMeasured as reason:
            print(f"{baseline.name}: {reason}")
            continue
        print(written or f"{baseline.name}: no split of {board.id} at hand to which it applies")
    systems = () if given.name or board.task.one_null else dict.fromkeys(
        row.system for row in board.third_party)
    folders = (out / board.id / THIRD_PARTY / system for system in systems)
    others = [open_submission(folder) for folder in folders if folder.is_dir()]
    for sent, null in reference.distinct_nulls(board, others, given.home):
        print(reference.write_null_of(board, sent, null, out))
    return 0


VERB = Action("baseline", "write reference rows (majority, nearest neighbour, null, gold ...)",
              run, """\
scorer baseline --board explagraphs-practice --out submissions
scorer baseline null gold --board explagraphs --split dev
scorer baseline --null-of .whyboard/submissions/explagraphs/third-party/max-margin""", (
    option("name", nargs="*", help="baselines to write (default: all)"),
    option("--board", help="board name or path"),
    option("--split", action="append", choices=("dev", "test"),
           help="splits to answer (default: dev and test)"),
    option("--null-of", type=Path, action="append", default=[], metavar="SUBMISSION",
           help="write the label-matched null of this submission instead"),
    option("--out", type=Path, metavar="DIR",
           help="folder of submissions to write to (default: <home>/submissions)"),
    partial(running.model_options, cached=False),
    options.boards,
    options.home,
))
