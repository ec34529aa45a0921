#!/usr/bin/env python3
"""Answer batches of annotators by drawn numbers, to rehearse the way from batch to page.

It writes annotators' files byte by byte as the pages do (``file_of``, ``file_of_rows``), and tests
write theirs with it.

The error model. It says nothing about people; its numbers are chosen so that pages have content.

- **What is true** of an item is drawn once, the same for all annotators. A label is the gold label
  where the item shows no answer of a system. Where it shows one, the best value (the gold label,
  or the first) is true if that answer is gold's own, else with a chance of half its likeness to
  gold: the words that both have, twice, over the words of both. For a triplet the chance is the
  share of its words that gold has. Questions that are asked before the graph is shown have their
  first value with a chance of BEFORE_GRAPH, those about negated triplets with NEGATED. A topic is
  the one that shares most of its own words with the item. Whatever is left is drawn with equal
  chances.
- **An annotator** has an accuracy for each question, drawn once from ACCURACY. An answer is *I
  cannot decide* with a chance of UNSURE, where there is such a value; else the truth with the
  accuracy; else another value: one beside the truth on an ordinal scale, any otherwise.
- **A graph** is gold's with a chance of FIRST_GRAPH, or where a graph must be mended, with the
  accuracy; else gold's with one change that the form accepts: a fact negated, turned round, given
  another relation, or left out.
- **Texts** are sentences made of the item's triplets. Texts that make items are taken from a list:
  with the accuracy those of a line that has the label that is asked for, else of one with another
  label, each line with the same chance; never those of the last try, where the item shows it. What
  is asked for again is answered by its author.
- Where a page would warn of answers, those that it names are drawn again, up to TRIES times: slips
  of that kind are shown to annotators before they finish.

Every draw is a digest of the seed and of what it is about, so the same call writes the same bytes.

Needs the program (``pip install whyboard``) and nothing else of this repository::

    python simulate_annotators.py verify-1 --annotators 3
    python simulate_annotators.py verify-1 --rulings
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from scorer import boards
from scorer.boards import Board
from scorer.core import graph as notation
from scorer.core.errors import UsageError, WhyboardError, excerpt
from scorer.core.files import sha256, write_atomically
from scorer.core.reading.tsv import open_file, read_rows
from scorer.core.records import Edge
from scorer.people import making, organisers, sheets
from scorer.people.answers import CheckedItem, allowed, check, check_graph, read_graph
from scorer.people.disputes import disputes
from scorer.people.hamlet import BEFORE, BETWEEN
from scorer.people.records import (
    CHOICES,
    CLOSED,
    GRAPH,
    LABEL,
    NOT_ASKED,
    OPEN,
    ORDINAL,
    TEXT,
    TRIPLETS,
    Annotation,
    Answers,
    Batch,
    Form,
    Item,
    ItemField,
    Question,
    Ruling,
)
from scorer.people.stages import Stages
from scorer.people.validate import Workplace
from scorer.tasks.graphs.graph_items import GraphRules

ACCURACY = (0.75, 0.95)
UNSURE = 0.02
BEFORE_GRAPH = 0.95
NEGATED = 0.7
FIRST_GRAPH = 0.5
TRIES = 50
_NEGATION = re.compile(r"(?:^| )not(?= )")
_WORD = re.compile(r"[^\W_]+")
Thing = TypeVar("Thing")


def drawn(*words: object) -> float:
    """A number from 0 to 1, 1 excluded, that hangs on some words alone.

    >>> drawn("a", 1) == drawn("a", 1), 0 <= drawn("b") < 1
    (True, True)
    """
    return int(sha256("|".join(map(str, words)).encode())[:13], 16) / 16**13


def chosen(among: Sequence[Thing], *words: object) -> Thing:
    """One of some things, each with the same chance."""
    return among[int(drawn(*words) * len(among))]


def words(text: str) -> frozenset[str]:
    """The words of a text, lower-cased.

    >>> sorted(words("(Cats; is a; pets)"))
    ['a', 'cats', 'is', 'pets']
    """
    return frozenset(_WORD.findall(text.lower()))


def likeness(text: str, gold: str) -> float:
    """Dice's coefficient of the words of two texts.

    >>> likeness("a dog barked", "a dog slept"), likeness("", "")
    (0.6666666666666666, 0.0)
    """
    one, other = words(text), words(gold)
    return 2 * len(one & other) / max(1, len(one) + len(other))


@dataclass(frozen=True)
class Simulation:
    """Simulated answers to one batch."""

    workplace: Workplace
    batch: Batch
    references: References
    seed: int
    writings: Sequence[Writing] = ()
    """What there is to write, where annotators write items."""

    @property
    def form(self) -> Form:
        """The form of the batch."""
        return self.workplace.forms[self.batch.kind]

    @cached_property
    def _topic_words(self) -> Mapping[str, frozenset[str]]:
        """The words that one topic alone has, by its key."""
        topics = {topic.key: words(topic.text) for topic in self.batch.topics}
        counts = Counter(word for found in topics.values() for word in found)
        return {key: frozenset(word for word in found if counts[word] == 1)
                for key, found in topics.items()}

    @cached_property
    def _warned(self) -> frozenset[str]:
        """The questions that warnings name."""
        return frozenset(name for one in self.form.warnings
                         for name in (*one.all, *one.none, *one.later))

    def annotations(self, annotators: int, exported: Sequence[str], items: int | None = None
                    ) -> list[Annotation]:
        """What so many annotators hand in, each item being answered by as many as it needs.

        ``exported``: when each of them hands in; ``items``: the first so many items alone. Nobody
        verifies or mends a graph of their own. Raises UsageError where answers cannot be drawn, or
        nobody may answer an item.
        """
        logins = [f"{organisers.SIMULATED}{number}" for number in range(1, annotators + 1)]
        given: dict[str, dict[str, Answers]] = {one: {} for one in logins}
        for item in self.batch.items[:items]:
            for one in self._annotators(item, logins):
                given[one][item.id] = self._answers(item, one)
        return [Annotation(one, time, given[one])
                for one, time in zip(logins, exported, strict=True) if given[one]]

    def _annotators(self, item: Item, logins: Sequence[str]) -> list[str]:
        origin = self.workplace.key(self.batch.name).items.get(item.id)
        authors = origin.authors if origin else ()
        if self.form.written and authors:
            return [one for one in logins if one in authors]
        barred = authors if self.form.not_by_author else ()
        able = [one for one in logins if one not in barred]
        if not able:
            raise UsageError(f"{self.batch.name}: everybody wrote a graph of item {item.id}; take "
                             "more --annotators")
        able.sort(key=lambda one: drawn(self.seed, "who", self.batch.name, item.id, one))
        return sorted(able[: self.batch.needed])

    # ---- what is true --------------------------------------------------------------------------

    def truth(self, item: Item) -> Mapping[str, tuple[str, ...]]:
        """What is true of an item: the answer to each question that chooses, or to it for each
        triplet, whether it would be asked or not; without what a page would warn of."""
        chosen_from = [one for one in self.form.questions if one.values or one.topics]
        found: dict[str, tuple[str, ...]] = {}
        for attempt in range(TRIES if chosen_from else 0):
            found = {question.id: tuple(self._true(item, question, unit, attempt)
                                        for unit in _units(item, question))
                     for question in chosen_from}
            held = self._filled(item, partial(_truth_of, found))
            if not (held.warnings or held.fault):
                break
        return found

    def _true(self, item: Item, question: Question, unit: int, attempt: int) -> str:
        about = (self.seed, "truth", self.batch.name, item.id, question.id, unit,
                 attempt * (question.id in self._warned))
        if question.topics:
            said = words(" ".join(item.texts.values()))
            return max(self.batch.topics, key=lambda topic: (
                len(said & self._topic_words[topic.key]), drawn(*about, topic.key))).key
        values = [key for key in question.keys if key not in question.unsure]
        reference = self.references.of(self.batch.name, item.id)
        best = values[0]
        if question.id == LABEL and reference and reference.label in values:
            best = reference.label
        chance = self._chance(item, question, unit, reference, best)
        if drawn(*about, "best") < chance:
            return best
        others = values if chance == 0 else [one for one in values if one != best] or [best]
        return chosen(others, *about, "other")

    def _chance(self, item: Item, question: Question, unit: int, reference: Reference | None,
                best: str) -> float:
        """The chance of the best value; 0 where no value is better than the others."""
        hidden = self.form.hidden_until.values()
        if any(self._comes(question.id, name) for name in hidden):
            return BEFORE_GRAPH
        if question.answer == TRIPLETS and question.when and any(
                self.form.by_id[name].answer == TRIPLETS
                for name in question.when.all):
            return NEGATED
        shown = self._shown(item, reference)
        if question.answer == CHOICES:
            return 0
        if shown is None or reference is None:
            return float(question.id == LABEL and reference is not None
                         and reference.label == best)
        text, golds = shown
        if question.answer == TRIPLETS:
            mine = words(" ".join(item.triplets[unit]))
            return max(len(mine & words(gold)) / max(1, len(mine)) for gold in golds)
        return max(1 if text == gold else likeness(text, gold) / 2 for gold in golds)

    def _comes(self, one: str, other: str) -> bool:
        """Whether a question comes up to another."""
        ids = [question.id for question in self.form.questions]
        return ids.index(one) <= ids.index(other)

    def _shown(self, item: Item, reference: Reference | None) -> tuple[str, list[str]] | None:
        """The answer that an item shows of a system, and gold's, as texts; None if it has none."""
        for one in self.form.item:
            column = one.source or one.name
            golds = [answer[column] for answer in (reference.answers if reference else ())
                     if column in answer]
            if golds and one.kind in (TEXT, GRAPH, TRIPLETS):
                return _text(item, one), [_alike(gold, one) for gold in golds]
        return None

    # ---- what an annotator says ----------------------------------------------------------------

    def _answers(self, item: Item, who: str) -> Answers:
        truth = self.truth(item)
        for attempt in range(TRIES):
            held = self._filled(item, partial(self._values, item, who, truth, attempt), who)
            if not (held.warnings or held.fault) or self.form.graph:
                break
        if held.fault:
            raise UsageError(f"{self.batch.name}: no answer to item {item.id} could be drawn that "
                             f"its form accepts ({held.fault.rule})")
        return held.answers

    def _accuracy(self, who: str, question: str) -> float:
        low, high = ACCURACY
        return low + (high - low) * drawn(self.seed, "accuracy", who, self.form.kind, question)

    def _values(self, item: Item, who: str, truth: Mapping[str, tuple[str, ...]], attempt: int,
                question: Question, units: Sequence[int]) -> list[str]:
        return [self._said(item, who, question, unit, truth[question.id][unit], attempt)
                for unit in units]

    def _said(self, item: Item, who: str, question: Question, unit: int, true: str, attempt: int
              ) -> str:
        about = (self.seed, who, self.batch.name, item.id, question.id, unit,
                 attempt * (question.id in self._warned))
        if question.unsure and drawn(*about, "unsure") < UNSURE:
            return sorted(question.unsure)[0]
        if drawn(*about, "right") < self._accuracy(who, question.id):
            return true
        values = [one for one in allowed(question, [topic.key for topic in self.batch.topics])
                  if one not in question.unsure]
        if question.scale == ORDINAL:
            place = values.index(true)
            others = values[max(0, place - 1) : place] + values[place + 1 : place + 2]
        else:
            others = [one for one in values if one != true]
        return chosen(others or [true], *about, "wrong")

    def _filled(self, item: Item, choose: Callable[[Question, Sequence[int]], list[str]],
                who: str = "") -> CheckedItem:
        """The answers to whatever is asked, question by question, held against the form."""
        cells: dict[str, str] = {}
        topics = [topic.key for topic in self.batch.topics]
        held = check(self.form, item, cells, topics)
        for question in self.form.questions:
            if question.id not in held.asked:
                continue
            if question.answer == TRIPLETS:
                units = _asked_units(item, question, cells, self.form)
                said = dict(zip(units, choose(question, units), strict=True))
                cells[question.id] = "".join(said.get(unit, NOT_ASKED)
                                             for unit in range(len(item.triplets)))
            elif question.values or question.topics:
                cells[question.id] = choose(question, [0])[0]
            elif question.answer == GRAPH:
                cells[question.id] = self._graph(item, who, question)
            elif written := self._written(item, who).get(question.id):
                cells[question.id] = written
            else:
                cells[question.id] = self._text(item, who, question)
            held = check(self.form, item, cells, topics)
        return held

    def _text(self, item: Item, who: str, question: Question) -> str:
        about = (self.seed, who, self.batch.name, item.id, question.id)
        ordered = sorted(item.triplets, key=lambda edge: drawn(*about, *edge))
        told = [sentence(edge) for edge in ordered[: 1 + int(drawn(*about, "count") * 2)]]
        return "\n".join(told)[: question.most] or "A simulated answer."

    def _written(self, item: Item, who: str) -> Mapping[str, str]:
        """The texts of the items that an answer makes, by question."""
        found: dict[str, str] = {}
        prompt = next(iter(item.texts.values()), "")
        tried = item.texts.get(BEFORE, "").split(BETWEEN)
        for number, made in enumerate(self.form.written):
            asked = [*made.texts.values()]
            lines = [one for one in self.writings
                     if one.prompt == prompt and len(one.texts) == len(asked)
                     and all(found.get(name, text) == text
                             for name, text in zip(asked, one.texts, strict=True))]
            label = item.texts.get(made.label, made.label)
            if label not in {one.label for one in lines}:
                raise UsageError(f"{self.batch.name}: there is nothing to write of item {item.id} "
                                 f"that has the label {excerpt(label)}; say with --written FILE "
                                 "what there is: its text, the texts of a new item, and their "
                                 "label")
            new = [one for one in lines
                   if one.texts[-1] not in (*found.values(), *tried)] or lines
            about = (self.seed, who, self.batch.name, item.id, "written", number)
            right = drawn(*about, "right") < self._accuracy(who, asked[-1])
            among = [one for one in new if (one.label == label) == right] or new
            found |= zip(asked, chosen(among, *about).texts, strict=True)
        return found

    # ---- graphs --------------------------------------------------------------------------------

    def _graph(self, item: Item, who: str, question: Question) -> str:
        """Gold's graph, or with a mistake."""
        reference = self.references.of(self.batch.name, item.id)
        column = next((one.source or one.name for one in self.form.item if one.kind == GRAPH),
                      question.id)
        golds = [answer[column] for answer in (reference.answers if reference else ())
                 if column in answer]
        if not golds:
            raise UsageError(f"{self.batch.name}: item {item.id} has no gold graph, and graphs are "
                             "made of gold's; take a batch of a board's items, or say with --truth "
                             "FILE what is true")
        facts = read_graph(golds[0])[0]
        before = set(read_graph(item.texts.get(self.form.before, ""))[0])
        about = (self.seed, who, self.batch.name, item.id, question.id)
        chance = self._accuracy(who, question.id) if self.form.before else FIRST_GRAPH
        right = drawn(*about, "right") < chance
        if right and set(facts) != before and self._accepted(item, facts):
            return notation.format_graph(facts)
        assert self.form.graph is not None
        kinds = sorted(enumerate(mistakes(facts, self.form.graph.rules)),
                       key=lambda kind: drawn(*about, "kind", kind[0]))
        for one in (one for _, kind in kinds
                    for one in sorted(kind, key=lambda one: drawn(*about, *one))):
            if set(one) != before and self._accepted(item, one):
                return notation.format_graph(one)
        return notation.format_graph(facts)

    def _accepted(self, item: Item, facts: Sequence[Edge]) -> bool:
        assert self.form.graph is not None
        return not check_graph(self.form.graph, item, facts)[0]


