"""Where annotators of a closed batch disagree, without their names: what a maintainer settles."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scorer.annotations.agreement import majority
from scorer.annotations.questions import MEASURED, values_of
from scorer.annotations.records import ORDINAL, TEXT, TRIPLETS, Annotation, Batch, Form, Question

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
    return [dispute for item in batch.items for question in form.questions
            if question.answer in MEASURED
            for dispute in _of(question, batch, item.id, annotations)]


def _of(question: Question, batch: Batch, item: str,
        annotations: Sequence[Annotation]) -> Iterator[Dispute]:
    units: dict[int, dict[str, str]] = {}
    for one in annotations:
        for place, value in values_of(one.answers.get(item, {}).get(question.id)):
            units.setdefault(place, {})[one.annotator] = value
    names = batch.by_id[item].triplet_ids if question.answer == TRIPLETS else ("",)
    for place, votes in sorted(units.items()):
        if _disagree(question, [*votes.values()]):
            unit = names[place]
            order = _shuffled([*votes], batch.sha256, item, unit, question.id)
            yield Dispute(item, unit, question.id, tuple(votes[name] for name in order))


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
