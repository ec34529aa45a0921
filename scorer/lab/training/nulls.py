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
from scorer.lab.training.edits import OPPOSITE, TrainingItem
from scorer.models.judge_card import NULL
from scorer.tasks.graphs.baselines import content_words, null_graph
from scorer.tasks.graphs.graph_items import NullTemplate

Edges = Sequence[Edge]
Make = Callable[[TrainingItem, TrainingItem, random.Random], Edges]
"""(item, another item of its stance and of another belief, rng) -> the graph."""

RELATIONS = tuple(sorted(OPPOSITE))
GENERIC = (Edge("people", "capable of", "choice"), Edge("choice", "has property", "important"),
           Edge("important", "part of", "life"), Edge("life", "desires", "good"))


class NullShape(NamedTuple):
    """One shape of meaningless graph."""

    make: Make
    about: str
    trainable: bool = False
    """Whether a judge may be trained to refuse it; else it only measures."""


def _chain(words: Iterable[str], *relations: str) -> Edges:
    return [Edge(a, relation, b)
            for (a, b), relation in zip(pairwise(words), cycle(relations), strict=False)]


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(content_words(text.lower()))) or ["it"]


def _belief(item: TrainingItem) -> list[str]:
    return _words(item.belief)


def _argument(item: TrainingItem) -> list[str]:
    return _words(item.argument)


def _both(item: TrainingItem) -> list[str]:
    return list(dict.fromkeys([*_belief(item), *_argument(item)]))


def _star(item: TrainingItem, other: TrainingItem, chance: random.Random) -> Edges:
    centre = _belief(item)[0]
    return [Edge(centre, "capable of", word) for word in _both(item)[1:5] if word != centre]


def _inward(item: TrainingItem, other: TrainingItem, chance: random.Random) -> Edges:
    *words, centre = _belief(item)
    return [Edge(word, "part of", centre) for word in words]


def _negated(item: TrainingItem, other: TrainingItem, chance: random.Random) -> Edges:
    belief, argument = _belief(item), _argument(item)
    leading = dict.fromkeys([*belief[:2], *argument[:2], *belief[2:3]])
    return _chain(leading, "not desires", "is not a")


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
        _star, "The belief's first word, joined to the words that follow.", True),
    "null graphs: argument, chain": NullShape(
        lambda item, other, chance: _chain(_argument(item)[:5], "causes"),
        "Chains of the argument's first words."),
    "null graphs: belief, inward star": NullShape(
        _inward, "The belief's words, each joined to the last one."),
    "null graphs: negated chain": NullShape(
        _negated, "Chains of the first words of both texts by negated relations."),
    "null graphs: mixed relations": NullShape(
        _mixed, "Chains of random words of both texts by random relations."),
    "null graphs: generic": NullShape(
        lambda item, other, chance: GENERIC,
        "One and the same graph of general words, whatever the texts say."),
    "null graphs: generic, linked": NullShape(
        _linked, "General words between a word of the argument and two of the belief."),
    "null graphs: shape of gold": NullShape(
        _shape, "The shape and relations of another item's gold graph of the same stance, "
                "its concepts replaced by words of this item's texts."),
}
"""Every template by its name; ``trainable`` says which may be shown to a judge in training."""
