"""Stages: what becomes of items that annotators vote on, write graphs for, judge and refine.

Forms say of which others their batches are made. Such a batch names its items in its key
(``<batch>:<item>``), so that the way of a graph can be followed back. A stage counts once
``needed`` annotators have answered, and so many of them, the first, count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scorer.core.errors import UsageError
from scorer.core.records import Edge
from scorer.people import people
from scorer.people.records import (
    ANSWER,
    CHOICE,
    DISAGREEMENT,
    GRAPH,
    MAJORITY,
    TEXT,
    WRITTEN,
    Answers,
    Batch,
    Form,
    Item,
    Origin,
    Stage,
)
from scorer.people.round_table import decided
from scorer.people.validate import Workplace

ROUND, VOTES = "round", "votes"
"""Fields of an item that is refined: which round it is, and the votes on its graph."""
CORRECT, WRONG, PENDING = "correct", "wrong", "pending"


def way(origins: Callable[[str], Mapping[str, Origin]], batch: str, item: str,
        ) -> Iterator[tuple[str, str]]:
    """An item and those that it was made of, each with its batch; last perhaps a board's row.

    ``origins``: of a batch, by item; nothing where there is no key.
    """
    here, seen = (batch, item), set[tuple[str, str]]()
    while here not in seen:
        seen.add(here)
        yield here
        origin = origins(here[0]).get(here[1])
        if origin is None:
            return
        earlier, _, name = origin.source.rpartition(":")
        here = (earlier, name)


class Place(NamedTuple):
    """An item of a batch, and what is handed in for it, first come first."""

    form: Form
    batch: Batch
    item: Item
    answers: tuple[tuple[str, Answers], ...]
    """Annotators and what they say; no more than are needed."""
    origin: Origin | None
    """What the batch's key says of it."""

    @property
    def source(self) -> str:
        """How a key names it."""
        return f"{self.batch.name}:{self.item.id}"

    @property
    def votes(self) -> tuple[str, ...]:
        """Answers to the form's first question with one choice, in their order."""
        asked = [question.id for question in self.form.questions if question.answer == CHOICE]
        return tuple(str(answers[asked[0]]) for _, answers in self.answers
                     if asked and asked[0] in answers)

    @property
    def label(self) -> str | None:
        """What is decided of it by these votes: NONE without a majority, None while some are
        missing."""
        return decided(self.votes, self.batch.needed)

    @property
    def graph(self) -> str:
        """The graph that was handed in first; empty if there is none."""
        asked = next((one.id for one in self.form.questions if one.answer == GRAPH), "")
        return str(self.answers[0][1][asked]) if asked and self.answers else ""


def places(workplace: Workplace, batch: Batch) -> list[Place]:
    """The items of a batch in its order.

    Votes of a system's own team on its graphs are left out before they are counted.
    """
    form, origins = workplace.forms[batch.kind], workplace.origins(batch.name)
    entries = []
    for item in batch.items:
        origin = origins.get(item.id)
        judged = origin.system if origin and form.graph is None else ""
        answers = [(sheet.annotator, sheet.answers[item.id])
                   for sheet in workplace.annotations(batch) if item.id in sheet.answers
                   and people.may_judge(workplace.people, sheet.annotator, judged)]
        entries.append(Place(form, batch, item, tuple(answers[:batch.needed]), origin))
    return entries


@dataclass(frozen=True)
class History:
    """The graphs of one item over its rounds, the last one last."""

    texts: tuple[str, ...]
    """The item's texts and labels, in the order of its form."""
    wanted: str
    """The label that its graph should have."""
    graphs: tuple[str, ...]
    labels: tuple[str, ...]
    """What voters found each of the graphs to be; the last may be missing."""
    topic: str = ""
    """What the item is about, where a key on its way says so."""
    places: tuple[Place, ...] = ()
    """Where its graphs were written and judged, in order."""

    @property
    def state(self) -> str:
        """``correct`` if the last graph was found to have the label, ``wrong`` if not, ``pending``
        where voters are still needed."""
        if len(self.labels) < len(self.graphs):
            return PENDING
        return CORRECT if self.labels[-1] == self.wanted else WRONG


class Stages:
    """Every batch of a folder but for training, and which item was made of which."""

    def __init__(self, workplace: Workplace) -> None:
        """Read every batch with its answers and its key."""
        self.workplace = workplace
        self.places = {entry.source: entry for batch in workplace.batches() if not batch.training
                       for entry in places(workplace, batch)}
        self.made_of: dict[str, list[Place]] = {}
        for entry in self.places.values():
            if entry.origin is not None:
                self.made_of.setdefault(entry.origin.source, []).append(entry)

    def of(self, batch: str) -> list[Place]:
        """The items of a batch in its order."""
        return [entry for entry in self.places.values() if entry.batch.name == batch]

    def topic(self, entry: Place) -> str:
        """What its item is about, as its key or that of a batch before it says."""
        return next((origin.topic for batch, item in way(
            self.workplace.origins, entry.batch.name, entry.item.id)
            if (origin := self.workplace.origins(batch).get(item)) and origin.topic), "")

    def authors(self, entry: Place) -> tuple[str, ...]:
        """Everybody who wrote a version of its graph, up to what is handed in for it."""
        earlier = entry.origin.authors if entry.origin else ()
        return (*earlier, *(name for name, _ in entry.answers
                            if entry.form.graph is not None and name not in earlier))

    def histories(self) -> list[History]:
        """The way of every item that a graph was first written for, in the order of batches."""
        return [self._history(entry) for entry in self.places.values()
                if entry.graph and entry.form.label
                and not any(stage.takes == DISAGREEMENT for stage in entry.form.after)]

    def _history(self, first: Place) -> History:
        graphs, labels, steps = [], [], []
        written: Place | None = first
        while written is not None:
            graphs.append(written.graph)
            steps.append(written)
            made = self.made_of.get(written.source, ())
            judged, label = next(((item, item.label) for item in made
                                  if item.form.graph is None and item.label), (None, None))
            if judged is None or label is None:
                break
            labels.append(label)
            steps.append(judged)
            made = self.made_of.get(judged.source, ())
            written = next((item for item in made if item.graph), None)
        texts = first.item.texts
        shown = [texts[part.name] for part in first.form.item
                 if part.kind in (TEXT, "label") and part.name in texts]
        return History(tuple(shown), texts[first.form.label], tuple(graphs), tuple(labels),
                       self.topic(first), tuple(steps))


