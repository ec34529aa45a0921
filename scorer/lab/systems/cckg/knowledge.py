"""Knowledge bases: triples of concepts, in the order of their names, and the files they come in.

A file is read line by line and may be packed by gzip. The first line says which format it has.

A line of ConceptNet 5.7 has five columns: the assertion's address, the relation (``/r/IsA``), two
concepts (``/c/en/guinea_pig/n``) and JSON with a weight. Taken are triples of two English concepts
with a weight of at least LEAST_WEIGHT.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scorer.core.errors import UsageError, excerpt
from scorer.core.files import sha256
from scorer.core.reading.characters import UNWELCOME
from scorer.core.reading.tsv import packing
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


def knowledge_of(edges: Iterable[Edge], source: str) -> Knowledge:
    """The knowledge base of some triples; one of a concept with itself says nothing and is left
    out."""
    triples = sorted({edge for edge in edges if edge.source != edge.target})
    concepts, relations = (
        {name: number for number, name in enumerate(sorted(names))} for names in (
            {end for edge in triples for end in (edge.source, edge.target)},
            {edge.relation for edge in triples}))
    rows = [(concepts[head], relations[name], concepts[tail]) for head, name, tail in triples]
    return Knowledge(tuple(concepts), tuple(relations),
                     np.array(rows, np.int32).reshape(-1, 3), source)


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
    relation = SPECIAL.get(words, words)
    return relation if relation in relations else name


LONGEST_LINE = 1024 * 1024
LONGEST_NAME = 200
"""Characters of a concept or a relation; longer ones of a dump are left out."""
LEAST_WEIGHT = 1.0
"""That of one statement by a trusted source; below are guesses of a game of words."""
MOST = 100_000_000
"""Lines; a dump of ConceptNet has 34 million, of which some 3 million are taken."""
ENGLISH = "/c/en/"
EXPECTED = ("expected head, relation and tail with tabs between, or ConceptNet's assertions from "
            "the first line on; mend or remove the line")


def read(path: Path, relations: Sequence[str], most: int = MOST) -> Knowledge:
    """The triples of a file; ``relations``: those of a board, whose names are preferred.

    Raises UsageError at the first fault.
    """
    edges, digest = set[Edge](), hashlib.sha256()
    number, triple = 0, None
    try:
        with path.open("rb") as plain:
            packed = packing(plain.read(8)) == "gzip"
        with gzip.open(path) if packed else path.open("rb") as file:
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if number > most or len(line) > LONGEST_LINE:
                    raise ValueError(f"more than {most} lines, or {LONGEST_LINE} bytes in one")
                digest.update(line)
                text = line.decode().rstrip("\r\n").removeprefix("\ufeff")
                triple = triple or (_assertion if text.startswith("/a/") else _plain)
                if text and (edge := triple(text)):
                    edges.add(edge._replace(relation=on_board(edge.relation, relations)))
    except (OSError, EOFError, zlib.error) as fault:
        raise UsageError(f"{path}: cannot be read ({fault}); name a file of triples, as text or "
                         "packed by gzip") from fault
    except ValueError as fault:  # what a line has instead; no UTF-8 is one too
        raise UsageError(f"{path}:{number}: {fault}; {EXPECTED}") from fault
    if not edges:
        raise UsageError(f"{path}: no triple; {EXPECTED}")
    return knowledge_of(edges, f"{path.name} (SHA-256 {digest.hexdigest()[:12]}...)")


def _plain(line: str) -> Edge:
    """A line ``head``, ``relation``, ``tail``. Raises ValueError for another one."""
    names = [" ".join(part.split()) for part in line.split("\t")]
    if len(names) != 3 or not all(map(_sound, names)):
        raise ValueError(excerpt(line))
    return Edge(names[0].lower(), names[1], names[2].lower())


def _assertion(line: str) -> Edge | None:
    """A line of ConceptNet; None if it is not to be taken. Raises ValueError for another one."""
    try:
        _, relation, start, end, more = line.split("\t")
        if not (start.startswith(ENGLISH) and end.startswith(ENGLISH)):
            return None
        weight = float(json.loads(more)["weight"])
    except (ValueError, OverflowError, KeyError, TypeError, RecursionError) as fault:
        raise ValueError(excerpt(line)) from fault
    names = _label(start), relation.removeprefix("/r/"), _label(end)
    return Edge(*names) if weight >= LEAST_WEIGHT and all(map(_sound, names)) else None


def _sound(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and not UNWELCOME.search(name)


def _label(address: str) -> str:
    """What a concept is called.

    >>> _label("/c/en/guinea_pig/n/wn/animal")
    'guinea pig'
    """
    name = address.removeprefix(ENGLISH).partition("/")[0]
    return " ".join(name.replace("_", " ").split()).lower()
