"""People's verdicts beside a judge's: the corrected mean, who may order rows, which is better."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from scipy.stats import ttest_rel

from benchmarks import bench_annotations
from scorer.boards.policy import HumanRanking
from scorer.core.records import NORMAL, Share
from scorer.people.powered import (
    FEWEST_VERIFIED,
    Verdicts,
    bounds,
    power_tuned,
    powered,
    side,
    t_of,
)
from scorer.people.powered import compared as pairwise
from scorer.people.verdicts import (
    ItemVerdicts,
    SystemVotes,
    agreement_of,
    why_not_ranked,
)
from scorer.statistics import ALPHA
from scorer.statistics.intervals import t_outside
from scorer.statistics.ranks import Pairwise, rank_intervals
from tests.annotation_world import cases

N = 398


def made_up(seed: int, n: int, others: int, truth: float, right: float):
    """People's verdicts on n items, and a judge's on these and on others."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n + others) < truth).astype(float)
    f = np.where(rng.random(n + others) < right, y, 1 - y)
    return dict(enumerate(y[:n].tolist())), dict(enumerate(f.tolist()))


@pytest.mark.claim("The prediction-powered mean equals ppi_py's power-tuned mean and its interval "
                   "of 1.96 standard errors.")
@pytest.mark.parametrize(("case", "value", "low", "high"), [
    ((1, 50, 348, .4, .9), 0.423677269, 0.331651941, 0.515702597),
    ((2, 100, 298, .8, .75), 0.81374284, 0.742170029, 0.885315652),
    ((3, 200, 198, .1, .65), 0.076003051, 0.039718558, 0.112287545),
    ((4, 50, 348, .5, .3), 0.44, 0.302411087, 0.577588913),
    ((5, 12, 40, .5, .98), 0.522119342, 0.386336675, 0.657902008)])
def test_the_power_tuned_mean_and_its_error_are_those_of_ppi_py(
    case: tuple[int, int, int, float, float], value: float, low: float, high: float
) -> None:
    """By ppi-python 0.2.3, y, f and g being people's verdicts, the judge's on the same items and on
    the others: ``ppi_mean_pointestimate(y, f, g)``, ``ppi_mean_ci(y, f, g, alpha=.05)``."""
    people, judge = made_up(*case)
    tuned = power_tuned(Verdicts.of(people, judge, [*judge]).sums)
    reach = NORMAL * tuned.variance**0.5
    assert (tuned.value, tuned.value - reach, tuned.value + reach) == pytest.approx(
        (value, low, high), abs=1e-9)


@pytest.mark.claim("The prediction-powered interval holds the truth in at least 93 % of samples "
                   "with 50, 100 or 200 labels of 398, whatever the judge.")
@pytest.mark.parametrize("labelled", [50, 100, 200])
def test_the_interval_holds_the_truth_whatever_the_judge(
    labelled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_annotations, "RUNS", 4_000)
    source = np.random.default_rng(labelled)
    for truth, (right, wrong), passing in [
        (.1, (.5, .5), 1), (.2, (.9, .4), 1), (.5, (.65, .65), 1), (.5, (.98, .82), 1),
        (.8, (.65, .85), 1), (.9, (.9, .9), 1), (.3, (.75, .75), .5), (.8, (1.0, .5), .5),
    ]:
        sums = bench_annotations._drawn(source, labelled, truth, right, wrong, passing)
        _, low, high = bounds(sums, N)
        held = ((low <= passing * truth) & (passing * truth <= high)).mean()
        assert held >= 0.93, (truth, right, wrong, passing)


