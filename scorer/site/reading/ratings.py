"""What ``scorer meta --board`` found: ``results/<board>/metric-agreement.json``.

The file says what it was measured on. Of a board, gold or ratings that changed since, nothing is
shown; of a metric that is computed otherwise by now, that it is not measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from scorer.boards import Board
from scorer.core.errors import DataError, excerpt
from scorer.core.files import sha256_file
from scorer.metrics.catalogue import METRICS
from scorer.people.published import METRIC_AGREEMENT
from scorer.scoring.evaluate import stated
from scorer.scoring.results.signature import METRIC, parts
from scorer.site.reading.reader import Reader, again

if TYPE_CHECKING:
    from scorer.people.documents import AnswerAgreementDocument, RatedGoldsDocument


def agreements(reader: Reader, board: Board) -> Mapping[str, RatedGoldsDocument]:
    """How far metrics agree with ratings of a board's gold answers, by split."""
    from scorer.people.documents import MetaResults

    command = f"meta --board {board.id}"
    path, results = reader.document(f"results/{board.id}/{METRIC_AGREEMENT}", MetaResults.read,
                                    command)
    found = {}
    for name in board.splits if results else ():
        one = results.rated.get(f"{board.id}-{name}")
        if one is None:
            continue
        if fault := next(_of_others(reader, board, name, one), ""):
            reader.warn(f"{path}: {name} left out: {fault}; {again(command, path)}")
        else:
            found[name] = _of_metrics(board, one)
    return found


def _of_others(reader: Reader, board: Board, name: str, one: RatedGoldsDocument) -> Iterator[str]:
    """Why figures are not of a split as it is; what is not at hand is not compared."""
    split = board.splits[name]
    gold, ratings = (sha256_file(path) if path else None for path in (
        board.data_file(name, reader.home), board.ratings_file(name, reader.home)))
    if split.ratings is None:
        yield "the board names no ratings of this split"
    elif said := one.differs(board.version, split.sha256 or gold, ratings):
        yield said
    unknown = [metric for metric in (*one.against_others, *one.against_best)
               if metric not in {use.metric for use in board.task.metrics}]
    if unknown:
        yield f"no metric of this kind of board: {excerpt(unknown[0])}"


def _of_metrics(board: Board, one: RatedGoldsDocument) -> RatedGoldsDocument:
    """The figures, without those of metrics that are computed otherwise by now."""
    return one.model_copy(update={
        part: {metric: _if_same(board, metric, found) for metric, found in known.items()}
        for part, known in (("against_others", one.against_others),
                            ("against_best", one.against_best))})


def _if_same(board: Board, metric: str, found: AnswerAgreementDocument) -> AnswerAgreementDocument:
    if found.within is None:
        return found
    now = parts("|".join((metric, *(part for of in stated(board, metric) for part in of))))
    try:
        then = parts(str(found.signature))
    except DataError:
        then = {METRIC: "no signature"}
    if all(then.get(key) == value for key, value in now.items()) and (
            found.better == METRICS[metric].better):
        return found
    return found.model_copy(update={
        "within": None, "note": "the metric or its settings changed since it was measured"})
