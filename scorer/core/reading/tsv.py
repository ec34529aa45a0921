"""The one reader of tab-separated files: bytes in, rows and every problem out; and their writer.

No CSV quoting, no comments, no ``splitlines``: a line ends at LF, a field at TAB, and nothing else
has a meaning. Fields are kept exactly as they are. Bytes and characters are judged here; what a
graph says is judged by its task and never rejects a file. See ``rules.tsv`` for the rule ids.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

from scorer.core.errors import (
    MOST_SHOWN,
    DataError,
    Problem,
    SubmissionError,
    UsageError,
    counted,
    excerpt,
    refusal,
    summary,
)
from scorer.core.reading.characters import CONTROLS, UNWELCOME
from scorer.core.rules import CATALOGUE, FAULTS, HINTS

LARGEST_FILE = 8 * 1024 * 1024
LARGEST_FIELD = 64 * 1024
MOST_NAMED = 8
"""Columns that a message names."""
SPARE_LINES = 1000
"""A file of more lines than twice the rows it should have, and these, is not judged line by line:
a hostile one has millions."""
HEADERS = ("label", "prediction", "answer", "output", "text", "graph")
"""What programs call columns, beside their own names."""
_NAME = re.compile("[A-Za-z][A-Za-z0-9_-]{0,39}")
EmptyLine = Literal["item", "text"]
"""What an empty line is: an item without its answer, which is a fault; an empty text."""
PACKED = {"gzip": b"\x1f\x8b", "zip": b"PK\x03\x04", "bzip2": b"BZh", "xz": b"\xfd7zXZ\0",
          "zstd": b"\x28\xb5\x2f\xfd"}
"""The first bytes of packed files."""
STDIN = Path("-")
"""Names standard input."""


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

    rows: int = 0
    """Rows of the file, faulty or not; 0 if they were not looked at."""

    @property
    def total(self) -> int:
        """How many there are."""
        return self.by_rule.total()

    def add(self, line: int, column: int, rule: str, actual: str, expected: str,
            advice: str | None = None) -> None:
        """Record a fault; the advice is the rule's own unless given."""
        self.by_rule[rule] += 1
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
            self.by_rule[rule] += 1
            return
        advice = HINTS[f"{rule} {hint}"].format_map(values) if hint else None
        actual, expected = (template.format_map(values) for template in FAULTS[fault])
        self.add(line, column, rule, actual, expected, advice)

    def lines(self) -> list[Problem | str]:
        """What a submitter reads of them."""
        return summary(sorted((*self.kept, *self.late)), self.by_rule, self.rows)

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
    most: int = MOST_SHOWN
    """How many of its problems are kept."""


@dataclass(frozen=True)
class Lines:
    """The lines of a file, in bytes and without their ends; none in a file that is refused."""

    lines: tuple[bytes, ...]
    notes: tuple[Problem, ...]
    problems: Problems
    clean: bool = True
    """Whether no character of the whole file needs a closer look."""


def shown_name(path: Path) -> str:
    """A file that a person names, in messages."""
    return "<stdin>" if path == STDIN else str(path)


def open_named(path: Path, *, largest: int = LARGEST_FILE, most: int = MOST_SHOWN) -> File:
    """A file that a person names: as ``open_file``, or standard input, packed by gzip or not.

    Raises UsageError for standard input that is closed, and SubmissionError for gzip that is
    damaged or breaks off, or is itself larger than any file may be.
    """
    if path != STDIN:
        return unpacked(open_file(path, largest=largest, most=most))
    if sys.stdin is None:  # closed by the shell: <&-
        raise UsageError("- means standard input, which is closed; pipe a file in, or name one")
    content = sys.stdin.buffer.read(largest + 1)
    return unpacked(File(content, shown_name(path), largest, most))


def unpacked(file: File) -> File:
    """The content of a gzip file, cut where it shows that it is too large; others as they are.

    The first bytes decide, not the name. Raises SubmissionError as ``open_named``.
    """
    if packing(file.content) != "gzip":
        return file
    problems, content = Problems(file.shown), bytearray()
    if len(file.content) > file.largest:
        problems.say(1, 1, "TSV-SIZE", most=file.largest)
    else:
        with gzip.GzipFile(fileobj=io.BytesIO(file.content)) as stream:
            try:
                while part := stream.read1(file.largest + 1 - len(content)):
                    content += part  # and at most one byte more
            except (EOFError, gzip.BadGzipFile, zlib.error):
                problems.say(1, 1, "TSV-ENCODING damaged", "gzip damaged", count=len(content))
    for problem in problems.kept:
        raise SubmissionError([problem], text=f"{problem}\n{refusal(1)}")
    return replace(file, content=bytes(content))


def open_file(path: Path, *, largest: int = LARGEST_FILE, shown: str | None = None,
              most: int = MOST_SHOWN) -> File:
    """A file, of one larger than that only the beginning. Raises DataError if it cannot be read.

    ``most``: how many of its problems are kept.
    """
    try:
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except OSError as fault:
        message = f"{shown or path}: cannot be read ({fault.strerror}); name an existing file"
        raise DataError(message) from fault
    return File(content, shown or str(path), largest, most)


