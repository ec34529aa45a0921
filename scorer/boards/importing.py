"""A board's own files, made of the source's as ``import:`` in board.yaml and others.yaml say.

Sources have the digests that the board's maintainers wrote down; no other file is read. Numbers
stay as they are written, and equal sources give equal bytes on every machine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards import LARGEST_GOLD, Board
from scorer.boards.golds import parsed, public_golds
from scorer.boards.import_records import (
    FieldFault,
    ImportRecord,
    as_text,
    at_path,
    by_key,
    content_of,
    kind_of,
    named,
    names_text,
    records_of,
    text_at,
    value_at,
)
from scorer.boards.recipes import (
    INPUTS,
    KEY,
    LISTING,
    OUTER,
    REFERENCE,
    TEXT,
    TRIPLES,
    Column,
    Nodes,
    Recipe,
)
from scorer.core.errors import DataError, Problem, counted, excerpt
from scorer.core.files import write_atomically
from scorer.core.reading.characters import UNWELCOME
from scorer.core.reading.tsv import File

MOST_SHOWN = 20
"""Faults of one file that are written out."""


class ImportedFile(NamedTuple):
    """A file that was made."""

    path: Path
    rows: int


class Target(NamedTuple):
    """The split whose items predictions answer."""

    split: str
    inputs: tuple[Mapping[str, str], ...]
    """Of each item: its input texts by the names of their columns."""
    counts: tuple[int, ...]
    """Of each item: how many gold answers it has."""


Cells = list[tuple[str, str]]
"""The columns of a row: the path that each was taken from, and its text."""


def make(board: Board, home: Path, have: Collection[str]) -> list[ImportedFile]:
    """Make every file of which all sources are at hand; those of predictions also need the gold.

    ``have``: the paths of those downloads that are there with the right digest; no other file is
    read. Raises DataError with everything that is wrong; a file with a fault is not written.
    """
    folder = home / "data" / board.id
    made, faults = [], []
    for recipe in board.recipes:
        if not all(name in have for name in recipe.files):
            continue
        try:
            target = _target(board, recipe.split, home) if recipe.split is not None else None
            if recipe.split is not None and target is None:
                continue
            content = made_of(recipe, folder, board.folder, target)
            _check_gold(board, recipe, folder, content)
            write_atomically(folder / recipe.to, content)
            made.append(ImportedFile(folder / recipe.to, content.count(b"\n")))
        except DataError as fault:
            faults.append(str(fault))
    if faults:
        raise DataError("\n".join(dict.fromkeys(faults)))
    return made


def _target(board: Board, split: str, home: Path) -> Target | None:
    """A split with public gold, as files of predictions are held against it; None if not at hand.

    Raises DataError if the file is not the one that the board names.
    """
    read = public_golds(board, split, home)
    if read is None:
        return None
    golds = (read.before or read).items
    names = board.task.input_columns
    return Target(split, tuple(dict(zip(names, gold.texts, strict=True)) for gold in golds),
                  tuple(map(board.task.gold_count, golds)))


def made_of(recipe: Recipe, folder: Path, own: Path | None = None, target: Target | None = None,
            ) -> bytes:
    """The bytes of one file, of sources in a folder; ``own``: the board's, where its rows are.

    ``target``: the split, for predictions. Raises DataError with every fault.
    """
    faults: list[str] = []
    lines = [("\t".join(text for _, text in cells) + "\n").encode()
             for _, cells in _rows(recipe, folder, own or folder, target, faults)]
    _raise_if_any(recipe, faults)
    return b"".join(lines)


def _raise_if_any(recipe: Recipe, faults: Sequence[str]) -> None:
    if faults:
        more = len(faults) - MOST_SHOWN
        raise DataError("\n".join([f"{recipe.to} cannot be made:", *faults[:MOST_SHOWN],
                                   *([f"and {more} more"] if more > 0 else [])]))


def _rows(recipe: Recipe, folder: Path, own: Path, target: Target | None, faults: list[str],
          ) -> Iterator[tuple[ImportRecord, Cells]]:
    """Every row that can be made, with the record it is made of; the others are faults."""
    tables = {join.name: by_key(join.key, join.source, folder, faults) for join in recipe.join}
    used: dict[str, set[tuple[str, ...]]] = {name: set() for name in tables}
    entries = _chosen(recipe, folder, own, faults, target)
    if target is not None:
        entries = _of_items(recipe, list(entries), target, faults)
    for row, entry in enumerate(entries):
        whole = entry
        try:
            if not all(text_at(entry, clause.field) in clause.values for clause in recipe.where):
                continue
            joined = dict(entry.joined)
            for join in recipe.join:
                name = tuple(text_at(entry, path) for path in join.matches)
                if name not in tables[join.name] and not join.optional:
                    raise FieldFault(names_text(name), f"a record of that name in "
                                     f"{join.source.file}").at(join.matches[0])
                used[join.name].add(name)
                joined[join.name] = tables[join.name].get(name)
            whole = entry._replace(joined=joined)
            if target is not None:
                _check(recipe, whole, row, target)
            cells = [cell for column in recipe.columns for cell in _cells(column, whole)]
        except FieldFault as fault:
            faults.append(f"{_place_of(recipe, whole, fault.path)}: {fault}")
            continue
        yield whole, cells
    for join in recipe.join if target is not None and not faults else ():
        known = tables[join.name]
        unused = [entry for name, entry in known.items() if name not in used[join.name]]
        if len(unused) == len(known):
            faults.append(f"{join.source.file}: {counted(len(known), 'record')}, of no item; "
                          "expected records of the split's items")
        elif not join.more:
            faults += [f"{join.source.file}: {entry.place}: of no item; expected records of the "
                       "split's items alone" for entry in unused]


def _check_gold(board: Board, recipe: Recipe, folder: Path, content: bytes) -> None:
    """Raise DataError, with record and field of the source, where what was made is no gold."""
    if not any(part.file == recipe.to and part.gold == "public" for part in board.splits.values()):
        return
    problems = parsed(board, File(content, recipe.to, LARGEST_GOLD))[1]
    wrong: dict[int, list[Problem]] = {}
    for problem in problems.kept:
        wrong.setdefault(problem.line, []).append(problem)
    faults = []
    rows = _rows(recipe, folder, board.folder, None, []) if wrong else ()
    for line, (entry, cells) in enumerate(rows, start=1):
        for problem in wrong.get(line, ()):
            before = "\t".join(text for _, text in cells)[: problem.column - 1]
            path = cells[min(before.count("\t"), len(cells) - 1)][0]
            faults.append(f"{_place_of(recipe, entry, path)}: field {excerpt(path, 100)}: "
                          f"{problem.rule} {problem.found}; expected {problem.expected}")
    _raise_if_any(recipe, faults)


def _place_of(recipe: Recipe, entry: ImportRecord, path: str) -> str:
    """The file and the record in which a path of an entry ends."""
    name = path[1:].partition(".")[0] if path.startswith("@") else ""
    joined = entry.joined.get(name)
    if joined is None or name == OUTER[1:]:
        file = recipe.source.file or "the split's items"
        return f"{file}: {entry.place}"
    [file] = [join.source.file for join in recipe.join if join.name == name]
    return f"{file}: {joined.place}"


def _chosen(recipe: Recipe, folder: Path, own: Path, faults: list[str], target: Target | None,
            ) -> Iterable[ImportRecord]:
    """The records that may make rows, in their order. Raises DataError for one that is not there.
    """
    if recipe.source.format == INPUTS:
        assert target is not None
        return (ImportRecord(number, str(number), item)
                for number, item in enumerate(target.inputs, start=1))
    if recipe.rows is None:
        return records_of(recipe.source, folder, faults)
    known = {str(entry.number): entry for entry in records_of(recipe.source, folder, faults)}
    _raise_if_any(recipe, faults)
    numbers = content_of(recipe.rows, own).decode(errors="replace").split()
    odd = [text for text in numbers if text not in known]
    if odd or len(set(numbers)) < len(numbers):
        raise DataError(f"{recipe.rows}: {excerpt(odd[0]) if odd else 'a number twice'}; expected "
                        f"numbers of records of {recipe.source.file}, each once")
    return [known[text] for text in numbers]


# ---- predictions and the split they answer -------------------------------------------------


def _of_items(recipe: Recipe, entries: Sequence[ImportRecord], target: Target, faults: list[str],
              ) -> Sequence[ImportRecord]:
    """One record for each item. Another number of records is a fault, and so are records of one
    item that differ.
    """
    each = recipe.one_a == REFERENCE
    expected = sum(target.counts) if each else len(target.inputs)
    if len(entries) != expected and not faults:
        faults.append(f"{recipe.source.file}: {counted(len(entries), 'record')}; expected "
                      f"{expected}, one for each {recipe.one_a} of {target.split}")
    if not each:
        return entries[: len(target.inputs)]
    kept: list[ImportRecord] = []
    start = 0
    for item, count in enumerate(target.counts, start=1):
        group = entries[start : start + count]
        start += count
        odd = [entry for entry in group if _bare(entry.value) != _bare(group[0].value)]
        if odd:
            faults.append(f"{recipe.source.file}: {odd[0].place}: {excerpt(str(odd[0].value))}; "
                          f"expected the same as in {group[0].place}, for both are of item {item}")
        kept += group[:1]
    return kept


def _bare(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _check(recipe: Recipe, entry: ImportRecord, row: int, target: Target) -> None:
    """Raise FieldFault if a record is not that of the item in its place; ``row``: from 0."""
    for check in recipe.checks:
        text = text_at(entry, check.field)
        expected = check.expected({"place": str(row), **target.inputs[row]})
        if not (text == expected if check.equals else text.startswith(expected)):
            how = "" if check.equals else "a text that begins with "
            raise FieldFault(excerpt(text, 200), f"{how}{excerpt(expected, 200)}, as item "
                             f"{row + 1} of {target.split} is").at(check.field)


# ---- columns of a record -------------------------------------------------------------------

BETWEEN = " | "
"""Between the entries of a listing."""
_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_UNFIT = str.maketrans({"(": "[", ")": "]", ";": ","})
"""What stands for signs that the notation of graphs needs for itself."""


def _cells(column: Column, entry: ImportRecord) -> Cells:
    """The columns that one column of a recipe makes of a record."""
    path = column.each or column.field
    try:
        return [(path, text) for text in _texts(column, entry)]
    except FieldFault as fault:
        raise fault.at(path) from None


def _texts(column: Column, entry: ImportRecord) -> Iterator[str]:
    if column.each is None:
        value = value_at(entry, column.field)
        if not (column.optional and _is_empty(value)):
            yield _text(column, value, column.nodes and value_at(entry, column.nodes.field))
        return
    listed = value_at(entry, column.each)
    if not isinstance(listed, list) or not listed:
        raise FieldFault(kind_of(listed) if listed else "nothing there",
                         "a list with an entry or more")
    path = column.highest_first
    for item in listed if path is None else sorted(listed, key=lambda item: -_number(item, path)):
        yield _text(column, at_path(item, column.field),
                    column.nodes and at_path(item, column.nodes.field))


def _number(item: Any, path: str) -> float:
    content = at_path(item, path)
    try:
        number = float(content) if isinstance(content, str) else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise FieldFault(f"{kind_of(content)} at {path}", "a number")
    return number


def _is_empty(value: Any) -> bool:
    return value in (None, "", [], {}) or (isinstance(value, str) and not value.strip())


def _text(column: Column, value: Any, nodes: Any) -> str:
    """What a column holds of a value; ``nodes``: those of a graph whose edges have their ids."""
    if column.default is not None and _is_empty(value):
        return column.default
    if column.form == TEXT:
        text = _plain(column, as_text(value))
    elif column.form == LISTING:
        text = BETWEEN.join(_tidy(entry).replace(BETWEEN, " / ")
                            for entry in _listing(column, value))
    else:
        edges = _triples(column, value, nodes) if column.form == TRIPLES else _steps(
            column, as_text(value))
        text = "".join(f"({'; '.join(edge)})" for edge in edges)
    if not text and column.default is None:
        raise FieldFault("nothing in it", "something, or a default for nothing")
    return text or str(column.default)


def _plain(column: Column, text: str) -> str:
    if column.after is not None:
        _, words, text = text.rpartition(column.after)
        if not words:
            raise FieldFault(excerpt(text), f"a text with {excerpt(column.after)} in it")
    text = _tidy(text)
    if column.values and text not in column.values:
        raise FieldFault(excerpt(text), "one of: " + ", ".join(column.values))
    return column.values[text] if column.values else text


def _listing(column: Column, value: Any) -> Iterator[str]:
    if not value:
        raise FieldFault("nothing there", "a list or a mapping with an entry or more")
    for name, item in named(value):
        text = ": ".join(as_text(at_path(item, part)) for part in column.parts or (".",))
        yield f"{name}: {text}" if isinstance(value, dict) else text


def _triples(column: Column, value: Any, listed: Any) -> Iterator[tuple[str, ...]]:
    if not isinstance(value, list):
        raise FieldFault(kind_of(value), "a list of edges")
    nodes = None if column.nodes is None else _node_texts(column.nodes, listed)
    for edge in value:
        source, relation, target = (as_text(at_path(edge, part))
                                    for part in column.parts or ("0", "1", "2"))
        if column.words:
            relation = _INNER_CAPITAL.sub(" ", relation).lower()
        if nodes is not None:
            for node in (source, target):
                if node not in nodes:
                    raise FieldFault(excerpt(node), "the id of a node")
            source, target = nodes[source], nodes[target]
        yield _part(source), _part(relation), _part(target)


def _node_texts(nodes: Nodes, listed: Any) -> dict[str, str]:
    """The concepts that stand for the ids of nodes."""
    texts: dict[str, str] = {}
    try:
        for key, node in named(listed):
            name = key if nodes.id == KEY else as_text(at_path(node, nodes.id))
            if name in texts:
                raise FieldFault(f"the id {excerpt(name)} again", "an id of its own for each node")
            if nodes.ids and (": " in name or _part(name) != name):
                raise FieldFault(f"the id {excerpt(name)}", "an id that can stand before `: `: "
                                 "without that sign, brackets, semicolons and odd blanks")
            text = as_text(at_path(node, nodes.text))
            texts[name] = f"{name}: {text}" if nodes.ids else text
    except FieldFault as fault:
        raise fault.at(nodes.field) from None
    return texts


def _steps(column: Column, text: str) -> Iterator[tuple[str, ...]]:
    """Edges from each premise of a step to its conclusion; a step that lacks a part is an error."""
    steps = column.steps
    assert steps is not None
    for number, step in enumerate(
            _tidy(text).removeprefix((steps.before or "").strip()).split(";"), start=1):
        if not step.strip():
            continue
        before, arrow, conclusion = step.partition("->")
        premises = before.split("&")
        if steps.loose and not all(part.strip() for part in (*premises, arrow, conclusion)):
            yield (_part(step),)
            continue
        if not arrow or ("->" in conclusion and not steps.loose):
            raise FieldFault(f"step {number} {'with two' if arrow else 'without'} ->",
                             "premises -> conclusion")
        for premise in premises:
            yield _part(premise), steps.relation, _part(conclusion)


def _part(text: str) -> str:
    """A text as a part of an edge: without the signs that edges are written with."""
    fit = " ".join(_tidy(text).translate(_UNFIT).split())
    if not fit:
        raise FieldFault("an empty part of an edge", "a text")
    return fit


def _tidy(text: str) -> str:
    """A text as a column can hold it: blanks for tabs and line ends, no invisible characters."""
    return UNWELCOME.sub("", " ".join(text.replace("\t", " ").splitlines())).strip(" ")
