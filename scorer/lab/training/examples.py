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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.core.records import Edge, TextPair
from scorer.lab.training import edits
from scorer.lab.training.edits import (
    REFINEMENT,
    RELEASED,
    STANCES,
    TRAIN,
    Rejected,
    TrainingItem,
    read_items,
    read_rejected,
    read_released,
)
from scorer.lab.training.nulls import TEMPLATES
from scorer.metrics.judge_texts import ea_texts, seca_texts
from scorer.models.judge_card import INCORRECT
from scorer.tasks.graphs.graph_items import folded

GOLD, NATURAL, FLIPPED, PERTURBED, OTHER, NEGATED, REARRANGED, NULL = (
    "gold", "natural", "flipped", "released", "other belief", "negated", "rearranged", "null",
)
SYNTHETIC = tuple(edits.INCORRECT)
KINDS = (GOLD, NATURAL, FLIPPED, *SYNTHETIC, PERTURBED, OTHER, NEGATED, REARRANGED, NULL)
"""What a SeCA judge may be trained on. Nulls are those of ``nulls.TEMPLATES`` marked trainable."""

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
    items = read_items(data / TRAIN)
    rejected = read_rejected(data / REFINEMENT)
    examples = [_seca(item, item.edges, GOLD, _sure(item.stance, SECA)) for item in items]
    examples += [_seca(row.item, row.item.edges, NATURAL, _rejected_prior(row)) for row in rejected]
    examples += _edited(items, seed)
    examples += [_seca(item, item.edges, PERTURBED, _sure(INCORRECT, SECA))
                 for item in read_released(data / RELEASED) if item.edges]
    return examples


def _edited(items: Sequence[TrainingItem], seed: int) -> Iterator[Example]:
    foreign, others = edits.foreign_concepts(items), OtherItems(items, seed)
    for index, item in enumerate(items):
        chance = random.Random(f"{seed} {index}")  # noqa: S311 fixed edits, no secret
        for kind, edit in edits.INCORRECT.items():
            yield from _if_made(item, edit(item, foreign[index], chance), kind,
                                _sure(INCORRECT, SECA))
        yield from _if_made(item, edits.flipped(item), FLIPPED, _sure(_other(item.stance), SECA))
        neither = tuple(0.0 if label == item.stance else 0.5 for label in SECA)
        yield from _if_made(item, edits.negated(item, chance), NEGATED, neither)
        yield from _if_made(item, edits.rearranged(item, chance), REARRANGED,
                            _sure(INCORRECT, SECA))
        other = others.of(item, chance)
        if other is not None:
            yield _seca(item, other.edges, OTHER, _sure(INCORRECT, SECA))
            for template in TEMPLATES.values():
                if template.trainable:
                    yield from _if_made(item, template.make(item, other, chance), NULL,
                                        _sure(INCORRECT, SECA))


def _if_made(item: TrainingItem, graph: Sequence[Edge] | None, kind: str,
             prior: tuple[float, ...]) -> Iterator[Example]:
    if graph:
        yield _seca(item, graph, kind, prior)


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
        for item in read_items(data / TRAIN)
    ]


def _seca(
    item: TrainingItem, graph: Sequence[Edge], kind: str, prior: tuple[float, ...]
) -> Example:
    return Example(seca_texts(item.belief, graph), prior, kind, item.stance, item.belief)


def _sure(label: str, labels: tuple[str, ...]) -> tuple[float, ...]:
    return tuple(float(label == each) for each in labels)


def _rejected_prior(rejected: Rejected) -> tuple[float, ...]:
    wrong = PRIORS.get((rejected.item.stance, rejected.round), LATER)
    shares = {INCORRECT: wrong, _other(rejected.item.stance): 1 - wrong}
    return tuple(shares.get(label, 0.0) for label in SECA)


def _other(stance: str) -> str:
    return STANCES[1 - STANCES.index(stance)]
