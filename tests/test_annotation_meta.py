"""Which metric agrees with people: against scipy, brute force, and cases worked out by hand."""

import itertools
import math
import tracemalloc
import warnings
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import kendalltau, pearsonr, rankdata, spearmanr

from scorer.people import bootstrap
from scorer.people.documents import MetricAgreement, Within
from scorer.people.meta import Scores, metric_agreement, spearman_of_draws, split_half, within_items

numbers = st.lists(st.tuples(st.sampled_from([0, 0.25, 0.5, 0.75, 1]),
                             st.sampled_from([0, 1 / 3, 2 / 3, 1])), min_size=2, max_size=25)


def scores(**systems: Mapping[int, float]) -> Scores:
    """Numbers of some systems' answers, item by item."""
    return {(item, system): value for system, numbers in systems.items()
            for item, value in numbers.items()}


def alone(pairs: list[tuple[float, float]]) -> MetricAgreement:
    """The agreement of a metric and people on the items of one system."""
    return metric_agreement(*(scores(a=dict(enumerate(side)))
                              for side in zip(*pairs, strict=True)))


def equal(ours: float | None, theirs: float) -> bool:
    return (ours is None) == bool(np.isnan(theirs)) and (
        ours is None or math.isclose(ours, theirs, abs_tol=1e-9))


@pytest.mark.claim("Kendall's tau-b and Spearman's correlation of metrics with people equal "
                   "scipy's.")
