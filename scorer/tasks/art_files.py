"""Files of ART: official ones, made into gold files of ours, and predictions that name their items.

aNLI comes as JSON lines (``story_id, obs1, obs2, hyp1, hyp2``) with a file of labels beside them;
aNLG as
two files with a line for each context: its two observations, and its references. Contexts are equal
where both observations are, letter by letter; they come in the order of their first line, and their
references in that of theirs, repeated ones included. That is how the released evaluation pools them
(github allenai/abductive-commonsense-reasoning, anlg/evaluation/eval.py).

Predictions may come as ``<id> TAB <answer>``, in any order, or as JSON lines. Every item must be
answered exactly once. Rows come out in the order of the items where the items are known; where only
their number is, ids are held against each other alone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from scorer.core.errors import UsageError, counted, excerpt
from scorer.core.reading.characters import unwelcome_character
from scorer.core.reading.tsv import EmptyLine, File, Problems, ReadTable, Row, read_lines, read_rows
from scorer.core.reading.values import Text

ITEM = ("story_id", "obs1", "obs2", "hyp1", "hyp2")

ColumnName = Annotated[str, Text(30, r"[a-z][a-z0-9_]*", "a lower-case name")]
"""The name of a column that a board chooses."""
GIVEN = ("obs1", "obs2")
"""The texts that are given, where a board does not name others."""

MOST_LINES = 100
"""Lines a context, one for each reference. A file with more is not looked at."""

Ids = Sequence[Collection[str]]
"""For every item, the ids it goes by."""


def lines_of(content: bytes) -> list[bytes]:
    """Lines without their ends; the last one may lack its own."""
    lines = content.removesuffix(b"\n").split(b"\n") if content else []
    return [line.removesuffix(b"\r") for line in lines]


def labels_alone(content: bytes) -> bytes:
    """Labels as gold without texts: a row of empty columns for each."""
    return b"".join(b"\t" * len(ITEM) + line.strip(b" \t") + b"\n" for line in lines_of(content))


def items_with_labels(items: bytes, labels: bytes) -> bytes:
    """aNLI's two files as rows: the five texts and the label. Raises UsageError."""
    rows, answers = _records(items, ITEM), lines_of(labels)
    if len(rows) != len(answers):
        raise UsageError(f"{counted(len(rows), 'item')} and {counted(len(answers), 'label')}: name "
                         "two files of one split")
    return _rows((*row, answer.decode(errors="replace").strip())
                 for row, answer in zip(rows, answers, strict=True))


def contexts_with_references(source: bytes, references: bytes) -> bytes:
    """aNLG's two files as rows: the observations and the references. Raises UsageError."""
    contexts, texts = lines_of(source), lines_of(references)
    if len(contexts) != len(texts):
        raise UsageError(f"{counted(len(contexts), 'context')} and {len(texts)} lines of "
                         "references: name two files of one split")
    return _pooled((context, text.split(b"\t")) for context, text in
                   zip(contexts, texts, strict=True))


def observations(content: bytes) -> list[tuple[str, ...]]:
    """Both observations of every line: of JSON lines, or of tab-separated ones. Raises UsageError.
    """
    if content.startswith(b"{"):
        return _records(content, GIVEN)
    rows = [tuple(line.decode(errors="replace").split("\t")[:2]) for line in lines_of(content)]
    for number, row in enumerate(rows, start=1):
        if len(row) < 2:
            raise UsageError(f"line {number}: 1 column; expected obs1 and obs2")
    return rows


def repeated_contexts(file: File, rows: int) -> ReadTable | None:
    """The refusal of a file with far more lines than contexts; None for other files.

    Without the lines that repeat the one before, a file with a line for each reference has about
    one for each context. Files with ids before the texts are others, and so are those with far more
    lines only because many are empty.
    """
    count = file.content.removesuffix(b"\n").count(b"\n") + 1
    if not 1.5 * rows <= count <= MOST_LINES * rows or b"\t" in file.content.partition(b"\n")[0]:
        return None
    table = read_lines(file)
    if len(table.lines) - table.lines.count(b"") < 1.5 * rows:
        return None
    runs = 1 + sum(row != before for before, row in zip(table.lines, table.lines[1:], strict=False))
    about = 10 * abs(runs - rows) <= rows
    fault, hint = ("TSV-ROWS references", "references") if about else ("TSV-ROWS", "perhaps")
    table.problems.say(rows + 1, 1, fault, hint, count=counted(count, "line"), rows=rows,
                       repeats=count - runs)
    return ReadTable((), (), table.problems)


