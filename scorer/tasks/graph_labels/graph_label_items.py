"""The records of graph labels: what a board says about them, an item, and an answer; how items are
divided, by label and by the graph, and a split in numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from scorer.core.graph import Graph
from scorer.core.reading.values import Items, Text
from scorer.tasks.base import ColumnName
from scorer.tasks.graphs.facts import commonest_relations, facts, graph_partitions
from scorer.tasks.graphs.graph_items import Labels
from scorer.tasks.partitions import Partition, Statistic, spread

GRAPH = "graph"
"""The column of the graph that is given."""
WITHOUT = "_without_graph"
"""Behind the label's name: the column of what the same system says where no graph is given."""

_Relation = Annotated[str, Text(60)]


@dataclass(frozen=True)
class Opposites:
    """A relation, and what denies it."""

    relation: Annotated[_Relation, "The relation."]
    negated: Annotated[_Relation, "The relation that denies it; marked in drawings."]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a board says about this task."""

    texts: Annotated[tuple[ColumnName, ...], Items(1, 5), "The columns of texts, in the order of "
                     "the files; the graph follows them."]
    labels: Annotated[Labels, "The label to predict."]
    opposites: Annotated[tuple[Opposites, ...], Items(0, 250), "Relations and their negations, "
                         "which the row `flipped-negations` exchanges."] = ()

    @property
    def without(self) -> str:
        """The column of labels that a system gives without the graph."""
        return f"{self.labels.name}{WITHOUT}"

    @cached_property
    def negated(self) -> frozenset[str]:
        """The relations that deny another."""
        return frozenset(opposite.negated for opposite in self.opposites)

    @cached_property
    def flipped(self) -> Mapping[str, str]:
        """For each relation that has an opposite, that."""
        return {**{opposite.relation: opposite.negated for opposite in self.opposites},
                **{opposite.negated: opposite.relation for opposite in self.opposites}}


@dataclass(frozen=True)
class Gold:
    """One item: its texts, the graph that is given with them, and the label."""

    statements: tuple[str, ...]
    """The texts without the graph."""
    graph: Graph
    label: str

    @property
    def texts(self) -> tuple[str, ...]:
        """The input columns."""
        return (*self.statements, self.graph.text)


@dataclass(frozen=True)
class Prediction:
    """What a system says about one item."""

    label: str
    without: str | None = None
    """What it says where no graph is given; None in a file without it."""


def partitions(settings: Settings, golds: Sequence[Gold]) -> Iterator[Partition[Gold]]:
    """The label; of the graph its relations, negations, edges and shape."""
    name = settings.labels.name
    yield Partition("label", name, settings.labels.values, lambda gold: [gold.label],
                    tag="{}", heading=name)
    if settings.negated:
        counts = ("none", "one", "several")
        yield Partition("negation", "Negated relations", counts,
                        lambda gold: [counts[min(2, sum(edge.relation in settings.negated
                                                        for edge in gold.graph.edges))]],
                        heading="negated relations in the graph")
    relations = commonest_relations(gold.graph.edges for gold in golds)
    yield from graph_partitions(golds, lambda gold: facts(gold.graph, gold.statements), relations,
                                "the graph")


def describe(settings: Settings, golds: Sequence[Gold]) -> list[Statistic]:
    """Some items in numbers, of which there is one at least."""
    labels = settings.labels.values
    relations = {label: [edge.relation for gold in golds if gold.label == label
                         for edge in gold.graph.edges] for label in labels}
    return [
        Statistic("items", len(golds)),
        *(Statistic(label, sum(gold.label == label for gold in golds), len(golds))
          for label in labels),
        *(Statistic(f"words of the {column}",
                    spread([len(gold.statements[index].split()) for gold in golds]))
          for index, column in enumerate(settings.texts)),
        Statistic("edges of the graph", spread([len(gold.graph.edges) for gold in golds])),
        *(Statistic(f"edges that negate, {label}", sum(name in settings.negated for name in names),
                    len(names)) for label, names in relations.items()),
    ]
