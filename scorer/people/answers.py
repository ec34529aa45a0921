"""Answers to the questions of a form: which are asked, which are missing, wrong or too many.

One engine for every form, which reports the first fault of an item: what hangs on a wrong answer is
no fault of its own. Verdicts on graphs are those of ``tasks/graphs/constraints.py``; here strict
findings (a repeated fact, an odd character) refuse too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, NoReturn

from scorer.core import graph as notation
from scorer.core.errors import excerpt
from scorer.core.records import Edge, Finding
from scorer.core.rules import FACT_DETAILS, lookup
from scorer.people.records import (
    CHOICE,
    CHOICES,
    GRAPH,
    NOT_ASKED,
    TEXT,
    TRIPLETS,
    Answers,
    Form,
    GraphAnswers,
    Item,
    Question,
)
from scorer.people.sheets import TEXTS, RuleText, said
from scorer.tasks.graphs.constraints import findings_of_pieces

Written = Mapping[str, str | Mapping[str, str] | None]
"""What an annotator wrote, by question: text as in a file's cell, or a value for each triplet."""
_WORD = re.compile(r"[^ \t\n]+")
"""What stands between spaces, tabs and line ends."""


class CheckedItem(NamedTuple):
    """What is found of the answers to one item."""

    asked: tuple[str, ...]
    """The questions that these answers ask, in order."""
    fault: RuleText | None
    """The first that refuses them, in the order of questions."""
    warnings: tuple[RuleText, ...]
    answers: Answers
    """What was asked and is sound."""


def check(form: Form, item: Item, answers: Written, topics: Sequence[str] = ()) -> CheckedItem:
    """Hold the answers to one item against a form. ``topics``: keys of the batch's topics."""
    row = _Row(form, item, topics)
    fault: RuleText | None = None
    sound: dict[str, str | tuple[str, ...]] = {}
    for question in form.questions:
        try:
            answer = row.read(question, answers.get(question.id) or "")
        except _Refused as refused:
            fault = fault or refused.args[0]
        else:
            sound |= {} if answer is None else {question.id: answer}
    cautions = [] if fault else [*row.cautions()]
    return CheckedItem(tuple(row.asked), fault, (*row.warnings, *cautions), sound)


def allowed(question: Question, topics: Sequence[str] = ()) -> tuple[str, ...]:
    """What may be chosen: topics, then the question's own values."""
    return (*topics, *question.keys) if question.topics else question.keys


class _Refused(Exception):
    """An answer is refused; the argument says by which rule."""


