"""Attacks on hidden labels: what the rule of release lets through, and that they are strong."""

import numpy as np
import pytest

from benchmarks import attacks_on_hidden_gold as attacks
from benchmarks.attacks_on_hidden_gold import Oracle, Released, default, measure
from scorer.pipeline.hidden.scoring import rounded

pytestmark = pytest.mark.whole


@pytest.mark.claim("A year under the default policy shows fewer than 60 percent of 400 labels, by "
                   "whichever attack there is here and with however many metrics.")
@pytest.mark.parametrize("values", range(1, 6))
def test_a_year_of_the_default_policy_finds_fewer_than_60_percent(values: int) -> None:
    released = default("", values=values)
    assert released.most is not None
    assert released.most <= 16
    shares = measure(released, 20)
    assert max(shares.values()) < 0.60, shares


@pytest.mark.parametrize(("attack", "released", "least"), [
    ("flip one", Released(""), 1), ("from a boundary", Released("", grid=0.01), 1),
    ("coin weighing", Released(""), 0.99), ("random designs", Released("", grid=0.01), 0.99),
    ("random designs", Released("", grid=0.005, most=53), 0.64),
    ("least known", default("", owners=5), 0.66),
])
def test_without_the_rule_each_attack_finds_what_it_is_known_to(
    attack: str, released: Released, least: float
) -> None:
    rng = np.random.default_rng(1)
    gold = rng.random((4, 400)) < 0.5
    assert (attacks.ATTACKS[attack](gold, released, rng) == gold).mean() >= least


def test_attackers_are_told_the_values_that_are_released() -> None:
    rng = np.random.default_rng(2)
    gold = rng.random((1, 400)) < 0.5
    oracle = Oracle(gold, Released("", grid=0.01))
    for _ in range(20):
        labels = rng.random((1, 400)) < 0.5
        value = rounded(float((labels == gold).mean()), "1")
        assert oracle.ask(labels)[0, 0] == pytest.approx(400 * value)
