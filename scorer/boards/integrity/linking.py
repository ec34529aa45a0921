"""Flag ``linking``: edges at one end of the graphs that do nothing but connect their parts.

The authors of ExplaGraphs ask not to connect a graph's parts after it was made. One graph never
shows it: people also write an edge that joins two parts, and sometimes last. A file does, in one
of two ways:

- *alike*: the edges that join two parts, at the end (or at the beginning) of the graphs, have
  relations that the file's other edges rarely have, as when a tool always adds ``has context``;
- *last*: graphs end with such an edge often, and more than twice as often as they begin with one,
  as when a tool adds an edge of a random relation. Edges in an arbitrary order do both equally.

A linking edge, read from one end of the string, is one whose two concepts were both there before
it, in different parts. Only the unbroken run of such edges at the end is looked at.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.boards.integrity.flag import LEAST_ROWS, Flag, RowNote
from scorer.core.records import Edge

LEAST_EXCESS = 0.3
"""*Alike*: the share of one to three relations among linking edges minus that among all others.
People's greatest: .14 (train, first: "capable of" has .28 and .14)."""

LEAST_BEYOND = 0.07
"""*Alike*: the linking edges beyond what the others' share would give, over the rows. Drawn 300
times from gold of train, 398 rows each, both hold once; LEAST_EXCESS
alone holds 9 times."""

MOST_CHANCE = 1e-6
"""*Alike*: greatest probability of that many by chance, all choices of relations counted."""

MOST_RELATIONS = 3
"""*Alike*: as many relations may share the linking edges."""

LEAST_LAST = 0.15
"""*Last*: share of rows that end with a linking edge. In ExplaGraphs: gold .088 (dev) and .103
(train), Max-Margin .003, dev gold after edits .090 to .136; with the disconnected 22 % of
Max-Margin repaired .221."""

LEAST_RATIO = 2.0
"""*Last*: rows that end so over rows that begin so. Gold .76 (dev) and .62 (train), edges of gold
shuffled 1.1, Max-Margin repaired 4.0."""

MOST_LAST_CHANCE = 1e-3
"""*Last*: greatest probability of such a difference between end and beginning (sign test)."""

EdgeList = Sequence[Edge]


class Alike(NamedTuple):
    """Relations that linking edges at one end have more often than the other edges."""

    end: str
    """``last`` or ``first``."""
    relations: tuple[str, ...]
    linking: float
    """Their share of the linking edges."""
    other: float
    """Their share of all other edges."""


def linking(graphs: Sequence[EdgeList]) -> Flag:
    """``graphs``: the readable edges of each prediction, in the order of its string."""
    last = [linking_run(edges) for edges in graphs]
    first = [linking_run(edges[::-1]) for edges in graphs]
    found = alike("last", graphs, last) or alike("first", graphs, first)
    at_end = often_last(last, first)
    runs = first if found is not None and found.end == "first" else last
    rows = tuple(_notes(runs, found.relations if found and not at_end else None))
    return Flag(
        "linking", "Edges that only connect the parts of a graph", found is not None or at_end,
        len(rows), len(graphs), rows, tuple(_details(last, first, found)),
        "Many graphs hinge on edges that look added to parts that stood without them. The authors "
        "of ExplaGraphs ask not to connect a graph after it was made.",
        "That they were added: a system may have learnt to write so, and the order of edges is its "
        "own choice. Nor, where it is not raised, that nothing was: edges added in the middle of a "
        "graph are mostly not seen.",
    )


def linking_run(edges: EdgeList) -> tuple[Edge, ...]:
    """The edges at the end that each join two parts which the edges before them had left apart.

    >>> linking_run([Edge("a", "is a", "b"), Edge("c", "is a", "d"), Edge("d", "causes", "a")])
    (Edge(source='d', relation='causes', target='a'),)
    >>> linking_run([Edge("a", "is a", "b"), Edge("b", "is a", "c")])
    ()
    """
    parent: dict[str, str] = {}

    def root(concept: str) -> str:
        while parent[concept] != concept:
            parent[concept] = concept = parent[parent[concept]]
        return concept

    run = 0
    for edge in edges:
        known = edge.source in parent and edge.target in parent
        source, target = (root(parent.setdefault(c, c)) for c in (edge.source, edge.target))
        run = run + 1 if known and source != target else 0
        parent[source] = target
    return tuple(edges[len(edges) - run :])


def alike(
    end: str, graphs: Sequence[EdgeList], runs: Sequence[tuple[Edge, ...]]
) -> Alike | None:
    """The fewest relations that set linking edges apart from the others; None if none do."""
    links = Counter(edge.relation for run in runs for edge in run)
    others = Counter(edge.relation for edges in graphs for edge in edges) - links
    kinds, n, rest = len(links | others), links.total(), others.total()
    ordered = sorted(links, key=lambda relation: (-links[relation], relation))
    for size in range(1, min(MOST_RELATIONS, len(ordered)) + 1):
        chosen = tuple(ordered[:size])
        hits = sum(links[relation] for relation in chosen)
        # One more of every relation, so that one never seen elsewhere is rare, not impossible.
        expected = (sum(others[relation] for relation in chosen) + size) / (rest + kinds)
        chance = math.comb(kinds, size) * tail(n, hits, expected)
        beyond = hits - n * expected
        much = beyond >= LEAST_EXCESS * n and beyond >= LEAST_BEYOND * len(graphs)
        if much and chance <= MOST_CHANCE:
            return Alike(end, chosen, hits / n, expected)
    return None


def often_last(last: Sequence[tuple[Edge, ...]], first: Sequence[tuple[Edge, ...]]) -> bool:
    """Whether graphs end with a linking edge often, and far more often than they begin with one."""
    ends, begins = sum(map(bool, last)), sum(map(bool, first))
    only = sum(bool(a) and not b for a, b in zip(last, first, strict=True))
    other = sum(bool(b) and not a for a, b in zip(last, first, strict=True))
    return (
        ends >= max(LEAST_ROWS, LEAST_LAST * len(last)) and ends >= LEAST_RATIO * begins
        and tail(only + other, only, 0.5) <= MOST_LAST_CHANCE
    )


def tail(n: int, least: int, chance: float) -> float:
    """The probability of ``least`` or more successes in ``n`` trials (binomial distribution).

    >>> round(tail(2, 1, 0.5), 12), tail(3, 0, 0.2)
    (0.75, 1.0)
    """
    from scipy.special import bdtrc  # here, because few files have linking edges

    return float(bdtrc(least - 1, n, chance))


def _notes(
    runs: Sequence[tuple[Edge, ...]], relations: Sequence[str] | None
) -> Iterator[RowNote]:
    for row, run in enumerate(runs, start=1):
        shown = [edge for edge in run if relations is None or edge.relation in relations]
        if shown:
            yield RowNote(row, ", ".join("; ".join(edge) for edge in shown))


def _details(
    last: Sequence[tuple[Edge, ...]], first: Sequence[tuple[Edge, ...]], found: Alike | None
) -> Iterator[str]:
    yield (f"Graphs that end with a linking edge: {sum(map(bool, last))}; "
           f"that begin with one: {sum(map(bool, first))}.")
    if found is not None:
        named = ", ".join(f'"{relation}"' for relation in found.relations)
        yield (f"{named}: {found.linking:.0%} of the linking edges that come {found.end}, "
               f"{found.other:.0%} of all other edges.")
