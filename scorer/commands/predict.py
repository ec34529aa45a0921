"""``scorer predict``: a system's predictions as a submission that is ready to be sent."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.commands import before, options
from scorer.commands.options import Action, option
from scorer.commands.training import check_task, data_of, in_words, options_of
from scorer.core.records import SPLITS

if TYPE_CHECKING:
    from scorer.boards import Board
    from scorer.lab.systems.records import Answers, External, Question, System
    from scorer.lab.systems.registry import Found
    from scorer.tasks.graphs.graph_items import Prediction

UNTRAINED = ("knowledge", "triplets", "encoder")
"""Options of systems without training."""
OPTIONS = ("labels", "graphs", "external", "no_constraints", "inferences", *UNTRAINED)
"""Those that not every system has."""
RETRIEVED, NONE = "retrieved", "none"


def run(args: argparse.Namespace) -> int:
    """Predict the splits, and write predictions and submission.yaml."""
    from scorer import boards
    from scorer.boards.submission import FILE_NAME
    from scorer.core.files import write_atomically
    from scorer.lab.systems.registry import find
    from scorer.scoring.reference import meta_bytes, predictions_bytes, write_submission

    board = boards.load(args.board, args.boards)
    check_folder(args.out, board)
    found = find(args.system)
    _check(args, board, found)
    known = before.existing(args.out, _named(args, found.system), args.date)
    answers = {split: _answers(args, board, found, split) for split in args.split}
    saw = before.saw_dev_gold(args, board, answers[args.split[0]].used)
    meta = _meta(args, board, found, answers, saw.value)
    if known is not None:
        meta["date"] = known.date
        if (args.out / FILE_NAME).read_bytes() != meta_bytes(meta):
            raise before.differs(args.out / FILE_NAME)
    write_submission(args.out, meta, {split: predictions_bytes(board, one.predictions)
                                      for split, one in answers.items()})
    for one in answers.values():
        for path, content in one.files.items():
            write_atomically(path, content)
    if saw.unknown and args.saw_dev_gold is None:
        print(f"submission.yaml says saw_dev_gold: yes, since nobody here knows what went into "
              f"{' and '.join(saw.unknown)}; if no dev gold did, say --saw-dev-gold no")
    print(f"{args.out}: {', '.join(answers)} written; run: scorer check {args.out}")
    return 0


def check_folder(folder: Path, board: Board) -> None:
    """Raise an error unless the folder is one of a submission to the board."""
    from scorer.boards.submission import slug_problems
    from scorer.core.errors import SubmissionError, UsageError

    path = folder.resolve()
    if path.parent.parent.name != board.id:
        raise UsageError(f"{folder}: no folder of a submission to {board.id}; with --out "
                         f"name submissions/{board.id}/<team>/<system>")
    problems = slug_problems(path.parent.name, path.name, str(folder), reserved=True)
    if problems:
        raise SubmissionError(problems)


def _check(args: argparse.Namespace, board: Board, found: Found) -> None:
    """Raise UsageError for what would only fail after the work."""
    from scorer.core.errors import UsageError
    from scorer.lab.systems.records import check_fits

    system, folder, trained = found
    check_task(system, board)
    options_of(args, OPTIONS, system, system.asked)
    before.check_fields(args)
    before.check_triplets(args)
    if trained is not None:
        if trained.part_of is not None:
            raise UsageError(f"{folder}: scorer curve made it from some items of "
                             f"{trained.part_of}; make a system to predict with by scorer train")
        check_fits(trained, board.id, board.settings)
    before.saw_dev_gold(args, board, [] if trained is None else [trained])


def _answers(args: argparse.Namespace, board: Board, found: Found, split: str) -> Answers:
    from scorer.boards.golds import input_texts
    from scorer.core.errors import DataError

    board.split(split)
    texts = input_texts(board, split, args.home)
    if texts is None:
        raise DataError(f"{split} of {board.id} is not on this machine; run: {board.how_to_bring}")
    question = _question(args, board, found.system, split, texts)
    with in_words("nothing was predicted"):
        return found.system.predict(found.folder, found.trained, question)


def _question(args: argparse.Namespace, board: Board, system: System, split: str,
              texts: Sequence[Sequence[str]]) -> Question:
    from scorer.core.errors import UsageError
    from scorer.lab.systems.records import Question
    from scorer.tasks.answers import NO_ANSWER

    labelled, drawn = (_predictions(path, board, split, texts)
                       for path in (args.labels, args.graphs))
    if labelled is not None and any(one.label == NO_ANSWER for one in labelled):
        raise UsageError(f"{args.labels}: a row has {NO_ANSWER} for a label, which is no answer; "
                         "name predictions with a label for every item")
    given: dict[str, Any] = {name: getattr(args, name) for name in ("inferences", *UNTRAINED)
                             if getattr(args, name) is not None}
    needs_train = args.external == RETRIEVED
    if not system.trains:
        given |= {"home": args.home, "board": board.id, "split": split}
        needs_train = args.knowledge is None or args.labels is None
    return Question(
        board.settings, texts, given,
        labels=None if labelled is None else [one.label for one in labelled],
        graphs=None if drawn is None else [one.graph for one in drawn],
        external=_external(args.external or NONE, len(texts)),
        train=data_of(board, args.home).golds if needs_train else (),
        constrained=not args.no_constraints,
    )


def _predictions(path: Path | None, board: Board, split: str, texts: Sequence[Sequence[str]]
                 ) -> Sequence[Prediction] | None:
    """What a file of predictions says, if one is named. Raises SubmissionError."""
    from scorer.scoring.checking import check_file, raise_if_wrong

    if path is None:
        return None
    report, found = check_file(board, path, split=split, texts=texts)
    raise_if_wrong(report)
    return list(found)


def _external(source: str, rows: int) -> External:
    """Where concepts from outside come from. Raises UsageError for a file of other rows."""
    if source == NONE:
        return NONE
    return RETRIEVED if source == RETRIEVED else file_of_concepts(Path(source), rows)


def file_of_concepts(path: Path, rows: int) -> list[list[str]]:
    """The concepts of every item's line in a file. Raises UsageError for one of other rows."""
    from scorer.core.errors import UsageError
    from scorer.core.reading.tsv import open_file

    lines = open_file(path).content.decode("utf-8", "replace").lower().split("\n")
    if lines[-1] == "":
        lines.pop()
    if len(lines) != rows:
        raise UsageError(f"{path}: {len(lines)} lines; expected {rows}, one for every item, with "
                         "its concepts between tabs or commas")
    between = "\t" if any("\t" in line for line in lines) else ", "
    return [[concept for concept in line.split(between) if _neat(concept)] for line in lines]


