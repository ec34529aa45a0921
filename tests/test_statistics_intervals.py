"""Intervals and clustered standard errors: what they equal, and how often they hold the truth."""

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, t, ttest_1samp

from scorer.core.results import Interval
from scorer.statistics import intervals
from scorer.statistics.distributions import coin_tail, t_quantile

N = 400

proportions = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
scores = st.lists(st.floats(0, 1), min_size=2, max_size=60)


def wilson(k: int, n: int) -> tuple[float, float]:
    """Wilson's formula as Brown, Cai and DasGupta (2001) print it."""
    z, p = 1.959963984540054, k / n
    middle = (k + z * z / 2) / (n + z * z)
    reach = z * math.sqrt(n) / (n + z * z) * math.sqrt(p * (1 - p) + z * z / (4 * n))
    return middle - reach, middle + reach


@cache
def of_every_count(n: int) -> tuple[Interval, ...]:
    return tuple(intervals.proportion(k, n) for k in range(n + 1))


def covered(p: float, n: int) -> float:
    """How often the interval of a proportion holds ``p``: exact, over every count there can be."""
    holds = [k for k, one in enumerate(of_every_count(n)) if one.low <= p <= one.high]
    return float(binom.pmf(holds, n, p).sum())


@pytest.mark.parametrize(("k", "low", "high"), [  # 43.5, 42.5, 34.75 %
    (174, 0.387, 0.484), (170, 0.377, 0.474), (139, 0.302, 0.395)])
def test_a_proportion_has_wilsons_interval(k: int, low: float, high: float) -> None:
    found = intervals.proportion(k, N)
    assert (found.low, found.high) == pytest.approx(wilson(k, N), abs=1e-6)
    assert (found.low, found.high) == pytest.approx((low, high), abs=6e-4)
    assert (found.method, found.level) == ("wilson", 0.95)


@given(proportions)
def test_a_proportion_lies_in_its_interval_which_is_that_of_the_failures_turned_round(
    counted: tuple[int, int]
) -> None:
    k, n = counted
    one, other = intervals.proportion(k, n), intervals.proportion(n - k, n)
    assert 0 <= one.low <= k / n <= one.high <= 1
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=2e-6)


def test_what_was_never_or_always_so_has_wilsons_interval_too() -> None:
    never, always = intervals.proportion(0, N), intervals.proportion(N, N)
    z = 1.959963984540054
    assert (never.low, always.high) == (0, 1)
    assert never.high == pytest.approx(z * z / (N + z * z), abs=1e-6)
    assert always.low == pytest.approx(N / (N + z * z), abs=1e-6)
    assert {never.method, always.method} == {"wilson"}
    assert intervals.proportion(0, 0).note == "no items"


@pytest.mark.parametrize("p", [step / 100 for step in range(2, 99)])
def test_wilson_holds_the_truth_in_93_to_98_of_100_samples_of_400(p: float) -> None:
    assert 0.93 <= covered(p, N) <= 0.98


def test_a_t_interval_holds_the_truth_of_a_skewed_metric_with_many_zeros() -> None:
    """Half of the items fail a gate and count 0; the rest lean to 0, as G-BLEU does."""
    source = np.random.default_rng(1)
    runs, truth = 2_000, 0.5 * 2 / (2 + 6)
    samples = source.beta(2, 6, (runs, N)) * (source.random((runs, N)) < 0.5)
    found = [intervals.mean(sample) for sample in samples]
    share = sum(one.low <= truth <= one.high for one in found) / runs
    assert 0.93 <= share <= 0.97


@pytest.mark.slow
def test_a_bootstrap_holds_the_truth_of_a_mean_over_what_passed() -> None:
    source = np.random.default_rng(2)
    runs, truth = 200, 2 / (2 + 3)
    passed = source.random((runs, N)) < 0.4
    values = source.beta(2, 3, (runs, N)) * passed
    found = [intervals.of_passed(*both) for both in zip(values, passed, strict=True)]
    share = sum(one.low <= truth <= one.high for one in found) / runs
    assert 0.90 <= share <= 0.99


