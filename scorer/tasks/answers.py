"""From what a model writes to the columns of a row: read strictly, never repaired.

Two forms of answers are read here; a task may have one of its own. ``lines``: one line for each
column, ``Name: value``, text around them allowed. ``whole``: the answer is the value of the one
column, or has such a line. docs/models.md has every rule for users,
docs/decisions/021-answers-of-models.md the reasons.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from scorer.core.errors import Problem, counted, excerpt, numbered
from scorer.core.reading.characters import unwelcome_character
from scorer.core.reading.tsv import Row, note
from scorer.core.reading.values import plain
from scorer.core.records import Finding
from scorer.core.rules import DETAILS

NO_ANSWER = "-"
"""Stands in a column for which a model gave nothing that can be read; no label is called so."""

LONGEST_VALUE = 8 * 1024
"""Bytes of a value: some hundred edges. With longer ones a file would soon pass its limit."""

LINES, WHOLE, CODE = "lines", "whole", "code"
ANSWERED, EMPTY, REFUSAL, SEVERAL, CUT_OFF, OTHER_LABEL, UNPARSABLE = (
    "answered", "empty", "refusal", "several", "cut-off", "other-label", "unparsable",
)
KINDS: Mapping[str, str] = MappingProxyType({
    ANSWERED: "every column was read",
    EMPTY: "nothing but white space, or nothing behind a name",
    REFUSAL: "no column was read, and the answer begins as refusals do",
    SEVERAL: "a column has two or more different values",
    CUT_OFF: "a column is missing, and the answer ends before its end",
    OTHER_LABEL: "a label that the board does not have: translated, spelled otherwise, made up",
    UNPARSABLE: "a column is missing or is not what it must be",
})
"""Every kind of answer, and what it means."""

REFUSALS = (
    "i'm sorry", "i am sorry", "sorry, ", "i apologize", "i apologise", "my apologies",
    "i cannot ", "i can't ", "i can not ", "i'm unable ", "i am unable ", "i'm not able ",
    "i am not able ", "i won't ", "i will not ", "i must decline", "as an ai", "i'm just an ai",
    "as a language model", "as a large language model", "unfortunately, i c",
)
"""How an answer begins that counts as a refusal, if no column of it could be read."""

_THOUGHTS = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
_THOUGHT = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_FENCE = re.compile(r"[ \t]*(?:```+|~~~)[^`]*")
_BULLET = re.compile(r"^[ \t]*(?:[-*>]|#{1,6})[ \t]+")
_MARKS = re.compile(r"(`|\*\*|\*)(.+)\1", re.DOTALL)


def no_answer(name: str, label: str | None) -> tuple[Finding, ...]:
    """What is reported of a row without a label, beside its score; nothing of others.

    >>> no_answer("label", "yes")
    ()
    """
    if label != NO_ANSWER:
        return ()
    return (Finding("TSV-NO-ANSWER", DETAILS["TSV-NO-ANSWER"].format(name=name)),)


def unanswered_note(shown: str, name: str, total: int, rows: Sequence[Row], index: int = 0,
                    ) -> Iterator[Problem]:
    """What is reported of a file of so many rows if these have no label; nothing without such.

    ``index``: that of the label's column, from 0.
    """
    if rows:
        yield note_of_rows(shown, "TSV-NO-ANSWER", rows, index, name=name,
                           rows=f"{len(rows)} of {counted(total, 'row')}")


def note_of_rows(shown: str, rule: str, which: Sequence[Row], index: int, hint: str = "", /,
                 **values: object) -> Problem:
    """What is reported of some rows together, at a column of the first; with their ``lines``.

    ``index``: of the column, from 0; -1: the last.
    """
    first = min(which, key=lambda row: row.line)
    return note(shown, first.line, rule, first.column(index % len(first.fields)), hint,
                lines=numbered("line", sorted(row.line for row in which)), **values)


@dataclass(frozen=True)
class Answered:
    """What was made of a model's answer."""

    kind: str
    """One of KINDS."""
    columns: tuple[str, ...]
    """The prediction columns as they stand in a row; NO_ANSWER, or nothing, for one not read."""
    said: str = ""
    """Why columns were not read, in words; foreign text in it is quoted and cut."""


class UnreadableValue(NamedTuple):
    """Why a value is none."""

    kind: str
    said: str


@dataclass(frozen=True)
class AnswerColumn:
    """A prediction column: its name, and what may stand in it."""

    name: str
    labels: tuple[str, ...] = ()
    """The labels, if nothing else may; their letter case does not matter in an answer."""
    missing: str = NO_ANSWER
    """What stands there for no answer."""
    wrong: Callable[[str], str] = lambda value: ""
    """Why a value is none, in words; empty if it is one."""

    @property
    def title(self) -> str:
        """Its name as a line of an answer has it.

        >>> AnswerColumn("first_label").title
        'First label'
        """
        return titled(self.name)

    def read(self, value: str) -> str | UnreadableValue:
        """The value as it stands in a row, or why it is none."""
        if not value:
            return UnreadableValue(EMPTY, f"nothing behind {self.title}:")
        if self.labels:
            meant = [label for label in self.labels if label == value]
            meant = meant or [name for name in self.labels if name.casefold() == value.casefold()]
            if len(meant) == 1:
                return meant[0]
            return UnreadableValue(OTHER_LABEL, f"{self.name} {excerpt(value)} is none of "
                                   f"{', '.join(self.labels)}")
        if "\t" in value or unwelcome_character(value) is not None:
            return UnreadableValue(UNPARSABLE, f"{self.name} has a tab, or a control or invisible "
                                   "character, which no row can hold")
        if len(value.encode()) > LONGEST_VALUE:
            return UnreadableValue(UNPARSABLE, f"{self.name} has more than {LONGEST_VALUE:,} bytes")
        reason = self.wrong(value)
        return UnreadableValue(UNPARSABLE, f"{self.name} {reason}") if reason else value


