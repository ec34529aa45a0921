"""How far metrics agree with people: with verdicts on systems' graphs, and with ratings of gold
answers.

Every gold answer that people rated stands in turn for a prediction and is scored against others of
the same item, by the loop that scores submissions. So what people say of answers, whoever wrote
them down, meets what metrics say of them (``meta.py``), and a board needs no annotators of its
own. Numbers that no metric needs, such as the length of an answer, are measured too: a metric that
people agree with less than with these has found nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from scorer.boards import Board
from scorer.boards.golds import GoldId, Golds, needed_golds
from scorer.boards.item_files import ItemRatings, read_ratings
from scorer.core.errors import DataError
from scorer.core.files import sha256_file
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.people.documents import (
    AnswerAgreementDocument,
    MetaDocument,
    RatedGoldsDocument,
)
from scorer.people.meta import Scores, metric_agreement, split_half, within_items
from scorer.people.verdicts import Judged, SystemVotes
from scorer.scoring.evaluate import Session
from scorer.tasks.registry import TASKS

Reference = Literal["best", "others"]
BEST: Reference = "best"
"""Against the answer that people rate highest, which is itself left out; of several the first."""
OTHERS: Reference = "others"
"""Every answer, against all others of its item; the board says how several golds count."""
WORDS, PARTS, OVERLAP = "words", "parts", "overlap"
"""Numbers that no metric needs: words of an answer, its edges or other parts, and the share of its
different words that the texts of the item have."""
CONTROLS = (PARTS, WORDS)
"""Those that every other agreement is controlled for; pairs are matched by the first."""
_WORD = re.compile(r"\w+")


class GoldAnswer(NamedTuple):
    """A gold answer, as ``Scores`` know it."""

    row: int
    """Of its item, from 1."""
    at: int
    """Its place among the item's gold answers, from 0."""


def at_hand(board: Board, split: str, home: Path) -> bool:
    """Whether the gold of a split and people's ratings of it are there."""
    return None not in (board.data_file(split, home), board.ratings_file(split, home))


def read(board: Board, split: str, home: Path) -> tuple[Golds, tuple[ItemRatings, ...], str]:
    """The gold of a split, people's ratings of it, and the digest of their file. Raises DataError
    if not at hand."""
    golds, rated = needed_golds(board, split, home), board.ratings_file(split, home)
    if rated is None:
        raise DataError(f"{board.id} {split}: ratings not on this machine; run: "
                        f"{board.how_to_bring}")
    counts = [board.task.gold_count(item) for item in golds.items]
    return golds, read_ratings(board, split, rated, counts), sha256_file(rated)


def agreements_with_ratings(session: Session, split: str, home: Path) -> RatedGoldsDocument:
    """Every metric of a board beside people's ratings of a split's gold answers.

    Raises DataError if these are not at hand, or no item has two rated answers.
    """
    golds, rated, digest = read(session.board, split, home)
    marks = {GoldAnswer(row, at): given for row, item in enumerate(rated, start=1)
             for at, given in enumerate(item) if given}
    items = sum(count > 1 for count in Counter(answer.row for answer in marks).values())
    if not items:
        raise DataError(f"{session.board.id} {split}: no item has two rated answers; expected "
                        "some, to be told apart; mend the ratings, or name no file of them")
    people: Scores = {answer: sum(given) / len(given) for answer, given in marks.items()}
    ratings, owners = [*marks.values()], [answer.row for answer in marks]
    half, full, _ = split_half(ratings, owners)
    within_half, within_full, ceiling = split_half(ratings, owners, within=True)
    counts = counted(session.board, golds.items)
    controls = {name: counts[name] for name in CONTROLS}
    others, best = (dict(_of_metrics(*scored(session, split, golds, rated, against), people,
                                     list(controls.values()))) for against in (OTHERS, BEST))
    return RatedGoldsDocument(
        board_version=session.board.version, gold_sha256=golds.sha256, ratings_sha256=digest,
        items=items, answers=len(ratings), ratings=sum(map(len, ratings)),
        half=half, full=full, within_half=within_half, within_full=within_full, ceiling=ceiling,
        controls=list(CONTROLS),
        counts={name: AnswerAgreementDocument(better="higher", within=within_items(
            scores, people, [control for other, control in controls.items() if other != name]))
            for name, scores in counts.items()},
        against_others=others, against_best=best)


