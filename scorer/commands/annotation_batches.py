"""What organisers do with batches: make, export, close, and take answers back."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import options, running
from scorer.commands.options import Action, option
from scorer.core.records import SPLITS

if TYPE_CHECKING:
    from scorer.people.making import Made, Source
    from scorer.people.records import Batch, CountedFile, Form
    from scorer.people.validate import Workplace

FOLDER = option("--annotations", type=Path, default=Path("annotations"), metavar="DIR",
                help="the folder of batches and answers (default: annotations)")


def opened(args: argparse.Namespace) -> Workplace:
    """The folder that a command works in. Raises UsageError if there is none, and DataError with
    every fault of the host's forms."""
    from scorer.core.errors import DataError, SubmissionError, UsageError
    from scorer.people.validate import Workplace

    folder: Path = args.annotations
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; make a batch with scorer annotations "
                         "make-batch, or name the folder with --annotations")
    try:
        return Workplace(folder)
    except SubmissionError as fault:
        raise DataError(str(fault)) from fault


def print_table(rows: Sequence[Sequence[str]], before: str = "") -> None:
    """Rows in columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(f"{before}{'  '.join(cells)}".rstrip())


# ---- making ------------------------------------------------------------------------------------


def check_name(name: str) -> None:
    """Raise UsageError unless a batch can be called so."""
    from scorer.core.errors import UsageError, excerpt
    from scorer.people import batches

    if not batches.is_name(name):
        raise UsageError(f"batch {excerpt(name)}: write 1 to 60 of a-z, 0-9 and inner hyphens")


def write_made(annotations: Path, made: Made) -> None:
    """Write batches and their keys, and tell of them."""
    from scorer.core.errors import counted
    from scorer.people import batches, making

    making.write(annotations, made)
    for note in made.notes:
        print(note)
    for batch, _, _ in made.batches:
        print(f"{batches.path_of(annotations, batch.name)}: {counted(len(batch.items), 'item')}, "
              f"{counted(batch.needed, 'annotator')} each, SHA-256 {batch.sha256[:12]}...")
        key = batches.path_of(annotations, batch.name, batches.KEY_SUFFIX)
        print(f"{key}: where each item comes from; annotators must not look")


def _make_batch(args: argparse.Namespace) -> int:
    """0 after writing a batch, or several if it is too large for one, each with its key."""
    from scorer.people import forms, making

    check_name(args.name)
    form = forms.find(forms.forms_of(args.annotations), args.form)
    sources, board, made_of = _sources(args, form)
    labels = form.labels if args.labels is None else () if args.labels == ["all"] else (
        args.labels)
    made = making.make(making.Wanted(
        name=args.name, form=form, board=board, made_of=made_of, seed=args.seed,
        items=args.items, labels=labels, needed=args.needed, topics=_topics(args.topics),
        licence=args.licence, every=args.every_item,
    ), sources)
    write_made(args.annotations, made)
    return 0


def _sources(args: argparse.Namespace, form: Form) -> tuple[list[Source], str, str]:
    """Where items come from: systems, the name of their board, and both in words."""
    from scorer import boards
    from scorer.core.errors import UsageError
    from scorer.people import making

    of_board = args.gold or args.submission or args.triplets
    if [bool(of_board), bool(args.texts), bool(args.from_batch)].count(True) != 1:
        raise UsageError("name what the items come from: --gold, --submission DIR, --triplets FILE "
                         "or, alone, --texts FILE or --from-batch NAME")
    if args.texts:
        names = ", ".join(path.name for path in args.texts)
        return [making.of_texts(form, path) for path in args.texts], args.board or "", names
    if args.from_batch:
        workplace = opened(args)
        earlier, _ = workplace.batch(args.from_batch)
        return ([making.of_batch(workplace, args.from_batch, form)],
                earlier.board if earlier else "", f"batch {args.from_batch}")
    if args.board is None or args.split is None:
        raise UsageError("name the items' --board and --split")
    board = boards.load(args.board, args.boards)
    if board.examples == "private":
        raise UsageError(f"{board.id}: its board.yaml says that no item may be shown (examples: "
                         "private), and batches are published; who may show its items writes "
                         "examples: public there")
    golds = making.golds_of(board, args.split, args.home)
    if board.brought:
        print(f"note: {board.id} is brought by each user, never part of a repository, and this "
              "batch holds its texts; read the licence in its board.yaml before you commit it")
    sources = [making.of_gold(board, golds, args.split)] if args.gold else []
    sources += [making.of_submission(board, golds, folder, args.split, every=args.every_item)
                for folder in args.submission]
    sources += [making.of_triplets(board, golds, path, args.split) for path in args.triplets]
    return sources, board.id, f"{board.id} {args.split}"


def _topics(path: Path | None) -> list[str]:
    """The topics of a file, a line each."""
    from scorer.core.reading.tsv import open_file, read_lines

    if path is None:
        return []
    found = read_lines(open_file(path))
    found.problems.raise_if_any()
    return [line.decode().strip() for line in found.lines if line.strip()]


def _export_refinement(args: argparse.Namespace) -> int:
    """0 after writing the graphs of every item that annotators wrote."""
    from scorer.commands.options import write_bytes
    from scorer.core.errors import counted
    from scorer.people.stages import CORRECT, PENDING, WRONG, Stages, correct, ragged

    histories = Stages(opened(args)).histories()
    write_bytes(args.out, ragged(histories))
    if args.correct is not None:
        write_bytes(args.correct, correct(histories))
    states = [one.state for one in histories]
    print(f"{counted(len(states), 'item')}: {states.count(CORRECT)} correct, "
          f"{states.count(WRONG)} to refine, {states.count(PENDING)} to verify", file=sys.stderr)
    return 0


# ---- closing -----------------------------------------------------------------------------------


def _close(args: argparse.Namespace) -> int:
    """0 after closing the batches."""
    from scorer.people.records import OPEN

    workplace = opened(args)
    for batch in [workplace.chosen(name, OPEN) for name in args.batch]:
        _close_batch(workplace, batch)
    return 0


def _close_batch(workplace: Workplace, batch: Batch) -> None:
    from scorer.core.errors import counted
    from scorer.core.files import sha256_file
    from scorer.people.coverage import coverage
    from scorer.people.records import CountedFile
    from scorer.people.validate import in_order, merge_order

    folder, far = workplace.folder_of(batch), coverage(workplace, batch)
    answers = in_order(workplace.annotations(batch),
                       merge_order(folder) if folder.is_dir() else {})
    path = _write(workplace, batch, [
        CountedFile(one.annotator, sha256_file(folder / f"{one.annotator}.tsv"))
        for one in answers])
    print(f"{path}: closed; {far.finished} of {far.items} items have the {far.needed} answers "
          "that they need")
    if far.refused:
        print(f"{batch.name}: {counted(far.refused, 'file')} with errors will not count")


def _write(workplace: Workplace, batch: Batch, answers: list[CountedFile]) -> str:
    """Write which files count in a batch; returns where."""
    from scorer.core.files import write_atomically
    from scorer.people import batches

    path = batches.path_of(workplace.folder, batch.name, batches.CLOSED_SUFFIX)
    write_atomically(path, batches.closing_content(batch, answers))
    return str(path)


def _withdraw(args: argparse.Namespace) -> int:
    """0 after taking the file away, and before that its name out of what counts."""
    from scorer.core.errors import UsageError, excerpt

    workplace = opened(args)
    batch, problems = workplace.batch(args.batch)
    if batch is None:
        found = problems[0].found if problems else "no such batch"
        raise UsageError(f"batch {excerpt(args.batch)}: {found}; name a sound one")
    named = list(batch.closing.answers) if batch.closing else []
    left = [one for one in named if one.annotator != args.login]
    file = next((path for path in workplace.files(batch) if path.stem == args.login), None)
    if file is None and left == named:
        raise UsageError(f"batch {batch.name} has no answers of {excerpt(args.login)}; those of "
                         f"{', '.join(path.stem for path in workplace.files(batch)) or 'nobody'}")
    if left != named:
        print(f"{_write(workplace, batch, left)}: without {args.login}")
    if file is not None:
        file.unlink()
        print(f"{file}: removed; figures change with the next scorer annotations aggregate")
    return 0


ACTIONS = (
    Action("make-batch", "make a batch of gold, submissions, triplets, texts or answers",
           _make_batch,
           "scorer annotations make-batch verify-1 --form verify --board explagraphs-practice "
           "\\\n    --split dev --submission submissions/explagraphs-practice/whyboard/structured"
           " --items 20\n"
           "scorer annotations make-batch verify-2 --form verify --texts graphs.tsv\n"
           "scorer annotations make-batch csk-1 --form csk --board explagraphs-practice --split "
           "dev \\\n    --triplets triplets.tsv --topics topics.txt --items 20", (
               option("name", help="the batch's name"),
               option("--form", required=True, help="the form of its questions"),
               option("--board", help="board name or path"),
               option("--split", choices=SPLITS, help="its split"),
               option("--gold", action="store_true", help="take gold answers"),
               option("--submission", type=Path, nargs="+", action="extend", default=[],
                      metavar="DIR", help="take the predictions of these submissions; their "
                      "names stand in the key alone"),
               option("--triplets", type=Path, nargs="+", action="extend", default=[],
                      metavar="FILE", help="take these lists of triplets, as scorer predict "
                      "--triplets writes them"),
               option("--texts", type=Path, nargs="+", action="extend", default=[],
                      metavar="FILE", help="take the lines of these files: the texts that the "
                      "form shows, between tabs, and perhaps a topic"),
               option("--from-batch", metavar="NAME", help="take the items of a batch that go on "
                      "to this form, by annotators' answers"),
               option("--items", type=running.count, metavar="N",
                      help="so many of each system, from every label in proportion (default: "
                      "all)"),
               option("--seed", type=int, default=1, help="which items are taken, and their "
                      "order (default: 1)"),
               option("--labels", nargs="+", metavar="LABEL", help="items of these gold labels; "
                      "all: every one (default: as the form says)"),
               option("--every-item", action="store_true", help="also items that do not pass the "
                      "gates of a metric"),
               option("--needed", type=running.count, metavar="N",
                      help="annotators of an item (default: as the form says)"),
               option("--licence", default="CC BY 4.0", metavar="TEXT",
                      help="under which answers are published (default: CC BY 4.0)"),
               option("--topics", type=Path, metavar="FILE", help="the topics of a form that asks "
                      "for one, a line each"), FOLDER, options.boards, options.home)),
    Action("export-refinement", "write the graphs that annotators wrote, a row an item",
           _export_refinement,
           "scorer annotations export-refinement refinement.tsv --correct gold.tsv", (
               option("out", metavar="FILE", help="texts, label and a graph a round, between "
                      "tabs; -: to standard output"),
               option("--correct", metavar="FILE", help="also write texts, label and graph of "
                      "items found correct, as a gold file"), FOLDER)),
    Action("close", "end batches: their answers are published, and new ones refused", _close,
           "scorer annotations close verify-1", (
               option("batch", nargs="+", help="open batches"), FOLDER)),
    Action("withdraw", "take an annotator's answers back, out of a closed batch too", _withdraw,
           "scorer annotations withdraw verify-1 octo-cat", (
               option("batch", help="the batch"),
               option("login", help="whose answers to it"), FOLDER)),
)
