"""Files of ART: official ones, made into gold files of ours, and predictions that name their items.

aNLI comes as JSON lines (``story_id, obs1, obs2, hyp1, hyp2``) with a file of labels beside them;
aNLG as two files with a line for each context: its two observations, and its references. Contexts
are equal where both observations are, letter by letter; they come in the order of their first line,
and their references in that of theirs, repeated ones included: so the released evaluation pools
them (github allenai/abductive-commonsense-reasoning, anlg/evaluation/eval.py).

Predictions may come as ``<id> TAB <answer>``, in any order, or as JSON lines. Every item must be
answered exactly once. Rows come out in the order of the items where the items are known; where only
their number is, ids are held against each other alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scorer.core.errors import MOST_SHOWN, UsageError, counted, excerpt
from scorer.core.reading.characters import unwelcome_character
from scorer.core.reading.tsv import (
    EmptyLine,
    File,
    Problems,
    ReadTable,
    Row,
    note,
    read_lines,
    read_rows,
    rows_bytes,
    text_of,
)
from scorer.core.rules import GENERATION
from scorer.tasks.base import Texts
from scorer.tasks.texts.items import GIVEN

ITEM = ("story_id", "obs1", "obs2", "hyp1", "hyp2")

Ids = Sequence[Collection[str]]
"""For every item, the ids it goes by."""


def lines_of(content: bytes) -> list[bytes]:
    """Lines without their ends; the last one may lack its own."""
    lines = content.removesuffix(b"\n").split(b"\n") if content else []
    return [line.removesuffix(b"\r") for line in lines]


def items_with_labels(items: bytes, labels: bytes) -> bytes:
    """aNLI's two files as rows: the five texts and the label. Raises UsageError."""
    rows, answers = _records(items, ITEM), lines_of(labels)
    if len(rows) != len(answers):
        raise UsageError(f"{counted(len(rows), 'item')} and {counted(len(answers), 'label')}: name "
                         "two files of one split")
    return rows_bytes((*row, answer.decode(errors="replace").strip())
                      for row, answer in zip(rows, answers, strict=True))


def contexts_with_references(source: bytes, references: bytes) -> bytes:
    """aNLG's two files as rows: the observations and the references. Raises UsageError."""
    contexts, texts = lines_of(source), lines_of(references)
    if len(contexts) != len(texts):
        raise UsageError(f"{counted(len(contexts), 'context')} and {len(texts)} lines of "
                         "references: name two files of one split")
    pooled: dict[bytes, list[bytes]] = {}
    for context, text in zip(contexts, texts, strict=True):
        pooled.setdefault(context, []).extend(text.split(b"\t"))
    return b"".join(b"\t".join([context, *texts]) + b"\n" for context, texts in pooled.items())


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
    answers = [(row.fields[0], replace(row, fields=row.fields[1:], start=len(row.fields[0]) + 1))
               for row in table.rows]
    return in_order(table, answers, ids, key)


def in_order(
    table: ReadTable, answers: Sequence[tuple[str, Row]], ids: Ids | None, key: str, *,
    again: bool = False,
) -> ReadTable:
    """The rows of a table by the items that their ids name; faults go to its problems.

    ``again``: whether an item may be answered more than once; then the last answer counts.
    """
    problems = table.problems

    def note_again(name: str, row: Row, earlier: int) -> None:
        problems.say(row.line, 1, "ART-TWICE", key=key, value=excerpt(name), earlier=earlier)

    if ids is None:
        lines: dict[str, int] = {}
        for name, row in answers:
            if name in lines:
                note_again(name, row, lines[name])
            lines.setdefault(name, row.line)
        return replace(table, rows=tuple(row for _, row in answers))
    numbers = {name: number for number, names in enumerate(ids, start=1) for name in names}
    ordered: dict[int, Row] = {}
    for name, row in answers:
        item = numbers.get(name)
        if item is None and ids:
            problems.say(row.line, 1, "ART-ID", key=key, value=excerpt(name),
                         ids=counted(len(ids), key), first=repr(min(ids[0], key=len)))
        elif item is None:
            problems.say(row.line, 1, "ART-ID none", key=key, value=excerpt(name))
        elif item in ordered and not again:
            note_again(name, row, ordered[item].line)
        else:
            ordered[item] = replace(row, item=item)
    if not problems.total:
        last = max((row.line for row in table.rows), default=1)
        for number, names in enumerate(ids, start=1):
            if number not in ordered:
                problems.say(last, 1, "ART-MISSING", key=key, value=repr(min(names, key=len)))
    return replace(table, rows=tuple(ordered[number] for number in sorted(ordered)), lines=None)


