"""``scorer board``: check a board, make one, or print the format's schema and documentation."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

from scorer.commands import options
from scorer.commands.options import Action, Args, VerbGroup, option
from scorer.core.errors import UsageError, WhyboardError, counted, excerpt
from scorer.core.package_data import boards_folder, known_boards
from scorer.core.records import SPLITS


def _list(args: Args) -> None:
    folder = args.boards or boards_folder()
    known = known_boards(folder)
    if not known:
        raise UsageError(f"{folder}: no boards; name a folder of boards with --boards")
    print("\n".join(known))


def _declaration(args: Args) -> type:
    """The fields of ``board.yaml`` for one task, of a file beside it, or of a form."""
    from scorer import boards
    from scorer.people.records import Form
    from scorer.tasks.registry import TASKS

    if args.file == boards.OTHERS:
        return boards.Others
    if args.file == _FORM:
        return Form
    if args.task not in TASKS:
        raise UsageError(f"no task {args.task!r}; choose one of: {', '.join(TASKS)}")
    return boards.declaration(TASKS[args.task])


def _schema(args: Args) -> None:
    from scorer.core.reading.schema import schema_of

    print(json.dumps(schema_of(_declaration(args), args.file), indent=2))


def _docs(args: Args) -> None:
    from scorer.core.reading.schema import markdown_table

    print(markdown_table(_declaration(args)), end="")


def _check_all(args: Args) -> int:
    from scorer import boards

    names = args.target or boards.known_boards(args.boards or boards.boards_folder())
    return max((_check(Path(name), args) for name in names), default=0)


def _check(name: Path, args: Args) -> int:
    """Check board.yaml, published.yaml, prompts, every file of it that is at hand, and the gates on
    its gold."""
    from scorer import boards
    from scorer.boards import published
    from scorer.boards.prompts import prompts_of
    from scorer.boards.reading import open_fields
    from scorer.scoring import gold_report
    from scorer.tasks.gold_quality import measure

    try:
        board = boards.load(name, args.boards)
        splits = {data.name: data for data in gold_report.at_hand(board, args.home)}
        prompts_of(board)
        published.load(board)
    except WhyboardError as fault:
        print(fault, file=sys.stderr)
        return fault.exit_code
    for split, described in board.splits.items():
        if split not in splits:
            print(f"{board.id} {split}: {described.file or 'no file'}, not at hand")
            continue
        gold = splits[split]
        kind = "gold reads" if described.gold == "public" else "inputs read"
        corrections = f", {counted(gold.errata, 'correction')} by errata" if gold.errata else ""
        print(f"{board.id} {split}: {counted(len(gold.texts), 'item')}, {kind}{corrections}")
    quality = measure(board.task, list(splits.values()))
    for line, field in open_fields(board):
        print(f"{board.folder / boards.FILE_NAME}:{line}: note: {field} is still to be filled in")
    faults = gold_report.faults(board, quality)
    if faults:
        print("\n".join(gold_report.report_lines(board, list(splits.values()), faults)),
              file=sys.stderr)
        print(f"{board.id}: NOT fine, {counted(len(faults), 'fault')} of gold", file=sys.stderr)
        return 3
    warnings = gold_report.null_warnings(board, list(splits.values()))
    print("\n".join(warnings), file=sys.stderr, end="\n" * bool(warnings))
    print(f"{board.id}: fine" + (", but its null is meaningless: see the warning" if warnings
                                 else ""))
    return 0


def _new(args: Args) -> int:
    """Make a board from data, and hold its gold against the rules it got."""
    from scorer import boards
    from scorer.boards.reading import PLACEHOLDER
    from scorer.commands.annotations import workplace_in
    from scorer.pipeline.adopting import board as adopting
    from scorer.scoring import gold_report
    from scorer.tasks.gold_quality import measure

    folder = args.boards or Path("boards")
    known = args.boards if args.like in boards.known_boards(folder) else None
    like = boards.load(args.like, known)
    if args.texts:
        settings = like.task.with_texts(args.texts.split(","))
        like = replace(like, settings=settings)
    if (args.data is None) == (args.annotations is None):
        raise UsageError("name what the board is made of: --data DIR, or --from DIR for what "
                         "annotators found correct")
    made = (adopting.new(args.name, like, args.data) if args.annotations is None else
            adopting.of_people(args.name, workplace_in(args.annotations), like,
                               _shares(args.splits) or adopting.DEFAULT, args.seed))
    path = adopting.write(made, folder)
    for line in made.notes:
        print(line)
    print(f"{path / boards.FILE_NAME} written. Now fill in what begins with "
          f"{PLACEHOLDER!r}, mend the title, and run: "
          f"scorer board check {made.name} --boards {folder}")
    board = boards.load(path)
    splits = list(gold_report.at_hand(board, args.home))
    faults = gold_report.faults(board, measure(board.task, splits))
    if faults:
        print("\n".join(gold_report.report_lines(board, splits, faults)), file=sys.stderr)
        print(f"{board.id} is written, but its gold is NOT fine. After a correction in "
              f"{args.data or args.annotations}, remove {path} and run this again",
              file=sys.stderr)
    return 3 if faults else 0


def _shares(words: list[str]) -> dict[str, int]:
    """Splits with their shares, of words such as `dev=20`."""
    shares: dict[str, int] = {}
    for word in words:
        name, _, share = word.partition("=")
        if name not in SPLITS or name in shares or not re.fullmatch("[1-9][0-9]{0,5}", share):
            raise UsageError(f"--splits {excerpt(word)}: write splits once each with a share, such "
                             f"as train=80 dev=20; splits are {', '.join(SPLITS)}")
        shares[name] = int(share)
    return shares


def _init(args: Args) -> None:
    from scorer.pipeline.adopting import repository

    written = repository.init(args.root, args.title)
    print(f"wrote {', '.join(written) or 'no file: all are there'}")
    print("Next: scorer board new NAME --like explagraphs --data DIR; your account in "
          ".github/CODEOWNERS; then scorer ci doctor names what is left. All of it is explained "
          "by: scorer handbook")


_TASK = option("--task", "the task of the board (default: explanation_graphs)",
               default="explanation_graphs")
_FORM = "form.yaml"
_FILE = option("--file", "a file of a board's folder, or a form that annotators answer (default: "
               "board.yaml)", choices=("board.yaml", "others.yaml", _FORM), default="board.yaml")
BOARD = VerbGroup((
    Action("check", "check boards and their files", _check_all, """\
