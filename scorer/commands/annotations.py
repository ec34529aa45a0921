"""``scorer annotations``: check answers of annotators, make batches, see how far they are."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import (
    annotation_closing,
    annotation_figures,
    annotation_hamlet,
    options,
    running,
)
from scorer.commands.options import Action, VerbGroup, option
from scorer.records import SPLITS

if TYPE_CHECKING:
    from scorer.annotations.coverage import Coverage
    from scorer.annotations.making import Source
    from scorer.annotations.records import Form
    from scorer.annotations.rules import Fault
    from scorer.annotations.validate import Checked, Workplace
    from scorer.errors import Problem

FOLDER = option("--annotations", type=Path, default=Path("annotations"), metavar="DIR",
                help="the folder of batches and answers (default: annotations)")


def opened(given: argparse.Namespace) -> Workplace:
    """The folder that a command works in. Raises UsageError if there is none, and DataError with
    every fault of the host's forms."""
    from scorer.annotations.validate import Workplace
    from scorer.errors import DataError, SubmissionError, UsageError

    folder: Path = given.annotations
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; make a batch with scorer annotations "
                         "make-batch, or name the folder with --annotations")
    try:
        return Workplace(folder)
    except SubmissionError as fault:
        raise DataError(str(fault)) from fault


def _validate(given: argparse.Namespace) -> int:
    """0 if every file can be accepted, 2 for a fault of an annotator's, 3 for one of a batch."""
    from scorer.annotations.validate import check_file
    from scorer.errors import refusal

    workplace = opened(given)
    paths = [_inside(workplace, path) for path in given.path] or workplace.every_path()
    errors = worst = 0
    told: set[Problem] = set()
    for path in paths:
        found = check_file(workplace, path, author=given.author, handed_in=bool(given.path))
        new = [problem for problem in found.problems if problem not in told]
        told.update(new)
        errors += found.faults.errors + len(new)
        worst = max(worst, 3 if found.problems else 2 if found.faults.errors else 0)
        _tell(found, new, given.format)
    if errors:
        sys.stdout.flush()
        print(refusal(errors), file=sys.stderr)
    elif not paths:
        print(f"{workplace.folder}: nothing to check")
    return worst


def _inside(workplace: Workplace, path: Path) -> Path:
    """A path as one below the folder. Raises UsageError for others, and for what is not there."""
    from scorer.errors import UsageError, excerpt

    folder = workplace.folder
    for below in (folder, folder.absolute()):
        if path.is_relative_to(below) and path != below:
            if not path.is_symlink() and not path.exists():
                raise UsageError(f"{excerpt(str(path), 200)}: no such file; name files that are "
                                 "there")
            return folder / path.relative_to(below)
    raise UsageError(f"{excerpt(str(path), 200)} is not below {folder}; name files below it, or "
                     "another folder with --annotations")


def _tell(found: Checked, new: Sequence[Problem], how: str) -> None:
    """Print what was found in a file: faults as errors, one line if there are none.

    ``new``: those of its problems that were not told of another file.
    """
    from scorer.errors import counted

    failed = bool(found.faults.errors or found.problems)
    if how == "github":
        for fault in found.faults.kept:
            print(_command(fault))
        for problem in new:
            print(f"::error file={_property(problem.path)},line={problem.line}::"
                  f"{_data(str(problem))}")
    else:
        told = [*map(str, new), *map(str, found.faults.told())]
        for line in told:
            print(line, file=sys.stderr if failed else sys.stdout)
    if not failed:
        said = "sound"
        if found.annotation is not None:
            said = counted(len(found.annotation.answers), "answer")
        elif found.rulings:
            said = counted(len(found.rulings), "ruling")
        notes = found.faults.warnings
        print(f"{found.faults.path}: {said}"
              f"{', ' + counted(notes, 'warning') if notes else ', no faults'}")


def _command(fault: Fault) -> str:
    """A fault as a workflow command, which GitHub shows at its line."""
    level = "warning" if fault.warns else "error"
    return (f"::{level} file={_property(fault.path)},line={fault.line},"
            f"title={_property(fault.rule)}::{_data(f'{fault.rule} {fault.found}')}")


