"""References: what gold says of the items of batches, followed back to the rows of boards.

An item of a batch comes from a row of a board's split, or from an item of an earlier batch, as its
key says. What comes from no board may be told by a gold file, and what annotators wrote by the file
that simulated ones take their texts from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from scorer.annotations import graphs
from scorer.annotations.records import GRAPH, TEXT
from scorer.annotations.validate import Workplace
from scorer.board import Board
from scorer.errors import excerpt
from scorer.reading.tsv import read_file

_ROW = re.compile(r"(?P<board>[a-z0-9-]+)-(?P<split>[a-z]+):(?P<row>[1-9][0-9]{0,8})")
Golds = Callable[[str, str], tuple[Board, Sequence[Any]]]
"""The board of a name and the items of one of its splits. Raises a WhyboardError without them."""


class Reference(NamedTuple):
    """What gold says of one item."""

    label: str
    answers: Sequence[Mapping[str, str]]
    """Gold answers, as the columns of predictions."""


class Writing(NamedTuple):
    """Texts that somebody may write who is asked to."""

    prompt: str
    """The item's first text."""
    texts: tuple[str, ...]
    """Those of the item that they make."""
    label: str
    """The one that people would give it."""


@dataclass
class References:
    """What gold says of the items of batches, followed back to the rows of boards."""

    workplace: Workplace
    golds: Golds
    told: Mapping[tuple[str, ...], Reference] = field(default_factory=dict)
    """By its texts, what is true of an item that comes from no row of a board."""
    _read: dict[tuple[str, str], tuple[Board, Sequence[Any]]] = field(default_factory=dict)

    def of(self, batch: str, item: str) -> Reference | None:
        """What gold says of an item; None if it comes from no row of a board, and nobody told."""
        origin = self.workplace.origins(batch).get(item)
        first = (batch, item)
        label, seen = "", set()
        while origin is not None and origin.source not in seen:
            seen.add(origin.source)
            label = label or origin.label
            if row := _ROW.fullmatch(origin.source):
                return self._of_row(row["board"], row["split"], int(row["row"]), label)
            earlier, _, name = origin.source.rpartition(":")
            first = (earlier, name) if self.workplace.batch(earlier)[0] else first
            origin = self.workplace.origins(earlier).get(name)
        return self.told.get(self._texts(*first))

    def _texts(self, batch: str, item: str) -> tuple[str, ...]:
        found, _ = self.workplace.batch(batch)
        texts = found.by_id[item].texts if found and item in found.by_id else {}
        return tuple(texts[one.name] for one in self.workplace.forms[found.kind].item
                     if one.kind == TEXT and one.name in texts) if found else ()

    def _of_row(self, name: str, split: str, row: int, label: str) -> Reference | None:
        if (name, split) not in self._read:
            self._read[name, split] = self.golds(name, split)
        board, items = self._read[name, split]
        if row > len(items):
            return None
        gold, task = items[row - 1], board.task
        columns = task.prediction_columns(board.settings)
        answers = [dict(zip(columns, task.write_prediction(board.settings, one), strict=True))
                   for one in task.gold_predictions(board.settings, gold)]
        return Reference(label, answers)


def told_in(path: Path) -> dict[tuple[str, ...], Reference]:
    """What a gold file says of its texts: lines of texts, a label and a graph.

    Raises SubmissionError with the faults of the file, and of its graphs.
    """
    table = read_file(path, ["text", "text or label", "label or graph", "graph"], optional=1)
    found = {}
    for row in table.rows:
        *texts, label, graph = row.fields
        if graphs.read(graph)[1]:
            table.problems.add(row.line, row.column(len(row.fields) - 1), "META-VALUE",
                               excerpt(graph), "a graph such as (cats; is a; pets)", "mend it")
        found[tuple(texts)] = Reference(label, [{GRAPH: graph}])
    table.problems.raise_if_any()
    return found


def writings_in(path: Path) -> list[Writing]:
    """What there is to write: lines of an item's text, the texts of a new item, and its label.

    Raises SubmissionError with the faults of the file.
    """
    table = read_file(path, ["text of the item", "text", "text or label", "label"], optional=1)
    table.problems.raise_if_any()
    return [Writing(prompt, tuple(texts), label)
            for prompt, *texts, label in (row.fields for row in table.rows)]
