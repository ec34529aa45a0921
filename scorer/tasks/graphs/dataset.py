"""A data set as the paper describes it: labels of Table 1, relations of Fig. 5, concept kinds.

Table 1 also counts HAMLET rounds and topics, which the released files do not carry. Table 3 is
``graph_statistics.describe`` of ``facts.gold_facts``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scorer.tasks.graphs.concept_origins import kind, kind_names
from scorer.tasks.graphs.facts import gold_facts
from scorer.tasks.graphs.records import Gold, Settings


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

    @property
    def negated_share(self) -> float | None:
        """0 to 1: the share of edges whose relation negates."""
        return self.negated / self.edges if self.edges else None


def relation_use(settings: Settings, golds: Sequence[Gold]) -> tuple[RelationUse, ...]:
    """Fig. 5: relations of all items first, then of those of each label in the board's order."""
    labels = settings.labels.values if settings.labels else ()
    use: dict[str | None, Counter[str]] = {label: Counter() for label in (None, *labels)}
    for gold, found in zip(golds, gold_facts(golds), strict=True):
        used = Counter(edge.relation for edge in found.edges)
        for label in dict.fromkeys((None, gold.label)):
            use[label] += used
    return tuple(
        RelationUse(label, {name: counts[name] for name in settings.graph.relations},
                    sum(counts[name] for name in settings.graph.negated))
        for label, counts in use.items()
    )


def concept_kinds(settings: Settings, golds: Sequence[Gold]) -> dict[str, int]:
    """Gold concepts by where they come from; each counts once for each graph it is in."""
    names = [text.name for text in settings.texts]
    counts = Counter(
        kind(concept, gold.texts, names)
        for gold, found in zip(golds, gold_facts(golds), strict=True)
        for concept in found.concepts
    )
    return {name: counts[name] for name in kind_names(names)}
