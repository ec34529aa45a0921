"""Attacks on 400 hidden labels: what each policy lets through, and what it does not."""

from pathlib import Path

import numpy as np
import pytest

from scorer.board.policy import GRIDS, Policy
from scorer.hidden.release import simulation
from scorer.hidden.release.attacks import ATTACKS
from scorer.hidden.release.oracle import Oracle, Rules
from scorer.hidden.release.rules import is_near, rounded
from scorer.hidden.release.simulation import default, measure, policies

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[1]
RUNS = 4
CHANCE = pytest.approx(0.5, abs=0.05)
"""4 runs of 400 labels: four standard deviations."""


def recovered(attack: str, rules: Rules, runs: int = RUNS) -> float:
    chance = np.random.default_rng(1)
    gold = chance.random((runs, 400)) < 0.5
    return ATTACKS[attack](gold, rules, chance)


def endless(ladder: bool = False) -> Rules:
    """The default policy without its limit."""
    return Rules("", "1", 1, ladder)


# ---- the default policy --------------------------------------------------------------------


@pytest.mark.claim("A year of submissions under the default policy finds fewer than 60 percent of "
                   "400 labels, by whichever attack there is here and with however many metrics.")
@pytest.mark.parametrize("rules", [
    default(400), default(400, ladder=True),
    *(default(400, values=values) for values in range(2, 6)),
], ids=lambda rules: f"{rules.values}{' Ladder' * rules.ladder}")
def test_a_year_of_the_default_policy_finds_fewer_than_60_percent(rules: Rules) -> None:
    assert rules.most is not None
    assert rules.most <= 16
    found = measure(rules, runs=20)
    assert max(found.values()) < 0.60, found


@pytest.mark.claim("Flipping one label at a time finds hidden labels no better than chance.")
def test_flipping_one_label_at_a_time_stays_at_chance_under_the_default_policy() -> None:
    assert recovered("flip one", endless()) == CHANCE
    assert recovered("flip from a boundary", endless()) == CHANCE


def test_several_accounts_and_a_board_without_the_limit_find_what_the_default_hides() -> None:
    assert recovered("least known", default(400, owners=5)) > 0.66
    assert recovered("random designs", endless()) > 0.99


# ---- how strong the attacks are ------------------------------------------------------------


@pytest.mark.parametrize(("rules", "least"), [
    (Rules("", "0.5", 1), 0.99),
    (Rules("", "0.5", 1, most=53), 0.64),
    (Rules("", "0.5", 1, most=106, values=2), 0.715),
], ids=["400", "53", "two of 53"])
def test_random_designs_find_as_much_as_ridge_regression_is_known_to(
    rules: Rules, least: float
) -> None:
    assert recovered("random designs", rules, runs=8) > least


def test_asking_about_the_least_known_rows_finds_more_than_asking_about_all() -> None:
    weekly = Rules("", "0.5", 1, most=53)
    assert recovered("least known", weekly, 8) > recovered("random designs", weekly, 8)


@pytest.mark.parametrize("grid", [None, "0.1", "0.5"])
def test_flipping_one_label_at_a_time_finds_every_label_on_a_grid_of_two_items_or_finer(
    grid: str | None,
) -> None:
    assert recovered("flip one", Rules("", grid)) == 1


@pytest.mark.parametrize("grid", GRIDS[:4])
def test_from_a_boundary_a_grid_alone_gives_every_label_away_however_coarse(grid: str) -> None:
    assert recovered("flip from a boundary", Rules("", grid)) == 1


def test_coin_weighing_reads_385_labels_from_128_values_unless_the_grid_is_of_four_items() -> None:
    share = (385 + (400 - 385) / 2) / 400
    for grid in (None, "0.1", "0.5"):
        found = recovered("coin weighing", Rules("", grid, 1, most=128))
        assert found == pytest.approx(share, abs=0.02)
    assert recovered("coin weighing", Rules("", "1", 1, most=128)) < 0.75


@pytest.mark.claim("Under the Ladder rule 400 random submissions find fewer than 60 percent of the "
                   "labels.")
def test_400_random_submissions_stay_below_60_percent_under_the_ladder() -> None:
    for rules in (Rules("", "0.5", ladder=True), endless(ladder=True), Rules("", None, 0, True)):
        assert recovered("random designs", rules) < 0.60


def test_the_ladder_does_not_stop_who_makes_one_block_of_graphs_sound_after_the_other() -> None:
    weekly = Rules("", "0.5", 1, True, most=53)
    assert recovered("block by block", weekly, runs=20) > 0.60


# ---- the oracle ----------------------------------------------------------------------------


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


def test_a_gated_answer_counts_right_labels_behind_its_gate() -> None:
    gold = np.array([[True] * 60 + [False] * 40])
    labels = np.ones((1, 100), bool)
    gates = np.zeros((3, 1, 100), bool)
    gates[0, 0, 50:], gates[1, 0, :50] = True, True
    found = Oracle(gold, Rules("", values=2)).ask_gated(labels, gates)
    assert found[:2, 0].tolist() == [10 / 100, 50 / 100]
    assert np.isnan(found[2, 0])


@pytest.mark.parametrize(("labels", "gates", "near"), [
    (0, 0, True), (1, 0, True), (1, 50, True), (0, 1, True), (0, 2, False), (2, 0, False),
])
def test_gates_do_not_hide_how_near_labels_are(labels: int, gates: int, near: bool) -> None:
    gold = np.ones((1, 200), bool)
    said, doors = gold.copy(), np.ones((1, 1, 200), bool)
    oracle = Oracle(gold, Rules("", None, 1))
    oracle.ask_gated(said, doors)
    said, doors = said.copy(), doors.copy()
    said[0, :labels], doors[0, 0, 100:100 + gates] = False, False
    assert bool(np.isnan(oracle.ask_gated(said, doors)[0, 0])) == near


def test_values_are_counted_not_submissions() -> None:
    chance = np.random.default_rng(3)
    gold = chance.random((1, 400)) < 0.5
    oracle = Oracle(gold, Rules("", most=6, values=3))
    told = [oracle.ask_gated(chance.random((1, 400)) < 0.5, np.ones((3, 1, 400), bool))
            for _ in range(3)]
    assert [int((~np.isnan(found)).sum()) for found in told] == [3, 3, 0]


# ---- the table -----------------------------------------------------------------------------


def test_the_table_names_every_policy_and_attack() -> None:
    made = simulation.table(items=40, runs=1)
    assert all(rules.name in made for rules in policies(40))
    assert all(name in made for name in ATTACKS)


def test_measuring_again_gives_the_same_numbers() -> None:
    assert measure(default(400), runs=2) == measure(default(400), runs=2)


def test_the_documented_table_is_of_the_default_policy() -> None:
    name = default(400).name
    assert name == f"default for a year ({Policy().values_a_year} values)"
    assert f"| {name} |" in (ROOT / "docs" / "hidden-gold.md").read_text("utf-8")
