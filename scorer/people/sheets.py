r"""Annotators' files: lines ``#key<TAB>value``, a line of columns, a line an item; and writing.

Bytes become a ``Sheet`` here, with every fault of form reported; what the answers say is checked
against the batch in ``validate.py``. A cell spells a tab, a line end and a backslash ``\t``, ``\n``
and ``\\``. Short rows count as padded, for editors cut tabs off; empty lines are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from scorer.core.errors import MOST_SHOWN, Problem, excerpt, summary
from scorer.core.reading.tsv import File, Problems, characters_welcome, read_lines
from scorer.people.records import (
    CHOICES,
    COMMENT,
    MOST_COMMENT,
    Annotation,
    Batch,
    Form,
)
from scorer.people.rules import MOST_BYTES, RuleFault, RuleText, of_reading, said, warns

HEADER = ("format", "batch", "batch_sha256", "guideline", "annotator", "exported")
MOST_ROWS = 10_000
"""Rows of a file that are looked at."""
_UNESCAPED = {"t": "\t", "n": "\n", "\\": "\\"}


@dataclass
class SheetFaults:
    """Collects what is wrong with one file: of each rule the first are kept, all are counted."""

    path: str
    kept: list[RuleFault] = field(default_factory=list)
    by_rule: dict[str, int] = field(default_factory=dict)
    rows: int = 0
    """Rows of the file."""

    def say(self, line: int, what: RuleText) -> None:
        """Record what a line breaks."""
        rule = what.rule
        self.by_rule[rule] = self.by_rule.get(rule, 0) + 1
        if self.by_rule[rule] <= MOST_SHOWN:
            self.kept.append(RuleFault(self.path, line, 1, rule, what.text, "", ""))

    @property
    def errors(self) -> int:
        """How many faults refuse the file."""
        return sum(count for rule, count in self.by_rule.items() if not warns(rule))

    @property
    def warnings(self) -> int:
        """How many do not."""
        return sum(self.by_rule.values()) - self.errors

    def lines(self) -> list[Problem | str]:
        """What a person reads: of each rule the first, and how many more."""
        return summary(sorted(self.kept), self.by_rule, self.rows)


class SheetRow(NamedTuple):
    """One row as it was read: its line in the file, and its cells by column."""

    number: int
    cells: Mapping[str, str]


class Sheet(NamedTuple):
    """A file whose form is sound enough to look at its answers."""

    header: Mapping[str, str]
    lines: tuple[SheetRow, ...]


def read(content: bytes, form: Form, faults: SheetFaults) -> Sheet | None:
    """The rows of a file, or None where they cannot be told apart; every fault is recorded."""
    try:
        content.decode()
    except UnicodeDecodeError as wrong:
        line = content.count(b"\n", 0, wrong.start) + 1
        faults.say(line, said("ANN-ENCODING", n=wrong.start + 1))
        return None
    texts = _texts(content, faults)
    if texts is None:
        return None
    header, first = _header(texts, faults)
    return _sheet(texts[first:], first + 1, header, form, faults)


def _texts(content: bytes, faults: SheetFaults) -> list[str] | None:
    """The lines of a file; those with characters that may not stand there are empty."""
    table = read_lines(File(content, faults.path, MOST_BYTES))
    if table.problems.total:
        empty = table.problems.by_rule["TSV-EMPTY"]
        faults.say(1, said("ANN-EMPTY") if empty else of_reading(table.problems.kept[0]))
        return None
    for note in table.notes:
        if note.rule == "TSV-BOM":
            faults.say(1, of_reading(note))
    texts = [line.decode() for line in table.lines]
    if table.clean:
        return texts
    odd = Problems(faults.path)
    for number, text in enumerate(texts, start=1):
        if not characters_welcome(number, text, odd):
            texts[number - 1] = ""
            for problem in odd.kept:
                faults.say(problem.line, of_reading(problem))
            odd.kept.clear()
            odd.by_rule.clear()
    return texts


def _header(texts: Sequence[str], faults: SheetFaults) -> tuple[dict[str, str], int]:
    """The header, and the position of the first line behind it."""
    header: dict[str, str] = {}
    number = 0
    for number, text in enumerate(texts):
        if text and not text.startswith("#"):
            break
        key, _, value = text.removeprefix("#").partition("\t")
        if text and key not in HEADER:
            faults.say(number + 1, said("ANN-HEADER unknown", key=plain(key)))
        elif text and (key in header or any(HEADER.index(other) > HEADER.index(key)
                                            for other in header)):
            faults.say(number + 1, said("ANN-HEADER order", key=key))
            header.setdefault(key, value)
        elif text:
            header[key] = value
    else:
        number += 1
    for key in HEADER:
        if key not in header:
            faults.say(1, said("ANN-HEADER missing", key=key))
    return header, number


def _sheet(texts: Sequence[str], first: int, header: Mapping[str, str], form: Form,
           faults: SheetFaults) -> Sheet | None:
    """The rows behind the header; ``first``: the number of the first of these lines."""
    columns = form.columns
    named = tuple(texts[0].split("\t")) if texts else ()
    if named != columns:
        got = ", ".join(map(plain, named[: 2 * len(columns)])) or "none"
        faults.say(first, said("ANN-COLUMNS", cols=", ".join(columns), got=got))
        return None
    if len(texts) > MOST_ROWS + 1:
        faults.say(first + MOST_ROWS + 1, said("ANN-ROWS", n=len(texts) - 1, m=MOST_ROWS))
        return None
    lines = [*_rows(texts[1:], first + 1, columns, faults)]
    if not faults.rows:
        faults.say(first, said("ANN-EMPTY"))
    return Sheet(header, tuple(lines))


def _rows(texts: Sequence[str], first: int, columns: Sequence[str],
          faults: SheetFaults) -> Iterator[SheetRow]:
    for number, text in enumerate(texts, start=first):
        if not text.strip("\t"):
            continue
        faults.rows += 1
        cells = text.split("\t")
        if len(cells) > len(columns):
            faults.say(number, said("ANN-CELLS", n=len(cells), m=len(columns)))
            continue
        cells += [""] * (len(columns) - len(cells))
        wrong = False
        for index, (column, cell) in enumerate(zip(columns, cells, strict=True)):
            if "\\" in cell:
                cells[index], odd = unescaped(cell)
                wrong = wrong or odd is not None
                if odd is not None:
                    faults.say(number, said("ANN-ESCAPE", column, c=plain(odd), col=column))
        if not wrong:
            yield SheetRow(number, dict(zip(columns, cells, strict=True)))


def unescaped(cell: str) -> tuple[str, str | None]:
    r"""What a cell spells, and the character of its first unknown escape.

    >>> unescaped(r"a\tb\\n"), unescaped(r"a\x")
    (('a\tb\\n', None), ('a\\x', 'x'))
    """
    unknown = [match[1] for match in _ESCAPE.finditer(cell) if match[1] not in _UNESCAPED]
    text = _ESCAPE.sub(lambda match: _UNESCAPED.get(match[1], match[0]), cell)
    return text, unknown[0] if unknown else None


def escaped(text: str) -> str:
    r"""The cell that spells a text.

    >>> escaped("a\tb\\n")
    'a\\tb\\\\n'
    """
    return (text.replace("\r\n", "\n").replace("\\", "\\\\").replace("\t", "\\t")
            .replace("\n", "\\n"))


def plain(text: str) -> str:
    """Foreign text in a message: short, and nothing that moves a terminal."""
    shown = excerpt(text, 60)
    return shown[1:-1] if shown.endswith(("'", '"')) else shown


def comment_of(line: SheetRow, faults: SheetFaults) -> str:
    """The comment of a row; one that is too long is a fault."""
    comment = line.cells[COMMENT].strip()
    if len(comment) > MOST_COMMENT:
        faults.say(line.number, said("ANN-TEXT", COMMENT, col=COMMENT, n=len(comment),
                                     m=MOST_COMMENT))
    return comment


def content(form: Form, batch: Batch, annotation: Annotation) -> bytes:
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
    return written(form, batch, annotation.annotator, annotation.exported, rows)


def written(form: Form, batch: Batch, annotator: str, exported: str,
            rows: Sequence[Sequence[str]]) -> bytes:
    """A file of rows, whatever a row says."""
    values = (form.format, batch.name, batch.sha256, form.guideline, annotator, exported)
    lines = [[f"#{key}", value] for key, value in zip(HEADER, values, strict=True)]
    return "".join("\t".join(map(escaped, line)) + "\n"
                   for line in (*lines, form.columns, *rows)).encode()


_ESCAPE = re.compile(r"\\(.|$)", re.DOTALL)
