"""What can be said about one graph: its concepts, edges, external concepts, depth and shape; and
how items are divided by what is in their gold graphs.

A concept is external if it is in no text, by the rule of the score (the released
``metrics/eval.py``): the lower-cased concept is a substring of the lower-cased text. So a concept
of one letter is nearly always internal, and *loyal pets* is external to a text that says *loyal and
quiet pets*. The shares of external concepts that the data's statistics give rest on this rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple, TypeVar

from scorer.core.graph import Graph, depth, is_linear
from scorer.core.records import Edge
from scorer.tasks.graphs.graph_items import BY_ID, Gold, Settings
from scorer.tasks.partitions import Partition, numbers


def places(concept: str, texts: Sequence[str]) -> tuple[int, ...]:
    """Positions of the texts in which a lower-cased concept occurs.

    >>> places("cats", ["Cats purr", "dogs bark"]), places("s", ["cats", "dogs"])
    ((0,), (0, 1))
    """
    return tuple(index for index, text in enumerate(texts) if concept in text.lower())


def id_places(name: str, texts: Mapping[str, str]) -> tuple[int, ...]:
    """Positions of the texts that an id stands for, by their names: the one of that name, and
    those that list the id.

    >>> texts = {"claim": "Cats purr", "sentences": "s1: Cats rest | s10: Dogs bark"}
    >>> [id_places(name, texts) for name in ("claim", "s1", "s2")]
    [(0,), (1,), ()]
    """
    return tuple(index for index, (own, text) in enumerate(texts.items())
                 if name == own or name in entries(text))


BETWEEN = " | "
"""Between the entries of an input text that lists ids with their texts, ``id: text | id: text``."""


def entries(text: str) -> dict[str, str]:
    """The texts of an input text that lists them, by their lower-cased ids.

    >>> entries("S1: Cats rest | s2: Dogs bark"), entries("Cats rest")
    ({'s1': 'Cats rest', 's2': 'Dogs bark'}, {})
    """
    parts = [entry.partition(": ") for entry in text.split(BETWEEN)]
    return {name.lower(): content for name, _, content in parts if content}


def node_texts(graph: Graph, texts: Mapping[str, str]) -> dict[str, str]:
    """The texts of concepts that are ids, in order of appearance: the graph's own, else those of an
    input text that lists them, else the input text of that name; empty for other graphs.

    >>> graph = Graph("(s1; so; i1: Cats purr)(i1; so; claim)", by_id=True)
    >>> node_texts(graph, {"claim": "Cats hum", "sentences": "s1: Cats rest | s2: Dogs bark"})
    {'s1': 'Cats rest', 'i1': 'Cats purr', 'claim': 'Cats hum'}
    """
    if not graph.by_id:
        return {}
    known = dict(texts)
    for text in texts.values():
        known |= entries(text)
    known |= graph.texts
    return {name: known[name] for name in graph.concepts if name in known}


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


@lru_cache(maxsize=4096)  # every statistic of a split asks for the facts of the same gold graphs
def _facts(graph: Graph, texts: tuple[str, ...]) -> GraphFacts:
    outside = tuple(name for name in graph.concepts if not places(name, texts))
    return GraphFacts(graph.edges, graph.concepts, outside, depth(graph.edges),
                      is_linear(graph.edges))


def relations_of(settings: Settings, golds: Iterable[Gold]) -> tuple[str, ...]:
    """The board's relations; where it allows any, the commonest of its gold graphs."""
    return settings.graph.relations or commonest_relations(
        [graph.edges for graph in gold_facts(golds)])


def commonest_relations(graphs: Iterable[Sequence[Edge]]) -> tuple[str, ...]:
    """At most MOST_RELATIONS relations of some graphs' edges, the commonest first."""
    used = Counter(edge.relation for edges in graphs for edge in edges)
    return tuple(sorted(used, key=lambda name: (-used[name], name))[:MOST_RELATIONS])


def gold_facts(golds: Iterable[Gold]) -> tuple[GraphFacts, ...]:
    """The facts of each item's first gold graph."""
    return tuple(facts(gold.graphs[0], gold.texts) for gold in golds)


MOST_RELATIONS = 40
"""Of graphs that may have any relation: so many are counted by name."""
MANY_EXTERNAL = 3
"""Graphs with so many external concepts or more are one part."""
_EXTERNAL = ("none", *map(str, range(1, MANY_EXTERNAL)), f"{MANY_EXTERNAL} or more")


def partitions(settings: Settings, golds: Sequence[Gold]) -> Iterator[Partition[Gold]]:
    """Every partition that the board knows something of; of depths, those of these items."""
    if settings.labels:
        name = settings.labels.name
        yield Partition("label", name, settings.labels.values, lambda gold: [gold.label or ""],
                        tag="{}", heading=name)
    negated = {*settings.graph.negated}
    if negated:
        yield Partition(
            "negated", "Gold negates a relation", ("yes", "no"),
            lambda gold: ["no" if negated.isdisjoint(edge.relation for edge in _first(gold).edges)
                          else "yes"])
    relations = relations_of(settings, golds)
    relation, edges, shape = graph_partitions(golds, _first, relations, "the gold graph")
    if len(relations) > 1:
        yield relation
    yield edges
    yield _depth(settings, golds)
    yield replace(shape, parts={"linear": ("one chain",), "non-linear": ("not one chain",)})
    if settings.graph.nodes == BY_ID:
        return  # whether an id occurs in a text says nothing
    title = {1: "not from the text", 2: "from neither text"}
    yield Partition(
        "external", f"Concepts {title.get(len(settings.texts), 'from no text')}",
        _EXTERNAL, lambda gold: [_EXTERNAL[min(len(_first(gold).external), MANY_EXTERNAL)]],
        heading="concepts from no text, in the gold graph",
        parts={"0" if value == "none" else value: (value,) for value in _EXTERNAL})


Item = TypeVar("Item")


def graph_partitions(
    items: Sequence[Item], facts_of: Callable[[Item], GraphFacts], relations: Sequence[str],
    graph: str,
) -> tuple[Partition[Item], Partition[Item], Partition[Item]]:
    """By the relations, the edges and the shape of each item's graph, called ``graph``."""
    def used(item: Item) -> list[str]:
        names = {edge.relation for edge in facts_of(item).edges}
        return [name for name in relations if name in names]

    return (
        Partition("relation", "Relation", tuple(relations), used, several=True, long=True,
                  heading=f"relation used in {graph}"),
        Partition("edges", "Edges", numbers(len(facts_of(item).edges) for item in items),
                  lambda item: [str(len(facts_of(item).edges))], number=True),
        Partition("shape", "Shape", ("one chain", "not one chain"),
                  lambda item: ["one chain" if facts_of(item).linear else "not one chain"],
                  heading=f"shape of {graph}"),
    )


def _first(gold: Gold) -> GraphFacts:
    return facts(gold.graphs[0], gold.texts)


def _depth(settings: Settings, golds: Sequence[Gold]) -> Partition[Gold]:
    """By depth, which a graph with a cycle does not have; breakdowns show the board's classes."""
    depths = sorted({graph.depth for graph in gold_facts(golds) if graph.depth is not None})
    parts = {band.name: tuple(str(depth) for depth in depths
                              if band.least <= depth and (band.most is None or depth <= band.most))
             for band in settings.depth_classes}

    def depth(gold: Gold) -> list[str]:
        value = _first(gold).depth
        return [] if value is None else [str(value)]

    return Partition("depth", "Depth", numbers(depths), depth, tag="depth {}", number=True,
                     heading="depth of the gold graph" if parts else "", parts=parts)
