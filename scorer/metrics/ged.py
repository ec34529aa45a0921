"""How many edits turn the predicted graph into the gold graph? Exact graph edit distance (GED), fast.

What it measures. The least number of edits between two small labelled digraphs, every edit at cost 1: insert or delete
a node or an edge, or change the label of one. Node label = concept, edge label = relation. It reproduces
`networkx.graph_edit_distance` (3.6.1, depth first search of Abu-Aisheh et al. 2015) as called by the released
ExplaGraphs code (swarnaHub/ExplaGraphs, metrics/, commit 67ecab1), which needs seconds to hours for graphs of this size.

How. An edit path is a one-to-one map of some nodes of one graph to nodes of the other. Deleting and inserting everything
costs `nodes + edges` of both graphs; each mapped pair of nodes saves 1, and 1 more if the concepts are equal; each edge
mapped to an edge saves 1, and 1 more if the relations are equal. Nothing costs extra, so the smaller graph is mapped
whole, and what is left to maximise is the number of equal concepts and the saving of the edges: `saving` below.

1. Ceiling. Take the nodes of one graph as a forest (an edge beyond the forest gives half its best saving to each end) and
   drop the rule that a spot, a node of the other graph, is used once, except that a node, its parent and the parent's
   other neighbours sit on different spots. The best such map is found exactly from the leaves to the roots.
2. Prices. Each spot gets a price, paid by every node on it and refunded once. Any prices >= 0 give a valid ceiling; they
   are moved towards the lowest ceiling by the subgradient method (Held and Karp 1971): crowded spots become dearer.
   With good prices the ceiling is mostly the true maximum, and a map found on the way proves it.
3. Branch. Otherwise fix the root with the fewest spots left to try to each of them, best first, and repeat on the rest.

Work is counted from sizes, never by a clock or in hash order: one input gives one answer on every machine.

Deviation. For graphs with self loops networkx 3.6.1 is wrong (it leaves a loop on the first mapped node uncounted and
may map a loop to an ordinary edge: a distance of 0 between `a -r-> a` and `a -s-> a`). Here a loop is an edge that only
a loop can match. Gated-in ExplaGraphs graphs have no loops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Triple = tuple[str, str, str]
"""(source concept, relation, target concept)"""

DEFAULT_BUDGET = 300_000
"""Search work one pair may cost, in expansions. About 30 ms in CPython 3.11 on the machine of benchmarks/bench_ged.py;
connected graphs of 8 by 12 edges need at most a third of it (tests/test_ged.py)."""

_UNIT = 64  # a saving of 1, so that prices are whole numbers and every ceiling is exact
_ROOT_ROUNDS, _BRANCH_ROUNDS = 20, 4  # price rounds before branching: measured best on the pairs of tests/ged_pairs.py
_SLOWER = 0.9  # each price step is this much shorter than the last
_TIE = 0.5  # spots whose value differs by less than this share of the gap count as equally good
_BARRED = -(10**9)  # value of a spot that is taken


class GedResult(NamedTuple):
    """A graph edit distance and how it was reached."""

    distance: float
    """Number of edits, >= 0; the exact distance, or the best upper bound found when `exact` is False."""
    exact: bool
    """False: the budget was spent before the distance was proved."""
    expansions: int
    """Work done: (node, spot, neighbour) values computed, the same on every machine; 0 if no search was needed."""


class NormalisedDistance(NamedTuple):
    """A graph edit distance as a share of the gold graph's size."""

    value: float
    """0 to 1, lower is better; 1.0 when `exact` is False."""
    exact: bool
    """False: flagged, the distance was not proved within the budget."""
    expansions: int
    """Work done, as in GedResult."""