class _Row:
    """What is known of the answers to an item, up to the question that is read."""

    def __init__(self, form: Form, item: Item, topics: Sequence[str]) -> None:
        self.form, self.item, self.topics = form, item, topics
        self.asked: list[str] = []
        self.warnings: list[RuleText] = []
        self.values: dict[str, Mapping[str, str]] = {}
        """The sound values by question: of a triplet by its id, another's first one by ""."""

    def read(self, question: Question, answer: str | Mapping[str, str],
             ) -> str | tuple[str, ...] | None:
        """The answer to one question, those before it being known; None if it is not asked.

        Raises _Refused.
        """
        self.values[question.id] = {}
        text = answer if isinstance(answer, str) else ""
        given = answer.strip(NOT_ASKED if question.answer == TRIPLETS else None) if isinstance(
            answer, str) else answer
        when = question.when
        if when is not None and not all(self._hits(*test) for test in when.all.items()):
            if given:
                self._refuse(question, question.asked_rule or "SKIPPED", reason=when.otherwise)
            return None
        self.asked.append(question.id)
        if question.answer == TRIPLETS:
            return self._triplets(question, answer)
        if question.answer == GRAPH:
            return self._graph(question, text)
        if not given and not (question.answer == CHOICE and question.value_rule):
            self._missing(question)
        return self._text(question, text) if question.answer == TEXT else (
            self._chosen(question, text))

    def _hits(self, name: str, wanted: Sequence[str]) -> int:
        return sum(value in wanted for value in self.values[name].values())

    def _refuse(self, question: Question, rule: str, about: str = "", **values: object,
                ) -> NoReturn:
        """``rule``: its id, or what follows the letters of the form's own."""
        which = rule if rule in TEXTS else f"{self.form.rules}-{rule}"
        raise _Refused(said(which, about or question.id, q=question.id, col=question.id, **values))

    def _missing(self, question: Question) -> NoReturn:
        reason = "it is always asked"
        if question.when is not None:
            source = self._source(question)
            first = next(iter(self._rated(*source) if source else ()), "")
            reason = question.when.because.replace("{triplet}", first)
        self._refuse(question, question.asked_rule or "MISSING", reason=reason)

    def _allow(self, question: Question, values: Iterable[str], may: Sequence[str]) -> None:
        """Refuse the first value that may not be chosen."""
        for value in values:
            if value not in may:
                shown = excerpt(value, 40)[1:-1] if len(value) <= 40 else excerpt(value, 40)
                self._refuse(question, question.value_rule or "VALUE", v=shown,
                             allowed=", ".join(may))

    def _text(self, question: Question, text: str) -> str:
        if len(text) > question.most:
            self._refuse(question, "ANN-TEXT", n=len(text), m=question.most)
        count = len(_WORD.findall(text))
        if question.most_words is not None and count > question.most_words:
            self._refuse(question, "ANN-WORDS", n=count, m=question.most_words)
        self.values[question.id] = {"": text}
        return text

    def _chosen(self, question: Question, text: str) -> str | tuple[str, ...]:
        parts = text.split(",") if question.answer == CHOICES else [text]
        values = tuple(dict.fromkeys(part.strip() for part in parts))
        may = allowed(question, self.topics)
        self.values[question.id] = {"" if value == values[0] else value: value
                                    for value in values if value in may}
        self._allow(question, values, may)
        return values if question.answer == CHOICES else values[0]

    def _graph(self, question: Question, text: str) -> str:
        assert self.form.graph is not None
        facts, fault = read_graph(text)
        broken, odd = ([fault], []) if fault else check_graph(self.form.graph, self.item, facts)
        self.warnings += odd
        if broken:
            raise _Refused(broken[0])
        before = self.item.texts.get(self.form.before, "")
        if before and {*read_graph(before)[0]} == {*facts}:
            self.warnings.append(said("EG-W-NOCHANGE", self.item.id, i=self.item.id))
        graph = notation.format_graph(facts)
        self.values[question.id] = {"": graph}
        return graph

    # ---- values for triplets -------------------------------------------------------------------

    def _source(self, question: Question) -> tuple[str, tuple[str, ...]] | None:
        """The question about triplets, and its answers, that say of which triplets this one asks;
        None if it asks of all."""
        tests = question.when.all if question.when and question.answer == TRIPLETS else {}
        return next(((name, wanted) for name, wanted in tests.items()
                     if self.form.by_id[name].answer == TRIPLETS), None)

    def _rated(self, name: str, wanted: Sequence[str]) -> tuple[str, ...]:
        """The triplets with such answers to a question."""
        return tuple(triplet for triplet, value in self.values[name].items() if value in wanted)

    def _triplets(self, question: Question, answer: str | Mapping[str, str]) -> tuple[str, ...]:
        ids, may, source = self.item.triplet_ids, question.keys, self._source(question)
        if isinstance(answer, str):
            if answer.strip() and len(answer) != len(ids):
                self._refuse(question, "TRIPLET-COUNT", n=len(answer), m=len(ids))
            answer = {triplet: value for triplet, value in zip(ids, answer, strict=False)
                      if source is None or value != NOT_ASKED}
        wanted = self._rated(*source) if source else ids
        sound = {triplet: answer[triplet] for triplet in ids if answer.get(triplet) in may}
        self.values[question.id] = sound
        self._allow(question, answer.values(), may)
        missing = next((triplet for triplet in wanted if triplet not in answer), "")
        extra = next((triplet for triplet in answer if triplet not in wanted), "")
        of, values = source or ("", ())
        about = {"t": missing or extra, "of": of, "v": " or ".join(values)}
        if missing and not answer:
            self._missing(question)
        if missing:
            self._refuse(question, "NEG-MISSING" if source else "TRIPLET-MISSING", missing, **about)
        if extra:
            self._refuse(question, "NEG-UNEXPECTED" if extra in ids else "TRIPLET-UNKNOWN", extra,
                         **about)
        return tuple(sound.get(triplet, NOT_ASKED) for triplet in ids)

    # ---- what to look at again -----------------------------------------------------------------

    def cautions(self) -> Iterator[RuleText]:
        """The warnings of the form that apply."""
        for caution in self.form.warnings:
            if (not all(self._hits(*test) for test in caution.all.items())
                    or any(self._hits(*test) for test in caution.none.items())):
                continue
            ranks = [self._rank(name) for name in caution.later]
            if ranks and not ranks[0] > ranks[1] >= 0:
                continue
            hits = (self._hits(name, wanted) for name, wanted in caution.all.items()
                    if self.form.by_id[name].answer == TRIPLETS)
            text = caution.text.replace("{n}", str(next(hits, 0)))
            for name, values in self.values.items():
                text = text.replace(f"{{{name}}}", values.get("", ""))
            yield RuleText(caution.rule, text)

    def _rank(self, name: str) -> int:
        """The rank of a choice in the order of values; -1 if there is none, or it is unsure."""
        question, value = self.form.by_id[name], self.values[name].get("")
        return question.keys.index(value) if value in question.keys and (
            value not in question.unsure) else -1


