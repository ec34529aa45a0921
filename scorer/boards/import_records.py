"""Records of a source's files as recipes read them, and what stands at a path of a record.

What is wrong is collected with its file, record and field, all of it at once.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards.recipes import CSV, JSON, JSONL, KEY, LINES, OUTER, WHOLE, Source
from scorer.core.errors import DataError, counted, excerpt


class FieldFault(Exception):
    """What was found at a field, and what was expected; ``path`` is set where it is known."""

    path = ""

    def __init__(self, found: str, expected: str) -> None:
        super().__init__(f"{found}; expected {expected}")

    def at(self, path: str) -> FieldFault:
        """The same at a path, unless it has one."""
        self.path = self.path or path
        return self

    def __str__(self) -> str:
        return f"field {excerpt(self.path, 100)}: {self.args[0]}"


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


def records_of(source: Source, folder: Path, faults: list[str]) -> Iterator[ImportRecord]:
    """The records of a file, or those within them, but for what cannot be read: those are faults.

    Raises DataError for a file that has no records.
    """
    number = 0
    for outer in _records_of_file(source, folder, faults):
        if source.each is None:
            yield outer
            continue
        try:
            inner = named(at_path(outer.value, source.each))
        except FieldFault as fault:
            faults.append(f"{source.file}: {outer.place}: {fault.at(source.each)}")
            continue
        for key, value in inner:
            number += 1
            yield ImportRecord(number, key, value, {OUTER[1:]: outer})


def _records_of_file(source: Source, folder: Path, faults: list[str]) -> Iterator[ImportRecord]:
    content = content_of(source.file, folder)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = content.count(b"\n", 0, fault.start) + 1
        raise DataError(f"{source.file}: line {line}: not UTF-8; expected text") from None
    if source.format == JSON:
        yield from _of_json(source, text)
        return
    rows = (row.removesuffix("\r") for row in
            (text.removesuffix("\n").split("\n") if text else ()))
    if source.format == LINES:
        left_out = source.left_out
        yield from (ImportRecord(number, str(number), row)
                    for number, row in enumerate(rows, start=1) if number not in left_out)
    elif source.format == JSONL:
        for number, row in enumerate(rows, start=1):
            try:
                if row.strip():  # many programs end a file with an empty line
                    yield ImportRecord(number, str(number),
                                       _parsed(row, f"{source.file}: record {number}"))
            except DataError as fault:
                faults.append(str(fault))
    else:
        yield from _of_table(source, rows, faults)


def _of_table(source: Source, rows: Iterable[str], faults: list[str]) -> Iterator[ImportRecord]:
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
            faults.append(f"{source.file}: record {number}: {counted(len(fields), 'column')}; "
                          f"expected {len(names)}, as the first line has")
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
    path = source.records or WHOLE
    try:
        entries = named(at_path(_parsed(text, source.file), path))
    except FieldFault as fault:
        raise DataError(f"{source.file}: {fault.at(path)}") from None
    for number, (key, record) in enumerate(entries, start=1):
        yield ImportRecord(number, key, record)


def named(listed: Any) -> Iterable[tuple[str, Any]]:
    """Entries by their names, or else by their numbers from 1. Raises FieldFault for no entries."""
    if isinstance(listed, dict):
        return listed.items()
    if isinstance(listed, list):
        return ((str(number), item) for number, item in enumerate(listed, start=1))
    raise FieldFault(kind_of(listed), "a list or a mapping")


def content_of(name: str, folder: Path) -> bytes:
    """The bytes of a file. Raises DataError."""
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
    except json.JSONDecodeError as fault:
        raise DataError(f"{location}: no JSON ({fault.msg}, line {fault.lineno}, column "
                        f"{fault.colno}); expected one value of JSON") from None


def by_key(paths: Sequence[str], source: Source, folder: Path, faults: list[str],
           ) -> dict[tuple[str, ...], ImportRecord]:
    """The records of a file by the fields that name them."""
    records: dict[tuple[str, ...], ImportRecord] = {}
    for entry in records_of(source, folder, faults):
        try:
            name = tuple(text_at(entry, path) for path in paths)
            if name in records:
                raise FieldFault(f"{names_text(name)} as in {records[name].place}",
                                 "another name for each record").at(paths[0])
            records[name] = entry
        except FieldFault as fault:
            faults.append(f"{source.file}: {entry.place}: {fault}")
    return records


def names_text(texts: Sequence[str]) -> str:
    """The fields that name a record, in a message."""
    return " and ".join(map(excerpt, texts))


def value_at(entry: ImportRecord, path: str) -> Any:
    """What stands at a path of a record; None where it, or its end, is missing."""
    if path == KEY:
        return entry.key
    if not path.startswith("@"):
        return at_path(entry.value, path)
    name, _, rest = path[1:].partition(".")
    if name not in entry.joined:
        raise FieldFault(f"no join {excerpt(name)}", "the name of a join, or @key")
    joined = entry.joined[name]
    return None if joined is None else value_at(joined, rest or WHOLE)


def at_path(value: Any, path: str) -> Any:
    """What stands at a path of a value; None where it is missing there."""
    for name in path.split(".") if path != WHOLE else ():
        if value is None:
            return None
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list) and name.isascii() and name.isdigit():
            value = value[int(name)] if len(name) < 9 and int(name) < len(value) else None
        else:
            raise FieldFault(kind_of(value), f"something with {excerpt(name)} in it")
    return value


def kind_of(value: Any) -> str:
    """What a value is, in words."""
    kinds = {dict: "a mapping", list: "a list", bool: "true or false", type(None): "nothing there"}
    return kinds.get(type(value)) or f"the text {excerpt(str(value))}"


def text_at(entry: ImportRecord, path: str) -> str:
    """The text at a path of a record. Raises FieldFault for anything else."""
    try:
        return as_text(value_at(entry, path))
    except FieldFault as fault:
        raise fault.at(path) from None


def as_text(value: Any) -> str:
    """A text as it is. Raises FieldFault for anything else."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        raise FieldFault(kind_of(value), "a text or a number")
    return value
