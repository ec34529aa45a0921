"""Answers to the questions of a form: which are asked, which are missing, wrong or too many.

One engine for every form. A question whose condition rests on an answer that is itself at fault is
neither missed nor refused, so that one slip tells one fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scorer import graph as notation
from scorer.annotations import graphs
from scorer.annotations.records import (
    CHOICE,
    CHOICES,
    GRAPH,
    NOT_ASKED,
    TRIPLETS,
    Answers,
    Caution,
    Form,
    Item,
    Question,
)
from scorer.annotations.rules import Said, said
from scorer.errors import excerpt

Given = Mapping[str, str | Mapping[str, str] | None]
"""What an annotator wrote, by question: text as in a file's cell, or a value for each triplet."""
ALWAYS = "it is always asked"


class Checked(NamedTuple):
    """What is found of the answers to one item."""

    asked: tuple[str, ...]
    """The questions that these answers ask, in order."""
    errors: tuple[Said, ...]
    warnings: tuple[Said, ...]
    answers: Answers
    """What was asked and is sound."""


class _Known(NamedTuple):
    """The sound answers to a question: one, several, or one for each triplet."""

    values: Mapping[str, str]
    """By triplet; a choice has one under "", several values one each."""
    whole: bool
    """Whether nothing of it is missing or wrong."""


def check(form: Form, item: Item, given: Given, topics: Sequence[str] = ()) -> Checked:
    """Hold the answers to one item against a form. ``topics``: keys of the batch's topics."""
    checking = _Checking(form, item, given, tuple(topics))
    for question in form.questions:
        checking.question(question)
    cautions = [*checking.cautions()] if not checking.errors else []
    return Checked(tuple(checking.asked), tuple(checking.errors),
                   (*checking.warnings, *cautions), checking.answers)


def allowed(question: Question, topics: Sequence[str] = ()) -> tuple[str, ...]:
    """What may be chosen: topics, then the question's own values."""
    return (*topics, *question.keys) if question.topics else question.keys


def words(text: str) -> int:
    """How many words a text has: what stands between spaces, tabs and line ends.

    >>> words("Cats  are well-liked.\\nOften."), words(" ")
    (4, 0)
    """
    return len(re.findall(r"[^ \t\n]+", text))


