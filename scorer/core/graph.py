"""The bracketed notation ``(concept; relation; concept)(...)`` and small graph facts.

``Graph`` has two readings because the released ExplaGraphs code has two: ``pieces`` for the gates
and for GED, ``sentences`` for the matching metrics. Both are kept as that code has them
(github swarnaHub/ExplaGraphs, commit 67ecab1, metrics/eval.py and metrics/graph_matching.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from scorer.core.records import Edge
from scorer.core.rules import SYNTAX

if TYPE_CHECKING:
    import networkx as nx

PART_SEPARATOR = "; "
EDGE_SEPARATOR = ")("
_FORM = r"\([^();\t]+; [^();\t]+; [^();\t]+\)"
_NEAT = r"[^();\t ]+(?: [^();\t ]+)*"
_EDGES = re.compile(rf"(?:\({_NEAT}; {_NEAT}; {_NEAT}\))+|({_FORM})")
"""As many edges without a stray blank as follow each other, or one edge that has one."""


@dataclass(frozen=True)
class Graph:
    """A graph as somebody wrote it, and its readings, each made once when it is asked for.

    All readings are of the lower-cased text.
    """

    text: str
    """As written."""
    by_id: bool = field(default=False, repr=False)
    """Whether a concept is an id, behind which ``: `` and its text may stand. Then all readings are
    of the ids, and ``texts`` has the texts."""

    @classmethod
    def of(cls, edges: Iterable[Edge]) -> Graph:
        """The graph of some edges.

        >>> Graph.of([Edge("cats", "is a", "pets")])
        Graph(text='(cats; is a; pets)')
        """
        return cls(format_graph(edges))

    @cached_property
    def pieces(self) -> tuple[tuple[str, ...], ...]:
        """The parts of every edge as the gates and GED read them; Edges where there are three.

        The first and the last character are dropped *whatever they are*, then the text is split
        at ``)(`` and every edge at ``; ``. So a text without its opening bracket loses a letter.

        >>> Graph("Cats; is a; pets)(pets)").pieces
        (Edge(source='ats', relation='is a', target='pets'), ('pets',))
        >>> Graph("").pieces
        (('',),)
        >>> Graph("(s1; so; i1: Cats purr)", by_id=True).pieces
        (Edge(source='s1', relation='so', target='i1'),)
        """
        pieces: list[tuple[str, ...]] = []
        for parts in _parts(self.text.lower()):
            if len(parts) != 3:
                pieces.append(tuple(parts))
            elif self.by_id:
                pieces.append(Edge(_named(parts[0])[0], parts[1], _named(parts[2])[0]))
            else:
                pieces.append(Edge(*parts))
        return tuple(pieces)

    @cached_property
    def texts(self) -> dict[str, str]:
        """The texts that stand behind ids, in order of appearance; the first of each id.

        >>> Graph("(s1; so; i1: Cats purr)(i1; so; end)", by_id=True).texts
        {'i1': 'Cats purr'}
        """
        labels: dict[str, str] = {}
        for parts in _parts(self.text) if self.by_id else ():
            for name, text in map(_named, parts[::2]):
                if text:
                    labels.setdefault(name.lower(), text)
        return labels

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """The edges that have exactly three parts, in order, repeats included.

        >>> Graph("(a cat; is a; pet)(broken)").edges
        (Edge(source='a cat', relation='is a', target='pet'),)
        """
        return tuple(piece for piece in self.pieces if isinstance(piece, Edge))

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The edges as the matching metrics read them: one sentence each, no parenthesis left.

        >>> Graph("(cats; is a; pets) (pets; desires; food)").sentences
        ('cats; is a; pets pets; desires; food',)
        >>> Graph("(cats; is a; pets)(pets; desires; food)").sentences
        ('cats; is a; pets', 'pets; desires; food')
        >>> Graph("(s1; so; i1: Cats purr)", by_id=True).sentences
        ('s1; so; i1',)
        """
        sentences = (map(PART_SEPARATOR.join, self.pieces) if self.by_id
                     else self.text.lower().split(EDGE_SEPARATOR))
        return tuple(text.strip().replace(")", "").replace("(", "") for text in sentences)

    @cached_property
    def concepts(self) -> tuple[str, ...]:
        """The different concepts of its edges, in order of first appearance."""
        return tuple(concepts(self.edges))


def _parts(text: str) -> Iterator[list[str]]:
    """The parts of each edge, without the first and the last character of the text."""
    return (edge.split(PART_SEPARATOR) for edge in text[1:-1].split(EDGE_SEPARATOR))


def _named(part: str) -> tuple[str, str]:
    """An id and the text behind it.

    >>> _named("s1: cats purr"), _named("s1")
    (('s1', 'cats purr'), ('s1', ''))
    """
    name, _, text = part.partition(": ")
    return name, text


def format_graph(edges: Iterable[Edge]) -> str:
    """The bracketed string of some edges.

    >>> format_graph([Edge("cats", "is a", "pets")])
    '(cats; is a; pets)'
    """
    return "".join(f"({PART_SEPARATOR.join(edge)})" for edge in edges)


def syntax_faults(graph: str, most: int | None = None) -> list[str]:
    """How a string departs from the exact form; an empty list if it does not.

    Beyond ``most`` the faults are counted, not named.

    >>> syntax_faults("(a b; is a; c)(c; causes; d)")
    []
    >>> syntax_faults("(a b; is a; c) (c; causes; d")
    ["' (c; causes; d' at 15 is outside the edges"]
    >>> syntax_faults("(a; b;  c)(a; b;  c)(a; b;  c)", most=1)
    ["stray spaces in ' c' at 1", 'and 2 more']
    """
    if not graph:
        return [SYNTAX["empty"]]
    faults = _departures(graph)
    kept = faults[:most]
    beyond = len(faults) - len(kept)
    more = [SYNTAX["more"].format(count=beyond)] if beyond else []
    return [SYNTAX[kind].format(text=repr(text), part=repr(text), place=start + 1)
            for kind, text, start in kept] + more


def _departures(graph: str) -> list[tuple[str, str, int]]:
    """What is wrong (a key of SYNTAX) with which piece, and the zero-based position."""
    faults = []
    position = 0
    for match in _EDGES.finditer(graph):
        start, end = match.span()
        if start > position:
            faults.append(("outside", _shortened(graph[position:start]), position))
        if match[1]:
            faults += [("blanks", part, start) for part in match[1][1:-1].split(PART_SEPARATOR)
                       if part != part.strip(" ") or "  " in part]
        position = end
    if position < len(graph):
        faults.append(("outside", _shortened(graph[position:]), position))
    return faults


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "..."


def to_networkx(edges: Iterable[Edge]) -> nx.DiGraph[str]:
    """The graph for networkx: concepts are nodes, ``relation`` an attribute of each edge.

    Edges over the same ordered pair of concepts collapse to the last.

    >>> to_networkx([Edge("a", "causes", "b")]).edges["a", "b"]
    {'relation': 'causes'}
    """
    import networkx as nx  # here, because checking does without it

    graph: nx.DiGraph[str] = nx.DiGraph()
    for edge in edges:
        graph.add_edge(edge.source, edge.target, relation=edge.relation)
    return graph


def concepts(edges: Iterable[Edge]) -> list[str]:
    """The different concepts in order of first appearance, source before target.

    >>> concepts([Edge("a", "causes", "b"), Edge("b", "is a", "c")])
    ['a', 'b', 'c']
    """
    nodes: dict[str, None] = {}
    for source, _, target in edges:
        nodes[source] = nodes[target] = None
    return list(nodes)


def components(edges: Sequence[Edge]) -> list[list[str]]:
    """The weakly connected parts, each a list of concepts, in order of first appearance.

    >>> components([Edge("a", "r", "b"), Edge("c", "r", "d"), Edge("b", "r", "e")])
    [['a', 'b', 'e'], ['c', 'd']]
    """
    parent: dict[str, str] = {}

    def root(concept: str) -> str:
        parent.setdefault(concept, concept)
        while parent[concept] != concept:
            parent[concept] = parent[parent[concept]]
            concept = parent[concept]
        return concept

    for source, _, target in edges:
        parent[root(target)] = root(source)
    groups: dict[str, list[str]] = {}
    for concept in concepts(edges):
        groups.setdefault(root(concept), []).append(concept)
    return list(groups.values())


def find_cycle(edges: Sequence[Edge]) -> list[str]:
    """The concepts of one directed cycle, first one repeated at the end; empty if there is none.

    A self loop is a cycle. Linear in the number of edges, no recursion.

    >>> find_cycle([Edge("a", "r", "b"), Edge("b", "r", "c"), Edge("c", "r", "b")])
    ['b', 'c', 'b']
    >>> find_cycle([Edge("a", "r", "b"), Edge("a", "r", "c")])
    []
    """
    targets: dict[str, list[str]] = {}
    for edge in edges:
        targets.setdefault(edge.source, []).append(edge.target)
    finished: set[str] = set()
    for start in targets:
        if start in finished:
            continue
        path = [start]
        on_path = {start}
        waiting = [iter(targets[start])]
        while path:
            following = next(waiting[-1], None)
            if following is None:
                finished.add(path[-1])
                on_path.discard(path.pop())
                waiting.pop()
            elif following in on_path:
                return [*path[path.index(following) :], following]
            elif following not in finished:
                path.append(following)
                on_path.add(following)
                waiting.append(iter(targets.get(following, ())))
    return []


def depth(edges: Sequence[Edge]) -> int | None:
    """The reasoning depth: edges on the longest directed path; None if there is a cycle."""
    paths = longest_paths(edges)
    return None if paths is None else max(paths.values(), default=0)


def longest_paths(edges: Sequence[Edge]) -> dict[str, int] | None:
    """By concept, the edges on the longest directed path to it; None if there is a cycle.

    >>> longest_paths([Edge("a", "r", "b"), Edge("b", "r", "c"), Edge("a", "r", "c")])
    {'a': 0, 'b': 1, 'c': 2}
    """
    incoming = dict.fromkeys(concepts(edges), 0)
    targets: dict[str, list[str]] = {}
    for edge in edges:
        incoming[edge.target] += 1
        targets.setdefault(edge.source, []).append(edge.target)
    longest = dict.fromkeys(incoming, 0)
    ready = [concept for concept, count in incoming.items() if count == 0]
    for concept in ready:
        for target in targets.get(concept, ()):
            longest[target] = max(longest[target], longest[concept] + 1)
            incoming[target] -= 1
            if incoming[target] == 0:
                ready.append(target)
    return longest if len(ready) == len(incoming) else None


def is_linear(edges: Sequence[Edge]) -> bool:
    """Whether the graph is one chain ``a -> b -> c ...``.

    >>> is_linear([Edge("a", "r", "b"), Edge("b", "r", "c")])
    True
    >>> is_linear([Edge("a", "r", "b"), Edge("a", "r", "c")])
    False
    """
    sources = [edge.source for edge in edges]
    targets = [edge.target for edge in edges]
    return (
        len(set(sources)) == len(sources)
        and len(set(targets)) == len(targets)
        and len(components(edges)) == 1
        and not find_cycle(edges)
    )
