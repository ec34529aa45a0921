"""The one reader of tab-separated files: bytes in, rows and every problem out.

No CSV quoting, no comments, no ``splitlines``: a line ends at LF, a field at TAB, and nothing else
has a meaning. Fields are kept exactly as they are. Bytes and characters are judged here; what a
graph says is judged by its task and never rejects a file. See ``rules.tsv`` for the rule ids.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from scorer.core.errors import (
    MOST_SHOWN,
    DataError,
    Problem,
    ReportLine,
    SubmissionError,
    counted,
    excerpt,
    summary,
)
from scorer.core.messages import FAULTS, HINTS
from scorer.core.reading.characters import CONTROLS, UNWELCOME
from scorer.core.rules import CATALOGUE

LARGEST_FILE = 8 * 1024 * 1024
LARGEST_FIELD = 64 * 1024
MOST_NAMED = 8
"""Columns that a message names."""
SPARE_LINES = 1000
"""A file of more lines than twice the rows it should have, and these, is not judged line by line:
a hostile one has millions."""
HEADERS = ("label", "labels", "prediction", "predictions", "answer", "output", "text",
           "hypothesis", "generation", "graph", "0")
"""Names of a lone column, as programs write them."""
_NAME = re.compile("[A-Za-z][A-Za-z0-9_-]{0,39}")
PACKED = {"gzip": b"\x1f\x8b", "zip": b"PK\x03\x04", "bzip2": b"BZh", "xz": b"\xfd7zXZ\0",
          "zstd": b"\x28\xb5\x2f\xfd"}
"""The first bytes of packed files."""

EmptyLine = Literal["fault", "item", "text"]
"""What an empty line is: a fault and no more; the missing answer of the item in its place; an
answer that consists of one empty column."""


@dataclass(frozen=True)
class Row:
    """One line: its fields, and where each begins."""

    line: int
    """One-based line number in the file."""
    fields: tuple[str, ...]
    item: int | None = None
    """One-based number of the item it answers, where it names one; else the line's is meant."""
    start: int = 0
    """Characters of the line before the first of ``fields``."""

    @property
    def place(self) -> int:
        """One-based number of the item it answers."""
        return self.line if self.item is None else self.item

    def column(self, index: int) -> int:
        """The one-based character column at which a field begins."""
        return 1 + self.start + sum(len(text) + 1 for text in self.fields[:index])


@dataclass
class Problems:
    """Collects problems: the first are kept, all are counted."""

    path: str
    most: int = MOST_SHOWN
    """How many are kept."""
    kept: list[Problem] = field(default_factory=list)
    late: list[Problem] = field(default_factory=list)
    """Of rules that are first broken behind those, the first one each."""
    by_rule: Counter[str] = field(default_factory=Counter)
    """How many there are of each rule."""
    rows_by_rule: Counter[str] = field(default_factory=Counter)
    """How many rows have one of each rule."""
    rows: int | None = None
    """Rows of the file, faulty or not; None if they were not looked at."""
    _last: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many there are."""
        return self.by_rule.total()

    def add(self, line: int, column: int, rule: str, actual: str, expected: str,
            advice: str | None = None) -> None:
        """Record a fault; the advice is the rule's own unless given."""
        self._count(line, rule)
        problem = Problem(self.path, line, column, rule, actual, expected,
                          advice or CATALOGUE[rule].advice)
        if len(self.kept) < self.most:
            self.kept.append(problem)
        elif self.by_rule[rule] == 1:
            self.late.append(problem)

    def say(self, line: int, column: int, fault: str, hint: str = "", **values: object) -> None:
        """Record a fault in the words of ``messages.json``; ``hint`` names its advice there."""
        rule = fault.partition(" ")[0]
        if len(self.kept) == self.most and self.by_rule[rule]:
            self._count(line, rule)
            return
        advice = HINTS[f"{rule} {hint}"].format_map(values) if hint else None
        actual, expected = (template.format_map(values) for template in FAULTS[fault])
        self.add(line, column, rule, actual, expected, advice)

    def _count(self, line: int, rule: str) -> None:
        self.by_rule[rule] += 1
        if self._last.get(rule) != line:
            self._last[rule] = line
            self.rows_by_rule[rule] += 1

    def lines(self) -> list[ReportLine]:
        """What a submitter reads of them; a fault of every row once."""
        return summary(sorted((*self.kept, *self.late)), self.by_rule, self.rows_by_rule, self.rows)

    def raise_if_any(self) -> None:
        """Raise SubmissionError with everything collected."""
        if self.total:
            raise SubmissionError(sorted(self.kept), self.total)