# ---- official JSON lines of aNLG -------------------------------------------------------------

JSON_BEGINS = ('{"', "{ ")
"""How a file of official JSON lines begins; behind blanks and empty lines."""
LINES_A_CONTEXT = 5
"""Lines of an official file for one context, one for each reference: about."""
MOST_LEVELS = 100
"""Of a JSON record. How many more a program can read differs from one to the next."""
CONTEXT = "context"
"""What messages call an id of official JSON lines."""


def context_id(*texts: str) -> str:
    """An id that any program can make: SHA-1 of the given texts with a tab between.

    >>> context_id("It rained.", "Ann was wet.")
    '5281244cebca28a6bf89b8dfe73f77eec3860398'
    """
    return hashlib.sha1("\t".join(texts).encode(), usedforsecurity=False).hexdigest()


def generations(file: File, rows: int | None, texts: Texts | None) -> ReadTable:
    """The official format: records with ``"generations": {"<model>": ["one text"]}``.

    A context that is answered on several lines has the answer of the last one, as there.
    """
    source = read_lines(file, rows=None if rows is None else rows * LINES_A_CONTEXT)
    notes, problems = list(source.notes), source.problems
    answers: list[tuple[str, Row]] = []
    models: dict[str, int] = {}
    latest: dict[str, str] = {}
    problems.rows = len(source.lines)
    for number, line in enumerate(source.lines, start=1):
        answer = _generation(number, line, models, problems)
        if answer is None:
            continue
        name, text = answer
        if latest.setdefault(name, text) != text:
            notes.append(note(file.shown, number, "ART-LAST"))
            latest[name] = text
        answers.append((name, Row(number, (text,))))
    if len(models) > 1:
        problems.say(max(models.values()), 1, "ART-JSON models",
                     models=counted(len(models), "model key"))
    if texts is None:
        answers = list({name: (name, row) for name, row in answers}.values())
    table = ReadTable(tuple(row for _, row in answers), tuple(notes[:MOST_SHOWN]), problems,
                      len(answers) if source.lines else None)
    ids = None if texts is None else [(context_id(*text),) for text in texts]
    return in_order(table, answers, ids, CONTEXT, again=True)


def _generation(
    number: int, line: bytes, models: dict[str, int], problems: Problems
) -> tuple[str, str] | None:
    """The context's id and the text of one line; ``models`` takes the key's first line."""
    decoded = text_of(number, line, problems)
    if decoded is None:
        return None
    try:
        record = json.loads(decoded, parse_int=float)  # of any length, unlike int
        obs1, obs2 = record["obs1"], record["obs2"]
        [(model, [text])] = record["generations"].items()
        sound = all(isinstance(value, str) for value in (obs1, obs2, model, text))
        sound = sound and isinstance(record["generations"][model], list) and _shallow(record)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        sound = False
    if not sound:
        problems.say(number, 1, "ART-JSON", record=GENERATION)
        return None
    if "\t" in text or unwelcome_character(text) is not None:
        problems.say(number, 1, "ART-TEXT", value=excerpt(text))
        return None
    models.setdefault(model, number)
    # Whatever a JSON escape made of the texts, their ids are those of text that can be encoded.
    return context_id(*(value.encode(errors="replace").decode() for value in (obs1, obs2))), text


def _shallow(record: Any) -> bool:
    """Whether a record has at most MOST_LEVELS of lists and objects in each other."""
    level = [record]
    for _ in range(MOST_LEVELS):
        level = [inner for outer in level if isinstance(outer, (dict, list))
                 for inner in (outer.values() if isinstance(outer, dict) else outer)]
    return not any(isinstance(inner, (dict, list)) for inner in level)
