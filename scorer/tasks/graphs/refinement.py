"""How the gold graphs of train came about: the graphs of every round, and what each round changed.

The official file ``refinement_graphs_train.tsv`` has the texts and the label of a gold file, then
one graph a round, one to three of them; the last one is the gold graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from scorer.core.graph import Graph
from scorer.tasks.graphs.diff import Diff, Status, diff
from scorer.tasks.graphs.graph_items import Settings

ROUNDS = 3
"""Graphs of one item in the file, at most."""


class RefinedItem(NamedTuple):
    """One item with the graphs of its rounds, the first one first."""

    row: int
    texts: tuple[str, ...]
    label: str | None
    graphs: tuple[Graph, ...]

    @property
    def diffs(self) -> tuple[Diff, ...]:
        """What each round made of the graph before it: ``missing`` is what it took away."""
        return tuple(diff(before.edges, after.edges) for before, after in pairwise(self.graphs))


def columns(settings: Settings) -> tuple[list[str], int]:
    """Names of the file's columns, and how many of the last may be absent."""
    label = [settings.labels.name] if settings.labels else []
    rounds = [f"graph of round {number}" for number in range(1, ROUNDS + 1)]
    return [*(text.name for text in settings.texts), *label, *rounds], ROUNDS - 1


def read_items(settings: Settings, rows: Iterable[Sequence[str]]) -> tuple[RefinedItem, ...]:
    """The items of the file's rows, each a sequence of fields."""
    width = len(settings.texts)
    first = width + (1 if settings.labels else 0)
    return tuple(
        RefinedItem(number, tuple(fields[:width]), fields[width] if settings.labels else None,
                    tuple(map(Graph, fields[first:])))
        for number, fields in enumerate(rows, start=1)
    )


class Round(NamedTuple):
    """What one round did to the graphs it was given."""

    number: int
    """Two-based: round 2 is given the graphs of round 1."""
    rows: tuple[int, ...]
    """The items that got a graph in this round."""
    unchanged: tuple[int, ...]
    """Those of them whose edges all stayed as they were."""
    edges: Mapping[Status, int]
    """Edges that were kept, given another relation, reversed, added (``extra``), removed
    (``missing``)."""


@dataclass(frozen=True)
class RefinementHistory:
    """The refinement of a whole split."""

    rows_by_graphs: Mapping[int, tuple[int, ...]]
    """Rows by how many graphs they have."""
    rounds: tuple[Round, ...]


def history(items: Sequence[RefinedItem]) -> RefinementHistory:
    """How many items have one, two ... graphs, and what each round changed."""
    by_graphs: dict[int, list[int]] = {}
    for item in items:
        by_graphs.setdefault(len(item.graphs), []).append(item.row)
    diffs = {item.row: item.diffs for item in items}
    most = max(by_graphs, default=0)
    return RefinementHistory(
        {number: tuple(rows) for number, rows in sorted(by_graphs.items())},
        tuple(_round(number, {row: found[number - 2] for row, found in diffs.items()
                              if len(found) >= number - 1})
              for number in range(2, most + 1)),
    )


def _round(number: int, diffs: Mapping[int, Diff]) -> Round:
    edges: Counter[Status] = Counter()
    for found in diffs.values():
        edges.update(mark.status for mark in found.marks)
        edges["missing"] += len(found.missing)
    unchanged = tuple(row for row, found in diffs.items()
                      if not found.missing and all(m.status == "kept" for m in found.marks))
    return Round(number, tuple(diffs), unchanged, dict(edges))