@dataclass(frozen=True)
class ReadTable:
    """A file as read. ``rows`` holds every line that could be read, even in a rejected file."""

    rows: tuple[Row, ...]
    notes: tuple[Problem, ...]
    problems: Problems
    lines: int | None = None
    """Lines that stand for an item, faulty or not; None if lines were not looked at."""


@dataclass(frozen=True)
class File:
    """A file as bytes."""

    content: bytes
    shown: str = "<bytes>"
    """Its path in messages."""
    largest: int = LARGEST_FILE
    """A file of more bytes than these is refused."""
    size: int | None = None
    """Its bytes, where ``content`` may be only the beginning."""
    most: int = MOST_SHOWN
    """How many of its problems are kept."""
    cut: bool = False
    """Whether ``content`` ends at the limit, and nobody knows how many bytes there are."""


@dataclass(frozen=True)
class Lines:
    """The lines of a file, in bytes and without their ends; none in a file that is refused."""

    lines: tuple[bytes, ...]
    notes: tuple[Problem, ...]
    problems: Problems
    clean: bool = True
    """Whether no character of the whole file needs a closer look."""


def read_file(path: Path, columns: Sequence[str], *, optional: int = 0, rows: int | None = None,
              shown: str | None = None) -> ReadTable:
    """Read a file; ``shown`` is the path used in messages, the rest is as for ``read_bytes``.

    Raises DataError if it cannot be opened.
    """
    return read_rows(open_file(path, shown=shown), columns, optional=optional, rows=rows)


