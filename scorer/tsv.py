"""The one reader of tab-separated files: bytes in, rows and every problem out.

No CSV quoting, no comments, no ``splitlines``: a line ends at LF, a field at TAB, and nothing else
has a meaning. Fields are kept exactly as they are. Bytes and characters are judged here; what a
graph says is judged by its task and never rejects a file. See ``rules.py`` for the rule ids.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scorer.characters import CONTROLS, UNWELCOME
from scorer.errors import MOST_SHOWN, DataError, Problem, SubmissionError, counted, excerpt
from scorer.rules import CATALOGUE

LARGEST_FILE = 8 * 1024 * 1024
LARGEST_FIELD = 64 * 1024
SPARE_LINES = 1000
"""A file of more lines than twice the rows it should have, and these, is not judged line by line:
a hostile one has millions."""


@dataclass(frozen=True)
class Row:
    """One line: its fields, and where each begins."""

    line: int
    """One-based line number in the file."""
    fields: tuple[str, ...]

    def column(self, index: int) -> int:
        """The one-based character column at which a field begins."""
        return 1 + sum(len(text) + 1 for text in self.fields[:index])


@dataclass
class Problems:
    """Collects problems: the first 50 are kept, all are counted."""

    path: str
    kept: list[Problem] = field(default_factory=list)
    total: int = 0

    def add(self, line: int, column: int, rule: str, found: str, expected: str,
            advice: str | None = None) -> None:
        """Record a fault; the advice is the rule's own unless given."""
        self.total += 1
        if len(self.kept) < MOST_SHOWN:
            self.kept.append(Problem(self.path, line, column, rule, found, expected,
                                     advice or CATALOGUE[rule].advice))

    def raise_if_any(self) -> None:
        """Raise SubmissionError with everything collected."""
        if self.total:
            raise SubmissionError(sorted(self.kept), self.total)


@dataclass(frozen=True)
class Table:
    """A file as read. ``rows`` holds every line that could be read, even in a rejected file."""

    rows: tuple[Row, ...]
    notes: tuple[Problem, ...]
    problems: Problems
    lines: int | None = None
    """Lines but for empty ones and a header, faulty or not; None if lines were not looked at."""


def read_file(path: Path, columns: Sequence[str], *, optional: int = 0, rows: int | None = None,
              shown: str | None = None) -> Table:
    """Read a file; of one over 8 MiB no more than that is read.

    ``shown`` is the path used in messages; the rest is as for ``read_bytes``. Raises DataError if
    it cannot be opened.
    """
    name = shown or str(path)
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as fault:
        said = f"{name}: cannot be read ({fault.strerror}); name an existing file"
        raise DataError(said) from fault
    if len(content) > LARGEST_FILE:
        return _too_large(name, max(size, len(content)))
    return read_bytes(content, columns, optional=optional, rows=rows, shown=name)


def read_bytes(content: bytes, columns: Sequence[str], *, optional: int = 0,
               rows: int | None = None, shown: str = "<bytes>") -> Table:
    """Read tab-separated bytes.

    ``columns`` names the columns in order; the last ``optional`` of them may be absent. ``rows``
    is how many there should be: far more are refused unread, other numbers are for the caller to
    judge. The file's last line may lack its LF. Returns all rows that have the right shape and all
    problems.
    """
    if len(content) > LARGEST_FILE:
        return _too_large(shown, len(content))
    problems = Problems(shown)
    notes: list[Problem] = []
    content = _without_mark(content, shown, notes)
    if not content.strip(b"\r\n"):
        found = "only line ends" if content else "only a byte order mark" if notes else "no bytes"
        problems.add(1, 1, "TSV-EMPTY", found, "one row for every item")
        return Table((), tuple(notes), problems)
    content = content.removesuffix(b"\n")
    ends = content.count(b"\n")
    if rows is not None and ends > 2 * rows + SPARE_LINES:
        problems.add(rows + 1, 1, "TSV-ROWS", f"{ends + 1} lines", str(rows))
        return Table((), tuple(notes), problems)
    lines = content.split(b"\n")
    lines = _without_returns(lines, shown, notes)
    clean = _all_welcome(content)
    count = len(lines) - lines.count(b"")
    read = []
    for number, line in enumerate(lines, start=1):
        row = _row(number, line, columns, optional, problems, clean)
        if row is not None and number == 1 and _is_header(row, columns):
            problems.add(1, 1, "TSV-HEADER", f"the column name {excerpt(row.fields[0])}",
                         "the first item's row")
            count -= 1
        elif row is not None:
            read.append(row)
    return Table(tuple(read), tuple(notes), problems, count)