Found = Mapping[str, Sequence["str | UnreadableValue"]]
"""What stands in an answer for each column that it names, in order; not yet read."""
Find = Callable[[Sequence[AnswerColumn], str], Found]


def titled(name: str) -> str:
    """A column's name as people read it.

    >>> titled("label")
    'Label'
    """
    title = plain(name)
    return title[:1].upper() + title[1:]


def with_article(name: str) -> str:
    """A column's name in a sentence.

    >>> with_article("text"), with_article("own_text")
    ('a text', 'an own text')
    """
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name.replace('_', ' ')}"


def lines_of(text: str) -> list[str]:
    """Its lines; only line feeds and carriage returns end them."""
    return re.split(r"\r\n|\n|\r", text)


def is_fence(line: str) -> bool:
    """Whether a line opens or closes a block of code in Markdown."""
    return _FENCE.fullmatch(line) is not None


def bare(value: str) -> str:
    """A value without the spaces around it, and without marks for code or emphasis around that.

    >>> bare(" `(cats; is a; pets)` "), bare("**yes**"), bare("*")
    ('(cats; is a; pets)', 'yes', '*')
    """
    value = value.strip(" \t")
    marked = _MARKS.fullmatch(value)
    return marked[2].strip(" \t") if marked is not None and marked[1] not in marked[2] else value


def named_lines(columns: Sequence[AnswerColumn], text: str) -> Found:
    """The values of lines ``Name: value``; lines that open or close code are no part of a text.

    >>> named_lines([AnswerColumn("label")], "I think so.\\n- **Label:** yes\\nlabel: no")
    {'label': ['yes', 'no']}
    """
    names = {}
    for column in columns:
        title = re.escape(column.title).replace(r"\ ", "[ _]")
        names[column.name] = re.compile(  # a name may be bold
            rf"[*_]{{0,3}}{title}[*_]{{0,3}}[ \t]*:(?:\*\*|__)?(.*)", re.IGNORECASE)
    values: dict[str, list[str | UnreadableValue]] = {}
    for line in lines_of(text):
        line = bare(_BULLET.sub("", line, count=1))
        for name, pattern in names.items():
            match = pattern.fullmatch(line)
            if match is not None:
                values.setdefault(name, []).append(bare(match[1]))
    return values


def whole(columns: Sequence[AnswerColumn], text: str) -> Found:
    """The whole text as the value of the one column, unless a line names it.

    One block of code with nothing around it stands for its content; several blocks are several
    values. Of a column of labels, several lines with a label each are several values too.
    """
    named = named_lines(columns, text)
    if named:
        return named
    [column] = columns
    lines = [line for line in lines_of(text) if line.strip(" \t")]
    values = [bare(line) for line in lines if not is_fence(line)]
    if column.labels and all(isinstance(column.read(value), str) for value in values):
        return {column.name: values}
    joined = "\n".join(line for line in lines if not is_fence(line))
    return {column.name: [bare(joined)]} if joined else {}


def read(columns: Sequence[AnswerColumn], find: Find, text: str, *, cut: bool = False) -> Answered:
    """Read an answer.

    ``find``: how its form names values. ``cut``: whether whoever made it says that it was cut off.
    """
    none = tuple(column.missing for column in columns)
    if not text.strip():
        return Answered(CUT_OFF if cut else EMPTY, none, "the answer is empty")
    *_, body = _THOUGHTS.split(text)  # some models write thoughts first
    cut_in_thoughts = _THOUGHT.match(body) is not None
    if cut_in_thoughts:
        body = ""
    cut_in_code = sum(map(is_fence, lines_of(body))) % 2 == 1
    entries = find(columns, body)
    results = [_value(column, entries.get(column.name, ())) for column in columns]
    faults = [result for result in results if isinstance(result, UnreadableValue)]
    values = tuple(column.missing if isinstance(result, UnreadableValue) else result
                   for column, result in zip(columns, results, strict=True))
    if not faults:
        return Answered(ANSWERED, values)
    nothing = len(faults) == len(columns)
    named = [value for values in entries.values() for value in values if isinstance(value, str)]
    kinds = [fault.kind for fault in faults]
    if nothing and any(map(_refuses, (body, *named))):
        kind = REFUSAL
    elif SEVERAL in kinds:
        kind = SEVERAL
    elif cut or cut_in_thoughts or cut_in_code:
        kind = CUT_OFF
    elif nothing and not body.strip():
        kind = EMPTY
    else:
        kind = next((option for option in (OTHER_LABEL, EMPTY) if option in kinds), UNPARSABLE)
    return Answered(kind, values, "; ".join(fault.said for fault in faults))


def _value(column: AnswerColumn, entries: Sequence[str | UnreadableValue],
           ) -> str | UnreadableValue:
    """The one value of a column, or why there is none; a name with nothing behind it is none."""
    if not entries:
        return UnreadableValue(UNPARSABLE, f"no {column.name}")
    values = list(dict.fromkeys(value if isinstance(value, UnreadableValue) else column.read(value)
                                for value in entries if value)) or [column.read("")]
    if len(values) > 1:
        return UnreadableValue(SEVERAL, f"{len(values)} different values for {column.name}")
    return values[0]


def _refuses(text: str) -> bool:
    """Whether a text begins as refusals do."""
    start = text[:200].replace("\u2019", "'").lstrip(" \t\r\n\"'*_>#-").lower()
    return start.startswith(REFUSALS)
