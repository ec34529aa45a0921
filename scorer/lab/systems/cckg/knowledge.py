"""A knowledge base: triples of concepts, in the order of their names."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from scorer.core.files import sha256
from scorer.core.records import Edge

SPECIAL = {"antonym": "antonym of", "synonym": "synonym of", "not is a": "is not a"}
"""What a split name is called on boards, where splitting is not enough."""


@dataclass(frozen=True)
class Knowledge:
    """Distinct triples. A smaller number is an earlier name, so ties go by name."""

    concepts: tuple[str, ...]
    relations: tuple[str, ...]
    triples: NDArray[np.int32]
    """Shape (triples, 3): the numbers of head, relation and tail."""
    source: str
    """Where they come from, in words, with a digest."""

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of every concept."""
        return {name: number for number, name in enumerate(self.concepts)}

    def edge(self, triple: int) -> Edge:
        """A triple by its number."""
        head, relation, tail = map(int, self.triples[triple])
        return Edge(self.concepts[head], self.relations[relation], self.concepts[tail])

    def sentences(self, start: int, end: int) -> list[str]:
        """Some triples as an encoder reads them.

        >>> knowledge_of([Edge("dogs", "HasA", "fur")], "a test").sentences(0, 1)
        ['dogs has a fur']
        """
        words = [" ".join(split(name)) for name in self.relations]
        return [f"{self.concepts[head]} {words[relation]} {self.concepts[tail]}"
                for head, relation, tail in self.triples[start:end].tolist()]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of concepts, relations and triples."""
        names = "\n".join((*self.concepts, "", *self.relations))
        return sha256(names.encode() + self.triples.astype("<i4").tobytes())


class Collector:
    """Takes triples one by one; a number of bytes a triple, and each name once."""

    def __init__(self) -> None:
        self.concepts: dict[str, int] = {}
        self.relations: dict[str, int] = {}
        self._triples = array("i")

    def __len__(self) -> int:
        """How many triples there are, repeats included."""
        return len(self._triples) // 3

    def add(self, edge: Edge) -> None:
        """Take a triple; one of a concept with itself says nothing and is left out."""
        if edge.source != edge.target:
            concepts, relations = self.concepts, self.relations
            self._triples.extend((
                concepts.setdefault(edge.source, len(concepts)),
                relations.setdefault(edge.relation, len(relations)),
                concepts.setdefault(edge.target, len(concepts)),
            ))

    def knowledge(self, source: str) -> Knowledge:
        """Everything taken, each triple once, sorted."""
        found = np.frombuffer(self._triples, np.int32).reshape(-1, 3)
        columns = []
        for names, place in ((self.concepts, 0), (self.relations, 1), (self.concepts, 2)):
            ranks = np.empty(len(names), np.int64)
            ranks[[names[name] for name in sorted(names)]] = np.arange(len(names))
            columns.append(ranks[found[:, place]])
        kinds, count = max(1, len(self.relations)), max(1, len(self.concepts))
        keys = np.unique((columns[0] * kinds + columns[1]) * count + columns[2])
        triples = np.stack((keys // count // kinds, keys // count % kinds, keys % count), axis=1)
        return Knowledge(tuple(sorted(self.concepts)), tuple(sorted(self.relations)),
                         triples.astype(np.int32), source)


def knowledge_of(edges: Iterable[Edge], source: str) -> Knowledge:
    """The knowledge base of some triples."""
    collector = Collector()
    for edge in edges:
        collector.add(edge)
    return collector.knowledge(source)


def split(name: str) -> Iterator[str]:
    """The words of a relation, lower-cased.

    >>> [" ".join(split(name)) for name in ("HasA", "NotCapableOf", "is a")]
    ['has a', 'not capable of', 'is a']
    """
    return (word.lower() for word in re.findall(r"[A-Z]?[^A-Z\s]+|[A-Z]", name))


def on_board(name: str, relations: Sequence[str]) -> str:
    """A relation as a board calls it; its own name if the board has none that is called so.

    >>> on_board("CapableOf", ["capable of"]), on_board("RelatedTo", ["capable of"])
    ('capable of', 'RelatedTo')
    """
    words = " ".join(split(name))
    found = SPECIAL.get(words, words)
    return found if found in relations else name
