"""Predictions that name their items: ``<id> TAB <answer>``, in any order, or JSON lines.

Every item must be answered exactly once. Rows come out in the order of the items where the items
are known; where only their number is, ids are held against each other alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from scorer.errors import counted, excerpt
from scorer.reading.tsv import File, Problems, Row, Table, read_rows

Ids = Sequence[Collection[str]]
"""For every item, the ids it goes by."""


def read_plain_or_keyed(
    file: File, key: str, columns: Sequence[str], ids: Ids | None, rows: int | None
) -> Table:
    """Answers in the order of the items, or, where the first line has a tab, with an id before.

    ``columns``: those of an answer, one of them. ``ids`` is None while the items are unknown. A
    file with ids may begin with the names of its columns.
    """
    if b"\t" not in file.content.partition(b"\n")[0]:
        return read_rows(file, columns, rows=rows)
    table = read_rows(file, [key, *columns], rows=rows, header=True)
    answers = [(row.fields[0], _without_key(row)) for row in table.rows]
    return in_order(table, answers, ids, key)


def _without_key(row: Row) -> Row:
    return replace(row, fields=row.fields[1:], start=len(row.fields[0]) + 1)


def in_order(
    table: Table, answers: Sequence[tuple[str, Row]], ids: Ids | None, key: str, *,
    again: bool = False,
) -> Table:
    """The rows of a table by the items that their ids name; faults go to its problems.

    ``again``: whether an item may be answered more than once; then the last answer counts.
    """
    problems = table.problems
    if ids is None:
        _each_once([name for name, _ in answers], [row for _, row in answers], key, problems)
        return replace(table, rows=tuple(row for _, row in answers))
    places = {name: place for place, names in enumerate(ids, start=1) for name in names}
    found: dict[int, Row] = {}
    for name, row in answers:
        place = places.get(name)
        if place is None:
            _tell_unknown(name, row, ids, key, problems)
        elif place in found and not again:
            _tell_again(name, row, found[place].line, key, problems)
        else:
            found[place] = replace(row, item=place)
    _tell_missing([min(ids[place - 1], key=len) for place in range(1, len(ids) + 1)
                   if place not in found], table, key)
    rows = tuple(found[place] for place in sorted(found))
    return replace(table, rows=rows, lines=None)


def _each_once(names: Sequence[str], rows: Sequence[Row], key: str, problems: Problems) -> None:
    seen: dict[str, int] = {}
    for name, row in zip(names, rows, strict=True):
        if name in seen:
            _tell_again(name, row, seen[name], key, problems)
        seen.setdefault(name, row.line)


def _tell_again(name: str, row: Row, earlier: int, key: str, problems: Problems) -> None:
    problems.say(row.line, 1, "ART-TWICE", key=key, value=excerpt(name), earlier=earlier)


def _tell_unknown(name: str, row: Row, ids: Ids, key: str, problems: Problems) -> None:
    if ids:
        problems.say(row.line, 1, "ART-ID", key=key, value=excerpt(name),
                     ids=counted(len(ids), key), first=repr(min(ids[0], key=len)))
    else:
        problems.say(row.line, 1, "ART-ID none", key=key, value=excerpt(name))


def _tell_missing(names: Sequence[str], table: Table, key: str) -> None:
    """Every item without an answer, at the last line there is; nothing where lines are at fault."""
    last = max((row.line for row in table.rows), default=1)
    if not table.problems.total:
        for name in names:
            table.problems.say(last, 1, "ART-MISSING", key=key, value=repr(name))