def _pooled(pairs: Iterable[tuple[bytes, Sequence[bytes]]]) -> bytes:
    pooled: dict[bytes, list[bytes]] = {}
    for context, references in pairs:
        pooled.setdefault(context, []).extend(references)
    return b"".join(b"\t".join([context, *texts]) + b"\n" for context, texts in pooled.items())


def _records(content: bytes, names: Sequence[str]) -> list[tuple[str, ...]]:
    return [_record(number, line, names) for number, line in enumerate(lines_of(content), start=1)]


def _record(number: int, line: bytes, names: Sequence[str]) -> tuple[str, ...]:
    try:
        record: Mapping[str, Any] = json.loads(line)
        values = tuple(str(record[name]) for name in names)
    except (ValueError, KeyError, TypeError, RecursionError) as fault:
        raise UsageError(f"line {number}: {type(fault).__name__}; expected a JSON object with "
                         f"{', '.join(names)}") from fault
    for name, value in zip(names, values, strict=True):
        if "\t" in value or unwelcome_character(value) is not None:
            raise UsageError(f"line {number}: {name} has a tab or a control or invisible "
                             "character, which no file of ours can hold")
    return values


def _rows(rows: Iterable[Sequence[str]]) -> bytes:
    return "".join("\t".join(row) + "\n" for row in rows).encode()


# ---- predictions that name their items -----------------------------------------------------


def read_plain_or_keyed(
    file: File, key: str, columns: Sequence[str], ids: Ids | None, rows: int | None,
    empty: EmptyLine,
) -> ReadTable:
    """Answers in the order of the items, or, where the first line has a tab, with an id before.

    ``columns``: those of an answer, one of them. ``ids`` is None while the items are unknown. A
    file with ids may begin with the names of its columns. ``empty``: what an empty line is in a
    file without ids.
    """
    if b"\t" not in file.content.partition(b"\n")[0]:
        return read_rows(file, columns, rows=rows, empty=empty)
    table = read_rows(file, [key, *columns], rows=rows, header=True)
    answers = [(row.fields[0], _without_key(row)) for row in table.rows]
    return in_order(table, answers, ids, key)


def _without_key(row: Row) -> Row:
    return replace(row, fields=row.fields[1:], start=len(row.fields[0]) + 1)


def in_order(
    table: ReadTable, answers: Sequence[tuple[str, Row]], ids: Ids | None, key: str, *,
    again: bool = False,
) -> ReadTable:
    """The rows of a table by the items that their ids name; faults go to its problems.

    ``again``: whether an item may be answered more than once; then the last answer counts.
    """
    problems = table.problems
    if ids is None:
        _each_once([name for name, _ in answers], [row for _, row in answers], key, problems)
        return replace(table, rows=tuple(row for _, row in answers))
    numbers = {name: number for number, names in enumerate(ids, start=1) for name in names}
    ordered: dict[int, Row] = {}
    for name, row in answers:
        item = numbers.get(name)
        if item is None:
            _note_unknown(name, row, ids, key, problems)
        elif item in ordered and not again:
            _note_again(name, row, ordered[item].line, key, problems)
        else:
            ordered[item] = replace(row, item=item)
    _note_missing([min(ids[number - 1], key=len) for number in range(1, len(ids) + 1)
                   if number not in ordered], table, key)
    rows = tuple(ordered[number] for number in sorted(ordered))
    return replace(table, rows=rows, lines=None)


def _each_once(names: Sequence[str], rows: Sequence[Row], key: str, problems: Problems) -> None:
    seen: dict[str, int] = {}
    for name, row in zip(names, rows, strict=True):
        if name in seen:
            _note_again(name, row, seen[name], key, problems)
        seen.setdefault(name, row.line)


def _note_again(name: str, row: Row, earlier: int, key: str, problems: Problems) -> None:
    problems.say(row.line, 1, "ART-TWICE", key=key, value=excerpt(name), earlier=earlier)


def _note_unknown(name: str, row: Row, ids: Ids, key: str, problems: Problems) -> None:
    if ids:
        problems.say(row.line, 1, "ART-ID", key=key, value=excerpt(name),
                     ids=counted(len(ids), key), first=repr(min(ids[0], key=len)))
    else:
        problems.say(row.line, 1, "ART-ID none", key=key, value=excerpt(name))


def _note_missing(names: Sequence[str], table: ReadTable, key: str) -> None:
    """Every item without an answer, at the last line there is; nothing where lines are at fault."""
    last = max((row.line for row in table.rows), default=1)
    if not table.problems.total:
        for name in names:
            table.problems.say(last, 1, "ART-MISSING", key=key, value=repr(name))
