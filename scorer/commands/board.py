"""``scorer board``: check a board, make one, or print the format's schema and documentation."""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from scorer import boards
from scorer.boards import Board, published
from scorer.boards.prompts.reading import prompts_of
from scorer.boards.reading import PLACEHOLDER, open_fields
from scorer.commands import options
from scorer.commands.annotations import workplace_in
from scorer.commands.options import Action, VerbGroup, option
from scorer.core.errors import UsageError, WhyboardError, counted, excerpt
from scorer.core.reading.schema import markdown_table, schema_of
from scorer.core.records import SPLITS
from scorer.people.records import Form
from scorer.pipeline.adopting import board as adopting
from scorer.pipeline.adopting import from_people, repository
from scorer.pipeline.adopting.board import NewBoard
from scorer.pipeline.adopting.from_people import DEFAULT
from scorer.scoring import gold_report
from scorer.tasks.registry import TASKS


def _list(given: argparse.Namespace) -> int:
    """Name the boards of a folder."""
    folder = given.boards or boards.boards_folder()
    known = boards.known_boards(folder)
    if not known:
        raise UsageError(f"{folder}: no boards; name a folder of boards with --boards")
    print("\n".join(known))
    return 0


def _declaration(given: argparse.Namespace) -> type:
    """The fields of ``board.yaml`` for one task, of a file beside it, or of a form."""
    if given.file == boards.OTHERS:
        return boards.Others
    if given.file == _FORM:
        return Form
    if given.task not in TASKS:
        raise UsageError(f"no task {given.task!r}; choose one of: {', '.join(TASKS)}")
    return boards.declaration(TASKS[given.task])


def _schema(given: argparse.Namespace) -> int:
    print(json.dumps(schema_of(_declaration(given), given.file), indent=2))
    return 0


def _docs(given: argparse.Namespace) -> int:
    print(markdown_table(_declaration(given)), end="")
    return 0


def _check_all(given: argparse.Namespace) -> int:
    names = given.target or boards.known_boards(given.boards or boards.boards_folder())
    return max((_check(Path(name), given) for name in names), default=0)


def _check(name: Path, given: argparse.Namespace) -> int:
    """Check board.yaml, published.yaml, prompts, every file of it that is at hand, and the gates on
    its gold."""
    try:
        board = boards.load(name, given.boards)
        splits = {one.items.name: one for one in gold_report.at_hand(board, given.home)}
        prompts_of(board)
        elsewhere = published.load(board)
    except WhyboardError as fault:
        print(fault, file=sys.stderr)
        return fault.exit_code
    for split, described in board.splits.items():
        if split not in splits:
            print(f"{board.id} {split}: {described.file or 'no file'}, not at hand")
            continue
        one = splits[split]
        kind = "gold reads" if described.gold == "public" else "inputs read"
        corrections = f", {counted(one.errata, 'correction')} by errata" if one.errata else ""
        print(f"{board.id} {split}: {counted(len(one.items.texts), 'item')}, {kind}{corrections}")
    quality = gold_report.quality_of(board, list(splits.values()))
    if given.report:
        print(gold_report.markdown(board, quality), end="")
    for line, field in open_fields(board):
        print(f"{board.folder / boards.FILE_NAME}:{line}: note: {field} is still to be filled in")
    for note in published.contradictions(board, elsewhere):
        print(note)
    found = gold_report.faults(board, quality)
    if found:
        print("\n".join(gold_report.report_lines(board, list(splits.values()), found)),
              file=sys.stderr)
        print(f"{board.id}: NOT fine, {counted(len(found), 'fault')} of gold", file=sys.stderr)
        return 3
    warnings = gold_report.null_warnings(board, list(splits.values()))
    print("\n".join(warnings), file=sys.stderr, end="\n" * bool(warnings))
    print(f"{board.id}: fine" + (", but its null is meaningless: see the warning" if warnings
                                 else ""))
    return 0


def _new(given: argparse.Namespace) -> int:
    """Make a board from data, and hold its gold against the rules it got."""
    folder = given.boards or Path("boards")
    known = given.boards if given.like in boards.known_boards(folder) else None
    like = boards.load(given.like, known)
    if given.texts:
        settings = like.task.with_texts(given.texts.split(","))
        like = replace(like, settings=settings)
    if (given.data is None) == (given.annotations is None):
        raise UsageError("name what the board is made of: --data DIR, or --from DIR for what "
                         "annotators found correct")
    made = (adopting.new(given.name, like, given.data) if given.annotations is None
            else _of_people(given, like))
    place = adopting.write(made, folder)
    for line in made.notes:
        print(line)
    print(f"{place / boards.FILE_NAME} written. Now fill in what begins with "
          f"{PLACEHOLDER!r}, mend the title, and run: "
          f"scorer board check {made.name} --boards {folder}")
    board = boards.load(place)
    splits = list(gold_report.at_hand(board, given.home))
    found = gold_report.faults(board, gold_report.quality_of(board, splits))
    if found:
        print("\n".join(gold_report.report_lines(board, splits, found)), file=sys.stderr)
        print(f"{board.id} is written, but its gold is NOT fine. After a correction in "
              f"{given.data or given.annotations}, remove {place} and run this again",
              file=sys.stderr)
    return 3 if found else 0


