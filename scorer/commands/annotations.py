"""``scorer annotations``: check answers of annotators, make batches, see how far they are."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.commands import annotation_batches, annotation_figures, annotation_hamlet
from scorer.commands.annotation_batches import FOLDER, opened, print_table
from scorer.commands.options import Action, VerbGroup, option

if TYPE_CHECKING:
    from scorer.core.errors import Problem
    from scorer.people.coverage import Coverage
    from scorer.people.validate import Checked, Workplace

def _validate(args: argparse.Namespace) -> int:
    """0 if every file can be accepted, 2 for a fault of an annotator's, 3 for one of a batch."""
    from scorer.core.errors import refusal
    from scorer.people.validate import check_file

    workplace = opened(args)
    paths = [_inside(workplace, path) for path in args.path] or workplace.every_path()
    errors = worst = 0
    reported: set[Problem] = set()
    for path in paths:
        found = check_file(workplace, path, author=args.author, handed_in=bool(args.path))
        new = [problem for problem in found.problems if problem not in reported]
        reported.update(new)
        errors += found.faults.errors + len(new)
        worst = max(worst, 3 if found.problems else 2 if found.faults.errors else 0)
        _tell(found, new, args.format)
    if errors:
        sys.stdout.flush()
        print(refusal(errors), file=sys.stderr)
    elif not paths:
        print(f"{workplace.folder}: nothing to check")
    return worst


def _inside(workplace: Workplace, path: Path) -> Path:
    """A path as one below the folder. Raises UsageError for others, and for what is not there."""
    from scorer.core.errors import UsageError, excerpt

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
    from scorer.core.errors import counted
    from scorer.pipeline.ci.runner import annotate

    failed = bool(found.faults.errors or found.problems)
    if how == "github":
        for fault in found.faults.kept:
            annotate([fault], "warning" if fault.warns else "error")
        annotate(new)
    else:
        reported = [*map(str, new), *map(str, found.faults.lines())]
        for line in reported:
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


def _status(args: argparse.Namespace) -> int:
    """0; 3 if a batch has faults."""
    from scorer.commands.options import write_json
    from scorer.people import batches
    from scorer.people.coverage import coverage, uncounted

    workplace = opened(args)
    faulty = [problem for name in batches.names_in(workplace.folder)
              for problem in workplace.batch(name)[1]]
    rows = [coverage(workplace, batch) for batch in workplace.batches()]
    if args.json is not None:
        write_json(args.json, [row._asdict() for row in rows])
    else:
        heads = ("batch", "form", "status", "items", "finished", "needed", "annotators", "answers")
        print_table([heads, *((row.batch, row.kind, row.status, str(row.items), str(row.finished),
                               str(row.needed), _annotators(row), str(row.answers))
                              for row in rows)])
        for batch in workplace.batches():
            for line in uncounted(workplace, batch):
                print(line, file=sys.stderr)
    for problem in faulty:
        print(problem, file=sys.stderr)
    return 3 if faulty else 0


def _annotators(row: Coverage) -> str:
    """How many there are, and how many of them are simulated."""
    simulated = len(row.simulated)
    return f"{row.annotators} ({simulated} simulated)" if simulated else str(row.annotators)


VERB = VerbGroup("annotations", "make batches for annotators, check and count their answers", (
    Action("validate", "check annotators' files and the host's own", _validate,
           "scorer annotations validate\n"
           "scorer annotations validate annotations/csk/csk-1/octo-cat.tsv --author octo-cat", (
               option("path", nargs="*", type=Path, help="files below the folder, as new answers "
                      "to open batches (default: all there are)"),
               option("--author", metavar="LOGIN", help="who opened the pull request; may change "
                      "no file but those of that name"),
               option("--format", choices=("text", "github"), default="text",
                      help="github: as annotations of a workflow run (default: text)"), FOLDER)),
    Action("status", "count the answers to each batch", _status, "scorer annotations status",
           (option("--json", metavar="FILE", help="write it as JSON; -: to standard output"),
            FOLDER)),
    *annotation_batches.ACTIONS,
    *annotation_figures.ACTIONS,
    annotation_hamlet.ACTION,
))
