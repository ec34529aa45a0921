"""``scorer data`` and ``scorer export``: a board's official files, and a board for other tools."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options
from scorer.commands.options import Action, Args, VerbGroup, flag, option
from scorer.core.errors import DataError, NotMeasured, UsageError, counted, excerpt
from scorer.core.files import listed, write_together

if TYPE_CHECKING:
    from scorer.boards import Board

WORDNET = "wordnet"
"""Stands where a board's name may."""


def _fetch(args: Args) -> None:
    """Fetch, then write the predictions by others as rows. Without a board what there is of every
    one: a folder may lack files then, but not hold wrong ones."""
    from scorer import boards

    if args.board is not None and args.all:
        raise UsageError("a board and --all: name one of them")
    if args.board == WORDNET:
        from scorer.boards.fetching import from_url
        from scorer.models.wordnet import make

        path = make.fetch(args.home, source=args.source,
                          download=lambda url: from_url(url, WORDNET))
        print(f"{WORDNET}: {path} written")
    elif args.board is not None:
        _bring(options.board_of(args), args)
    if args.board is not None:
        _status(args)
        return
    faults = []
    for board in boards.load_all(args.boards or boards.boards_folder()):
        if not board.downloads:
            continue
        try:
            _bring(board, args, partly=True)
        except DataError as fault:
            faults.append(str(fault))
            print(f"{board.id}: {fault}")
        _print_at_hand(board, args.home)
    if faults:
        raise DataError("\n".join(faults))


def _bring(board: Board, args: Args, *, partly: bool = False) -> None:
    """Fetch a board's files, make what is made of them, and say so; then write the predictions by
    others that are at hand as rows.

    Raises DataError with every fault of those that no row can be, and of their probabilities.
    """
    from scorer.boards import fetching
    from scorer.boards.item_files import read_probabilities
    from scorer.scoring import reference

    got = fetching.fetch(board, args.home, source=args.source, partly=partly)
    print(f"{board.id}: {counted(len(got.written), 'file')} fetched to "
          f"{args.home / 'data' / board.id}")
    for message in got.missing:
        print(f"{board.id}: {message}" + ("" if partly else "; the board works without it"))
    for path, rows in got.made.items():
        print(f"{board.id}: {path} made, {counted(rows, 'row')}")
    fetching.check_made(board, args.home)
    faults = []
    for row in board.third_party:
        try:
            read_probabilities(board, row.system, row.split, args.home)
            reference.write_third_party(board, row, args.home, args.home / "submissions")
        except DataError as fault:
            faults.append(str(fault))
    if faults:
        raise DataError("\n".join(faults))


def _status(args: Args) -> None:
    from scorer.models import wordnet

    if args.board != WORDNET:
        _print_at_hand(options.board_of(args), args.home)
        return
    try:
        known = wordnet.read(wordnet.folder(args.home))
        print(f"{WORDNET}: WordNet 3.0, {len(known.names)} entries at hand")
    except NotMeasured as reason:
        print(f"{WORDNET}: {reason}")
    print("licence: WordNet 3.0 licence, Princeton University")


def _print_at_hand(board: Board, home: Path) -> None:
    from scorer.boards import fetching

    have = fetching.present(board, home)
    if board.downloads:
        print(f"{board.id}: {len(have)} of {counted(len(board.downloads), 'file')} fetched")
    for split, described in board.splits.items():
        path = board.data_file(split, home)
        if described.file is not None:
            lacking = f"not on this machine; run: {board.how_to_bring_split(split)}"
            print(f"{board.id} {split}: {path or lacking}, {counted(described.rows, 'item')}")
    print(f"licence: {board.licence}")


def _import(args: Args) -> None:
    from scorer.boards import fetching

    board = options.board_of(args)
    if args.source is None or not args.source.is_dir():
        raise UsageError(f"name the folder with the official files: scorer data import {board.id} "
                         "--from DIR")
    _bring(board, args, partly=True)
    if not fetching.present(board, args.home):
        raise DataError(f"{args.source}: no file of {board.id} is there")
    print(f"licence: {board.licence}")


def _leaks(args: Args) -> None:
    from scorer.scoring import gold_report
    from scorer.tasks.gold_quality import leaks

    board = options.board_of(args)
    if (args.train is None) != (args.test is None):
        raise UsageError("name both files, with --train and --test, or none")
    if args.train is not None:
        splits = [gold_report.items_of_file(board, path) for path in (args.train, args.test)]
    else:
        splits = list(gold_report.at_hand(board, args.home))
    if len(splits) < 2:
        raise DataError(f"{board.id}: {counted(len(splits), 'split')} at hand, but a leak is "
                        "between two; fetch the data, or name files with --train and --test")
    for leak in leaks(board.task, splits):
        print(gold_report.leak_line(board, leak))


