"""Answers to the questions of a form: which are asked, which are missing, wrong or too many.

One engine for every form, which reports the first fault of an item: what hangs on a wrong answer is
no fault of its own. Verdicts on graphs are those of ``tasks/graphs/constraints.py``; here strict
findings (a repeated fact, an odd character) refuse too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scorer.core import graph as notation
from scorer.core.errors import excerpt
from scorer.core.records import Edge, Finding
from scorer.core.rules import FACT_DETAILS, lookup
from scorer.people.records import (
    CHOICE,
    CHOICES,
    GRAPH,
    NOT_ASKED,
    TRIPLETS,
    Answers,
    Caution,
    Form,
    GraphAnswers,
    Item,
    Question,
)
from scorer.people.sheets import RuleText, said
from scorer.tasks.graphs.constraints import findings_of_pieces

Given = Mapping[str, str | Mapping[str, str] | None]
"""What an annotator wrote, by question: text as in a file's cell, or a value for each triplet."""
ALWAYS = "it is always asked"
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


def check(form: Form, item: Item, answers: Given, topics: Sequence[str] = ()) -> CheckedItem:
    """Hold the answers to one item against a form. ``topics``: keys of the batch's topics."""
    row = _Row(form, item, answers, tuple(topics))
    for question in form.questions:
        row.read(question)
    cautions = [*row.cautions()] if row.fault is None else []
    return CheckedItem(tuple(row.asked), row.fault, (*row.warnings, *cautions), row.answers)


def allowed(question: Question, topics: Sequence[str] = ()) -> tuple[str, ...]:
    """What may be chosen: topics, then the question's own values."""
    return (*topics, *question.keys) if question.topics else question.keys


