"""A board's own files, made of the source's as ``import:`` in board.yaml and others.yaml say.

Sources have the digests that the board's maintainers wrote down; no other file is read. Numbers
stay as they are written, and equal sources give equal bytes on every machine. What is wrong is
reported with its file, record and field, all of it at once.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards import LARGEST_GOLD, Board
from scorer.boards.golds import parsed, read_golds
from scorer.boards.recipes import (
    CSV,
    INPUTS,
    JSON,
    JSONL,
    KEY,
    LINES,
    LISTING,
    OUTER,
    REFERENCE,
    STEPS,
    TEXT,
    WHOLE,
    Column,
    Nodes,
    Recipe,
    Source,
    Steps,
)
from scorer.core.errors import DataError, Problem, counted, excerpt
from scorer.core.files import write_atomically
from scorer.core.reading.characters import UNWELCOME
from scorer.core.reading.tsv import File

MOST_SHOWN = 20
MOST_FAULTS = 1000
"""Of one file; no more are looked for."""
MOST_NAMES = 50
"""That a fault lists."""
BETWEEN = " | "
"""Between the entries of a listing."""
_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_UNFIT = str.maketrans({"(": "[", ")": "]", ";": ","})
"""What stands for signs that the notation of graphs needs for itself."""


@dataclass(frozen=True)
class Made:
    """A file that was made."""

    path: Path
    rows: int
    changed: int
    """Texts with characters that were left out or replaced, for no row can hold them."""


class _Wrong(Exception):
    """What is wrong with a field: its path, what was found, what was expected."""

    def __init__(self, path: str, found: str, expected: str) -> None:
        self.path = path
        self.said = f"field {excerpt(path, 100)}: {found}; expected {expected}"
        super().__init__(self.said)


class Entry(NamedTuple):
    """A record, its name, and the records of other files that belong to it; None where a join is
    optional and has none."""

    number: int
    key: str
    value: Any
    joined: Mapping[str, Entry | None] = {}

    @property
    def place(self) -> str:
        """Where it stands in its file."""
        outer = self.joined.get(OUTER[1:])
        return (f"record {self.number}" if outer is None
                else f"record {outer.number}, entry {excerpt(self.key)}")


@dataclass(frozen=True)
class Target:
    """The split whose items predictions answer."""

    split: str
    inputs: tuple[Mapping[str, str], ...]
    """Of each item: its input texts by the names of their columns."""
    counts: tuple[int, ...]
    """Of each item: how many gold answers it has."""


Tables = Mapping[str, dict[tuple[str, ...], Entry]]
"""The records of each join by what names them."""


@dataclass
class _Work:
    """What there is to say of the making of one file."""

    name: str
    faults: list[str] = field(default_factory=list)
    total: int = 0
    changed: int = 0
    used: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)
    """Records that were joined: the join, and what names them."""

    def add(self, fault: str) -> None:
        """Raises DataError where there have been enough of them."""
        self.total += 1
        if len(self.faults) < MOST_SHOWN:
            self.faults.append(fault)
        if self.total == MOST_FAULTS:
            self.raise_if_any()

    def raise_if_any(self) -> None:
        if self.total:
            more = self.total - len(self.faults)
            rest = (f"\nand {more} more" if more else "") + (
                ", perhaps others" if self.total == MOST_FAULTS else "")
            raise DataError(f"{self.name} cannot be made:\n" + "\n".join(self.faults) + rest)


def make(board: Board, home: Path, have: Collection[str]) -> list[Made]:
    """Make every file of which all sources are at hand; those of predictions also need the gold.

    ``have``: the paths of those downloads that are there with the right digest; no other file is
    read. Raises DataError with everything that is wrong; a file with a fault is not written.
    """
    folder = home / "data" / board.id
    targets: dict[str, Target | None] = {}
    made, faults = [], []
    for recipe in board.recipes:
        if not all(name in have for name in recipe.files):
            continue
        try:
            if recipe.split is not None and recipe.split not in targets:
                targets[recipe.split] = target_of(board, recipe.split, home)
            target = targets[recipe.split] if recipe.split is not None else None
            if recipe.split is None or target is not None:
                content, found = made_of(recipe, folder, board.folder, target)
                _check_gold(board, recipe, folder, content)
                write_atomically(folder / recipe.to, content)
                made.append(found)
        except DataError as fault:
            faults.append(str(fault))
    if faults:
        raise DataError("\n".join(dict.fromkeys(faults)))
    return made


def target_of(board: Board, split: str, home: Path) -> Target | None:
    """A split with public gold, as files of predictions are held against it; None if not at hand.

    Raises DataError if the file is not the one that the board names.
    """
    path = board.data_file(split, home)
    if path is None:
        return None
    golds = read_golds(board, split, path, with_errata=False).items
    names = board.task.input_columns
    return Target(split, tuple(dict(zip(names, gold.texts, strict=True)) for gold in golds),
                  tuple(map(board.task.gold_count, golds)))


def made_of(recipe: Recipe, folder: Path, own: Path | None = None, target: Target | None = None,
            ) -> tuple[bytes, Made]:
    """The bytes of one file, of sources in a folder; ``own``: the board's, where its rows are.

    ``target``: the split, for predictions. Raises DataError with every fault.
    """
    work = _Work(recipe.to)
    lines = [("\t".join(text for _, text in cells) + "\n").encode()
             for _, cells in _rows(recipe, folder, own or folder, target, work)]
    work.raise_if_any()
    return b"".join(lines), Made(folder / recipe.to, len(lines), work.changed)


Cells = list[tuple[str, str]]
"""The columns of a row: the path that each was taken from, and its text."""


def _rows(recipe: Recipe, folder: Path, own: Path, target: Target | None, work: _Work,
          ) -> Iterator[tuple[Entry, Cells]]:
    """Every row that can be made, with the record it is made of; the others are faults."""
    tables = {one.name: _by_key(one.key, one.source, folder, work) for one in recipe.join}
    entries: Iterable[Entry] = _chosen(recipe, folder, own, work, target)
    if target is not None:
        entries = _of_items(recipe, list(entries), target, work)
    for row, entry in enumerate(entries):
        whole = entry
        try:
            if not all(_text_at(entry, one.field) in one.values for one in recipe.where):
                continue
            whole = _joined(recipe, entry, tables, work)
            if target is not None:
                _check(recipe, whole, row, target)
            cells = [cell for column in recipe.columns for cell in _texts(column, whole, work)]
        except _Wrong as fault:
            work.add(f"{_place_of(recipe, whole, fault.path)}: {fault.said}"
                     f"{_beside(whole, fault.path)}")
            continue
        yield whole, cells
    if target is not None:
        _tell_unused(recipe, tables, target, work)


def _check_gold(board: Board, recipe: Recipe, folder: Path, content: bytes) -> None:
    """Raise DataError, with record and field of the source, where what was made is no gold."""
    if not any(one.file == recipe.to and one.gold == "public" for one in board.splits.values()):
        return
    problems = parsed(board, File(content, recipe.to, LARGEST_GOLD))[1]
    if not problems.total:
        return
    work = _Work(recipe.to)
    wrong: dict[int, list[Problem]] = {}
    for one in problems.kept:
        wrong.setdefault(one.line, []).append(one)
    rows = _rows(recipe, folder, board.folder, None, _Work(recipe.to))
    for line, (entry, cells) in enumerate(rows, start=1):
        for one in wrong.get(line, ()):
            before = "\t".join(text for _, text in cells)[: one.column - 1]
            path = cells[min(before.count("\t"), len(cells) - 1)][0]
            work.add(f"{_place_of(recipe, entry, path)}: field {excerpt(path, 100)}: {one.rule} "
                     f"{one.found}; expected {one.expected}")
    work.total = problems.total
    work.raise_if_any()


def _shown(source: Source) -> str:
    return source.file or "the split's items"


def _place_of(recipe: Recipe, entry: Entry, path: str) -> str:
    """The file and the record in which a path of an entry ends."""
    name = path[1:].partition(".")[0] if path.startswith("@") else ""
    joined = entry.joined.get(name)
    if joined is None or name == OUTER[1:]:
        return f"{_shown(recipe.source)}: {entry.place}"
    [file] = [one.source.file for one in recipe.join if one.name == name]
    return f"{file}: {joined.place}"


def _chosen(recipe: Recipe, folder: Path, own: Path, work: _Work, target: Target | None,
            ) -> Iterable[Entry]:
    """The records that may make rows, in their order. Raises DataError for one that is not there.
    """
    if recipe.source.format == INPUTS:
        assert target is not None
        return (Entry(number, str(number), item)
                for number, item in enumerate(target.inputs, start=1))
    if recipe.rows is None:
        return _records(recipe.source, folder, work)
    known = {str(entry.number): entry for entry in _records(recipe.source, folder, work)}
    work.raise_if_any()
    asked = _content(recipe.rows, own).decode(errors="replace").split()
    odd = [text for text in asked if text not in known]
    if odd or len(set(asked)) < len(asked):
        raise DataError(f"{recipe.rows}: {excerpt(odd[0]) if odd else 'a number twice'}; expected "
                        f"numbers of records of {recipe.source.file}, each once")
    return [known[text] for text in asked]


# ---- predictions and the split they answer -------------------------------------------------


def _of_items(recipe: Recipe, entries: Sequence[Entry], target: Target, work: _Work,
              ) -> Sequence[Entry]:
    """One record for each item. Another number of records is a fault, and so are records of one
    item that differ.
    """
    each = recipe.one_a == REFERENCE
    expected = sum(target.counts) if each else len(target.inputs)
    if len(entries) != expected and not work.total:
        work.add(f"{recipe.source.file}: {counted(len(entries), 'record')}; expected {expected}, "
                 f"one for each {recipe.one_a} of {target.split}")
    if not each:
        return entries[: len(target.inputs)]
    kept: list[Entry] = []
    start = 0
    for item, count in enumerate(target.counts, start=1):
        group = entries[start : start + count]
        start += count
        odd = [one for one in group if _bare(one.value) != _bare(group[0].value)]
        if odd:
            work.add(f"{recipe.source.file}: {odd[0].place}: {excerpt(str(odd[0].value))}; "
                     f"expected the same as in {group[0].place}, for both are of item {item}")
        kept += group[:1]
    return kept


def _bare(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _check(recipe: Recipe, entry: Entry, row: int, target: Target) -> None:
    """Raise _Wrong if a record is not that of the item in its place; ``row``: from 0."""
    values = {"row": str(row + 1), "place": str(row), **target.inputs[row]}
    for check in recipe.checks:
        text = _text_at(entry, check.field)
        expected = check.fault(text, values)
        if expected is not None:
            how = "" if check.equals else "a text that begins with "
            raise _Wrong(check.field, excerpt(text, 200), f"{how}{excerpt(expected, 200)}, as item "
                         f"{row + 1} of {target.split} is")


def _tell_unused(recipe: Recipe, tables: Tables, target: Target, work: _Work) -> None:
    """Records of other files that belong to no item are faults, unless there are others; files
    without a record of any item always are.
    """
    if work.total:
        return
    for one in recipe.join:
        known = tables[one.name]
        if not any((one.name, name) in work.used for name in known):
            work.add(f"{one.source.file}: {counted(len(known), 'record')}, of no item of "
                     f"{target.split}; expected records of its items")
            continue
        for name, entry in () if one.more else known.items():
            if (one.name, name) not in work.used:
                work.add(f"{one.source.file}: {entry.place}: of no item of {target.split}; "
                         f"expected records of its items alone")


# ---- records -------------------------------------------------------------------------------


def _records(source: Source, folder: Path, work: _Work) -> Iterator[Entry]:
    """The records of a file, or those within them, but for what cannot be read: those are faults.

    Raises DataError for a file that has no records.
    """
    if source.each is None:
        yield from _outer_records(source, folder, work)
        return
    number = 0
    for outer in _outer_records(source, folder, work):
        try:
            listed = _at(outer.value, source.each)
            if not isinstance(listed, (list, dict)):
                raise _Wrong(source.each, _kind(listed), "a list or a mapping of records")
        except _Wrong as fault:
            work.add(f"{source.file}: {outer.place}: {fault.said}{_beside(outer, fault.path)}")
            continue
        for key, one in _named(listed):
            number += 1
            yield Entry(number, key, one, {OUTER[1:]: outer})


def _outer_records(source: Source, folder: Path, work: _Work) -> Iterator[Entry]:
    """The records of a file but for those that cannot be read, which are faults.

    Raises DataError for a file that has no records.
    """
    content = _content(source.file, folder)
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
        yield from (Entry(number, str(number), row) for number, row in enumerate(rows, start=1)
                    if number not in left_out)
        return
    if source.format != JSONL:
        yield from _of_table(source, rows, work)
        return
    for number, row in enumerate(rows, start=1):
        if not row.strip():
            continue  # as many programs end a file
        try:
            yield Entry(number, str(number), _parsed(row, f"{source.file}: record {number}"))
        except DataError as fault:
            work.add(str(fault))


def _of_table(source: Source, rows: Iterable[str], work: _Work) -> Iterator[Entry]:
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
            yield Entry(number, str(number),
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


def _of_json(source: Source, text: str) -> Iterator[Entry]:
    value = _parsed(text, source.file)
    try:
        found = value if source.records is None else _at(value, source.records)
        if not isinstance(found, (list, dict)):
            raise _Wrong(source.records or WHOLE, _kind(found), "a list or a mapping of records")
    except _Wrong as fault:
        beside = _beside(Entry(1, "1", value), fault.path)
        raise DataError(f"{source.file}: {fault.said}{beside}") from None
    for number, (key, one) in enumerate(_named(found), start=1):
        yield Entry(number, key, one)


def _named(found: list[Any] | dict[str, Any]) -> Iterable[tuple[str, Any]]:
    """Entries by their names, or else by their numbers from 1."""
    if isinstance(found, dict):
        return found.items()
    return ((str(number), one) for number, one in enumerate(found, start=1))


def _content(name: str, folder: Path) -> bytes:
    try:
        return (folder / name).read_bytes()
    except OSError as fault:
        raise DataError(f"{name}: cannot be read ({fault.strerror}); fetch it again") from fault


def _parsed(text: str, place: str) -> Any:
    """A JSON value whose numbers are texts as written. Raises DataError for any other."""
    try:
        return json.loads(text, parse_int=str, parse_float=str, parse_constant=_no_constant,
                          object_pairs_hook=_mapping)
    except RecursionError:
        fault = "too many levels"
    except json.JSONDecodeError as found:
        fault = f"no JSON ({found.msg}, line {found.lineno}, column {found.colno})"
    except ValueError as found:
        fault = str(found)
    raise DataError(f"{place}: {fault}; expected one value of JSON, each name once")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name}, which is no number of JSON")


def _mapping(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {excerpt(twice)} twice")
    return found


def _by_key(paths: Sequence[str], source: Source, folder: Path, work: _Work,
            ) -> dict[tuple[str, ...], Entry]:
    """The records of a file by the fields that name them."""
    found: dict[tuple[str, ...], Entry] = {}
    for entry in _records(source, folder, work):
        try:
            name = tuple(_text_at(entry, path) for path in paths)
            if name in found:
                raise _Wrong(paths[0], f"{_named_by(name)} as in {found[name].place}",
                             "another name for each record")
            found[name] = entry
        except _Wrong as fault:
            work.add(f"{source.file}: {entry.place}: {fault.said}{_beside(entry, fault.path)}")
    return found


def _named_by(texts: Sequence[str]) -> str:
    return " and ".join(map(excerpt, texts))


def _joined(recipe: Recipe, entry: Entry, tables: Tables, work: _Work) -> Entry:
    joined = dict(entry.joined)
    for one in recipe.join:
        name = tuple(_text_at(entry, path) for path in one.matches)
        if name not in tables[one.name] and not one.optional:
            raise _Wrong(one.matches[0], _named_by(name),
                         f"a record of that name in {one.source.file}")
        work.used.add((one.name, name))
        joined[one.name] = tables[one.name].get(name)
    return entry._replace(joined=joined)


# ---- fields --------------------------------------------------------------------------------


def _value(entry: Entry, path: str) -> Any:
    """What stands at a path of a record; None where it, or its end, is missing."""
    if path == KEY:
        return entry.key
    if path.startswith("@"):
        name, _, rest = path[1:].partition(".")
        if name not in entry.joined:
            raise _Wrong(path, f"no join {excerpt(name)}", "the name of a join, or @key")
        found = entry.joined[name]
        if found is None or rest.startswith("@"):
            return None if found is None else _value(found, rest)
        return _at(found.value, rest or WHOLE, f"@{name}")
    return _at(entry.value, path)


def _at(value: Any, path: str, outer: str = "") -> Any:
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
            place = _place(name)
            if place is None:
                raise _Wrong(whole, f"a list at {'.'.join(passed) or WHOLE}",
                             f"a mapping with {excerpt(name)}")
            value = value[place] if place < len(value) else None
        elif value is None:
            return None
        else:
            raise _Wrong(whole, f"{_kind(value)} at {'.'.join(passed) or WHOLE}",
                         f"something with {excerpt(name)} in it")
        passed.append(name)
    return value


def _beside(entry: Entry, path: str) -> str:
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
                names = ", ".join(one[:100] for one in islice(value, MOST_NAMES))
                return f"; there are {excerpt(names, 200)}"
            value = value[name]
        elif isinstance(value, list) and value and (place := _place(name)) is not None:
            if place >= len(value):
                return f"; there are 0 to {len(value) - 1}"
            value = value[place]
    return ""


def _place(name: str) -> int | None:
    """The place in a list that a part of a path names; None for a name."""
    return int(name) if name.isascii() and name.isdigit() and len(name) < 9 else None


def _kind(value: Any) -> str:
    """What a value is, in words."""
    kinds = {dict: "a mapping", list: "a list", bool: "true or false", type(None): "nothing there"}
    return kinds.get(type(value)) or f"the text {excerpt(str(value))}"


def _text_at(entry: Entry, path: str) -> str:
    return _as_text(_value(entry, path), path)


def _as_text(value: Any, path: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        raise _Wrong(path, _kind(value), "a text or a number")
    return value


# ---- columns -------------------------------------------------------------------------------


def _texts(column: Column, entry: Entry, work: _Work) -> Iterator[tuple[str, str]]:
    """The columns that one column of a recipe makes of a record, each with its path."""
    if column.each is None:
        value = _value(entry, column.field)
        if not (column.optional and _is_empty(value)):
            nodes = (None if column.nodes is None else _node_texts(
                column.nodes, _value(entry, column.nodes.field), column.nodes.field))
            yield column.field, _one(column, value, column.field, work, nodes)
        return
    listed = _value(entry, column.each)
    if not isinstance(listed, list) or not listed:
        raise _Wrong(column.each, _kind(listed) if listed else "nothing there",
                     "a list with an entry or more")
    places = list(range(len(listed)))
    if column.highest_first is not None:
        numbers = [_number(one, column.highest_first, f"{column.each}.{place}")
                   for place, one in enumerate(listed)]
        places.sort(key=lambda place: -numbers[place])
    for place in places[: column.most]:
        outer = f"{column.each}.{place}"
        path = outer if column.field == WHOLE else f"{outer}.{column.field}"
        nodes = (None if column.nodes is None else _node_texts(
            column.nodes, _at(listed[place], column.nodes.field, outer),
            f"{outer}.{column.nodes.field}"))
        yield path, _one(column, _at(listed[place], column.field, outer), path, work, nodes)


def _node_texts(nodes: Nodes, listed: Any, path: str) -> dict[str, str]:
    """The concepts that stand for the ids of nodes."""
    if not isinstance(listed, (list, dict)):
        raise _Wrong(path, _kind(listed), "a list or a mapping of nodes")
    found: dict[str, str] = {}
    for place, (key, one) in enumerate(_named(listed)):
        at = f"{path}.{key if isinstance(listed, dict) else place}"
        name = key if nodes.id == KEY else _as_text(_at(one, nodes.id, at), f"{at}.{nodes.id}")
        if name in found:
            raise _Wrong(at, f"the id {excerpt(name)} again", "an id of its own for each node")
        if nodes.ids and (": " in name or UNWELCOME.search(name)
                          or " ".join(name.translate(_UNFIT).split()) != name or not name):
            raise _Wrong(at, f"the id {excerpt(name)}", "an id that can stand before `: `: without "
                         "that sign, brackets, semicolons and odd blanks")
        text = _as_text(_at(one, nodes.text, at), at if nodes.text == WHOLE else
                        f"{at}.{nodes.text}")
        found[name] = f"{name}: {text}" if nodes.ids else text
    return found


def _number(value: Any, path: str, where: str) -> float:
    found = _at(value, path, where)
    try:
        number = float(found) if isinstance(found, str) else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise _Wrong(f"{where}.{path}", _kind(found), "a number")
    return number


def _one(column: Column, value: Any, path: str, work: _Work, nodes: Mapping[str, str] | None,
         ) -> str:
    if column.default is not None and _is_empty(value):
        return column.default
    if column.form == TEXT:
        return _plain(column, _behind(column, _as_text(value, path), path), path, work)
    if column.form == LISTING:
        return BETWEEN.join(_entry(one, work) for one in _listing(column, value, path))
    if column.form == STEPS:
        assert column.steps is not None
        edges = list(_steps(column.steps, _as_text(value, path), path, work))
    else:
        edges = list(_triples(column, value, path, work, nodes))
    if not edges and column.default is not None:
        return column.default
    if not edges:
        raise _Wrong(path, "no edge", "an edge or more, or a default for none")
    return "".join(f"({'; '.join(edge)})" for edge in edges)


def _behind(column: Column, text: str, path: str) -> str:
    """What stands behind the words that a column's text follows, if it follows any."""
    if column.after is None:
        return text
    _, words, behind = text.rpartition(column.after)
    if not words:
        raise _Wrong(path, excerpt(text), f"a text with {excerpt(column.after)} in it")
    return behind


