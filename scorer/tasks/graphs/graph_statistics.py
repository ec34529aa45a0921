"""Data sets and predictions as the ExplaGraphs paper describes them: labels of Table 1, graphs of
Table 3 (gold) and Table 9 (predictions), relations of Fig. 5; which items break which rules.

The paper prints them for an earlier version of the data; on the released files (github
swarnaHub/ExplaGraphs, commit 67ecab1) minima, maxima and means nearly agree, while shares differ
(dev: 43.22 % non-linear where Table 3 has 48.74). Table 1 also counts HAMLET rounds and topics,
which they do not carry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

from scorer.core.records import Finding, ItemResult
from scorer.tasks.graphs.facts import GraphFacts, facts, gold_facts, relations_of
from scorer.tasks.graphs.graph_items import Gold, Prediction, Settings
from scorer.tasks.graphs.task import STANCE_INCORRECT, STRUCT_CORRECT
from scorer.tasks.partitions import Statistic, spread

OTHERS = "others"
"""Relations that are not shown by name."""


def describe(graphs: Sequence[GraphFacts]) -> list[Statistic]:
    """Some graphs in numbers: as Table 3 has them, depth over those without a cycle."""
    depths = [graph.depth for graph in graphs if graph.depth is not None]
    return [
        Statistic("graphs", len(graphs)),
        Statistic("concepts", spread([len(graph.concepts) for graph in graphs])),
        Statistic("edges", spread([len(graph.edges) for graph in graphs])),
        Statistic("depth, edges on the longest path", spread(depths)),
        Statistic("concepts in no text", spread([len(graph.external) for graph in graphs])),
        Statistic("graphs with such a concept", sum(bool(graph.external) for graph in graphs),
                  len(graphs)),
        Statistic("graphs that are not one chain", sum(not graph.linear for graph in graphs),
                  len(graphs)),
        Statistic("graphs with a cycle", len(graphs) - len(depths), len(graphs)),
    ]


def against_gold(golds: Sequence[Gold], predictions: Sequence[Prediction],
                 items: Sequence[ItemResult]) -> dict[str, list[Statistic]]:
    """One system's graphs for every item of a split, beside gold: as Table 9 has them, those that
    passed every gate, and all of them as far as their edges can be read."""
    gold = gold_facts(golds)
    predicted = [facts(prediction.graph, item.texts)
                 for prediction, item in zip(predictions, golds, strict=True)]
    passed = [item.verdict.annotation == STRUCT_CORRECT for item in items]
    return {
        "gold graphs": describe(gold),
        "its graphs that passed": describe([*compress(predicted, passed)]),
        "gold of the same items": describe([*compress(gold, passed)]),
        "all its graphs": describe(predicted),
    }


@dataclass(frozen=True)
class RelationUse:
    """How often the gold graphs of one label use each relation."""

    label: str | None
    """None: items of every label."""
    relations: Mapping[str, int]
    """Edges by relation: every relation of the board, in its order; where any is allowed, those
    that are not shown come last, together."""
    negated: int
    """Edges whose relation negates."""

    @property
    def edges(self) -> int:
        """All edges."""
        return sum(self.relations.values())


def relation_use(settings: Settings, golds: Sequence[Gold]) -> tuple[RelationUse, ...]:
    """Fig. 5: relations of all items first, then of those of each label in the board's order."""
    labels = settings.labels.values if settings.labels else ()
    use: dict[str | None, Counter[str]] = {label: Counter() for label in (None, *labels)}
    for gold, gold_fact in zip(golds, gold_facts(golds), strict=True):
        used = Counter(edge.relation for edge in gold_fact.edges)
        for label in dict.fromkeys((None, gold.label)):
            use[label] += used
    relations = relations_of(settings, golds)
    uses = []
    for label, counts in use.items():
        shown = {name: counts[name] for name in relations}
        beyond = counts.total() - sum(shown.values())
        if beyond and not settings.graph.relations:
            shown[OTHERS] = beyond
        negated = sum(counts[name] for name in settings.graph.negated)
        uses.append(RelationUse(label, shown, negated))
    return tuple(uses)


class Broken(NamedTuple):
    """The items that break one rule."""

    rows: tuple[int, ...]
    alone: tuple[int, ...]
    """Those of them that break nothing else: without this rule they would have passed."""


def convincing(items: Sequence[ItemResult]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The rows of correct structure whose graph convinced the judge, and the others; None where no
    judge was asked."""
    if any("SeCA" not in item.scores for item in items):
        return None
    passed = [item for item in items if item.verdict.annotation == STRUCT_CORRECT]
    right = tuple(item.row for item in passed if item.scores["SeCA"].value == 1.0)
    return right, tuple(item.row for item in passed if item.row not in right)


def broken(items: Sequence[ItemResult]) -> dict[str, Broken]:
    """By rule, the items with the right label that break it; as the result counts them."""
    return _rows_by_rule((item.row, item.verdict.broken) for item in items
                         if item.verdict.annotation != STANCE_INCORRECT)


def strict(items: Sequence[ItemResult]) -> dict[str, Broken]:
    """By rule, the items with a strict finding."""
    return _rows_by_rule((item.row, item.verdict.strict) for item in items)


def _rows_by_rule(entries: Iterable[tuple[int, Sequence[Finding]]]) -> dict[str, Broken]:
    rows: dict[str, list[int]] = {}
    alone: dict[str, list[int]] = {}
    for row, findings in entries:
        rules = {finding.rule for finding in findings}
        for rule in rules:
            rows.setdefault(rule, []).append(row)
            if len(rules) == 1:
                alone.setdefault(rule, []).append(row)
    return {rule: Broken(tuple(of_rule), tuple(alone.get(rule, ())))
            for rule, of_rule in rows.items()}