@dataclass
class _Row:
    form: Form
    item: Item
    given: Given
    topics: tuple[str, ...]
    asked: list[str] = field(default_factory=list)
    fault: RuleText | None = None
    warnings: list[RuleText] = field(default_factory=list)
    answers: dict[str, str | tuple[str, ...]] = field(default_factory=dict)
    values: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """The sound values by question: of a triplet by its id, a choice under "", several each."""

    def read(self, question: Question) -> None:
        """Check the answer to one question, those before it being known."""
        answer = self.given.get(question.id)
        empty = not (answer.strip(NOT_ASKED if question.answer == TRIPLETS else None)
                     if isinstance(answer, str) else answer)
        self.values[question.id] = {}
        text = answer if isinstance(answer, str) else ""
        when = question.when
        if when is not None and not all(self._hits(*test) for test in when.all.items()):
            if not empty:
                self._unasked(question, "SKIPPED", when.otherwise)
            return
        self.asked.append(question.id)
        if question.answer == TRIPLETS:
            self._triplets(question, answer or {})
        elif question.answer == GRAPH:
            self._graph(question, text)
        elif empty and not (question.answer == CHOICE and question.value_rule):
            self._unasked(question, "MISSING", self._because(question))
        elif question.answer in (CHOICE, CHOICES):
            self._chosen(question, text)
        else:
            self._text(question, text)

    def _refuse(self, fault: RuleText) -> None:
        self.fault = self.fault or fault

    def _say(self, question: Question, rule: str, about: object = None, **values: object) -> None:
        self._refuse(said(f"{self.form.rules}-{rule}", question.id if about is None else about,
                          q=question.id, **values))

    def _unasked(self, question: Question, rule: str, reason: str) -> None:
        if question.asked_rule:
            self._refuse(said(question.asked_rule, question.id))
        else:
            self._say(question, rule, reason=reason)

    # ---- whether a question is asked -----------------------------------------------------------

    def _hits(self, name: str, wanted: Sequence[str]) -> int:
        return sum(value in wanted for value in self.values[name].values())

    def _because(self, question: Question) -> str:
        if question.when is None:
            return ALWAYS
        first = next(iter(self._subset(question) or ()), "")
        return question.when.because.replace("{triplet}", first)

    def _subset(self, question: Question) -> tuple[str, ...] | None:
        """The triplets that a question is asked about, if not all."""
        of = self._of(question)
        return None if of is None else tuple(
            triplet for triplet, value in self.values[of[0]].items() if value in of[1])

    def _of(self, question: Question) -> tuple[str, tuple[str, ...]] | None:
        """The question about triplets, and its answers, that one about triplets goes by."""
        if question.answer != TRIPLETS or question.when is None:
            return None
        return next(((name, wanted) for name, wanted in question.when.all.items()
                     if self.form.by_id[name].answer == TRIPLETS), None)

    # ---- answers -------------------------------------------------------------------------------

    def _text(self, question: Question, text: str) -> None:
        if len(text) > question.most:
            self._refuse(said("ANN-TEXT", question.id, col=question.id, n=len(text),
                              m=question.most))
        elif question.most_words is not None and len(words := _WORD.findall(text)) > (
                question.most_words):
            self._refuse(said("ANN-WORDS", question.id, col=question.id, n=len(words),
                              m=question.most_words))
        else:
            self.answers[question.id] = text
            self.values[question.id] = {"": text}

    def _chosen(self, question: Question, text: str) -> None:
        parts = text.split(",") if question.answer == CHOICES else [text]
        values = tuple(dict.fromkeys(part.strip() for part in parts))
        may = allowed(question, self.topics)
        self.values[question.id] = {"" if value == values[0] else value: value
                                    for value in values if value in may}
        if wrong := [value for value in values if value not in may]:
            self._wrong(question, wrong[0], may)
        else:
            self.answers[question.id] = values if question.answer == CHOICES else values[0]

    def _wrong(self, question: Question, value: str, may: Sequence[str]) -> None:
        shown = excerpt(value, 40)[1:-1] if len(value) <= 40 else excerpt(value, 40)
        listed = ", ".join(may)
        if question.value_rule:
            self._refuse(said(question.value_rule, question.id, v=shown, allowed=listed))
        else:
            self._say(question, "VALUE", v=shown, allowed=listed)

    def _graph(self, question: Question, text: str) -> None:
        assert self.form.graph is not None
        facts, fault = read_graph(text)
        errors = [fault] if fault else []
        if fault is None:
            errors, warnings = check_graph(self.form.graph, self.item, facts)
            self.warnings += warnings
        if errors:
            self._refuse(errors[0])
            return
        written = notation.format_graph(facts)
        self.answers[question.id] = written
        self.values[question.id] = {"": written}
        before = self.item.texts.get(self.form.before, "") if self.form.before else ""
        if before and {*read_graph(before)[0]} == {*facts}:
            self.warnings.append(said("EG-W-NOCHANGE", self.item.id, i=self.item.id))

    def _triplets(self, question: Question, answer: str | Mapping[str, str]) -> None:
        ids, subset = self.item.triplet_ids, self._subset(question)
        if isinstance(answer, str):
            if answer.strip() and len(answer) != len(ids):
                self._say(question, "TRIPLET-COUNT", n=len(answer), m=len(ids))
                return
            answer = {triplet: value for triplet, value in zip(ids, answer, strict=False)
                      if subset is None or value != NOT_ASKED}
        may, wanted = allowed(question), ids if subset is None else subset
        sound = {triplet: answer[triplet] for triplet in ids if answer.get(triplet) in may}
        self.values[question.id] = sound
        wrong = [value for value in answer.values() if value not in may]
        missing = [triplet for triplet in wanted if triplet not in answer]
        extra = [triplet for triplet in answer if triplet not in wanted]
        if wrong:
            self._wrong(question, wrong[0], may)
        elif missing and not answer:
            self._unasked(question, "MISSING", self._because(question))
        elif missing:
            self._about_triplet(question, "MISSING", missing[0])
        elif extra and extra[0] not in ids:
            self._say(question, "TRIPLET-UNKNOWN", extra[0], t=extra[0])
        elif extra:
            self._about_triplet(question, "UNEXPECTED", extra[0])
        else:
            self.answers[question.id] = tuple(sound.get(triplet, NOT_ASKED) for triplet in ids)

    def _about_triplet(self, question: Question, rule: str, triplet: str) -> None:
        of = self._of(question)
        if of is None:
            self._say(question, f"TRIPLET-{rule}", triplet, t=triplet)
        else:
            self._say(question, f"NEG-{rule}", triplet, t=triplet, of=of[0], v=" or ".join(of[1]))

    # ---- what to look at again -----------------------------------------------------------------

    def cautions(self) -> Iterator[RuleText]:
        """The warnings of the form that apply."""
        for caution in self.form.warnings:
            if self._applies(caution):
                hits = [self._hits(name, wanted) for name, wanted in caution.all.items()
                        if self.form.by_id[name].answer == TRIPLETS]
                text = caution.text.replace("{n}", str(hits[0] if hits else 0))
                for name, values in self.values.items():
                    text = text.replace(f"{{{name}}}", values.get("", ""))
                yield RuleText(caution.rule, text)

    def _applies(self, caution: Caution) -> bool:
        if not all(self._hits(*test) for test in caution.all.items()):
            return False
        if any(self._hits(*test) for test in caution.none.items()):
            return False
        if caution.later:
            first, second = (self._rank(name) for name in caution.later)
            return first is not None and second is not None and first > second
        return True

    def _rank(self, name: str) -> int | None:
        """The rank of a choice in the order of values; None if there is none, or it is unsure."""
        question = self.form.by_id[name]
        value = self.values[name].get("")
        if value is None or value in question.unsure or value not in question.keys:
            return None
        return question.keys.index(value)