def edit_distance(gold: Sequence[Triple], pred: Sequence[Triple], *, budget: int = DEFAULT_BUDGET) -> GedResult:
    """Exact number of unit edits between two graphs given as edges.

    gold, pred: any number of (source, relation, target), also none; two edges over the same ordered pair of concepts
        collapse to the last one; order does not matter otherwise. Concepts and relations are compared as they are.
    budget: expansions the search may spend; the answer is flagged (`exact` False) if it would need more.
    Returns a distance of 0 (equal graphs) to nodes + edges of both. Symmetric. Two empty graphs: 0. Raises nothing.

    >>> gold = [("tax", "causes", "harm"), ("harm", "is a", "cost")]
    >>> pred = [("tax", "causes", "harm"), ("harm", "part of", "price")]
    >>> edit_distance(gold, pred).distance  # one relation and one concept changed
    2.0
    """
    return _distance(_graph(gold), _graph(pred), budget, None)


def normalised_distance(
    gold: Sequence[Triple], pred: Sequence[Triple], *, constant: int, budget: int = DEFAULT_BUDGET
) -> NormalisedDistance:
    """Edit distance as a share: min(1, distance / (gold nodes + gold edges + constant)).

    gold, pred, budget: as in `edit_distance`.
    constant: >= 1; 17 on ExplaGraphs (released code, see module docstring: the largest predicted graph, 9 nodes + 8 edges).
    Returns 0 (equal) to 1, lower is better. A prediction so large that its size alone proves 1 is not searched and is exact;
        a distance not proved within the budget counts 1.0 and is flagged.
    Raises ValueError if constant < 1.

    >>> gold = [("tax", "causes", "harm"), ("harm", "is a", "cost")]
    >>> normalised_distance(gold, gold[:1], constant=17).value == 2 / (3 + 2 + 17)  # a node and an edge are missing
    True
    """
    if constant < 1:
        raise ValueError(f"constant must be at least 1, got {constant!r}")
    gold_graph = _graph(gold)
    largest = gold_graph.size + constant
    if _has_size(pred, gold_graph.size + largest):
        return NormalisedDistance(1.0, True, 0)
    found = _distance(gold_graph, _graph(pred), budget, largest)
    value = min(1.0, found.distance / largest) if found.exact else 1.0
    return NormalisedDistance(value, found.exact, found.expansions)


class _Graph(NamedTuple):
    concepts: dict[str, int]  # concept -> its number, in order of appearance
    edges: dict[tuple[str, str], str]  # (source, target) -> relation

    @property
    def size(self) -> int:
        return len(self.concepts) + len(self.edges)


def _graph(triples: Sequence[Triple]) -> _Graph:
    edges = {(source, target): relation for source, relation, target in triples}
    concepts: dict[str, int] = {}
    for pair in edges:
        for concept in pair:
            if concept not in concepts:
                concepts[concept] = len(concepts)
    return _Graph(concepts, edges)


def _has_size(triples: Sequence[Triple], size: int) -> bool:
    """Whether the graph has at least `size` nodes and edges; reads no further than it must."""
    concepts: set[str] = set()
    edges: set[tuple[str, str]] = set()
    for source, _, target in triples:
        edges.add((source, target))
        concepts.update((source, target))
        if len(concepts) + len(edges) >= size:
            return True
    return False


def _distance(first: _Graph, second: _Graph, budget: int, enough: int | None) -> GedResult:
    """The distance; with `enough`, a distance of at least `enough` may be given as `enough`."""
    everything = first.size + second.size - min(len(first.concepts), len(second.concepts))
    saving = _saving_by_label(first, second)
    if enough is not None:
        saving = max(saving, everything - enough)
    if saving >= _most_saving(first, second):
        return GedResult(float(everything - saving), True, 0)
    if len(first.concepts) * len(second.concepts) + len(first.edges) * len(second.edges) > budget:
        return GedResult(float(everything - saving), False, 0)
    if _tree_likeness(second) < _tree_likeness(first):
        first, second = second, first
    search = _Search(first, second, saving, budget)
    exact = search.run()
    return GedResult(float(everything - search.best), exact, search.expansions)


def _saving_by_label(first: _Graph, second: _Graph) -> int:
    """Saving if every concept is mapped to the equal concept, and the others to nothing."""
    saving = sum(concept in second.concepts for concept in first.concepts)
    for pair, relation in first.edges.items():
        if pair in second.edges:
            saving += 1 + (second.edges[pair] == relation)
    return saving


