"""Predictions of a system: what they are made from, and what submission.yaml says of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from scorer._version import __version__
from scorer.boards import Board
from scorer.boards.golds import needed_texts
from scorer.boards.submission import CONSTRAINED, TRAINED_HERE, Meta, may_tag
from scorer.core.errors import UsageError, counted
from scorer.core.files import sha256_file
from scorer.core.reading.tsv import open_file
from scorer.lab.systems import records
from scorer.lab.systems.records import Found, Predicted, Question, Trained
from scorer.scoring.checking import check_file
from scorer.tasks.answers import NO_ANSWER
from scorer.tasks.graphs.graph_items import Prediction

RETRIEVED, NONE = "retrieved", "none"
READ = ("labels", "graphs", "external", "knowledge", "inferences")
"""Options that name a file to answer from."""
HUBS = ("hub:", "package:")
"""How sources begin that are the same on every machine; of a folder only the name is shown."""
Options = Mapping[str, Any]
"""Those of ``System.asked`` that have a value, by name."""


def check(choice: Found, board: Board, options: Options, splits: Sequence[str]) -> None:
    """Raise UsageError for what would only fail after the work."""
    system, folder, trained = choice
    system.check_task(board)
    if "triplets" in options:
        _check_triplets(options["triplets"], options, splits)
    if trained is not None:
        if trained.part_of is not None:
            raise UsageError(f"{folder}: scorer curve made it from some items of "
                             f"{trained.part_of}; make a system to predict with by scorer train")
        records.check_fits(trained, board.id, board.settings)


def _check_triplets(path: Path, options: Options, splits: Sequence[str]) -> None:
    if splits[1:]:
        raise UsageError("--triplets FILE takes one split; ask for the splits one by one")
    if path.resolve() in [Path(options[name]).resolve() for name in READ if name in options]:
        raise UsageError(f"--triplets {path}: is read too; name another file")
    above = next(parent for parent in path.resolve().parents if parent.exists())
    if not (above.is_dir() and os.access(above, os.W_OK)):
        raise UsageError(f"--triplets {path}: cannot be written; name another file")


def unknown_origins(board: Board, home: Path, options: Options, used: Sequence[Trained]
                    ) -> list[str]:
    """What may have seen dev gold, as nobody here knows what it was made from.

    ``used``: models that were asked.
    """
    return [*(f"what {model.system} learned from" for model in used
              if model.trained_parameters and not _learned_from_train(model, board, home)),
            *(f"--{name} {value}" for name, value in options.items()
              if name in READ and value not in (NONE, RETRIEVED))]


def _learned_from_train(model: Trained, board: Board, home: Path) -> bool:
    """Whether a model learned from the board's train split alone, or comes with the program."""
    ships = {records.read(folder).weights for folder in records.shipped().values()}
    if model.weights in ships or "train" not in board.splits:
        return model.weights in ships
    path = board.data_file("train", home)
    train = board.split("train").sha256 or (sha256_file(path) if path is not None else None)
    return train is not None and model.data.get("train") == train


def answers(choice: Found, board: Board, split: str, options: Options, home: Path) -> Predicted:
    """What a system answers to a split. Raises UsageError, SubmissionError, DataError."""
    texts = needed_texts(board, split, home)
    system, external = choice.system, options.get("external", NONE)
    labelled, drawn = (_predictions(options.get(name), board, split, texts)
                       for name in ("labels", "graphs"))
    if labelled is not None and any(prediction.label == NO_ANSWER for prediction in labelled):
        raise UsageError(f"{options['labels']}: a row has {NO_ANSWER} for a label, which is no "
                         "answer; name predictions with a label for every item")
    if external not in (NONE, RETRIEVED):
        options = {**options, "external": file_of_concepts(Path(external), len(texts))}
    needs_train = external == RETRIEVED or (not system.trains and "knowledge" not in options)
    question = Question(
        board.settings, texts, {**options, "home": home, "board": board.id, "split": split},
        labels=None if labelled is None else [prediction.label for prediction in labelled],
        graphs=None if drawn is None else [prediction.graph for prediction in drawn],
        train=records.data_of(board, home).golds if needs_train else ())
    with records.in_words("nothing was predicted"):
        predicted: Predicted = system.loaded().predict(choice.folder, choice.trained, question)
        return predicted


def _predictions(path: Path | None, board: Board, split: str, texts: Sequence[Sequence[str]]
                 ) -> Sequence[Prediction] | None:
    """What a file of predictions says, if one is named. Raises SubmissionError."""
    if path is None:
        return None
    return check_file(board, path, rows=board.split(split).rows, texts=texts).accepted()


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


def meta(choice: Found, board: Board, made: Mapping[str, Predicted], options: Options, out: Path,
         home: Path, before: Mapping[str, str]) -> dict[str, Any]:
    """The fields of submission.yaml, in their order; ``before``: those known before the work.
    """
    first, trained = next(iter(made.values())), choice.trained
    used = first.used
    learned = [model for model in used if model.trained_parameters]
    remarks = [f"{split}: {answer.remark}." for split, answer in made.items() if answer.remark]
    models = (*first.models,
              *((model.base.source, model.base.weights) for model in used if model.base))
    tags = {CONSTRAINED: choice.system.constrained and "no_constraints" not in options,
            TRAINED_HERE: choice.system.trains and learned}
    values = {
        **before,
        "training_data": _made_from(choice, board, first, options, home),
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


def _made_from(choice: Found, board: Board, first: Predicted, options: Options, home: Path) -> str:
    """What the predictions were made from, in words."""
    trained = choice.trained
    made = first.source
    if trained is not None and not any(model.trained_parameters for model in first.used):
        made = "None: the model is asked as it is."
    elif trained is not None:
        source = (f"The train split of {trained.board}"
                  if _learned_from_train(trained, board, home)
                  else f"A file of items for {trained.board}")
        made = (f"{source} (SHA-256 {trained.data['train'][:12]}...): "
                f"{counted(trained.items, 'item')}; {trained.held_out} held out to choose the "
                "epoch.")
    for name in ("labels", "graphs"):
        if path := options.get(name):
            made += (f" The {name} come from {path.name} (SHA-256 {sha256_file(path)[:12]}...), "
                     "and with them whatever they were made from.")
    if options.get("external", NONE) not in (NONE, RETRIEVED):
        external = Path(options["external"])
        made += (f" Concepts from outside the texts come from {external.name} "
                 f"(SHA-256 {sha256_file(external)[:12]}...).")
    return made
