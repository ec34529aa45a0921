"""Seeded pairs of graphs for the tests, the recording and the benchmark of GED.

Only ``Random.random`` is used, whose numbers are the same on every Python, so that a recorded seed
means the same graphs for ever. Graphs are lists of (source, relation, target).
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

Triple = tuple[str, str, str]
Pair = tuple[list[Triple], list[Triple]]
Shape = list[tuple[int, int]]
T = TypeVar("T")


class Chance:
    """Choices that depend on a seed alone."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random

    def below(self, n: int) -> int:
        return int(self._random() * n)

    def between(self, low: int, high: int) -> int:
        return low + self.below(high - low + 1)

    def one(self, options: Sequence[T]) -> T:
        return options[self.below(len(options))]

    def sample(self, options: Sequence[T], n: int) -> list[T]:
        left = list(options)
        return [left.pop(self.below(len(left))) for _ in range(n)]


def tree(chance: Chance, nodes: int, form: str = "random") -> Shape:
    """An undirected tree as (parent, child) pairs."""
    parent: dict[str, Callable[[int], int]] = {
        "random": chance.below,
        "chain": lambda child: child - 1,
        "star": lambda child: 0,
        "caterpillar": lambda child: child - 1 if child % 2 else max(0, child - 2),
        "binary": lambda child: (child - 1) // 2,
    }
    return [(parent[form](child), child) for child in range(1, nodes)]


def dag(chance: Chance, nodes: int, edges: int) -> Shape:
    """A connected acyclic graph: a random tree and further edges from lower to higher numbers."""
    shape = tree(chance, nodes)
    others = [(a, b) for a in range(nodes) for b in range(a + 1, nodes) if (a, b) not in shape]
    return shape + chance.sample(others, min(len(others), edges - len(shape)))


def digraph(chance: Chance, nodes: int, edges: int, loops: bool = False) -> Shape:
    """Any edges, perhaps both ways or in several pieces."""
    every = [(a, b) for a in range(nodes) for b in range(nodes) if a != b or loops]
    return chance.sample(every, min(len(every), edges))


def turn(chance: Chance, shape: Shape, way: str) -> Shape:
    """Direct the edges: out (as they are), in, alternating by source, or by chance."""
    turned: dict[str, Callable[[int], bool]] = {
        "out": lambda a: False,
        "in": lambda a: True,
        "alternating": lambda a: a % 2 == 1,
        "random": lambda a: chance.below(2) == 1,
    }
    return [(b, a) if turned[way](a) else (a, b) for a, b in shape]


def label(chance: Chance, shape: Shape, concepts: Sequence[str], relations: int) -> list[Triple]:
    return [(concepts[a], f"r{chance.below(relations)}", concepts[b]) for a, b in shape]


def names(letter: str, n: int = 30) -> list[str]:
    return [f"{letter}{number}" for number in range(n)]


def unrelated(seed: int, low: int = 3, high: int = 5) -> Pair:
    """Two connected acyclic graphs as of two different items: few common concepts."""
    chance = Chance(seed)
    sides = []
    for letter in "ab":
        edges = chance.between(low, high)
        nodes = max(2, edges + 1 - chance.below(2))
        concepts = chance.sample(names(letter, 15) + names("c", 3), nodes)
        shape = turn(chance, dag(chance, nodes, edges), "random")
        sides.append(label(chance, shape, concepts, chance.one([2, 6, 28])))
    return sides[0], sides[1]


def shared(seed: int) -> Pair:
    """Two small graphs over mostly the same concepts and few relations."""
    chance = Chance(seed)
    sides = []
    for _ in range(2):
        nodes = chance.between(2, 5)
        shape = dag(chance, nodes, nodes - 1 + chance.below(3))
        concepts = chance.sample(names("c", 7), nodes)
        sides.append(label(chance, turn(chance, shape, "random"), concepts, chance.between(1, 3)))
    return sides[0], sides[1]


def small(seed: int, loops: bool = False) -> Pair:
    """Two digraphs of at most 4 nodes, also empty, cyclic or in pieces."""
    chance = Chance(seed)
    relations, sides = chance.between(1, 3), []
    for _ in range(2):
        nodes = chance.between(1, 4)
        shape = digraph(chance, nodes, chance.below(6), loops)
        sides.append(label(chance, shape, chance.sample(names("c", 6), nodes), relations))
    return sides[0], sides[1]


def near(seed: int) -> Pair:
    """A graph of 3 to 7 edges and the same with 1 to 3 edits."""
    chance = Chance(seed)
    edges = chance.between(3, 7)
    nodes = edges + 1 - chance.below(2)
    shape = turn(chance, dag(chance, nodes, edges), "random")
    graph = label(chance, shape, chance.sample(names("c"), nodes), 28)
    return graph, edited(graph, seed, chance.between(1, 3))


def edited(graph: Sequence[Triple], seed: int, edits: int) -> list[Triple]:
    """The graph after some edits: an edge dropped, added, relabelled, turned, a concept renamed."""
    chance, graph = Chance(seed), list(graph)
    for number in range(edits):
        at = chance.below(len(graph))
        source, relation, target = graph[at]
        kind = chance.below(5)
        if kind == 0 and len(graph) > 2:
            del graph[at]
        elif kind == 1:
            graph.append((source, relation, f"new{number}"))
        elif kind == 2:
            graph[at] = (source, f"{relation}!", target)
        elif kind == 3:
            graph[at] = (target, relation, source)
        else:
            graph = [tuple(f"other{number}" if p == target else p for p in e) for e in graph]  # type: ignore[misc]
    return graph


FORMS = ["random", "chain", "star", "caterpillar", "binary"]
WAYS = ["out", "in", "alternating", "random"]


def hard(seed: int, gold_edges: int = 8, pred_edges: int = 12) -> Pair:
    """Connected graphs of the largest size that must be exact, of many adversarial kinds.

    Trees of five forms, sparse to dense acyclic graphs and digraphs with cycles; 1 to 28 relations;
    no concept, some, or all (permuted) concepts in common.
    """
    chance = Chance(seed)
    relations = chance.one([1, 1, 2, 3, 28])
    common = chance.one(["none", "some", "permuted"])
    wide = pred_edges + 1
    a = names("a", wide)
    b = {
        "none": names("b", wide),
        "permuted": chance.sample(a, wide),
        "some": [name if chance.below(3) == 0 else f"b{name}" for name in chance.sample(a, wide)],
    }[common]
    sides = []
    for edges, concepts in ((gold_edges, a), (pred_edges, b)):
        shape = turn(chance, _connected(chance, edges), chance.one(WAYS))
        sides.append(label(chance, shape, concepts, relations))
    return sides[0], sides[1]


def _connected(chance: Chance, edges: int) -> Shape:
    kind = chance.below(9)
    if kind < len(FORMS):
        return tree(chance, edges + 1, FORMS[kind])
    nodes = edges + 1 - chance.one([1, 2, 3, 5])
    while nodes * (nodes - 1) // 2 < edges:
        nodes += 1
    shape = dag(chance, nodes, edges)
    if kind > 6:  # close cycles: some edges back, some both ways
        shape = [(b, a) if chance.below(3) == 0 else (a, b) for a, b in shape]
    return shape
