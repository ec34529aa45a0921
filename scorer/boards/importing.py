"""A board's own files, made of the source's as ``import:`` in board.yaml and others.yaml say.

Sources have the digests that the board's maintainers wrote down; no other file is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.boards import LARGEST_GOLD, Board
from scorer.boards.golds import parsed, read_golds
from scorer.boards.import_columns import texts_of
from scorer.boards.import_records import (
    FieldFault,
    ImportRecord,
    Making,
    alternatives,
    by_key,
    content_of,
    names_text,
    records_of,
    text_at,
)
from scorer.boards.recipes import INPUTS, OUTER, REFERENCE, Recipe
from scorer.core.errors import DataError, Problem, counted, excerpt
from scorer.core.files import write_atomically
from scorer.core.reading.tsv import File


@dataclass(frozen=True)
class ImportedFile:
    """A file that was made."""

    path: Path
    rows: int
    changed: int
    """Texts with characters that were left out or replaced, for no row can hold them."""


@dataclass(frozen=True)
class Target:
    """The split whose items predictions answer."""

    split: str
    inputs: tuple[Mapping[str, str], ...]
    """Of each item: its input texts by the names of their columns."""
    counts: tuple[int, ...]
    """Of each item: how many gold answers it has."""


Tables = Mapping[str, dict[tuple[str, ...], ImportRecord]]
"""The records of each join by what names them."""


def make(board: Board, home: Path, have: Collection[str]) -> list[ImportedFile]:
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
                path = board.data_file(recipe.split, home)
                targets[recipe.split] = _target(board, recipe.split, path) if path else None
            target = targets[recipe.split] if recipe.split is not None else None
            if recipe.split is None or target is not None:
                content, summary = made_of(recipe, folder, board.folder, target)
                _check_gold(board, recipe, folder, content)
                write_atomically(folder / recipe.to, content)
                made.append(summary)
        except DataError as fault:
            faults.append(str(fault))
    if faults:
        raise DataError("\n".join(dict.fromkeys(faults)))
    return made


def _target(board: Board, split: str, path: Path) -> Target:
    """A split with public gold, as files of predictions are held against it.

    Raises DataError if the file is not the one that the board names.
    """
    golds = read_golds(board, split, path, with_errata=False).items
    names = board.task.input_columns
    return Target(split, tuple(dict(zip(names, gold.texts, strict=True)) for gold in golds),
                  tuple(map(board.task.gold_count, golds)))


def made_of(recipe: Recipe, folder: Path, own: Path | None = None, target: Target | None = None,
            ) -> tuple[bytes, ImportedFile]:
    """The bytes of one file, of sources in a folder; ``own``: the board's, where its rows are.

    ``target``: the split, for predictions. Raises DataError with every fault.
    """
    work = Making(recipe.to)
    lines = [("\t".join(text for _, text in cells) + "\n").encode()
             for _, cells in _rows(recipe, folder, own or folder, target, work)]
    work.raise_if_any()
    return b"".join(lines), ImportedFile(folder / recipe.to, len(lines), work.changed)


Cells = list[tuple[str, str]]
"""The columns of a row: the path that each was taken from, and its text."""


def _rows(recipe: Recipe, folder: Path, own: Path, target: Target | None, work: Making,
          ) -> Iterator[tuple[ImportRecord, Cells]]:
    """Every row that can be made, with the record it is made of; the others are faults."""
    tables = {join.name: by_key(join.key, join.source, folder, work) for join in recipe.join}
    entries: Iterable[ImportRecord] = _chosen(recipe, folder, own, work, target)
    if target is not None:
        entries = _of_items(recipe, list(entries), target, work)
    for row, entry in enumerate(entries):
        whole = entry
        try:
            if not all(text_at(entry, clause.field) in clause.values for clause in recipe.where):
                continue
            joined = dict(entry.joined)
            for join in recipe.join:
                name = tuple(text_at(entry, path) for path in join.matches)
                if name not in tables[join.name] and not join.optional:
                    raise FieldFault(join.matches[0], names_text(name),
                                     f"a record of that name in {join.source.file}")
                work.used.add((join.name, name))
                joined[join.name] = tables[join.name].get(name)
            whole = entry._replace(joined=joined)
            if target is not None:
                _check(recipe, whole, row, target)
            cells = [cell for column in recipe.columns for cell in texts_of(column, whole, work)]
        except FieldFault as fault:
            work.add(f"{_place_of(recipe, whole, fault.path)}: {fault.said}"
                     f"{alternatives(whole, fault.path)}")
            continue
        yield whole, cells
    if target is not None:
        _tell_unused(recipe, tables, target, work)


def _check_gold(board: Board, recipe: Recipe, folder: Path, content: bytes) -> None:
    """Raise DataError, with record and field of the source, where what was made is no gold."""
    if not any(part.file == recipe.to and part.gold == "public" for part in board.splits.values()):
        return
    problems = parsed(board, File(content, recipe.to, LARGEST_GOLD))[1]
    if not problems.total:
        return
    work = Making(recipe.to)
    wrong: dict[int, list[Problem]] = {}
    for fault in problems.kept:
        wrong.setdefault(fault.line, []).append(fault)
    rows = _rows(recipe, folder, board.folder, None, Making(recipe.to))
    for line, (entry, cells) in enumerate(rows, start=1):
        for fault in wrong.get(line, ()):
            before = "\t".join(text for _, text in cells)[: fault.column - 1]
            path = cells[min(before.count("\t"), len(cells) - 1)][0]
            work.add(f"{_place_of(recipe, entry, path)}: field {excerpt(path, 100)}: {fault.rule} "
                     f"{fault.found}; expected {fault.expected}")
    work.total = problems.total
    work.raise_if_any()


def _place_of(recipe: Recipe, entry: ImportRecord, path: str) -> str:
    """The file and the record in which a path of an entry ends."""
    name = path[1:].partition(".")[0] if path.startswith("@") else ""
    joined = entry.joined.get(name)
    if joined is None or name == OUTER[1:]:
        file = recipe.source.file or "the split's items"
        return f"{file}: {entry.place}"
    [file] = [join.source.file for join in recipe.join if join.name == name]
    return f"{file}: {joined.place}"


def _chosen(recipe: Recipe, folder: Path, own: Path, work: Making, target: Target | None,
            ) -> Iterable[ImportRecord]:
    """The records that may make rows, in their order. Raises DataError for one that is not there.
    """
    if recipe.source.format == INPUTS:
        assert target is not None
        return (ImportRecord(number, str(number), item)
                for number, item in enumerate(target.inputs, start=1))
    if recipe.rows is None:
        return records_of(recipe.source, folder, work)
    known = {str(entry.number): entry for entry in records_of(recipe.source, folder, work)}
    work.raise_if_any()
    numbers = content_of(recipe.rows, own).decode(errors="replace").split()
    odd = [text for text in numbers if text not in known]
    if odd or len(set(numbers)) < len(numbers):
        raise DataError(f"{recipe.rows}: {excerpt(odd[0]) if odd else 'a number twice'}; expected "
                        f"numbers of records of {recipe.source.file}, each once")
    return [known[text] for text in numbers]


# ---- predictions and the split they answer -------------------------------------------------


def _of_items(recipe: Recipe, entries: Sequence[ImportRecord], target: Target, work: Making,
              ) -> Sequence[ImportRecord]:
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
    kept: list[ImportRecord] = []
    start = 0
    for item, count in enumerate(target.counts, start=1):
        group = entries[start : start + count]
        start += count
        odd = [entry for entry in group if _bare(entry.value) != _bare(group[0].value)]
        if odd:
            work.add(f"{recipe.source.file}: {odd[0].place}: {excerpt(str(odd[0].value))}; "
                     f"expected the same as in {group[0].place}, for both are of item {item}")
        kept += group[:1]
    return kept


def _bare(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _check(recipe: Recipe, entry: ImportRecord, row: int, target: Target) -> None:
    """Raise Fault if a record is not that of the item in its place; ``row``: from 0."""
    values = {"row": str(row + 1), "place": str(row), **target.inputs[row]}
    for check in recipe.checks:
        text = text_at(entry, check.field)
        expected = check.fault(text, values)
        if expected is not None:
            how = "" if check.equals else "a text that begins with "
            raise FieldFault(check.field, excerpt(text, 200), f"{how}{excerpt(expected, 200)}, as "
                             f"item {row + 1} of {target.split} is")


def _tell_unused(recipe: Recipe, tables: Tables, target: Target, work: Making) -> None:
    """Records of other files that belong to no item are faults, unless there are others; files
    without a record of any item always are.
    """
    if work.total:
        return
    for join in recipe.join:
        known = tables[join.name]
        if not any((join.name, name) in work.used for name in known):
            work.add(f"{join.source.file}: {counted(len(known), 'record')}, of no item of "
                     f"{target.split}; expected records of its items")
            continue
        for name, entry in () if join.more else known.items():
            if (join.name, name) not in work.used:
                work.add(f"{join.source.file}: {entry.place}: of no item of {target.split}; "
                         f"expected records of its items alone")
