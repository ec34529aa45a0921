"""What people were asked and said, from the folder ``annotations`` of the checkout, and what
``scorer meta --board`` measured beside people: ``results/<board>/metric-agreement.json`` and
``results/<board>/sureness.<split>.json``.

An annotator's file with errors is left out with a warning that names it; so is all of the folder
where a form, a batch, its key or the list of people is faulty. A measured file says what it was
measured on. Of a board, gold, ratings or answers that changed since, nothing is shown; of a system
that was scored with other predictions since, or that others.yaml no longer names, nothing either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from scorer.boards import Board
from scorer.boards.policy import HumanRanking
from scorer.core.errors import SubmissionError
from scorer.core.files import sha256_file
from scorer.core.results import Result
from scorer.people.aggregation import aggregated, votes_on_systems
from scorer.people.documents import MetaResults, RatedGoldsDocument, SurenessDocument
from scorer.people.hamlet import HamletResults
from scorer.people.published import HAMLET, HUMAN_FOLDER, METRIC_AGREEMENT, sureness_file
from scorer.people.records import OPEN
from scorer.people.validate import ROOT, Workplace, coverage, uncounted
from scorer.site.reading.repository import SiteReader, again
from scorer.site.records import Annotations, AskedBatch, BoardView, Entry


def read_annotations(reader: SiteReader, boards: Sequence[BoardView], commit: str | None,
                     ) -> Annotations:
    """Everything below the folder; nothing without it, or where it is not sound.

    ``boards``: with the results of systems that people judged. ``commit``: what is shown.
    """
    folder = reader.root / ROOT
    found: Annotations | None = reader.attempt(
        _annotations, reader, folder, boards, commit) if folder.is_dir() else None
    return found or Annotations()


def _annotations(reader: SiteReader, folder: Path, boards: Sequence[BoardView],
                 commit: str | None) -> Annotations:
    store = Workplace(folder)
    if store.problems:
        raise SubmissionError(store.problems)
    for line in uncounted(store):
        reader.warn(line)
    closed = tuple(
        AskedBatch(store.forms[batch.kind], batch, coverage(store, batch),
                   items=tuple(item for item in store.items(batch) if item.answers),
                   rulings=store.rulings(batch))
        for batch in store.batches() if batch.status != OPEN and not batch.training)
    systems = votes_on_systems(store, partial(_result, boards))
    rules = {board.board.id: board.board.people for board in boards}
    results, hamlet = None, None
    if closed:
        results = aggregated(store, systems, lambda split: rules.get(
            split.rpartition("-")[0], HumanRanking()), commit)
        hamlet = reader.document(f"{HUMAN_FOLDER}/{HAMLET}", HamletResults.read,
                                 "annotations hamlet")[1]
    return Annotations(
        tuple(AskedBatch(store.forms[entry.kind], entry, coverage(store, entry),
                         tuple(path.stem for path in store.files(entry)))
              for entry in store.batches() if entry.status == OPEN), closed, results, store.people,
        systems, hamlet)


def with_people(board: BoardView, answers: Annotations) -> BoardView:
    """A board with what people said of its systems."""
    return replace(board, splits=tuple(
        replace(view, people=answers.systems.get(f"{board.board.id}-{view.name}"))
        for view in board.splits))


def _result(boards: Sequence[BoardView], split: str, system: str) -> Result | None:
    return next((entry.result for board in boards for view in board.splits
                 if f"{board.board.id}-{view.name}" == split
                 for entry in view.entries if entry.key == system), None)


# ---- how far metrics agree with ratings of gold answers, and how sure people are of labels ------


def agreements(reader: SiteReader, board: Board) -> Mapping[str, RatedGoldsDocument]:
    """How far metrics agree with ratings of a board's gold answers, by split."""
    command = f"meta --board {board.id}"
    path, results = reader.document(f"results/{board.id}/{METRIC_AGREEMENT}", MetaResults.read,
                                    command)
    documents = {}
    for name, split in board.splits.items() if results else ():
        rated = results.rated.get(f"{board.id}-{name}")
        if rated is None:
            continue
        ratings = board.ratings_file(name, reader.home)
        fault = "the board names no ratings of this split" if split.ratings is None else (
            rated.differs(board.version, *_digests(reader, board, name, ratings)))
        if fault:
            reader.warn(f"{path}: {name} left out: {fault}; {again(command, path)}")
        else:
            documents[name] = rated
    return documents


def sureness(reader: SiteReader, board: Board, split: str, entries: Sequence[Entry],
             ) -> SurenessDocument | None:
    """How sure people and systems are of the labels of a split."""
    command = f"meta --board {board.id} --answers --split {split}"
    path, document = reader.document(f"results/{board.id}/{sureness_file(split)}",
                                     SurenessDocument.read, command)
    if document is None:
        return None
    answers = board.answers_file(split, reader.home)
    fault = document.differs(board.version, *_digests(reader, board, split, answers))
    if document.people is not None and board.splits[split].answers is None:
        fault = "the board names no answers of people to this split"
    if fault:
        reader.warn(f"{path}: left out: {fault}; {again(command, path)}")
        return None
    current = {entry.key: entry.result.predictions.sha256 for entry in entries}
    theirs = {row.system for row in board.third_party if row.split == split}
    kept: SurenessDocument = document.model_copy(update={
        "systems": {key: system for key, system in document.systems.items()
                    if current.get(key) == system.predictions_sha256},
        "probabilities": {system: figures for system, figures in document.probabilities.items()
                          if system in theirs}})
    return kept


def _digests(reader: SiteReader, board: Board, split: str, answers: Path | None,
             ) -> tuple[str | None, str | None]:
    """The digests of a split's gold and of what people said of it; None of what is not at hand."""
    gold = board.data_file(split, reader.home)
    return (board.splits[split].sha256 or (sha256_file(gold) if gold else None),
            sha256_file(answers) if answers else None)
