"""Rank intervals, the smallest gap, and the judge's band."""

import re
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.core.records import Share
from scorer.models.judge_card import EMBEDDED as judges_folder
from scorer.models.judge_card import GOLD, REFUSED, Card, Evaluation
from scorer.models.judge_card import find as find_cards
from scorer.scoring.judging import JudgeErrors, band, errors_of
from scorer.statistics.comparison import least_gap, mcnemar, smallest_gap
from scorer.statistics.ranks import Candidate, RankInterval, eligible, pairwise, rank_intervals

N = 400
Counted = Mapping[str, Mapping[str, int]]


def of_counts(counts: dict[str, int], n: int = N) -> dict[str, list[float]]:
    """Rows that have their first so many items right: no discordance but the difference."""
    return {key: [1.0] * count + [0.0] * (n - count) for key, count in counts.items()}


def ranked(rows: dict[str, list[float]], binary: bool = True, better: str = "higher"):
    return rank_intervals(pairwise(rows, binary=binary, better=better))


# ---- rank intervals ------------------------------------------------------------------------


def test_ties_are_not_transitive_so_each_row_has_an_interval_of_its_own() -> None:
    # 6 items apart is significant (2 / 2^6 = .031), 4 apart is not (2 / 2^4 = .125)
    found = ranked(of_counts({"a": 108, "b": 104, "c": 100})).holm
    assert found == {
        "a": RankInterval(1, 2, (), ("c",)),
        "b": RankInterval(1, 3, (), ()),
        "c": RankInterval(2, 3, ("a",), ()),
    }
    assert list(found) == ["a", "b", "c"]
    few = ranked(of_counts({"a": 90, "b": 10}, n=99))
    assert (few.holm, few.why_not) == ({}, "99 items are too few (100 needed)")


@given(st.integers(0, 9_999), st.integers(1, 7), st.booleans())
def test_intervals_hold_the_order_and_agree_with_one_another(
    seed: int, m: int, binary: bool
) -> None:
    source = np.random.default_rng(seed)
    rows = {f"r{n}": list((source.random(120) < 0.3 + n / 10).astype(float)) for n in range(m)}
    if not binary:
        rows = {key: list(np.array(one) * source.random(120)) for key, one in rows.items()}
    found = ranked(rows, binary).holm
    order = sorted(rows, key=lambda key: -sum(rows[key]))
    assert set(found) == set(rows)
    for place, key in enumerate(order, start=1):
        one = found[key]
        assert 1 <= one.first <= place <= one.last <= m
        assert all(key in found[other].worse for other in one.better)
        assert all(key in found[other].better for other in one.worse)


def test_fifty_rows_of_junk_change_nothing_at_the_top() -> None:
    source = np.random.default_rng(21)
    hard = source.random(N)

    def row(skill: float) -> list[float]:
        right = hard + source.normal(0, 0.3, N) < skill
        return list(1 - right * source.uniform(0.5, 1, N))

    rows = {f"system-{n}": row(0.75 - 0.06 * n) for n in range(6)}
    junk = {f"junk-{n}": row(0.1) for n in range(50)}
    alone, crowded = (ranked(every, binary=False, better="lower").holm
                      for every in (rows, {**junk, **rows}))
    assert any(one.first != one.last for one in alone.values())
    assert any(one.better for one in alone.values())
    for key, one in alone.items():
        assert (crowded[key][:2], {*crowded[key].better}) == (one[:2], {*one.better})


def test_holm_asks_more_of_a_row_with_many_above_it_and_nothing_for_those_below() -> None:
    # p of 6 items: .031; with three rows above, the least p must be below .05 / 3 = .017
    assert ranked(of_counts({"a": 106, "b": 106, "c": 106, "d": 100})).holm["d"].better == ()
    assert ranked(of_counts({"a": 106, "d": 100})).holm["d"].better == ("a",)
    # 7 items: .0156 for each of three: below .017, .025 and .05
    assert ranked(of_counts({"a": 107, "b": 107, "c": 107, "d": 100})).holm["d"].better == (
        "a", "b", "c")


def test_one_row_a_team_has_a_rank_and_reference_and_withdrawn_rows_have_none() -> None:
    rows = [
        Candidate("x/old", "x", 0.4), Candidate("x/new", "x", 0.6), Candidate("y/one", "y", 0.5),
        Candidate("reference/gold", "reference", 1.0, reference=True),
        Candidate("z/gone", "z", 0.9, withdrawn=True), Candidate("z/here", "z", 0.5),
    ]
    assert eligible(rows, better="higher") == ["x/new", "y/one", "z/here"]
    assert eligible(rows, better="lower") == ["x/old", "y/one", "z/here"]


# ---- the smallest gap ----------------------------------------------------------------------


