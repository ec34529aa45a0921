"""What people were asked and said, from the folder ``annotations`` of the checkout, and what
``scorer meta --board`` measured beside people: ``results/<board>/metric-agreement.json`` and
``results/<board>/sureness.<split>.json``.

Whatever is faulty in the folder is left out with a warning that names it: a form, a batch, its key,
or an annotator's file. A measured file says what it was measured on. Of a board, gold, ratings or
answers that changed since, nothing is shown; of a metric that is computed otherwise by now, that it
is not measured; of a system that was scored with other predictions since, or that others.yaml no
longer names, nothing either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from scorer.boards import Board
from scorer.boards.policy import HumanRanking
from scorer.core.errors import DataError, excerpt
from scorer.core.files import sha256_file
from scorer.metrics.catalogue import METRICS
from scorer.people import organisers
from scorer.people.aggregation import votes_on_systems
from scorer.people.documents import (
    AnswerAgreementDocument,
    MetaResults,
    RatedGoldsDocument,
    SurenessDocument,
)
from scorer.people.published import HAMLET, HUMAN_FOLDER, METRIC_AGREEMENT, sureness_file
from scorer.people.records import OPEN
from scorer.people.validate import ROOT, Workplace, coverage, uncounted
from scorer.people.verdicts import SplitVotes
from scorer.scoring.evaluate import stated
from scorer.scoring.results.signature import METRIC, parts
from scorer.site.reading.reader import SiteReader, again
from scorer.site.records import (
    Annotations,
    BoardView,
    ClosedBatch,
    Entry,
    OpenBatch,
    SplitPeople,
)

if TYPE_CHECKING:
    from scorer.people.documents import HumanResults
    from scorer.people.verdicts import Judged


def read_annotations(reader: SiteReader, boards: Sequence[BoardView], commit: str | None,
                     ) -> Annotations:
    """Everything below the folder; nothing without it.

    ``boards``: with the results of systems that people judged. ``commit``: what is shown.
    """
    folder = reader.root / ROOT
    if not folder.is_dir():
        return Annotations()
    store: Workplace | None = reader.attempt(partial(Workplace, folder))
    if store is None:
        return Annotations()
    for name in organisers.names_in(folder):
        reader.attempt(partial(_sound, store, name))
    people = reader.attempt(lambda: store.people)
    if people is None:  # so nobody's files can be judged
        return Annotations(tuple(OpenBatch(store.forms[entry.kind], entry)
                                 for entry in store.batches() if entry.status == OPEN))
    for batch in store.batches():
        for line in uncounted(store, batch):
            reader.warn(line)
    closed = tuple(
        ClosedBatch(store.forms[batch.kind], batch, coverage(store, batch),
                    tuple(store.annotations(batch)), store.origins(batch.name),
                    store.rulings(batch))
        for batch in store.batches() if batch.status != OPEN and not batch.training)
    results = reader.attempt(partial(_aggregated, store, boards, commit)) if closed else None
    systems: dict[str, SplitVotes] = (votes_on_systems(store, partial(_result, boards)) if results
                                      else {})
    hamlet = None
    if closed:  # which texts fooled a label model
        from scorer.people.hamlet import HamletResults

        hamlet = reader.document(f"{HUMAN_FOLDER}/{HAMLET}", HamletResults.read,
                                 "annotations hamlet")[1]
    return Annotations(
        tuple(OpenBatch(store.forms[entry.kind], entry, coverage(store, entry),
                        tuple(path.stem for path in store.files(entry)))
              for entry in store.batches() if entry.status == OPEN), closed, results, people,
        systems, hamlet)


def with_people(board: BoardView, answers: Annotations) -> BoardView:
    """A board with what people said of its systems."""
    verdicts = answers.results.verdicts if answers.results is not None else {}
    splits = []
    for view in board.splits:
        name = f"{board.board.id}-{view.name}"
        if name in verdicts:
            view = replace(view, people=SplitPeople(
                **vars(answers.systems[name]), verdicts=verdicts[name]))
        splits.append(view)
    return replace(board, splits=tuple(splits))


def _sound(store: Workplace, name: str) -> None:
    """Read a batch and its key; one with faults is left out. Raises DataError with these."""
    _, problems = store.batch(name)
    try:
        if problems:
            raise DataError("\n".join(map(str, problems)))
        store.origins(name)
    except DataError:
        store.leave_out(name)
        raise


def _aggregated(store: Workplace, boards: Sequence[BoardView], commit: str | None) -> HumanResults:
    from scorer.people.aggregation import aggregated

    rules = {board.board.id: board.board.people for board in boards}
    return aggregated(store, partial(_result, boards), lambda split: rules.get(
        split.rpartition("-")[0], HumanRanking()), commit)


def _result(boards: Sequence[BoardView], split: str, system: str) -> Judged | None:
    from scorer.people.verdicts import judged

    entry = next((entry for board in boards for view in board.splits
                  if f"{board.board.id}-{view.name}" == split
                  for entry in view.entries if entry.key == system), None)
    return judged(entry.result) if entry is not None and entry.result.items else None


# ---- how far metrics agree with ratings of gold answers -----------------------------------------


def agreements(reader: SiteReader, board: Board) -> Mapping[str, RatedGoldsDocument]:
    """How far metrics agree with ratings of a board's gold answers, by split."""
    command = f"meta --board {board.id}"
    path, results = reader.document(f"results/{board.id}/{METRIC_AGREEMENT}", MetaResults.read,
                                    command)
    documents = {}
    for name in board.splits if results else ():
        rated = results.rated.get(f"{board.id}-{name}")
        if rated is None:
            continue
        if fault := next(_of_others(reader, board, name, rated), ""):
            reader.warn(f"{path}: {name} left out: {fault}; {again(command, path)}")
        else:
            documents[name] = rated.model_copy(update={
                part: {metric: _if_same(board, metric, figure) for metric, figure in known.items()}
                for part, known in (("against_others", rated.against_others),
                                    ("against_best", rated.against_best))})
    return documents