scorer board check explagraphs
scorer board check path/to/my-board""", (
        option("target", "names or paths (default: all)", nargs="*", type=Path),
        *options.folders)),
    Action("list", "list all boards", _list, "scorer board list", (options.boards,)),
    Action("new", "make a board from data", _new, """\
scorer board new my-benchmark --like explagraphs --data path/to/tsv-files
scorer board new my-benchmark --from annotations""", (
        option("name", "the new board's name: a-z, 0-9 and hyphens"),
        option("--like", "take task and settings from this board (default: explagraphs)",
               default="explagraphs", metavar="BOARD"),
        option("--texts", "the columns of the texts that are given, with commas between, where "
               "they are others than that board's", metavar="NAMES"),
        options.folder("--data", "folder with train.tsv, dev.tsv or test.tsv, as many as you have"),
        options.folder("--from", "make the data of this folder of annotations: the items of closed "
                       "batches whose graph people found correct", dest="annotations"),
        option("--splits", "with --from: how items are divided; those of one topic, or of one "
               "first text, stay together (default: train=80 dev=20)", nargs="+", default=[],
               metavar="SPLIT=SHARE"),
        option("--seed", "with --from: which topics go where (default: 1)", type=int, default=1),
        *options.folders)),
    Action("init", "make a repository for boards, or add its missing files", _init,
           'scorer board init --title "My benchmark"', (
        option("--root", "the folder (default: .)", type=Path, default=Path()),
        option("--title", "the site's name", default="My benchmark"))),
    Action("schema", "print the JSON Schema of board.yaml, others.yaml or a form", _schema, """\
scorer board schema > board.schema.json
scorer board schema --file others.yaml""", (_TASK, _FILE)),
    Action("docs", "print the fields of board.yaml, others.yaml or a form as a table", _docs, """\
scorer board docs
scorer board docs --file form.yaml""", (_TASK, _FILE)),
))