@given(st.integers(0, 400))
def test_the_least_gap_is_significant_and_the_next_smaller_is_not(discordant: int) -> None:
    gap, total = least_gap(discordant), max(discordant, 6)
    assert (total - gap) % 2 == 0
    assert mcnemar((total + gap) // 2, (total - gap) // 2).exact <= 0.05
    if gap >= 2:
        assert mcnemar((total + gap - 2) // 2, (total - gap + 2) // 2).exact > 0.05


def test_the_smallest_gap_rests_on_rows_next_to_each_other() -> None:
    found = smallest_gap(list(of_counts({"a": 100, "b": 300, "c": 120, "d": 160}).values()),
                         binary=True)
    # discordant shares of adjacent rows: 20, 40 and 140 of 400; the median is 40
    assert found == least_gap(40) / N
    assert smallest_gap([[1.0] * N], binary=True) is None
    assert smallest_gap([[1.0] * 99, [0.0] * 99], binary=True) is None


def test_the_smallest_gap_of_a_mean_is_what_its_t_interval_reaches() -> None:
    a, b = np.random.default_rng(22).random((2, N))
    found = smallest_gap([a, b], binary=False)
    assert found == pytest.approx(1.966 * np.std(a - b, ddof=1) / N**0.5, rel=1e-3)


# ---- the judge's band ----------------------------------------------------------------------

FAIR, WEAK = JudgeErrors((0.8, 0.9), (0.1, 0.2)), JudgeErrors((0.7, 0.8), (0.2, 0.3))


@pytest.mark.parametrize(("accepted", "share", "errors", "wanted"), [
    # (q - wrong) / (right - wrong), of half of the items: without error the value stays.
    (Share(600, 1000), .5, {"x": JudgeErrors((0.999, 1.0), (0.0, 0.001))}, (.3, .3)),
    # q = .5: .3 / .6, .3 / .7, .4 / .7, .4 / .8
    (Share(500, 1000), .5, {"x": FAIR}, (.5 * 3 / 7, .5 * 4 / 7)),
    # One label within which the judge may guess is enough for no band.
    (Share(51, 102), .5, {"x": FAIR, "y": JudgeErrors((0.5, 0.8), (0.2, 0.55))}, "unbounded: .*y"),
    # More than 80 %, less than 20 % cannot be.
    (Share(100, 100), 1, {"x": WEAK}, "none fits: "),
    (Share(5, 100), 1, {"x": WEAK}, "none fits: "),
])
def test_the_band_by_hand(accepted: Share, share: float, errors: Mapping[str, JudgeErrors],
                          wanted: str | tuple[float, float]) -> None:
    found = band(accepted, share, errors)
    if isinstance(wanted, str):
        assert isinstance(found, str)
        assert re.match(wanted, found)
    else:
        assert found == pytest.approx(wanted, abs=.001)


def seca_card(gold: Counted, refused: Counted) -> Card:
    """Made up; counts by label given, of each expected label."""
    return Card("seca", "made-up", "0" * 64, ("support", "counter", "incorrect"), 128, {}, {}, {},
                (Evaluation(GOLD, "", gold), Evaluation(REFUSED, "", refused)))


def test_a_judge_that_always_gives_one_label_has_no_band_though_over_all_it_would() -> None:
    """Gold is 57 % support and refused graphs 28 %, so J = .57 - .28 over both, and 0 in each."""
    always = errors_of(seca_card({"support": {"support": 570}, "counter": {"support": 430}},
                                 {"support": {"support": 280}, "counter": {"support": 720}}))
    pooled = JudgeErrors(Share(570, 1000).interval, Share(280, 1000).interval)
    assert isinstance(band(Share(300, 500), 1.0, {"x": pooled}), tuple)
    assert str(band(Share(300, 500), 1.0, always)).startswith("unbounded: ")


def test_a_refused_graph_that_is_given_the_other_stance_is_no_error_of_seca() -> None:
    found = errors_of(seca_card({"support": {"support": 80, "counter": 5, "incorrect": 15}},
                                {"support": {"support": 30, "counter": 20, "incorrect": 50}}))
    assert found["support"] == (Share(80, 100).interval, Share(30, 100).interval)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.1, 0.9), st.floats(0.01, 1))
def test_the_band_holds_every_value_that_the_errors_allow(
    support: float, counter: float, weight: float, share: float
) -> None:
    n = {"support": round(1e6 * weight), "counter": round(1e6 * (1 - weight))}
    rates = {"support": (0.9, 0.2), "counter": (0.6, 0.3)}
    truth = {"support": support, "counter": counter}
    accepted = {label: Share(round(n[label] * (r * truth[label] + w * (1 - truth[label]))),
                             n[label]) for label, (r, w) in rates.items()}
    errors = {label: JudgeErrors((r - 0.04, r + 0.04), (w - 0.04, w + 0.04))
              for label, (r, w) in rates.items()}
    true = share * (n["support"] * support + n["counter"] * counter) / sum(n.values())
    together = Share(sum(one.count for one in accepted.values()), sum(n.values()))
    low, high = band(together, share, errors)
    assert -1e-9 <= low <= true + 1e-4
    assert true - 1e-4 <= high <= share + 1e-9


def test_the_embedded_judges_have_errors_only_where_they_know_incorrect_graphs() -> None:
    found = {card.judge: {*errors_of(card)} for card in find_cards([judges_folder])}
    assert found == {"ea": set(), "seca": {"support", "counter"}}
