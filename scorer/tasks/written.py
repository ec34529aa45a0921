"""What tasks share in which an answer has a text: gold with several, the null, reports.

Reported of a whole file: empty texts, spaces that ROUGE-L sees, quotes, running numbers.

ROUGE-L of the released evaluation splits a text at every single U+0020 SPACE. So a space at an end
or beside another one adds an empty word, and any other space character joins two words. The other
metrics split as people do. Nothing is repaired: the score is that of the text as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import ClassVar, Protocol, TypeVar

from scorer.core.errors import Problem, counted, numbered
from scorer.core.reading.characters import OTHER_SPACES
from scorer.core.reading.tsv import Problems, Row, note
from scorer.core.records import Finding, Findings
from scorer.core.rules import DETAILS
from scorer.tasks.answers import with_article
from scorer.tasks.base import Answer, Misfit, Task
from scorer.tasks.text_items import Gold

MOST_LETTERS, MOST_WORDS = 1000, 200
"""METEOR and ROUGE-L take time with the square of a text's length."""

Record = TypeVar("Record")

_ODD_SPACE = re.compile(f"^ | $|  |[{OTHER_SPACES}]")


class Written(Protocol):
    """What has a text."""

    @property
    def text(self) -> str:
        """What a system writes; may be empty."""


class Given(Protocol):
    """What a board says about such a task."""

    @property
    def given(self) -> tuple[str, ...]:
        """The columns of what is given."""

    @property
    def null(self) -> str:
        """Which of them the null copies."""

    @property
    def most_references(self) -> int:
        """Texts that an item may have in gold, at most."""


Settings = TypeVar("Settings", bound=Given)
Prediction = TypeVar("Prediction", bound=Written)


class WrittenTask(Task[Settings, Gold, Prediction]):
    """A text about given texts, measured against texts by people. The null copies a given one:
    fluent, on the topic, and says nothing new."""

    golds: ClassVar[str] = "references"
    units: ClassVar[str] = "word pairs"
    gold_words: Mapping[str, Callable[[Gold], str]] = MappingProxyType(
        {"gold_text": lambda gold: gold.references[0]})
    text_column: ClassVar[str]
    """What gold calls its texts."""
    text_place: ClassVar[int] = 0
    """Where the text stands among the columns of an answer, from 0."""

    @property
    def before_texts(self) -> Sequence[str]:
        """The columns of gold before its texts."""
        return self.input_columns

    @property
    def gold_columns(self) -> tuple[Sequence[str], int]:
        further = [f"{self.text_column} {number}"
                   for number in range(2, self.settings.most_references + 1)]
        return (*self.before_texts, self.text_column, *further), len(further)

    def gold_lengths(self, gold: Gold) -> Mapping[str, Sequence[int]]:
        name = f"words of {with_article(self.text_column)}"
        return {name: [len(text.split()) for text in gold.references]}

    def with_texts(self, names: Sequence[str]) -> Settings:
        """What is given has other names; the null copies the first, unless it is still there."""
        null = self.settings.null if self.settings.null in names else names[0]
        return _with(self.settings, given=tuple(names), null=null)

    def misfits(self, metrics: Sequence[str]) -> list[Misfit]:
        return [] if self.settings.null in self.settings.given else [
            Misfit(f"the null {self.settings.null}", "one of: " + ", ".join(self.settings.given),
                   "name a given text")]

    def fitted(self, rows: Sequence[Sequence[str]]) -> tuple[Settings, tuple[str, ...]]:
        """The settings with as many texts as the longest row has."""
        most = max((len(row) for row in rows), default=0) - len(self.before_texts)
        if most < 1:
            return self.settings, ()
        return (_with(self.settings, most_references=most),
                (f"{self.text_column}s: {most} at most",))

    def diagnose(self, texts: Sequence[str], prediction: Prediction) -> Findings:
        """A text without a word is reported, and scored as it is."""
        flaws = super().diagnose(texts, prediction)
        if prediction.text.strip():
            return flaws
        return flaws._replace(strict=(*flaws.strict,
                                      Finding("ART-EMPTY", DETAILS["ART-EMPTY"])))

    def notes(self, shown: str, answers: Sequence[Answer[Prediction]]) -> Iterator[Problem]:
        """The empty texts, and spaces that only ROUGE-L sees."""
        yield from super().notes(shown, answers)
        yield from notes(shown, answers, self.text_place)

    def null(self, gold: Gold, prediction: Prediction) -> Prediction:
        """The answer with a copy of a given text."""
        return _with(prediction, text=gold.given[self.settings.given.index(self.settings.null)])


