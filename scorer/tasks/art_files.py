"""The official files of ART, made into gold files of ours: bytes in, bytes out.

aNLI comes as JSON lines (``story_id, obs1, obs2, hyp1, hyp2``) with a file of labels beside them;
aNLG as JSON lines, one for each context and reference (``obs1, obs2, hyp1, hyp2, label``), or as
two files with a line for each context: its two observations, and its references. Contexts are equal
where both observations are, letter by letter; they come in the order of their first line, and their
references in that of theirs, repeated ones included. That is how the released evaluation pools them
(github allenai/abductive-commonsense-reasoning, anlg/evaluation/eval.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scorer.errors import UsageError, counted, excerpt
from scorer.reading.characters import unwelcome_character

ITEM = ("story_id", "obs1", "obs2", "hyp1", "hyp2")
RECORD = ("obs1", "obs2", "hyp1", "hyp2", "label")


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


def contexts_of_records(records: bytes) -> bytes:
    """aNLG's JSON lines as rows: the observations and the references. Raises UsageError."""
    found = []
    for number, (obs1, obs2, hyp1, hyp2, label) in enumerate(_records(records, RECORD), start=1):
        if label not in ("1", "2"):
            raise UsageError(f"line {number}: label {excerpt(label)}; expected '1' or '2'")
        reference = hyp1 if label == "1" else hyp2
        found.append((f"{obs1}\t{obs2}".encode(), [reference.encode()]))
    return _pooled(found)


def _pooled(found: Iterable[tuple[bytes, Sequence[bytes]]]) -> bytes:
    pooled: dict[bytes, list[bytes]] = {}
    for context, references in found:
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
