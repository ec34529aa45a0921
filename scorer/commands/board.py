"""``scorer board``: check a board, or print the format's schema and documentation."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from scorer.commands import options

EXAMPLE = """examples:
  scorer board check explagraphs
  scorer board check path/to/my-board
  scorer board schema > board.schema.json
"""


def register(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "board", help="check a board, or show the format of board.yaml", epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=("check", "list", "schema", "docs"))
    parser.add_argument("target", nargs="*", type=Path, help="boards to check (default: all)")
    parser.add_argument("--task", default="explanation_graphs", help="task of schema and docs")
    options.boards(parser)
    options.home(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Do what was asked."""
    from scorer import board as boards
    from scorer.errors import UsageError
    from scorer.fields import markdown_table, schema_document
    from scorer.tasks import TASKS

    folder = given.boards or boards.boards_folder()
    if given.task not in TASKS:
        raise UsageError(f"no task {given.task!r}; choose one of: {', '.join(TASKS)}")
    if given.what == "list":
        known = boards.known_boards(folder)
        if not known:
            raise UsageError(f"{folder}: no boards; name a folder of boards with --boards")
        print("\n".join(known))
    elif given.what == "schema":
        document = schema_document(boards.declaration(TASKS[given.task]), "board.yaml")
        print(json.dumps(document, indent=2))
    elif given.what == "docs":
        print(markdown_table(boards.declaration(TASKS[given.task])), end="")
    else:
        names = given.target or [Path(name) for name in boards.known_boards(folder)]
        return max((_check(name, given) for name in names), default=0)
    return 0


def _check(name: Path, given: argparse.Namespace) -> int:
    """Check board.yaml and every file of it that is at hand."""
    from scorer import board as boards
    from scorer.errors import WhyboardError, counted
    from scorer.golds import read_golds

    try:
        board = boards.load(name, given.boards)
        for split, described in board.splits.items():
            path = board.data_file(split, given.home)
            if path is None:
                print(f"{board.id} {split}: {described.file or 'no file'}, not at hand")
            elif described.gold == "public":
                gold = read_golds(board, split, path)
                print(f"{board.id} {split}: {counted(len(gold.items), 'item')}, gold reads"
                      + (f", {counted(len(gold.errata), 'correction')} by errata"
                         if gold.errata else ""))
    except WhyboardError as fault:
        print(fault, file=sys.stderr)
        return fault.exit_code
    print(f"{board.id}: fine")
    return 0
