"""``scorer predict`` and ``scorer import``: submissions of a system's or a log's answers."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands import options
from scorer.commands.options import Action, Args, Option, Verb, VerbGroup, flag, option
from scorer.core.errors import SubmissionError, UsageError, counted, excerpt, printable
from scorer.core.files import write_atomically
from scorer.core.records import SPLITS

if TYPE_CHECKING:
    from scorer.boards import Board

# ---- where a submission goes -----------------------------------------------------------------


def _check_folder(folder: Path, board: Board) -> None:
    """Raise an error unless the folder is one of a submission to the board."""
    from scorer.boards.submission import slug_problems

    path = folder.resolve()
    if path.parent.parent.name != board.id:
        raise UsageError(f"{folder}: no folder of a submission to {board.id}; with --out "
                         f"name submissions/{board.id}/<team>/<system>")
    problems = slug_problems(path.parent.name, path.name, str(folder), reserved=True)
    if problems:
        raise SubmissionError(problems)


def _check_outside(name: str, path: Path | None, submission: Path) -> None:
    """Raise UsageError for a file to write that is a folder or would lie in the submission."""
    if path is not None and (path.is_dir() or path.resolve().is_relative_to(submission.resolve())):
        raise UsageError(f"{name} {path}: a folder, or inside the submission, where only "
                         "predictions may be; name another file")


def _fields(folder: Path, values: dict[str, Any], *, whole: bool = False) -> dict[str, Any]:
    """Fields of submission.yaml; without a date, that of the submission that is there, else today.

    ``whole``: these are all of them. Raises SubmissionError for what no submission.yaml may say,
    UsageError if one is there that says otherwise.
    """
    from scorer.boards.submission import FILE_NAME, Meta, read_meta
    from scorer.core.reading import schema
    from scorer.scoring.reference import meta_bytes

    path, today = folder / FILE_NAME, datetime.now(UTC).date().isoformat()
    fields = {name: value for name, value in values.items() if value is not None}
    draft, problems = schema.load(Meta, meta_bytes({
        "date": today, "training_data": "Not known yet.", "saw_dev_gold": "no", **fields}),
        str(path))
    if draft is None:
        raise SubmissionError(problems)
    there = read_meta(path, str(path))[0] if path.is_file() else None
    if path.exists() and (there is None or (
            path.read_bytes() != meta_bytes(values) if whole else
            any(getattr(there, name) != getattr(draft, name) for name in fields))):
        raise UsageError(f"{path} exists already and says something else; choose another folder, "
                         "or remove it")
    return {"date": there.date if there else today, **fields}


# ---- predict ---------------------------------------------------------------------------------


def _predict(args: Args) -> None:
    from scorer.lab.systems import predicting, records
    from scorer.scoring.reference import predictions_bytes, write_submission

    board, out = options.board_of(args), args.out
    _check_folder(out, board)
    _check_outside("--triplets", args.triplets, out)
    entry = records.find(args.system)
    chosen = entry.system.heeded(vars(args), "asked")
    predicting.check(entry, board, chosen, args.split)
    fields = _fields(out, {
        "system": args.title or entry.system.title, "team": args.team or out.resolve().parent.name,
        "date": args.date, "description": entry.system.description,
        "saw_dev_gold": args.saw_dev_gold})
    made = {split: predicting.answers(entry, board, split, chosen, args.home)
            for split in args.split}
    unknown = predicting.unknown_origins(board, args.home, chosen, made[args.split[0]].used)
    meta = predicting.meta(entry, board, made, chosen, out, args.home,
                           {"saw_dev_gold": "yes" if unknown else "no", **fields})
    _fields(out, meta, whole=True)
    write_submission(out, meta, {split: predictions_bytes(board, result.predictions)
                                 for split, result in made.items()})
    for answers in made.values():
        for path, content in answers.files.items():
            write_atomically(path, content)
    if unknown and args.saw_dev_gold is None:
        print(f"submission.yaml says saw_dev_gold: yes, since nobody here knows what went into "
              f"{' and '.join(unknown)}; if no dev gold did, say --saw-dev-gold no")
    print(f"{out}: {', '.join(made)} written; run: scorer check {out}")


_OUT = options.folder("--out", "the submission: submissions/<board>/<team>/<system>", required=True)


def _described(*, title: str, date: str, saw: str) -> tuple[Option, ...]:
    """What submission.yaml says, with the default of each."""
    return (
        option("--title", f"the system's name as shown (default: {title})"),
        option("--team", "the team's name as shown (default: its folder's name)"),
        option("--date", f"when the predictions were made, YYYY-MM-DD (default: {date})"),
        option("--saw-dev-gold", f"what submission.yaml says (default: {saw})",
               choices=("no", "yes")))


PREDICT = Verb(_predict, """\
scorer predict structured --board explagraphs --split dev \\
    --out submissions/explagraphs/my-team/shipped
scorer predict systems/structured --board explagraphs --split dev \\
    --out submissions/explagraphs/my-team/structured
scorer predict systems/structured --board explagraphs --split dev --labels predictions.dev.tsv \\
    --out submissions/explagraphs/my-team/structured-with-labels
