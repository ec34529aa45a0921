"""Gold answers that people rated, as predictions: what each metric says of them beside people.

Every gold answer of an item stands in turn for a prediction and is scored against others of the
same item, by the loop that scores submissions. So what people say of answers, whoever wrote them
down, meets what metrics say of them (``within.py``), and a board needs no annotators of its own.
Numbers that no metric needs, such as the length of an answer, are measured too: a metric that
people agree with less than with these has found nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from scorer.annotations.judged import judged, measured
from scorer.annotations.meta import Reliability, Scores, split_half
from scorer.annotations.metric_agreement import Measured, Rated
from scorer.annotations.within import WithinItems, within_items
from scorer.board import Board
from scorer.board.golds import Golds
from scorer.board.ratings import ItemRatings
from scorer.metrics.catalogue import METRICS
from scorer.records import Result
from scorer.scoring.evaluate import GoldId, Session

Reference = Literal["best", "others"]
BEST: Reference = "best"
"""Against the answer that people rate highest, which is itself left out; of several the first."""
OTHERS: Reference = "others"
"""Every answer, against all others of its item; the board says how several golds count."""
REFERENCES: tuple[Reference, ...] = (OTHERS, BEST)
WORDS, PARTS, OVERLAP = "words", "parts", "overlap"
"""Numbers that no metric needs: words of an answer, its edges or other parts, and the share of its
different words that the texts of the item have."""
CONTROLS = (PARTS, WORDS)
"""Those that every other agreement is controlled for; pairs are matched by the first."""
NO_SCORES = "no score of a single item"
_WORD = re.compile(r"\w+")


class AnswerAgreement(NamedTuple):
    """How far one metric, or a number beside metrics, agrees with people."""

    metric: str
    better: str
    signature: str
    """Empty for what is no metric."""
    found: WithinItems | None
    why_not: str = ""
    """Why it is not measured."""


class RatedGolds(NamedTuple):
    """How far metrics agree with people's ratings of a split's gold answers."""

    items: int
    """With two rated answers or more."""
    answers: int
    ratings: int
    """By single people."""
    over_all: Reliability
    within: Reliability
    """Of answers of one item against each other."""
    counts: tuple[AnswerAgreement, ...]
    """The numbers beside metrics."""
    metrics: dict[Reference, tuple[AnswerAgreement, ...]]


def means(rated: Sequence[ItemRatings]) -> Rated:
    """Ratings as every metric meets them: of the first answers, the second ones and so on, by row.

    >>> means([((1, 2), (5,)), ((), (3, 3))]).scores
    {'1': {1: 1.5}, '2': {1: 5.0, 2: 3.0}}
    """
    scores: dict[str, dict[Any, float]] = {}
    for row, item in enumerate(rated, start=1):
        for place, given in enumerate(item, start=1):
            if given:
                scores.setdefault(str(place), {})[row] = sum(given) / len(given)
    return Rated(scores, [given for item in rated for given in item if given])


def agreements_with_ratings(session: Session, split: str, golds: Golds,
                            rated: Sequence[ItemRatings]) -> RatedGolds:
    """Every metric of a board beside people's ratings of a split's gold answers."""
    people = means(rated)
    owners = [row for row, item in enumerate(rated) for given in item if given]
    counts = counted(session.board, golds.items)
    controls = {one.metric: one.scores for one in counts if one.metric in CONTROLS}
    return RatedGolds(
        sum(sum(map(bool, item)) > 1 for item in rated), len(people.ratings),
        sum(map(len, people.ratings)), split_half(people.ratings, owners),
        split_half(people.ratings, owners, within=True),
        tuple(AnswerAgreement(one.metric, one.better, "", within_items(
            one.scores, people.scores,
            [scores for name, scores in controls.items() if name != one.metric]))
            for one in counts),
        {against: tuple(_of_metrics(scored(session, split, golds, rated, against),
                                    people, list(controls.values())))
         for against in REFERENCES})


def counted(board: Board, golds: Sequence[Any]) -> list[Measured]:
    """The numbers beside metrics of every gold answer."""
    found: dict[str, dict[str, dict[Any, float]]] = {PARTS: {}, WORDS: {}, OVERLAP: {}}
    for row, gold in enumerate(golds, start=1):
        known = set(_words(gold.texts))
        for place, answer in enumerate(
                board.task.gold_predictions(board.settings, gold), start=1):
            words = _words(board.task.write_prediction(board.settings, answer)[-1:])
            parts = board.task.content(board.settings, answer).units
            different = set(words)
            for name, value in ((PARTS, len(parts)), (WORDS, len(words)),
                                (OVERLAP, len(different & known) / max(1, len(different)))):
                found[name].setdefault(str(place), {})[row] = float(value)
    return [Measured(name, "higher", scores) for name, scores in found.items()]


def _words(texts: Sequence[str]) -> list[str]:
    return [word for text in texts for word in _WORD.findall(text.lower())]


def scored(session: Session, split: str, golds: Golds, rated: Sequence[ItemRatings],
           against: Reference) -> dict[str, Result]:
    """What metrics say of the rated gold answers: of the first ones, the second ones and so on."""
    board, task = session.board, session.board.task
    most = max(map(task.gold_count, golds.items), default=1)
    identity = GoldId(golds.sha256, most - 1 if against == OTHERS else 1, against=against)
    results = {}
    for at in range(most):
        kept = {row: _against(item, at, against) for row, item in enumerate(rated, start=1)
                if at < len(item) and item[at]}
        items = {row: golds.items[row - 1] for row, places in kept.items() if places}
        if items:
            results[str(at + 1)] = session.evaluate(
                [task.keep_golds(gold, kept[row]) for row, gold in items.items()],
                [task.gold_predictions(board.settings, gold)[at] for gold in items.values()],
                split=split, gold_id=identity, with_null=False, rows=list(items))
    return results


def _against(item: ItemRatings, at: int, against: Reference) -> list[int]:
    """The places of the gold answers of an item that one of them is scored against."""
    if against == OTHERS:
        return [place for place in range(len(item)) if place != at]
    best = max(range(len(item)), key=lambda place: sum(item[place]) / max(1, len(item[place])))
    return [best] if best != at else []


def _of_metrics(results: Mapping[str, Result], people: Rated, controls: Sequence[Scores],
                ) -> Iterator[AnswerAgreement]:
    """Every metric that was asked; answers that fail a gate are left out."""
    passed = {place: judged(result).passed for place, result in results.items()}
    names = next((list(result.metrics) for result in results.values()), [])
    known = {one.metric: one for one in measured(results, passed, names)}
    for name in names:
        values = [result.metrics[name] for result in results.values()]
        signature = next((value.signature for value in values if value.signature), "")
        if name in known:
            one = known[name]
            yield AnswerAgreement(name, one.better, signature, within_items(
                one.scores, people.scores, controls, better=one.better))
        else:
            reason = next((value.reason for value in values if value.reason), NO_SCORES)
            yield AnswerAgreement(name, METRICS[name].better, "", None, reason)