def mistakes(facts: Sequence[Edge], rules: GraphRules
             ) -> tuple[list[tuple[Edge, ...]], ...]:
    """Graphs with one change, by its kind: a fact negated, turned round, given another relation,
    or left out.

    >>> rules = GraphRules(relations=("causes", "not causes"), negated=("not causes",),
    ...                    least_edges=1, acyclic=True, connected=True)
    >>> negated, turned, others, without = mistakes([Edge("a", "causes", "b")], rules)
    >>> negated[0][0], turned[0][0].source, others, without
    (Edge(source='a', relation='not causes', target='b'), 'b', [], [()])
    """
    opposites = {_NEGATION.sub("", name).strip(): name for name in rules.negated}
    opposites |= {negated: plain for plain, negated in opposites.items()}
    kinds: tuple[list[tuple[Edge, ...]], ...] = ([], [], [], [])
    negated, turned, others, without = kinds
    for place, (source, relation, target) in enumerate(facts):
        before, after = facts[:place], facts[place + 1 :]
        if relation in opposites:
            negated.append((*before, Edge(source, opposites[relation], target), *after))
        turned.append((*before, Edge(target, relation, source), *after))
        others += [(*before, Edge(source, other, target), *after) for other in rules.relations
                   if other not in (relation, opposites.get(relation))]
        without.append((*before, *after))
    return kinds


