"""``scorer board``: check a board, make one, or print the format's schema and documentation."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from scorer.commands import options

EXAMPLE = """examples:
  scorer board init --title "My benchmark"
  scorer board new my-benchmark --like explagraphs --data path/to/tsv-files
  scorer board check explagraphs
  scorer board check path/to/my-board
  scorer board schema > board.schema.json
"""


def register(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the verb."""
    parser = verbs.add_parser(
        "board", help="check or make a board, or show the format of board.yaml", epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("what", choices=("check", "list", "new", "init", "schema", "docs"),
                        help="new: a board from data; init: a repository for boards of your own, "
                        "in an empty folder or a fork of this program's")
    parser.add_argument("target", nargs="*", type=Path,
                        help="boards to check (default: all), or the new board's name")
    parser.add_argument("--like", default="explagraphs", metavar="BOARD",
                        help="new: take task and settings from this board (explagraphs)")
    parser.add_argument("--data", type=Path, metavar="DIR",
                        help="new: where train.tsv, dev.tsv and test.tsv lie, those there are")
    parser.add_argument("--root", type=Path, default=Path(), help="init: the folder (default: .)")
    parser.add_argument("--keep", nargs="+", default=[], metavar="BOARD",
                        help="init: boards of a fork that stay")
    parser.add_argument("--title", default="My benchmark", help="init: the site's name")
    parser.add_argument("--task", default="explanation_graphs", help="task of schema and docs")
    options.boards(parser)
    options.home(parser)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Do what was asked."""
    from scorer import board as boards
    from scorer.errors import UsageError
    from scorer.reading.fields import markdown_table, schema_document
    from scorer.tasks.registry import TASKS

    if given.what == "new":
        return _new(given)
    if given.what == "init":
        return _init(given)
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
    from scorer.adopting.board import placeholders
    from scorer.board.golds import read_golds
    from scorer.errors import WhyboardError, counted

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
    for line, field in placeholders(board):
        print(f"{board.folder / boards.FILE_NAME}:{line}: note: {field} is still to be filled in")
    print(f"{board.id}: fine")
    return 0


def _new(given: argparse.Namespace) -> int:
    """Make a board from data."""
    from scorer import board as boards
    from scorer.adopting import board as adopting
    from scorer.errors import UsageError

    if len(given.target) != 1 or given.data is None:
        raise UsageError("name the new board and its data: "
                         "scorer board new NAME --like explagraphs --data DIR")
    folder = given.boards or Path("boards")
    known = given.boards if given.like in boards.known_boards(folder) else None
    made = adopting.new(str(given.target[0]), boards.load(given.like, known), given.data)
    place = adopting.write(made, folder)
    for line in made.found:
        print(line)
    print(f"{place / boards.FILE_NAME} written. Now fill in what begins with "
          f"{adopting.PLACEHOLDER!r}, mend the title, and run: "
          f"scorer board check {made.name} --boards {folder}")
    return 0


def _init(given: argparse.Namespace) -> int:
    """Make a repository for boards of one's own."""
    from scorer.adopting import repository
    from scorer.ci import workflows

    plan = repository.plan(given.root, given.keep, given.title)
    repository.apply(plan)
    written = [path.relative_to(given.root) for path in workflows.write(given.root)]
    for name in plan.remove:
        print(f"removed {name}")
    print(f"wrote {', '.join(name for name, _ in plan.write) or 'no file: all are there'}")
    print(f"wrote {', '.join(map(str, written))}")
    print("Next: scorer board new NAME --like explagraphs --data DIR; your account in "
          ".github/CODEOWNERS; then scorer ci doctor names what is left")
    return 0
