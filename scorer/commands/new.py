"""``scorer new``: a submission's folder to fill in."""

from __future__ import annotations

import argparse

from scorer.commands import options
from scorer.commands.options import Action, option


def run(given: argparse.Namespace) -> int:
    """Write the template, never over an existing file."""
    from scorer.boards import load, submission
    from scorer.core.errors import SubmissionError, UsageError
    from scorer.core.files import write_atomically

    board = load(given.board, given.boards)
    folder = given.submissions / board.id / given.team / given.system
    problems = submission.slug_problems(given.team, given.system, str(folder), reserved=False)
    if problems:
        raise SubmissionError(problems)
    path = folder / submission.FILE_NAME
    if path.exists():
        raise UsageError(f"{path} exists already; choose another system name or edit it")
    write_atomically(path, submission.template(given.system, given.team).encode())
    columns = ", ".join(board.task.prediction_columns)
    print(f"{path} written. Fill it in, put predictions.<split>.tsv beside it "
          f"(columns: {columns}; no header), then run: scorer check {folder}")
    return 0


VERB = Action("new", "make a submission's folder with a submission.yaml to fill in", run, """\
scorer new explagraphs-practice my-team my-system --submissions submissions""", (
    option("board", help="board name"),
    option("team", help="the team's folder name: a-z, 0-9 and hyphens"),
    option("system", help="the system's folder name: a-z, 0-9 and hyphens"),
    options.submissions,
    options.boards,
))
