"""What a file of rulings says: how maintainers settle units on which annotators disagree."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from scorer.people.answers import allowed
from scorer.people.records import CHOICES, TRIPLETS, Batch, Form, Item, Ruling
from scorer.people.rules import Said, said
from scorer.people.sheets import Faults, Sheet, comment_of, plain


def read(asked: Form, batch: Batch, sheet: Sheet, form: Form, own: Collection[str], faults: Faults,
         ) -> Iterator[Ruling]:
    """What was settled, each unit once.

    ``asked``: the form of the batch. ``own``: ids of the items that who settles answered too.
    """
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
        for one in _faults(asked, form, item, cells, topics):
            faults.say(line.number, one)
        if item.id in own:
            faults.say(line.number, said("ANN-W-OWN", item.id, u=by, i=item.id))
        yield Ruling(*unit, cells["value"], cells["reason"], comment_of(line, faults), by)


def _faults(asked: Form, form: Form, item: Item, cells: Mapping[str, str],
                   topics: Sequence[str]) -> Iterator[Said]:
    def wrong(column: str, may: Sequence[str]) -> Said:
        return said("ANN-VALUE", column, q=column, v=plain(cells[column]),
                    allowed=", ".join(may) or "nothing")

    chosen = {question.id: question for question in asked.questions if question.values}
    question = chosen.get(cells["question"])
    reasons = form.by_id["reason"].keys
    if cells["reason"] not in reasons:
        yield wrong("reason", reasons)
    if question is None:
        yield wrong("question", [*chosen])
        return
    units = item.triplet_ids if question.answer == TRIPLETS else ("",)
    if cells["unit"] not in units:
        yield wrong("unit", units if question.answer == TRIPLETS else ())
    may = allowed(question, topics)
    values = cells["value"].split(",") if question.answer == CHOICES else [cells["value"]]
    if any(value not in may for value in values):
        yield wrong("value", may)