# ---- graphs that annotators write or read ------------------------------------------------------

_BETWEEN = re.compile(r"\)\s*\(")
_OF_COUNTS = ("EG-FEW-FACTS", "EG-MANY-FACTS")
_OF_A_FACT = ("EG-EMPTY", "EG-CHAR", "EG-LONG", "EG-REL", "EG-SELF")
_ORDER = (*_OF_COUNTS, *_OF_A_FACT, "EG-DUP", "EG-DISCONNECTED", "EG-CYCLE", "EG-TEXT-CONCEPTS")
_NEVER = 10**9


def normalised(fact: Sequence[str]) -> Edge:
    """A fact in lower case, with single spaces.

    >>> normalised(["  Cats ", "is  a", "Pets"])
    Edge(source='cats', relation='is a', target='pets')
    """
    return Edge(*(" ".join(part.lower().split()) for part in fact))


def read_graph(cell: str) -> tuple[tuple[Edge, ...], RuleText | None]:
    """The normalised facts of a bracketed string, or why it is none; an empty one has no facts.

    >>> read_graph("(Cats; is a; pets) (pets; desires; food)")[0][1]
    Edge(source='pets', relation='desires', target='food')
    """
    text = cell.strip()
    if not text:
        return (), None
    if not (text.startswith("(") and text.endswith(")")):
        return (), said("EG-SYNTAX", where=f"it is {excerpt(text, 60)}")
    facts = [part.split(";") for part in _BETWEEN.split(text[1:-1])]
    for number, parts in enumerate(facts, start=1):
        if len(parts) != 3:
            return (), said("EG-SYNTAX", number, where=f"fact {number} has {len(parts)} parts")
    return tuple(map(normalised, facts)), None


def check_graph(form: GraphAnswers, item: Item,
                facts: Sequence[Edge]) -> tuple[list[RuleText], list[RuleText]]:
    """What the facts of a graph break, in the order of the specification; then what to look at."""
    texts = [item.texts[text.name] for text in form.texts]
    broken, strict = findings_of_pieces(form.rules, form.texts, texts, facts, details=FACT_DETAILS)
    flaws = [flaw for flaw in (*broken, *strict) if flaw.rule != "EG-W-INSIDE"]
    inside = [flaw for flaw in strict if flaw.rule == "EG-W-INSIDE"]
    return ([RuleText(flaw.rule, flaw.detail, _about(flaw)) for flaw in sorted(flaws, key=_rank)],
            [RuleText(flaw.rule, flaw.detail, *flaw.concepts) for flaw in inside])


def _rank(finding: Finding) -> tuple[int, int, int]:
    """Where a flaw stands: those of facts by the number of the fact, the others by their rule."""
    rule = lookup(finding.rule).id
    if rule in _OF_A_FACT:
        number = finding.edges[0] if finding.edges else _NEVER
        return len(_OF_COUNTS), number, _ORDER.index(rule)
    return _ORDER.index(rule), 0, 0


def _about(flaw: Finding) -> str:
    """The number of the fact at fault, or how many concepts are in a text with too few."""
    rule = lookup(flaw.rule).id
    if rule in (*_OF_A_FACT, "EG-DUP") and flaw.edges:
        return str(flaw.edges[0] + 1)
    return str(len(flaw.concepts)) if rule == "EG-TEXT-CONCEPTS" else ""
