"""Records of a source's files as recipes read them, and what stands at a path of a record.

What is wrong is collected with its file, record and field, all of it at once.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards.recipes import CSV, JSON, JSONL, KEY, LINES, OUTER, WHOLE, Source
from scorer.core.errors import DataError, counted, excerpt

_RECORD = OUTER[1:]


class ImportFault(DataError):
    """What stands somewhere in a source, and what was expected there."""

    def __init__(self, where: str, found: str, expected: str) -> None:
        super().__init__(f"{where}: {found}; expected {expected}")


class Faults(list[str]):
    """What is wrong; ``with faults:`` keeps a fault, and goes on behind what it is in."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, _: object,
                 ) -> bool:
        if isinstance(fault, ImportFault):
            self.append(str(fault))
        return isinstance(fault, ImportFault)


@dataclass(slots=True)  # of which there are millions: a tuple with names takes twice the time
class Found:
    """A value in a source, with the record and the path that lead to it."""

    value: Any
    record: ImportRecord
    path: str

    @property
    def where(self) -> str:
        """Its file, record and field, in messages."""
        return self.record.where(self.path)

    def fault(self, expected: str, found: str = "") -> ImportFault:
        """What is wrong with it; ``found``: in words, if the value itself is not meant."""
        return ImportFault(self.where, found or kind_of(self.value), expected)

    def at(self, path: str) -> Found:
        """What stands at a path of it; None where that is missing."""
        value = self.value
        for name in path.split(".") if path != WHOLE else ():
            if value is None:
                break
            if isinstance(value, dict):
                value = value.get(name)
            elif isinstance(value, list) and name.isascii() and name.isdigit():
                value = value[int(name)] if len(name) < 9 and int(name) < len(value) else None
            else:
                raise self.fault(f"something with {excerpt(name)} in it", kind_of(value))
        return Found(value, self.record, self.path)

    def text(self) -> str:
        """A text as it is. Raises ImportFault for anything else."""
        if isinstance(self.value, str):
            return self.value
        if not isinstance(self.value, bool):
            raise self.fault("a text or a number")
        return "true" if self.value else "false"

    def entries(self) -> Iterator[tuple[str, Found]]:
        """Entries by their names, or else by their numbers from 1. Raises ImportFault without."""
        if isinstance(self.value, dict):
            named = iter(self.value.items())
        elif isinstance(self.value, list):
            named = enumerate(self.value, start=1)
        else:
            raise self.fault("a list or a mapping")
        for name, value in named:
            yield str(name), Found(value, self.record, self.path)


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    kinds = {dict: "a mapping", list: "a list", bool: "true or false", type(None): "nothing there"}
    return kinds.get(type(value)) or f"the text {excerpt(str(value))}"


class ImportRecord(NamedTuple):
    """A record, its name, and the records of other files that belong to it; None where a join is
    optional and has none."""

    file: str
    number: int
    key: str
    value: Any
    joined: Mapping[str, ImportRecord | None] = {}

    @property
    def place(self) -> str:
        """Where it stands in its file."""
        outer = self.joined.get(_RECORD)
        return (f"record {self.number}" if outer is None
                else f"record {outer.number}, entry {excerpt(self.key)}")

    def where(self, path: str) -> str:
        """The file and record in which a path ends, and the path, in messages."""
        name = path[1:].partition(".")[0] if path.startswith("@") else ""
        record = (name != _RECORD and self.joined.get(name)) or self
        place = f"{record.place}: " if record.number else ""  # 0 is the file itself
        return f"{record.file}: {place}field {excerpt(path, 100)}"

    def at(self, path: str) -> Found:
        """What stands at a path; None where it, or its end, is missing."""
        record: ImportRecord | None = self
        rest = path
        while record is not None and rest.startswith("@") and rest != KEY:
            name, _, rest = rest[1:].partition(".")
            rest = rest or WHOLE
            if name not in record.joined:
                raise ImportFault(self.where(path), f"no join {excerpt(name)}",
                                  "the name of a join, or @key")
            record = record.joined[name]
        if record is None or rest == KEY:
            return Found(record and record.key, self, path)
        found = Found(record.value, self, path)
        return found if rest == WHOLE else found.at(rest)


