"""Judges that do not read: none of them passes the gate, and each test says by which condition.

An oracle that knows every label passes, so the gate can be passed. On the official data where they
are, else on made-up ones.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from scorer import boards
from scorer.core.graph import Graph
from scorer.core.records import TextPair
from scorer.lab.training import counts, evaluate, examples
from scorer.lab.training.edits import words_of
from scorer.lab.training.evaluate import Questions
from scorer.lab.training.examples import SECA, Example
from scorer.models import judge_card as cards
from scorer.models.judge_card import Card
from tests.conftest import ROOT
from tests.training_data import made_up_world

pytest.importorskip("sklearn")
pytestmark = pytest.mark.slow
SEED = 5
OFFICIAL = Path(os.environ.get("WHYBOARD_DATA") or ROOT / "../shared/data") / "explagraphs"
ASKED = {cards.GOLD, cards.DEV_GOLD, cards.NATURAL, cards.SHUFFLED, cards.OTHER, cards.NEGATED,
         *cards.NULL_SETS}
Rows = NDArray[np.float32]


class World(NamedTuple):
    """Everything a judge can be made from, and asked."""

    parts: dict[str, list[Example]]
    asked: Questions
    baseline: Any
    folder: Path


class Rule:
    """A judge that is a function of one pair of texts."""

    labels: tuple[str, ...] = SECA

    def __init__(self, answer: Callable[[TextPair], Sequence[float]]) -> None:
        self.answer = answer

    def probabilities(self, pairs: Sequence[TextPair]) -> Rows:
        rows = np.array([self.answer(pair) for pair in pairs], np.float64)
        return (rows / rows.sum(axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = OFFICIAL if OFFICIAL.is_dir() else made_up_world(tmp_path_factory.mktemp("world"))
    parts = examples.parted(examples.seca_examples(folder, SEED), SEED)
    asked = evaluate.questions("seca", folder, parts, SEED, boards.load("explagraphs"))
    asked = replace(asked, sets=tuple(one for one in asked.sets if one[0] in ASKED))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "SEEDS", counts.SEEDS[:1])  # one forest is as good as three
        judge = evaluate.counts_baseline(parts)
    rows = dict(zip(asked.pairs, judge.probabilities(asked.pairs), strict=True))
    return World(parts, asked, Rule(lambda pair: rows[pair]), folder)


@pytest.fixture(scope="module")
def official(world: World) -> World:
    """The same of the official data: the made world is too small for some judgements."""
    if world.folder != OFFICIAL:
        pytest.skip("the official data of ExplaGraphs are not beside this checkout")
    return world


def card_of(judge: Any, world: World) -> Card:
    empty = Card("seca", "adversary", "ab" * 32, SECA, 128, {}, {}, {})
    return evaluate.measured(empty, judge, world.asked, world.baseline)


def failed(judge: Any, world: World) -> set[str]:
    """The conditions that a judge does not meet, in short."""
    fitness = card_of(judge, world).fitness
    assert fitness is not None
    return {check.short for check in fitness.checks if not check.passed}


# ---- who does not read ---------------------------------------------------------------------------


def negated(pair: TextPair) -> bool:
    return any(counts.negated(edge.relation) for edge in Graph(pair.second).edges)


def has_negated_relation(pair: TextPair) -> Sequence[float]:
    """Counter if some relation is negated; incorrect if several are."""
    several = sum(counts.negated(e.relation) for e in Graph(pair.second).edges) > 1
    return (0.2, 0.2, 0.6) if several else (0.2, 0.7, 0.1) if negated(pair) else (0.7, 0.2, 0.1)


def length(pair: TextPair) -> Sequence[float]:
    """Long graphs are correct, and counter if they are longer still."""
    edges = min(len(Graph(pair.second).edges), 8) / 8
    return (0.7 - edges / 2, edges / 2, 0.8 - edges)


def relevance(pair: TextPair) -> Sequence[float]:
    """A graph is correct if it shares words with the belief, whatever it says of them."""
    own = set(words_of(pair.first))
    shared = len(own & set(words_of(pair.second))) / max(1, len(own))
    stance = (0.1, 0.9) if negated(pair) else (0.9, 0.1)
    return (shared * stance[0], shared * stance[1], max(0.0, 0.6 - shared))


def noise(pair: TextPair) -> Sequence[float]:
    """Another answer for every pair, which means nothing."""
    digest = hashlib.sha256("\n".join(pair).encode()).digest()
    return [0.01 + byte for byte in digest[:3]]


READS_NOTHING = {"rearranged", "AUC over counting"}
RULES: dict[str, tuple[Rule, set[str]]] = {
    "constant support": (Rule(lambda pair: (1, 0, 0)), {
        "negatives", "nulls", "other items", "negated"}),
    "constant incorrect": (Rule(lambda pair: (0, 0, 1)), {"gold"}),
    "has a negated relation": (Rule(has_negated_relation), {"negatives", "nulls", "other items"}),
    "length": (Rule(length), set()),
    "relevance": (Rule(relevance), {"nulls"}),
    "noise": (Rule(noise), {"gold", "nulls", "other items"}),
}


@pytest.mark.claim("Judges that count, guess or measure length fail the gate, an oracle passes it.")
@pytest.mark.parametrize("name", RULES)
def test_a_rule_that_reads_nothing_fails(name: str, world: World) -> None:
    judge, by = RULES[name]
    assert by | READS_NOTHING <= failed(judge, world)


def test_counting_ties_on_every_rearranged_copy(world: World) -> None:
    card = card_of(world.baseline, world)
    assert card.rearranged is not None
    assert card.margin is not None
    assert card.rearranged.ties == card.rearranged.pairs > 100
    assert card.margin.value <= 0
    assert failed(world.baseline, world) >= READS_NOTHING


def knowing(known: dict[TextPair, str], else_: Callable[[TextPair], Sequence[float]]) -> Rule:
    """Sure of the stances that it knows; of all other graphs another judge answers."""
    return Rule(lambda pair: [0.9 if label == known[pair] else 0.05 for label in SECA]
                if pair in known else else_(pair))


def test_an_oracle_passes(official: World) -> None:
    """It knows which graphs are gold, and of which stance."""
    known = {pair: stance for name, _, pairs, expected in official.asked.sets
             if name in (cards.GOLD, cards.DEV_GOLD)
             for pair, stance in zip(pairs, expected, strict=True)}
    known |= {original: stance for original, _, stance in official.asked.copies}
    assert failed(knowing(known, lambda pair: (0.05, 0.05, 0.9)), official) == set()


def test_train_learned_by_heart_does_not_pass(official: World) -> None:
    """It was trained on all of train, the held-out beliefs too, and guesses about the rest."""
    known = {one.pair: one.stance for part in official.parts.values() for one in part
             if one.kind == examples.GOLD}

    def guess(pair: TextPair) -> Sequence[float]:
        support, counter, _ = (share / 1000 for share in noise(pair))
        return (support, counter, 0.9)

    assert failed(knowing(known, guess), official) == {"gold"}, "but for dev's gold all is met"