def counted(board: Board, golds: Sequence[Any]) -> dict[str, Scores]:
    """The numbers beside metrics of every gold answer."""
    numbers: dict[GoldAnswer, tuple[float, ...]] = {}
    for row, gold in enumerate(golds, start=1):
        known = set(_WORD.findall(" ".join(gold.texts).lower()))
        for at, prediction in enumerate(board.task.gold_predictions(gold)):
            words = _WORD.findall(board.task.write_prediction(prediction)[-1].lower())
            different = set(words)
            numbers[GoldAnswer(row, at)] = (
                float(len(board.task.content(prediction).units)), float(len(words)),
                len(different & known) / max(1, len(different)))
    return {name: {answer: values[column] for answer, values in numbers.items()}
            for column, name in enumerate((PARTS, WORDS, OVERLAP))}


def scored(session: Session, split: str, golds: Golds, rated: Sequence[ItemRatings],
           against: Reference) -> tuple[list[GoldAnswer], Result]:
    """What metrics say of the rated gold answers, in one result: which they are, and their scores.
    """
    task = session.board.task
    kept = {GoldAnswer(row, at): others for row, item in enumerate(rated, start=1)
            for at, marks in enumerate(item) if marks and (others := _against(item, at, against))}
    items = [golds.items[answer.row - 1] for answer in kept]
    answers = [task.gold_predictions(item)[answer.at]
               for item, answer in zip(items, kept, strict=True)]
    left = [task.keep_golds(item, others)
            for item, others in zip(items, kept.values(), strict=True)]
    identity = GoldId(golds.sha256, max(map(len, kept.values()), default=1), against=against)
    gold = replace(Golds.of(left, identity), rows=tuple(answer.row for answer in kept))
    return list(kept), session.evaluate(gold, answers, split=split, with_null=False)


def _against(item: ItemRatings, at: int, against: Reference) -> list[int]:
    """The places of the gold answers of an item that one of them is scored against."""
    if against == OTHERS:
        return [index for index in range(len(item)) if index != at]
    best = max((index for index, marks in enumerate(item) if marks),
               key=lambda index: sum(item[index]) / len(item[index]))
    return [best] if best != at else []


def _of_metrics(answers: Sequence[GoldAnswer], result: Result, people: Scores,
                controls: Sequence[Scores]) -> Iterator[tuple[str, AnswerAgreementDocument]]:
    """Every metric of a result; answers that fail a gate are left out."""
    passed = TASKS[result.task].annotations[-1]
    for name, value in result.metrics.items():
        better = METRICS[name].better
        scores: Scores = {
            answer: item.scores[name].value
            for answer, item in zip(answers, result.items, strict=True)
            if item.verdict.annotation == passed and name in item.scores}
        if value.value is None:
            yield name, AnswerAgreementDocument(better=better, within=None, note=str(value.reason))
        else:
            yield name, AnswerAgreementDocument(
                better=better, signature=value.signature,
                within=within_items(scores, people, controls, better=better))


# ---- verdicts on systems -----------------------------------------------------------------------


def metrics_beside_people(votes: Mapping[str, SystemVotes], metrics: Iterable[str],
                          ) -> MetaDocument:
    """Every metric beside people's verdicts on the systems of one split.

    Only items that people read count, and of these only those that passed every gate: what fails
    one is 0 to people and metrics alike, so a metric would gain by the gate. ``votes``: by system;
    those without a result are left out.
    """
    results = {system: entry.judged for system, entry in votes.items() if entry.judged}
    people: Scores = {(row, system): share for system in results
                      for row, share in votes[system].shares.items()}
    ratings = [[float(vote == graph.wanted) for vote in graph.votes]
               for system in results for graph in votes[system].read if graph.votes]
    half, full, ceiling = split_half(ratings)
    scores = {name: _scores(name, results) for name in metrics if METRICS[name].total is None}
    return MetaDocument(
        systems=[system for system in results if votes[system].shares], rated=len(people),
        ratings=sum(map(len, ratings)), half=half, full=full, ceiling=ceiling,
        metrics={name: metric_agreement(of_systems, people, better=METRICS[name].better)
                 for name, of_systems in scores.items() if of_systems})


def _scores(metric: str, results: Mapping[str, Judged]) -> Scores:
    """What a metric says of items that passed. Of a metric with several signatures, such as of two
    judges, that of most systems counts."""
    signatures = {
        system: value.signature for system, judged in results.items()
        if (value := judged.result.metrics.get(metric)) and value.value is not None
        and metric in judged.result.items[0].scores}
    most = Counter(signatures.values()).most_common(1)
    return {(row, system): score for system, signature in signatures.items()
            if signature == most[0][0] for row, score in results[system].scores(metric).items()}
