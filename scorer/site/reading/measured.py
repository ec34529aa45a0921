"""What ``scorer meta --board`` measured: ``results/<board>/metric-agreement.json`` and
``results/<board>/sureness.<split>.json``.

A file says what it was measured on. Of a board, gold, ratings or answers that changed since,
nothing is shown; of a metric that is computed otherwise by now, that it is not measured; of a
system that was scored with other predictions since, or that others.yaml no longer names, nothing
either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from scorer.boards import Board
from scorer.core.errors import DataError, excerpt
from scorer.core.files import sha256_file
from scorer.metrics.catalogue import METRICS
from scorer.people.documents import (
    AnswerAgreementDocument,
    MetaResults,
    RatedGoldsDocument,
    SurenessDocument,
)
from scorer.people.published import METRIC_AGREEMENT, sureness_file
from scorer.scoring.evaluate import stated
from scorer.scoring.results.signature import METRIC, parts
from scorer.site.reading.reader import SiteReader, again
from scorer.site.records import Entry


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
            documents[name] = _of_metrics(board, rated)
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


def _of_metrics(board: Board, rated: RatedGoldsDocument) -> RatedGoldsDocument:
    """The figures, without those of metrics that are computed otherwise by now."""
    return rated.model_copy(update={
        part: {metric: _if_same(board, metric, figure) for metric, figure in known.items()}
        for part, known in (("against_others", rated.against_others),
                            ("against_best", rated.against_best))})


def _if_same(board: Board, metric: str, figure: AnswerAgreementDocument) -> AnswerAgreementDocument:
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
