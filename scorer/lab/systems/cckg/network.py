"""Similarities of a knowledge base's triples with texts, and shortest paths through them.

Vectors of a whole knowledge base are made once and kept in a file. Costs are whole numbers, so sums
are exact and equal costs are equal. Of paths of equal cost that one is taken whose concepts, read
from its end, come first by name.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from tqdm import tqdm

from scorer.core.files import locked, sha256
from scorer.lab.systems.cckg.knowledge import Knowledge

BLOCK = 4096
"""Triples encoded between two writes: what a run that is stopped loses."""
ROWS = 65_536
"""Triples compared at once: 100 MB of a width of 384."""
DIGITS = 4
"""Similarities are rounded, so that a machine's last digits decide nothing."""

_LOG = logging.getLogger(__name__)


class SentenceEncoder(Protocol):
    """Gives sentences vectors."""

    def means(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """One vector of length 1 for each, shape (sentences, width)."""


def of_triples(knowledge: Knowledge, encoder: SentenceEncoder, fingerprint: str, folder: Path
               ) -> NDArray[np.float16]:
    """A vector for every triple, shape (triples, width), read from a file where there is one.

    Half precision: 768 bytes a triple at a width of 384, mapped into memory, not read as a whole.
    ``fingerprint``: of the encoder's files; it names the file, with the digest of the knowledge
    base. A run that was stopped goes on behind the last block that it wrote. Where nothing can
    be written, one line is logged and the vectors stay in memory.
    """
    width = encoder.means(["a word"]).shape[1]
    count = len(knowledge.triples)
    name = sha256(f"{fingerprint}\n{knowledge.digest}".encode())
    path, part = folder / f"{name}.f16", folder / f"{name}.part"
    if not path.is_file() or path.stat().st_size != count * width * 2:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with part.open("ab") as file:
                if locked(file.fileno(), wait=False) is False:
                    raise BlockingIOError(0, "another process writes it")
                done = part.stat().st_size // (2 * width * BLOCK) * BLOCK
                file.truncate(done * width * 2)
                for block in _encoded(knowledge, encoder, done):
                    file.write(block.tobytes())
                    file.flush()
                os.fsync(file.fileno())
                part.replace(path)
        except OSError as fault:
            _LOG.warning("%s: vectors are not kept (%s)", part, fault.strerror or fault)
            return np.concatenate([*_encoded(knowledge, encoder, 0)])
    return np.memmap(path, np.float16, "r", shape=(count, width))


def _encoded(knowledge: Knowledge, encoder: SentenceEncoder, first: int
             ) -> Iterator[NDArray[np.float16]]:
    """The vectors of triples, block by block."""
    for start in tqdm(range(first, len(knowledge.triples), BLOCK), unit="block", disable=None):
        yield encoder.means(knowledge.sentences(start, start + BLOCK)).astype("float16")


def similarities(vectors: NDArray[np.float16], texts: NDArray[np.float32], start: int
                 ) -> NDArray[np.float32]:
    """Cosines of the ROWS triples from ``start`` on with some texts, shape (triples, texts)."""
    cosines: NDArray[np.float32] = vectors[start : start + ROWS].astype("float32") @ texts.T
    return cosines.round(DIGITS)


class Remembered:
    """Vectors of texts, each encoded once."""

    def __init__(self, encoder: SentenceEncoder) -> None:
        self._encoder = encoder
        self._known: dict[str, NDArray[np.float32]] = {}

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (texts, width)."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._encoder.means(new), strict=True))
        return np.array([self._known[text] for text in texts])


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


class Ways(NamedTuple):
    """The distances from some concepts to all."""

    sources: tuple[int, ...]
    distances: NDArray[np.float64]
    """Shape (sources, concepts); infinite where there is no path."""

    def of(self, source: int) -> NDArray[np.float64]:
        """The distances from one of them."""
        distances: NDArray[np.float64] = self.distances[self.sources.index(source)]
        return distances


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

    def ways(self, sources: Sequence[int]) -> Ways:
        """The distances from some concepts to all others."""
        links, size = self._network, self._network.size
        if not sources:
            return Ways((), np.empty((0, size)))
        matrix = csr_array((self._pairs[links.pair_of], links.columns, links.rows),
                           shape=(size, size))
        return Ways(tuple(sources), dijkstra(matrix, directed=True, indices=[*sources]))

    def path(self, ways: Ways, source: int, target: int) -> list[int]:
        """The pairs of a shortest path, from its end; empty if there is none."""
        distances = ways.of(source)
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
