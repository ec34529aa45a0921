"""Gold answers that people rated, as predictions: what each metric says of them beside people.

Every gold answer of an item stands in turn for a prediction and is scored against others of the
same item, by the loop that scores submissions. So what people say of answers, whoever wrote them
down, meets what metrics say of them (``within.py``), and a board needs no annotators of its own.
Numbers that no metric needs, such as the length of an answer, are measured too: a metric that
people agree with less than with these has found nothing.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scorer.annotations.meta import Scores, split_half
from scorer.annotations.metric_agreement import (
    CONTROLS,
    OTHERS,
    OVERLAP,
    PARTS,
    REFERENCES,
    WORDS,
    AnswerAgreement,
    Measured,
    Rated,
    RatedGolds,
    Reference,
)
from scorer.annotations.within import within_items
from scorer.board import Board
from scorer.board.golds import Golds, read_golds
from scorer.board.ratings import ItemRatings, read_ratings
from scorer.errors import DataError
from scorer.metrics.catalogue import METRICS
from scorer.records import Result
from scorer.scoring.evaluate import GoldId, Session
from scorer.tasks.registry import TASKS

_WORD = re.compile(r"\w+")


class Answer(NamedTuple):
    """A gold answer."""

    row: int
    """Of its item, from 1."""
    at: int
    """Its place among the item's gold answers, from 0."""


class _Scores:
    """Numbers of answers, as agreement takes them: of the first answers, the second ones, ..."""

    def __init__(self) -> None:
        self.known: dict[str, dict[Hashable, float]] = {}

    def add(self, one: Answer, value: float) -> None:
        self.known.setdefault(str(one.at + 1), {})[one.row] = value


def at_hand(board: Board, split: str, home: Path) -> bool:
    """Whether the gold of a split and people's ratings of it are there."""
    return None not in (board.data_file(split, home), board.ratings_file(split, home))


def read(board: Board, split: str, home: Path) -> tuple[Golds, tuple[ItemRatings, ...]]:
    """The gold of a split and people's ratings of it. Raises DataError if not at hand."""
    path, rated = board.data_file(split, home), board.ratings_file(split, home)
    if path is None or rated is None:
        raise DataError(f"{board.id} {split}: {'gold' if path is None else 'ratings'} not at hand; "
                        f"run: {board.how_to_bring}")
    golds = read_golds(board, split, path)
    counts = [board.task.gold_count(item) for item in golds.items]
    return golds, read_ratings(board, split, rated, counts)


def means(rated: Sequence[ItemRatings]) -> Rated:
    """Ratings as every metric meets them: of the first answers, the second ones and so on, by row.

    >>> means([((1, 2), (5,)), ((), (3, 3))]).scores
    {'1': {1: 1.5}, '2': {1: 5.0, 2: 3.0}}
    """
    scores = _Scores()
    for row, item in enumerate(rated, start=1):
        for at, given in enumerate(item):
            if given:
                scores.add(Answer(row, at), sum(given) / len(given))
    return Rated(scores.known, [given for item in rated for given in item if given])


def agreements_with_ratings(session: Session, split: str, golds: Golds,
                            rated: Sequence[ItemRatings]) -> RatedGolds:
    """Every metric of a board beside people's ratings of a split's gold answers.

    Raises DataError if no item has two rated answers.
    """
    items = sum(sum(map(bool, item)) > 1 for item in rated)
    if not items:
        raise DataError(f"{session.board.id} {split}: no item has two rated answers; expected "
                        "some, to be told apart; mend the ratings, or name no file of them")
    people = means(rated)
    owners = [row for row, item in enumerate(rated) for given in item if given]
    counts = counted(session.board, golds.items)
    controls = {one.metric: one.scores for one in counts if one.metric in CONTROLS}
    return RatedGolds(
        items, len(people.ratings),
        sum(map(len, people.ratings)), split_half(people.ratings, owners),
        split_half(people.ratings, owners, within=True),
        tuple(AnswerAgreement(one.metric, one.better, "", within_items(
            one.scores, people.scores,
            [scores for name, scores in controls.items() if name != one.metric]))
            for one in counts),
        {against: tuple(_of_metrics(*scored(session, split, golds, rated, against), people,
                                    list(controls.values())))
         for against in REFERENCES})


def counted(board: Board, golds: Sequence[Any]) -> list[Measured]:
    """The numbers beside metrics of every gold answer."""
    found = {name: _Scores() for name in (PARTS, WORDS, OVERLAP)}
    for row, gold in enumerate(golds, start=1):
        known = set(_words(gold.texts))
        for at, answer in enumerate(board.task.gold_predictions(board.settings, gold)):
            words = _words(board.task.write_prediction(board.settings, answer)[-1:])
            parts = board.task.content(board.settings, answer).units
            shared = len(set(words) & known) / max(1, len(set(words)))
            for name, value in ((PARTS, len(parts)), (WORDS, len(words)), (OVERLAP, shared)):
                found[name].add(Answer(row, at), float(value))
    return [Measured(name, "higher", scores.known) for name, scores in found.items()]


def _words(texts: Sequence[str]) -> list[str]:
    return [word for text in texts for word in _WORD.findall(text.lower())]


def scored(session: Session, split: str, golds: Golds, rated: Sequence[ItemRatings],
           against: Reference) -> tuple[list[Answer], Result]:
    """What metrics say of the rated gold answers, in one result: which they are, and their scores.
    """
    board, task = session.board, session.board.task
    kept = {Answer(row, at): places for row, item in enumerate(rated, start=1)
            for at, given in enumerate(item) if given and (places := _against(item, at, against))}
    answers = [task.gold_predictions(board.settings, golds.items[one.row - 1])[one.at]
               for one in kept]
    left = [task.keep_golds(golds.items[one.row - 1], places) for one, places in kept.items()]
    identity = GoldId(golds.sha256, max(map(len, kept.values()), default=1), against=against)
    return list(kept), session.evaluate(left, answers, split=split, gold_id=identity,
                                        with_null=False, rows=[one.row for one in kept])


def _against(item: ItemRatings, at: int, against: Reference) -> list[int]:
    """The places of the gold answers of an item that one of them is scored against."""
    if against == OTHERS:
        return [place for place in range(len(item)) if place != at]
    best = max((place for place, given in enumerate(item) if given),
               key=lambda place: sum(item[place]) / len(item[place]))
    return [best] if best != at else []


def _of_metrics(answers: Sequence[Answer], result: Result, people: Rated,
                controls: Sequence[Scores]) -> Iterator[AnswerAgreement]:
    """Every metric of a result; answers that fail a gate are left out."""
    passed = TASKS[result.task].passed
    for name, value in result.metrics.items():
        better, scores = METRICS[name].better, _Scores()
        for one, item in zip(answers, result.items, strict=True):
            if item.verdict.annotation == passed and name in item.scores:
                scores.add(one, item.scores[name].value)
        if value.value is None:
            yield AnswerAgreement(name, better, "", None, str(value.reason))
        else:
            yield AnswerAgreement(name, better, value.signature, within_items(
                scores.known, people.scores, controls, better=better))
