"""GED: the normalised graph edit distance of each item, from the exact search of ``ged.py``."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.metrics.base import RELEASED, SAHA, VERSIONS, MetricInfo
from scorer.metrics.ged import DEFAULT_BUDGET, Triple, normalised_distance
from scorer.records import ItemScore

Pair = tuple[Sequence[Triple], Sequence[Sequence[Triple]]]
"""(predicted edges, the edges of each gold graph)."""


def ged(pairs: Sequence[Pair], *, constant: int, budget: int = DEFAULT_BUDGET) -> list[ItemScore]:
    """The least normalised distance of each item to its gold graphs, 0 to 1, lower is better.

    ``constant`` is added to gold nodes + gold edges. A distance that could not be proved within
    the budget counts 1 and flags the item, whatever another gold gives.

    >>> edges = [("a", "is a", "b"), ("b", "causes", "c"), ("c", "desires", "d")]
    >>> [score.value for score in ged([(edges, [edges]), (edges[:2], [edges])], constant=17)]
    [0.0, 0.08333333333333333]
    """
    return [_best(predicted, golds, constant, budget) for predicted, golds in pairs]


def _best(
    predicted: Sequence[Triple], golds: Sequence[Sequence[Triple]], constant: int, budget: int
) -> ItemScore:
    found = [
        normalised_distance(gold, predicted, constant=constant, budget=budget) for gold in golds
    ]
    value = min(each.value for each in found)
    unsure = not all(each.exact for each in found)
    return ItemScore(value, {}, "not proved within the search budget" if unsure else None)


GED = MetricInfo(
    "GED", "Graph edit distance", "lower",
    "How many unit edits turn the predicted graph into the gold graph, normalised.",
    "Exact unit-cost edit distance over (gold nodes + gold edges + the board's constant), at "
    "most 1; the lesser of two golds. Mean over all items; an item with a wrong label or an "
    "incorrect structure counts 1. A graph too large to be sure of within the search budget "
    "counts 1 and is flagged.",
    f"{RELEASED}, metrics/graph_matching.py, with {VERSIONS}", SAHA,
    ged,
    signature=("cost:unit", "collapse:last", "budget:500000"),
    group="plausibility",
)
