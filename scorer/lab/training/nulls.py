"""Meaningless graphs in several shapes: whether a judge reads, or knows one shape by heart.

Trainers may show a judge the templates that are marked so, and no other: a judge that passes only
on shapes it was trained to refuse has learned these shapes. The last template has the shape and
the relations of a real gold graph, so nothing that can be counted gives it away.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from itertools import cycle, pairwise
from typing import NamedTuple

from scorer.core.graph import concepts
from scorer.core.records import Edge
from scorer.lab.training.edits import OPPOSITE
from scorer.lab.training.rows import TrainingItem
from scorer.models.judge_card import NULL
from scorer.tasks.graphs.baselines import content_words, null_graph
from scorer.tasks.graphs.graph_items import NullTemplate

Edges = Sequence[Edge]
Make = Callable[[TrainingItem, TrainingItem, random.Random], Edges]
"""(item, another item of its stance and of another belief, rng) -> the graph."""

RELATIONS = tuple(sorted(OPPOSITE))


class NullShape(NamedTuple):
    """One shape of meaningless graph."""

    make: Make
    about: str
    trainable: bool = False
    """Whether a judge may be trained to refuse it; else it only measures."""


def _chain(words: Iterable[str], *relations: str) -> Edges:
    return [Edge(a, relation, b)
            for (a, b), relation in zip(pairwise(words), cycle(relations), strict=False)]


def _star(centre: str, others: Iterable[str], relation: str) -> Edges:
    return [Edge(centre, relation, other) for other in others if other != centre]


def _into(centre: str, others: Iterable[str], relation: str) -> Edges:
    return [Edge(other, relation, centre) for other in others if other != centre]


def _belief(item: TrainingItem) -> list[str]:
    return _distinct(content_words(item.belief.lower())) or ["it"]


def _argument(item: TrainingItem) -> list[str]:
    return _distinct(content_words(item.argument.lower())) or ["it"]


def _both(item: TrainingItem) -> list[str]:
    return _distinct([*_belief(item), *_argument(item)])


def _distinct(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))


def _leading(item: TrainingItem) -> list[str]:
    return _distinct([*_belief(item)[:2], *_argument(item)[:2], *_belief(item)[2:3]])


def _generic(item: TrainingItem, other: TrainingItem, chance: random.Random) -> Edges:
    return [Edge("people", "capable of", "choice"), Edge("choice", "has property", "important"),
            Edge("important", "part of", "life"), Edge("life", "desires", "good")]


def _linked(item: TrainingItem, other: TrainingItem, chance: random.Random) -> Edges:
    first, last = _belief(item)[0], _belief(item)[-1]
    return [Edge(_argument(item)[-1], "has context", "people"), Edge("people", "desires", "good"),
            Edge("good", "causes", first), Edge(first, "has property", last)]


def _mixed(item: TrainingItem, other: TrainingItem, chance: random.Random) -> Edges:
    words = _both(item)
    return _chain(chance.sample(words, min(5, len(words))), *chance.sample(RELATIONS, 4))


def _shape(item: TrainingItem, other: TrainingItem, chance: random.Random) -> Edges:
    """The other graph, its concepts replaced by words of this item's texts, of the same source.

    A concept of the other's belief becomes as many words of this belief, any other one as many of
    this argument, one after the other.
    """
    sources = {True: cycle(_belief(item)), False: cycle(_argument(item))}
    belief = other.belief.lower()
    swap: dict[str, str] = {}
    for concept in concepts(other.edges):
        source = sources[concept in belief]
        length = len(concept.split())
        tries = (" ".join(next(source) for _ in range(length)) for _ in range(20))
        swap[concept] = next((text for text in tries if text not in swap.values()),
                             f"{concept} of it")
    return [Edge(swap[e.source], e.relation, swap[e.target]) for e in other.edges]


TEMPLATES: dict[str, NullShape] = {
    NULL: NullShape(
        lambda item, other, chance: null_graph(
            NullTemplate("has context", 5), (item.belief, item.argument)).edges,
        "Chains of the first words of belief and argument.", True),
    "null graphs: belief, chain": NullShape(
        lambda item, other, chance: _chain(_belief(item)[:5], "has context"),
        "Chains of the belief's first words.", True),
    "null graphs: both texts, star": NullShape(
        lambda item, other, chance: _star(_belief(item)[0], _both(item)[1:5], "capable of"),
        "The belief's first word, joined to the words that follow.", True),
    "null graphs: argument, chain": NullShape(
        lambda item, other, chance: _chain(_argument(item)[:5], "causes"),
        "Chains of the argument's first words."),
    "null graphs: belief, inward star": NullShape(
        lambda item, other, chance: _into(_belief(item)[-1], _belief(item)[:-1], "part of"),
        "The belief's words, each joined to the last one."),
    "null graphs: negated chain": NullShape(
        lambda item, other, chance: _chain(_leading(item), "not desires", "is not a"),
        "Chains of the first words of both texts by negated relations."),
    "null graphs: mixed relations": NullShape(
        _mixed, "Chains of random words of both texts by random relations."),
    "null graphs: generic": NullShape(
        _generic, "One and the same graph of general words, whatever the texts say."),
    "null graphs: generic, linked": NullShape(
        _linked, "General words between a word of the argument and two of the belief."),
    "null graphs: shape of gold": NullShape(
        _shape, "The shape and relations of another item's gold graph of the same stance, "
                "its concepts replaced by words of this item's texts."),
}
"""Every template by its name; ``trainable`` says which may be shown to a judge in training."""
