"""Where annotators of a closed batch disagree, and what units come to once a ruling settles that.

Disputes are shown without names, for the maintainer who settles them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scorer.people.agreement import majority
from scorer.people.answers import allowed
from scorer.people.figures import MEASURED, values_of
from scorer.people.records import (
    CHOICES,
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
from scorer.people.sheets import RuleText, Sheet, SheetFaults, comment_of, plain, said

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
    units: dict[int, dict[str, str]] = {}
    for annotation in annotations:
        for index, value in values_of(annotation.answers.get(item.id, {}).get(question.id)):
            units.setdefault(index, {})[annotation.annotator] = value
    return {names[unit]: votes for unit, votes in sorted(units.items())}


def _disagree(question: Question, votes: Sequence[str]) -> bool:
    sure = [vote for vote in votes if vote not in question.unsure]
    if majority(sure) is None:
        return True
    steps = [question.keys.index(vote) for vote in sure if vote in question.keys]
    return question.scale == ORDINAL and bool(steps) and max(steps) - min(steps) >= FAR


def _shuffled(names: Sequence[str], *unit: str) -> list[str]:
    """The names in an order of their own for this unit."""
    def key(name: str) -> bytes:
        return hashlib.sha256("\n".join((*unit, name)).encode()).digest()

    return sorted(names, key=key)


def written(form: Form, batch: Batch, annotations: Sequence[Annotation],
            ) -> Mapping[str, Mapping[str, list[str]]]:
    """What annotators wrote on each item: by a question for a text, or by ``comment``; no names."""
    remarks: dict[str, dict[str, list[str]]] = {}
    texts = [question.id for question in form.questions if question.answer == TEXT]
    for item in batch.by_id:
        for name in _shuffled([record.annotator for record in annotations], batch.sha256, item):
            sheet = next(annotation for annotation in annotations if annotation.annotator == name)
            answers = [(text, sheet.answers.get(item, {}).get(text)) for text in texts]
            for key, value in (*answers, ("comment", sheet.comments.get(item))):
                if isinstance(value, str) and value:
                    remarks.setdefault(item, {}).setdefault(key, []).append(value)
    return remarks


# ---- rulings ---------------------------------------------------------------------------------


def rulings(batch_form: Form, batch: Batch, sheet: Sheet, form: Form, faults: SheetFaults,
            ) -> Iterator[Ruling]:
    """What was settled, each unit once. ``batch_form``: the form of the batch."""
    topics = [topic.key for topic in batch.topics]
    by = sheet.header.get("annotator", "").lower()
    first: dict[tuple[str, ...], int] = {}
    for line in sheet.lines:
        cells = line.cells
        item = batch.by_id.get(cells["item"])
        unit = (cells["item"], cells["unit"], cells["question"])
        if item is None:
            faults.say(line.number, said("ANN-ITEM-UNKNOWN", i=plain(cells["item"])))
            continue
        if unit in first:
            faults.say(line.number, said("ANN-ITEM-DUP", i=" ".join(filter(None, unit)),
                                         l=first[unit]))
        first.setdefault(unit, line.number)
        if fault := _ruling_fault(batch_form, form, item, cells, topics):
            faults.say(line.number, fault)
        yield Ruling(*unit, cells["value"], cells["reason"], comment_of(line, faults), by)


def _ruling_fault(batch_form: Form, form: Form, item: Item, cells: Mapping[str, str],
                  topics: Sequence[str]) -> RuleText | None:
    chosen = {question.id: question for question in batch_form.questions if question.values}
    question = chosen.get(cells["question"])
    may = {"reason": form.by_id["reason"].keys, "question": [*chosen]}
    if question is not None:
        may |= {"unit": item.triplet_ids if question.answer == TRIPLETS else ("",),
                "value": allowed(question, topics)}
    for column, known in may.items():
        several = column == "value" and question is not None and question.answer == CHOICES
        values = cells[column].split(",") if several else [cells[column]]
        if not {*values} <= {*known}:
            return said("ANN-VALUE", column, q=column, v=plain(cells[column]),
                        allowed=", ".join(filter(None, known)) or "nothing")
    return None


class AnsweredBatch(NamedTuple):
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


def settled(form: Form, batches: Iterable[AnsweredBatch]) -> Mapping[str, Sequence[Unit]]:
    """The units of each question with a ruling and without an open dispute.

    A ruling stands before a majority. Units of which nobody could tell count only with a ruling.
    """
    entries = list(batches)
    open_units = {dispute.question for answered in entries
                  for dispute in disputes(form, answered.batch, answered.annotations)
                  if (dispute.item, dispute.unit, dispute.question) not in _ruled(answered.rulings)}
    ruled = {ruling.question for answered in entries for ruling in answered.rulings}
    return {question.id: [unit for answered in entries for unit in _units(question, answered)]
            for question in form.questions
            if question.answer in MEASURED and question.id in ruled - open_units}


def _ruled(rulings: Iterable[Ruling]) -> dict[tuple[str, str, str], str]:
    return {(ruling.item, ruling.unit, ruling.question): ruling.value for ruling in rulings}


def _units(question: Question, answered: AnsweredBatch) -> Iterable[Unit]:
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
    return dict(sorted(Counter(unit.value for unit in units).items(),
                       key=lambda pair: (-pair[1], pair[0])))