def open_file(path: Path, *, largest: int = LARGEST_FILE, shown: str | None = None,
              most: int = MOST_SHOWN) -> File:
    """A file, of one larger than that only the beginning. Raises DataError if it cannot be read.

    ``most``: how many of its problems are kept.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except OSError as fault:
        message = f"{shown or path}: cannot be read ({fault.strerror}); name an existing file"
        raise DataError(message) from fault
    return File(content, shown or str(path), largest, max(size, len(content)), most)


def read_bytes(content: bytes, columns: Sequence[str], *, optional: int = 0,
               rows: int | None = None, shown: str = "<bytes>") -> ReadTable:
    """Read tab-separated bytes as ``read_rows`` reads a file."""
    return read_rows(File(content, shown), columns, optional=optional, rows=rows)


def read_rows(file: File, columns: Sequence[str], *, optional: int = 0, rows: int | None = None,
              header: bool = False, empty: EmptyLine = "fault") -> ReadTable:
    """Read a file of tab-separated columns.

    ``columns`` names the columns in order; the last ``optional`` of them may be absent. ``rows``
    is how many there should be: far more are refused unread, other numbers are for the caller to
    judge. ``header``: whether the first line may name the columns. The file's last line may lack
    its LF. Returns all rows that have the right shape and all problems.

    ``empty``: what an empty line is. If the other lines are ``rows``, or it comes after so many,
    it answers nothing in any case.
    """
    source = read_lines(file, rows=rows)
    problems = source.problems
    if not source.lines:
        return ReadTable((), source.notes, problems)
    read, blank, named = [], [], False
    for number, line in enumerate(source.lines, start=1):
        if not line:
            blank.append(number)
            continue
        text = text_of(number, line, problems)
        if text is None or (not source.clean and not characters_welcome(number, text, problems)):
            continue
        row = _shaped(number, text, columns, optional, problems)
        if row is not None and number == 1 and _is_header(
                row, columns, len(source.lines) - 1 == rows):
            named = True
            if not header:
                problems.say(1, 1, "TSV-HEADER", name=excerpt(row.fields[0]))
        elif row is not None:
            read.append(row)
    count = len(source.lines) - named
    problems.rows = count - len(blank)
    if blank:
        spare = set(blank if empty == "fault" else _spare(blank, count, rows, named))
        count -= len(spare)
        if empty == "text":
            read += [Row(number, ("",)) for number in blank if number not in spare]
            read.sort(key=lambda row: row.line)
        for number in blank:
            if number in spare and empty != "fault":
                problems.say(number, 1, "TSV-BLANK spare", rows=rows)
            elif number in spare:
                problems.say(number, 1, "TSV-BLANK")
            elif empty == "item":
                problems.say(number, 1, "TSV-BLANK item", "item" if count == rows else "unsure",
                             item=number - named)
        del problems.rows_by_rule["TSV-BLANK"]  # no row has it
    return ReadTable(tuple(read), source.notes, problems, count)


def _spare(blank: Sequence[int], count: int, rows: int | None, named: bool) -> Sequence[int]:
    """Which empty lines answer no item: those beyond the last, or all where the others are enough.

    ``count``: all lines, empty ones included, but for a header.
    """
    if rows is None or count <= rows:
        return ()
    if count - len(blank) == rows:
        return blank
    behind = [number for number in blank if number - named > rows]
    return behind if len(behind) == count - rows else ()


def read_lines(file: File, *, rows: int | None = None) -> Lines:
    """Cut a file into lines, as ``read_rows`` does, for other formats than its."""
    problems, notes = Problems(file.shown, file.most), []
    content, size, packed = file.content, file.size or len(file.content), packing(file.content)
    if size > file.largest:
        kind = "TSV-SIZE more" if file.cut else "TSV-SIZE"
        problems.say(1, 1, kind, size=size, most=file.largest)
    elif packed:
        problems.say(1, 1, "TSV-ENCODING packed", packed, kind=packed)
    elif content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        problems.say(1, 1, "TSV-ENCODING", "UTF-16", byte=f"{content[0]:02x}", place=1)
    elif content.startswith(codecs.BOM_UTF8):
        content = content.removeprefix(codecs.BOM_UTF8)
        notes.append(note(file.shown, 1, "TSV-BOM"))
    if not problems.total and not content.strip(b"\r\n"):
        kind = "lines" if content else "mark" if notes else "nothing"
        problems.say(1, 1, f"TSV-EMPTY {kind}")
    content = content.removesuffix(b"\n")
    ends = content.count(b"\n")
    if not problems.total and rows is not None and ends > 2 * rows + SPARE_LINES:
        problems.say(rows + 1, 1, "TSV-ROWS", count=counted(ends + 1, "line"), rows=rows)
    if problems.total:
        return Lines((), tuple(notes), problems)
    lines = content.split(b"\n")
    ended = [number for number, line in enumerate(lines, start=1) if line.endswith(b"\r")]
    if ended:
        kind = "TSV-CRLF" if len(ended) == len(lines) else "TSV-CRLF mixed"
        notes.append(note(file.shown, ended[0], kind, ended=len(ended), lines=len(lines)))
        lines = [line.removesuffix(b"\r") for line in lines]
    return Lines(tuple(lines), tuple(notes), problems, _all_welcome(content))


def packing(content: bytes) -> str:
    """The format that packed a file, by its first bytes; empty if none did.

    >>> packing(b"\\x1f\\x8b\\x08"), packing(b"support\\t")
    ('gzip', '')
    """
    return next((name for name, start in PACKED.items() if content.startswith(start)), "")


def note(shown: str, line: int, fault: str, column: int = 1, hint: str = "",
         **values: object) -> Problem:
    """A remark about a line that rejects nothing, in the words of ``messages.json``."""
    problems = Problems(shown)
    problems.say(line, column, fault, hint, **values)
    return problems.kept[0]


def _all_welcome(content: bytes) -> bool:
    """Whether no character of the whole file needs a closer look: true for nearly every file."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return False
    text = text.replace("\r\n", "").replace("\n", "")
    if text.isascii():  # the same answer, twenty times as fast
        return text.replace("\t", "").isprintable()
    return UNWELCOME.search(text) is None


