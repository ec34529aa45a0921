"""Records of a source's files as recipes read them, and what stands at a path of a record.

What is wrong is collected with its file, record and field, all of it at once.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards.recipes import CSV, JSON, JSONL, KEY, LINES, OUTER, WHOLE, Source
from scorer.core.errors import DataError, counted, excerpt

MOST_SHOWN = 20
MOST_NAMES = 50
"""That a fault lists."""


class FieldFault(Exception):
    """What is wrong with a field: its path, what was found, what was expected."""

    def __init__(self, path: str, found: str, expected: str) -> None:
        self.path = path
        self.said = f"field {excerpt(path, 100)}: {found}; expected {expected}"
        super().__init__(self.said)


class ImportRecord(NamedTuple):
    """A record, its name, and the records of other files that belong to it; None where a join is
    optional and has none."""

    number: int
    key: str
    value: Any
    joined: Mapping[str, ImportRecord | None] = {}

    @property
    def place(self) -> str:
        """Where it stands in its file."""
        outer = self.joined.get(OUTER[1:])
        return (f"record {self.number}" if outer is None
                else f"record {outer.number}, entry {excerpt(self.key)}")


@dataclass
class Making:
    """What there is to say of the making of one file."""

    name: str
    faults: list[str] = field(default_factory=list)
    total: int = 0
    changed: int = 0
    used: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)
    """Records that were joined: the join, and what names them."""

    def add(self, fault: str) -> None:
        self.total += 1
        if len(self.faults) < MOST_SHOWN:
            self.faults.append(fault)

    def raise_if_any(self) -> None:
        if self.total:
            more = self.total - len(self.faults)
            rest = f"\nand {more} more" if more else ""
            raise DataError(f"{self.name} cannot be made:\n" + "\n".join(self.faults) + rest)


def records_of(source: Source, folder: Path, work: Making) -> Iterator[ImportRecord]:
    """The records of a file, or those within them, but for what cannot be read: those are faults.

    Raises DataError for a file that has no records.
    """
    if source.each is None:
        yield from _outer_records(source, folder, work)
        return
    number = 0
    for outer in _outer_records(source, folder, work):
        try:
            listed = at_path(outer.value, source.each)
            if not isinstance(listed, (list, dict)):
                raise FieldFault(source.each, kind_of(listed), "a list or a mapping of records")
        except FieldFault as fault:
            work.add(f"{source.file}: {outer.place}: {fault.said}{alternatives(outer, fault.path)}")
            continue
        for key, value in named(listed):
            number += 1
            yield ImportRecord(number, key, value, {OUTER[1:]: outer})


def _outer_records(source: Source, folder: Path, work: Making) -> Iterator[ImportRecord]:
    """The records of a file but for those that cannot be read, which are faults.

    Raises DataError for a file that has no records.
    """
    content = content_of(source.file, folder)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise DataError(f"{source.file}: line {line}: not UTF-8; expected text") from None
    if source.format == JSON:
        yield from _of_json(source, text)
        return
    lines = text.removesuffix("\n").split("\n") if text else []
    rows = (line.removesuffix("\r") for line in lines)
    if source.format == LINES:
        left_out = source.left_out
        yield from (ImportRecord(number, str(number), row)
                    for number, row in enumerate(rows, start=1) if number not in left_out)
        return
    if source.format != JSONL:
        yield from _of_table(source, rows, work)
        return
    for number, row in enumerate(rows, start=1):
        if not row.strip():
            continue  # as many programs end a file
        try:
            yield ImportRecord(number, str(number), _parsed(row, f"{source.file}: record {number}"))
        except DataError as fault:
            work.add(str(fault))


def _of_table(source: Source, rows: Iterable[str], work: Making) -> Iterator[ImportRecord]:
    quoted = source.quotes or source.format == CSV
    table = _quoted(source, rows) if quoted else (row.split("\t") for row in rows)
    names = next(table, []) if source.header else []
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise DataError(f"{source.file}: line 1: the column {excerpt(twice[0])} twice; expected "
                        "each name once")
    kept = filter(None, table) if source.format == CSV else table
    for number, fields in enumerate(kept, start=1):
        if names and len(fields) != len(names):
            work.add(f"{source.file}: record {number}: {counted(len(fields), 'column')}; expected "
                     f"{len(names)}, as the first line has")
        else:
            yield ImportRecord(number, str(number),
                               dict(zip(names, fields, strict=True)) if names else fields)


def _quoted(source: Source, rows: Iterable[str]) -> Iterator[list[str]]:
    """Fields of which some stand in quotes; those may be several lines long."""
    table = csv.reader((f"{row}\n" for row in rows), strict=True,
                       delimiter="," if source.format == CSV else "\t")
    try:
        yield from table
    except csv.Error as fault:
        raise DataError(f"{source.file}: line {table.line_num}: quotes that cannot be read "
                        f"({fault}); expected fields as programs write them that write CSV"
                        ) from None


def _of_json(source: Source, text: str) -> Iterator[ImportRecord]:
    value = _parsed(text, source.file)
    try:
        found = value if source.records is None else at_path(value, source.records)
        if not isinstance(found, (list, dict)):
            raise FieldFault(source.records or WHOLE, kind_of(found),
                             "a list or a mapping of records")
    except FieldFault as fault:
        beside = alternatives(ImportRecord(1, "1", value), fault.path)
        raise DataError(f"{source.file}: {fault.said}{beside}") from None
    for number, (key, record) in enumerate(named(found), start=1):
        yield ImportRecord(number, key, record)


def named(found: list[Any] | dict[str, Any]) -> Iterable[tuple[str, Any]]:
    """Entries by their names, or else by their numbers from 1."""
    if isinstance(found, dict):
        return found.items()
    return ((str(number), item) for number, item in enumerate(found, start=1))


def content_of(name: str, folder: Path) -> bytes:
    try:
        return (folder / name).read_bytes()
    except OSError as fault:
        raise DataError(f"{name}: cannot be read ({fault.strerror}); fetch it again") from fault


def _parsed(text: str, location: str) -> Any:
    """A JSON value whose numbers are texts as written. Raises DataError for any other."""
    try:
        return json.loads(text, parse_int=str, parse_float=str)
    except RecursionError:
        raise DataError(f"{location}: too many levels; expected one value of JSON") from None
    except json.JSONDecodeError as found:
        raise DataError(f"{location}: no JSON ({found.msg}, line {found.lineno}, column "
                        f"{found.colno}); expected one value of JSON") from None


def by_key(paths: Sequence[str], source: Source, folder: Path, work: Making,
            ) -> dict[tuple[str, ...], ImportRecord]:
    """The records of a file by the fields that name them."""
    found: dict[tuple[str, ...], ImportRecord] = {}
    for entry in records_of(source, folder, work):
        try:
            name = tuple(text_at(entry, path) for path in paths)
            if name in found:
                raise FieldFault(paths[0], f"{names_text(name)} as in {found[name].place}",
                                 "another name for each record")
            found[name] = entry
        except FieldFault as fault:
            work.add(f"{source.file}: {entry.place}: {fault.said}{alternatives(entry, fault.path)}")
    return found


def names_text(texts: Sequence[str]) -> str:
    return " and ".join(map(excerpt, texts))


def value_at(entry: ImportRecord, path: str) -> Any:
    """What stands at a path of a record; None where it, or its end, is missing."""
    if path == KEY:
        return entry.key
    if path.startswith("@"):
        name, _, rest = path[1:].partition(".")
        if name not in entry.joined:
            raise FieldFault(path, f"no join {excerpt(name)}", "the name of a join, or @key")
        found = entry.joined[name]
        if found is None or rest.startswith("@"):
            return None if found is None else value_at(found, rest)
        return at_path(found.value, rest or WHOLE, f"@{name}")
    return at_path(entry.value, path)


def at_path(value: Any, path: str, outer: str = "") -> Any:
    """What stands at a path of a value; None where it is missing there.

    ``outer``: the path of the value itself, for messages.
    """
    if path == WHOLE:
        return value
    passed = [outer] if outer else []
    whole = ".".join([*passed, path])
    for name in path.split("."):
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list):
            index = _place(name)
            if index is None:
                raise FieldFault(whole, f"a list at {'.'.join(passed) or WHOLE}",
                                 f"a mapping with {excerpt(name)}")
            value = value[index] if index < len(value) else None
        elif value is None:
            return None
        else:
            raise FieldFault(whole, f"{kind_of(value)} at {'.'.join(passed) or WHOLE}",
                             f"something with {excerpt(name)} in it")
        passed.append(name)
    return value


def alternatives(entry: ImportRecord, path: str) -> str:
    """What else a record has where it lacks what a path names: "; there are ...", or nothing."""
    if path.startswith("@"):
        name, _, path = path[1:].partition(".")
        joined = entry.joined.get(name)
        if joined is None:
            return ""
        entry = joined
    value = entry.value
    for name in path.split(".") if path != WHOLE else ():
        if isinstance(value, dict) and value:
            if name not in value:
                names = ", ".join(key[:100] for key in islice(value, MOST_NAMES))
                return f"; there are {excerpt(names, 200)}"
            value = value[name]
        elif isinstance(value, list) and value and (index := _place(name)) is not None:
            if index >= len(value):
                return f"; there are 0 to {len(value) - 1}"
            value = value[index]
    return ""


def _place(name: str) -> int | None:
    """The place in a list that a part of a path names; None for a name."""
    return int(name) if name.isascii() and name.isdigit() and len(name) < 9 else None


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    kinds = {dict: "a mapping", list: "a list", bool: "true or false", type(None): "nothing there"}
    return kinds.get(type(value)) or f"the text {excerpt(str(value))}"


def text_at(entry: ImportRecord, path: str) -> str:
    return as_text(value_at(entry, path), path)


def as_text(value: Any, path: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        raise FieldFault(path, kind_of(value), "a text or a number")
    return value
