"""Single items with everything that people said of them, without their names; and graphs that
annotators wrote, round by round, with what each refinement changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from scorer.core import graph as notation
from scorer.core.records import Edge
from scorer.people import organisers
from scorer.people.answers import read_graph
from scorer.people.organisers import Person
from scorer.people.records import (
    CHOICE,
    CHOICES,
    GRAPH,
    NOT_ASKED,
    TEXT,
    TRIPLETS,
    Answers,
    Item,
    Origin,
    Question,
)
from scorer.people.stages import NONE, VERIFY, decided, way
from scorer.site.records import ClosedBatch

DISPUTED, FURTHER = 5, 5
"""Items on which people differ most, and further ones, that a page shows."""
MOST_STORIES = 6
"""Items of which a page shows the rounds."""
LABEL = "label"
KEPT, ADDED, REMOVED = "kept", "extra", "missing"
"""What became of a fact, as marks of drawings are called."""
Place = tuple[str, str]
"""A batch and an item of it."""


class ValueVotes(NamedTuple):
    """Votes for one value."""

    key: str
    text: str
    n: int
    place: int
    """Of the value in the form: what its colour is by."""


class Votes(NamedTuple):
    """Votes on one question by value, in the form's order."""

    question: str
    text: str
    values: tuple[ValueVotes, ...]
    """Of each value that was given."""

    @property
    def total(self) -> int:
        """All of them."""
        return sum(value.n for value in self.values)


class TripletVotes(NamedTuple):
    """A triplet of an item and the votes on it."""

    edge: Edge
    votes: tuple[Votes, ...]


class SampleItem(NamedTuple):
    """One item."""

    item: str
    batch: str
    system: str
    texts: tuple[tuple[str, str], ...]
    """Titles and texts."""
    facts: tuple[tuple[str, tuple[Edge, ...]], ...]
    """Titles and graphs."""
    annotators: int
    simulated: bool
    votes: tuple[Votes, ...]
    triplets: tuple[TripletVotes, ...]
    sentences: tuple[tuple[str, tuple[str, ...]], ...]
    """Questions and the texts that answer them."""
    comments: tuple[str, ...]
    disputed: float
    """The share of pairs of votes that differ, mean over questions."""


def samples(closed: Iterable[ClosedBatch], known: Mapping[str, Person]) -> list[SampleItem]:
    """Every item of some batches of one form that anybody answered, in order."""
    return [_sample(batch, item, rows, known) for batch in closed for item in batch.batch.items
            if (rows := [(sheet.annotator, sheet.answers[item.id], sheet.comments.get(item.id, ""))
                         for sheet in batch.annotations if item.id in sheet.answers])]


def shown(pool: Sequence[SampleItem]) -> list[SampleItem]:
    """Those that a page shows: the most disputed, then the first others, each in order."""
    most = sorted(range(len(pool)), key=lambda at: (-pool[at].disputed, at))
    first = [at for at in most[:DISPUTED] if pool[at].disputed > 0]
    others = [at for at in range(len(pool)) if at not in first]
    return [pool[at] for at in (*first, *others[:DISPUTED + FURTHER - len(first)])]


def _sample(batch: ClosedBatch, item: Item, rows: Sequence[tuple[str, Answers, str]],
            known: Mapping[str, Person]) -> SampleItem:
    form, origin = batch.form, batch.origins.get(item.id, Origin(source=""))
    logins = [login for login, _, _ in rows]
    answers = [answer for _, answer, _ in rows]
    by_question = {question.id: [row[question.id] for row in answers if question.id in row]
                   for question in form.questions}
    votes = [_votes(question, batch, by_question[question.id])
             for question in form.questions if question.answer in (CHOICE, CHOICES)]
    texts: list[tuple[str, str]] = []
    facts: list[tuple[str, tuple[Edge, ...]]] = []
    for field in form.item:
        text = item.texts.get(field.name, "")
        if field.kind == GRAPH and text:
            facts.append((field.title, tuple(notation.Graph(text).edges)))
        elif field.kind in ("text", "label", "number") and text:
            texts.append((field.title, str(text)))
    # sorted, so that their order names nobody
    sentences = [(question.text, tuple(sorted(map(str, filter(None, by_question[question.id])))))
                 for question in form.questions if question.answer == TEXT]
    return SampleItem(
        item.id, batch.batch.name, origin.system, tuple(texts), tuple(facts), len(rows),
        bool(organisers.simulated(known, [*logins, *origin.authors])),
        tuple(vote for vote in votes if vote.total), tuple(_triplets(batch, item, answers)),
        tuple((question, written) for question, written in sentences if written),
        tuple(sorted(comment for _, _, comment in rows if comment)),
        _disputed([(question, by_question[question.id])
                   for question in form.questions if question.answer == CHOICE]))