def rulings(simulation: Simulation) -> list[Ruling]:
    """What a maintainer who knows the truth settles, of units with two votes or more. Reasons are
    drawn with equal chances."""
    batch, form = simulation.batch, simulation.form
    settling = next(one for one in simulation.workplace.forms.values() if one.adjudicates)
    reasons = settling.by_id["reason"].keys
    truths: dict[str, Mapping[str, tuple[str, ...]]] = {}
    found = []
    for one in disputes(simulation.workplace.items(batch)):
        item, question = batch.by_id[one.item], form.by_id[one.question]
        if sum(vote not in question.unsure for vote in one.votes) < 2:
            continue
        if one.item not in truths:
            truths[one.item] = simulation.truth(item)
        unit = item.triplet_ids.index(one.unit) if one.unit else 0
        found.append(Ruling(one.item, one.unit, one.question, truths[one.item][one.question][unit],
                            chosen(reasons, simulation.seed, "reason", batch.name, one.item,
                                   one.question, unit)))
    return found


def _truth_of(truth: Mapping[str, tuple[str, ...]], question: Question, units: Sequence[int]
              ) -> list[str]:
    return [truth[question.id][unit] for unit in units]


def _units(item: Item, question: Question) -> range:
    return range(len(item.triplets) if question.answer == TRIPLETS else 1)


