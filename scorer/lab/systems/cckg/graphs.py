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

Costs are whole numbers, so sums are exact and equal costs are equal.

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
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from tqdm import tqdm

from scorer.core.files import sha256, write_atomically
from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.lab.systems.cckg.knowledge import Knowledge
from scorer.lab.systems.records import MOST_EDGES, MOST_WORDS
from scorer.tasks.graphs.constraints import findings
from scorer.tasks.graphs.graph_items import Settings

if TYPE_CHECKING:
    from scorer.models.transformers_encoder import TransformersEncoder

From = Literal["premise", "conclusion", "both", "neither"]
"""Which text brought a concept into a graph."""
BLOCK = 65_536
"""Triples encoded or compared at once: 100 MB of a width of 384."""
DIGITS = 4
"""Similarities are rounded, so that a machine's last digits decide nothing."""


def of_triples(knowledge: Knowledge, encoder: TransformersEncoder, fingerprint: str, folder: Path
               ) -> NDArray[np.float16]:
    """A vector for every triple, shape (triples, width), read from a file where there is one.

    Half precision: 768 bytes a triple at a width of 384, mapped into memory, not read as a whole.
    ``fingerprint``: of the encoder's files; it names the file, with the digest of the knowledge
    base.
    """
    count = len(knowledge.triples)
    path = folder / f"{sha256(f'{fingerprint}{knowledge.digest}'.encode())}.f16"
    if not path.is_file():
        write_atomically(path, (
            encoder.means(knowledge.sentences(start, start + BLOCK)).astype("float16").tobytes()
            for start in tqdm(range(0, count, BLOCK), unit="block", disable=None)))
    return np.memmap(path, np.float16, "r").reshape(count, -1)


class Remembered:
    """Vectors of texts, each encoded once."""

    def __init__(self, encoder: TransformersEncoder) -> None:
        self._encoder = encoder
        self._known: dict[str, NDArray[np.float32]] = {}

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (texts, width)."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._encoder.means(new), strict=True))
        return np.array([self._known[text] for text in texts])


def similar(knowledge: Knowledge, encode: Remembered, concepts: Sequence[int], text: str
            ) -> list[float]:
    """How similar each of some concepts is to a text, from -1 to 1."""
    if not concepts:
        return []
    names = encode([knowledge.concepts[concept] for concept in concepts])
    return (names @ encode([text])[0]).round(DIGITS).tolist()  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Context:
    """What a knowledge base has to do with one argument."""

    text: str
    """Premise and conclusion."""
    premise: NDArray[np.intp]
    """The triples most similar to the premise, most similar first."""
    conclusion: NDArray[np.intp]
    costs: NDArray[np.float64]
    """Of every triple."""


def context_of(known: NDArray[np.float16], encode: Remembered, texts: Sequence[str], most: int
               ) -> Context:
    """The context of an item, whose first text is concluded from the others.

    ``most``: triples that bring concepts, for each side. ``known``: the vectors of the triples. Of
    equally similar ones the first by name is taken.
    """
    conclusion_text = texts[0]
    premise_text = " ".join(texts[1:]) or conclusion_text
    text = f"{premise_text} {conclusion_text}"
    queries = encode([text, premise_text, conclusion_text]).T
    cosines = np.concatenate([known[start : start + BLOCK].astype("float32") @ queries
                              for start in range(0, len(known), BLOCK)]).round(DIGITS)
    premise, conclusion = (np.argsort(-cosines[:, column], kind="stable")[:most]
                           for column in (1, 2))
    return Context(text, premise, conclusion, cost(cosines[:, 0]))


UNIT = 10_000
"""The cost of a triple of similarity -1; one of similarity 1 costs 1."""


def cost(similarities: NDArray[np.float32]) -> NDArray[np.float64]:
    """The cost of triples: half of 1 less their similarity, in whole ten-thousandths, at least 1.

    >>> import numpy as np
    >>> cost(np.array([1.0, 0.5, 0.0, -1.0], np.float32)).tolist()
    [1.0, 2500.0, 5000.0, 10000.0]
    """
    costs: NDArray[np.float64] = np.rint((1.0 - similarities.astype(np.float64)) / 2 * UNIT)
    return costs.clip(1, UNIT)