@given(scores)
def test_the_t_interval_is_scipys_cut_to_where_scores_lie(values: list[float]) -> None:
    found = intervals.t_interval(np.array(values), within=(0.0, 1.0))
    if max(values) == min(values):
        assert intervals.mean(values) == intervals.none("every item has the same score")
        return
    theirs = ttest_1samp(values, 0).confidence_interval(0.95)
    assert found.low == pytest.approx(max(0, theirs.low), abs=1e-6)
    assert found.high == pytest.approx(min(1, theirs.high), abs=1e-6)


@pytest.mark.parametrize("p", [0.9, 0.975, 0.999])
def test_quantiles_of_t_are_scipys(p: float) -> None:
    for df in (*range(1, 60), 99, 397, 998, 999, 1_000, 1_778, 100_000):
        assert t_quantile(df, p) == pytest.approx(t.ppf(p, df), rel=1e-12)


@given(proportions)
def test_tails_of_a_fair_coin_are_scipys(counts: tuple[int, int]) -> None:
    heads, tosses = counts
    assert coin_tail(heads, tosses) == pytest.approx(binom.cdf(heads, tosses, 0.5), rel=1e-10)


# ---- means of which few items have any part ------------------------------------------------


def test_few_scores_above_0_have_the_interval_of_a_product_by_hand() -> None:
    values = [0.2, 0.4] + [0.0] * 98
    found, (low, high), m = intervals.mean(values), wilson(2, 100), 0.3
    reach = float(t.ppf(0.975, 1)) * 0.1  # sd .1414 / sqrt(2); 1.27, so from 0 to the greatest
    assert reach > 1
    assert (found.low, found.method) == (0.0, "wilson-t")
    assert found.high == pytest.approx(
        0.02 * m * math.exp(math.hypot(math.log(high / 0.02), math.log(1 / m))), abs=1e-6)
    assert low < 0.02 < high


def test_one_score_above_0_may_have_been_any_and_equal_ones_are_counted_by_wilson() -> None:
    (_, high), one = wilson(1, 400), intervals.mean([0.5] + [0.0] * 399)
    assert one.low == 0
    assert one.high == pytest.approx(
        0.5 / 400 * math.exp(math.hypot(math.log(high * 400), math.log(2))), abs=1e-6)
    equal = intervals.mean([0.5] * 40 + [0.0] * 360)
    assert (equal.low, equal.high) == pytest.approx([0.5 * one for one in wilson(40, 400)],
                                                    abs=1e-6)


def test_skew_moves_the_interval_as_halls_transformation_of_t_does() -> None:
    values = np.random.default_rng(3).beta(0.6, 2, 20)
    found = intervals._of_skewed(values)
    m, n = values.mean(), 20
    g = ((values - m) ** 3).mean() / values.std() ** 3 / math.sqrt(n)
    for bound, quantile in zip(found, (0.975, 0.025), strict=True):
        s = (m - bound) / (values.std(ddof=1) / math.sqrt(n))
        transformed = s + g * s**2 / 3 + g**2 * s**3 / 27 + g / 6
        assert transformed == pytest.approx(t.ppf(quantile, n - 1))
    assert found[1] - m > m - found[0], "far values are missed more often above than below"


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=25), st.integers(75, 200))
def test_a_score_that_is_worst_at_1_has_the_same_interval_turned_round(
    above: list[float], zeros: int
) -> None:
    values = np.array(above + [0.0] * zeros)
    found, other = intervals.mean(values), intervals.mean(1 - values)
    assert found.method == other.method == "wilson-t"
    assert (other.low, other.high) == pytest.approx((1 - found.high, 1 - found.low), abs=2e-6)
    assert 0 <= found.low <= values.mean() + 1e-6
    assert values.mean() - 1e-6 <= found.high <= 1


