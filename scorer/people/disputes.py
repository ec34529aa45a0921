"""Where annotators of a closed batch disagree, and what units come to once a ruling settles that.

Disputes are shown without names, for the maintainer who settles them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scorer.people.answered import MEASURED, AnsweredItem, Unit, by_system, majority
from scorer.people.answers import allowed
from scorer.people.documents import Settled
from scorer.people.records import (
    CHOICES,
    COMMENT,
    ORDINAL,
    TEXT,
    TRIPLETS,
    Batch,
    Form,
    Item,
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


def disputes(items: Iterable[AnsweredItem]) -> list[Dispute]:
    """What is to be settled of some items, questions in their form's order.

    A unit is in dispute if no value has more than half of the votes that say something, or, where
    the values are ordered, if two of these votes are ``FAR`` steps apart.
    """
    return [Dispute(item.item.id, unit.name, question.id, tuple(
                unit.votes[name] for name in _shuffled(item, unit.votes, unit.name, question.id)))
            for item in items for question in item.form.questions if question.answer in MEASURED
            for unit in item.units(question) if in_dispute(unit)]


def in_dispute(unit: Unit) -> bool:
    """Whether a unit is to be settled."""
    sure, question = [*unit.sure.values()], unit.question
    steps = [question.keys.index(vote) for vote in sure if vote in question.keys]
    return majority(sure) is None or (
        question.scale == ORDINAL and bool(steps) and max(steps) - min(steps) >= FAR)


def _shuffled(item: AnsweredItem, names: Iterable[str], *unit: str) -> list[str]:
    """The names in an order of their own for this unit of an item."""
    def key(name: str) -> bytes:
        words = (item.batch.sha256, item.item.id, *unit, name)
        return hashlib.sha256("\n".join(words).encode()).digest()

    return sorted(names, key=key)


def written(item: AnsweredItem) -> dict[str, list[str]]:
    """What annotators wrote on an item: by a question for a text, or by ``comment``; no names."""
    remarks: dict[str, list[str]] = {}
    texts = {question.id: item.given(question.id) for question in item.form.questions
             if question.answer == TEXT} | {COMMENT: item.comments}
    for name in _shuffled(item, item.answers):
        for key, by in texts.items():
            if by.get(name):
                remarks.setdefault(key, []).append(str(by[name]))
    return remarks


# ---- rulings ---------------------------------------------------------------------------------


def rulings(batch_form: Form, batch: Batch, sheet: Sheet, form: Form, faults: SheetFaults,
            ) -> Iterator[Ruling]:
    """What was settled, each unit once. ``batch_form``: the form of the batch."""
    topics = [topic.key for topic in batch.topics]
    by = sheet.header.get("annotator", "").lower()
    first: dict[tuple[str, ...], int] = {}
    for line in sheet.rows:
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


def settled(form: Form, items: Sequence[AnsweredItem],
            rulings: Mapping[tuple[str, str, str], str]) -> dict[str, dict[str, Settled]]:
    """What the units of each question come to, by system, if it has a ruling and no dispute is left
    open.

    A ruling stands before a majority. Units of which nobody could tell count only with a ruling.
    ``rulings``: values by the keys of units.
    """
    ruled = {question for _, _, question in rulings}
    results = {}
    for question in form.questions:
        if question.answer not in MEASURED or question.id not in ruled:
            continue
        systems = {system: [unit for item in group for unit in item.units(question)]
                   for system, group in by_system(items).items()}
        if not any(in_dispute(unit) and unit.key not in rulings
                   for units in systems.values() for unit in units):
            results[question.id] = {system: figures for system, units in systems.items()
                                    if (figures := _settled(units, rulings)).units}
    return results


def _settled(units: Sequence[Unit], rulings: Mapping[tuple[str, str, str], str]) -> Settled:
    values = Counter(filter(None, (rulings.get(unit.key) or majority(unit.sure.values())
                                   for unit in units)))
    return Settled(
        units=values.total(), ruled=sum(unit.key in rulings for unit in units),
        values=dict(sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))))