# ---- shortest paths --------------------------------------------------------------------------


Distances = Mapping[int, NDArray[np.float64]]
"""From some concepts to all; infinite where there is no path."""


class ConceptNetwork:
    """Pairs of concepts that at least one triple links."""

    def __init__(self, knowledge: Knowledge, allowed: NDArray[np.bool_] | None = None) -> None:
        """``allowed``: whether a triple may be used."""
        triples = knowledge.triples
        numbers = np.arange(len(triples)) if allowed is None else np.flatnonzero(allowed)
        self.size = len(knowledge.concepts)
        low, high = (choose(triples[numbers, 0], triples[numbers, 2]).astype(np.int64)
                     for choose in (np.minimum, np.maximum))
        keys = low * self.size + high
        order = np.argsort(keys, kind="stable")
        pairs, self.starts = np.unique(keys[order], return_index=True)
        self.triples = numbers[order]
        """The triples pair by pair; those of a pair by name."""
        self.pairs = np.stack((pairs // max(1, self.size), pairs % max(1, self.size)), axis=1)
        ends = np.concatenate((self.pairs, self.pairs[:, ::-1]))
        slots = np.lexsort((ends[:, 1], ends[:, 0]))
        self.columns = ends[slots, 1].astype(np.int32)
        self.pair_of = (slots % max(1, len(pairs))).astype(np.int32)
        self.rows = np.searchsorted(ends[slots, 0], np.arange(self.size + 1)).astype(np.int32)

    def neighbours(self, concept: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The concepts linked to one, by name, and the pairs that link them."""
        where = slice(int(self.rows[concept]), int(self.rows[concept + 1]))
        return self.columns[where], self.pair_of[where]


class Weighted:
    """A network whose triples have costs; a pair costs as much as its cheapest triple."""

    def __init__(self, network: ConceptNetwork, costs: NDArray[np.float64]) -> None:
        self._network = network
        self._costs = costs
        ours = costs[network.triples]
        self._pairs = np.minimum.reduceat(ours, network.starts) if len(ours) else ours

    def triple(self, pair: int) -> int:
        """The cheapest triple of a pair, the first by name of equal ones."""
        starts, triples = self._network.starts, self._network.triples
        end = starts[pair + 1] if pair + 1 < len(starts) else len(triples)
        some = triples[starts[pair] : end]
        return int(some[self._costs[some].argmin()])

    def distances(self, sources: Sequence[int]) -> Distances:
        """The distances from some concepts to all others."""
        links, size = self._network, self._network.size
        if not sources:
            return {}
        matrix = csr_array((self._pairs[links.pair_of], links.columns, links.rows),
                           shape=(size, size))
        return dict(zip(sources, dijkstra(matrix, directed=True, indices=[*sources]), strict=True))

    def path(self, distances: NDArray[np.float64], source: int, target: int) -> list[int]:
        """The pairs of a shortest path, from its end; empty if there is none.

        ``distances``: those from the source. Of equal paths that one is taken whose concepts, read
        from its end, come first by name.
        """
        route: list[int] = []
        node = target
        while node != source and distances[node] < float("inf"):
            others, pairs = self._network.neighbours(node)
            step = (distances[others] + self._pairs[pairs] == distances[node]).argmax()
            route.append(int(pairs[step]))
            node = int(others[step])
        return route

    def nearest(self, concepts: Sequence[int], taken: set[int]) -> tuple[float, int, int] | None:
        """The cheapest link from some concepts to one that is not taken: cost, concept, pair."""
        links = [(float(self._pairs[pair]), int(other), int(pair)) for concept in concepts
                 for other, pair in zip(*self._network.neighbours(concept), strict=True)
                 if int(other) not in taken]
        return min(links, default=None)


# ---- graphs as the method cuts them out ------------------------------------------------------


class Triplet(NamedTuple):
    """An edge of a graph, and which text brought its ends."""

    edge: Edge
    head_from: From
    tail_from: From


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
        distances = weighted.distances(sorted(came))
        pairs = self._pruned({pair for source, target in combinations(sorted(came), 2)
                              for pair in weighted.path(distances[source], source, target)},
                             came, context.text)
        triples = sorted((weighted.triple(pair) for pair in pairs),
                         key=lambda triple: (context.costs[triple], triple))
        return [Triplet(self._knowledge.edge(triple),
                        *(came.get(int(end), "neither")
                          for end in self._knowledge.triples[triple][[0, 2]]))
                for triple in triples]

    def _pruned(self, pairs: set[int], came: Mapping[int, From], text: str) -> set[int]:
        """The pairs that are left without the concepts that nothing hangs on."""
        graph: nx.Graph[int] = nx.Graph()
        for pair in sorted(pairs):
            graph.add_edge(*map(int, self._network.pairs[pair]), pair=pair)
        others = sorted(concept for concept in graph if concept not in came)
        near = similar(self._knowledge, self._encode, others, text)
        order = [concept for _, concept in sorted(zip(near, others, strict=True))]
        while True:
            needed = {*nx.articulation_points(graph)}
            gone = next((concept for concept in order if concept not in needed), None)
            if gone is None:
                return {data["pair"] for _, _, data in graph.edges(data=True)}
            graph.remove_node(gone)
            order.remove(gone)


# ---- graphs for a board ----------------------------------------------------------------------


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

    def __init__(self, knowledge: Knowledge, encode: Remembered, settings: Settings) -> None:
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
        distances = weighted.distances(
            sorted({concept for text in anchors for concept in text.concepts}))
        for start in _starts(distances, anchors)[:STARTS]:
            pairs = self._grown(weighted, distances, anchors, start)
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

    def _grown(self, weighted: Weighted, distances: Distances, anchors: Sequence[Anchors],
               start: tuple[int, int]) -> list[int] | None:
        """The pairs of a tree that has what the board asks; None if there is none so small."""
        tree = {start[0]}
        pairs = self._joined(weighted, distances[start[1]], tree, start[1])
        while len(pairs) <= self._most:
            short = [text for text in anchors
                     if len(tree.intersection(text.concepts)) < text.needed]
            if not short and len(pairs) >= self._settings.graph.least_edges:
                return pairs
            wanted = {concept for text in short or anchors for concept in text.concepts} - tree
            nodes = sorted(tree)
            far, target = min(((float(distances[concept][nodes].min()), concept)
                               for concept in wanted), default=(float("inf"), 0))
            if far < float("inf"):
                pairs += self._joined(weighted, distances[target], tree, target)
                continue
            link = None if short else weighted.nearest(sorted(tree), tree)
            if link is None:
                return None
            tree.add(link[1])
            pairs.append(link[2])
        return None

    def _joined(self, weighted: Weighted, distances: NDArray[np.float64], tree: set[int],
                target: int) -> list[int]:
        """The shortest path from a concept to the tree, whose concepts it adds to it."""
        node = min(tree, key=lambda concept: (distances[concept], concept))
        pairs = weighted.path(distances, target, node)
        for pair in pairs:
            tree.update(map(int, self._network.pairs[pair]))
        return pairs


def _starts(distances: Distances, anchors: Sequence[Anchors]) -> list[tuple[int, int]]:
    """Pairs of concepts of different texts that a path joins, the cheapest first."""
    links = set[tuple[float, int, int]]()
    for index, text in enumerate(anchors):
        others = {node for other in anchors[index + 1 :] or [text] for node in other.concepts}
        for concept in text.concepts:
            far = distances[concept]
            links.update((float(far[other]), min(concept, other), max(concept, other))
                         for other in others
                         if other != concept and far[other] < float("inf"))
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