def test_t_stays_where_more_than_a_quarter_of_the_items_score() -> None:
    values = np.random.default_rng(4).random(N)
    for scored, method in ((101, "t"), (100, "wilson-t")):
        assert intervals.mean(np.where(np.arange(N) < scored, values, 0.0)).method == method
    assert intervals.mean([-0.1, 0.5] + [0.0] * 50).method == "t", "a score out of range"


@pytest.mark.parametrize("n", [100, N])
@pytest.mark.parametrize("passing", [0.02, 0.05])
def test_means_of_few_items_hold_the_truth_where_t_does_not(passing: float, n: int) -> None:
    source, runs = np.random.default_rng(5), 1_000
    samples = source.beta(0.6, 2, (runs, n)) * (source.random((runs, n)) < passing)

    def held(interval: Callable[[np.ndarray], Interval]) -> float:
        found = [interval(sample) for sample in samples if sample.any()]
        return sum(one.low <= passing * 0.6 / 2.6 <= one.high for one in found) / len(found)

    assert 0.93 <= held(intervals.mean) <= 0.99
    assert held(intervals.t_interval) <= 0.93


def test_where_nothing_varies_there_is_no_interval_and_a_reason() -> None:
    assert not intervals.mean([1e-80] + [0.0] * 99).given
    assert intervals.mean([0.3]).note == "fewer than two items"
    assert not intervals.mean([0.3] * N).given
    same = intervals.of_passed([0.7] * N, [True] * 200 + [False] * 200)
    assert (same.given, same.note) == (False, "every item that passed has the same score")
    few = intervals.of_passed([0.1, 0.2] * 200, [True] * 29 + [False] * 371)
    assert (few.given, few.note) == (False, "fewer than 30 items passed")


def test_the_mean_over_what_passed_lies_in_its_interval_which_is_always_the_same() -> None:
    source = np.random.default_rng(3)
    values, passed = source.random(N), source.random(N) < 0.5
    found = intervals.of_passed(values, passed)
    assert found.low < values[passed].mean() < found.high
    assert found == intervals.of_passed(values, passed)
    t = intervals.mean(values[passed])
    assert found.high - found.low == pytest.approx(t.high - t.low, rel=0.1)


@given(scores)
def test_with_one_item_a_cluster_the_error_is_the_usual_one(values: list[float]) -> None:
    found = intervals.clustered(values, range(len(values)))
    usual = np.std(values, ddof=1) / math.sqrt(len(values))
    assert found.se == pytest.approx(usual, abs=1e-6)
    assert found.clusters == len(values)


def test_items_said_twice_are_no_new_items() -> None:
    values = [0.1, 0.4, 0.4, 0.9, 0.0, 0.7]
    doubled = intervals.clustered(values * 2, list(range(6)) * 2)
    assert doubled == intervals.clustered(values, range(6))


def test_the_error_of_two_clusters_by_hand() -> None:
    # mean 1/2, residuals +-1/2; sums by cluster 1 and -1; G / (G - 1) = 2; n = 4
    found = intervals.clustered([1, 1, 0, 0], ["a", "a", "b", "b"])
    assert found == (math.sqrt(2 * (1 + 1)) / 4, 2)
    assert intervals.clustered([1, 0], ["a", "a"]) == (None, 1)


def test_a_published_or_released_proportion_has_the_interval_of_the_nearest_count() -> None:
    truncated = intervals.of_value(0.347, N, binary=True, source="the published value")
    assert truncated.note == "from the published value, as 139 of 400"
    assert (truncated.low, truncated.high) == pytest.approx(wilson(139, N), abs=1e-6)
    other = intervals.of_value(0.347, N, binary=False, source="the published value")
    assert (other.given, other.note) == (
        False, "the published value alone does not say how items differ")
