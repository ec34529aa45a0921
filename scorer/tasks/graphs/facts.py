"""What can be said about one graph: its concepts, edges, external concepts, depth and shape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from scorer.graph import Graph, depth, is_linear
from scorer.records import Edge
from scorer.tasks.graphs.concept_origins import places
from scorer.tasks.graphs.records import Gold


class GraphFacts(NamedTuple):
    """One graph, read as the gates and GED read it: edges of exactly three parts, lower-cased."""

    edges: tuple[Edge, ...]
    """Repeats included, in the order of the string."""
    concepts: tuple[str, ...]
    """The different ones, in order of appearance."""
    external: tuple[str, ...]
    """The concepts that occur in no input text."""
    depth: int | None
    """Edges on the longest directed path; None if the graph has a cycle."""
    linear: bool
    """Whether the graph is one chain."""


def facts(graph: Graph, texts: Sequence[str]) -> GraphFacts:
    """The facts of a graph about some texts.

    >>> found = facts(Graph("(Cats; is a; pets)(pets; desires; food)"), ["Cats purr", "pets eat"])
    >>> found.concepts, found.external, found.depth, found.linear
    (('cats', 'pets', 'food'), ('food',), 2, True)
    """
    return _facts(graph, tuple(texts))


@lru_cache(maxsize=4096)
def _facts(graph: Graph, texts: tuple[str, ...]) -> GraphFacts:
    """Remembered: every statistic of a split asks for the facts of the same gold graphs."""
    outside = tuple(name for name in graph.concepts if not places(name, texts))
    return GraphFacts(graph.edges, graph.concepts, outside, depth(graph.edges),
                      is_linear(graph.edges))


def gold_facts(golds: Iterable[Gold]) -> tuple[GraphFacts, ...]:
    """The facts of each item's first gold graph."""
    return tuple(facts(gold.graphs[0], gold.texts) for gold in golds)