def _asked_units(item: Item, question: Question, cells: Mapping[str, str], form: Form
                 ) -> list[int]:
    """The triplets that a question is asked about."""
    tests = question.when.all if question.when else {}
    for name, wanted in tests.items():
        if form.by_id[name].answer == TRIPLETS:
            return [unit for unit, value in enumerate(cells.get(name, "")) if value in wanted]
    return [*range(len(item.triplets))]


def _alike(gold: str, shown: ItemField) -> str:
    """A gold answer, spelled as items spell theirs."""
    return gold if shown.kind == TEXT else notation.format_graph(read_graph(gold)[0])


def _text(item: Item, shown: ItemField) -> str:
    if shown.kind == TRIPLETS:
        return notation.format_graph(item.triplets)
    return item.texts.get(shown.name, "")


# ---- sentences ---------------------------------------------------------------------------------

_VERBS = {
    "antonym of": "can be the opposite of", "synonym of": "can mean the same as",
    "at location": "can be found at", "located near": "can be near",
    "capable of": "can be capable of", "causes": "can cause", "entails": "can entail",
    "causes desire": "can make people want", "created by": "can be created by",
    "defined as": "can be defined as", "derived from": "can come from",
    "desires": "can want", "has a": "can have", "has context": "can have to do with",
    "has first subevent": "can begin with", "has last subevent": "can end with",
    "has prerequisite": "can need", "has property": "can be", "has subevent": "can come with",
    "is a": "can be called", "made of": "can be made of", "manner of": "can be a way of",
    "motivated by goal": "can be done for", "obstructed by": "can be held up by",
    "part of": "can be part of", "receives action": "can undergo",
    "related to": "can have to do with", "similar to": "can be like",
    "symbol of": "can stand for", "used for": "can be used for",
}
_PART = re.compile(r"[A-Z]?[^A-Z\s]+|[A-Z]")