def records_of(source: Source, folder: Path, faults: Faults) -> Iterator[ImportRecord]:
    """The records of a file, or those within them, but for what cannot be read: those are faults.

    Raises DataError for a file that has no records.
    """
    numbers = count(1)
    for record in _records_of_file(source, folder, faults):
        if source.each is None:
            yield record
            continue
        with faults:
            for key, entry in Found(record.value, record, source.each).at(source.each).entries():
                yield ImportRecord(source.file, next(numbers), key, entry.value,
                                   {_RECORD: record})


def by_key(paths: Sequence[str], source: Source, folder: Path, faults: Faults,
           ) -> dict[tuple[str, ...], ImportRecord]:
    """The records of a file by the fields that name them."""
    records: dict[tuple[str, ...], ImportRecord] = {}
    for record in records_of(source, folder, faults):
        with faults:
            name = tuple(record.at(path).text() for path in paths)
            if name in records:
                raise record.at(paths[0]).fault(
                    "another name for each record", f"{names_text(name)} as in "
                    f"{records[name].place}")
            records[name] = record
    return records


def names_text(texts: Sequence[str]) -> str:
    """The fields that name a record, in a message."""
    return " and ".join(map(excerpt, texts))


def content_of(name: str, folder: Path) -> bytes:
    """The bytes of a file. Raises DataError."""
    try:
        return (folder / name).read_bytes()
    except OSError as fault:
        raise DataError(f"{name}: cannot be read ({fault.strerror}); fetch it again") from fault


def _records_of_file(source: Source, folder: Path, faults: Faults) -> Iterator[ImportRecord]:
    file = source.file
    content = content_of(file, folder)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise ImportFault(f"{file}: line {line}", "not UTF-8", "text") from None
    if source.format == JSON:
        path = source.records or WHOLE
        whole = ImportRecord(file, 0, "", _parsed(text, file))
        listed = Found(whole.value, whole, path).at(path)  # no join: `@` begins a name as others do
        for number, (key, entry) in enumerate(listed.entries(), start=1):
            yield ImportRecord(file, number, key, entry.value)
        return
    lines = (line.removesuffix("\r") for line in
             (text.removesuffix("\n").split("\n") if text else ()))
    if source.format in (LINES, JSONL):
        rows: Iterable[Any] = lines
        names: Sequence[str] = ()
    else:
        names, rows = _table(source, lines)
    left_out = source.left_out if source.format == LINES else ()
    for number, row in enumerate(rows, start=1):
        place = f"{file}: record {number}"
        with faults:
            if names and len(row) != len(names):
                raise ImportFault(place, counted(len(row), "column"),
                                  f"{len(names)}, as the first line has")
            if source.format == JSONL and row.strip():  # many programs end with an empty line
                yield ImportRecord(file, number, str(number), _parsed(row, place))
            elif source.format != JSONL and number not in left_out:
                value = dict(zip(names, row, strict=True)) if names else row
                yield ImportRecord(file, number, str(number), value)


def _table(source: Source, lines: Iterator[str]) -> tuple[Sequence[str], Iterable[list[str]]]:
    """The names of a table's columns, if its first line has them, and its other rows."""
    quoted = source.quotes or source.format == CSV
    rows = _quoted(source, lines) if quoted else (line.split("\t") for line in lines)
    names = next(rows, []) if source.header else []
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise ImportFault(f"{source.file}: line 1", f"the column {excerpt(twice[0])} twice",
                          "each name once")
    return names, filter(None, rows) if source.format == CSV else rows


def _quoted(source: Source, lines: Iterator[str]) -> Iterator[list[str]]:
    """Fields of which some stand in quotes; those may be several lines long."""
    table = csv.reader((f"{line}\n" for line in lines), strict=True,
                       delimiter="," if source.format == CSV else "\t")
    try:
        yield from table
    except csv.Error as fault:
        raise DataError(f"{source.file}: line {table.line_num}: quotes that cannot be read "
                        f"({fault}); expected fields as programs write them that write CSV"
                        ) from None


def _parsed(text: str, where: str) -> Any:
    """A JSON value whose numbers are texts as written. Raises ImportFault for any other."""
    try:
        return json.loads(text, parse_int=str, parse_float=str)
    except RecursionError:
        raise ImportFault(where, "too many levels", "one value of JSON") from None
    except json.JSONDecodeError as fault:
        raise ImportFault(where, f"no JSON ({fault.msg}, line {fault.lineno}, column "
                          f"{fault.colno})", "one value of JSON") from None
