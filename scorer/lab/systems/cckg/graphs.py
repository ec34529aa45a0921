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


def contexts(known: NDArray[np.float16], encode: Remembered, arguments: Sequence[Argument],
             most: int) -> Iterator[Context]:
    """The contexts of some arguments; ``most``: triples that bring concepts, for each text.

    ``known``: the vectors of the triples. They are read once for as many arguments as have room
    for their costs in MEMORY.
    """
    together = max(1, min(64, MEMORY // (4 * max(1, len(known)))))
    for begin in range(0, len(arguments), together):
        some = arguments[begin : begin + together]
        count = len(some)
        queries = encode([*(item.whole for item in some), *(item.premise for item in some),
                          *(item.conclusion for item in some)])
        costs = np.empty((count, len(known)), np.float32)
        best: list[list[tuple[float, int]]] = [[] for _ in range(2 * count)]
        for start in range(0, len(known), ROWS):
            scores = similarities(known, queries, start)
            costs[:, start : start + len(scores)] = cost(scores[:, :count]).T
            best = [_better(own, scores[:, count + index], start, most)
                    for index, own in enumerate(best)]
        triples = [tuple(triple for _, triple in own) for own in best]
        for index, entry in enumerate(some):
            yield Context(entry, triples[index], triples[count + index],
                          costs[index].astype(np.float64))


def _better(best: list[tuple[float, int]], similarities: NDArray[np.float32], start: int,
            most: int) -> list[tuple[float, int]]:
    """The most similar triples so far, the first by name of equal ones."""
    level = np.partition(similarities, -min(most, len(similarities)))[-min(most, len(similarities))]
    return sorted([*best, *((-float(similarities[index]), start + int(index))
                            for index in np.flatnonzero(similarities >= level))])[:most]


class Cutter:
    """Cuts the graph of an argument out of a knowledge base."""

    def __init__(self, knowledge: Knowledge, encode: Remembered) -> None:
        self._knowledge = knowledge
        self._network = ConceptNetwork(knowledge)
        self._encode = encode

    def graph(self, context: Context) -> list[Triplet]:
        """The graph of an argument, the cheapest triple first; empty if no path leads anywhere."""
        premise, conclusion = (
            {int(end) for triple in triples for end in self._knowledge.triples[triple][[0, 2]]}
            for triples in (context.premise, context.conclusion))
        came: dict[int, From] = {
            **dict.fromkeys(premise, "premise"), **dict.fromkeys(conclusion, "conclusion"),
            **dict.fromkeys(premise & conclusion, "both")}
        weighted = Weighted(self._network, context.costs)
        ways = weighted.ways(sorted(came))
        pairs = self._pruned({pair for source, target in combinations(sorted(came), 2)
                              for pair in weighted.path(ways, source, target)},
                             came, context.argument)
        triples = sorted((weighted.triple(pair) for pair in pairs),
                         key=lambda triple: (context.costs[triple], triple))
        return [Triplet(self._knowledge.edge(triple),
                        *(came.get(int(end), "neither")
                          for end in self._knowledge.triples[triple][[0, 2]]))
                for triple in triples]

    def _pruned(self, pairs: set[int], came: Mapping[int, From], texts: Argument) -> set[int]:
        """The pairs that are left without the concepts that nothing hangs on."""
        graph: nx.Graph[int] = nx.Graph()
        for pair in sorted(pairs):
            graph.add_edge(*map(int, self._network.pairs[pair]), pair=pair)
        others = sorted(concept for concept in graph if concept not in came)
        near = similar(self._knowledge, self._encode, others, texts.whole)
        order = [concept for _, concept in sorted(zip(near, others, strict=True))]
        while True:
            needed = {*nx.articulation_points(graph)}
            gone = next((concept for concept in order if concept not in needed), None)
            if gone is None:
                return {data["pair"] for _, _, data in graph.edges(data=True)}
            graph.remove_node(gone)
            order.remove(gone)


def similar(knowledge: Knowledge, encode: Remembered, concepts: Sequence[int], text: str
            ) -> list[float]:
    """How similar each of some concepts is to a text, from -1 to 1."""
    if not concepts:
        return []
    names = encode([knowledge.concepts[concept] for concept in concepts])
    return (names @ encode([text])[0]).round(DIGITS).tolist()  # type: ignore[no-any-return]


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
        weighted = Weighted(self._network, context.costs)
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
        near = similar(self._knowledge, self._encode, matches, text)
        ordered = sorted(zip(near, matches, strict=True), key=lambda pair: (-pair[0], pair[1]))
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
            nodes = sorted(tree)
            far, target = min(((float(ways.of(concept)[nodes].min()), concept)
                               for concept in wanted), default=(float("inf"), 0))
            if far < float("inf"):
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
        distances = ways.of(target)
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
            distances = ways.of(concept)
            links.update((float(distances[other]), min(concept, other), max(concept, other))
                         for other in others
                         if other != concept and distances[other] < float("inf"))
    return [(low, high) for _, low, high in sorted(links)]


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