def _too_large(shown: str, size: int) -> Table:
    problems = Problems(shown)
    problems.add(1, 1, "TSV-SIZE", f"{size} bytes", f"at most {LARGEST_FILE} bytes")
    return Table((), (), problems)


def _without_mark(content: bytes, shown: str, notes: list[Problem]) -> bytes:
    if not content.startswith(codecs.BOM_UTF8):
        return content
    rule = CATALOGUE["TSV-BOM"]
    notes.append(Problem(shown, 1, 1, rule.id, "a byte order mark", "plain UTF-8", rule.advice))
    return content[len(codecs.BOM_UTF8) :]


def _without_returns(lines: list[bytes], shown: str, notes: list[Problem]) -> list[bytes]:
    """Strip one CR from the ends of lines; say once that it was done."""
    ended = [number for number, line in enumerate(lines, start=1) if line.endswith(b"\r")]
    if not ended:
        return lines
    rule = CATALOGUE["TSV-CRLF"]
    mixed = "" if len(ended) == len(lines) else f" on {len(ended)} of {len(lines)} lines"
    notes.append(Problem(shown, ended[0], 1, rule.id, f"CR LF{mixed}", "LF", rule.advice))
    return [line.removesuffix(b"\r") for line in lines]


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


def _row(number: int, line: bytes, columns: Sequence[str], optional: int, problems: Problems,
         clean: bool) -> Row | None:
    if not line:
        problems.add(number, 1, "TSV-BLANK", "an empty line", "one row for every item")
        return None
    try:
        text = line.decode()
    except UnicodeDecodeError as fault:
        hint = "save the file as UTF-8"
        if number == 1 and line[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            hint = "this is UTF-16: save the file as UTF-8"
        found = f"byte 0x{line[fault.start]:02x} at byte {fault.start + 1} of the line"
        column = len(line[: fault.start].decode(errors="replace")) + 1
        problems.add(number, column, "TSV-ENCODING", found, "UTF-8 text", hint)
        return None
    if not clean and not _characters_welcome(number, text, problems):
        return None
    return _shaped(number, text, columns, optional, problems)


def _characters_welcome(number: int, text: str, problems: Problems) -> bool:
    """Report each different unwelcome character of a line once, but no more than are shown."""
    if UNWELCOME.search(text) is None:
        return True
    found = [character for character in dict.fromkeys(text) if UNWELCOME.match(character)]
    for character in found[:MOST_SHOWN]:
        position = text.index(character)
        shown = f"the character U+{ord(character):04X}"
        if character == "\r":
            problems.add(number, position + 1, "TSV-CR", "a CR inside the line", "LF line ends")
        elif CONTROLS.match(character):
            hint = "remove it, or save UTF-16 as UTF-8" if character == "\0" else None
            problems.add(number, position + 1, "TSV-CONTROL", shown, "printable text", hint)
        else:
            problems.add(number, position + 1, "TSV-INVISIBLE", shown, "visible text")
    return False


def _shaped(number: int, text: str, columns: Sequence[str], optional: int,
            problems: Problems) -> Row | None:
    wanted, given = len(columns), text.count("\t") + 1
    if not wanted - optional <= given <= wanted:
        least = f"{wanted - optional} or " if optional else ""
        expected = f"{least}{counted(wanted, 'column')} ({', '.join(columns)})"
        hint = None
        if text.startswith("version https://git-lfs"):
            hint = "this is a pointer of git lfs: commit the file itself"
        elif given == 1 and "\\t" in text:
            hint = "the two characters backslash and t are no tab: write a tab"
        elif given == 1 and " " in text:
            hint = "blanks do not separate columns: write a tab"
        problems.add(number, 1, "TSV-COLUMNS", counted(given, "column"), expected, hint)
        return None
    row = Row(number, tuple(text.split("\t")))
    sound = True
    for index, value in enumerate(row.fields):
        if len(value) > LARGEST_FIELD or len(value.encode()) > LARGEST_FIELD:
            size = len(value.encode())
            problems.add(number, row.column(index), "TSV-FIELD", f"{size} bytes",
                         f"at most {LARGEST_FIELD} bytes in column {columns[index]}")
            sound = False
    return row if sound else None


def _is_header(row: Row, columns: Sequence[str]) -> bool:
    """Whether a row names the columns instead of answering an item."""
    given = [value.strip().lower() for value in row.fields]
    return given == [name.lower() for name in columns[: len(given)]]
