"""What is known of each graph's label, and how examples are parted by belief.

A judge's example is a pair of texts and a *prior*: for each label how likely it is the right one,
before any model has spoken. A graph whose label is known has all of it on one label. A graph that
verifiers rejected is never surely incorrect: it may as well have shown the other stance. Its loss
is ``-log(sum of prior x probability)``, which is one step of expectation and maximisation: the
gradient is that of the cross entropy with the posterior of the labels.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, pairwise
from pathlib import Path
from typing import NamedTuple

from scorer.core.graph import concepts
from scorer.core.records import Edge, TextPair
from scorer.lab.training import edits
from scorer.lab.training.edits import STANCES, TrainingItem
from scorer.metrics.judged import ea_texts, seca_texts
from scorer.models import judge_card
from scorer.models.judge_card import INCORRECT
from scorer.tasks.graphs.baselines import content_words, null_graph
from scorer.tasks.graphs.graph_items import NullTemplate, folded

# ---- meaningless graphs in several shapes -------------------------------------------------------
#
# They show whether a judge reads, or knows one shape by heart. Trainers may show a judge the
# templates that are marked so, and no other: a judge that passes only on shapes it was trained to
# refuse has learned these shapes. The last template has the shape and the relations of a real gold
# graph, so nothing that can be counted gives it away.

Make = Callable[[TrainingItem, TrainingItem, random.Random], edits.Edges]
"""(item, another item of its stance and of another belief, rng) -> the graph."""

RELATIONS = tuple(sorted(edits.OPPOSITE))
GENERIC = (Edge("people", "capable of", "choice"), Edge("choice", "has property", "important"),
           Edge("important", "part of", "life"), Edge("life", "desires", "good"))


class NullShape(NamedTuple):
    """One shape of meaningless graph."""

    make: Make
    about: str
    trainable: bool = False
    """Whether a judge may be trained to refuse it; else it only measures."""


def _chain(words: Iterable[str], *relations: str) -> edits.Edges:
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


def _star(item: TrainingItem, other: TrainingItem, chance: random.Random) -> edits.Edges:
    centre = _belief(item)[0]
    return [Edge(centre, "capable of", word) for word in _both(item)[1:5] if word != centre]


def _inward(item: TrainingItem, other: TrainingItem, chance: random.Random) -> edits.Edges:
    *words, centre = _belief(item)
    return [Edge(word, "part of", centre) for word in words]


def _negated(item: TrainingItem, other: TrainingItem, chance: random.Random) -> edits.Edges:
    belief, argument = _belief(item), _argument(item)
    leading = dict.fromkeys([*belief[:2], *argument[:2], *belief[2:3]])
    return _chain(leading, "not desires", "is not a")


def _linked(item: TrainingItem, other: TrainingItem, chance: random.Random) -> edits.Edges:
    first, last = _belief(item)[0], _belief(item)[-1]
    return [Edge(_argument(item)[-1], "has context", "people"), Edge("people", "desires", "good"),
            Edge("good", "causes", first), Edge(first, "has property", last)]


def _mixed(item: TrainingItem, other: TrainingItem, chance: random.Random) -> edits.Edges:
    words = _both(item)
    return _chain(chance.sample(words, min(5, len(words))), *chance.sample(RELATIONS, 4))


def _shape(item: TrainingItem, other: TrainingItem, chance: random.Random) -> edits.Edges:
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
    judge_card.NULL: NullShape(
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


GOLD, NATURAL, FLIPPED, PERTURBED, OTHER, NEGATED, REARRANGED, NULL = (
    "gold", "natural", "flipped", "released", "other belief", "negated", "rearranged", "null")
MEANINGLESS = (OTHER, NULL)
STOPPING = (GOLD, NATURAL, *MEANINGLESS)
"""What early stopping looks at: what people wrote, and what nobody would."""

PRIORS = {("support", 1): 0.95, ("counter", 1): 0.65}
"""P(incorrect) of a rejected graph by stance and round, else ``LATER``. From Table 2 of the paper:
in round 1, 29 % of the graphs were incorrect, 8 % of all counter-seen-as-support and none the
reverse; in round 2, 18 and 1 %. Kept below 1: a majority of three verifiers is no proof."""
LATER = 0.95

SECA, EA = (*STANCES, INCORRECT), STANCES
"""The labels of the two judges, in order."""

PARTS = ("train", "stopping", "held out")
SHARES = (0.7, 0.1)
"""Beliefs for training and for early stopping; the rest measures."""


@dataclass(frozen=True)
class Example:
    """What a judge reads, what is known of the answer, and where it comes from."""

    pair: TextPair
    prior: tuple[float, ...]
    """One number a label, in the judge's order; the gold label of a rejected graph has 0."""
    kind: str
    stance: str
    """The item's own label."""
    belief: str

    @property
    def expected(self) -> int:
        """The label with the greatest prior."""
        return max(range(len(self.prior)), key=self.prior.__getitem__)


