"""Contextualised commonsense knowledge graphs: what a knowledge base says between two texts.

The method is that of Plenz, Opitz, Heinisch, Cimiano and Frank, Similarity-weighted Construction of
Contextualized Commonsense Knowledge Graphs for Knowledge-intense Argumentation Tasks, ACL 2023:

1. The triples most similar to the premise bring its concepts, and likewise for the conclusion.
2. Between any two of these concepts runs the path of least cost; a triple costs the less, the more
   similar it is to premise and conclusion together. Directions are ignored on the way.
3. The paths make up the graph. Then concepts that neither text brought go, the least similar one
   first, unless others would lose their connection.

What differs, and why. The encoder is the small one that this program has everywhere, not a large
one. Similarities are rounded and ties go by name, so a graph does not hang on last digits. There is
one path a pair of concepts, where the authors can also ask for several. A concept goes alone, where
they remove all of equal similarity together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from scorer.core.records import Edge
from scorer.lab.systems.cckg import vectors
from scorer.lab.systems.cckg.knowledge import Knowledge
from scorer.lab.systems.cckg.network import Network, Weighted, cost

From = Literal["premise", "conclusion", "both", "neither"]
"""Which text brought a concept into a graph."""
MEMORY = 256 * 1024**2
"""Bytes of the costs of items that are computed together."""


class Argument(NamedTuple):
    """The two texts of an item."""

    premise: str
    conclusion: str

    @property
    def whole(self) -> str:
        """Both together."""
        return f"{self.premise} {self.conclusion}"


def argument(texts: Sequence[str]) -> Argument:
    """An item's first text is what is concluded, the others are why."""
    return Argument(" ".join(texts[1:]) or texts[0], texts[0])


class Triplet(NamedTuple):
    """An edge of a graph, and which text brought its ends."""

    edge: Edge
    head_from: From
    tail_from: From


@dataclass(frozen=True)
class Context:
    """What a knowledge base has to do with one argument."""

    argument: Argument
    premise: tuple[int, ...]
    """The triples most similar to the premise, most similar first."""
    conclusion: tuple[int, ...]
    costs: NDArray[np.float64]
    """Of every triple."""


def contexts(knowledge: Knowledge, known: NDArray[np.float16], encode: vectors.Remembered,
             arguments: Sequence[Argument], most: int) -> Iterator[Context]:
    """The contexts of some arguments; ``most``: triples that bring concepts, for each text.

    ``known``: the vectors of the triples. They are read once for as many arguments as have room
    for their costs in MEMORY.
    """
    together = max(1, min(64, MEMORY // (4 * max(1, len(knowledge.triples)))))
    for start in range(0, len(arguments), together):
        yield from _contexts(known, encode, arguments[start : start + together], most)


def _contexts(known: NDArray[np.float16], encode: vectors.Remembered,
              arguments: Sequence[Argument], most: int) -> Iterator[Context]:
    count, total = len(arguments), len(known)
    asked = encode([text for texts in ([one.whole for one in arguments],
                                       [one.premise for one in arguments],
                                       [one.conclusion for one in arguments]) for text in texts])
    costs = np.empty((count, total), np.float32)
    best = [_Best(most) for _ in range(2 * count)]
    for start in range(0, total, vectors.ROWS):
        found = vectors.similarities(known, asked, start)
        costs[:, start : start + len(found)] = cost(found[:, :count]).T
        for place, some in enumerate(best):
            some.take(found[:, count + place], start)
    for place, one in enumerate(arguments):
        yield Context(one, best[place].triples, best[count + place].triples,
                      costs[place].astype(np.float64))


class _Best:
    """The most similar triples so far, the first by name of equal ones."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: list[tuple[float, int]] = []

    def take(self, similarities: NDArray[np.float32], start: int) -> None:
        most = min(self._most, len(similarities))
        if most:
            level = np.partition(similarities, -most)[-most]
            more = np.flatnonzero(similarities >= level)
            self._found += [(-float(similarities[place]), start + int(place)) for place in more]
            self._found = sorted(self._found)[: self._most]

    @property
    def triples(self) -> tuple[int, ...]:
        return tuple(triple for _, triple in self._found)


class Cutter:
    """Cuts the graph of an argument out of a knowledge base."""

    def __init__(self, knowledge: Knowledge, encode: vectors.Remembered) -> None:
        self._knowledge = knowledge
        self._network = Network(knowledge)
        self._encode = encode

    def graph(self, context: Context, *, pruned: bool = True) -> list[Triplet]:
        """The graph of an argument, the cheapest triple first; empty if no path leads anywhere."""
        came = self._origins(context)
        weighted = self._network.weighted(context.costs)
        pairs = self._union(weighted, sorted(came))
        if pruned:
            pairs = self._pruned(pairs, came, context.argument)
        triples = sorted((weighted.triple(pair) for pair in pairs),
                         key=lambda triple: (context.costs[triple], triple))
        return [Triplet(self._knowledge.edge(triple),
                        *(came.get(int(end), "neither")
                          for end in self._knowledge.triples[triple][[0, 2]]))
                for triple in triples]

    def _origins(self, context: Context) -> Mapping[int, From]:
        """The concepts that the texts bring."""
        sides = [{int(end) for triple in triples for end in self._knowledge.triples[triple][[0, 2]]}
                 for triples in (context.premise, context.conclusion)]
        names: dict[tuple[bool, bool], From] = {
            (True, False): "premise", (False, True): "conclusion", (True, True): "both"}
        return {concept: names[concept in sides[0], concept in sides[1]]
                for concept in sides[0] | sides[1]}

    def _union(self, weighted: Weighted, concepts: Sequence[int]) -> set[int]:
        """The pairs on the shortest paths between any two concepts."""
        ways = weighted.ways(concepts)
        return {pair for source, target in combinations(concepts, 2)
                for pair in weighted.path(ways, source, target)}

    def _pruned(self, pairs: set[int], came: Mapping[int, From], texts: Argument) -> set[int]:
        """The pairs that are left without the concepts that nothing hangs on."""
        graph: nx.Graph[int] = nx.Graph()
        for pair in sorted(pairs):
            graph.add_edge(*map(int, self._network.pairs[pair]), pair=pair)
        others = sorted(concept for concept in graph if concept not in came)
        order = self._least_similar_first(others, texts)
        while (gone := _spare(graph, order)) is not None:
            graph.remove_node(gone)
            order.remove(gone)
        return {data["pair"] for _, _, data in graph.edges(data=True)}

    def _least_similar_first(self, concepts: Sequence[int], texts: Argument) -> list[int]:
        if not concepts:
            return []
        names = self._encode([self._knowledge.concepts[concept] for concept in concepts])
        near = (names @ self._encode([texts.whole])[0]).round(vectors.DIGITS)
        return [concept for _, concept in sorted(zip(near.tolist(), concepts, strict=True))]


def _spare(graph: nx.Graph[int], order: Sequence[int]) -> int | None:
    """The first concept that may go without leaving others unconnected."""
    needed = {*nx.articulation_points(graph)}
    return next((concept for concept in order if concept not in needed), None)