def _of_others(reader: SiteReader, board: Board, name: str,
               rated: RatedGoldsDocument) -> Iterator[str]:
    """Why figures are not of a split as it is; what is not at hand is not compared."""
    split = board.splits[name]
    gold, ratings = (sha256_file(path) if path else None for path in (
        board.data_file(name, reader.home), board.ratings_file(name, reader.home)))
    if split.ratings is None:
        yield "the board names no ratings of this split"
    elif reason := rated.differs(board.version, split.sha256 or gold, ratings):
        yield reason
    unknown = [metric for metric in (*rated.against_others, *rated.against_best)
               if metric not in {use.metric for use in board.task.metrics}]
    if unknown:
        yield f"no metric of this kind of board: {excerpt(unknown[0])}"


def _if_same(board: Board, metric: str, figure: AnswerAgreementDocument) -> AnswerAgreementDocument:
    """A figure; none of a metric that is computed otherwise by now."""
    if figure.within is None:
        return figure
    now = parts("|".join((metric, *(part for of in stated(board, metric) for part in of))))
    try:
        then = parts(str(figure.signature))
    except DataError:
        then = {METRIC: "no signature"}
    if all(then.get(key) == value for key, value in now.items()) and (
            figure.better == METRICS[metric].better):
        return figure
    return figure.model_copy(update={
        "within": None, "note": "the metric or its settings changed since it was measured"})


# ---- how sure people and systems are of labels ---------------------------------------------------


def sureness(reader: SiteReader, board: Board, split: str, entries: Sequence[Entry],
             ) -> SurenessDocument | None:
    """What is known of a split."""
    command = f"meta --board {board.id} --answers --split {split}"
    path, document = reader.document(f"results/{board.id}/{sureness_file(split)}",
                                     SurenessDocument.read, command)
    if document is None:
        return None
    if fault := _of_other_labels(reader, board, split, document):
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


def _of_other_labels(reader: SiteReader, board: Board, split: str, document: SurenessDocument,
                     ) -> str:
    """Why figures are not of a split as it is; what is not at hand is not compared."""
    if (document.board, document.split) != (board.id, split):
        return f"of {document.board} {document.split}"
    if document.people is not None and board.splits[split].answers is None:
        return "the board names no answers of people to this split"
    gold, answers = (sha256_file(path) if path else None for path in (
        board.data_file(split, reader.home), board.answers_file(split, reader.home)))
    return document.differs(board.version, board.splits[split].sha256 or gold, answers)
