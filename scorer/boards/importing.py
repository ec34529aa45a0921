"""A board's own files, made of the source's as ``import:`` in board.yaml and others.yaml say.

Sources have the digests that the board's maintainers wrote down; no other file is read. Numbers
stay as they are written, and equal sources give equal bytes on every machine.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scorer.boards import LARGEST_GOLD, Board, recipes
from scorer.boards.golds import parsed, public_golds
from scorer.boards.import_records import (
    Faults,
    Found,
    ImportFault,
    ImportRecord,
    by_key,
    content_of,
    kind_of,
    names_text,
    records_of,
)
from scorer.boards.recipes import Column, Nodes, Recipe
from scorer.core.errors import DataError, counted, excerpt
from scorer.core.files import write_atomically
from scorer.core.reading.characters import UNWELCOME
from scorer.core.reading.tsv import File, rows_bytes

MOST_SHOWN = 20
"""Faults of one file that are written out."""


class Target(NamedTuple):
    """The split whose items predictions answer."""

    split: str
    inputs: Sequence[Mapping[str, str]]
    """Of each item: its input texts by the names of their columns."""
    counts: Sequence[int]
    """Of each item: how many gold answers it has."""


Cells = list[tuple[str, Found]]
"""The columns of a row, each with what it was made of."""


def make(board: Board, home: Path, have: Collection[str]) -> dict[Path, int]:
    """Make every file of which all sources are at hand; those of predictions also need the gold.

    Returns how many rows each has.

    ``have``: the paths of those downloads that are there with the right digest; no other file is
    read. Raises DataError with everything that is wrong; a file with a fault is not written.
    """
    folder = home / "data" / board.id
    made: dict[Path, int] = {}
    faults = []
    for recipe in board.recipes:
        if not {*recipe.files} <= {*have}:
            continue
        try:
            target = _target(board, recipe.split, home) if recipe.split is not None else None
            if recipe.split is not None and target is None:
                continue
            content = rows_bytes([text for text, _ in row]
                                 for row in rows_of(recipe, folder, board.folder, target))
            _check_gold(board, recipe, folder, content)
            write_atomically(folder / recipe.to, content)
            made[folder / recipe.to] = content.count(b"\n")
        except DataError as fault:
            faults.append(str(fault))
    if faults:
        raise DataError("\n".join(dict.fromkeys(faults)))
    return made


def _target(board: Board, split: str, home: Path) -> Target | None:
    """A split with public gold, as it is published; None if it is not at hand.

    Raises DataError if the file is not the one that the board names.
    """
    golds = public_golds(board, split, home)
    if golds is None:
        return None
    items, names = (golds.before or golds).items, board.task.input_columns
    return Target(split, [dict(zip(names, item.texts, strict=True)) for item in items],
                  [*map(board.task.gold_count, items)])


def _raise_if_any(recipe: Recipe, faults: Sequence[str]) -> None:
    if faults:
        more = len(faults) - MOST_SHOWN
        raise DataError("\n".join([f"{recipe.to} cannot be made:", *faults[:MOST_SHOWN],
                                   *([f"and {more} more"] if more > 0 else [])]))


def _check_gold(board: Board, recipe: Recipe, folder: Path, content: bytes) -> None:
    """Raise DataError, with record and field of the source, where what was made is no gold."""
    if not any(part.file == recipe.to and part.gold == "public" for part in board.splits.values()):
        return
    problems = parsed(board, File(content, recipe.to, LARGEST_GOLD))[1].kept
    lines = {problem.line for problem in problems}
    rows = {line: row for line, row in enumerate(rows_of(recipe, folder, board.folder), start=1)
            if line in lines} if problems else {}
    faults = []
    for problem in sorted(problems, key=lambda problem: problem.line):
        row = rows.get(problem.line, [])
        before = "\t".join(text for text, _ in row)[: problem.column - 1]
        where = (row[min(before.count("\t"), len(row) - 1)][1].where if row else
                 f"{recipe.to}: line {problem.line}")
        faults.append(f"{where}: {problem.rule} {problem.found}; expected {problem.expected}")
    _raise_if_any(recipe, faults)


# ---- rows ----------------------------------------------------------------------------------


def rows_of(recipe: Recipe, folder: Path, own: Path, target: Target | None = None,
            ) -> Iterator[Cells]:
    """The rows of one file, of sources in a folder; ``own``: the board's, where its rows are.

    ``target``: the split, for predictions. Raises DataError with every fault, behind the last row.
    """
    faults = Faults()
    tables = {join.name: by_key(join.key, join.source, folder, faults) for join in recipe.join}
    used: dict[str, set[tuple[str, ...]]] = {name: set() for name in tables}
    records = _chosen(recipe, folder, own, target, faults)
    for place, record in enumerate(records):
        with faults:
            if not all(record.at(clause.field).text() in clause.values for clause in recipe.where):
                continue
            joined = dict(record.joined)
            for join in recipe.join:
                name = tuple(record.at(path).text() for path in join.matches)
                if name not in tables[join.name] and not join.optional:
                    raise record.at(join.matches[0]).fault(
                        f"a record of that name in {join.source.file}", names_text(name))
                used[join.name].add(name)
                joined[join.name] = tables[join.name].get(name)
            whole = record._replace(joined=joined)
            if target is not None:
                _check(recipe, whole, place, target)
            yield [(_text(column, value, nodes), value)
                   for column in recipe.columns for value, nodes in _values(column, whole)]
    for join in recipe.join if target is not None and not faults else ():
        known = tables[join.name]
        unused = [record for name, record in known.items() if name not in used[join.name]]
        if len(unused) == len(known):
            faults.append(f"{join.source.file}: {counted(len(known), 'record')}, of no item; "
                          "expected records of the split's items")
        elif not join.more:
            faults += [f"{join.source.file}: {record.place}: of no item; expected records of the "
                       "split's items alone" for record in unused]
    _raise_if_any(recipe, faults)


def _chosen(recipe: Recipe, folder: Path, own: Path, target: Target | None, faults: Faults,
            ) -> Iterable[ImportRecord]:
    """The records that may make rows, in their order: of predictions one for each item.

    Raises DataError for one that is not there.
    """
    if target is not None:
        inputs = [ImportRecord("the split's items", number, str(number), item)
                  for number, item in enumerate(target.inputs, start=1)]
        return _of_items(recipe, inputs if recipe.source.format == recipes.INPUTS else
                         [*records_of(recipe.source, folder, faults)], target, faults)
    if recipe.rows is None:
        return records_of(recipe.source, folder, faults)
    known = {str(record.number): record for record in records_of(recipe.source, folder, faults)}
    _raise_if_any(recipe, faults)
    numbers = content_of(recipe.rows, own).decode(errors="replace").split()
    odd = [text for text in numbers if text not in known]
    if odd or len(set(numbers)) < len(numbers):
        raise ImportFault(recipe.rows, excerpt(odd[0]) if odd else "a number twice",
                          f"numbers of records of {recipe.source.file}, each once")
    return [known[text] for text in numbers]


# ---- predictions and the split they answer -------------------------------------------------


def _of_items(recipe: Recipe, records: Sequence[ImportRecord], target: Target, faults: Faults,
              ) -> list[ImportRecord]:
    """One record for each item. Another number of records is a fault, and so are records of one
    item that differ.
    """
    counts = target.counts if recipe.one_a == recipes.REFERENCE else [1] * len(target.counts)
    if len(records) != sum(counts) and not faults:
        faults.append(f"{recipe.source.file}: {counted(len(records), 'record')}; expected "
                      f"{sum(counts)}, one for each {recipe.one_a} of {target.split}")
    kept: list[ImportRecord] = []
    start = 0
    for item, count in enumerate(counts, start=1):
        group = records[start : start + count]
        start += count
        odd = [record for record in group if _bare(record) != _bare(group[0])]
        if odd:
            faults.append(f"{recipe.source.file}: {odd[0].place}: {excerpt(str(odd[0].value))}; "
                          f"expected the same as in {group[0].place}, for both are of item {item}")
        kept += group[:1]
    return kept


def _bare(record: ImportRecord) -> object:
    return record.value.strip() if isinstance(record.value, str) else record.value


def _check(recipe: Recipe, record: ImportRecord, place: int, target: Target) -> None:
    """Raise ImportFault if a record is not that of the item in its place, from 0."""
    for check in recipe.checks:
        field = record.at(check.field)
        text, expected = field.text(), check.expected({"place": str(place), **target.inputs[place]})
        if not (text == expected if check.equals else text.startswith(expected)):
            how = "" if check.equals else "a text that begins with "
            raise field.fault(f"{how}{excerpt(expected, 200)}, as item {place + 1} of "
                              f"{target.split} is", excerpt(text, 200))


# ---- columns of a record -------------------------------------------------------------------

BETWEEN = " | "
"""Between the entries of a listing."""
_INNER_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_UNFIT = str.maketrans({"(": "[", ")": "]", ";": ","})
"""What stands for signs that the notation of graphs needs for itself."""


def _values(column: Column, record: ImportRecord) -> Iterator[tuple[Found, Found | None]]:
    """What each of the columns holds that a column of a recipe makes of a record, and the nodes of
    a graph whose edges have their ids."""
    nodes = column.nodes
    if column.each is None:
        value = record.at(column.field)
        if not (column.optional and _is_empty(value)):
            yield value, record.at(nodes.field) if nodes else None
        return
    listed = record.at(column.each)
    if not isinstance(listed.value, list) or not listed.value:
        raise listed.fault("a list with an entry or more", "" if listed.value else "nothing there")
    entries = [entry for _, entry in listed.entries()]
    if column.highest_first is not None:
        path = column.highest_first
        entries.sort(key=lambda entry: -_number(entry.at(path), path))
    for entry in entries:
        yield entry.at(column.field), Found(
            entry.at(nodes.field).value, record, nodes.field) if nodes else None


def _number(found: Found, path: str) -> float:
    try:
        number = float(found.value) if isinstance(found.value, str) else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise found.fault("a number", f"{kind_of(found.value)} at {path}")
    return number


def _is_empty(found: Found) -> bool:
    value = found.value
    return value in (None, "", [], {}) or (isinstance(value, str) and not value.strip())


def _text(column: Column, found: Found, nodes: Found | None) -> str:
    """What a column holds of a value; ``nodes``: those of a graph whose edges have their ids."""
    text = ""
    if column.default is None or not _is_empty(found):
        if column.form == recipes.TEXT:
            text = _plain(column, found)
        elif column.form == recipes.LISTING:
            text = BETWEEN.join(_tidy(entry).replace(BETWEEN, " / ")
                                for entry in _listing(column, found))
        else:
            edges = (_steps(column, found) if column.form == recipes.STEPS else
                     _triples(column, found, nodes))
            text = "".join(f"({'; '.join(_part(part, found) for part in edge)})" for edge in edges)
    if not text and column.default is None:
        raise found.fault("something, or a default for nothing", "nothing in it")
    return text or str(column.default)


def _plain(column: Column, found: Found) -> str:
    text = found.text()
    if column.after is not None:
        _, words, text = text.rpartition(column.after)
        if not words:
            raise found.fault(f"a text with {excerpt(column.after)} in it", excerpt(text))
    text = _tidy(text)
    if column.values and text not in column.values:
        raise found.fault("one of: " + ", ".join(column.values), excerpt(text))
    return column.values.get(text, text)


def _listing(column: Column, found: Found) -> Iterator[str]:
    if not found.value:
        raise found.fault("a list or a mapping with an entry or more", "nothing there")
    for name, entry in found.entries():
        text = ": ".join(entry.at(part).text() for part in column.parts or (".",))
        yield f"{name}: {text}" if isinstance(found.value, dict) else text


def _triples(column: Column, found: Found, listed: Found | None) -> Iterator[tuple[str, ...]]:
    if not isinstance(found.value, list):
        raise found.fault("a list of edges")
    nodes = _node_texts(column.nodes, listed) if column.nodes and listed else None
    for _, edge in found.entries():
        source, relation, target = (edge.at(part).text()
                                    for part in column.parts or ("0", "1", "2"))
        if column.words:
            relation = _INNER_CAPITAL.sub(" ", relation).lower()
        if nodes is not None:
            for node in (source, target):
                if node not in nodes:
                    raise found.fault("the id of a node", excerpt(node))
            source, target = nodes[source], nodes[target]
        yield source, relation, target


def _node_texts(nodes: Nodes, listed: Found) -> dict[str, str]:
    """The concepts that stand for the ids of nodes."""
    texts: dict[str, str] = {}
    for key, node in listed.entries():
        name = key if nodes.id == recipes.KEY else node.at(nodes.id).text()
        if name in texts:
            raise listed.fault("an id of its own for each node", f"the id {excerpt(name)} again")
        if nodes.ids and (": " in name or _part(name, listed) != name):
            raise listed.fault("an id that can stand before `: `: without that sign, brackets, "
                               "semicolons and odd blanks", f"the id {excerpt(name)}")
        text = node.at(nodes.text).text()
        texts[name] = f"{name}: {text}" if nodes.ids else text
    return texts


def _steps(column: Column, found: Found) -> Iterator[tuple[str, ...]]:
    """Edges from each premise of a step to its conclusion; a step that lacks a part is an error."""
    steps = column.steps
    assert steps is not None
    text = _tidy(found.text()).removeprefix((steps.before or "").strip())
    for number, step in enumerate(text.split(";"), start=1):
        if not step.strip():
            continue
        before, arrow, conclusion = step.partition("->")
        premises = before.split("&")
        if steps.loose and not all(part.strip() for part in (*premises, arrow, conclusion)):
            yield (step,)
            continue
        if not arrow or ("->" in conclusion and not steps.loose):
            raise found.fault("premises -> conclusion",
                              f"step {number} {'with two' if arrow else 'without'} ->")
        for premise in premises:
            yield premise, steps.relation, conclusion


def _part(text: str, found: Found) -> str:
    """A text as a part of an edge: without the signs that edges are written with."""
    fit = " ".join(_tidy(text).translate(_UNFIT).split())
    if not fit:
        raise found.fault("a text", "an empty part of an edge")
    return fit


def _tidy(text: str) -> str:
    """A text as a column can hold it: blanks for tabs and line ends, no invisible characters."""
    if text.isascii() and text.isprintable():  # as most are
        return text.strip(" ")
    return UNWELCOME.sub("", " ".join(text.replace("\t", " ").splitlines())).strip(" ")
