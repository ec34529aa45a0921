"""Integrity flags: what is worth knowing of a submission, for who reads its row.

``flags`` looks at one file's answers, ``survey`` at all of a split at once, ``same_file`` at bytes
(and ``names.py``, which needs a library, at names). Pure functions: the same predictions, golds and
others give the same flags. Every flag says what it does not say, and names the rows it rests on.
Thresholds stand beside the figures that they come from (docs/integrity.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from scorer.boards import Board
from scorer.boards.integrity.flags import (
    Answers,
    Flag,
    Index,
    KnownAnswer,
    RowNote,
    Units,
    constant,
    linking,
    null,
    other_gold,
    own_gold,
    repeats,
    same_file,
    shared_answers,
    small_concepts,
    with_others,
)
from scorer.core.records import Edge
from scorer.tasks.base import Content

__all__ = ["Flag", "Golds", "RowNote", "flags", "same_file", "survey"]

Golds = Mapping[str, Sequence[Any]]
"""Split -> the task's gold records, one per item, in order."""


def flags(
    board: Board, split: str, predictions: Sequence[Any], golds_by_split: Golds,
    others: Mapping[str, Sequence[Any]], better: Mapping[str, bool] | None = None,
) -> tuple[Flag, ...]:
    """Every check that applies to one file, raised or not, in a fixed order.

    ``predictions`` and ``others`` (name -> predictions on the same split) are the task's records,
    one per row. Golds of splits whose gold is not public are left aside, so that nothing said here
    depends on them. ``better``: metric -> whether the value is significantly better than its null.
    """
    files = {**others, "": predictions}
    return survey(board, split, files, golds_by_split, {"": better or {}})[""]


def survey(
    board: Board, split: str, submissions: Mapping[str, Sequence[Any]], golds_by_split: Golds,
    better: Mapping[str, Mapping[str, bool]] | None = None,
) -> dict[str, tuple[Flag, ...]]:
    """``flags`` of every submission, each compared with all the others.

    Leave out reference rows: a submission that equals gold or a null has flags of its own.
    """
    if not submissions:
        return {}
    index = _index(board, golds_by_split)
    known = shared_answers(
        [*submissions], lambda name: _units(_contents(board, submissions[name])))
    tested = better or {}
    return {name: _flags(split, _contents(board, rows), index, known, name, tested.get(name, {}))
            for name, rows in submissions.items()}


def _contents(board: Board, predictions: Sequence[Any]) -> list[Content]:
    return [board.task.content(prediction) for prediction in predictions]


def _units(contents: Sequence[Content]) -> list[Units]:
    return [frozenset(content.units) for content in contents]


def _index(board: Board, golds_by_split: Golds) -> dict[str, Index]:
    """The public golds, split by split, each gold of an item on its own."""
    return {
        split: Index(
            (KnownAnswer(split, row), frozenset(content.units))
            for row, gold in enumerate(golds, start=1)
            for content in board.task.gold_contents(gold)
        )
        for split, golds in golds_by_split.items() if board.split(split).gold == "public"
    }


def _flags(
    split: str, contents: Sequence[Content], golds: Mapping[str, Index], known: Answers,
    name: str, better: Mapping[str, bool],
) -> tuple[Flag, ...]:
    """The flags that apply: answers of labels alone have no overlap, texts have no concepts."""
    units = _units(contents)
    results = [constant([content.label for content in contents], units)]
    if any(units):
        results += [own_gold(units, golds[split], split)] if split in golds else []
        results += [other_gold(units, index, split, source) for source, index in golds.items()]
        results += [with_others(units, known, name), repeats(units)]
    graphs = [[unit for unit in content.units if isinstance(unit, Edge)] for content in contents]
    if any(graphs):
        results.append(linking(graphs))
    if any(content.concepts for content in contents):
        results.append(small_concepts([content.concepts for content in contents]))
    if better:
        results.append(null(better))
    return tuple(results)
