"""A system's numbers on parts of a split: by label, depth, shape, relation and external concepts.

Tables 7 (depth) and 8 (shape) of the ExplaGraphs paper are such breakdowns of one system on dev.
The parts are made from gold once a split. A metric's mean over a part has all items of the part as
its denominator, so the means of parts that do not overlap, weighted by items, give the mean over
the split.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from scorer.analyses.facts import gold_facts
from scorer.metrics.catalogue import METRICS
from scorer.records import ItemResult, MetricValue
from scorer.summary import summarise
from scorer.tasks.explanation_graphs import TASK, Gold
from scorer.tasks.graph_settings import Settings

MANY_EXTERNAL = 3
"""Graphs with so many external concepts or more are one part."""


class Dimension(NamedTuple):
    """One way to divide the items of a split."""

    name: str
    parts: Mapping[str, tuple[int, ...]]
    """Rows by part, in the order to show them; a part without items is kept."""

    @property
    def overlapping(self) -> bool:
        """Whether an item is in several parts."""
        rows = [row for part in self.parts.values() for row in part]
        return len(set(rows)) < len(rows)


class Part(NamedTuple):
    """One system's numbers on one part of a split."""

    name: str
    rows: tuple[int, ...]
    annotations: Mapping[str, int]
    """Items by annotation, in gate order."""
    metrics: Mapping[str, MetricValue]
    """Means over the part, for every metric that was measured; empty for a part without items."""


class Breakdown(NamedTuple):
    """One system's numbers along one dimension."""

    dimension: Dimension
    parts: tuple[Part, ...]


def dimensions(settings: Settings, golds: Sequence[Gold]) -> tuple[Dimension, ...]:
    """Every dimension of a split. Those that the board knows nothing of are left out."""
    graphs = gold_facts(golds)
    found = []
    if settings.labels:
        found.append(Dimension(settings.labels.name, _parts(
            settings.labels.values, [[gold.label or ""] for gold in golds])))
    if settings.depth_classes:
        names = [depth_class.name for depth_class in settings.depth_classes]
        found.append(Dimension("depth", _parts(
            names, [depth_classes(settings, graph.depth) for graph in graphs])))
    return (
        *found,
        Dimension("shape", _parts(
            _SHAPES, [[_SHAPES[0 if graph.linear else 1]] for graph in graphs])),
        Dimension("relation", _parts(
            settings.graph.relations,
            [[edge.relation for edge in graph.edges] for graph in graphs])),
        Dimension("external", _parts(
            _EXTERNAL, [[_EXTERNAL[min(len(graph.external), MANY_EXTERNAL)]]
                        for graph in graphs])),
    )


_SHAPES = ("linear", "non-linear")
_EXTERNAL = (*map(str, range(MANY_EXTERNAL)), f"{MANY_EXTERNAL} or more")


def depth_classes(settings: Settings, depth: int | None) -> list[str]:
    """The board's depth classes that a depth is in; none for a graph with a cycle."""
    return [one.name for one in settings.depth_classes
            if depth is not None and one.least <= depth
            and (one.most is None or depth <= one.most)]


def _parts(names: Sequence[str], found: Iterable[Sequence[str]]) -> dict[str, tuple[int, ...]]:
    """Rows by name; ``found`` are the names of each item, of which unknown ones do not count."""
    rows: dict[str, list[int]] = {name: [] for name in names}
    for row, chosen in enumerate(found, start=1):
        for name in rows.keys() & set(chosen):
            rows[name].append(row)
    return {name: tuple(members) for name, members in rows.items()}


def breakdown(dimension: Dimension, items: Sequence[ItemResult]) -> Breakdown:
    """One system's numbers on every part; ``items`` are all items of the split, in order."""
    return Breakdown(dimension, tuple(
        _part(name, rows, [items[row - 1] for row in rows])
        for name, rows in dimension.parts.items()
    ))


def _part(name: str, rows: tuple[int, ...], items: Sequence[ItemResult]) -> Part:
    counts = Counter(item.verdict.annotation for item in items)
    passed = [item.verdict.annotation == TASK.passed for item in items]
    measured = [metric for metric in METRICS
                if items and all(metric in item.scores for item in items)]
    return Part(
        name, rows, {annotation: counts[annotation] for annotation in TASK.annotations},
        {metric: summarise(METRICS[metric], [item.scores[metric] for item in items], passed,
                           None)
         for metric in measured},
    )
