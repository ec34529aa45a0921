"""How the items of a split of explanation graphs are divided: by what is in their gold graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scorer.tasks.graphs.facts import GraphFacts, facts, gold_facts
from scorer.tasks.graphs.records import Gold, Settings
from scorer.tasks.partitions import Partition

MANY_EXTERNAL = 3
"""Graphs with so many external concepts or more are one part."""
_EXTERNAL = ("none", *map(str, range(1, MANY_EXTERNAL)), f"{MANY_EXTERNAL} or more")


def partitions(settings: Settings, golds: Sequence[Gold]) -> Iterator[Partition[Gold]]:
    """Every partition that the board knows something of; of depths, those of these items."""
    if settings.labels:
        name = settings.labels.name
        yield Partition("label", name, settings.labels.values, lambda gold: [gold.label or ""],
                        tag="{}", heading=name)
    relations = settings.graph.relations
    yield Partition(
        "relation", "Relation", relations,
        lambda gold: sorted({edge.relation for edge in _first(gold).edges} & {*relations},
                            key=relations.index),
        several=True, long=True, heading="relation used in the gold graph")
    yield _depth(settings, golds)
    yield Partition(
        "shape", "Shape", ("one chain", "branching"),
        lambda gold: ["one chain" if _first(gold).linear else "branching"],
        heading="shape of the gold graph",
        parts={"linear": ("one chain",), "non-linear": ("branching",)})
    few = len(settings.texts) == 1
    yield Partition(
        "external", "Concepts not from the text" if few else "Concepts from neither text",
        _EXTERNAL, lambda gold: [_EXTERNAL[min(len(_first(gold).external), MANY_EXTERNAL)]],
        heading="concepts from no text, in the gold graph",
        parts={"0" if value == "none" else value: (value,) for value in _EXTERNAL})


def _first(gold: Gold) -> GraphFacts:
    return facts(gold.graphs[0], gold.texts)


def _depth(settings: Settings, golds: Sequence[Gold]) -> Partition[Gold]:
    """By depth, which a graph with a cycle does not have; breakdowns show the board's classes."""
    depths = sorted({one.depth for one in gold_facts(golds) if one.depth is not None})
    parts = {one.name: tuple(str(depth) for depth in depths
                             if one.least <= depth and (one.most is None or depth <= one.most))
             for one in settings.depth_classes}

    def depth(gold: Gold) -> list[str]:
        found = _first(gold).depth
        return [] if found is None else [str(found)]

    return Partition("depth", "Depth", tuple(map(str, depths)), depth, tag="depth {}",
                     heading="depth of the gold graph" if parts else "", parts=parts)
