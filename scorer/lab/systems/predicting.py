"""Predictions of a system: what they are made from, and what submission.yaml says of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scorer._version import __version__
from scorer.boards import Board
from scorer.boards.golds import input_texts
from scorer.boards.submission import (
    CONSTRAINED,
    FILE_NAME,
    TRAINED_HERE,
    Meta,
    may_tag,
    predictions_path,
    read_meta,
)
from scorer.core.errors import DataError, UsageError, counted
from scorer.core.files import sha256_file
from scorer.core.reading.tsv import open_file
from scorer.lab.folders import check_outside
from scorer.lab.systems import records
from scorer.lab.systems.records import Predicted, Question, Trained, check_fits
from scorer.lab.systems.runs import Found, data_of, in_words
from scorer.scoring.checking import check_file, raise_if_wrong
from scorer.tasks.answers import NO_ANSWER
from scorer.tasks.graphs.graph_items import Prediction

RETRIEVED, NONE = "retrieved", "none"
HUBS = ("hub:", "package:")
"""How sources begin that are the same on every machine; of a folder only the name is shown."""


@dataclass(frozen=True)
class Sources:
    """What predictions are made from beside the system: options of ``scorer predict``, each of some
    systems alone."""

    labels: Path | None = None
    graphs: Path | None = None
    """Predictions, whose labels or graphs are taken."""
    external: str | None = None
    knowledge: Path | None = None
    inferences: Path | None = None
    triplets: Path | None = None
    """Where graphs are written as the method cuts them out."""
    encoder: str | None = None
    no_constraints: bool = False


# ---- before the work -------------------------------------------------------------------------


def check(choice: Found, board: Board, sources: Sources, splits: Sequence[str], out: Path) -> None:
    """Raise UsageError for what would only fail after the work; ``out``: the submission's folder.
    """
    system, folder, trained = choice
    system.check_task(board)
    system.heeded(vars(sources), system.asked)
    if sources.triplets is not None:
        _check_triplets(sources.triplets, sources, splits, out)
    if trained is not None:
        if trained.part_of is not None:
            raise UsageError(f"{folder}: scorer curve made it from some items of "
                             f"{trained.part_of}; make a system to predict with by scorer train")
        check_fits(trained, board.id, board.settings)


def _check_triplets(path: Path, sources: Sources, splits: Sequence[str], out: Path) -> None:
    if splits[1:]:
        raise UsageError("--triplets FILE takes one split; ask for the splits one by one")
    check_outside("--triplets", path, out)
    target = path.resolve()
    above = next(parent for parent in target.parents if parent.exists())
    others = [one.resolve() for one in (sources.labels, sources.graphs, sources.knowledge) if one]
    fault = ("is read too" if target in others else
             "cannot be written" if not (above.is_dir() and os.access(above, os.W_OK)) else None)
    if fault:
        raise UsageError(f"--triplets {path}: {fault}; name another file")


def saw_dev_gold(word: str | None, board: Board, home: Path, sources: Sources,
                 splits: Sequence[str], used: Sequence[Trained]) -> tuple[str, list[str]]:
    """Whether predictions saw dev gold, as submission.yaml says it, and what nobody here knows the
    making of. No where that is known, or where nothing speaks against the user who says so.

    ``word``: what the user says. ``used``: models that were asked. Raises UsageError if the user
    says no and it is yes.
    """
    saw, unknown = list[str](), list[str]()
    golds = {_digest(board, name, home) for name in board.splits if name != "train"} - {None}
    for model in used:
        if model.trained_parameters and not _learned_from_train(model, board, home):
            notes = saw if model.data.get("train") in golds else unknown
            notes.append(f"what {model.system} learned from")
    for name, path in (("labels", sources.labels), ("graphs", sources.graphs)):
        if path is None:
            continue
        beside, record = path.parent / FILE_NAME, None
        is_sent = path in [predictions_path(path.parent, split) for split in splits]
        if is_sent and beside.is_file() and not beside.is_symlink():
            record = read_meta(beside, str(beside))[0]
        if record is None or record.saw_dev_gold:
            (saw if record else unknown).append(f"--{name} {path}")
    unknown += [f"--{name} {value}" for name, value in (
        ("external", sources.external), ("knowledge", sources.knowledge),
        ("inferences", sources.inferences))
        if value is not None and str(value) not in (NONE, RETRIEVED)]
    if word == "no" and saw:
        raise UsageError(f"--saw-dev-gold no, but dev gold is in {' and in '.join(saw)}; leave "
                         "the option out")
    return word or ("yes" if saw or unknown else "no"), unknown


def _learned_from_train(model: Trained, board: Board, home: Path) -> bool:
    """Whether a model learned from the board's train split alone, or comes with the program."""
    ships = {records.read(folder).weights for folder in records.shipped().values()}
    train = _digest(board, "train", home) if "train" in board.splits else None
    return model.weights in ships or (train is not None and model.data.get("train") == train)


def _digest(board: Board, split: str, home: Path) -> str | None:
    """SHA-256 of a split's gold; None if nobody here knows it."""
    described = board.split(split)
    path = board.data_file(split, home) if described.gold == "public" else None
    return described.sha256 or (sha256_file(path) if path is not None else None)


# ---- the work --------------------------------------------------------------------------------


