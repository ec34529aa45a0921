"""How far annotators agree on each question of a form, whatever the form asks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from scorer.people import agreement
from scorer.people.bootstrap import of_ratio
from scorer.people.documents import QuestionFigures, ValueShares
from scorer.people.records import (
    CHOICE,
    CHOICES,
    NOT_ASKED,
    ORDINAL,
    TRIPLETS,
    Annotation,
    Form,
    Question,
)

MEASURED = (CHOICE, TRIPLETS)
"""Kinds of answers with values that people may agree on."""


def question_figures(form: Form, annotations: Iterable[Annotation],
                     ) -> dict[str, QuestionFigures]:
    """Agreement and counts of each question with values, over all items of all batches."""
    given = list(annotations)
    return {question.id: _of_question(question, given) for question in form.questions
            if question.answer in MEASURED}


def _of_question(question: Question, annotations: Sequence[Annotation]) -> QuestionFigures:
    votes: dict[str, dict[Hashable, str | None]] = {}
    counts = dict.fromkeys(question.keys, 0)
    for one in annotations:
        mine = votes.setdefault(one.annotator, {})
        for item, answers in one.answers.items():
            for unit, value in values_of(answers.get(question.id)):
                counts[value] = counts.get(value, 0) + 1
                mine[(one.batch, item, unit)] = None if value in question.unsure else value
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
    return [(place, value) for place, value in enumerate(answer) if value != NOT_ASKED]


def value_shares(question: Question, given: Iterable[tuple[Hashable, str | tuple[str, ...]]],
                 ) -> ValueShares:
    """The shares of a question with values. ``given``: items, and what one annotator said."""
    votes: dict[Hashable, list[Sequence[str]]] = {}
    answers = unsure = 0
    seen = dict.fromkeys(key for key in question.keys if key not in question.unsure)
    for item, answer in given:
        picked: list[Sequence[str]] = ([answer] if question.answer == CHOICES else
                                     [[value] for _, value in values_of(answer)])
        sure = [one for one in picked if not question.unsure.intersection(one)]
        answers += len(picked)
        unsure += len(picked) - len(sure)
        votes.setdefault(item, []).extend(sure)
        seen.update(dict.fromkeys(value for one in sure for value in one))
    return ValueShares(answers=answers, unsure=unsure, shares={
        value: of_ratio({item: [(int(value in one), 1) for one in picked]
                         for item, picked in votes.items()}) for value in seen})