def sentence(triplet: Edge) -> str:
    """A triplet as a sentence; what a relation negates cannot be.

    >>> sentence(Edge("fair wages", "causes", "fixed income"))
    'Fair wages can cause fixed income.'
    >>> sentence(Edge("bags", "NotUsedFor", "food")), sentence(Edge("a", "is not a", "b"))
    ('Bags cannot be used for food.', 'A cannot be called b.')
    """
    relation = [word.lower() for word in _PART.findall(triplet.relation)]
    plain = " ".join(word for word in relation if word != "not")
    verb = _VERBS.get(plain, f"can be in the relation '{plain}' to")
    if "not" in relation:
        verb = verb.replace("can ", "cannot ", 1)
    text = f"{triplet.source} {verb} {triplet.target}."
    return text[:1].upper() + text[1:]


# ---- what gold says ----------------------------------------------------------------------------

_ROW = re.compile(r"(?P<board>[a-z0-9-]+)-(?P<split>[a-z]+):(?P<row>[1-9][0-9]{0,8})")
Golds = Callable[[str, str], tuple[Board, Sequence[Any]]]
"""The board of a name and the items of one of its splits. Raises a WhyboardError without them."""


class Reference(NamedTuple):
    """What gold says of one item."""

    label: str
    answers: Sequence[Mapping[str, str]]
    """Gold answers, as the columns of predictions."""