def _neat(concept: str) -> bool:
    """Whether some text can be a concept of a graph."""
    return bool(concept) and concept == " ".join(concept.split()) and not {*concept} & {*"();"}


def _named(args: argparse.Namespace, system: System) -> dict[str, str]:
    """What submission.yaml says that is known before the work."""
    return {"system": args.title or system.title,
            "team": args.team or args.out.resolve().parent.name,
            "description": system.description}


def _meta(args: argparse.Namespace, board: Board, asked: Found, answers: Mapping[str, Answers],
          saw_dev_gold: str) -> dict[str, Any]:
    """What submission.yaml says, in the order of its fields."""
    from dataclasses import fields

    from scorer._version import __version__
    from scorer.boards.submission import CONSTRAINED, TRAINED_HERE, Meta, may_tag

    first = answers[args.split[0]]
    used, trained = first.used, asked.trained
    learned = [one for one in used if one.trained_parameters]
    remarks = [f"{split}: {one.remark}." for split, one in answers.items() if one.remark]
    models = (*(first.made.models if first.made else ()),
              *((one.base.source, one.base.weights) for one in used if one.base))
    untrue = {*([CONSTRAINED] if args.no_constraints else []),
              *([] if learned else [TRAINED_HERE])}
    found = {
        **_named(args, asked.system),
        "date": args.date or datetime.now(UTC).date().isoformat(),
        "saw_dev_gold": saw_dev_gold,
        "training_data": _made_from(args, board, asked, first),
        "models": [*(f"{_shown_source(source)} (SHA-256 {digest[:12]}...)"
                     for source, digest in dict.fromkeys(models)),
                   *(f"weights of {one.system}, trained here (SHA-256 {one.weights[:12]}...)"
                     for one in learned)],
        "seeds": f"{trained.seed}, one run" if trained else "none: nothing is drawn",
        "decoding": " ".join((first.decoding, *remarks, f"Made with whyboard {__version__}.")),
        "tags": [tag for tag in asked.system.tags if tag not in untrue
                 and may_tag(args.out.resolve().parent.name, tag)],
    }
    if used:
        found["parameters"] = (
            f"{sum(one.parameters for one in used) / 1e6:.1f} million, of which "
            f"{sum(one.trained_parameters for one in used) / 1e6:.2f} million were trained here")
    return {field.name: found[field.name] for field in fields(Meta) if field.name in found}


