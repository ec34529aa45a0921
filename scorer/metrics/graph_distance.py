"""GED: the normalised graph edit distance of each item, from the exact search of ``ged.py``."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.metrics.base import RELEASED, SAHA, VERSIONS, MetricInfo
from scorer.metrics.ged import DEFAULT_BUDGET, Triple, normalised_distance
from scorer.metrics.worked import Arithmetic, checked
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


def explain(metric: MetricInfo, items: Sequence[Pair], *, constant: int) -> Arithmetic:
    """How many edits there are, over which size."""
    _, [gold, *_] = items[0]
    nodes = len({concept for source, _, target in gold for concept in (source, target)})
    size = nodes + len(gold) + constant
    [score] = metric.compute(items[:1], constant=constant)
    edits = round(score.value * size)
    checked(metric.id, edits / size, score.value)
    return Arithmetic((
        f"fewest edits that turn the prediction into gold: {edits}",
        f"size = {nodes} gold concepts + {len(gold)} gold edges + {constant} (the board's "
        f"constant) = {size}",
        f"distance = {edits} / {size} = {score.value:.3f}"), score.value)


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
    group="plausibility", explain=explain,
)