class Writing(NamedTuple):
    """Texts that somebody may write who is asked to."""

    prompt: str
    """The item's first text."""
    texts: tuple[str, ...]
    """Those of the item that they make."""
    label: str
    """The one that people would give it."""


@dataclass
class References:
    """What gold says of the items of batches, followed back to the rows of boards."""

    workplace: Workplace
    golds: Golds
    known: Mapping[tuple[str, ...], Reference] = field(default_factory=dict)
    """By its texts, what is true of an item that comes from no row of a board."""
    _read: dict[tuple[str, str], tuple[Board, Sequence[Any]]] = field(default_factory=dict)

    def of(self, batch: str, item: str) -> Reference | None:
        """What gold says of an item; None if it comes from no row of a board, and nobody told."""
        steps = [*self.stages.way(f"{batch}:{item}")]
        if row := _ROW.fullmatch(steps[-1].origin.source):
            label = next((step.origin.label for step in steps if step.origin.label), "")
            return self._of_row(row["board"], row["split"], int(row["row"]), label)
        first = steps[-1]
        return self.known.get(tuple(first.item.texts[part.name] for part in first.form.item
                                    if part.kind == TEXT and part.name in first.item.texts))

    @cached_property
    def stages(self) -> Stages:
        """Which item was made of which."""
        return Stages(self.workplace)

    def _of_row(self, name: str, split: str, row: int, label: str) -> Reference | None:
        if (name, split) not in self._read:
            self._read[name, split] = self.golds(name, split)
        board, items = self._read[name, split]
        if row > len(items):
            return None
        gold, task = items[row - 1], board.task
        columns = task.prediction_columns
        answers = [dict(zip(columns, task.write_prediction(one), strict=True))
                   for one in task.gold_predictions(gold)]
        return Reference(label, answers)


def truths_in(path: Path) -> dict[tuple[str, ...], Reference]:
    """What a gold file says of its texts: lines of texts, a label and a graph.

    Raises SubmissionError with the faults of the file, and of its graphs.
    """
    table = read_rows(open_file(path), ["text", "text or label", "label or graph", "graph"],
                      optional=1)
    found = {}
    for row in table.rows:
        *texts, label, graph = row.fields
        if read_graph(graph)[1]:
            table.problems.add(row.line, row.column(len(row.fields) - 1), "META-VALUE",
                               excerpt(graph), "a graph such as (cats; is a; pets)", "mend it")
        found[tuple(texts)] = Reference(label, [{GRAPH: graph}])
    table.problems.raise_if_any()
    return found


def writings_in(path: Path) -> list[Writing]:
    """What there is to write: lines of an item's text, the texts of a new item, and its label.

    Raises SubmissionError with the faults of the file.
    """
    table = read_rows(open_file(path), ["text of the item", "text", "text or label", "label"],
                      optional=1)
    table.problems.raise_if_any()
    return [Writing(prompt, tuple(texts), label)
            for prompt, *texts, label in (row.fields for row in table.rows)]


# ---- files ---------------------------------------------------------------------------------------


def file_of(form: Form, batch: Batch, annotation: Annotation) -> bytes:
    """An annotator's file, items in the batch's order."""
    rows = []
    for item in batch.items:
        answers = annotation.answers.get(item.id)
        if answers is None:
            continue
        cells = [item.id]
        for question in form.questions:
            value = answers.get(question.id, "")
            cells.append(value if isinstance(value, str) else
                         ("," if question.answer == CHOICES else "").join(value))
        rows.append([*cells, annotation.comments.get(item.id, "")])
    return file_of_rows(form, batch, annotation.annotator, annotation.exported, rows)


def file_of_rows(form: Form, batch: Batch, annotator: str, exported: str,
                 rows: Sequence[Sequence[str]]) -> bytes:
    """A file of rows, whatever a row says."""
    values = (form.format, batch.name, batch.sha256, form.guideline, annotator, exported)
    lines = [[f"#{key}", value] for key, value in zip(sheets.HEADER, values, strict=True)]
    return "".join("\t".join(map(escaped, line)) + "\n"
                   for line in (*lines, form.columns, *rows)).encode()


def escaped(text: str) -> str:
    r"""The cell that spells a text.

    >>> escaped("a\tb\\n")
    'a\\tb\\\\n'
    """
    return (text.replace("\r\n", "\n").replace("\\", "\\\\").replace("\t", "\\t")
            .replace("\n", "\\n"))


