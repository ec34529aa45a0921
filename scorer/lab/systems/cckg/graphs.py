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

A graph made so seldom fits a board: its concepts are similar to the texts but need not stand in
them, it has as many edges as there are paths, and paths cross. So a graph for a submission grows:
from the cheapest path between a concept that stands in one text and one that stands in another, by
the cheapest path to one more concept of a text, until it has what the board asks. Then it is a
tree: connected, and without a cycle however its edges are directed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.lab.systems.cckg.knowledge import Knowledge
from scorer.lab.systems.cckg.network import (
    DIGITS,
    ROWS,
    ConceptNetwork,
    Remembered,
    Ways,
    Weighted,
    cost,
    similarities,
)
from scorer.tasks.graphs.constraints import findings
from scorer.tasks.graphs.graph_items import Settings

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


def contexts(knowledge: Knowledge, known: NDArray[np.float16], encode: Remembered,
             arguments: Sequence[Argument], most: int) -> Iterator[Context]:
    """The contexts of some arguments; ``most``: triples that bring concepts, for each text.

    ``known``: the vectors of the triples. They are read once for as many arguments as have room
    for their costs in MEMORY.
    """
    together = max(1, min(64, MEMORY // (4 * max(1, len(knowledge.triples)))))
    for start in range(0, len(arguments), together):
        yield from _contexts(known, encode, arguments[start : start + together], most)


def _contexts(known: NDArray[np.float16], encode: Remembered,
              arguments: Sequence[Argument], most: int) -> Iterator[Context]:
    count, total = len(arguments), len(known)
    queries = encode([text for texts in ([item.whole for item in arguments],
                                         [item.premise for item in arguments],
                                         [one.conclusion for one in arguments]) for text in texts])
    costs = np.empty((count, total), np.float32)
    best = [_Best(most) for _ in range(2 * count)]
    for start in range(0, total, ROWS):
        scores = similarities(known, queries, start)
        costs[:, start : start + len(scores)] = cost(scores[:, :count]).T
        for index, some in enumerate(best):
            some.take(scores[:, count + index], start)
    for index, entry in enumerate(arguments):
        yield Context(entry, best[index].triples, best[count + index].triples,
                      costs[index].astype(np.float64))


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
            self._found += [(-float(similarities[index]), start + int(index)) for index in more]
            self._found = sorted(self._found)[: self._most]

    @property
    def triples(self) -> tuple[int, ...]:
        return tuple(triple for _, triple in self._found)


class Cutter:
    """Cuts the graph of an argument out of a knowledge base."""

    def __init__(self, knowledge: Knowledge, encode: Remembered) -> None:
        self._knowledge = knowledge
        self._network = ConceptNetwork(knowledge)
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
        near = (names @ self._encode([texts.whole])[0]).round(DIGITS)
        return [concept for _, concept in sorted(zip(near.tolist(), concepts, strict=True))]


def _spare(graph: nx.Graph[int], order: Sequence[int]) -> int | None:
    """The first concept that may go without leaving others unconnected."""
    needed = {*nx.articulation_points(graph)}
    return next((concept for concept in order if concept not in needed), None)


MOST_EDGES = 8
"""Of a graph, where the board names no limit."""
MOST_WORDS = 3
"""Of a concept, where the board names no limit."""
ANCHORS = 6
"""Concepts of one text that a graph may grow to, the most similar ones."""
STARTS = 20
"""Cheapest paths from which a graph is grown until one fits."""
SHORTEST_STEM = 3
"""Letters of a last word whose ending may be missing in the knowledge base."""
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_ODD = re.compile(r"[();\t]")


class Anchors(NamedTuple):
    """Concepts of the knowledge base that stand in a text, and how many a graph needs of them."""

    concepts: tuple[int, ...]
    needed: int


class Fitter:
    """Grows graphs for a board."""

    def __init__(self, knowledge: Knowledge, encode: Remembered, settings: Settings
                 ) -> None:
        self._knowledge = knowledge
        self._encode = encode
        self._settings = settings
        rules = settings.graph
        self._words = rules.concept_words or MOST_WORDS
        self._most = min(limit for limit in (rules.most_edges, rules.strict_most_edges, MOST_EDGES)
                         if limit)
        self._usable = np.array([name.count(" ") < self._words and not _ODD.search(name)
                                 for name in knowledge.concepts], np.bool_)
        ends = self._usable[knowledge.triples[:, [0, 2]]].all(axis=1)
        known = np.array([rules.knows(name) for name in knowledge.relations], np.bool_)
        self._network = ConceptNetwork(knowledge, ends & known[knowledge.triples[:, 1]])

    def graph(self, context: Context, texts: Sequence[str]) -> Graph | None:
        """The graph of an item; None if the knowledge base has none that keeps the constraints."""
        weighted = self._network.weighted(context.costs)
        anchors = [Anchors(self._anchors(text), setting.concepts)
                   for text, setting in zip(texts, self._settings.texts, strict=True)]
        ways = weighted.ways(sorted({concept for text in anchors for concept in text.concepts}))
        for start in _starts(ways, anchors)[:STARTS]:
            pairs = self._grown(weighted, ways, anchors, start)
            if pairs is not None:
                graph = Graph.of(self._knowledge.edge(weighted.triple(pair)) for pair in pairs)
                if not findings(self._settings, texts, graph).broken:
                    return graph
        return None

    def _anchors(self, text: str) -> tuple[int, ...]:
        """Concepts that stand in a text, the most similar to it first."""
        numbers = self._knowledge.numbers
        matches = sorted({number for run in runs(text.lower(), self._words)
                          if (number := numbers.get(run)) is not None and self._usable[number]})
        if not matches:
            return ()
        names = self._encode([self._knowledge.concepts[number] for number in matches])
        near = (names @ self._encode([text])[0]).round(DIGITS)
        ordered = sorted(zip((-near).tolist(), matches, strict=True))
        return tuple(number for _, number in ordered[:ANCHORS])

    def _grown(self, weighted: Weighted, ways: Ways, anchors: Sequence[Anchors],
               start: tuple[int, int]) -> list[int] | None:
        """The pairs of a tree that has what the board asks; None if there is none so small."""
        tree = {start[0]}
        pairs = self._joined(weighted, ways, tree, start[1])
        while len(pairs) <= self._most:
            short = [text for text in anchors
                     if len(tree.intersection(text.concepts)) < text.needed]
            if not short and len(pairs) >= self._settings.graph.least_edges:
                return pairs
            wanted = {concept for text in short or anchors for concept in text.concepts} - tree
            target = _nearest(ways, tree, wanted)
            if target is not None:
                pairs += self._joined(weighted, ways, tree, target)
                continue
            link = None if short else weighted.nearest(sorted(tree), tree)
            if link is None:
                return None
            tree.add(link[1])
            pairs.append(link[2])
        return None

    def _joined(self, weighted: Weighted, ways: Ways, tree: set[int], target: int) -> list[int]:
        """The shortest path from a concept to the tree, whose concepts it adds to it."""
        distances = ways.distances[ways.sources.index(target)]
        node = min(tree, key=lambda concept: (distances[concept], concept))
        pairs = weighted.path(ways, target, node)
        for pair in pairs:
            tree.update(map(int, self._network.pairs[pair]))
        return pairs


def _starts(ways: Ways, anchors: Sequence[Anchors]) -> list[tuple[int, int]]:
    links = set[tuple[float, int, int]]()
    for index, text in enumerate(anchors):
        others = {node for other in anchors[index + 1 :] or [text] for node in other.concepts}
        for concept in text.concepts:
            distances = ways.distances[ways.sources.index(concept)]
            links.update((float(distances[other]), min(concept, other), max(concept, other))
                         for other in others
                         if other != concept and distances[other] < float("inf"))
    return [(low, high) for _, low, high in sorted(links)]


def _nearest(ways: Ways, tree: set[int], wanted: set[int]) -> int | None:
    """The wanted concept that is nearest to the tree; None if no path leads to any."""
    nodes = sorted(tree)
    best = min(((float(ways.distances[ways.sources.index(concept)][nodes].min()), concept)
                for concept in wanted), default=None)
    return None if best is None or best[0] == float("inf") else best[1]


def runs(text: str, most: int) -> Iterator[str]:
    """Runs of at most so many words of a text as they stand there, whole or without an ending.

    >>> [*runs("two cats", 2)]
    ['two', 'two cats', 'two cat', 'cats', 'cat']
    """
    words = [(match.start(), match.end()) for match in _WORD.finditer(text)]
    for index, (start, _) in enumerate(words):
        for last, end in words[index : index + most]:
            run = text[start:end]
            if run.count(" ") < most:
                yield run
                for cut in range(1, 4):
                    if end - last - cut >= SHORTEST_STEM:
                        yield run[:-cut]
