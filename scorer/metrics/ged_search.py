"""The search behind ``ged.py``: ceilings from priced forests, branching where they do not close.

How it works stands in the docstring of ``ged.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

_UNIT = 64  # a saving of 1; prices are whole numbers of 1/64, so every ceiling is exact
_ROUNDS = 4  # of prices before branching: measured best on the pairs of tests/ged_pairs.py
_SLOWER = 0.9  # each round's step is this much shorter
_BARRED = -(10**9)  # value of a spot that is taken

_Relations = tuple[str | None, str | None]
"""Of two linked nodes: the relation there and the relation back."""


class Digraph(NamedTuple):
    """A labelled digraph with numbered concepts."""

    concepts: dict[str, int]  # concept -> its number, in order of appearance
    edges: dict[tuple[str, str], str]  # (source, target) -> relation

    @property
    def size(self) -> int:
        """Nodes and edges."""
        return len(self.concepts) + len(self.edges)


class _BudgetSpent(Exception):
    pass


@dataclass(slots=True)
class SearchState:
    """What is known and what was spent."""

    best: int  # largest saving known
    budget: int
    expansions: int = 0

    def spend(self, expansions: int) -> None:
        """Count work. Raises _BudgetSpent if it is more than the budget allows."""
        if self.expansions + expansions > self.budget:
            raise _BudgetSpent
        self.expansions += expansions


def search(small: Digraph, large: Digraph, ledger: SearchState) -> bool:
    """Raise ``ledger.best`` to the largest saving; False if that is not proved in the budget."""
    walks: list[Iterator[None]] = []
    try:
        ledger.spend(60 * (small.size + large.size))
        ledger.spend(4 * len(small.concepts) * len(large.concepts))
        ledger.spend(8 * len(small.edges) * len(large.edges))
        for nodes, spots in ((small, large), (large, small)):
            search = _Search(nodes, spots, ledger)
            root = search.root()
            if root is None:
                return True
            walks.append(search.branch(root))
        while all(next(walk, walk) is None for walk in walks):
            pass
    except _BudgetSpent:
        return False
    return True


class _Forest(NamedTuple):
    """A search forest over some nodes, with a copy (a leaf of its own number) per link beyond."""

    order: list[int]  # every node after its parent, then the copies
    parent: dict[int, int]  # -1 for a root
    children: dict[int, list[int]]  # of nodes
    roots: list[int]
    original: dict[int, int]  # copy -> the node it stands for


def _forest(nodes: Sequence[int], neighbours: Sequence[Sequence[int]]) -> _Forest:
    """Breadth first, each tree from its node of highest degree."""
    here = set(nodes)
    near = {u: [w for w in neighbours[u] if w in here] for u in nodes}
    forest = _Forest([], {}, {u: [] for u in nodes}, [], {})
    for root in sorted(nodes, key=lambda u: (-len(near[u]), u)):
        if root in forest.parent:
            continue
        forest.roots.append(root)
        forest.parent[root] = -1
        tree = [root]
        for u in tree:  # grows while it is read
            for w in near[u]:
                if w not in forest.parent:
                    forest.parent[w] = u
                    forest.children[u].append(w)
                    tree.append(w)
        forest.order.extend(tree)
    index = {u: number for number, u in enumerate(forest.order)}
    beyond = [(u, w) for u in forest.order for w in near[u]
              if index[w] < index[u] and w != forest.parent[u]]
    for copy, (u, w) in enumerate(beyond, start=len(neighbours)):
        forest.order.append(copy)
        forest.parent[copy], forest.original[copy] = u, w
        forest.children[u].append(copy)
    return forest


class _Part(NamedTuple):
    """A sub-problem: some nodes are fixed, the others free."""

    free: list[int]
    spot: list[int]  # [node]; -1 for free nodes and those left out of the map
    saving: int  # of the fixed nodes, in 1/_UNIT, as all that follows
    own: list[list[int]]  # [node][spot]: saving of a free node with itself and the fixed ones
    prices: list[int]  # [spot]


@dataclass(slots=True)
class _Relaxed:
    """A sub-problem under given prices, relaxed; values are of a node with all below it."""

    part: _Part
    forest: _Forest
    prices: list[int]
    total: int  # the ceiling: the sum over the trees, the refund and the fixed nodes
    on: dict[int, list[int]]  # [node][spot]: on that spot, not using the link to its parent
    off: dict[int, int]  # [node]: on no spot
    best: dict[int, int]  # [node]: the best of these
    elsewhere: dict[int, list[int]]  # [node][spot]: the best of these but not on that spot
    along: dict[int, list[list[tuple[int, int]]]]  # [node][parent's spot]: (value, spot), linked

    @property
    def nodes(self) -> list[int]:
        """The free nodes, parents first, without the copies."""
        return self.forest.order[: len(self.part.free)]

    def values(self, u: int, spots: Sequence[int]) -> list[int]:
        """[spot]: value of ``u`` there, given where its parent is."""
        parent = self.forest.parent[u]
        if parent < 0 or spots[parent] < 0:
            return self.on[u]
        values = self.on[u][:]
        for value, v in self.along[u][spots[parent]]:
            values[v] = max(values[v], value)
        values[spots[parent]] = _BARRED
        return values

    def below(self, children: Sequence[int], spot: int, barred: int = -1) -> int:
        """A ceiling of what ``children`` add under a parent on ``spot``; none links to ``barred``.

        Either each child takes its best place, or each place takes its best child: the lower of
        both.
        """
        by_child = apart = 0
        by_place: dict[int, int] = {}
        for child in children:
            away = top = self.elsewhere[child][spot]
            for value, v in self.along[child][spot]:
                if value > away and v != barred:
                    if value > top:
                        top = value
                    if value - away > by_place.get(v, 0):
                        by_place[v] = value - away
            by_child += top
            apart += away
        return min(by_child, apart + sum(by_place.values())) if by_place else apart


class _Search:
    """Branch and bound over the maps of the nodes of one graph to the spots of the other."""

    def __init__(self, nodes: Digraph, spots: Digraph, ledger: SearchState) -> None:
        self._ledger = ledger
        self._nodes, self._spots = len(nodes.concepts), len(spots.concepts)
        self._gains = _gains(nodes, spots)
        self._neighbours = [list(gains) for gains in self._gains]
        self._own = _own_savings(nodes, spots)
        around: list[dict[int, _Relations]] = [{} for _ in range(self._spots)]
        for (v, z), link in _links(spots).items():
            around[v][z] = link
        first: dict[frozenset[tuple[int, _Relations]], int] = {}
        self._twin = [first.setdefault(frozenset(a.items()), v) for v, a in enumerate(around)]
        self._node_cost = 60 + 6 * self._spots
        self._child_cost = sum(len(links) * (len(links) + 2) for links in around)

    def root(self) -> _Relaxed | None:
        """The whole problem, or None if it is solved."""
        free, nowhere = list(range(self._nodes)), [-1] * self._nodes
        return self._tighten(_Part(free, nowhere, 0, self._own, [0] * self._spots))

    def branch(self, relaxed: _Relaxed) -> Iterator[None]:
        """Step 3: one sub-problem per turn, until all are solved."""
        root, choices = self._choices(relaxed)
        part, tried = relaxed.part, set[tuple[int, ...]]()
        for value, spot in choices:
            if (relaxed.total - relaxed.best[root] + value) // _UNIT <= self._ledger.best:
                return
            # Spots that may trade places have the same links, and save the free nodes the same.
            alike = (self._twin[spot], *(part.own[u][spot] for u in part.free)) if spot >= 0 else ()
            if alike in tried:
                continue
            tried.add(alike)
            yield
            child = self._fix(relaxed, root, spot)
            if not child.free:
                self._offer(child.spot)
            elif (unsolved := self._tighten(child)) is not None:
                yield from self.branch(unsolved)

    def _choices(self, relaxed: _Relaxed) -> tuple[int, list[tuple[int, int]]]:
        """The root with the fewest spots that may beat the best, and those: (value, spot or -1)."""
        options = []
        for root in relaxed.forest.roots:
            needed = (self._ledger.best + 1) * _UNIT - relaxed.total + relaxed.best[root]
            values = [*enumerate(relaxed.on[root]), (-1, relaxed.off[root])]
            choices = [(value, spot) for spot, value in values if value >= needed]
            options.append((len(choices), -len(self._neighbours[root]), root, choices))
        _, _, root, choices = min(options)
        return root, sorted(choices, key=lambda choice: (-choice[0], -choice[1]))

    def _fix(self, relaxed: _Relaxed, node: int, spot: int) -> _Part:
        """The part with ``node`` fixed to ``spot``, or left out (-1)."""
        part, prices = relaxed.part, relaxed.prices[:]
        free = [u for u in part.free if u != node]
        if spot < 0:
            return part._replace(free=free, prices=prices)
        own = part.own[:]
        for u in free:
            own[u] = own[u][:]
            if u in self._gains[node]:
                for v, gain in self._gains[node][u][spot]:
                    own[u][v] += gain
            own[u][spot] = _BARRED
        spots = part.spot[:]
        spots[node], prices[spot] = spot, 0
        return _Part(free, spots, part.saving + part.own[node][spot], own, prices)

    def _tighten(self, part: _Part) -> _Relaxed | None:
        """Step 2: the lowest ceiling found, or None once the part cannot beat the best."""
        forest, prices, pace = _forest(part.free, self._neighbours), part.prices, 1.0
        lowest: _Relaxed | None = None
        for _ in range(_ROUNDS):
            relaxed = self._relax(part, forest, prices)
            if lowest is None or relaxed.total < lowest.total:
                lowest = relaxed
            if lowest.total // _UNIT <= self._ledger.best:
                return None
            self._offer(self._greedy(relaxed))
            # Prices go up where a best relaxed map is crowded, down where it is empty.
            count = self._spread(relaxed)
            crowd = [times - 1 if times or price else 0
                     for times, price in zip(count, prices, strict=True)]
            gap = relaxed.total - self._ledger.best * _UNIT
            step = pace * gap / max(1, sum(x * x for x in crowd))
            prices = [max(0, price + int(step * x)) for price, x in zip(prices, crowd, strict=True)]
            pace *= _SLOWER
        return lowest

    def _relax(self, part: _Part, forest: _Forest, prices: list[int]) -> _Relaxed:
        """Step 1, from the leaves to the roots."""
        # Siblings cost more, as they are kept apart.
        families = sum(n if n == 1 else 3 * n for n in map(len, forest.children.values()))
        self._ledger.spend(len(forest.order) * self._node_cost + families * self._child_cost)
        relaxed = _Relaxed(part, forest, prices, part.saving + sum(prices), {}, {}, {}, {}, {})
        for u in reversed(forest.order):
            own = [0] * self._spots  # of a copy: its original pays and saves
            if u not in forest.original:
                own = [x - price for x, price in zip(part.own[u], prices, strict=True)]
            self._value(relaxed, u, own)
        relaxed.total += sum(relaxed.best[root] for root in forest.roots)
        return relaxed

    def _value(self, relaxed: _Relaxed, u: int, own: list[int]) -> None:
        """The values of a node, from its ``own`` [spot] and those of its children."""
        forest = relaxed.forest
        children = forest.children.get(u, ())
        off = sum(relaxed.best[child] for child in children)
        on = [x + relaxed.below(children, v) for v, x in enumerate(own)] if children else own
        top = max(on)
        relaxed.on[u], relaxed.off[u], relaxed.best[u] = on, off, max(top, off)
        relaxed.elsewhere[u] = [relaxed.best[u]] * self._spots
        if top > off:
            v = on.index(top)
            others = max(max(on[:v], default=off), max(on[v + 1 :], default=off))
            relaxed.elsewhere[u][v] = max(off, others)
        if (parent := forest.parent[u]) >= 0:
            gains = self._gains[parent][forest.original.get(u, u)]
            relaxed.along[u] = [
                [(gain + own[v] + (relaxed.below(children, v, above) if children else 0), v)
                 for v, gain in row] for above, row in enumerate(gains)]

    def _greedy(self, relaxed: _Relaxed) -> list[int]:
        """A true map: each node takes the best spot left, parents first."""
        spots, taken = relaxed.part.spot[:], [False] * self._spots
        for u in relaxed.nodes:
            top, spot = relaxed.off[u], -1
            for v, value in enumerate(relaxed.values(u, spots)):
                if value > top and not taken[v]:
                    top, spot = value, v
            if spot >= 0:
                spots[u], taken[spot] = spot, True
        return spots

    def _spread(self, relaxed: _Relaxed) -> list[int]:
        """[spot]: nodes there in a best relaxed map; of equally good spots the emptiest is taken.
        """
        count, spots = [0] * self._spots, [-1] * self._nodes
        for u in relaxed.nodes:
            values = relaxed.values(u, spots)
            least = max(*values, relaxed.off[u])
            good = [(count[v], -value, v) for v, value in enumerate(values) if value >= least]
            if relaxed.off[u] >= least:
                good.append((0, 1, -1))
            spots[u] = min(good)[2]
            if spots[u] >= 0:
                count[spots[u]] += 1
        return count

    def _offer(self, spots: Sequence[int]) -> None:
        """Keep the saving of a true map if it is the largest so far."""
        saving = 0
        for u, v in enumerate(spots):
            if v >= 0:
                saving += self._own[u][v]
                for w, gains in self._gains[u].items():
                    if w < u and spots[w] >= 0:
                        saving += sum(gain for z, gain in gains[v] if z == spots[w])
        self._ledger.best = max(self._ledger.best, saving // _UNIT)


def _own_savings(nodes: Digraph, spots: Digraph) -> list[list[int]]:
    """[node][spot]: saving by an equal concept and by self loops."""
    own = [[0] * len(spots.concepts) for _ in nodes.concepts]
    for concept, u in nodes.concepts.items():
        if concept in spots.concepts:
            own[u][spots.concepts[concept]] = _UNIT
    loops, others = ([(graph.concepts[source], relation)
                      for (source, target), relation in graph.edges.items() if source == target]
                     for graph in (nodes, spots))
    for u, relation in loops:
        for v, other in others:
            own[u][v] += _UNIT * (1 + (relation == other))
    return own


def _links(graph: Digraph) -> dict[tuple[int, int], _Relations]:
    """Both ways round, every pair of different nodes with an edge between them."""
    links: dict[tuple[int, int], _Relations] = {}
    for (source, target), relation in graph.edges.items():
        if source != target:
            back = graph.edges.get((target, source))
            u, w = graph.concepts[source], graph.concepts[target]
            links[u, w], links[w, u] = (relation, back), (back, relation)
    return links


def _gains(nodes: Digraph, spots: Digraph) -> list[dict[int, list[list[tuple[int, int]]]]]:
    """[node][linked node][spot of the first]: (spot of the second, saving of their link > 0)."""
    known: dict[_Relations, list[list[tuple[int, int]]]] = {}
    gains: list[dict[int, list[list[tuple[int, int]]]]] = [{} for _ in nodes.concepts]
    spot_links = [(v, z, there, back) for (v, z), (there, back) in _links(spots).items()]
    for (u, w), link in _links(nodes).items():
        if link not in known:
            known[link] = [[] for _ in spots.concepts]
            for v, z, there, back in spot_links:
                gain = 0
                if there is not None and link[0] is not None:
                    gain += _UNIT + _UNIT * (there == link[0])
                if back is not None and link[1] is not None:
                    gain += _UNIT + _UNIT * (back == link[1])
                if gain:
                    known[link][v].append((z, gain))
        gains[u][w] = known[link]
    return gains
