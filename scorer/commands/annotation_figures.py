"""``scorer annotations aggregate`` and ``agreement``: what people said, in numbers."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands.annotation_batches import FOLDER, opened, print_table
from scorer.commands.options import Action, option
from scorer.people.published import HUMAN_RESULTS

if TYPE_CHECKING:
    from scorer.people.documents import QuestionFigures
    from scorer.people.validate import Workplace

def _aggregate(args: argparse.Namespace) -> int:
    """0; 3 for a result or a key that cannot be read, or a folder that cannot be written."""
    from scorer.core.errors import UsageError, excerpt
    from scorer.core.files import json_bytes, write_atomically
    from scorer.people.aggregation import aggregated
    from scorer.people.verdicts import in_boards, in_folder

    if args.commit and not re.fullmatch("[0-9a-f]{7,64}", args.commit):
        raise UsageError(f"{excerpt(args.commit)} is no commit; give its hexadecimal name")
    workplace = opened(args)
    found = aggregated(workplace, in_folder(args.results), in_boards(), args.commit)
    _tell_left_out(workplace)
    path = args.out / HUMAN_RESULTS
    write_atomically(path, json_bytes(found.to_json()))
    closed = len(found.generated_from.batches)
    print(f"{path}: {closed} closed {'batch' if closed == 1 else 'batches'}")
    if found.simulated is not None:
        print(f"simulated answers are in {len(found.simulated.batches)} of them: those of "
              f"{', '.join(found.simulated.annotators)}")
    return 0


def _tell_left_out(workplace: Workplace) -> None:
    """Say on standard error what has faults, so that no figure counts it."""
    from scorer.people import batches
    from scorer.people.coverage import uncounted
    from scorer.people.records import CLOSED

    for name in batches.names_in(workplace.folder):
        batch, problems = workplace.batch(name)
        lines = uncounted(workplace, batch) if batch and batch.status == CLOSED else ()
        for line in (*map(str, problems[:1]), *lines):
            print(f"left out: {line}", file=sys.stderr)


def _agreement(args: argparse.Namespace) -> int:
    """0."""
    from scorer.commands.options import write_json
    from scorer.core.errors import UsageError, excerpt
    from scorer.people import people
    from scorer.people.figures import question_figures
    from scorer.people.records import CLOSED

    workplace = opened(args)
    _tell_left_out(workplace)
    closed = [one for one in workplace.batches() if one.status == CLOSED]
    kinds = list(dict.fromkeys(one.kind for one in closed))
    if args.form and args.form not in kinds:
        raise UsageError(f"no closed batch of form {excerpt(args.form)}; there are some of: "
                         f"{', '.join(kinds) or 'none'}")
    document: dict[str, Any] = {}
    marked: dict[str, list[str]] = {}
    for kind in [args.form] if args.form else kinds:
        form = workplace.forms[kind]
        found = [one for batch in closed if batch.kind == kind
                 for one in workplace.annotations(batch)]
        questions = question_figures(form, found)
        simulated = people.simulated(workplace.people, [one.annotator for one in found])
        if simulated:
            marked[kind] = list(simulated)
        if args.json is None:
            _show(form.title, questions, simulated)
        document[kind] = {name: one.to_json() for name, one in questions.items()}
    if args.json is not None:
        write_json(args.json, {**document, "simulated": marked} if marked else document)
    elif not kinds:
        print("No batch is closed; agreement is shown of closed batches alone.")
    return 0


def _show(title: str, questions: dict[str, QuestionFigures], simulated: Sequence[str]) -> None:
    print(f"{title} (simulated answers of {', '.join(simulated)})" if simulated else title)
    rows = [("question", "units", "votes each", "agree", "alpha", "alpha, 95 %", "ordinal",
             "Fleiss", "cannot tell")]
    for name, one in questions.items():
        found = one.agreement
        low, high = found.raters
        rows.append((
            name, str(found.units), str(low) if low == high else f"{low} to {high}",
            _figure(found.raw.value), _figure(found.alpha.value),
            " to ".join(map(_figure, found.alpha.ci)) if found.alpha.ci else found.alpha.note,
            _figure(found.alpha_ordinal and found.alpha_ordinal.value),
            _figure(found.fleiss and found.fleiss.value), str(one.unsure)))
    print_table(rows, "  ")


def _figure(value: Any) -> str:
    return "-" if value is None else f"{float(value):.3f}".replace("0.", ".", 1)


ACTIONS = (
    Action("aggregate", "write what annotators of closed batches said, in numbers", _aggregate,
           "scorer annotations aggregate --out results/human", (
               option("--out", type=Path, required=True, metavar="DIR",
                      help=f"the folder for {HUMAN_RESULTS}"),
               option("--results", type=Path, default=Path("results"), metavar="DIR",
                      help="scored systems, for people's verdicts over all items and beside a "
                      "judge's (default: results)"),
               option("--commit", metavar="SHA", help="the commit that it is made from"),
               FOLDER)),
    Action("agreement", "measure agreement on closed batches", _agreement,
           "scorer annotations agreement", (
               option("--form", metavar="NAME", help="this form alone"),
               option("--json", metavar="FILE", help="write it as JSON; -: to standard output"),
               FOLDER)),
)