def _is_empty(value: Any) -> bool:
    return value in (None, "", [], {}) or (isinstance(value, str) and not value.strip())


def _plain(column: Column, text: str, path: str, work: _Work) -> str:
    text = _tidy(text, work)
    if not column.values:
        if not text and column.default is None:
            raise _Wrong(path, "an empty text", "a text")
        return text or str(column.default)
    if text not in column.values:
        raise _Wrong(path, excerpt(text), "one of: " + ", ".join(column.values))
    return column.values[text]


def _listing(column: Column, value: Any, path: str) -> Iterator[str]:
    def text(one: Any, at: str) -> str:
        if not column.parts:
            return _as_text(one, at)
        return ": ".join(_as_text(_at(one, part, at), f"{at}.{part}") for part in column.parts)

    if isinstance(value, dict) and value:
        yield from (f"{name}: {text(one, f'{path}.{name}')}" for name, one in value.items())
    elif isinstance(value, list) and value:
        yield from (text(one, f"{path}.{place}") for place, one in enumerate(value))
    else:
        raise _Wrong(path, _kind(value) if value else "nothing there",
                     "a list or a mapping with an entry or more")


def _triples(column: Column, value: Any, path: str, work: _Work, nodes: Mapping[str, str] | None,
             ) -> Iterator[tuple[str, ...]]:
    if not isinstance(value, list):
        raise _Wrong(path, _kind(value), "a list of edges")
    for place, edge in enumerate(value):
        parts = []
        for number, part in enumerate(column.parts or ("0", "1", "2")):
            at = f"{path}.{place}.{part}"
            text = _as_text(_at(edge, part, f"{path}.{place}"), at)
            if number == 1 and column.relations:
                if text not in column.relations:
                    raise _Wrong(at, excerpt(text), "one of the relations")
                text = column.relations[text]
            elif number == 1 and column.words:
                text = _INNER_CAPITAL.sub(" ", text).lower()
            elif number != 1 and nodes is not None:
                if text not in nodes:
                    raise _Wrong(at, excerpt(text), "the id of a node" + (
                        "" if nodes else ", of which there is none"))
                text = nodes[text]
            parts.append(_node(text, at, work))
        yield tuple(parts)