def _data(text: str) -> str:
    from scorer.errors import printable

    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _status(given: argparse.Namespace) -> int:
    """0; 3 if a batch has faults."""
    from scorer.annotations import batches
    from scorer.annotations.coverage import coverage
    from scorer.commands.options import write_json

    workplace = opened(given)
    faulty = [problem for name in batches.names_in(workplace.folder)
              for problem in workplace.batch(name)[1]]
    rows = [coverage(workplace, batch) for batch in workplace.batches()]
    if given.json is not None:
        write_json(given.json, [row._asdict() for row in rows])
    else:
        heads = ("batch", "form", "status", "items", "finished", "needed", "annotators", "answers")
        cells = [heads, *((row.batch, row.kind, row.status, str(row.items), str(row.finished),
                           str(row.needed), _annotators(row), str(row.answers))
                          for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
                  .rstrip())
        for one in rows:
            _tell_uncounted(one)
    for problem in faulty:
        print(problem, file=sys.stderr)
    return 3 if faulty else 0


def _tell_uncounted(row: Coverage) -> None:
    if row.refused:
        print(f"{row.batch}: {row.refused} of its files have errors; run: scorer annotations "
              "validate", file=sys.stderr)
    if row.late:
        print(f"{row.batch}: closed without the files of {', '.join(row.late)} as they are, which "
              "count nowhere", file=sys.stderr)


def _annotators(row: Coverage) -> str:
    """How many there are, and how many of them are simulated."""
    simulated = len(row.simulated)
    return f"{row.annotators} ({simulated} simulated)" if simulated else str(row.annotators)


def _make_batch(given: argparse.Namespace) -> int:
    """0 after writing a batch, or several if it is too large for one, each with its key."""
    from scorer.annotations import forms, making
    from scorer.commands.annotation_batches import check_name, write_made

    check_name(given.name)
    form = forms.find(forms.forms_of(given.annotations), given.form)
    sources, board, made_of = _sources(given, form)
    labels = form.labels if given.labels is None else () if given.labels == ["all"] else (
        given.labels)
    made = making.make(making.Wanted(
        name=given.name, form=form, board=board, made_of=made_of, seed=given.seed,
        items=given.items, labels=labels, needed=given.needed, topics=_topics(given.topics),
        licence=given.licence, every=given.every_item,
    ), sources)
    write_made(given.annotations, made)
    return 0


def _sources(given: argparse.Namespace, form: Form) -> tuple[list[Source], str, str]:
    """Where items come from: systems, the name of their board, and both in words."""
    from scorer import board as boards
    from scorer.annotations import making
    from scorer.errors import UsageError

    of_board = given.gold or given.submission or given.triplets
    if [bool(of_board), bool(given.texts), bool(given.from_batch)].count(True) != 1:
        raise UsageError("name what the items come from: --gold, --submission DIR, --triplets FILE "
                         "or, alone, --texts FILE or --from-batch NAME")
    if given.texts:
        names = ", ".join(path.name for path in given.texts)
        return [making.of_texts(form, path) for path in given.texts], given.board or "", names
    if given.from_batch:
        workplace = opened(given)
        earlier, _ = workplace.batch(given.from_batch)
        return ([making.of_batch(workplace, given.from_batch, form)],
                earlier.board if earlier else "", f"batch {given.from_batch}")
    if given.board is None or given.split is None:
        raise UsageError("name the items' --board and --split")
    board = boards.load(given.board, given.boards)
    if board.examples == "private":
        raise UsageError(f"{board.id}: its board.yaml says that no item may be shown (examples: "
                         "private), and batches are published; who may show its items writes "
                         "examples: public there")
    golds = making.golds_of(board, given.split, given.home)
    if board.brought:
        print(f"note: {board.id} is brought by each user, never part of a repository, and this "
              "batch holds its texts; read the licence in its board.yaml before you commit it")
    sources = [making.of_gold(board, golds, given.split)] if given.gold else []
    sources += [making.of_submission(board, golds, folder, given.split, every=given.every_item)
                for folder in given.submission]
    sources += [making.of_triplets(board, golds, path, given.split) for path in given.triplets]
    return sources, board.id, f"{board.id} {given.split}"


def _topics(path: Path | None) -> list[str]:
    """The topics of a file, a line each."""
    from scorer.reading.tsv import open_file, read_lines

    if path is None:
        return []
    found = read_lines(open_file(path))
    found.problems.raise_if_any()
    return [line.decode().strip() for line in found.lines if line.strip()]


def _export_refinement(given: argparse.Namespace) -> int:
    """0 after writing the graphs of every item that annotators wrote."""
    from scorer.annotations.stages import CORRECT, PENDING, WRONG, Stages, correct, ragged
    from scorer.commands.options import write_bytes
    from scorer.errors import counted

    histories = Stages(opened(given)).histories()
    write_bytes(given.out, ragged(histories))
    if given.correct is not None:
        write_bytes(given.correct, correct(histories))
    states = [one.state for one in histories]
    print(f"{counted(len(states), 'item')}: {states.count(CORRECT)} correct, "
          f"{states.count(WRONG)} to refine, {states.count(PENDING)} to verify", file=sys.stderr)
    return 0


VERB = VerbGroup("annotations", "check what annotators hand in, make batches for them", (
    Action("validate", "check annotators' files and the host's own", _validate,
           "scorer annotations validate\n"
           "scorer annotations validate annotations/csk/csk-1/octo-cat.tsv --author octo-cat", (
               option("path", nargs="*", type=Path, help="files below the folder, as new answers "
                      "to open batches (default: all there are)"),
               option("--author", metavar="LOGIN", help="who opened the pull request; may change "
                      "no file but those of that name"),
               option("--format", choices=("text", "github"), default="text",
                      help="github: as annotations of a workflow run (default: text)"), FOLDER)),
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
    Action("status", "say how far each batch is answered", _status, "scorer annotations status",
           (option("--json", metavar="FILE", help="write it as JSON; -: to standard output"),
            FOLDER)),
    *annotation_closing.actions(FOLDER, opened),
    *annotation_figures.actions(FOLDER, opened),
    *annotation_hamlet.actions(FOLDER, opened),
))
