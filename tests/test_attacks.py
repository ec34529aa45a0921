"""Attacks on 400 hidden labels: what each policy lets through, and what it does not."""

from __future__ import annotations

import numpy as np
import pytest

from scorer.release import attacks
from scorer.release.attacks import ATTACKS, Oracle, Rules, measure, policies
from scorer.release.grid import rounded
from scorer.release.near_duplicates import is_near
from scorer.release.policy import GRIDS

pytestmark = pytest.mark.whole

RUNS = 4
CHANCE = pytest.approx(0.5, abs=0.05)
"""4 runs of 400 labels: four standard deviations."""


def recovered(attack: str, rules: Rules) -> float:
    chance = np.random.default_rng(1)
    gold = chance.random((RUNS, 400)) < 0.5
    return ATTACKS[attack](gold, rules, chance)


def default(**changes: object) -> Rules:
    return Rules("default", "0.5", 1, **changes)  # type: ignore[arg-type]


@pytest.mark.claim("Flipping one label at a time finds hidden labels no better than chance.")
def test_flipping_one_label_at_a_time_stays_at_chance_under_the_default_policy() -> None:
    assert recovered("flip one", default()) == CHANCE
    assert recovered("flip one from a boundary", default()) == CHANCE


@pytest.mark.parametrize("grid", [None, "0.1", "0.5"])
def test_flipping_one_label_at_a_time_finds_every_label_on_a_grid_of_two_items_or_finer(
    grid: str | None,
) -> None:
    assert recovered("flip one", Rules("", grid)) == 1


@pytest.mark.parametrize("grid", GRIDS[:4])
def test_from_a_boundary_a_grid_alone_gives_every_label_away_however_coarse(grid: str) -> None:
    assert recovered("flip one from a boundary", Rules("", grid)) == 1


@pytest.mark.claim("Under the Ladder rule 400 random submissions find fewer than 60 percent of the "
                   "labels.")
def test_400_random_submissions_stay_below_60_percent_under_the_ladder() -> None:
    for rules in (Rules("", "0.5", ladder=True), default(ladder=True), Rules("", None, 0, True)):
        assert recovered("majority of 400", rules) < 0.60


def test_400_random_submissions_find_most_labels_without_ladder_and_limit() -> None:
    assert recovered("majority of 400", Rules("")) > 0.75
    assert recovered("majority of 400", default()) > 0.75


def test_a_year_of_the_default_policy_tells_little() -> None:
    assert recovered("majority of 400", default(most=53)) < 0.65
    assert recovered("climb in 400", default(most=53)) < 0.62


def test_the_attacks_see_the_rules_that_are_released_by() -> None:
    chance = np.random.default_rng(2)
    gold = chance.random((1, 400)) < 0.5
    for grid in GRIDS:
        oracle = Oracle(gold, Rules("", grid))
        for _ in range(20):
            labels = chance.random((1, 400)) < 0.5
            share = float((labels == gold).mean())
            assert oracle.ask(labels)[0] == pytest.approx(rounded(share, grid), abs=1e-12)
    oracle = Oracle(gold, Rules("", None, 1))
    oracle.ask(gold)
    for flips in (1, 3, 4, 5):
        labels = gold.copy()
        labels[0, 10 * flips: 10 * flips + flips] ^= True
        near = is_near({"row": labels[0].tolist()}, {"row": gold[0].tolist()}, 1)
        assert np.isnan(oracle.ask(labels)[0]) == near == (flips < 4)


def test_the_table_names_every_policy_and_attack_and_repeats() -> None:
    made = attacks.table(items=40, runs=1)
    assert made == attacks.table(items=40, runs=1)
    assert all(rules.name in made for rules in policies(40))
    assert all(name in made for name in ATTACKS)
    assert set(measure(Rules(""), items=40, runs=1)) == set(ATTACKS)
