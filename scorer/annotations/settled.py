"""What units come to once every disagreement of annotators is settled by a ruling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from scorer.annotations.agreement import majority
from scorer.annotations.disputes import disputes
from scorer.annotations.questions import MEASURED, values_of
from scorer.annotations.records import TRIPLETS, Annotation, Batch, Form, Question, Ruling


class Answered(NamedTuple):
    """A closed batch, what annotators say and what maintainers settled."""

    batch: Batch
    annotations: Sequence[Annotation]
    rulings: Sequence[Ruling]


class Unit(NamedTuple):
    """One unit of a question, settled."""

    batch: str
    item: str
    value: str
    ruled: bool
    """Whether a ruling says so; else more than half of the votes do."""


def settled(form: Form, batches: Iterable[Answered]) -> Mapping[str, Sequence[Unit]]:
    """The units of each question with a ruling and without an open dispute.

    A ruling stands before a majority. Units of which nobody could tell count only with a ruling.
    """
    given = list(batches)
    open_units = {one.question for answered in given
                  for one in disputes(form, answered.batch, answered.annotations)
                  if (one.item, one.unit, one.question) not in _ruled(answered.rulings)}
    ruled = {one.question for answered in given for one in answered.rulings}
    return {question.id: [unit for answered in given for unit in _units(question, answered)]
            for question in form.questions
            if question.answer in MEASURED and question.id in ruled - open_units}


def _ruled(rulings: Iterable[Ruling]) -> dict[tuple[str, str, str], str]:
    return {(one.item, one.unit, one.question): one.value for one in rulings}


def _units(question: Question, answered: Answered) -> Iterable[Unit]:
    ruled = _ruled(answered.rulings)
    for item in answered.batch.items:
        votes: dict[int, list[str]] = {}
        for one in answered.annotations:
            for place, value in values_of(one.answers.get(item.id, {}).get(question.id)):
                votes.setdefault(place, []).append(value)
        names = item.triplet_ids if question.answer == TRIPLETS else ("",)
        for place, found in sorted(votes.items()):
            ruling = ruled.get((item.id, names[place], question.id))
            decided = ruling or majority([one for one in found if one not in question.unsure])
            if decided is not None:
                yield Unit(answered.batch.name, item.id, decided, ruling is not None)


def by_value(units: Iterable[Unit]) -> Mapping[str, int]:
    """How many units have each value, the commonest first."""
    return dict(sorted(Counter(one.value for one in units).items(),
                       key=lambda one: (-one[1], one[0])))
