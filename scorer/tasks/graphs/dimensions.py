"""How the items of a split of explanation graphs are divided: by what is in their gold graphs."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.tasks.graphs.facts import gold_facts
from scorer.tasks.graphs.settings import Settings
from scorer.tasks.graphs.task import Gold
from scorer.tasks.partitions import Dimension, parts

MANY_EXTERNAL = 3
"""Graphs with so many external concepts or more are one part."""


def dimensions(settings: Settings, golds: Sequence[Gold]) -> tuple[Dimension, ...]:
    """Every dimension of a split. Those that the board knows nothing of are left out."""
    graphs = gold_facts(golds)
    found = []
    if settings.labels:
        found.append(Dimension(settings.labels.name, parts(
            settings.labels.values, [[gold.label or ""] for gold in golds])))
    if settings.depth_classes:
        names = [depth_class.name for depth_class in settings.depth_classes]
        found.append(Dimension("depth", parts(
            names, [depth_classes(settings, graph.depth) for graph in graphs]),
            "depth of the gold graph"))
    return (
        *found,
        Dimension("shape", parts(
            _SHAPES, [[_SHAPES[0 if graph.linear else 1]] for graph in graphs]),
            "shape of the gold graph"),
        Dimension("relation", parts(
            settings.graph.relations,
            [[edge.relation for edge in graph.edges] for graph in graphs]),
            "relation used in the gold graph"),
        Dimension("external", parts(
            _EXTERNAL, [[_EXTERNAL[min(len(graph.external), MANY_EXTERNAL)]]
                        for graph in graphs]), "concepts from no text, in the gold graph"),
    )


_SHAPES = ("linear", "non-linear")
_EXTERNAL = (*map(str, range(MANY_EXTERNAL)), f"{MANY_EXTERNAL} or more")


def depth_classes(settings: Settings, depth: int | None) -> list[str]:
    """The board's depth classes that a depth is in; none for a graph with a cycle."""
    return [one.name for one in settings.depth_classes
            if depth is not None and one.least <= depth
            and (one.most is None or depth <= one.most)]
