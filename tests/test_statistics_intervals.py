"""Intervals and clustered standard errors: what they equal, and how often they hold the truth."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binom, t, ttest_1samp

from scorer.core.results import Interval
from scorer.statistics import intervals
from scorer.statistics.comparison import coin_tail
from scorer.statistics.intervals import t_factor

N = 400

proportions = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
scores = st.lists(st.floats(0, 1), min_size=2, max_size=60)


def wilson(k: int, n: int) -> tuple[float, float]:
    """Wilson's formula as Brown, Cai and DasGupta (2001) print it."""
    z, p = 1.959963984540054, k / n
    middle = (k + z * z / 2) / (n + z * z)
    reach = z * math.sqrt(n) / (n + z * z) * math.sqrt(p * (1 - p) + z * z / (4 * n))
    return middle - reach, middle + reach


@given(proportions)
def test_a_proportion_has_wilsons_interval(counted: tuple[int, int]) -> None:
    found = intervals.proportion(*counted)
    assert (found.low, found.high) == pytest.approx(wilson(*counted), abs=1e-6)
    assert (found.method, found.level) == ("wilson", 0.95)
    assert intervals.proportion(0, 0).note == "no items"


@given(scores)
def test_the_t_interval_is_scipys_cut_to_where_scores_lie(values: list[float]) -> None:
    found = intervals.t_interval(np.array(values), within=(0.0, 1.0))
    if max(values) == min(values):
        assert intervals.mean(values) == intervals.none("every item has the same score")
        return
    theirs = ttest_1samp(values, 0).confidence_interval(0.95)
    assert found.low == pytest.approx(max(0, theirs.low), abs=1e-6)
    assert found.high == pytest.approx(min(1, theirs.high), abs=1e-6)


def test_quantiles_of_t_are_scipys() -> None:
    for n in (*range(2, 60), 99, 398, 1_779, 3_059, 100_000):
        assert t_factor(n) == pytest.approx(t.ppf(0.975, n - 1), rel=1e-11)


@given(proportions)
def test_tails_of_a_fair_coin_are_scipys(counts: tuple[int, int]) -> None:
    heads, tosses = counts
    assert coin_tail(heads, tosses) == pytest.approx(binom.cdf(heads, tosses, 0.5), rel=1e-10)


# ---- means of which few items have any part ------------------------------------------------


def product(k: int, n: int, m: float, least: float, most: float) -> tuple[float, float]:
    """Zou and Donner's bounds of a share of k of n, times a mean m between two bounds."""
    (low, high), p = wilson(k, n), k / n
    down = math.hypot(math.log(p / low), math.log(m / least)) if least > 0 else math.inf
    return p * m * math.exp(-down), p * m * math.exp(math.hypot(math.log(high / p),
                                                                math.log(most / m)))


def hall(values: np.ndarray) -> tuple[float, float]:
    """The bounds at which Hall's transformation of t, found by bisection, has t's quantiles."""
    m, n = values.mean(), len(values)
    g = ((values - m) ** 3).mean() / values.std() ** 3 / math.sqrt(n)
    error = values.std(ddof=1) / math.sqrt(n)

    def excess(bound: float, quantile: float) -> float:
        s = (m - bound) / error
        return s + g * s**2 / 3 + g**2 * s**3 / 27 + g / 6 - t.ppf(quantile, n - 1)

    low, high = (brentq(excess, m - 9 * error, m + 9 * error, (q,)) for q in (0.975, 0.025))
    return low, high


SKEWED = np.random.default_rng(3).beta(0.6, 2, 20)


@pytest.mark.parametrize(("above", "zeros", "m", "bounds"), [
    ([0.2, 0.4], 98, .3, (0, 1)),  # t of two: .3 -+ 1.27, so from 0 to the greatest there is
    ([0.5], 399, .5, (0, 1)),  # one score may have been any
    ([0.5] * 40, 360, .5, (.5, .5)),  # equal ones are counted by Wilson
    ([*SKEWED], 80, SKEWED.mean(), hall(SKEWED)),
])
def test_the_interval_of_few_scores_above_0_is_that_of_their_share_times_their_mean(
    above: list[float], zeros: int, m: float, bounds: tuple[float, float]
) -> None:
    found = intervals.mean([*above, *[0.0] * zeros])
    wanted = product(len(above), len(above) + zeros, m, *bounds)
    assert (found.low, found.high) == pytest.approx(wanted, abs=1e-6)
    assert found.method == "wilson-t"


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


@pytest.mark.parametrize(("n", "passing"), [(100, 0.02), (N, 0.05)])
def test_means_of_few_items_hold_the_truth_where_t_does_not(n: int, passing: float) -> None:
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
    by_t = intervals.mean(values[passed])
    assert found.high - found.low == pytest.approx(by_t.high - by_t.low, rel=0.1)


@given(scores)
def test_clustered_errors_are_the_usual_ones_with_one_item_a_cluster(values: list[float]) -> None:
    found = intervals.clustered(values, range(len(values)))
    usual = np.std(values, ddof=1) / math.sqrt(len(values))
    assert found.se == pytest.approx(usual, abs=1e-6)
    assert found.clusters == len(values)
    # Items that come twice are no new items.
    assert intervals.clustered(values * 2, [*range(len(values))] * 2) == found
    # Mean 1/2, residuals +-1/2; sums by cluster 1 and -1; G / (G - 1) = 2; n = 4
    assert intervals.clustered([1, 1, 0, 0], "aabb") == (math.sqrt(2 * (1 + 1)) / 4, 2)
    assert intervals.clustered([1, 0], "aa") == (None, 1)


def test_a_published_or_released_proportion_has_the_interval_of_the_nearest_count() -> None:
    truncated = intervals.of_value(0.347, N, binary=True, source="the published value")
    assert truncated.note == "from the published value, as 139 of 400"
    assert (truncated.low, truncated.high) == pytest.approx(wilson(139, N), abs=1e-6)
    other = intervals.of_value(0.347, N, binary=False, source="the published value")
    assert (other.given, other.note) == (
        False, "the published value alone does not say how items differ")