def _most_saving(first: _Graph, second: _Graph) -> int:
    """A ceiling of the saving from counts alone: common concepts, edges, common relations."""
    common = sum(concept in second.concepts for concept in first.concepts)
    relations = Counter(first.edges.values()) & Counter(second.edges.values())
    return common + min(len(first.edges), len(second.edges)) + relations.total()


def _tree_likeness(graph: _Graph) -> tuple[int, int, int]:
    """Lower is better for step 1: edges beyond a forest, then nodes, then edges."""
    links = _links(graph)
    neighbours: list[list[int]] = [[] for _ in graph.concepts]
    for u, w in links:
        neighbours[u].append(w)
        neighbours[w].append(u)
    forest = _forest(range(len(neighbours)), neighbours)
    return len(forest.extra), len(graph.concepts), len(graph.edges)


def _links(graph: _Graph) -> dict[tuple[int, int], tuple[str | None, str | None]]:
    """Per unordered pair of different nodes u < w with an edge: the relations u -> w and w -> u."""
    links: dict[tuple[int, int], tuple[str | None, str | None]] = {}
    for (source, target), relation in graph.edges.items():
        u, w = graph.concepts[source], graph.concepts[target]
        if u < w:
            links[u, w] = (relation, links.get((u, w), (None, None))[1])
        elif w < u:
            links[w, u] = (links.get((w, u), (None, None))[0], relation)
    return links


class _Forest(NamedTuple):
    order: list[int]  # every node after its parent
    parent: dict[int, int]  # -1 for a root
    children: dict[int, list[int]]
    roots: list[int]
    degree: dict[int, int]
    extra: list[tuple[int, int]]  # linked pairs that are not parent and child, once each


def _forest(nodes: Sequence[int], neighbours: Sequence[Sequence[int]]) -> _Forest:
    """Breadth first forest over `nodes`, each tree from its node of highest degree."""
    here = set(nodes)
    degree = {u: sum(w in here for w in neighbours[u]) for u in nodes}
    forest = _Forest([], {}, {u: [] for u in nodes}, [], degree, [])
    for root in sorted(nodes, key=lambda u: (-degree[u], u)):
        if root not in forest.parent:
            forest.parent[root] = -1
            forest.roots.append(root)
            _grow(forest, root, here, neighbours)
    for u in nodes:
        for w in neighbours[u]:
            if u < w and w in here and forest.parent[u] != w and forest.parent[w] != u:
                forest.extra.append((u, w))
    return forest


def _grow(forest: _Forest, root: int, here: set[int], neighbours: Sequence[Sequence[int]]) -> None:
    tree = [root]
    for u in tree:  # grows while it is read
        for w in neighbours[u]:
            if w in here and w not in forest.parent:
                forest.parent[w] = u
                forest.children[u].append(w)
                tree.append(w)
    forest.order.extend(tree)


class _Gains(NamedTuple):
    """What a link of two nodes saves when the first is on spot v."""

    by_spot: list[list[tuple[int, int]]]  # [v] -> (spot of the second, saving > 0), in 1 / _UNIT
    half: list[int]  # [v] -> half of the best saving


class _Part(NamedTuple):
    """A sub-problem: some nodes are on their spots, the others are free."""

    free: list[int]
    spot: list[int]  # of every node; -1: on none, or free
    saving: int  # of the nodes already placed, in 1 / _UNIT
    own: list[list[int]]  # [free node][spot] -> saving of the node there with itself and the placed nodes
    prices: list[int]


@dataclass(slots=True)
class _Relaxed:
    """Values of the relaxed problem (step 1) for one list of prices. Every value includes the node's whole subtree."""

    prices: list[int]
    ceiling: int
    on: list[list[int]]  # [node][spot]: node on that spot, its parent anywhere
    off: list[int]  # [node]: node on no spot
    best: list[int]  # [node]: the better of both
    elsewhere: list[list[int]]  # [node][spot]: best but not on that spot
    along: list[list[list[tuple[int, int]]]]  # [node][spot of its parent]: (value, spot of node) with their link saved