def text_of(number: int, line: bytes, problems: Problems) -> str | None:
    """A line's text, or None after recording that it is not UTF-8."""
    try:
        return line.decode()
    except UnicodeDecodeError as fault:
        column = len(line[: fault.start].decode(errors="replace")) + 1
        problems.say(number, column, "TSV-ENCODING", byte=f"{line[fault.start]:02x}",
                     place=fault.start + 1)
        return None


def characters_welcome(number: int, text: str, problems: Problems) -> bool:
    """Report each different unwelcome character of a line once, but no more than are shown."""
    if UNWELCOME.search(text) is None:
        return True
    characters = [character for character in dict.fromkeys(text) if UNWELCOME.match(character)]
    for character in characters[:MOST_SHOWN]:
        position = text.index(character)
        code = f"{ord(character):04X}"
        if character == "\r":
            problems.say(number, position + 1, "TSV-CR")
        elif CONTROLS.match(character):
            hint = "NUL" if character == "\0" else ""
            problems.say(number, position + 1, "TSV-CONTROL", hint, code=code)
        else:
            problems.say(number, position + 1, "TSV-INVISIBLE", code=code)
    return False


def _shaped(number: int, text: str, columns: Sequence[str], optional: int,
            problems: Problems) -> Row | None:
    wanted, count = len(columns), text.count("\t") + 1
    if not wanted - optional <= count <= wanted:
        named = columns if wanted <= MOST_NAMED else [*columns[:MOST_NAMED], "..."]
        least = f"{wanted - optional} {'to' if optional > 1 else 'or'}"
        hint = ""
        if text.startswith("version https://git-lfs"):
            hint = "git lfs"
        elif count > wanted and text.endswith("\t"):
            hint = "end"
        elif count == 1 and "\\t" in text:
            hint = "backslash"
        elif count == 1:
            hint = _separator(text)
        problems.say(number, 1, "TSV-COLUMNS optional" if optional else "TSV-COLUMNS", hint,
                     given=counted(count, "column"), wanted=counted(wanted, "column"),
                     least=least, names=", ".join(named))
        return None
    row = Row(number, tuple(text.split("\t")))
    sound = True
    for index, value in enumerate(row.fields):
        if len(value) > LARGEST_FIELD or len(value.encode()) > LARGEST_FIELD:
            size = len(value.encode())
            problems.say(number, row.column(index), "TSV-FIELD", size=size, most=LARGEST_FIELD,
                         name=columns[index])
            sound = False
    return row if sound else None


def names_columns(row: Sequence[str], columns: Sequence[str]) -> bool:
    """Whether a row holds nothing but different names, one of them that of a column.

    For files of which nobody knows how many rows they should have.

    >>> columns = ["premise", "hypothesis", "graph"]
    >>> [names_columns(row, columns) for row in (
    ...     ("text", "claim", "graph"), ("cats", "dogs", "(a; is; b)"))]
    [True, False]
    """
    names = [value.strip().lower() for value in row]
    known = {name.lower() for name in columns}
    return (len({*names}) == len(names) > 1 and not known.union(HEADERS).isdisjoint(names)
            and all(name in known or _NAME.fullmatch(name) for name in names))


def _separator(line: str) -> str:
    """What stands where a tab is missing, if the line shows it: the first comma or blank.

    Behind a blank, a comma may be of the text or separate columns of several words.

    >>> [_separator(line) for line in ("yes,(a; is; b)", "yes (a; is; b)", "two words,yes", "yes")]
    ['commas', 'blanks', '', '']
    """
    comma, blank = line.find(","), line.find(" ")
    if comma >= 0:
        return "commas" if blank < 0 or comma < blank else ""
    return "blanks" if blank >= 0 else ""


def _is_header(row: Row, columns: Sequence[str], spare: bool) -> bool:
    """Whether a row names the columns instead of answering an item.

    ``spare``: whether there is one line too many; then also in words of its own.
    """
    names = [value.strip().lower() for value in row.fields]
    return names == [name.lower() for name in columns[: len(names)]] or (
        spare and all(map(_NAME.fullmatch, names) if names[1:] else (names[0] in HEADERS,)))