@pytest.mark.parametrize("verdict", [0.0, 1.0])
def test_a_judge_that_answers_the_same_to_all_leaves_people_s_mean(verdict: float) -> None:
    people, _ = made_up(1, 60, 0, .4, 1)
    found = powered(people, dict.fromkeys(range(N), verdict), N)
    assert found.weight == 0
    assert found.value == pytest.approx(sum(people.values()) / 60)
    assert found.ci == powered(people, dict(enumerate([1.0, 0.0] * (N // 2))), N, 0.0).ci


def test_items_that_failed_a_gate_count_zero() -> None:
    people, judge = made_up(3, 50, 149, .6, .9)
    passed, all_items = powered(people, judge, 199), powered(people, judge, 2 * 199)
    assert all_items.value == pytest.approx(passed.value / 2)
    assert (all_items.verified, all_items.passed, all_items.items) == (50, 199, 398)
    nothing = powered({}, {}, 398)
    assert (nothing.value, nothing.ci) == (0, pytest.approx(Share(0, 398).interval, abs=1e-6))


def test_few_verdicts_give_no_value_and_one_that_no_judge_has_is_refused() -> None:
    people, judge = made_up(6, FEWEST_VERIFIED - 1, 100, .5, .9)
    found = powered(people, judge, 200)
    assert (found.value, found.note) == (None, "fewer than 10 verdicts by people")
    assert powered({**people, 50: 1.0}, judge, 200).ci
    with pytest.raises(KeyError):
        powered({"a": 1.0}, {"b": 1.0}, 5)


votes = st.sampled_from([0.0, 1.0])


@given(st.lists(st.tuples(st.sampled_from([0, 1 / 3, 2 / 3, 1]), votes), min_size=FEWEST_VERIFIED,
                max_size=60), st.lists(votes, max_size=60), st.integers(0, 50))
def test_value_and_bounds_stay_within_zero_and_one_also_for_shares_of_votes(
    read: list[tuple[float, float]], others: list[float], failed: int
) -> None:
    people = {n: y for n, (y, _) in enumerate(read)}
    judge = dict(enumerate([f for _, f in read] + others))
    found = powered(people, judge, len(judge) + failed)
    assert 0 <= found.weight <= 1
    low, high = found.ci
    assert 0 <= low <= found.value + 1e-6 <= high + 2e-6 <= 1 + 3e-6


# ---- what may order rows -------------------------------------------------------------------


def verified(*votes: str, done: bool = True) -> SystemVotes:
    """Items 0, 1 ... with votes such as ``SSI``: support, counter, incorrect."""
    words = {"S": "support", "C": "counter", "I": "incorrect"}
    return SystemVotes(tuple(ItemVerdicts(row, "support", tuple(words[one] for one in unit), done)
                             for row, unit in enumerate(votes)), (), None)


@pytest.mark.parametrize("case", cases("reasons"))
def test_rows_are_ordered_unless_there_is_a_reason_against_it(case: Mapping[str, Any]) -> None:
    rows = {}
    for name, (read, passed) in case["rows"].items():
        rows[name] = powered(*made_up(8, read, passed - read, .5, .8), 398)
    found = why_not_ranked(rows, agreement_of([verified(*case["votes"])]),
                           HumanRanking(*case.get("rule", ())), **case.get("more", {}))
    assert [*found] == case["reasons"]


def test_unfinished_items_do_not_change_the_agreement_that_decides() -> None:
    every = verified("SSS", "SSI", "III")
    assert agreement_of([every, verified("SI", done=False)]) == agreement_of([every])


# ---- two systems -------------------------------------------------------------------------------

Row = tuple[dict[int, float], dict[int, float]]
"""People's verdicts on some items, a judge's on those that passed."""


def compared(rows: Mapping[str, Row], items: int = N) -> Pairwise:
    return pairwise({name: Verdicts.of(*row, range(items)) for name, row in rows.items()},
                    {name: powered(*row, items).value or 0.0 for name, row in rows.items()})


def judged_row(seed: int, share: float, read: int, *, right: float = .85, items: int = N) -> Row:
    """People's verdicts on the first items, a judge's on all."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(items) < share).astype(float)
    told = np.where(rng.random(items) < right, truth, 1 - truth)
    return dict(enumerate(truth[:read].tolist())), dict(enumerate(told.tolist()))


@pytest.mark.claim("Two equal systems are told apart by people's verdicts in at most 5 % of "
                   "samples of 50 or 100 of 398 items, a biased judge included.")
@pytest.mark.parametrize("labelled", [50, 100])
def test_equal_systems_are_hardly_ever_told_apart_whatever_the_judge(
    labelled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_annotations, "PAIRS", 800)
    source = np.random.default_rng(labelled)
    for truths, right, wrong, passing, alike in [
        ((.35, .35), (.5, .75), .75, (1.0, 1.0), 0.0), ((.6, .6), (.65, .9), .9, (1.0, 1.0), .7),
        ((.9, .9), (.25, .5), .5, (1.0, 1.0), 0.0), ((.3, .6), (.75, .75), .75, (1.0, .5), .7),
    ]:
        pair = bench_annotations._Pair(truths, right, wrong, passing, alike)
        ours, _ = bench_annotations._called(source, labelled, pair)
        assert ours <= 0.05 + 2 * (0.05 * 0.95 / 800) ** 0.5, pair


def test_where_people_read_everything_it_is_nearly_a_paired_t_test() -> None:
    rng = np.random.default_rng(3)
    one = (rng.random(N) < .5).astype(float)
    other = np.where(rng.random(N) < .8, one, (rng.random(N) < .4).astype(float))
    whole = np.ones(N, dtype=bool)
    none = np.zeros(N)
    sides = [side(Verdicts(whole, whole, votes, none)) for votes in (one, other)]
    assert t_of(*sides) == pytest.approx(ttest_rel(one, other).statistic, rel=0.02)


def test_two_rows_are_compared_once_and_equal_ones_have_no_order() -> None:
    rows = {"a": judged_row(5, .3, 50), "b": judged_row(6, .4, 80), "c": judged_row(7, .8, 120)}
    found = compared({**rows, "again": rows["c"]})
    assert np.array_equal(found.p, found.p.T)
    assert found.p.diagonal().tolist() == [1, 1, 1, 1]
    assert (found.p[2, 3], found.ahead[2, 3]) == (1, False)
    assert found.ahead[2, 0]
    assert found.p[2, 0] <= ALPHA
    turned = compared(dict(reversed(rows.items())))
    assert turned.among(("a", "b", "c")).p == pytest.approx(found.among(("a", "b", "c")).p)
    assert found.means.tolist()[:3] == [powered(*rows[name], N).value for name in rows]
    assert set(rank_intervals(compared(rows)).holm) == set(rows)


def test_items_that_failed_a_gate_are_known_to_be_wrong() -> None:
    # Of four items people read two of a's, all right, and all three that passed of b, one right;
    # a's fourth and b's first failed a gate.
    judge = dict.fromkeys(range(3), 1.0)
    many = {4 + n: 1.0 for n in range(20)}
    a = {0: 1.0, 1: 1.0} | many, judge | many
    b = {1: 0.0, 2: 0.0, 3: 1.0} | many, {1: 1.0, 2: 1.0, 3: 1.0} | many
    found = compared({"a": a, "b": b}, 24)
    # a wins on 0, where b failed, and on 1; item 2 of a nobody read; b wins on 3, where a failed.
    assert found.wins.tolist() == [[0, 2], [1, 0]]


@pytest.mark.parametrize("df", [8, 49, 396, 1_500])
def test_the_tails_of_t_are_scipys(df: int) -> None:
    values = (0.0, 0.5, 1.96, 3.3, 8.0)
    assert [t_outside(df, value) for value in values] == pytest.approx(
        [2 * student.sf(value, df) for value in values], abs=1e-13)
