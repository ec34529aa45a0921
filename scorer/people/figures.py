"""Annotators' answers in numbers: agreement and shares of each question, whatever a form asks; and,
of graphs of commonsense knowledge, recall and precision.

Every number is a quotient of counts, with an interval over items. Items are drawn in the order of
their batches, and no sum hangs on who handed in first. Answers that say *I cannot decide* are left
out of every quotient and counted apart. ``negated`` numbers take each negative triplet (Q5 is 4) as
its negation is rated (Q6), and Q7 for Q4 where that was asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from scorer.people import agreement
from scorer.people.answered import MEASURED, AnsweredItem, majority
from scorer.people.bootstrap import NOTHING, Floats, item_sums, of_parts, of_ratio
from scorer.people.documents import Agreement, CskVotes, Estimate, QuestionFigures, ValueShares
from scorer.people.records import CHOICES, NOT_ASKED, ORDINAL, Answers, Form, Question


def question_figures(form: Form, items: Sequence[AnsweredItem]) -> dict[str, QuestionFigures]:
    """Agreement and counts of each question with values, over all items of all batches."""
    return {question.id: _of_question(question, items) for question in form.questions
            if question.answer in MEASURED}


def _of_question(question: Question, items: Iterable[AnsweredItem]) -> QuestionFigures:
    units = [unit for item in items for unit in item.units(question)]
    counts = Counter(dict.fromkeys(question.keys, 0))
    counts.update(vote for unit in units for vote in unit.votes.values())
    sure = [unit.sure for unit in units]
    return QuestionFigures(
        agreement=agreement.measured([[*votes.values()] for votes in sure],
                                     _ordered(question) if question.scale == ORDINAL else (),
                                     [unit.source for unit in units]),
        unsure=sum(counts[value] for value in question.unsure), counts=dict(counts),
        pairs=agreement.cohen_matrix(sure))


def value_shares(question: Question, items: Iterable[AnsweredItem]) -> ValueShares:
    """The shares of a question with values among the answers to some items."""
    answers: list[tuple[str, Sequence[str]]] = []
    for item in items:
        if question.answer == CHOICES:
            answers += [(item.source, given) for given in item.given(question.id).values()]
        else:
            answers += [(item.source, (vote,)) for unit in item.units(question)
                        for vote in unit.votes.values()]
    known = [question.unsure.isdisjoint(given) for _, given in answers]
    seen = dict.fromkeys(_ordered(question))
    seen |= dict.fromkeys(value for (_, given), sure in zip(answers, known, strict=True) if sure
                          for value in given)
    return ValueShares(
        answers=len(answers), unsure=known.count(False), shares={value: of_ratio(
            (source, sure and value in given, sure)
            for (source, given), sure in zip(answers, known, strict=True)) for value in seen})


def _ordered(question: Question) -> list[str]:
    """The values that say something, in the form's order."""
    return [key for key in question.keys if key not in question.unsure]


# ---- commonsense knowledge ---------------------------------------------------------------------

UNSURE = "x"
YES, NO = "y", "n"
NEGATIVE = "4"
RATED = frozenset("1234")
ORDER = ("1", "2", "3")
"""Of Q4 and Q7."""
RATINGS = {"precision": frozenset("1"), "in_context": frozenset("12"),
           "unrelated": frozenset("3"), "contradicting": frozenset("4")}
"""What a triplet counts for, by its rating: micro, as one of the triplets; macro, as a share of the
answer to its item, which counts 1."""

Counted = tuple[float, int]


def ratings(answers: Answers, *, negated: bool) -> tuple[str, ...]:
    """The rating of each triplet: Q5, or ``negated``, Q6 of those that are negative."""
    rated = tuple(answers.get("q5", ()))
    if not negated:
        return rated
    others = tuple(answers.get("q6", ())) or (NOT_ASKED,) * len(rated)
    return tuple(other if rating == NEGATIVE and other != NOT_ASKED else rating
                 for rating, other in zip(rated, others, strict=True))


F1 = "f1"
"""The harmonic mean of ``recall_any`` and ``precision_macro``: our own, in no paper."""