# ---- the command -------------------------------------------------------------------------------


def main(words: Sequence[str] | None = None) -> int:
    """Answer some batches, or settle them; the exit code."""
    args = _parser().parse_args(words)
    try:
        _run(args)
    except WhyboardError as fault:
        print(fault, file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Answer batches by drawn numbers, to rehearse the way from batch to page.")
    add = parser.add_argument
    add("batch", nargs="+", help="open batches; with --rulings, closed ones")
    add("--annotators", type=int, default=3, metavar="N", help="so many, called simulated-1, "
        "simulated-2 ... (default: 3); each item is answered by as many of them as it needs")
    add("--items", type=int, metavar="N", help="answer the first N items of each batch")
    add("--seed", type=int, default=1, help="what they say (default: 1)")
    add("--exported", metavar="TIME", help="when the first hands in, as 2026-11-21T03:50:00Z; the "
        "others follow by the minute (default: now)")
    add("--truth", type=Path, metavar="FILE", help="what is true of items that are no board's: a "
        "gold file of their texts, label and graph")
    add("--written", type=Path, metavar="FILE", help="what there is to write, where items are "
        "written: lines of a batch's text, the new item's texts, and the label that people would "
        "give these")
    add("--rulings", action="store_true", help="settle what annotators disagree on instead")
    add("--annotations", type=Path, default=Path("annotations"), metavar="DIR")
    add("--boards", type=Path, metavar="DIR")
    add("--home", type=Path, default=Path(".whyboard"), metavar="DIR")
    return parser


def _run(args: argparse.Namespace) -> None:
    workplace = Workplace(args.annotations)
    truths = truths_in(args.truth) if args.truth else {}
    writings = writings_in(args.written) if args.written else []
    truths |= {one.texts: Reference(one.label, ()) for one in writings}
    references = References(workplace, partial(_golds, args), truths)
    times = _times(args.exported, args.annotators)
    files: dict[Path, bytes] = {}
    for name in args.batch:
        batch = workplace.chosen(name, CLOSED if args.rulings else OPEN)
        one = Simulation(workplace, batch, references, args.seed, writings)
        if args.rulings:
            form = next(form for form in workplace.forms.values() if form.adjudicates)
            who = f"{organisers.SIMULATED}maintainer"
            if found := rulings(one):
                rows = [(ruling.item, ruling.unit, ruling.question, ruling.value, ruling.reason, "")
                        for ruling in found]
                files[_path(one, form, who)] = file_of_rows(form, batch, who, times[0], rows)
            else:
                print(f"{name}: nothing to settle")
        else:
            files |= {_path(one, one.form, annotation.annotator): file_of(
                one.form, batch, annotation)
                for annotation in one.annotations(args.annotators, times, args.items)}
    if there := [path for path in files if path.exists()]:
        raise UsageError(f"{there[0]} is there already; remove it first, or take another batch")
    if files:
        _mark(workplace, args.annotators)
    for path, content in files.items():
        write_atomically(path, content)
        print(f"{path}: simulated")


def _golds(args: argparse.Namespace, name: str, split: str) -> tuple[Board, Sequence[Any]]:
    board = boards.load(name, args.boards)
    return board, making.golds_of(board, split, args.home)


def _times(first: str | None, count: int) -> list[str]:
    """When each annotator hands in."""
    shape = "%Y-%m-%dT%H:%M:%SZ"
    start = datetime.datetime.fromisoformat(first) if first else datetime.datetime.now(datetime.UTC)
    return [(start + datetime.timedelta(minutes=minute)).strftime(shape)
            for minute in range(count)]


def _path(one: Simulation, form: Form, who: str) -> Path:
    return one.workplace.folder / Path(form.path(one.batch.name, who)).relative_to("annotations")


def _mark(workplace: Workplace, annotators: int) -> None:
    """Say in annotators.yml, a line each, that these annotators are simulated."""
    logins = [f"{organisers.SIMULATED}{number}" for number in range(1, annotators + 1)]
    lines = "".join(f"{login}: {{simulated: yes}}\n" for login in logins
                    if login not in workplace.people)
    path = workplace.folder / organisers.PEOPLE
    before = path.read_bytes() if path.exists() else b""
    end = b"\n" if lines and before and not before.endswith(b"\n") else b""
    write_atomically(path, before + end + lines.encode())


if __name__ == "__main__":
    sys.exit(main())
