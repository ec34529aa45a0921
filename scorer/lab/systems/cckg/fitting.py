"""Graphs that keep a board's constraints, as far as a knowledge base has them.

A graph as :mod:`scorer.lab.systems.cckg.graphs` makes it seldom fits: its concepts are similar to
the texts but need not stand in them, it has as many edges as there are paths, and paths cross. So a
graph for a submission grows: from the cheapest path between a concept that stands in one text and
one that stands in another, by the cheapest path to one more concept of a text, until it has what
the board asks. Then it is a tree: connected, and without a cycle however its edges are directed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.lab.systems.cckg import vectors
from scorer.lab.systems.cckg.graphs import Context
from scorer.lab.systems.cckg.knowledge import Knowledge
from scorer.lab.systems.cckg.network import Network, Ways, Weighted
from scorer.tasks.graphs.constraints import findings
from scorer.tasks.graphs.graph_items import Settings

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

    def __init__(self, knowledge: Knowledge, encode: vectors.Remembered, settings: Settings
                 ) -> None:
        self._knowledge = knowledge
        self._encode = encode
        self._settings = settings
        rules = settings.graph
        self._words = rules.concept_words or MOST_WORDS
        self._most = min(limit for limit in (rules.most_edges, rules.strict_most_edges, MOST_EDGES)
                         if limit)
        self._usable = self._may_stand()
        ends = self._usable[knowledge.triples[:, [0, 2]]].all(axis=1)
        known = [rules.knows(name) for name in knowledge.relations]
        self._network = Network(knowledge, ends & self._flags(known)[knowledge.triples[:, 1]])

    def _may_stand(self) -> NDArray[np.bool_]:
        """Whether a concept may stand in a graph of the board."""
        return self._flags([name.count(" ") < self._words and not _ODD.search(name)
                            for name in self._knowledge.concepts])

    @staticmethod
    def _flags(values: Sequence[bool]) -> NDArray[np.bool_]:
        return np.array(values, np.bool_)

    def graph(self, context: Context, texts: Sequence[str]) -> Graph | None:
        """The graph of an item; None if the knowledge base has none that keeps the constraints."""
        weighted = self._network.weighted(context.costs)
        anchors = [Anchors(self._anchors(text), asked.concepts)
                   for text, asked in zip(texts, self._settings.texts, strict=True)]
        ways = weighted.ways(sorted({one for text in anchors for one in text.concepts}))
        for start in _starts(ways, anchors)[:STARTS]:
            pairs = self._grown(weighted, ways, anchors, start)
            if pairs is not None:
                graph = Graph.of(self._edges(weighted, pairs))
                if not findings(self._settings, texts, graph).broken:
                    return graph
        return None

    def _edges(self, weighted: Weighted, pairs: Sequence[int]) -> list[Edge]:
        return [self._knowledge.edge(weighted.triple(pair)) for pair in pairs]

    def _anchors(self, text: str) -> tuple[int, ...]:
        """Concepts that stand in a text, the most similar to it first."""
        numbers = self._knowledge.numbers
        found = sorted({number for run in runs(text.lower(), self._words)
                        if (number := numbers.get(run)) is not None and self._usable[number]})
        if not found:
            return ()
        names = self._encode([self._knowledge.concepts[number] for number in found])
        near = (names @ self._encode([text])[0]).round(vectors.DIGITS)
        ordered = sorted(zip((-near).tolist(), found, strict=True))
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
            wanted = {one for text in short or anchors for one in text.concepts} - tree
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
        place = min(tree, key=lambda concept: (distances[concept], concept))
        found = weighted.path(ways, target, place)
        for pair in found:
            tree.update(map(int, self._network.pairs[pair]))
        return found


def _starts(ways: Ways, anchors: Sequence[Anchors]) -> list[tuple[int, int]]:
    """Pairs of concepts of different texts, the nearest first."""
    found = set[tuple[float, int, int]]()
    for place, text in enumerate(anchors):
        others = {one for other in anchors[place + 1 :] or [text] for one in other.concepts}
        for one in text.concepts:
            distances = ways.distances[ways.sources.index(one)]
            found.update((float(distances[other]), min(one, other), max(one, other))
                         for other in others
                         if other != one and distances[other] < float("inf"))
    return [(low, high) for _, low, high in sorted(found)]


def _nearest(ways: Ways, tree: set[int], wanted: set[int]) -> int | None:
    """The wanted concept that is nearest to the tree; None if no path leads to any."""
    places = sorted(tree)
    found = min(((float(ways.distances[ways.sources.index(one)][places].min()), one)
                 for one in wanted), default=None)
    return None if found is None or found[0] == float("inf") else found[1]


def runs(text: str, most: int) -> Iterator[str]:
    """Runs of at most so many words of a text as they stand there, whole or without an ending.

    >>> [*runs("two cats", 2)]
    ['two', 'two cats', 'two cat', 'cats', 'cat']
    """
    words = [(match.start(), match.end()) for match in _WORD.finditer(text)]
    for place, (start, _) in enumerate(words):
        for last, end in words[place : place + most]:
            run = text[start:end]
            if run.count(" ") < most:
                yield run
                for cut in range(1, 4):
                    if end - last - cut >= SHORTEST_STEM:
                        yield run[:-cut]