def csk_figures(items: Iterable[AnsweredItem]) -> dict[str, Estimate]:
    """The metrics of the answers to some items, such as those of one system, each of which
    somebody answered."""
    counted = [(item.source, _counts(answers)) for item in items
               for answers in item.answers.values()]
    metrics = {name: of_ratio((item, *counts[name]) for item, counts in counted)
               for name in (counted[0][1] if counted else ())}
    both = item_sums(4, ((item, (*counts["recall_any"], *counts["precision_macro"]))
                         for item, counts in counted))
    metrics[F1] = of_parts(both, _harmonic, len(counted), NOTHING)
    return metrics


def _counts(answers: Answers) -> dict[str, Counted]:
    """What the answers to an item add to numerator and denominator of each metric."""
    counts: dict[str, Counted] = {}
    for name, question in (("plausible", "q2"), ("implicit", "q3")):
        answer = answers.get(question)
        counts[name] = int(answer == YES), int(answer in (YES, NO))
    for negated, suffix in ((False, ""), (True, "_negated")):
        shown = (answers.get("q7") if negated else None) or answers.get("q4")
        for kind, values in (("full", ("1",)), ("any", ("1", "2"))):
            counts[f"recall_{kind}{suffix}"] = int(shown in values), int(shown in ORDER)
        rated = [rating for rating in ratings(answers, negated=negated) if rating in RATED]
        for kind, good in RATINGS.items():
            n = sum(rating in good for rating in rated)
            counts[f"{kind}_micro{suffix}"] = n, len(rated)
            counts[f"{kind}_macro{suffix}"] = (n / len(rated), 1) if rated else (0, 0)
    return counts


def _harmonic(sums: Floats) -> tuple[Any, Any]:
    """With a / b and c / d: 2 a c / (a d + c b)."""
    a, b, c, d = np.moveaxis(sums, -1, 0)
    return 2 * a * c, a * d + c * b


def csk_votes(items: Sequence[AnsweredItem]) -> CskVotes:
    """What these metrics are counted on."""
    records = [answers for item in items for answers in item.answers.values()]
    totals: dict[str, Counter[str]] = {}
    for question, answer in (pair for answers in records for pair in answers.items()):
        if question != "q3_1":
            values = [answer] if isinstance(answer, str) else answer
            totals.setdefault(question, Counter()).update(
                value for value in values if value != NOT_ASKED)
    return CskVotes(items=len(items), records=len(records), answers={
        question: dict(sorted(counts.items())) for question, counts in sorted(totals.items())})


def by_relation(items: Iterable[AnsweredItem]) -> dict[str, Estimate]:
    """Precision of triplets by their relation, as ``precision_micro``."""
    counted: dict[str, list[tuple[str, int, int]]] = {}
    for item in items:
        for answers in item.answers.values():
            rated = zip(item.item.triplets, ratings(answers, negated=False), strict=False)
            for edge, rating in rated:
                if rating in RATED:
                    counted.setdefault(edge.relation, []).append(
                        (item.source, rating in RATINGS["precision"], 1))
    return {relation: of_ratio(rows) for relation, rows in sorted(counted.items())}


def topic(item: AnsweredItem) -> str | None:
    """What more than half say in Q1 that an item is about, as the batch writes it; None if
    nothing."""
    key = majority(str(vote) for vote in item.given("q1").values() if vote != UNSURE)
    return next((entry.text for entry in item.batch.topics if entry.key == key), None)


def outcome(answers: Answers) -> str:
    """How far somebody came: an answer that everybody gives, whatever was asked.

    >>> outcome({"q2": "y", "q3": "n"})
    'q3=n'
    """
    for question in ("q2", "q3"):
        if answers.get(question) != YES:
            return f"{question}={answers.get(question)}"
    return f"q4={answers.get('q4')}"


def agreement_on_outcome(items: Iterable[AnsweredItem]) -> Agreement:
    """How far people agree on ``outcome``: nobody is left out for what was asked."""
    return agreement.measured([[outcome(answers) for answers in item.answers.values()]
                               for item in items])
