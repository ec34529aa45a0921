"""Boards of graph labels in numbers, and how their items are divided: by label and by the graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scorer.tasks.graph_labels.graph_label_items import Gold, Settings
from scorer.tasks.graphs.facts import facts
from scorer.tasks.partitions import Partition, Spread, numbers, spread

MOST_RELATIONS = 40
"""So many of the commonest relations are told apart by name."""


def partitions(settings: Settings, golds: Sequence[Gold]) -> Iterator[Partition[Gold]]:
    """The label; of the graph its relations, negations, edges and shape."""
    name = settings.labels.name
    yield Partition("label", name, settings.labels.values, lambda gold: [gold.label],
                    tag="{}", heading=name)
    if settings.negated:
        yield Partition("negation", "Negated relations", ("none", "one", "several"),
                        lambda gold: [_negations(settings, gold)],
                        heading="negated relations in the graph")
    used = Counter(edge.relation for gold in golds for edge in gold.graph.edges)
    relations = tuple(sorted(used, key=lambda name: (-used[name], name))[:MOST_RELATIONS])
    yield Partition(
        "relation", "Relation", relations,
        lambda gold: sorted({edge.relation for edge in gold.graph.edges} & {*relations},
                            key=relations.index),
        several=True, long=True, heading="relation used in the graph")
    yield Partition("edges", "Edges", numbers(len(gold.graph.edges) for gold in golds),
                    lambda gold: [str(len(gold.graph.edges))], number=True)
    yield Partition("shape", "Shape", ("one chain", "not one chain"),
                    lambda gold: ["one chain" if facts(gold.graph, gold.statements).linear
                                  else "not one chain"], heading="shape of the graph")


def _negations(settings: Settings, gold: Gold) -> str:
    count = sum(edge.relation in settings.negated for edge in gold.graph.edges)
    return ("none", "one", "several")[min(count, 2)]


class ItemStatistics(NamedTuple):
    """The items of a split, or of all of them together."""

    name: str
    items: int
    labels: Mapping[str, int]
    """Items by label."""
    words: Mapping[str, Spread | None]
    """Of each text."""
    edges: Spread | None
    """Of a graph."""
    negated: Mapping[str, tuple[int, int]]
    """By label: edges that negate, and all edges."""


def describe(name: str, settings: Settings, golds: Sequence[Gold]) -> ItemStatistics:
    """The statistics of some items, of which there is one at least."""
    labels = settings.labels.values
    relations = {label: [edge.relation for gold in golds if gold.label == label
                         for edge in gold.graph.edges] for label in labels}
    return ItemStatistics(
        name, len(golds), {label: sum(gold.label == label for gold in golds) for label in labels},
        {column: spread([len(gold.statements[place].split()) for gold in golds])
         for place, column in enumerate(settings.texts)},
        spread([len(gold.graph.edges) for gold in golds]),
        {label: (sum(one in settings.negated for one in found), len(found))
         for label, found in relations.items()})