def _made_from(args: argparse.Namespace, board: Board, asked: Found, answers: Answers) -> str:
    """What the predictions were made from, in words."""
    from scorer.core.files import sha256_file

    trained = asked.trained
    made = answers.made.source if answers.made else ""
    if trained is not None and not any(one.trained_parameters for one in answers.used):
        made = "None: the model is asked as it is."
    elif trained is not None:
        source = (f"The train split of {trained.board}"
                  if before.learned_from_train(trained, board, args.home)
                  else f"A file of items for {trained.board}" if "train" not in board.splits
                  else f"Items for {trained.board}, not the train split of {board.id} alone")
        made = (f"{source} (SHA-256 {trained.data['train'][:12]}...): "
                f"{trained.items} items; {trained.held_out} held out to choose the epoch.")
    for what, path in (("labels", args.labels), ("graphs", args.graphs)):
        if path is not None:
            made += (f" The {what} come from {path.name} (SHA-256 {sha256_file(path)[:12]}...), "
                     "and with them whatever they were made from.")
    if args.external not in (None, NONE, RETRIEVED):
        made += (f" Concepts from outside the texts come from {Path(args.external).name} "
                 f"(SHA-256 {sha256_file(Path(args.external))[:12]}...).")
    return made


def _shown_source(source: str) -> str:
    """A source without the folders of this machine."""
    return source if source.startswith(("hub:", "package:")) else Path(source).name


VERB = Action("predict", "write a system's predictions as a submission", run, """\
scorer predict structured --board explagraphs --split dev \\
    --out submissions/explagraphs/my-team/shipped
scorer predict systems/structured --board explagraphs --split dev \\
    --out submissions/explagraphs/my-team/structured
scorer predict systems/structured --board explagraphs --split dev --labels predictions.dev.tsv \\
    --out submissions/explagraphs/my-team/structured-with-labels
scorer predict cckg --board explagraphs --split dev --triplets triplets.dev.tsv \\
    --out submissions/explagraphs/my-team/paths""", (
    option("system", metavar="SYSTEM|DIR",
           help="structured or label, whose weights come with the program; cckg, which needs no "
           "training; or a folder that scorer train wrote (./label if it is called like one "
           "of these)"),
    option("--board", required=True, help="board name or path"),
    option("--split", action="append", choices=SPLITS, required=True,
           help="split to predict; may be repeated"),
    option("--out", type=Path, required=True, metavar="DIR",
           help="the submission: submissions/<board>/<team>/<system>"),
    option("--labels", type=Path, metavar="FILE",
           help="take the labels of these predictions (one split) instead of predicting them"),
    option("--graphs", type=Path, metavar="FILE",
           help="label-with-graph: the graphs of these predictions (one split) to read and submit"),
    option("--external", metavar="SOURCE",
           help=f"structured: concepts from outside the texts: {NONE}, {RETRIEVED} (from similar "
           "train items), or a file with one line for each item, concepts separated by tabs, "
           f"or by commas if it has no tab (default: {NONE})"),
    option("--inferences", type=Path, metavar="FILE",
           help="gpt2: the inferences of every context of the split, one row each"),
    option("--no-constraints", action="store_true",
           help="take the likeliest concepts and edges without the board's constraints, with about "
           "as many edges as gold graphs"),
    option("--knowledge", type=Path, metavar="FILE",
           help="cckg: a knowledge base: lines of head, relation and tail with tabs between, or "
           "ConceptNet 5.7's assertions; may be gzipped (default: the gold graphs of train)"),
    option("--triplets", type=Path, metavar="FILE",
           help="cckg: also write the graphs as the method cuts them out, before they are made to "
           "fit the board, as triplets with node colours, for people to annotate"),
    option("--encoder", metavar="SOURCE",
           help="cckg: hub:NAME@COMMIT, package:NAME or a folder (default: MiniLM-L6)"),
    option("--title", help="the system's name as shown (default: the system's)"),
    option("--team", help="the team's name as shown (default: its folder's name)"),
    option("--date", help="when the predictions were made, YYYY-MM-DD (default: that of the "
           "submission if it is there already, else today, UTC)"),
    option("--saw-dev-gold", choices=("no", "yes"),
           help="what submission.yaml says (default: no if the system learned from the board's "
           "train split or comes with the program, and --labels and --graphs are predictions of "
           "submissions that say no; yes with any other file)"),
    options.boards,
    options.home,
))