class AuthoredItem(NamedTuple):
    """An item that an annotator wrote."""

    source: str
    """How the key of a batch made of it names it."""
    author: str
    label: str
    """The one that it is to have."""
    texts: Mapping[str, str]
    """Each on one line, as items of batches are."""


def written(entry: Place) -> list[AuthoredItem]:
    """Every item that annotators wrote as an answer to one, theirs together."""
    items = []
    for author, answers in entry.answers:
        for number, made in enumerate(entry.form.written, start=1):
            label = entry.item.texts.get(made.label, made.label)
            items.append(AuthoredItem(f"{entry.source}:{author}:{number}", author, label, {
                name: " ".join(str(answers[key]).split())
                for name, key in made.texts.items()}))
    return items


class ItemCandidate(NamedTuple):
    """An item that a batch may have."""

    source: str
    """Where it comes from, as a key says it."""
    values: Mapping[str, str]
    """Texts and columns by name."""
    label: str = ""
    """The gold label, or that which the graph should have; empty if items have none."""
    system: str = ""
    triplets: tuple[Edge, ...] = ()
    nodes: Mapping[str, str] = {}
    authors: tuple[str, ...] = ()
    """Annotators who wrote a version of its graph."""
    counts: Mapping[str, Mapping[str, int]] = {}
    topic: str = ""
    predictions: str = ""
    """The digest of the file that it is predicted in, if it is."""


def derived(stages: Stages, batch: str, form: Form) -> list[ItemCandidate]:
    """The items of a batch that go on to a form, as the form says.

    Raises UsageError where no stage leads from the batch to the form.
    """
    entries = stages.of(batch)
    kind = entries[0].batch.kind if entries else "no such name"
    stage = next((link for link in form.after if link.kind == kind), None)
    if stage is None:
        ways = ", ".join(f"{link.kind} to {other.kind}"
                         for other in stages.workplace.forms.values() for link in other.after)
        raise UsageError(f"no stage leads from a batch of {kind} to {form.kind}; these do: {ways}")
    candidates: list[ItemCandidate] = []
    for entry in entries:
        texts, label = entry.item.texts, entry.label if stage.takes == MAJORITY else None
        if label and label in stage.keep:
            candidates.append(ItemCandidate(entry.source, {**texts, stage.named: label}))
        elif stage.takes == ANSWER and entry.graph:
            candidates.append(ItemCandidate(
                entry.source, {**texts, GRAPH: entry.graph}, texts.get(entry.form.label, ""),
                authors=stages.authors(entry)))
        elif stage.takes == WRITTEN:
            candidates += [ItemCandidate(item.source, item.texts, item.label,
                                         authors=(item.author,), topic=stages.topic(entry))
                           for item in written(entry)]
        elif stage.takes == DISAGREEMENT:
            candidates += _disputed(stages, stage, entry)
    return candidates


def _disputed(stages: Stages, stage: Stage, entry: Place) -> Iterator[ItemCandidate]:
    """The graph of an item that voters do not give the item's label, for its next round."""
    written = stages.places.get(entry.origin.source) if entry.origin else None
    if written is None or written.form.label not in written.item.texts:
        raise UsageError(f"item {entry.item.id} was not made of a graph that annotators wrote, so "
                         "its texts are not known; take a batch of such graphs")
    texts, label = written.item.texts, entry.label
    wanted = texts[written.form.label]
    if label is not None and label != wanted:
        number = int(texts.get(ROUND, "1")) + 1
        values = {**texts, **entry.item.texts, stage.named: label, ROUND: str(number)}
        yield ItemCandidate(entry.source, values, wanted, authors=stages.authors(entry),
                            counts={VOTES: dict(sorted(Counter(entry.votes).items()))})


def ragged(histories: Sequence[History]) -> bytes:
    """A row an item: its texts and label, and its graph of every round."""
    return _rows((*history.texts, *history.graphs) for history in histories)


def correct(histories: Sequence[History]) -> bytes:
    """A row an item whose last graph was found correct: its texts, its label and that graph."""
    return _rows((*item.texts, item.graphs[-1]) for item in histories if item.state == CORRECT)


def _rows(rows: Iterable[Sequence[str]]) -> bytes:
    return "".join("\t".join(row) + "\n" for row in rows).encode()
