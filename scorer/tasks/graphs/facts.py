"""What can be said about one graph: its concepts, edges, external concepts, depth and shape.

The rule is the one by which the score decides whether a concept is in a text (the released
``metrics/eval.py``): the lower-cased concept is a substring of the lower-cased text. So a concept
of one letter is nearly always internal, and *loyal pets* is external to a text that says *loyal and
quiet pets*. The shares of external concepts that the data's statistics give rest on this rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from scorer.graph import Graph, depth, is_linear
from scorer.records import Edge
from scorer.tasks.graphs.records import Gold

EXTERNAL, BOTH = "external", "both"


def places(concept: str, texts: Sequence[str]) -> tuple[int, ...]:
    """Positions of the texts in which a lower-cased concept occurs.

    >>> places("cats", ["Cats purr", "dogs bark"]), places("s", ["cats", "dogs"])
    ((0,), (0, 1))
    """
    return tuple(place for place, text in enumerate(texts) if concept in text.lower())


def kind(concept: str, texts: Sequence[str], names: Sequence[str]) -> str:
    """``internal-<text>``, ``both`` (occurs in more texts than one) or ``external``.

    ``names`` are the names of the texts, as the board calls its columns.

    >>> names = ["belief", "argument"]
    >>> [kind(c, ["Cats purr", "Dogs bark"], names) for c in ("dogs", "r", "fish")]
    ['internal-argument', 'both', 'external']
    """
    found = places(concept, texts)
    if not found:
        return EXTERNAL
    return BOTH if len(found) > 1 else f"internal-{names[found[0]]}"


def kind_names(names: Sequence[str]) -> tuple[str, ...]:
    """Every kind there can be on a board with these texts.

    >>> kind_names(["belief", "argument"])
    ('internal-belief', 'internal-argument', 'both', 'external')
    """
    return (*(f"internal-{name}" for name in names), BOTH, EXTERNAL)


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