def _steps(steps: Steps, text: str, path: str, work: _Work) -> Iterator[tuple[str, ...]]:
    """Edges from each premise of a step to its conclusion; a step that lacks a part is an error."""
    text = _tidy(text, work)
    if steps.before is not None:
        text = text.removeprefix(steps.before.strip())
    for number, step in enumerate(text.split(steps.between), start=1):
        if not step.strip():
            continue
        before, arrow, conclusion = step.partition(steps.arrow)
        premises = before.split(steps.premises)
        if steps.loose and not all(part.strip() for part in (*premises, arrow, conclusion)):
            yield (_node(step, path, work),)
            continue
        if not arrow or (steps.arrow in conclusion and not steps.loose):
            raise _Wrong(path, f"step {number} {'with two' if arrow else 'without'} {steps.arrow}",
                         f"premises {steps.arrow} conclusion")
        for premise in premises:
            yield (_node(premise, path, work), steps.relation, _node(conclusion, path, work))


def _node(text: str, path: str, work: _Work) -> str:
    """A text as a part of an edge: without the signs that edges are written with."""
    found = " ".join(_tidy(text, work).split(" ")).strip()
    fit = " ".join(found.translate(_UNFIT).split())
    if not fit:
        raise _Wrong(path, "an empty part of an edge", "a text")
    work.changed += fit != found
    return fit


def _entry(text: str, work: _Work) -> str:
    """A text as a listing can hold it: without the sign between its entries."""
    found = _tidy(text, work)
    fit = found.replace(BETWEEN, " / ")
    work.changed += fit != found
    return fit


def _tidy(text: str, work: _Work) -> str:
    """A text as a column can hold it: blanks for tabs and line ends, no invisible characters."""
    flat = " ".join(text.replace("\t", " ").splitlines())
    found = UNWELCOME.sub("", flat).strip(" ")
    work.changed += found != text.strip(" ")
    return found