scorer predict cckg --board explagraphs --split dev --triplets triplets.dev.tsv \\
    --out submissions/explagraphs/my-team/paths""", (
    option("system", "structured or label, whose weights come with the program; cckg, which needs "
           "no training; or a folder that scorer train wrote (./label if it is called like one of "
           "these)", metavar="SYSTEM|DIR"),
    options.board,
    option("--split", "split to predict; may be repeated", action="append", choices=SPLITS,
           required=True),
    _OUT,
    options.file("--labels", "take the labels of these predictions (one split) instead of "
                 "predicting them"),
    options.file("--graphs", "label-with-graph: the graphs of these predictions (one split) to "
                 "read and submit"),
    option("--external", "structured: concepts from outside the texts: none, retrieved (from "
           "similar train items), or a file with one line for each item, concepts separated by "
           "tabs, or by commas if it has no tab (default: none)", metavar="SOURCE"),
    options.file("--inferences", "gpt2: the inferences of every context of the split, one row "
                 "each"),
    flag("--no-constraints", "structured: take the likeliest concepts and edges without the "
         "board's constraints, with about as many edges as gold graphs"),
    options.file("--knowledge", "cckg: a knowledge base: lines of head, relation and tail with "
                 "tabs between, or ConceptNet 5.7's assertions; may be gzipped (default: the gold "
                 "graphs of train)"),
    options.file("--triplets", "cckg: also write the graphs as the method cuts them out, before "
                 "they are made to fit the board, as triplets with node colours, for people to "
                 "annotate"),
    *_described(title="the system's",
                date="that of the submission if it is there already, else today, UTC",
                saw="no if the system learned from the board's train split or comes with the "
                "program, and no file was named; else yes"),
    *options.folders,
))


# ---- import ------------------------------------------------------------------------------------


def _inspect(args: Args) -> None:
    from scorer.lab.harnesses.asking import read_items
    from scorer.lab.harnesses.submitting import chosen_log, fields_of, imported, prompt_notes
    from scorer.scoring.reference import write_submission

    board = options.board_of(args)
    _check_folder(args.out, board)
    _check_outside("--answers", args.answers, args.out)
    runs = [imported(
        chosen_log(args.log, board.id, split),
        read_items(args.board, split, args.home, boards_folder=args.boards, with_gold=False),
        epoch=args.epoch, missing=_numbers(args.unanswered))
        for split in dict.fromkeys(args.split)]
    meta = fields_of(runs, {
        "system": args.title, "team": args.team or args.out.resolve().parent.name,
        "date": args.date, "model": args.model, "saw_dev_gold": args.saw_dev_gold})
    _fields(args.out, meta, whole=True)
    write_submission(args.out, meta, {part.split: part.predictions() for part in runs})
    for run in runs:
        for note in prompt_notes(run):
            print(printable(f"note: {note}"), file=sys.stderr)
        print(printable(f"{args.out}: {run.split} written, {counted(len(run.rows), 'item')}"))
        for line in run.summary():
            print(printable(f"  {line}"))
    if args.answers is not None:
        write_atomically(args.answers, b"".join(part.answers() for part in runs))
    if args.saw_dev_gold is None:
        print(printable(f"submission.yaml says saw_dev_gold: yes, since nobody here knows what "
                        f"{meta['models'][0]} read; if it read no dev gold, say --saw-dev-gold no"))
    print(f"next:  scorer check {args.out}")


def _numbers(text: str | None) -> list[int]:
    """Items by number: ``3,7,12-20``. Raises UsageError."""
    numbers: list[int] = []
    for part in text.split(",") if text else ():
        match = re.fullmatch(r"\s*([0-9]{1,7})(?:-([0-9]{1,7}))?\s*", part)
        if match is None:
            raise UsageError(f"--unanswered {excerpt(part)}: write numbers of items, such as "
                             "3,7,12-20")
        numbers += range(int(match[1]), int(match[2] or match[1]) + 1)
    return list(dict.fromkeys(numbers))


IMPORT = VerbGroup((
    Action("inspect", "write the answers in a log of inspect_ai as a submission", _inspect, """\
scorer import inspect logs --board explagraphs-practice --split dev \\
    --out submissions/explagraphs-practice/my-team/my-model""", (
        option("log", "a log (.eval or .json), or a folder of them, in which the last of a run and "
               "its resumptions is taken; of a task that comes with this program", nargs="+",
               type=Path, metavar="LOG"),
        options.board,
        option("--split", "split that was asked; may be repeated, with a log of each",
               action="append", choices=SPLITS, required=True),
        _OUT,
        option("--epoch", "which epoch to take, if the log has several", type=int, metavar="N"),
        option("--unanswered", "items that may be missing in the log, such as 3,7,12-20; they stay "
               "without an answer", metavar="ITEMS"),
        options.file("--answers", "also write the model's texts, one JSON object a line; not into "
                     "the submission, which has no place for them"),
        option("--model", "the model's name (default: the log's)", metavar="NAME"),
        *_described(title="the model's", date="the log's",
                    saw="yes, since nobody here knows what the model read"),
        *options.folders,
    )),
))