def text_and_references(gold: Gold, prediction: Written) -> tuple[str, tuple[str, ...]]:
    """The text of a system and the texts by people, as the metrics of texts take them."""
    return prediction.text, gold.references


def _with(record: Record, **changes: object) -> Record:
    copy: Record = replace(record, **changes)  # type: ignore[type-var]
    return copy


def empty_columns(row: Row, problems: Problems) -> bool:
    """Whether a row of gold has an empty column; records each."""
    empty = [index for index, text in enumerate(row.fields) if not text.strip()]
    for position in empty:
        problems.add(row.line, row.column(position), "TSV-GOLD", "an empty column", "a text")
    return bool(empty)


def fits(text: str) -> bool:
    """Whether a text is no longer than texts may be."""
    return len(text) <= MOST_LETTERS and len(text.split()) <= MOST_WORDS


def too_long(text: str) -> str:
    """Why a text cannot be scored, in words; empty if it can."""
    return "" if fits(text) else f"has more than {MOST_LETTERS} characters or {MOST_WORDS} words"


def check_text(row: Row, index: int, problems: Problems) -> bool:
    """Whether the text of a column is no longer than texts may be; records the problem."""
    text = row.fields[index]
    if not fits(text):
        problems.say(row.line, row.column(index), "ART-LONG", letters=MOST_LETTERS,
                     most=MOST_WORDS, characters=counted(len(text), "character"),
                     words=counted(len(text.split()), "word"))
    return fits(text)


def word_pairs(text: str) -> tuple[Hashable, ...]:
    """Pairs of neighbouring words in lower case; of one word, that.

    >>> word_pairs("It rained hard")
    (('it', 'rained'), ('rained', 'hard'))
    """
    words = text.lower().split()
    return tuple(pairwise(words)) if len(words) > 1 else tuple(words)


def notes(shown: str, answers: Sequence[Answer[Prediction]], index: int = 0) -> Iterator[Problem]:
    """The empty texts of a file, the spaces of the others, and the form of nearly all.

    ``index``: of the column of texts, from zero.
    """
    def of_rows(fault: str, rows: Sequence[Row], hint: str = "") -> Problem:
        first = min(rows, key=lambda row: row.line)
        return note(shown, first.line, fault, first.column(index), hint,
                    texts=f"{len(rows)} of {counted(len(answers), 'text')}",
                    lines=numbered("line", sorted(row.line for row in rows)))

    texts = [(row, prediction.text) for row, prediction, _ in answers]
    empty = [row for row, text in texts if not text.strip()]
    spaced = [row for row, text in texts if text.strip() and _ODD_SPACE.search(text)]
    framed = [row for number, (row, text) in enumerate(texts) if _framed(text, number)]
    if empty:
        yield of_rows("ART-EMPTY", empty, "file")
    if spaced:
        yield of_rows("ART-SPACES", spaced)
    if len(texts) > 1 and 10 * len(framed) >= 9 * len(texts):
        yield of_rows("ART-FORM", framed)


def _framed(text: str, index: int) -> bool:
    """Whether a text stands in quotes, or behind its number from 0 or 1 and a separator."""
    numbers = tuple(f"{number}{mark}" for number in (index, index + 1) for mark in ",;|")
    return text.startswith(numbers) or (len(text) > 1 and text[0] == text[-1] == '"')