def answers(choice: Found, board: Board, split: str, sources: Sources, home: Path) -> Predicted:
    """What a system answers to a split. Raises UsageError, SubmissionError, DataError."""
    board.split(split)
    texts = input_texts(board, split, home)
    if texts is None:
        raise DataError(f"{split} of {board.id} is not on this machine; run: {board.how_to_bring}")
    system, external = choice.system, sources.external or NONE
    labelled, drawn = (_predictions(path, board, split, texts)
                       for path in (sources.labels, sources.graphs))
    if labelled is not None and any(prediction.label == NO_ANSWER for prediction in labelled):
        raise UsageError(f"{sources.labels}: a row has {NO_ANSWER} for a label, which is no "
                         "answer; name predictions with a label for every item")
    options: dict[str, Any] = {
        name: value for name in ("inferences", "knowledge", "triplets", "encoder")
        if (value := getattr(sources, name)) is not None}
    needs_train = external == RETRIEVED
    if not system.trains:
        options |= {"home": home, "board": board.id, "split": split}
        needs_train = sources.knowledge is None or sources.labels is None
    question = Question(
        board.settings, texts, options,
        labels=None if labelled is None else [prediction.label for prediction in labelled],
        graphs=None if drawn is None else [prediction.graph for prediction in drawn],
        external=("none" if external == NONE else "retrieved" if external == RETRIEVED
                  else file_of_concepts(Path(external), len(texts))),
        train=data_of(board, home).golds if needs_train else (),
        constrained=not sources.no_constraints,
    )
    with in_words("nothing was predicted"):
        return system.predict(choice.folder, choice.trained, question)


def _predictions(path: Path | None, board: Board, split: str, texts: Sequence[Sequence[str]]
                 ) -> Sequence[Prediction] | None:
    """What a file of predictions says, if one is named. Raises SubmissionError."""
    if path is None:
        return None
    report, predictions = check_file(board, path, split=split, texts=texts)
    raise_if_wrong(report)
    return list(predictions)


def file_of_concepts(path: Path, rows: int) -> list[list[str]]:
    """The concepts of every item's line in a file. Raises UsageError for one of other rows."""
    lines = open_file(path).content.decode("utf-8", "replace").lower().split("\n")
    if lines[-1] == "":
        lines.pop()
    if len(lines) != rows:
        raise UsageError(f"{path}: {len(lines)} lines; expected {rows}, one for every item, with "
                         "its concepts between tabs or commas")
    between = "\t" if any("\t" in line for line in lines) else ", "
    return [[concept for concept in line.split(between)
             if concept and concept == " ".join(concept.split()) and not {*concept} & {*"();"}]
            for line in lines]


# ---- what is said of it ----------------------------------------------------------------------


def meta(choice: Found, board: Board, made: Mapping[str, Predicted], sources: Sources, out: Path,
         home: Path, before: Mapping[str, str]) -> dict[str, Any]:
    """The fields of submission.yaml, in their order; ``before``: those known before the work."""
    first, trained = next(iter(made.values())), choice.trained
    used = first.used
    learned = [model for model in used if model.trained_parameters]
    remarks = [f"{split}: {answer.remark}." for split, answer in made.items() if answer.remark]
    models = (*first.models,
              *((model.base.source, model.base.weights) for model in used if model.base))
    tags = {CONSTRAINED: choice.system.constrained and not sources.no_constraints,
            TRAINED_HERE: choice.system.trains and learned}
    values = {
        "date": datetime.now(UTC).date().isoformat(),
        **before,
        "training_data": _made_from(choice, board, first, sources, home),
        "models": [*(f"{source if source.startswith(HUBS) else Path(source).name} "
                     f"(SHA-256 {digest[:12]}...)" for source, digest in dict.fromkeys(models)),
                   *(f"weights of {model.system}, trained here (SHA-256 {model.weights[:12]}...)"
                     for model in learned)],
        "seeds": f"{trained.seed}, one run" if trained else "none: nothing is drawn",
        "decoding": " ".join((first.decoding, *remarks, f"Made with whyboard {__version__}.")),
        "tags": [tag for tag, holds in tags.items()
                 if holds and may_tag(out.resolve().parent.name, tag)],
    }
    if used:
        values["parameters"] = (
            f"{sum(item.parameters for item in used) / 1e6:.1f} million, of which "
            f"{sum(item.trained_parameters for item in used) / 1e6:.2f} million were trained here")
    return {field.name: values[field.name] for field in fields(Meta) if field.name in values}


def _made_from(choice: Found, board: Board, first: Predicted, sources: Sources, home: Path) -> str:
    """What the predictions were made from, in words."""
    trained = choice.trained
    made = first.source
    if trained is not None and not any(model.trained_parameters for model in first.used):
        made = "None: the model is asked as it is."
    elif trained is not None:
        source = (f"The train split of {trained.board}"
                  if _learned_from_train(trained, board, home)
                  else f"A file of items for {trained.board}" if "train" not in board.splits
                  else f"Items for {trained.board}, not the train split of {board.id} alone")
        made = (f"{source} (SHA-256 {trained.data['train'][:12]}...): "
                f"{counted(trained.items, 'item')}; {trained.held_out} held out to choose the "
                "epoch.")
    for what, path in (("labels", sources.labels), ("graphs", sources.graphs)):
        if path is not None:
            made += (f" The {what} come from {path.name} (SHA-256 {sha256_file(path)[:12]}...), "
                     "and with them whatever they were made from.")
    if sources.external not in (None, NONE, RETRIEVED):
        external = Path(sources.external)
        made += (f" Concepts from outside the texts come from {external.name} "
                 f"(SHA-256 {sha256_file(external)[:12]}...).")
    return made