@dataclass
class _Checking:
    form: Form
    item: Item
    given: Given
    topics: tuple[str, ...]
    asked: list[str] = field(default_factory=list)
    errors: list[Said] = field(default_factory=list)
    warnings: list[Said] = field(default_factory=list)
    answers: dict[str, str | tuple[str, ...]] = field(default_factory=dict)
    _known: dict[str, _Known] = field(default_factory=dict)

    def question(self, question: Question) -> None:
        """Check the answer to one question, those before it being known."""
        asked, given = self._is_asked(question), self.given.get(question.id)
        if asked:
            self.asked.append(question.id)
        empty = not (given.strip(NOT_ASKED if question.answer == TRIPLETS else None)
                     if isinstance(given, str) else given)
        if asked is False:
            self._known[question.id] = _Known({}, True)
            if not empty:
                self._unasked(question, "SKIPPED", question.when.otherwise if question.when else "")
        elif asked is None and empty:
            self._known[question.id] = _Known({}, False)
        elif question.answer == TRIPLETS:
            self._triplets(question, given or {}, asked)
        else:
            text = given if isinstance(given, str) else ""
            known = self._one(question, text, empty)
            self._known[question.id] = known
            if asked is None:
                self.answers.pop(question.id, None)

    def _say(self, question: Question, rule: str, about: object = None, **values: object) -> None:
        self.errors.append(said(f"{self.form.rules}-{rule}",
                                question.id if about is None else about, q=question.id, **values))

    def _unasked(self, question: Question, rule: str, reason: str) -> None:
        if question.asked_rule:
            self.errors.append(said(question.asked_rule, question.id))
        else:
            self._say(question, rule, reason=reason)

    # ---- whether a question is asked -----------------------------------------------------------

    def _is_asked(self, question: Question) -> bool | None:
        """None if it hangs on an answer that is at fault."""
        if question.when is None:
            return True
        every = [self._holds(*test) for test in question.when.all.items()]
        some = [self._holds(*test) for test in question.when.any.items()]
        found = [False if False in every else None if None in every else True]
        if some:
            found.append(True if True in some else None if None in some else False)
        return False if False in found else None if None in found else True

    def _holds(self, name: str, wanted: Sequence[str]) -> bool | None:
        known = self._known[name]
        if any(value in wanted for value in known.values.values()):
            return True
        return False if known.whole else None

    def _because(self, question: Question) -> str:
        if question.when is None:
            return ALWAYS
        first = next(iter(self._subset(question) or ()), "")
        return question.when.because.replace("{triplet}", first)

    def _subset(self, question: Question) -> tuple[str, ...] | None:
        """The triplets that a question is asked about, if not all."""
        of = self._of(question)
        if of is None:
            return None
        name, wanted = of
        return tuple(triplet for triplet, value in self._known[name].values.items()
                     if value in wanted)

    def _of(self, question: Question) -> tuple[str, tuple[str, ...]] | None:
        """The question about triplets, and its answers, that one about triplets goes by."""
        if question.answer != TRIPLETS or question.when is None:
            return None
        tests = {**question.when.all, **question.when.any}
        return next(((name, wanted) for name, wanted in tests.items()
                     if self.form.by_id[name].answer == TRIPLETS), None)

    # ---- answers -------------------------------------------------------------------------------

    def _one(self, question: Question, text: str, empty: bool) -> _Known:
        """An answer about the whole item."""
        if question.answer == GRAPH:
            return self._graph(question, text)
        if empty and not (question.answer == CHOICE and question.value_rule):
            self._unasked(question, "MISSING", self._because(question))
            return _Known({}, False)
        if question.answer in (CHOICE, CHOICES):
            return self._chosen(question, text)
        if len(text) > question.most:
            self.errors.append(said("ANN-TEXT", question.id, col=question.id, n=len(text),
                                    m=question.most))
            return _Known({}, False)
        if question.most_words is not None and (count := words(text)) > question.most_words:
            self.errors.append(said("ANN-WORDS", question.id, col=question.id, n=count,
                                    m=question.most_words))
            return _Known({}, False)
        self.answers[question.id] = text
        return _Known({"": text}, True)

    def _chosen(self, question: Question, text: str) -> _Known:
        parts = text.split(",") if question.answer == CHOICES else [text]
        values = tuple(dict.fromkeys(part.strip() for part in parts))
        may = allowed(question, self.topics)
        wrong = [value for value in values if value not in may]
        for value in wrong:
            self._wrong(question, value, may)
        if not wrong:
            self.answers[question.id] = values if question.answer == CHOICES else values[0]
        return _Known({"" if value == values[0] else value: value for value in values
                       if value in may}, not wrong)

    def _wrong(self, question: Question, value: str, may: Sequence[str]) -> None:
        shown = excerpt(value, 40)[1:-1] if len(value) <= 40 else excerpt(value, 40)
        listed = ", ".join(may)
        if question.value_rule:
            self.errors.append(said(question.value_rule, question.id, v=shown, allowed=listed))
        else:
            self._say(question, "VALUE", v=shown, allowed=listed)

    def _graph(self, question: Question, text: str) -> _Known:
        assert self.form.graph is not None
        facts, fault = graphs.read(text)
        if fault is not None:
            self.errors.append(fault)
            return _Known({}, False)
        errors, warnings = graphs.check(self.form.graph, self.item, facts)
        self.errors += errors
        self.warnings += warnings
        if errors:
            return _Known({}, False)
        self.answers[question.id] = notation.format_graph(facts)
        before = self.item.texts.get(self.form.before, "") if self.form.before else ""
        if before:
            change = graphs.diff(graphs.read(before)[0], facts)
            if not change.added and not change.removed:
                self.warnings.append(said("EG-W-NOCHANGE", self.item.id, i=self.item.id))
        return _Known({"": self.answers[question.id]}, True)  # type: ignore[dict-item]

    def _triplets(self, question: Question, given: str | Mapping[str, str],
                  asked: bool | None) -> None:
        ids = self.item.triplet_ids
        subset = self._subset(question)
        if isinstance(given, str):
            if given.strip() and len(given) != len(ids):
                self._say(question, "TRIPLET-COUNT", n=len(given), m=len(ids))
                self._known[question.id] = _Known({}, False)
                return
            given = {triplet: value for triplet, value in zip(ids, given, strict=False)
                     if subset is None or value != NOT_ASKED}
        may = allowed(question)
        sound = {triplet: given[triplet] for triplet in ids if given.get(triplet) in may}
        before = len(self.errors)
        for value in dict.fromkeys(given.values()):
            if value not in may:
                self._wrong(question, value, may)
        wanted = ids if subset is None else subset
        if wanted and not given and asked:
            self._unasked(question, "MISSING", self._because(question))
        if (given or subset) and asked:
            for triplet in (one for one in wanted if one not in given):
                self._about_triplet(question, "MISSING", triplet)
        for triplet in given:
            if triplet not in ids:
                self._say(question, "TRIPLET-UNKNOWN", triplet, t=triplet)
            elif triplet not in wanted and asked:
                self._about_triplet(question, "UNEXPECTED", triplet)
        whole = len(self.errors) == before and bool(asked)
        self._known[question.id] = _Known(sound, whole)
        if whole:
            self.answers[question.id] = tuple(sound.get(triplet, NOT_ASKED) for triplet in ids)

    def _about_triplet(self, question: Question, rule: str, triplet: str) -> None:
        of = self._of(question)
        if of is None:
            self._say(question, f"TRIPLET-{rule}", triplet, t=triplet)
        else:
            self._say(question, f"NEG-{rule}", triplet, t=triplet, of=of[0], v=" or ".join(of[1]))

    # ---- what to look at again -----------------------------------------------------------------

    def cautions(self) -> Iterator[Said]:
        """The warnings of the form that apply."""
        for caution in self.form.warnings:
            if self._applies(caution):
                values = {name: self._known[name].values.get("", "") for name in self._known}
                hits = [self._hits(name, wanted) for name, wanted in caution.all.items()
                        if self.form.by_id[name].answer == TRIPLETS]
                text = caution.text
                for name, value in {**values, "n": str(hits[0] if hits else 0)}.items():
                    text = text.replace(f"{{{name}}}", value)
                yield Said(caution.rule, text)

    def _hits(self, name: str, wanted: Sequence[str]) -> int:
        return sum(value in wanted for value in self._known[name].values.values())

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
        """The place of a choice in the order of values; None if there is none, or it is unsure."""
        question = self.form.by_id[name]
        value = self._known[name].values.get("")
        if value is None or value in question.unsure or value not in question.keys:
            return None
        return question.keys.index(value)
