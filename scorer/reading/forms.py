"""The form of a file that was refused: other separators, quotes, an index column, JSON, HTML.

A form is only what at least nine of ten lines have, and only if the rows that it leads to can be
read: ``recognised`` offers each to its caller, who reads them as any other file. Nothing is read
otherwise than it is written; a form is told, and ``scorer check --fix`` may write a copy of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scorer.errors import counted
from scorer.messages import FORM_ADVICE, FORMS
from scorer.reading.characters import UNWELCOME
from scorer.reading.tsv import File, read_lines

LONGEST_LINE = 20_000
"""Characters. A file with longer lines is not looked at."""
MOST_LETTERS = 2_000_000
"""Characters of a file that is looked at; real ones have a tenth."""
SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars"}
UNSAFE = frozenset({"more", "json", "array", "html"})
"""What no program can undo for sure."""
HEADERS = ("label", "labels", "prediction", "predictions", "answer", "output", "text",
           "hypothesis", "generation", "graph", "0")
"""Names of a lone column, as programs write them."""

Trial = Callable[[bytes], int]
"""How many faults a file has."""


class Form(NamedTuple):
    """What a file looks like."""

    found: tuple[tuple[str, int], ...]
    """The names of its features in ``messages.py``, and how many lines have each."""
    lines: int
    content: bytes = b""
    """The same rows without them; empty if nobody knows how."""
    columns: int = 0
    """How many columns are too many, if it has the feature ``more``."""
    first: str = ""
    """The first column of line 1."""

    @property
    def safe(self) -> bool:
        """Whether the rows can be written without them."""
        return UNSAFE.isdisjoint(name for name, _ in self.found)

    def words(self) -> dict[str, str]:
        """What messages say was found, and what is to be done."""
        columns = counted(self.columns, "column")
        values = {"lines": self.lines, "columns": columns, "first": columns.removeprefix("1 ")}
        return {"found": ", ".join(FORMS[name].format(count=count, **values)
                                   for name, count in self.found),
                "advice": ", ".join(FORM_ADVICE[name].format(**values) for name, _ in self.found)}


def recognised(
    file: File, columns: Sequence[str], key: str, trial: Trial, faults: int, *,
    rows: int | None = None, json: bool = False,
) -> Form | None:
    """The form of a file with so many faults, if its rows have fewer and few without it.

    ``key``: the column that may stand before a lone one. ``json``: whether JSON lines are no form.
    """
    found = read_lines(file, rows=rows)
    texts = _texts(found.lines)
    if _is_array(texts):
        return Form((("array", 1),), len(texts))
    if not _short(texts):
        return None
    plain = _document(texts, json)
    if plain is not None:
        return plain
    for form in _forms(texts, columns, key, rows):
        left = trial(form.content)
        if left < faults and 10 * left <= len(texts):
            return form
    return None


def _texts(lines: Sequence[bytes]) -> list[str]:
    """The lines but for empty ones at the end; none where one is no text."""
    try:
        texts = [line.decode() for line in lines]
    except UnicodeDecodeError:
        return []
    while texts and not texts[-1]:
        texts.pop()
    return texts


def _short(texts: Sequence[str]) -> bool:
    """Whether the lines are looked at: none is empty or too long, and all are plain text."""
    return 0 < sum(map(len, texts)) <= MOST_LETTERS and all(
        0 < len(text) <= LONGEST_LINE and UNWELCOME.search(text) is None for text in texts)


def _is_array(texts: Sequence[str]) -> bool:
    """Whether the lines are one JSON array; of numbers only if it stands on one line."""
    if not texts or texts[-1].rstrip(" ")[-1:] != "]":
        return False
    start = _ARRAY.match(texts[0])
    return start is not None and (len(texts) == 1 or not start[1].isdecimal()) and all(
        UNWELCOME.search(text) is None for text in texts)


def _document(texts: Sequence[str], json: bool) -> Form | None:
    """A document of another kind."""
    if texts[0].lstrip(" ").lower().startswith(("<!doctype html", "<html")):
        return Form((("html", 1),), len(texts))
    objects = sum(text[0] == "{" and text.rstrip(",")[-1:] == "}" for text in texts)
    if not json and _most(objects, len(texts)):
        return Form((("json", objects),), len(texts))
    return None


def _most(count: int, of: int) -> bool:
    return 10 * count >= 9 * of


def _forms(
    texts: Sequence[str], columns: Sequence[str], key: str, rows: int | None
) -> Iterator[Form]:
    """Every form that the lines may have, the nearest to the right one first."""
    tabs = sum("\t" in text for text in texts)
    named = [columns, *([[key, *columns]] if key and len(columns) == 1 else [])]
    for separator in SEPARATORS:
        parted = sum(separator in text for text in texts)
        if separator != "\t" and (not _most(parted, len(texts)) or _most(tabs, len(texts))):
            continue
        for names in named:
            ids = None if len(named) == 1 else len(names) > len(columns)
            form = _form(texts, separator, names, rows, ids)
            if form is not None:
                yield form


def _form(
    texts: Sequence[str], separator: str, names: Sequence[str], rows: int | None, ids: bool | None
) -> Form | None:
    """The form with one separator and these columns; None if it is the right one.

    ``ids``: whether the first of the columns is one of ids, which have no spaces; None: there may
    be none. Where there may be, a first column is an index only if it counts every line.
    """
    found: list[tuple[str, int]] = []
    ended = sum(text.endswith(separator) for text in texts)
    if _most(ended, len(texts)):
        texts = [text.rstrip(separator) for text in texts]
        found.append(("ends" if separator == "\t" else "separators", ended))
    named, indexed = _index([_cells(text, separator, 2)[0][0] for text in texts],
                            whole=ids is not None)
    most = len(names) + bool(indexed)
    if separator != "\t":
        if most == 1:
            return None
        found.insert(0, (SEPARATORS[separator], sum(separator in text for text in texts)))
    cut = [_cells(text, separator, most if separator != "\t" else len(text) + 1) for text in texts]
    quoted = sum(quotes > 0 for _, quotes in cut)
    cells = [row for row, _ in cut]
    if separator == "\t" and not _most(quoted, len(texts)):
        cells, quoted = [text.split("\t") for text in texts], 0
    if quoted:
        found.append(("quotes", quoted))
    if indexed:
        cells = [row[1:] for row in cells]
        found.append(("index", indexed))
    known = [cell.strip().lower() for cell in cells[0]] == [
        name.lower() for name in names[-len(cells[0]):]]
    first = cells[0][0] if cells[0] else ""
    if named or known or (len(texts) - 1 == rows and _is_header(cells[0])):
        cells = cells[1:]
        found.append(("header", 1))
    more = min((len(row) for row in cells), default=0) - len(names)
    if more == 1 and ids is False:
        return None
    if more > 0:
        cells = [row[more:] for row in cells]
        found.append(("more", len(cells)))
    if not found or (known and found == [("header", 1)]):
        return None
    if ids and separator != "\t" and any(" " in row[0] for row in cells if row):
        return None
    content = "".join("\t".join(row) + "\n" for row in cells).encode()
    return Form(tuple(found), len(texts), content, max(0, more), first)


def _index(first: Sequence[str], *, whole: bool) -> tuple[bool, int]:
    """Whether a first line stands above a column that counts the others, and how many it does.

    ``whole``: whether it must count all of them.
    """
    for named in (False, True):
        for base in (0, 1):
            body = first[named:]
            count = sum(cell == str(number) for number, cell in enumerate(body, start=base))
            if len(body) > 1 and (count == len(body) if whole else _most(count, len(body))):
                return named, count
    return False, 0


def _is_header(row: Sequence[str]) -> bool:
    """Whether a line that is too many names columns in words of its own."""
    if len(row) == 1:
        return row[0].strip().lower() in HEADERS
    return all(_NAME.fullmatch(cell) for cell in row)


def _cells(text: str, separator: str, most: int) -> tuple[list[str], int]:
    """The cells of a line, at most so many, and how many of them stood in quotes."""
    if '"' not in text:
        return text.split(separator, most - 1), 0
    cells: list[str] = []
    quoted = start = 0
    while True:
        match = _QUOTED[separator].match(text, start)
        last = len(cells) == most - 1
        if match is not None and not (last and match.end() < len(text)):
            cells.append(match[1].replace('""', '"'))
            quoted += 1
            start = match.end()
        else:
            end = -1 if last else text.find(separator, start)
            cells.append(text[start:] if end < 0 else text[start:end])
            start = len(text) if end < 0 else end
        if start >= len(text):
            return cells, quoted
        start += 1


_ARRAY = re.compile(r' *\[ *(["{\[0-9]|$)')
_NAME = re.compile("[A-Za-z][A-Za-z0-9_ -]{0,39}")
_QUOTED = {separator: re.compile(f'"([^"]*(?:""[^"]*)*)"(?=[{separator}]|$)')
           for separator in SEPARATORS}