@given(numbers)
def test_correlations_equal_those_of_scipy(pairs: list[tuple[float, float]]) -> None:
    found = alone(pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert equal(found.tau_b.value, kendalltau(*zip(*pairs, strict=True)).statistic)
        assert equal(found.spearman.value, spearmanr(*zip(*pairs, strict=True)).statistic)


@given(numbers)
def test_no_threshold_is_better_than_the_best_and_no_smaller_one_as_good(
    pairs: list[tuple[float, float]]
) -> None:
    apart = [(abs(a - b), (a - b) * (x - y), x == y)
             for (a, x), (b, y) in itertools.combinations(pairs, 2)]
    shares = {limit: np.mean([tied if size <= limit else product > 0
                              for size, product, tied in apart])
              for limit in {0.0, *(size for size, _, _ in apart)}}
    found, best = alone(pairs), max(shares.values())
    assert found.threshold == min(limit for limit, share in shares.items() if share == best)
    assert found.pairwise.value == pytest.approx(best)


def test_measures_over_systems_are_scipys() -> None:
    rng = np.random.default_rng(2)
    for x, y in rng.integers(0, 5, (20, 2, 8)) / 4:
        over = metric_agreement(*({(0, at): value for at, value in enumerate(side.tolist())}
                                  for side in (x, y)))
        agreed = [np.sign(x[i] - x[j]) == np.sign(y[i] - y[j]) for i in range(8) for j in range(i)]
        assert [over.system_tau_b.value, over.system_spearman.value,
                over.system_pairwise.value] == pytest.approx(
            [kendalltau(x, y).statistic, spearmanr(x, y).statistic, np.mean(agreed)])


def test_a_metric_that_only_tells_systems_apart_agrees_with_nobody_on_items() -> None:
    found = metric_agreement(
        scores(good=dict.fromkeys(range(8), 0.9), bad=dict.fromkeys(range(8), 0.1)),
        scores(good={n: float(n != 0) for n in range(8)},
               bad={n: float(n == 0) for n in range(8)}))
    assert (found.tau_b.value, found.spearman.value) == (None, None)
    # 21 of 28 pairs of either system are ties for people.
    assert found.pairwise.value == 21 / 28
    assert (found.rated, found.systems) == (16, 2)


def test_items_without_either_number_do_not_count_and_a_lower_metric_is_turned_round() -> None:
    rng = np.random.default_rng(1)
    people = {n: float(y) for n, y in enumerate(rng.integers(0, 4, 40) / 3)}
    metric = {n: y + rng.normal(0, 0.3) for n, y in people.items()}
    found = metric_agreement(scores(a=metric | {99: 5.0}, unrated={1: 1.0}),
                             scores(a=people, unmeasured={1: 1.0}))
    assert found.tau_b == alone([(metric[n], y) for n, y in people.items()]).tau_b
    assert found.accuracy is None
    assert (found.rated, found.systems) == (40, 1)
    lower = metric_agreement(scores(a={n: -x for n, x in metric.items()}), scores(a=people),
                             better="lower")
    assert lower.tau_b == found.tau_b


def test_a_metric_of_zero_and_one_has_an_accuracy_among_items_that_people_decide() -> None:
    people = (1, 1, 2 / 3, 1 / 3, 0.5, 0, 0, 1)
    found = alone([(float(n < 5), share) for n, share in enumerate(people)]).accuracy
    # Right on 0, 1, 2, 5, 6; wrong on 3, 7; 4 is a tie.
    assert (found.value, found.n, found.method) == (5 / 7, 7, "wilson")


def test_split_halves_of_two_raters_are_their_correlation_and_spearman_brown() -> None:
    rng = np.random.default_rng(3)
    truth = rng.normal(0, 1, 400)
    ratings = truth[:, None] + rng.normal(0, 1, (400, 2))
    half, full, ceiling = split_half(ratings.tolist())
    # Truth and errors have variance 1: two raters correlate .5, their mean with another's .67.
    assert half.value == pytest.approx(pearsonr(*ratings.T).statistic, abs=0.02)
    assert full.value == pytest.approx(2 * half.value / (1 + half.value))
    # What a metric reaches that knows the truth: of variance 1 and 1.5, .82.
    assert ceiling.value == pytest.approx(math.sqrt(2 / 3), abs=0.03)
    assert half.ci[0] < 0.5 < half.ci[1]
    assert full.ci[0] < 2 / 3 < full.ci[1]


def test_people_who_all_say_the_same_have_no_reliability_and_one_rating_is_none() -> None:
    assert split_half([[1, 1]] * 10)[0].value is None
    assert split_half([[1], [2], [3, 4]])[0].note == "fewer than 3 items with two ratings"
    assert split_half([[0, 0], [1, 1], [1, 1], [0, 0], [1, 1]])[1].value == pytest.approx(1)


# ---- within items ------------------------------------------------------------------------------

Floats = NDArray[np.float64]
Table = dict[int, tuple[Floats, Floats, Floats, Floats]]


def made(items: int = 12, seed: int = 1) -> Table:
    """Of each item, three to six answers: a metric, ratings that follow length, length, edges."""
    rng = np.random.default_rng(seed)
    found = {}
    for item in range(items):
        n = int(rng.integers(3, 7))
        length = rng.integers(2, 9, n).astype(float)
        edges = np.ceil(length / 3)
        people = np.round(length / 2 + rng.normal(0, 1, n)) / 2
        found[item] = (np.round(people + length / 4 + rng.normal(0, 1, n), 1), people, length,
                       edges)
    return found


def measured(table: Table, others: tuple[int, ...] = (3, 2)) -> Within:
    metric, people, *more = ({(item, place): value for item, columns in table.items()
                              for place, value in enumerate(columns[column].tolist())}
                             for column in (0, 1, *others))
    return within_items(metric, people, more)


def residuals(table: Table, others: tuple[int, ...]) -> list[Floats]:
    """Of the metric and of people: ranks within items, less their mean, and of these what least
    squares on those of the other numbers leave."""
    sides = [np.concatenate([rankdata(one[at]) - (len(one[at]) + 1) / 2
                             for one in table.values()]) for at in (0, 1, *others)]
    design = np.stack([*sides[2:], np.zeros(len(sides[0]))], axis=1)
    return [side - design @ np.linalg.lstsq(design, side, rcond=None)[0] for side in sides[:2]]


@pytest.mark.claim("Agreement of metrics with people within items equals scipy's and least squares "
                   "of ranks on every figure.")
@pytest.mark.parametrize("others", [(), (2,), (3, 2)])
def test_figures_within_items_equal_those_of_scipy(others: tuple[int, ...]) -> None:
    table = made()
    found = measured(table, others)
    with np.errstate(all="ignore"):
        rho, tau = ([correlation(*one[:2]).statistic for one in table.values()]
                    for correlation in (spearmanr, kendalltau))
    pooled = [np.concatenate([one[column] for one in table.values()]) for column in (0, 1)]
    assert [one.value for one in (found.spearman, found.tau_b, found.overall, found.partial)] == (
        pytest.approx([np.nanmean(rho), np.nanmean(tau), spearmanr(*pooled).statistic,
                       pearsonr(*residuals(table, others)).statistic]))
    assert (found.spearman.n, found.items, found.answers) == (
        np.isfinite(rho).sum(), 12, len(pooled[0]))


@pytest.mark.parametrize("side", [0, 1], ids=["a metric", "people"])
def test_nothing_is_left_of_whoever_says_the_length_of_an_answer(side: int) -> None:
    table = {item: tuple(one[2] / 3 if at == side else column for at, column in enumerate(one))
             for item, one in made(40).items()}
    found = measured(table)
    assert found.spearman.value > .5
    assert (found.partial.value, found.partial.note) == (None, "no variation")


def test_pairs_are_those_of_one_item_and_matched_ones_are_equal_in_edges() -> None:
    table = made()
    found = measured(table)
    metric, people, edges = np.array([
        [one[at][i] - one[at][j] for at in (0, 1, 3)] for one in table.values()
        for i, j in itertools.combinations(range(len(one[0])), 2)]).T
    agreed = np.where(abs(metric) <= found.threshold + 1e-9, people == 0, metric * people > 0)
    assert (found.pairwise.value, found.pairwise.n) == (pytest.approx(agreed.mean()), len(metric))
    signs = np.sign(metric[edges == 0]), np.sign(people[edges == 0])
    assert found.matched.value == pytest.approx(
        signs[0] @ signs[1] / math.sqrt((signs[0] @ signs[0]) * (signs[1] @ signs[1])))


def test_an_item_with_many_answers_does_not_widen_the_others() -> None:
    rng = np.random.default_rng(0)
    answers = [(item, place) for item in range(501) for place in range(400 if item == 500 else 2)]
    metric, people = (dict(zip(answers, rng.integers(0, 9, len(answers)).tolist(), strict=True))
                      for _ in range(2))
    tracemalloc.start()
    try:
        found = within_items(metric, people)
        assert tracemalloc.get_traced_memory()[1] < 200_000_000
    finally:
        tracemalloc.stop()
    assert (found.items, found.pairwise.n) == (501, 500 + 400 * 399 // 2)


def test_intervals_draw_items_with_all_their_answers_and_rank_these_anew() -> None:
    table = made(20)
    found = measured(table, (2,))
    draws = np.concatenate(list(bootstrap.times(20)))[:50]
    copies = [{place: table[item] for place, item in enumerate(np.repeat(
        np.arange(20), times.astype(int)).tolist())} for times in draws]
    x, y = ([np.concatenate([one[at] for one in copy.values()]) for copy in (table, *copies)]
            for at in (0, 1))
    overall = [spearmanr(*sides).statistic for sides in zip(x[1:], y[1:], strict=True)]
    owners = np.repeat(np.arange(20), [len(one[0]) for one in table.values()])
    assert spearman_of_draws(x[0], y[0], owners)(draws) == pytest.approx(overall)
    partial = [pearsonr(*residuals(copy, (2,))).statistic for copy in copies]
    for estimate, expected in ((found.overall, overall), (found.partial, partial)):
        assert estimate.ci == pytest.approx(np.percentile(expected, [2.5, 97.5]), abs=.1)


def test_answers_without_a_number_and_items_with_one_answer_are_left_out() -> None:
    people = scores(a={1: 1.0, 2: 2.0, 3: 3.0}, b={1: 2.0, 2: 1.0})
    found = within_items(scores(a={1: 1.0, 2: 2.0}, b={1: 2.0}, c={1: 1.0}), people)
    assert (found.items, found.answers, found.tau_b.value) == (1, 2, 1.0)
    assert found.matched.value is None
    nothing = within_items({}, people)
    assert (nothing.items, nothing.spearman.value, nothing.overall.value) == (0, None, None)
    assert nothing.partial.note == "nothing to count"
    constant = within_items(dict.fromkeys(people, .5), people)
    assert {(one.value, one.note) for one in (
        constant.spearman, constant.tau_b, constant.partial, constant.overall)} == {
        (None, "no variation")}


def test_reliability_within_items_is_blind_to_items_that_are_easy() -> None:
    rng = np.random.default_rng(4)
    easy = rng.normal(0, 3, 60).repeat(5)
    ratings = (easy[:, None] + rng.normal(0, 1, (300, 2))).tolist()
    owners = np.arange(60).repeat(5).tolist()
    assert split_half(ratings, owners)[0].value > .8
    half, *_ = split_half(ratings, owners, within=True)
    halves = [np.array(ratings)[:, at].reshape(60, 5) for at in (0, 1)]
    centred = [(one - one.mean(axis=1, keepdims=True)).ravel() for one in halves]
    # Which rating is dealt to which half is drawn; the means of 200 deals lie close to one deal.
    assert half.value == pytest.approx(pearsonr(*centred).statistic, abs=.05)
    assert half.ci[0] < 0 < half.ci[1]