class _BudgetSpent(Exception):
    pass


class _Search:
    """Branch and bound over the maps of the nodes of one graph to the spots of the other (steps 1 to 3)."""

    def __init__(self, nodes: _Graph, spots: _Graph, best: int, budget: int) -> None:
        self.best = best  # largest saving known
        self.expansions = 0
        self._budget = budget
        self._spots = len(spots.concepts)
        self._gains = _all_gains(nodes, spots)
        self._neighbours = [list(gains) for gains in self._gains]
        self._own = _own_savings(nodes, spots)
        degrees = Counter(v for link in _links(spots) for v in link)
        self._node_cost = 32 + 4 * self._spots + sum(d * (d + 2) for d in degrees.values())

    def run(self) -> bool:
        """Raise `best` to the largest saving; False if the budget ran out before that was proved."""
        nodes = len(self._own)
        try:
            self._solve(_Part(list(range(nodes)), [-1] * nodes, 0, self._own, [0] * self._spots), _ROOT_ROUNDS)
        except _BudgetSpent:
            return False
        return True

    def _solve(self, part: _Part, rounds: int) -> None:
        if not part.free:
            self._offer(part.spot)
            return
        forest = _forest(part.free, self._neighbours)
        relaxed = self._tighten(part, forest, rounds)
        if relaxed is None:
            return
        root, spots = self._choose(part, forest, relaxed)
        slack = part.saving + relaxed.ceiling - relaxed.best[root]
        for value, spot in spots:
            if (slack + value) // _UNIT <= self.best:
                return
            self._solve(self._fix(part, relaxed.prices, root, spot), _BRANCH_ROUNDS)

    def _choose(self, part: _Part, forest: _Forest, relaxed: _Relaxed) -> tuple[int, list[tuple[int, int]]]:
        """The root with the fewest spots that may still beat `best`, and those (value, spot), best first."""
        choices = []
        for root in forest.roots:
            needed = (self.best + 1) * _UNIT - part.saving - relaxed.ceiling + relaxed.best[root]
            values = [*relaxed.on[root], relaxed.off[root]]
            spots = [(value, v) for v, value in enumerate(values) if value >= needed]
            choices.append((len(spots), -forest.degree[root], root, spots))
        _, _, root, spots = min(choices)
        spots.sort(key=lambda choice: (-choice[0], choice[1]))
        return root, [(value, v if v < self._spots else -1) for value, v in spots]

    def _fix(self, part: _Part, prices: list[int], node: int, spot: int) -> _Part:
        """The part with `node` placed on `spot` (-1: on none)."""
        free = [u for u in part.free if u != node]
        if spot < 0:
            return part._replace(free=free, prices=prices)
        own = part.own[:]
        for u in free:
            row = own[u][:]
            if u in self._gains[node]:
                for v, gain in self._gains[node][u].by_spot[spot]:
                    row[v] += gain
            row[spot] = _BARRED
            own[u] = row
        spots, prices = part.spot[:], prices[:]
        spots[node], prices[spot] = spot, 0
        return _Part(free, spots, part.saving + part.own[node][spot], own, prices)

    def _tighten(self, part: _Part, forest: _Forest, rounds: int) -> _Relaxed | None:
        """Step 2: the lowest ceiling found, or None once no map of this part can beat `best`."""
        own = self._with_extra(part, forest)
        lowest: _Relaxed | None = None
        prices, pace = part.prices, 1.0
        for _ in range(rounds):
            relaxed = self._relax(forest, own, prices)
            if lowest is None or relaxed.ceiling < lowest.ceiling:
                lowest = relaxed
            self._offer(self._greedy(part, forest, relaxed))
            if (part.saving + lowest.ceiling) // _UNIT <= self.best:
                return None
            gap = part.saving + relaxed.ceiling - self.best * _UNIT
            crowd = self._crowding(forest, relaxed, int(_TIE * gap / len(part.free)))
            length = sum(x * x for x in crowd)
            if not length:
                break
            step = pace * gap / length
            prices = [max(0, int(price + step * x)) for price, x in zip(prices, crowd, strict=True)]
            pace *= _SLOWER
        return lowest

    def _with_extra(self, part: _Part, forest: _Forest) -> list[list[int]]:
        """`part.own` with half the best saving of each link outside the forest added at both of its ends."""
        own = part.own[:]
        for pair in forest.extra:
            for u, w in (pair, pair[::-1]):
                own[u] = [x + half for x, half in zip(own[u], self._gains[u][w].half, strict=True)]
        return own

    def _relax(self, forest: _Forest, own: list[list[int]], prices: list[int]) -> _Relaxed:
        """Step 1, from the leaves to the roots."""
        self.expansions += len(forest.order) * self._node_cost
        if self.expansions > self._budget:
            raise _BudgetSpent
        size = len(own)
        relaxed = _Relaxed(prices, 0, [[]] * size, [0] * size, [0] * size, [[]] * size, [[]] * size)
        for u in reversed(forest.order):
            alone = [saving - price for saving, price in zip(own[u], prices, strict=True)]
            self._value_node(forest, relaxed, u, alone)
            if forest.parent[u] >= 0:
                self._value_link(forest, relaxed, u, alone)
        relaxed.ceiling = sum(relaxed.best[root] for root in forest.roots) + sum(prices)
        return relaxed

    def _value_node(self, forest: _Forest, relaxed: _Relaxed, u: int, alone: list[int]) -> None:
        children = forest.children[u]
        off = sum(relaxed.best[child] for child in children)
        on = [x + _below(relaxed, children, v, -1) for v, x in enumerate(alone)] if children else alone
        relaxed.off[u], relaxed.on[u] = off, on
        top = max(on)
        relaxed.best[u] = max(top, off)
        relaxed.elsewhere[u] = [relaxed.best[u]] * self._spots
        if top > off:
            v = on.index(top)
            relaxed.elsewhere[u][v] = max(off, max(on[:v], default=off), max(on[v + 1 :], default=off))

    def _value_link(self, forest: _Forest, relaxed: _Relaxed, u: int, alone: list[int]) -> None:
        children = forest.children[u]
        by_spot = self._gains[forest.parent[u]][u].by_spot
        if not children:
            relaxed.along[u] = [[(gain + alone[v], v) for v, gain in gains] for gains in by_spot]
            return
        relaxed.along[u] = [
            [(gain + alone[v] + _below(relaxed, children, v, parent_spot), v) for v, gain in gains]
            for parent_spot, gains in enumerate(by_spot)
        ]

    def _greedy(self, part: _Part, forest: _Forest, relaxed: _Relaxed) -> list[int]:
        """A true map: each node takes the best spot left, parents first."""
        spots = part.spot[:]
        taken = [False] * self._spots
        for u in forest.order:
            top, spot = relaxed.off[u], -1
            for v, value in enumerate(_values(forest, relaxed, u, spots)):
                if value > top and not taken[v]:
                    top, spot = value, v
            if spot >= 0:
                spots[u] = spot
                taken[spot] = True
        return spots

    def _crowding(self, forest: _Forest, relaxed: _Relaxed, tie: int) -> list[int]:
        """Per spot: nodes on it in a nearly best relaxed map, less one; 0 where a price of 0 cannot fall."""
        count = [0] * self._spots
        spots = [-1] * len(relaxed.off)
        for u in forest.order:
            values = _values(forest, relaxed, u, spots)
            least = max(max(values), relaxed.off[u]) - tie
            fair = [(count[v], -value, v) for v, value in enumerate(values) if value >= least]
            if relaxed.off[u] >= least:
                fair.append((0, 1, -1))
            spots[u] = min(fair)[2]
            if spots[u] >= 0:
                count[spots[u]] += 1
        return [n - 1 if n or price else 0 for n, price in zip(count, relaxed.prices, strict=True)]

    def _offer(self, spots: Sequence[int]) -> None:
        """Keep the saving of a true map if it is the largest so far."""
        saving = 0
        for u, v in enumerate(spots):
            if v >= 0:
                saving += self._own[u][v]
                for w, gains in self._gains[u].items():
                    if w < u and spots[w] >= 0:
                        saving += sum(gain for z, gain in gains.by_spot[v] if z == spots[w])
        self.best = max(self.best, saving // _UNIT)


def _values(forest: _Forest, relaxed: _Relaxed, u: int, spots: Sequence[int]) -> list[int]:
    """Value of u on each spot, given where its parent is."""
    parent = forest.parent[u]
    if parent < 0 or spots[parent] < 0:
        return relaxed.on[u]
    values = relaxed.on[u][:]
    for value, v in relaxed.along[u][spots[parent]]:
        values[v] = max(values[v], value)
    values[spots[parent]] = _BARRED
    return values


def _below(relaxed: _Relaxed, children: Sequence[int], spot: int, barred: int) -> int:
    """A ceiling of what `children` add when their parent is on `spot`; none of them is next to it on `barred`.

    Either each child takes its best place, or each place takes its best child: the lower of both.
    """
    if len(children) == 1:
        top = relaxed.elsewhere[children[0]][spot]
        for value, v in relaxed.along[children[0]][spot]:
            if value > top and v != barred:
                top = value
        return top
    by_child = apart = 0
    by_place: dict[int, int] = {}
    for child in children:
        away = top = relaxed.elsewhere[child][spot]
        for value, v in relaxed.along[child][spot]:
            if value > away and v != barred:
                top = max(top, value)
                by_place[v] = max(by_place.get(v, 0), value - away)
        by_child += top
        apart += away
    return min(by_child, apart + sum(by_place.values()))


def _own_savings(nodes: _Graph, spots: _Graph) -> list[list[int]]:
    """[node][spot] -> saving by an equal concept and by self loops, in 1 / _UNIT."""
    own = [[0] * len(spots.concepts) for _ in nodes.concepts]
    for concept, u in nodes.concepts.items():
        if concept in spots.concepts:
            own[u][spots.concepts[concept]] = _UNIT
    for u, relation in _loops(nodes):
        for v, other in _loops(spots):
            own[u][v] += _UNIT * (1 + (relation == other))
    return own


def _loops(graph: _Graph) -> Iterator[tuple[int, str]]:
    for (source, target), relation in graph.edges.items():
        if source == target:
            yield graph.concepts[source], relation


def _all_gains(nodes: _Graph, spots: _Graph) -> list[dict[int, _Gains]]:
    """[u][w] -> gains of the link of u and w, seen from u."""
    spot_links = _links(spots)
    known: dict[tuple[str | None, str | None], _Gains] = {}
    gains: list[dict[int, _Gains]] = [{} for _ in nodes.concepts]
    for (u, w), (there, back) in _links(nodes).items():
        for a, b, link in ((u, w, (there, back)), (w, u, (back, there))):
            if link not in known:
                known[link] = _link_gains(link, spot_links, len(spots.concepts))
            gains[a][b] = known[link]
    return gains


def _link_gains(
    link: tuple[str | None, str | None],
    spot_links: dict[tuple[int, int], tuple[str | None, str | None]],
    spots: int,
) -> _Gains:
    by_spot: list[list[tuple[int, int]]] = [[] for _ in range(spots)]
    for (v, z), (there, back) in spot_links.items():
        for a, b, other in ((v, z, (there, back)), (z, v, (back, there))):
            gain = _edge_gain(link[0], other[0]) + _edge_gain(link[1], other[1])
            if gain:
                by_spot[a].append((b, gain * _UNIT))
    half = [max((gain for _, gain in gains), default=0) // 2 for gains in by_spot]
    return _Gains(by_spot, half)


def _edge_gain(relation: str | None, other: str | None) -> int:
    if relation is None or other is None:
        return 0
    return 1 + (relation == other)
