"""Annotators' answers in numbers: agreement and shares of each question, whatever a form asks; and,
of graphs of commonsense knowledge, recall and precision.

A record is what one annotator said of one item. Every number is a quotient of counts, with an
interval over items. Answers that say *I cannot decide* are left out of every quotient and counted
apart. ``negated`` numbers take each negative triplet (Q5 is 4) as its negation is rated (Q6), and
Q7 for Q4 where that was asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from scorer.people import agreement
from scorer.people.agreement import majority
from scorer.people.bootstrap import NOTHING, Floats, of_parts, of_ratio
from scorer.people.documents import Agreement, CskVotes, Estimate, QuestionFigures, ValueShares
from scorer.people.records import (
    CHOICE,
    CHOICES,
    NOT_ASKED,
    ORDINAL,
    TRIPLETS,
    Annotation,
    Answers,
    Form,
    Question,
)

MEASURED = (CHOICE, TRIPLETS)
"""Kinds of answers with values that people may agree on."""


def question_figures(form: Form, annotations: Iterable[Annotation],
                     ) -> dict[str, QuestionFigures]:
    """Agreement and counts of each question with values, over all items of all batches."""
    sheets = list(annotations)
    return {question.id: _of_question(question, sheets) for question in form.questions
            if question.answer in MEASURED}


def _of_question(question: Question, annotations: Sequence[Annotation]) -> QuestionFigures:
    votes: dict[str, dict[Hashable, str | None]] = {}
    counts = dict.fromkeys(question.keys, 0)
    for annotation in annotations:
        mine = votes.setdefault(annotation.annotator, {})
        for item, answers in annotation.answers.items():
            for unit, value in values_of(answers.get(question.id)):
                counts[value] = counts.get(value, 0) + 1
                mine[(annotation.batch, item, unit)] = None if value in question.unsure else value
    units = list(dict.fromkeys(unit for mine in votes.values() for unit in mine))
    order = ([key for key in question.keys if key not in question.unsure]
             if question.scale == ORDINAL else ())
    return QuestionFigures(
        agreement=agreement.measured(
            [[mine.get(unit) for mine in votes.values()] for unit in units], order,
            [unit[:2] for unit in units]),  # type: ignore[index]
        unsure=sum(counts[value] for value in question.unsure), counts=counts,
        pairs=agreement.cohen_matrix(votes))


def values_of(answer: str | tuple[str, ...] | None) -> list[tuple[int, str]]:
    """The values of an answer with the number of their triplet."""
    if answer is None:
        return []
    if isinstance(answer, str):
        return [(0, answer)]
    return [(index, value) for index, value in enumerate(answer) if value != NOT_ASKED]


def value_shares(question: Question, pairs: Iterable[tuple[Hashable, str | tuple[str, ...]]],
                 ) -> ValueShares:
    """The shares of a question with values. ``pairs``: items, and what one annotator said."""
    votes: dict[Hashable, list[Sequence[str]]] = {}
    answers = unsure = 0
    seen = dict.fromkeys(key for key in question.keys if key not in question.unsure)
    for item, answer in pairs:
        picked: list[Sequence[str]] = ([answer] if question.answer == CHOICES else
                                     [[value] for _, value in values_of(answer)])
        sure = [choice for choice in picked if not question.unsure.intersection(choice)]
        answers += len(picked)
        unsure += len(picked) - len(sure)
        votes.setdefault(item, []).extend(sure)
        seen.update(dict.fromkeys(value for choice in sure for value in choice))
    return ValueShares(answers=answers, unsure=unsure, shares={
        value: of_ratio({item: [(int(value in choice), 1) for choice in picked]
                         for item, picked in votes.items()}) for value in seen})


# ---- commonsense knowledge ---------------------------------------------------------------------

UNSURE = "x"
YES, NO = "y", "n"
NEGATIVE = "4"
RATED = frozenset("1234")
ORDER = ("1", "2", "3")
"""Of Q4 and Q7."""
RATINGS = {"precision": frozenset("1"), "in_context": frozenset("12"),
           "unrelated": frozenset("3"), "contradicting": frozenset("4")}
"""What a triplet counts for, by its rating: micro, as one of the triplets; macro, as a share of its
record, which counts 1."""

Counted = tuple[float, int]


class CskRecord(NamedTuple):
    """What one annotator said of one item."""

    item: tuple[str, str]
    annotator: str
    answers: Answers
    relations: tuple[str, ...] = ()
    """Of the item's triplets, in order."""

    def one(self, question: str) -> str | None:
        """The answer to a question with one; None if it was not asked."""
        answer = self.answers.get(question)
        return answer if isinstance(answer, str) else None

    def ratings(self, negated: bool) -> tuple[str, ...]:
        """The rating of each triplet: Q5, or ``negated``, Q6 of those that are negative."""
        ratings = tuple(self.answers.get("q5", ()))
        if not negated:
            return ratings
        others = tuple(self.answers.get("q6", ())) or (NOT_ASKED,) * len(ratings)
        return tuple(other if rating == NEGATIVE and other != NOT_ASKED else rating
                     for rating, other in zip(ratings, others, strict=True))