def read_rows(file: File, columns: Sequence[str], *, optional: int = 0, rows: int | None = None,
              header: bool = False, empty: EmptyLine = "item") -> ReadTable:
    """Read a file of tab-separated columns.

    ``columns`` names the columns in order; the last ``optional`` of them may be absent. ``rows``
    is how many there should be: far more are refused unread, other numbers are for the caller to
    judge. ``header``: whether the first line may name the columns. The file's last line may lack
    its LF. Returns all rows that have the right shape and all problems.

    ``empty``: what an empty line is; behind the last of ``rows`` items always a fault.
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
        if row is not None and number == 1 and names_columns(
                row.fields, columns, spare=len(source.lines) - 1 == rows):
            named = True
            if not header:
                problems.say(1, 1, "TSV-HEADER", name=excerpt(row.fields[0]))
        elif row is not None:
            read.append(row)
    count = len(source.lines) - named
    problems.rows = count - len(blank)
    if empty == "text":
        texts = [number for number in blank if rows is None or number - named <= rows]
        read = sorted([*read, *(Row(number, ("",)) for number in texts)], key=lambda row: row.line)
        blank = blank[len(texts):]
    for number in blank:
        problems.say(number, 1, "TSV-BLANK")
    return ReadTable(tuple(read), source.notes, problems, count - len(blank))


def read_lines(file: File, *, rows: int | None = None) -> Lines:
    """Cut a file into lines, as ``read_rows`` does, for other formats than its."""
    problems, notes = Problems(file.shown, file.most), []
    content, packed = file.content, packing(file.content)
    if len(content) > file.largest:
        problems.say(1, 1, "TSV-SIZE", most=file.largest)
    elif packed:
        problems.say(1, 1, "TSV-ENCODING packed", "packed", kind=packed)
    elif content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        problems.say(1, 1, "TSV-ENCODING", "UTF-16", byte=f"{content[0]:02x}", place=1)
    elif content.startswith(codecs.BOM_UTF8):
        content = content.removeprefix(codecs.BOM_UTF8)
        notes.append(note(file.shown, 1, "TSV-BOM"))
    if not problems.total and not content.strip(b"\r\n"):
        problems.say(1, 1, "TSV-EMPTY")
    content = content.removesuffix(b"\n")
    ends = content.count(b"\n")
    if not problems.total and rows is not None and ends > 2 * rows + SPARE_LINES:
        problems.say(rows + 1, 1, "TSV-ROWS", count=counted(ends + 1, "line"), rows=rows)
    if problems.total:
        return Lines((), tuple(notes), problems)
    lines = content.split(b"\n")
    ended = [number for number, line in enumerate(lines, start=1) if line.endswith(b"\r")]
    if ended:
        notes.append(note(file.shown, ended[0], "TSV-CRLF"))
        lines = [line.removesuffix(b"\r") for line in lines]
    return Lines(tuple(lines), tuple(notes), problems, _all_welcome(content))


def rows_bytes(rows: Iterable[Sequence[str]], errors: str = "strict") -> bytes:
    """Rows as the bytes of a file; ``errors``: as ``str.encode`` has them.

    >>> rows_bytes([("a", "b"), ("c", "d")])
    b'a\\tb\\nc\\td\\n'
    """
    return b"".join(("\t".join(row) + "\n").encode(errors=errors) for row in rows)


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
        hint = "git lfs" if text.startswith("version https://git-lfs") else ""
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


def names_columns(row: Sequence[str], columns: Sequence[str], *, spare: bool = False) -> bool:
    """Whether a row holds names and no item: all different, one of them that of a column, or, of
    several or where one row is too many (``spare``), one of HEADERS.

    >>> columns = ["premise", "hypothesis", "graph"]
    >>> [names_columns(row, columns) for row in (
    ...     ("text", "claim", "graph"), ("cats", "dogs", "(a; is; b)"))]
    [True, False]
    """
    names = [value.strip().lower() for value in row]
    known = {*(name.lower() for name in columns), *(HEADERS if len(names) > 1 or spare else ())}
    return (len({*names}) == len(names) and not known.isdisjoint(names)
            and all(name in known or _NAME.fullmatch(name) for name in names))


# ---- the form of a refused file ----------------------------------------------------------------

JSON_LINE = re.compile(r"""\{.*\},*|\[ *[\[{"].*\],*""", re.DOTALL)
"""An object, or an array of arrays, objects or texts, on a line."""
FORMS = {"commas": ",", "semicolons": ";", "bars": "|"}
"""What other programs write between columns, no space behind; ``messages.json`` names each."""
MOST_LINES = 1_000_000
"""A file of more has no form: no board has so many rows, and a browser takes long to look at each.
"""


def form_of(lines: Sequence[bytes], columns: int, *, text: bool, json: bool) -> tuple[str, int]:
    """What at least nine of ten lines of a refused file have in common, as ``messages.json`` names
    it behind TSV-FORM, and how many lines do; nothing of a file that has none.

    ``columns``: how many there should be. ``text``: whether the last one is text, in which any
    separator may stand. ``json``: whether JSON lines are no form.
    """
    if not lines or len(lines) > MOST_LINES:
        return "", 0
    try:
        texts = [line.decode() for line in lines]
    except UnicodeDecodeError:
        return "", 0
    if any(map(UNWELCOME.search, texts)):
        return "", 0
    if texts[0].lstrip(" ").lower().startswith(("<!doctype html", "<html")):
        return "html", len(texts)
    forms: dict[str, Callable[[str], bool]] = {}
    if not json:
        forms["json"] = lambda line: JSON_LINE.fullmatch(line) is not None
    if columns > 1 or not text:
        forms |= {name: partial(_separated, sign) for name, sign in FORMS.items()}
    if columns > 1:
        forms["quotes"] = lambda line: line[:1] == '"' and '"\t"' in line
        forms["ends"] = lambda line: line[-1:] == "\t" and line.count("\t") == columns
    counts = {name: sum(map(has, texts)) for name, has in forms.items()}
    return next(((name, count) for name, count in counts.items() if 10 * count >= 9 * len(texts)),
                ("", 0))


def _separated(sign: str, line: str) -> bool:
    """Whether such signs separate columns; in texts a space follows each."""
    return line.count(sign) > line.count(f"{sign} ") and "\t" not in line
