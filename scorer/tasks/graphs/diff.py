"""How a predicted graph differs from a gold graph, edge by edge; how the gold graphs of train came
about.

"Extra" says that the gold graph does not have the edge, not that the edge is wrong: a gold graph is
one good explanation, not the only one.

The official file ``refinement_graphs_train.tsv`` has the texts and the label of a gold file, then
one graph a round, one to three of them; the last one is the gold graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.tasks.graphs.graph_items import Settings

Status = Literal["kept", "changed", "reversed", "extra", "missing"]


class Mark(NamedTuple):
    """What became of one predicted edge."""

    status: Status
    gold: int | None = None
    """Position of the gold edge it answers, or None for an extra edge."""


class Diff(NamedTuple):
    """One mark per predicted edge, in order, and the positions of unanswered gold edges."""

    marks: tuple[Mark, ...]
    missing: tuple[int, ...]

    def count(self, status: Status) -> int:
        """How many edges have this status."""
        if status == "missing":
            return len(self.missing)
        return sum(mark.status == status for mark in self.marks)


def diff(gold: Sequence[Edge], predicted: Sequence[Edge]) -> Diff:
    """Answer every gold edge at most once: equal edges first, then changed, then reversed ones.

    >>> gold = [Edge("a", "causes", "b"), Edge("b", "is a", "c")]
    >>> found = diff(gold, [Edge("b", "causes", "a"), Edge("b", "part of", "c")])
    >>> [mark.status for mark in found.marks], found.missing
    (['reversed', 'changed'], ())
    """
    marks: list[Mark | None] = [None] * len(predicted)
    waiting = dict.fromkeys(range(len(gold)))
    status: Status
    for status in ("kept", "changed", "reversed"):
        for position, edge in enumerate(predicted):
            if marks[position] is None:
                wanted = (edge.target, edge.source) if status == "reversed" else (
                    edge.source, edge.target)
                answered = next((i for i in waiting if (gold[i].source, gold[i].target) == wanted
                                 and (status != "kept" or gold[i] == edge)), None)
                if answered is not None:
                    marks[position] = Mark(status, answered)
                    del waiting[answered]
    return Diff(tuple(mark or Mark("extra") for mark in marks), tuple(waiting))


def closest(golds: Sequence[Sequence[Edge]], predicted: Sequence[Edge]) -> int:
    """The gold graph that has most in common with a prediction; the first on ties.

    >>> closest([[Edge("a", "is a", "b")], [Edge("a", "is a", "c")]], [Edge("a", "is a", "c")])
    1
    """
    def likeness(position: int) -> tuple[int, int, int]:
        changes = diff(golds[position], predicted)
        answered = len(golds[position]) - len(changes.missing)
        return changes.count("kept"), answered, -position

    return max(range(len(golds)), key=likeness) if len(golds) > 1 else 0


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


def round_columns(settings: Settings) -> tuple[list[str], int]:
    """Names of the file's columns, and how many of the last may be absent."""
    label = [settings.labels.name] if settings.labels else []
    rounds = [f"graph of round {number}" for number in range(1, ROUNDS + 1)]
    return [*(text.name for text in settings.texts), *label, *rounds], ROUNDS - 1


def read_rounds(settings: Settings, rows: Iterable[Sequence[str]]) -> tuple[RefinedItem, ...]:
    """The items of the file's rows, each a sequence of fields."""
    width = len(settings.texts)
    first = width + (1 if settings.labels else 0)
    return tuple(
        RefinedItem(number, tuple(fields[:width]), fields[width] if settings.labels else None,
                    tuple(map(Graph, fields[first:])))
        for number, fields in enumerate(rows, start=1)
    )


class RefinementRound(NamedTuple):
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
    rounds: tuple[RefinementRound, ...]


def history(items: Sequence[RefinedItem]) -> RefinementHistory:
    """How many items have one, two ... graphs, and what each round changed."""
    by_graphs: dict[int, list[int]] = {}
    for item in items:
        by_graphs.setdefault(len(item.graphs), []).append(item.row)
    steps = {item.row: item.diffs for item in items}
    rounds = []
    for number in range(2, max(by_graphs, default=0) + 1):
        diffs = {row: changes[number - 2] for row, changes in steps.items()
                 if len(changes) >= number - 1}
        edges: Counter[Status] = Counter()
        for changes in diffs.values():
            edges.update(mark.status for mark in changes.marks)
            edges["missing"] += len(changes.missing)
        unchanged = tuple(row for row, changes in diffs.items() if not changes.missing
                          and all(mark.status == "kept" for mark in changes.marks))
        rounds.append(RefinementRound(number, tuple(diffs), unchanged, dict(edges)))
    return RefinementHistory({number: tuple(rows) for number, rows in sorted(by_graphs.items())},
                             tuple(rounds))