DATA = VerbGroup((
    Action("fetch", "fetch a board's files or WordNet", _fetch, """\
scorer data fetch explagraphs
scorer data fetch --all --from ../downloads
scorer data fetch wordnet""", (
        option("board", "board name, or wordnet (default: every board)", nargs="?"),
        *options.folders,
        flag("--all", "every board; a folder may lack files"),
        option("--from", "a folder with the files, by path or by name, at any depth; of WordNet: a "
               "folder or an archive", dest="source", type=Path, metavar="PATH"))),
    Action("import", "make gold files from official files on your disk", _import,
           "scorer data import anli --from ../downloads/anli", (
        option("board", "board name"), *options.folders,
        option("--from", "a folder with the official files or zip files of them", dest="source",
               type=Path, metavar="PATH"))),
    Action("leaks", "count rows that repeat a text or gold answer of an earlier split", _leaks, """\
scorer data leaks explagraphs-practice
scorer data leaks graphqa-explagraphs --train my-train.tsv --test my-test.tsv""", (
        option("board", "board name"), *options.folders,
        options.file("--train", "a gold file in the board's columns, of any other split"),
        options.file("--test", "the gold file whose rows are looked for in it"))),
    Action("status", "list the files that are on this machine", _status,
           "scorer data status explagraphs",
           (option("board", "board name, or wordnet"), *options.folders)),
))


# ---- export ------------------------------------------------------------------------------------


def _hub(args: Args) -> None:
    from scorer.boards import exporting

    board = options.board_of(args)
    files = exporting.dataset_files(board)
    _write(args.out, files, {name.partition("/")[0] for name in files})
    for split in board.splits:
        why = exporting.why_not(board, split)
        gold = "with gold" if board.splits[split].gold == "public" else "without gold"
        print(f"{board.id} {split}: " + (f"left out: {why}" if why else gold))
    print(f"{args.out}: push it as a dataset of the Hub with: "
          f"hf upload --repo-type dataset OWNER/{board.id} {args.out}")


def _lm_eval(args: Args) -> None:
    from scorer.lab.harnesses import lm_eval_tasks
    from scorer.lab.harnesses.asking import asking

    request = asking(args.board, args.split, prompt=args.prompt, examples=args.examples,
                     learn_from=args.learn_from, home=args.home, boards_folder=args.boards)
    made = lm_eval_tasks.folder(request, args.home, args.learn_from)
    before = {path.name for path in args.out.glob(f"{lm_eval_tasks.PREFIX}*")}
    _write(args.out, made.files, {*made.files, *before, "__pycache__"})
    for metric, why in made.left_out.items():
        print(f"{metric}: left out: {why}")
    print(f"{args.out}: {', '.join(made.tasks)}")
    print(f"run: lm_eval --model hf --model_args pretrained=MODEL --include_path {args.out} "
          f"--tasks {made.tag} --log_samples --output_path logs")


def _write(folder: Path, files: Mapping[str, bytes], known: Collection[str]) -> None:
    """Write files below a folder that holds nothing but ``known`` names, if it is there."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: a file; expected a folder, or nothing")
    strange = [path.name for path in listed(folder) if path.name not in known or path.is_symlink()
               ] if folder.is_dir() else []
    if strange:
        raise UsageError(f"{folder}: holds {excerpt(strange[0])}, which is no part of an export; "
                         "name an empty folder or a new one")
    write_together({folder / name: content for name, content in files.items()})


_OUT = options.folder("--out", "the folder to write", required=True)
EXPORT = VerbGroup((
    Action("hub", "write a board's data as a dataset of the Hugging Face Hub: Parquet files, "
           "croissant.json, eval.yaml and a card", _hub,
           "scorer export hub --board explagraphs-practice --out my-dataset",
           (options.board, options.boards, _OUT)),
    Action("lm-eval", "write a split as tasks of lm-evaluation-harness, which then gives our "
           "numbers", _lm_eval, """\
scorer export lm-eval --board explagraphs-practice --split dev --out tasks
lm_eval --model hf --model_args pretrained=gpt2 --include_path tasks \\
    --tasks whyboard_explagraphs_practice --log_samples --output_path logs""",
           (*options.asking, _OUT)),
))