def part_of(belief: str, seed: int) -> str:
    """The part a belief's items are in; decided by the folded belief, so that none is in two."""
    digest = hashlib.sha256(f"{seed}\n{folded(belief)}".encode()).digest()
    fraction = int.from_bytes(digest[:8], "big") / 2**64
    return PARTS[(fraction >= SHARES[0]) + (fraction >= sum(SHARES))]


def parted(examples: Iterable[Example], seed: int) -> dict[str, list[Example]]:
    """Examples by part."""
    parts: dict[str, list[Example]] = {part: [] for part in PARTS}
    for example in examples:
        parts[part_of(example.belief, seed)].append(example)
    return parts


def examples_of(judge: str, data: Path, seed: int) -> list[Example]:
    """Every example of a judge, ``seca`` or ``ea``. Raises DataError as these do."""
    return ea_examples(data) if judge == "ea" else seca_examples(data, seed)


def seca_examples(data: Path, seed: int) -> list[Example]:
    """Every example of the SeCA judge, of every kind, from the files of a data folder.

    Labels are support, counter, incorrect. Raises DataError if a file cannot be opened.
    """
    items = edits.read_items(data / edits.TRAIN)
    examples = [_seca(item, item.edges, GOLD, _sure(item.stance, SECA)) for item in items]
    examples += [_seca(item, item.edges, NATURAL, _rejected_prior(item.stance, number))
                 for item, number in edits.read_rejected(data / edits.REFINEMENT)]
    examples += _edited(items, seed)
    examples += [_seca(item, item.edges, PERTURBED, _sure(INCORRECT, SECA))
                 for item in edits.read_released(data / edits.RELEASED) if item.edges]
    return examples


def _edited(items: Sequence[TrainingItem], seed: int) -> Iterator[Example]:
    foreign, others = edits.foreign_concepts(items), OtherItems(items, seed)
    for index, item in enumerate(items):
        chance = random.Random(f"{seed} {index}")  # noqa: S311 fixed edits, no secret
        incorrect = _sure(INCORRECT, SECA)
        neither = tuple(0.0 if label == item.stance else 0.5 for label in SECA)
        graphs = [(edit(item, foreign[index], chance), kind, incorrect)
                  for kind, edit in edits.INCORRECT.items()]
        graphs += [(edits.flipped(item), FLIPPED, _sure(_other(item.stance), SECA)),
                   (edits.negated(item, chance), NEGATED, neither),
                   (edits.rearranged(item, chance), REARRANGED, incorrect)]
        other = others.of(item, chance)
        if other is not None:
            graphs += [(other.edges, OTHER, incorrect), *(
                (template.make(item, other, chance), NULL, incorrect)
                for template in TEMPLATES.values() if template.trainable)]
        yield from (_seca(item, graph, kind, prior) for graph, kind, prior in graphs if graph)


_DRAWS = 100


class OtherItems:
    """For an item another one of its stance and part, with another folded belief."""

    def __init__(self, items: Sequence[TrainingItem], seed: int | None) -> None:
        """``seed``: that of the parts; None where all items are in one."""
        self._seed = seed
        self._pools: dict[tuple[str, str], list[TrainingItem]] = {}
        for item in items:
            self._pools.setdefault(self._pool(item), []).append(item)

    def _pool(self, item: TrainingItem) -> tuple[str, str]:
        part = "" if self._seed is None else part_of(item.belief, self._seed)
        return part, item.stance

    def of(self, item: TrainingItem, chance: random.Random) -> TrainingItem | None:
        """One of them, drawn; None if there is none."""
        pool, own = self._pools[self._pool(item)], folded(item.belief)
        drawn = (chance.choice(pool) for _ in range(_DRAWS))
        return next((other for other in drawn if folded(other.belief) != own), None)


def ea_examples(data: Path) -> list[Example]:
    """Every example of the EA judge: belief, argument and gold graph, and the stance."""
    return [
        Example(ea_texts(item.belief, item.argument, item.edges)[0], _sure(item.stance, EA), GOLD,
                item.stance, item.belief)
        for item in edits.read_items(data / edits.TRAIN)]


def _seca(item: TrainingItem, graph: Sequence[Edge], kind: str, prior: tuple[float, ...]
          ) -> Example:
    return Example(seca_texts(item.belief, graph), prior, kind, item.stance, item.belief)


def _sure(label: str, labels: tuple[str, ...]) -> tuple[float, ...]:
    return tuple(float(label == each) for each in labels)


def _rejected_prior(stance: str, number: int) -> tuple[float, ...]:
    wrong = PRIORS.get((stance, number), LATER)
    shares = {INCORRECT: wrong, _other(stance): 1 - wrong}
    return tuple(shares.get(label, 0.0) for label in SECA)


def _other(stance: str) -> str:
    return STANCES[1 - STANCES.index(stance)]
