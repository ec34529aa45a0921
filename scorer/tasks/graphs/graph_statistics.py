"""Data sets and predictions as the ExplaGraphs paper describes them: labels of Table 1, graphs of
Table 3 (gold) and Table 9 (predictions), relations of Fig. 5, kinds of concepts.

The paper prints them for an earlier version of the data; on the released files (github
swarnaHub/ExplaGraphs, commit 67ecab1) minima, maxima and means nearly agree, while shares differ
(dev: 43.22 % non-linear where Table 3 has 48.74). Table 1 also counts HAMLET rounds and topics,
which they do not carry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scorer.core.records import ItemResult
from scorer.tasks.graphs.facts import (
    GraphFacts,
    facts,
    gold_facts,
    kind,
    kind_names,
    relations_of,
)
from scorer.tasks.graphs.graph_items import Gold, Prediction, Settings
from scorer.tasks.graphs.task import STRUCT_CORRECT
from scorer.tasks.partitions import Spread, spread

OTHERS = "others"
"""Relations that are not shown by name."""


@dataclass(frozen=True)
class GraphStatistics:
    """Statistics of some graphs. Every spread is None if there is no graph to take it of."""

    graphs: int
    concepts: Spread | None
    edges: Spread | None
    external: Spread | None
    """Concepts in no input text, per graph."""
    depth: Spread | None
    """Over the graphs without a cycle."""
    cyclic: int
    """Graphs with a cycle, which have no depth."""
    linear: int
    """Graphs that are one chain."""
    with_external: int
    """Graphs with an external concept."""
    relations: Mapping[str, int]
    """Edges by relation: every relation of the board, in its order."""


def describe(found: Sequence[GraphFacts], relations: Sequence[str]) -> GraphStatistics:
    """The statistics of some graphs on a board with these relations."""
    used = Counter(edge.relation for graph in found for edge in graph.edges)
    depths = [graph.depth for graph in found if graph.depth is not None]
    return GraphStatistics(
        graphs=len(found),
        concepts=spread([len(graph.concepts) for graph in found]),
        edges=spread([len(graph.edges) for graph in found]),
        external=spread([len(graph.external) for graph in found]),
        depth=spread(depths),
        cyclic=len(found) - len(depths),
        linear=sum(graph.linear for graph in found),
        with_external=sum(bool(graph.external) for graph in found),
        relations={relation: used[relation] for relation in relations},
    )


class AgainstGold(NamedTuple):
    """The graphs of a system beside gold."""

    gold: GraphStatistics
    """Every item's gold graph."""
    predicted: GraphStatistics
    """The predicted graphs of the items that passed every gate, as Table 9 has them."""
    gold_of_passed: GraphStatistics
    """The gold graphs of the same items."""
    readable: GraphStatistics
    """Every predicted graph, as far as its edges can be read."""


def against_gold(
    golds: Sequence[Gold], predictions: Sequence[Prediction], items: Sequence[ItemResult],
    relations: Sequence[str],
) -> AgainstGold:
    """Graph statistics of one system's predictions for every item of a split, beside gold."""
    gold = gold_facts(golds)
    predicted = [facts(prediction.graph, item.texts)
                 for prediction, item in zip(predictions, golds, strict=True)]
    passed = [item.verdict.annotation == STRUCT_CORRECT for item in items]
    return AgainstGold(
        describe(gold, relations),
        describe([one for one, ok in zip(predicted, passed, strict=True) if ok], relations),
        describe([one for one, ok in zip(gold, passed, strict=True) if ok], relations),
        describe(predicted, relations),
    )


def label_counts(settings: Settings, golds: Sequence[Gold]) -> dict[str, int]:
    """Items by label, in the board's order; empty for a board without labels."""
    found = Counter(gold.label for gold in golds)
    return {label: found[label] for label in (settings.labels.values if settings.labels else ())}


@dataclass(frozen=True)
class RelationUse:
    """How often the gold graphs of one label use each relation."""

    label: str | None
    """None: items of every label."""
    relations: Mapping[str, int]
    """Edges by relation: every relation of the board, in its order."""
    negated: int
    """Edges whose relation negates."""

    @property
    def edges(self) -> int:
        """All edges."""
        return sum(self.relations.values())

    def share(self, relation: str) -> float | None:
        """0 to 1: the relation's share of all edges."""
        return self.relations[relation] / self.edges if self.edges else None


def relation_use(settings: Settings, golds: Sequence[Gold]) -> tuple[RelationUse, ...]:
    """Fig. 5: relations of all items first, then of those of each label in the board's order."""
    labels = settings.labels.values if settings.labels else ()
    use: dict[str | None, Counter[str]] = {label: Counter() for label in (None, *labels)}
    for gold, found in zip(golds, gold_facts(golds), strict=True):
        used = Counter(edge.relation for edge in found.edges)
        for label in dict.fromkeys((None, gold.label)):
            use[label] += used
    relations = relations_of(settings, golds)
    return tuple(
        RelationUse(label, _by_relation(settings, counts, relations),
                    sum(counts[name] for name in settings.graph.negated))
        for label, counts in use.items()
    )


def _by_relation(settings: Settings, used: Mapping[str, int], relations: Sequence[str]
                 ) -> dict[str, int]:
    """Edges by relation; where any is allowed, those that are not shown come last, together."""
    shown = {name: used.get(name, 0) for name in relations}
    beyond = sum(used.values()) - sum(shown.values())
    return {**shown, OTHERS: beyond} if beyond and not settings.graph.relations else shown


def concept_kinds(settings: Settings, golds: Sequence[Gold]) -> dict[str, int]:
    """Gold concepts by where they come from; each counts once for each graph it is in."""
    names = [text.name for text in settings.texts]
    counts = Counter(
        kind(concept, gold.texts, names)
        for gold, found in zip(golds, gold_facts(golds), strict=True)
        for concept in found.concepts
    )
    return {name: counts[name] for name in kind_names(names)}
