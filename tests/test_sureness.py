"""How sure people and systems are: every figure against another way to compute it."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest, entropy

from scorer.people.agreement import measured, measured_counts
from scorer.people.documents import PeopleDocument
from scorer.people.sureness import (
    bins_of,
    by_sureness,
    expected_right,
    sureness,
    unclear,
)
from scorer.statistics.calibration import LEAST, calibration, distances

COUNTS = [(9, 1), (5, 5), (3, 7), (10, 0), (6, 4), (2, 8)]
GOLD = [0, 1, 1, 1, 0, 0]
THREE = [(3, 2, 2), (4, 1, 2), (0, 7, 0), (2, 2, 3)]


def people(counts: Sequence[Sequence[int]], gold: Sequence[int], named: Sequence[int] = (),
           ) -> PeopleDocument:
    return sureness(np.array(counts), gold, named, digest="0" * 64)


def by_hand(counts: tuple[int, ...], right: int, n: int) -> Fraction:
    """The share of all groups of ``n`` people whose most frequent label is right."""
    labels = [label for label, count in enumerate(counts) for _ in range(count)]
    groups = [Counter(group) for group in combinations(labels, n)]
    return sum((Fraction(int(group[right] == max(group.values())),
                         [*group.values()].count(max(group.values())))
                for group in groups), Fraction(0)) / len(groups)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_majority_of_some_people_is_that_of_all_groups_of_them(n: int) -> None:
    for counts in (*COUNTS, *THREE):
        for right in range(len(counts)):
            assert expected_right([counts], [right], n) == pytest.approx(
                [float(by_hand(counts, right, n))], abs=1e-12)


def test_all_people_agree_with_gold_by_halves_where_they_are_tied() -> None:
    # 9:1 right, 5:5 half, 3:7 right, 10:0 wrong, 6:4 right, 2:8 wrong.
    crowd = people(COUNTS, GOLD)
    assert (crowd.items, crowd.answers, crowd.tied) == (6, 60, 1)
    assert (crowd.right, crowd.one.value) == (9 + 5 + 7 + 0 + 6 + 2, 29 / 60)
    assert {one.people: one.right.value for one in crowd.majorities} == {
        n: float(sum(by_hand(one, right, n) for one, right in zip(COUNTS, GOLD, strict=True)) / 6)
        for n in (3, 5, 10)}
    assert crowd.majority.value == crowd.majorities[-1].right.value == 7 / 12


def test_a_source_that_names_its_majority_settles_ties() -> None:
    majority = people(COUNTS, GOLD, [0, 1, 1, 0, 0, 1]).majority
    assert (majority.value, majority.method) == (4 / 6, "wilson")


@pytest.mark.parametrize(("first", "sizes"), [((2, 2), [3, 4]), ((1, 0), [1])])
def test_groups_are_no_larger_than_the_fewest_people_of_an_item(
    first: tuple[int, int], sizes: list[int]
) -> None:
    assert [one.people for one in people([first, (3, 4)], [0, 1]).majorities] == sizes


def test_agreement_by_counts_is_that_of_single_answers() -> None:
    for table in (COUNTS, THREE):
        assert measured_counts(np.array(table)) == measured([
            [label for label, count in enumerate(one) for _ in range(count)] for one in table])


def test_entropies_are_in_bits_and_fall_into_four_bins_of_equal_width() -> None:
    # .9 and .1 have .469 bits, .89 and .11 have .4999, .88 and .12 have .529.
    places, edges = bins_of(np.array([(10, 0), (5, 5), (9, 1), (89, 11), (88, 12), (50, 50)]))
    assert (edges, places.tolist()) == ([0, .25, .5, .75, 1], [0, 3, 1, 1, 2, 3])
    # Of three labels the greatest entropy is log2(3) = 1.585; 1, of two labels, is in the third.
    places, edges = bins_of(np.array([(2, 2, 2), (3, 3, 0)]))
    assert (edges[-1], places.tolist()) == (pytest.approx(math.log2(3)), [3, 2])


@pytest.mark.parametrize("n", [3, 20, 100])
def test_an_item_is_unclear_where_a_sign_test_of_the_two_most_frequent_labels_is_not_significant(
    n: int
) -> None:
    for one in range(n + 1):
        assert unclear((one, n - one)) == (binomtest(one, n, .5).pvalue > .05)
        assert unclear((one, 0, n - one)) == unclear((one, n - one))


def test_bins_divide_the_items_and_their_means_make_the_whole() -> None:
    bins = people(COUNTS, GOLD).bins
    assert sum(one.items for one in bins) == 6
    assert sum(one.items * (one.one.value or 0) for one in bins) == pytest.approx(6 * 29 / 60)
    first, second, *_ = people([(10, 0)], [0]).bins
    assert (first.items, first.one.value) == (1, 1)
    assert (second.items, second.one.value, second.one.note) == (0, None, "no items")


def test_accuracy_of_systems_is_divided_by_the_same_bins() -> None:
    system = by_sureness(np.array([(10, 0)] * 2 + [(5, 5)] * 3), [1, 0, 1, 1, 0], "0" * 64)
    assert (system.whole.value, system.whole.method) == (pytest.approx(3 / 5), "wilson")
    assert [one.value for one in system.bins] == [.5, None, None, pytest.approx(2 / 3)]


# ---- probabilities ---------------------------------------------------------------------------


def drawn(items: int, labels: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    source = np.random.default_rng(3)
    return source.dirichlet([.7] * labels, items), source.integers(0, labels, items)


@pytest.mark.parametrize("labels", [2, 3])
def test_the_calibration_error_is_that_of_a_plain_loop(labels: int) -> None:
    probabilities, gold = drawn(400, labels)
    fit = calibration(probabilities, gold)
    answers = [(max(row), int(np.argmax(row)) == right)
               for row, right in zip(probabilities.tolist(), gold.tolist(), strict=True)]
    error = 0.0
    for place, bin_ in enumerate(fit.bins):
        inside = [one for one in answers if place / 15 < one[0] <= (place + 1) / 15]
        assert bin_.items == len(inside)
        if inside:
            confidence, accuracy = (math.fsum(side) / len(inside)
                                    for side in zip(*inside, strict=True))
            assert (bin_.confidence, bin_.accuracy) == pytest.approx((confidence, accuracy),
                                                                     abs=1e-12)
            error += len(inside) / 400 * abs(accuracy - confidence)
        else:
            assert (bin_.confidence, bin_.accuracy) == (None, None)
    assert (len(fit.bins), fit.error) == (15, pytest.approx(error, abs=1e-12))


def test_a_confidence_on_an_edge_is_in_the_bin_below_it() -> None:
    fit = calibration(np.array([[.75, .25], [1., 0.], [.5, .5]]), np.array([0, 1, 0]), bins=4)
    # .5 up to .5, .75 up to .75, 1 up to 1. Of equals the first label is predicted.
    assert [one.items for one in fit.bins] == [0, 1, 1, 1]
    assert fit.accuracy == pytest.approx(2 / 3)
    assert fit.error == pytest.approx((abs(1 - .5) + abs(1 - .75) + abs(0 - 1)) / 3)
    # (.25^2 + .25^2) + (1 + 1) + (.5^2 + .5^2), over three.
    assert fit.brier == pytest.approx((.125 + 2 + .5) / 3)
    with pytest.raises(ValueError, match="no items"):
        calibration(np.zeros((0, 2)), np.zeros(0, dtype=int))


def test_distances_to_people_are_those_of_their_formulas_in_nats() -> None:
    table = np.array([(9, 1), (5, 5), (10, 0)])
    probabilities = np.array([[.7, .3], [.5, .5], [0., 1.]])
    apart = distances(table, probabilities)
    raised = [[.7, .3], [.5, .5], [LEAST / (1 + LEAST), 1 / (1 + LEAST)]]
    for place, (crowd, system) in enumerate(zip((table / 10).tolist(), raised, strict=True)):
        middle = [(p + q) / 2 for p, q in zip(crowd, system, strict=True)]
        # scipy's entropy of two distributions is their divergence in nats.
        assert apart.jensen_shannon[place] == pytest.approx(math.sqrt(max(
            0, (entropy(crowd, middle) + entropy(system, middle)) / 2)), abs=1e-12)
        assert apart.kullback_leibler[place] == pytest.approx(entropy(crowd, system), abs=1e-12)
    assert apart.jensen_shannon[1] == 0
    assert apart.kullback_leibler[2] == pytest.approx(-math.log(LEAST))
