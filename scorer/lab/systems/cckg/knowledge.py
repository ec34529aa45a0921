"""Knowledge bases: triples of concepts, in the order of their names, and the files they come in.

A file is read line by line and may be packed by gzip. Nothing of it is kept but its triples: 200
bytes each with their concepts, measured on 200,000. The first line says which format it has.

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
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from scorer.core.errors import UsageError, counted, excerpt
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
        rows = np.frombuffer(self._triples, np.int32).reshape(-1, 3)
        columns = []
        for names, column in ((self.concepts, 0), (self.relations, 1), (self.concepts, 2)):
            ranks = np.empty(len(names), np.int64)
            ranks[[names[name] for name in sorted(names)]] = np.arange(len(names))
            columns.append(ranks[rows[:, column]])
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
    relation = SPECIAL.get(words, words)
    return relation if relation in relations else name


LONGEST_LINE = 1024 * 1024
LONGEST_NAME = 200
"""Characters of a concept or a relation; longer ones of a dump are left out."""
LEAST_WEIGHT = 1.0
"""That of one statement by a trusted source; below are guesses of a game of words."""


class Most(NamedTuple):
    """Where reading ends: a dump has 34 million lines, 10 GB and some 3 million English triples."""

    size: int = 32 * 1024**3
    """Bytes, unpacked."""
    triples: int = 10_000_000
    concepts: int = 5_000_000


MOST = Most()
ENGLISH = "/c/en/"


def read(path: Path, relations: Sequence[str], most: Most = MOST) -> Knowledge:
    """The triples of a file; ``relations``: those of a board, whose names are preferred.

    Raises UsageError at the first fault.
    """
    collector, digest = Collector(), hashlib.sha256()
    names: dict[str, str] = {}
    number, size, triple = 0, 0, None
    try:
        with _opened(path) as file:
            while line := file.readline(LONGEST_LINE + 1):
                number, size = number + 1, size + len(line)
                _require(len(line) <= LONGEST_LINE, f"a line of more than {LONGEST_LINE} bytes; "
                         "expected a triple a line; name another file")
                _require(size <= most.size, f"more than {most.size} bytes; expected a knowledge "
                         "base of at most so many; name a part of it")
                digest.update(line)
                text = line.decode().rstrip("\r\n").removeprefix("\ufeff")
                triple = triple or (_assertion if text.startswith("/a/") else _plain)
                edge = triple(text) if text else None
                if edge is not None:
                    relation = names.setdefault(edge.relation, on_board(edge.relation, relations))
                    collector.add(edge._replace(relation=relation))
                for count, limit, what in ((len(collector), most.triples, "triples"),
                                           (len(collector.concepts), most.concepts, "concepts")):
                    _require(count <= limit, f"more than {limit} {what}; name a smaller knowledge "
                             "base")
    except UnicodeDecodeError as fault:
        raise UsageError(f"{path}:{number}: byte 0x{line[fault.start]:02x} at byte "
                         f"{fault.start + 1}; expected UTF-8 text; save the file as UTF-8"
                         ) from fault
    except _Fault as fault:
        raise UsageError(f"{path}:{number}: {fault}") from fault
    if not len(collector):
        raise UsageError(f"{path}: no triple; name a file with head, relation and tail between "
                         "tabs, or ConceptNet's assertions")
    return collector.knowledge(f"{path.name} (SHA-256 {digest.hexdigest()[:12]}...)")


class _Fault(Exception):
    """What is wrong with a line: what was found, what is expected, what to do."""


def _require(fits: bool, problem: str) -> None:
    if not fits:
        raise _Fault(problem)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """A file, unpacked if its first bytes say so."""
    try:
        with path.open("rb") as plain:
            kind = packing(plain.read(8))
            plain.seek(0)
            if kind not in ("", "gzip"):
                raise UsageError(f"{path}: a {kind} file; expected text or gzip; unpack it first")
            if kind == "gzip":
                with gzip.GzipFile(fileobj=plain) as unpacked:
                    yield cast("IO[bytes]", unpacked)
            else:
                yield plain
    except (EOFError, zlib.error, gzip.BadGzipFile) as fault:
        raise UsageError(f"{path}: a damaged gzip file ({fault}); copy it again") from fault
    except OSError as fault:
        raise UsageError(f"{path}: cannot be read ({fault.strerror or fault}); name a file of "
                         "triples") from fault


def _plain(line: str) -> Edge:
    """A line ``head``, ``relation``, ``tail``."""
    parts = line.split("\t")
    _require(len(parts) == 3, f"{counted(len(parts), 'column')}; expected 3 (head, relation, "
             "tail), or ConceptNet's 5 from the first line on; put tabs between them")
    names = [" ".join(part.split()) for part in parts]
    for name, what in zip(names, ("head", "relation", "tail"), strict=True):
        _require(0 < len(name) <= LONGEST_NAME, f"a {what} of {counted(len(name), 'character')}; "
                 f"expected 1 to {LONGEST_NAME}; shorten it or remove the line")
        if odd := UNWELCOME.search(name):
            raise _Fault(f"{excerpt(odd[0])} in the {what}; expected characters that can be seen; "
                         "remove it")
    return Edge(names[0].lower(), names[1], names[2].lower())


def _assertion(line: str) -> Edge | None:
    """A line of ConceptNet; None if it is not to be taken."""
    parts = line.split("\t")
    _require(len(parts) == 5, f"{counted(len(parts), 'column')}; expected ConceptNet's 5 "
             "(assertion, relation, start, end, JSON); fetch the file again")
    _, relation, start, end, more = parts
    if not (start.startswith(ENGLISH) and end.startswith(ENGLISH)):
        return None
    _require(relation.startswith("/r/"), f"relation {excerpt(relation)}; expected /r/NAME; fetch "
             "the file again")
    if _weight(more) < LEAST_WEIGHT:
        return None
    names = (_label(start), relation.removeprefix("/r/"), _label(end))
    sound = all(0 < len(name) <= LONGEST_NAME and not UNWELCOME.search(name) for name in names)
    return Edge(*names) if sound else None


def _weight(text: str) -> float:
    try:
        weight = json.loads(text)["weight"]
        if isinstance(weight, int | float):
            return float(weight)
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    raise _Fault(f"{excerpt(text)}; expected JSON with a number as weight; fetch the file again")


def _label(address: str) -> str:
    """What a concept is called.

    >>> _label("/c/en/guinea_pig/n/wn/animal")
    'guinea pig'
    """
    name = address.removeprefix(ENGLISH).partition("/")[0]
    return " ".join(name.replace("_", " ").split()).lower()
