"""Where annotators of a closed batch disagree, and what units come to once a ruling settles that.

Disputes are told without names, for the maintainer who settles them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from scorer.people.agreement import majority
from scorer.people.questions import MEASURED, values_of
from scorer.people.records import (
    ORDINAL,
    TEXT,
    TRIPLETS,
    Annotation,
    Batch,
    Form,
    Item,
    Question,
    Ruling,
)

FAR = 2
"""Steps on an ordinal scale that are a disagreement even where most agree."""


class Dispute(NamedTuple):
    """One unit without a majority, or with votes far apart."""

    item: str
    unit: str
    """The triplet, or empty for a question about the whole item."""
    question: str
    votes: tuple[str, ...]
    """In an order that tells nothing of who gave them, nor of other units."""


def disputes(form: Form, batch: Batch, annotations: Sequence[Annotation]) -> list[Dispute]:
    """What is to be settled, items in the batch's order, questions in the form's.

    A unit is in dispute if no value has more than half of the votes that say something, or, where
    the values are ordered, if two of these votes are ``FAR`` steps apart.
    """
    return [Dispute(item.id, unit, question.id, tuple(votes[name] for name in _shuffled(
                [*votes], batch.sha256, item.id, unit, question.id)))
            for item in batch.items for question in form.questions if question.answer in MEASURED
            for unit, votes in _votes(question, item, annotations).items()
            if _disagree(question, [*votes.values()])]


def _votes(question: Question, item: Item, annotations: Sequence[Annotation],
           ) -> dict[str, dict[str, str]]:
    """What each annotator says of the units of an item: triplets, or the whole item ("")."""
    names = item.triplet_ids if question.answer == TRIPLETS else ("",)
    found: dict[int, dict[str, str]] = {}
    for one in annotations:
        for place, value in values_of(one.answers.get(item.id, {}).get(question.id)):
            found.setdefault(place, {})[one.annotator] = value
    return {names[place]: votes for place, votes in sorted(found.items())}


def _disagree(question: Question, votes: Sequence[str]) -> bool:
    said = [vote for vote in votes if vote not in question.unsure]
    if majority(said) is None:
        return True
    steps = [question.keys.index(vote) for vote in said if vote in question.keys]
    return question.scale == ORDINAL and bool(steps) and max(steps) - min(steps) >= FAR


def _shuffled(names: Sequence[str], *unit: str) -> list[str]:
    """The names in an order of their own for this unit."""
    def key(name: str) -> bytes:
        return hashlib.sha256("\n".join((*unit, name)).encode()).digest()

    return sorted(names, key=key)


def written(form: Form, batch: Batch, annotations: Sequence[Annotation],
            ) -> Mapping[str, Mapping[str, list[str]]]:
    """What annotators wrote on each item: by a question for a text, or by ``comment``; no names."""
    found: dict[str, dict[str, list[str]]] = {}
    texts = [question.id for question in form.questions if question.answer == TEXT]
    for item in batch.by_id:
        for name in _shuffled([one.annotator for one in annotations], batch.sha256, item):
            one = next(one for one in annotations if one.annotator == name)
            said = [(text, one.answers.get(item, {}).get(text)) for text in texts]
            for key, value in (*said, ("comment", one.comments.get(item))):
                if isinstance(value, str) and value:
                    found.setdefault(item, {}).setdefault(key, []).append(value)
    return found


# ---- rulings ---------------------------------------------------------------------------------


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
        for unit, votes in _votes(question, item, answered.annotations).items():
            ruling = ruled.get((item.id, unit, question.id))
            decided = ruling or majority([vote for vote in votes.values()
                                          if vote not in question.unsure])
            if decided is not None:
                yield Unit(answered.batch.name, item.id, decided, ruling is not None)


def by_value(units: Iterable[Unit]) -> Mapping[str, int]:
    """How many units have each value, the commonest first."""
    return dict(sorted(Counter(one.value for one in units).items(),
                       key=lambda one: (-one[1], one[0])))