# ---- graphs that annotators write or read ------------------------------------------------------

_BETWEEN = re.compile(r"\)\s*\(")
_ORDER = ("EG-FEW-FACTS", "EG-MANY-FACTS")
_OF_A_FACT = ("EG-EMPTY", "EG-CHAR", "EG-LONG", "EG-REL", "EG-SELF")
_AFTER = ("EG-DUP", "EG-DISCONNECTED", "EG-CYCLE", "EG-TEXT-CONCEPTS")
_NEVER = 10**9


def normalised(fact: Sequence[str]) -> Edge:
    """A fact in lower case, with single spaces.

    >>> normalised(["  Cats ", "is  a", "Pets"])
    Edge(source='cats', relation='is a', target='pets')
    """
    source, relation, target = (" ".join(part.lower().split()) for part in fact)
    return Edge(source, relation, target)


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
    facts = []
    for number, part in enumerate(_BETWEEN.split(text[1:-1]), start=1):
        parts = part.split(";")
        if len(parts) != 3:
            return (), said("EG-SYNTAX", number, where=f"fact {number} has {len(parts)} parts")
        facts.append(normalised(parts))
    return tuple(facts), None


def check_graph(form: GraphAnswers, item: Item,
                facts: Sequence[Edge]) -> tuple[list[RuleText], list[RuleText]]:
    """What the facts of a graph break, in the order of the specification; then what to look at."""
    texts = [item.texts[text.name] for text in form.texts]
    broken, strict = findings_of_pieces(form.rules, form.texts, texts, facts, details=FACT_DETAILS)
    flaws = [flaw for flaw in (*broken, *strict) if flaw.rule != "EG-W-INSIDE"]
    inside = [RuleText(finding.rule, finding.detail, *finding.concepts)
              for finding in strict if finding.rule == "EG-W-INSIDE"]
    return [RuleText(flaw.rule, flaw.detail, _about(flaw))
            for flaw in sorted(flaws, key=_place)], inside


def _place(finding: Finding) -> tuple[int, int, int]:
    rule = lookup(finding.rule).id
    number = finding.edges[0] if finding.edges else _NEVER
    if rule in _ORDER:
        return 0, 0, _ORDER.index(rule)
    if rule in _OF_A_FACT:
        return 1, number, _OF_A_FACT.index(rule)
    return 2 + _AFTER.index(rule), number if rule == "EG-DUP" else 0, 0


def _about(flaw: Finding) -> str:
    """The number of the fact at fault, or how many concepts are in a text with too few."""
    rule = lookup(flaw.rule).id
    if rule in (*_OF_A_FACT, "EG-DUP") and flaw.edges:
        return str(flaw.edges[0] + 1)
    return str(len(flaw.concepts)) if rule == "EG-TEXT-CONCEPTS" else ""
