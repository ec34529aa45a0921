"""Judges that do not read: none of them passes the gate, and each test says by which condition.

An oracle that knows every label passes, so the gate can be passed. On the official data where they
are, else on made-up ones.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from scorer import board as boards
from scorer.graph import Graph
from scorer.models import judge_card as cards
from scorer.models.judge_card import Card
from scorer.records import TextPair
from scorer.training import counts, evaluate, examples
from scorer.training.edits import words_of
from scorer.training.evaluate import Questions
from scorer.training.examples import SECA, Example
from tests.training_data import made_up_world

pytest.importorskip("sklearn")
pytestmark = pytest.mark.slow
SEED = 5
OFFICIAL = Path(__file__).resolve().parents[1] / "../shared/data/explagraphs"
ASKED = {cards.GOLD, cards.DEV_GOLD, cards.NATURAL, cards.SHUFFLED, cards.OTHER, cards.NEGATED,
         *cards.NULL_SETS}
Rows = NDArray[np.float32]


class World(NamedTuple):
    """Everything a judge can be made from, and asked."""

    parts: dict[str, list[Example]]
    asked: Questions
    baseline: Any


class Rule:
    """A judge that is a function of one pair of texts."""

    labels: tuple[str, ...] = SECA

    def __init__(self, answer: Callable[[TextPair], Sequence[float]]) -> None:
        self.answer = answer

    def probabilities(self, pairs: Sequence[TextPair]) -> Rows:
        rows = np.array([self.answer(pair) for pair in pairs], np.float64)
        return (rows / rows.sum(axis=1, keepdims=True)).astype(np.float32)


class Remembered:
    """Judges asked once for every pair, averaged; the logit of incorrect may be moved."""

    labels: tuple[str, ...] = SECA

    def __init__(self, pairs: Sequence[TextPair], *judges: Any) -> None:
        rows = np.mean([judge.probabilities(pairs) for judge in judges], axis=0)
        self.rows = dict(zip(pairs, rows, strict=True))
        self.shift = 0.0

    def probabilities(self, pairs: Sequence[TextPair]) -> Rows:
        rows = np.array([self.rows[pair] for pair in pairs]) * np.exp([0.0, 0.0, self.shift])
        found: Rows = (rows / rows.sum(axis=1, keepdims=True)).astype(np.float32)
        return found


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = OFFICIAL if OFFICIAL.is_dir() else made_up_world(tmp_path_factory.mktemp("world"))
    return world_of(folder)


def world_of(folder: Path) -> World:
    parts = examples.parted(examples.seca_examples(folder, SEED), SEED)
    asked = evaluate.questions("seca", folder, parts, SEED, boards.load("explagraphs"))
    asked = replace(asked, sets=tuple(one for one in asked.sets if one[0] in ASKED))
    return World(parts, asked, Remembered(asked.pairs, evaluate.counts_baseline(parts)))


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
ALL_WRONG = (examples.NATURAL, examples.NULL, examples.OTHER, examples.NEGATED, examples.FLIPPED,
             *examples.SYNTHETIC)

RULES: dict[str, tuple[Rule, set[str]]] = {
    "constant support": (Rule(lambda pair: (1, 0, 0)), {
        "negatives", "nulls", "other items", "negated"}),
    "constant incorrect": (Rule(lambda pair: (0, 0, 1)), {"gold"}),
    "has a negated relation": (Rule(has_negated_relation), {"negatives", "nulls", "other items"}),
    "length": (Rule(length), set()),
    "relevance": (Rule(relevance), {"nulls"}),
    "noise": (Rule(noise), {"gold", "nulls", "other items"}),
}


COUNTING: dict[str, Callable[[World], Sequence[Any]]] = {
    "the baseline itself": lambda world: [world.baseline],
    "tuned counts": lambda world: [
        counts.fit(world.parts["train"], max_iter=200, max_features=0.15)],
    "counts that know train's nulls": lambda world: [
        counts.fit(world.parts["train"], (examples.NATURAL, examples.NULL))],
    "counts that know every made kind": lambda world: [counts.fit(world.parts["train"], ALL_WRONG)],
    "the mean of several": lambda world: [
        world.baseline, counts.fit(world.parts["train"], ALL_WRONG, max_iter=50), Rule(relevance),
        Rule(length), Rule(has_negated_relation)],
}


@pytest.mark.claim("Judges that count, guess or measure length fail the gate, an oracle passes it.")
@pytest.mark.parametrize("name", RULES)
def test_a_rule_that_reads_nothing_fails(name: str, world: World) -> None:
    judge, by = RULES[name]
    assert by | READS_NOTHING <= failed(judge, world)


@pytest.mark.parametrize("name", COUNTING)
def test_counting_fails_wherever_its_threshold_lies(name: str, world: World) -> None:
    judge = Remembered(world.asked.pairs, *COUNTING[name](world))
    for shift in (-1.0, -0.5, 0.0, 0.5, 1.0):
        judge.shift = shift
        found = failed(judge, world)
        assert "rearranged" in found, "every count is the same, so each pair is a tie"
        assert found & {"gold", "nulls"}, "no threshold refuses nulls and accepts gold"
        if name == "the baseline itself":
            assert "AUC over counting" in found


def test_counting_ties_on_every_rearranged_copy(world: World) -> None:
    found = card_of(world.baseline, world)
    assert found.rearranged is not None
    assert found.margin is not None
    assert found.rearranged.ties == found.rearranged.pairs > 100
    assert found.margin.value <= 0


def test_an_oracle_passes(world: World) -> None:
    """It knows which graphs are gold, and of which stance."""
    known = {pair: stance for name, _, pairs, expected in world.asked.sets
             if name in (cards.GOLD, cards.DEV_GOLD)
             for pair, stance in zip(pairs, expected, strict=True)}
    known |= {original: stance for original, _, stance in world.asked.copies}

    def answer(pair: TextPair) -> Sequence[float]:
        return [0.9 if label == known.get(pair, cards.INCORRECT) else 0.05 for label in SECA]

    assert failed(Rule(answer), world) == set()


def test_train_learned_by_heart_does_not_pass(world: World) -> None:
    """It was trained on all of train, the held-out beliefs too, and guesses about the rest."""
    known = {one.pair: one.stance for part in world.parts.values() for one in part
             if one.kind == examples.GOLD}

    def answer(pair: TextPair) -> Sequence[float]:
        if pair in known:
            return [0.9 if label == known[pair] else 0.05 for label in SECA]
        support, counter, _ = (share / 1000 for share in noise(pair))
        return (support, counter, 0.9)

    assert failed(Rule(answer), world) == {"gold"}, "but for dev's gold it meets every condition"


def test_the_made_world_has_parts_to_measure_on(tmp_path: Path) -> None:
    made = world_of(made_up_world(tmp_path))
    assert failed(made.baseline, made) >= READS_NOTHING
    assert len(made.asked.ranked) > 300