def _of_people(given: argparse.Namespace, like: Board) -> NewBoard:
    """A board of the items that annotators of closed batches found correct."""
    found = from_people.gathered(
        workplace_in(given.annotations), like, _shares(given.splits), given.seed)
    values: dict[str, object] = {}
    remarks = {"splits": found.splits}
    if found.licences:
        remarks["licence"] = (f"Annotators agreed to {' and '.join(found.licences)} for what they "
                              "wrote; whose the texts are that they read, only you know.")
    if found.simulated:
        values = {"title": f"{given.name.replace('-', ' ').capitalize()[:60]} (simulated)",
                  "practice": True}
        remarks["title"] = (f"SIMULATED: {', '.join(found.simulated[:5])} answered in place of "
                            "people. Never publish it as anything else.")
    with tempfile.TemporaryDirectory() as stage:
        for split, content in found.files.items():
            (Path(stage) / f"{split}.tsv").write_bytes(content)
        made = adopting.new(given.name, replace(like, settings=found.settings), Path(stage),
                            values=values, remarks=remarks)
    return replace(made, notes=(*found.notes, found.splits, *made.notes), files={}, more={
        **{f"{split}.tsv": content for split, content in found.files.items()}, **found.rounds})


def _shares(given: list[str]) -> dict[str, int]:
    """Splits with their shares, of words such as `dev=20`."""
    found: dict[str, int] = {}
    for word in given:
        name, _, share = word.partition("=")
        if name not in SPLITS or name in found or not re.fullmatch("[1-9][0-9]{0,5}", share):
            raise UsageError(f"--splits {excerpt(word)}: write splits once each with a share, such "
                             f"as train=80 dev=20; splits are {', '.join(SPLITS)}")
        found[name] = int(share)
    return found or DEFAULT


def _init(given: argparse.Namespace) -> int:
    """Make a repository for boards of one's own."""
    written = repository.init(given.root, given.title)
    print(f"wrote {', '.join(written) or 'no file: all are there'}")
    print("Next: scorer board new NAME --like explagraphs --data DIR; your account in "
          ".github/CODEOWNERS; then scorer ci doctor names what is left. All of it is explained "
          "by: scorer handbook")
    return 0


_TASK = option("--task", default="explanation_graphs",
               help="the task of the board (default: explanation_graphs)")
_FORM = "form.yaml"
_FILE = option("--file", choices=("board.yaml", "others.yaml", _FORM), default="board.yaml",
               help="a file of a board's folder, or a form that annotators answer "
               "(default: board.yaml)")
BOARD = VerbGroup((
    Action("check", "check boards and their files", _check_all,
           "scorer board check explagraphs\nscorer board check path/to/my-board --report", (
               option("target", nargs="*", type=Path, help="names or paths (default: all)"),
               option("--report", action="store_true",
                      help="print what public gold is like, as Markdown: labels, lengths, "
                      "duplicates, what splits share, agreement, broken rules"),
               options.boards, options.home)),
    Action("list", "list all boards", _list, "scorer board list", (options.boards,)),
    Action("new", "make a board from data", _new,
           "scorer board new my-benchmark --like explagraphs --data path/to/tsv-files\n"
           "scorer board new my-benchmark --from annotations", (
               option("name", help="the new board's name: a-z, 0-9 and hyphens"),
               option("--like", default="explagraphs", metavar="BOARD",
                      help="take task and settings from this board (default: explagraphs)"),
               option("--texts", metavar="NAMES", help="the columns of the texts that are given, "
                      "with commas between, where they are others than that board's"),
               option("--data", type=Path, metavar="DIR",
                      help="folder with train.tsv, dev.tsv or test.tsv, as many as you have"),
               option("--from", type=Path, dest="annotations", metavar="DIR",
                      help="make the data of this folder of annotations: the items of closed "
                      "batches whose graph people found correct"),
               option("--splits", nargs="+", default=[], metavar="SPLIT=SHARE",
                      help="with --from: how items are divided; those of one topic, or of one "
                      "first text, stay together (default: train=80 dev=20)"),
               option("--seed", type=int, default=1, help="with --from: which topics go where "
                      "(default: 1)"),
               options.boards, options.home)),
    Action("init", "make a repository for boards, or add its missing files", _init,
           'scorer board init --title "My benchmark"', (
               option("--root", type=Path, default=Path(), help="the folder (default: .)"),
               option("--title", default="My benchmark", help="the site's name"))),
    Action("schema", "print the JSON Schema of board.yaml, others.yaml or a form", _schema,
           "scorer board schema > board.schema.json\nscorer board schema --file others.yaml",
           (_TASK, _FILE)),
    Action("docs", "print the fields of board.yaml, others.yaml or a form as a table", _docs,
           "scorer board docs\nscorer board docs --file form.yaml", (_TASK, _FILE)),
))
