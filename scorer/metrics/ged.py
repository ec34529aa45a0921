"""How many edits turn a predicted graph into the gold graph? Exact graph edit distance, fast.

What it measures: the least number of edits between two small labelled digraphs, each at cost 1:
insert or delete a node or an edge, or relabel one. A node's label is its concept, an edge's its
relation. Reproduces `networkx.graph_edit_distance` (3.6.1; Abu-Aisheh et al. 2015) as the released
ExplaGraphs code calls it (github swarnaHub/ExplaGraphs, commit 67ecab1, metrics/), which takes
seconds to hours on such graphs.

How: deleting one graph and inserting the other costs all nodes and edges of both. Mapping nodes of
one graph one-to-one to nodes of the other saves 1 per node, 1 more if the concepts are equal, 1 per
edge that falls on an edge, 1 more if the relations are equal. No mapped node costs extra, so the
smaller graph is mapped whole, and the search maximises the rest: the *saving*.

1. Ceiling. Call the nodes of one graph nodes, those of the other spots. Forget that a spot holds
   one node only, except that the neighbours of a node in the search forest, and itself, sit on
   different spots. A link beyond the forest is kept by hanging a copy of one end on the other end.
   The best such map is found exactly from the leaves to the roots; it bounds the saving from above.
2. Prices. Any price per spot, paid by every node on it and refunded once, leaves a valid ceiling.
   Prices are adjusted by the subgradient method (Held and Karp 1971) until the ceiling is low:
   crowded spots become dearer. Usually it comes down to the saving of a map found on the way, which
   proves that map best.
3. Branch. Otherwise take the root with the fewest spots left to try, fix it to each, and repeat.
   Spots that may trade places with a tried one are left out.

Both roles (whose nodes are the spots) branch by turns until one is through: either may be much the
easier. Ceilings are whole numbers, nothing is read in hash order and work is counted from sizes, so
that one input gives one answer and one amount of work on every machine.

Deviation: with self loops networkx 3.6.1 is wrong (it may leave loops uncounted and map a loop to
an ordinary edge: distance 0 between `a -r-> a` and `a -s-> a`). Here only a loop matches a loop.
ExplaGraphs graphs that pass the gates have none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from scorer.core.records import ItemScore
from scorer.metrics.base import RELEASED, SAHA, VERSIONS, Arithmetic, MetricInfo
from scorer.metrics.ged_search import Digraph, SearchState, search

Triple = tuple[str, str, str]
"""(source concept, relation, target concept)."""
Pair = tuple[Sequence[Triple], Sequence[Sequence[Triple]]]
"""(predicted edges, the edges of each gold graph)."""

DEFAULT_BUDGET = 500_000
"""Expansions one pair may cost: 25 to 45 ms in CPython 3.11 (benchmarks/bench_ged.py). 12,000 pairs
of 8 by 12 edges (`tests.ged_pairs.hard`) need 47,000 on average and 498,000 at most; a hill climb
to the hardest such graphs (one relation, no common concept) ended, by an earlier form of the
search, at some, 1 in 4,000 tried, that need up to 4 times the budget and are flagged."""

_FEW = 9  # pairs of concepts tried before the search


class GedResult(NamedTuple):
    """A graph edit distance, in edits or as a share, and how it was reached."""

    value: float
    """Number of edits, or 0 to 1; lower is better."""
    exact: bool
    """False: the budget was spent before the distance was proved. Then edits are the best upper
    bound found, and a share is 1.0."""
    expansions: int
    """Work done: (node, spot, neighbour) values computed; 0 if counts alone decided."""


def edit_distance(
    gold: Sequence[Triple], pred: Sequence[Triple], *, budget: int = DEFAULT_BUDGET
) -> GedResult:
    """Least number of unit edits between two graphs given as their edges.

    ``gold``, ``pred``: any number of (source, relation, target); edges over the same ordered pair
    of concepts collapse to the last one, the order does not matter otherwise, texts are compared as
    they are. ``budget``: expansions the search may spend, >= 0. Returns 0 (equal graphs) to all
    nodes and edges of both, the same either way round; 0 for two empty graphs. Raises nothing.

    >>> gold = [("tax", "causes", "harm"), ("harm", "is a", "cost")]
    >>> pred = [("tax", "causes", "harm"), ("harm", "part of", "price")]
    >>> edit_distance(gold, pred).value  # another relation, another concept
    2.0
    """
    return _distance(_graph(gold), _graph(pred), budget, None)


def normalised_distance(
    gold: Sequence[Triple],
    pred: Sequence[Triple],
    *,
    constant: int,
    budget: int = DEFAULT_BUDGET,
) -> GedResult:
    """Edit distance as a share: min(1, distance / (gold nodes + gold edges + constant)).

    ``gold``, ``pred``, ``budget``: as in ``edit_distance``. ``constant``: >= 0; 17 on ExplaGraphs,
    the nodes and edges of a graph of 8 edges. Returns 0 (equal) to 1, lower is better. A prediction
    whose size alone proves 1 is not searched, however large, and is exact. A distance not proved
    within the budget counts 1.0 and is flagged. Raises ValueError for a negative constant.

    >>> gold = [("tax", "causes", "harm"), ("harm", "is a", "cost")]
    >>> share = normalised_distance(gold, gold[:1], constant=17)  # a node and an edge are missing
    >>> share.value == 2 / (3 + 2 + 17)
    True
    """
    if constant < 0:
        raise ValueError(f"the constant must be 0 or more, got {constant!r}")
    gold_graph = _graph(gold)
    most = gold_graph.size + constant
    if most == 0:
        return GedResult(1.0 if pred else 0.0, True, 0)
    pred_graph = _graph(pred)
    if pred_graph.size >= gold_graph.size + most:
        return GedResult(1.0, True, 0)
    distance = _distance(gold_graph, pred_graph, budget, most)
    value = min(1.0, distance.value / most) if distance.exact else 1.0
    return GedResult(value, distance.exact, distance.expansions)


def ged(pairs: Sequence[Pair], *, constant: int, budget: int = DEFAULT_BUDGET) -> list[ItemScore]:
    """The least normalised distance of each item to its gold graphs, 0 to 1, lower is better.

    ``constant`` is added to gold nodes + gold edges. A distance that could not be proved within
    the budget counts 1 and flags the item, whatever another gold gives.

    >>> edges = [("a", "is a", "b"), ("b", "causes", "c"), ("c", "desires", "d")]
    >>> [score.value for score in ged([(edges, [edges]), (edges[:2], [edges])], constant=17)]
    [0.0, 0.08333333333333333]
    """
    scores = []
    for predicted, golds in pairs:
        results = [normalised_distance(gold, predicted, constant=constant, budget=budget)
                   for gold in golds]
        exact = all(each.exact for each in results)
        scores.append(ItemScore(min(each.value for each in results), {},
                                None if exact else "not proved within the search budget"))
    return scores


def _graph(triples: Sequence[Triple]) -> Digraph:
    edges = {(source, target): relation for source, relation, target in triples}
    concepts = dict.fromkeys(concept for pair in edges for concept in pair)
    return Digraph({concept: number for number, concept in enumerate(concepts)}, edges)


def _distance(first: Digraph, second: Digraph, budget: int, enough: int | None) -> GedResult:
    """The distance; with ``enough``, any distance of at least ``enough`` may come as ``enough``."""
    small, large = sorted((first, second), key=lambda graph: (len(graph.concepts), graph.size))
    everything = large.size + len(small.edges)
    saving = _quick_saving(small, large)
    if enough is not None:
        saving = max(saving, everything - enough)
    ledger = SearchState(saving, budget)
    # No map saves more than all common concepts, edges and common relations.
    relations = Counter(small.edges.values()) & Counter(large.edges.values())
    most = (sum(concept in large.concepts for concept in small.concepts)
            + min(len(small.edges), len(large.edges)) + relations.total())
    exact = saving >= most or search(small, large, ledger)
    return GedResult(float(everything - ledger.best), exact, ledger.expansions)


def _quick_saving(small: Digraph, large: Digraph) -> int:
    """The saving if equal concepts are mapped to each other, and then, if few, the others."""
    spots = {concept: concept for concept in small.concepts if concept in large.concepts}
    common = len(spots)
    left = [concept for concept in small.concepts if concept not in spots]
    vacant = [concept for concept in large.concepts if concept not in spots]
    if len(left) * len(vacant) <= _FEW:
        for concept in left:
            tries = [(_edge_saving(small, large, {**spots, concept: v}), v) for v in vacant]
            if tries:
                spots[concept] = max(tries)[1]
                vacant.remove(spots[concept])
    return common + _edge_saving(small, large, spots)


def _edge_saving(small: Digraph, large: Digraph, spots: dict[str, str]) -> int:
    saving = 0
    for (source, target), relation in small.edges.items():
        if source in spots and target in spots:
            other = large.edges.get((spots[source], spots[target]))
            saving += 0 if other is None else 1 + (other == relation)
    return saving


def explain(items: Sequence[Pair], score: ItemScore, *, constant: int) -> Arithmetic:
    """How many edits there are, over which size."""
    _, [gold, *_] = items[0]
    nodes = len({concept for source, _, target in gold for concept in (source, target)})
    size = nodes + len(gold) + constant
    edits = round(score.value * size)
    return Arithmetic((
        f"fewest edits that turn the prediction into gold: {edits}",
        f"size = {nodes} gold concepts + {len(gold)} gold edges + {constant} (the board's "
        f"constant) = {size}",
        f"distance = {edits} / {size} = {score.value:.3f}"), edits / size)


GED = MetricInfo(
    "GED", "Graph edit distance", "lower",
    "How many unit edits turn the predicted graph into the gold graph, normalised.",
    "Exact unit-cost edit distance over (gold nodes + gold edges + the board's constant), at "
    "most 1; the least of several golds, unless the signature says otherwise (over). Mean over "
    "all items; an item with a wrong label or an incorrect structure counts 1. A graph too large "
    "to be sure of within the search budget counts 1 and is flagged.",
    f"{RELEASED}, metrics/graph_matching.py, with {VERSIONS}", SAHA,
    ged,
    signature=("cost:unit", "collapse:last", "budget:500000"),
    group="plausibility", explain=explain,
)