def _votes(question: Question, batch: ClosedBatch, votes: Sequence[Any]) -> Votes:
    counted = Counter(value for one in votes for value in ([one] if isinstance(one, str) else one)
                      if value != NOT_ASKED)
    words = {value.key: value.text for value in question.values}
    if question.topics:
        words = {topic.key: topic.text for topic in batch.batch.topics} | words
    keys = (*words, *sorted(set(counted) - {*words}))
    return Votes(question.label, question.text, tuple(
        ValueVotes(key, words.get(key, key), counted[key], index)
        for index, key in enumerate(keys) if counted[key]))


def _triplets(batch: ClosedBatch, item: Item, answers: Sequence[Answers],
              ) -> Iterator[TripletVotes]:
    questions = [question for question in batch.form.questions if question.answer == TRIPLETS]
    for index, edge in enumerate(item.triplets):
        votes = [_votes(question, batch, [
            verdicts[index] for answer in answers
            if index < len(verdicts := answer.get(question.id, ()))]) for question in questions]
        yield TripletVotes(edge, tuple(vote for vote in votes if vote.total))


def _disputed(questions: Iterable[tuple[Question, Sequence[Any]]]) -> float:
    shares = []
    for question, given in questions:
        votes = [str(vote) for vote in given if str(vote) not in question.unsure]
        pairs = [vote != other for vote, other in combinations(votes, 2)]
        if pairs:
            shares.append(sum(pairs) / len(pairs))
    return sum(shares) / len(shares) if shares else 0.0


# ---- rounds of refinement ------------------------------------------------------------------------


class StoryRound(NamedTuple):
    """The graph of one round and what voters found."""

    facts: tuple[tuple[str, Edge], ...]
    """What became of each fact since the round before, and the fact."""
    votes: tuple[tuple[str, int], ...]
    label: str | None
    """What more than half of the first votes that are needed say; None if nothing."""


class Story(NamedTuple):
    """An item with its graphs, the first one first."""

    texts: tuple[str, ...]
    wanted: str
    rounds: tuple[StoryRound, ...]
    simulated: bool


def stories(closed: Iterable[ClosedBatch], known: Mapping[str, Person]) -> list[Story]:
    """Items whose graph was refined and verified again, by the names of their batches."""
    batches = {(entry.batch.name, item.id): entry for entry in closed for item in entry.batch.items}
    groups: dict[Place, list[tuple[int, ClosedBatch, str]]] = {}
    """How often the graph was verified before, in another version; and where it is now."""
    for (name, item), batch in sorted(batches.items()):
        if batch.batch.kind == VERIFY and batch.origins.get(item) and batch.origins[item].authors:
            way = _way(batches, (name, item))
            earlier = sum(batches[step].batch.kind == VERIFY for step in way[1:] if step in batches)
            groups.setdefault(way[-1], []).append((earlier, batch, item))
    return [_story([(batch, item) for _, batch, item in sorted(rounds, key=lambda r: r[0])],
                   way, batches, known)
            for way, rounds in groups.items() if len(rounds) > 1]


def _way(batches: Mapping[Place, ClosedBatch], start: Place) -> list[Place]:
    """An item and those that it was made of, to the one that its graph was first written for."""
    origins = {name: batch.origins for (name, _), batch in batches.items()}
    steps = []
    for here in way(lambda name: origins.get(name, {}), *start):
        form = batches[here].form if here in batches else None
        steps.append(here)
        if form is None or (form.graph is not None and not form.before):
            break
    return steps


def _story(rounds: Sequence[tuple[ClosedBatch, str]], root: Place,
           batches: Mapping[Place, ClosedBatch], known: Mapping[str, Person]) -> Story:
    last, name = rounds[-1]
    shown: list[str] = []
    for batch, item in ((batches.get(root), root[1]), (last, name)):  # the first that has texts
        if batch is not None and not shown:
            texts = batch.batch.by_id[item].texts
            shown = [texts[field.name] for field in batch.form.item
                     if field.kind == "text" and field.name in texts]
    made = []
    before: tuple[Edge, ...] | None = None
    for batch, item in rounds:
        facts, _ = read_graph(batch.batch.by_id[item].texts[GRAPH])
        old = facts if before is None else before
        marked = [(KEPT if fact in old else ADDED, fact) for fact in facts]
        marked += [(REMOVED, fact) for fact in old if fact not in facts]
        votes = [str(annotation.answers[item][LABEL]) for annotation in batch.annotations
                 if LABEL in annotation.answers.get(item, {})]
        label = decided(votes, batch.batch.needed)
        made.append(StoryRound(tuple(marked), tuple(sorted(Counter(votes).items())),
                               None if label == NONE else label))
        before = facts
    logins = [login for batch, item in rounds for login in (
        *batch.origins[item].authors,
        *(sheet.annotator for sheet in batch.annotations if item in sheet.answers))]
    return Story(tuple(shown), last.origins[name].label, tuple(made),
                 bool(organisers.simulated(known, logins)))