F1 = "f1"
"""The harmonic mean of ``recall_any`` and ``precision_macro``: our own, in no paper."""


def csk_figures(records: Sequence[CskRecord]) -> tuple[dict[str, Estimate], CskVotes]:
    """The metrics of the records of one system, and what they are counted on."""
    items: dict[Hashable, list[dict[str, Counted]]] = {}
    for record in records:
        items.setdefault(record.item, []).append(_counts(record))
    names = _counts(records[0]) if records else ()
    metrics = {name: of_ratio({item: [counts[name] for counts in answered]
                               for item, answered in items.items()}) for name in names}
    parts = [np.sum([(*counts["recall_any"], *counts["precision_macro"]) for counts in answered],
                    axis=0) for answered in items.values()]
    metrics[F1] = of_parts(np.array(parts, dtype=float).reshape(-1, 4), _harmonic, len(records),
                           NOTHING)
    return metrics, CskVotes(items=len(items), records=len(records), answers=_answers(records))


def _counts(record: CskRecord) -> dict[str, Counted]:
    """What a record adds to numerator and denominator of each metric."""
    counts: dict[str, Counted] = {}
    for name, question in (("plausible", "q2"), ("implicit", "q3")):
        answer = record.one(question)
        counts[name] = int(answer == YES), int(answer in (YES, NO))
    for negated, suffix in ((False, ""), (True, "_negated")):
        shown = (record.one("q7") if negated else None) or record.one("q4")
        for kind, values in (("full", ("1",)), ("any", ("1", "2"))):
            counts[f"recall_{kind}{suffix}"] = int(shown in values), int(shown in ORDER)
        rated = [rating for rating in record.ratings(negated) if rating in RATED]
        for kind, ratings in RATINGS.items():
            n = sum(rating in ratings for rating in rated)
            counts[f"{kind}_micro{suffix}"] = n, len(rated)
            counts[f"{kind}_macro{suffix}"] = (n / len(rated), 1) if rated else (0, 0)
    return counts


def _harmonic(sums: Floats) -> tuple[Any, Any]:
    """With a / b and c / d: 2 a c / (a d + c b)."""
    a, b, c, d = (sums[..., index] for index in range(4))
    return 2 * a * c, a * d + c * b


def _answers(records: Sequence[CskRecord]) -> dict[str, dict[str, int]]:
    totals: dict[str, Counter[str]] = {}
    for record in records:
        for question, answer in record.answers.items():
            if question != "q3_1":
                values = [answer] if isinstance(answer, str) else answer
                totals.setdefault(question, Counter()).update(
                    value for value in values if value != NOT_ASKED)
    return {question: dict(sorted(counts.items())) for question, counts in sorted(totals.items())}


def by_relation(records: Iterable[CskRecord]) -> dict[str, Estimate]:
    """Precision of triplets by their relation, as ``precision_micro``."""
    counts: dict[str, dict[Hashable, list[Counted]]] = {}
    for record in records:
        for relation, rating in zip(record.relations, record.ratings(negated=False), strict=False):
            if rating in RATED:
                counts.setdefault(relation, {}).setdefault(record.item, []).append(
                    (int(rating in RATINGS["precision"]), 1))
    return {relation: of_ratio(counted) for relation, counted in sorted(counts.items())}


def topics(records: Iterable[CskRecord]) -> dict[Hashable, str | None]:
    """The topic of each item: what more than half say in Q1; None if nothing."""
    votes: dict[Hashable, list[str | None]] = {}
    for record in records:
        topic = record.one("q1")
        votes.setdefault(record.item, []).append(None if topic == UNSURE else topic)
    return {item: majority(answers) for item, answers in votes.items()}


def outcome(record: CskRecord) -> str:
    """How far somebody came: an answer that everybody gives, whatever was asked.

    >>> outcome(CskRecord(("csk-1", "a"), "ann", {"q2": "y", "q3": "n"}))
    'q3=n'
    """
    for question in ("q2", "q3"):
        if record.one(question) != YES:
            return f"{question}={record.one(question)}"
    return f"q4={record.one('q4')}"


def agreement_on_outcome(records: Sequence[CskRecord]) -> Agreement:
    """How far people agree on ``outcome``: nobody is left out for what was asked."""
    units: dict[Hashable, list[str]] = {}
    for record in records:
        units.setdefault(record.item, []).append(outcome(record))
    return agreement.measured(list(units.values()), items=list(units))
