"""How sure people and systems are: every figure against another way to compute it."""

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest

from scorer.people.agreement import measured, measured_counts
from scorer.people.documents import PeopleDocument
from scorer.people.sureness import (
    bins_of,
    by_sureness,
    entropies,
    expected_right,
    from_people,
    sureness,
    unclear,
)
from scorer.statistics.calibration import LEAST, calibration, distances

COUNTS = [(9, 1), (5, 5), (3, 7), (10, 0), (6, 4), (2, 8)]
GOLD = [0, 1, 1, 1, 0, 0]
THREE = [(3, 2, 2), (4, 1, 2), (0, 7, 0), (2, 2, 3)]


def said(counts: NDArray[np.int64], gold: Sequence[int], named: Sequence[int] = (),
         ) -> PeopleDocument:
    return sureness(counts, gold, named, digest="0" * 64)


def by_hand(counts: tuple[int, ...], right: int, n: int) -> Fraction:
    """The share of all groups of ``n`` people whose most frequent label is right."""
    people = [label for label, count in enumerate(counts) for _ in range(count)]
    groups = list(combinations(people, n))
    total = Fraction(0)
    for group in groups:
        told = Counter(group)
        most = [label for label, count in told.items() if count == max(told.values())]
        total += Fraction(int(right in most), len(most))
    return total / len(groups)


@pytest.mark.parametrize("counts", [*COUNTS, *THREE])
@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_majority_of_some_people_is_that_of_all_groups_of_them(
    counts: tuple[int, ...], n: int
) -> None:
    for right in range(len(counts)):
        assert expected_right([counts], [right], n) == pytest.approx(
            [float(by_hand(counts, right, n))], abs=1e-12)


def test_all_people_agree_with_gold_by_halves_where_they_are_tied() -> None:
    # 9:1 right, 5:5 half, 3:7 right, 10:0 wrong, 6:4 right, 2:8 wrong.
    found = said(np.array(COUNTS), GOLD)
    assert found.majority.value == 7 / 12
    assert (found.items, found.answers, found.tied) == (6, 60, 1)
    assert found.right == 9 + 5 + 7 + 0 + 6 + 2
    assert found.one.value == 29 / 60
    majorities = {one.people: one.right.value for one in found.majorities}
    assert list(majorities) == [3, 5, 10]
    assert majorities[10] == found.majority.value
    assert majorities[3] == float(sum(
        by_hand(one, right, 3) for one, right in zip(COUNTS, GOLD, strict=True)) / 6)


def test_a_source_that_names_its_majority_settles_ties() -> None:
    named = [0, 1, 1, 0, 0, 1]
    found = said(np.array(COUNTS), GOLD, named)
    assert found.majority.value == 4 / 6
    assert found.majority.method == "wilson"


def test_groups_are_no_larger_than_the_fewest_people_of_an_item() -> None:
    for first, sizes in (((2, 2), [3, 4]), ((1, 0), [1])):
        found = said(np.array([first, (3, 4)]), [0, 1]).majorities
        assert [one.people for one in found] == sizes


def test_agreement_by_counts_is_that_of_single_answers() -> None:
    for table in (COUNTS, THREE):
        single = [[label for label, count in enumerate(one) for _ in range(count)]
                  for one in table]
        assert measured_counts(np.array(table)) == measured(single)


def test_entropies_are_in_bits_and_fall_into_four_bins_of_equal_width() -> None:
    table = np.array([(10, 0), (5, 5), (9, 1), (89, 11), (50, 50)])
    assert entropies(table) == pytest.approx([0, 1, -.9 * math.log2(.9) - .1 * math.log2(.1),
                                              -.89 * math.log2(.89) - .11 * math.log2(.11), 1])
    places, edges = bins_of(table)
    assert edges == [0, .25, .5, .75, 1]
    assert places.tolist() == [0, 3, 1, 1, 3]
    # Of three labels the greatest entropy is log2(3) = 1.585; 1, of two labels, is in the third.
    places, edges = bins_of(np.array([(2, 2, 2), (3, 3, 0)]))
    assert edges[-1] == pytest.approx(math.log2(3))
    assert places.tolist() == [3, 2]


@pytest.mark.parametrize("n", [3, 20, 100])
def test_an_item_is_unclear_where_a_sign_test_of_the_two_most_frequent_labels_is_not_significant(
    n: int
) -> None:
    for one in range(n + 1):
        assert unclear((one, n - one)) == (binomtest(one, n, .5).pvalue > .05)
        assert unclear((one, 0, n - one)) == unclear((one, n - one))


def test_bins_divide_the_items_and_their_means_make_the_whole() -> None:
    found = said(np.array(COUNTS), GOLD)
    assert sum(one.items for one in found.bins) == 6
    assert sum(one.items * (one.one.value or 0) for one in found.bins) == pytest.approx(6 * 29 / 60)
    first, second, *_ = said(np.array([(10, 0)]), [0]).bins
    assert (first.items, first.one.value) == (1, 1)
    assert (second.items, second.one.value, second.one.note) == (0, None, "no items")


def test_accuracy_of_systems_is_divided_by_the_same_bins() -> None:
    table = np.array([(10, 0), (10, 0), (5, 5), (5, 5), (5, 5)])
    found = by_sureness(table, [1, 0, 1, 1, 0], "0" * 64)
    assert found.whole.value == pytest.approx(3 / 5)
    assert [one.value for one in found.bins] == [.5, None, None, pytest.approx(2 / 3)]
    assert found.whole.method == "wilson"


# ---- probabilities ---------------------------------------------------------------------------


def drawn(items: int, labels: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    source = np.random.default_rng(3)
    return source.dirichlet([.7] * labels, items), source.integers(0, labels, items)


@pytest.mark.parametrize("labels", [2, 3])
def test_the_calibration_error_is_that_of_a_plain_loop(labels: int) -> None:
    probabilities, gold = drawn(400, labels)
    found = calibration(probabilities, gold)
    error = 0.0
    for place in range(15):
        inside = [(max(row), int(np.argmax(row)) == right)
                  for row, right in zip(probabilities.tolist(), gold.tolist(), strict=True)
                  if place / 15 < max(row) <= (place + 1) / 15]
        bin_ = found.bins[place]
        assert bin_.items == len(inside)
        if inside:
            confidence = math.fsum(one for one, _ in inside) / len(inside)
            accuracy = sum(right for _, right in inside) / len(inside)
            assert bin_.confidence == pytest.approx(confidence, abs=1e-12)
            assert bin_.accuracy == pytest.approx(accuracy, abs=1e-12)
            error += len(inside) / 400 * abs(accuracy - confidence)
        else:
            assert (bin_.confidence, bin_.accuracy) == (None, None)
    assert found.error == pytest.approx(error, abs=1e-12)


def test_the_brier_score_is_twice_that_of_scikit_learn_for_two_labels() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    probabilities, gold = drawn(400, 2)
    assert calibration(probabilities, gold).brier == pytest.approx(
        2 * metrics.brier_score_loss(gold, probabilities[:, 1]), abs=1e-12)


def test_a_confidence_on_an_edge_is_in_the_bin_below_it() -> None:
    found = calibration(np.array([[.6, .4], [1., 0.], [.5, .5]]), np.array([0, 1, 0]), bins=5)
    # .6 and .5 up to .6; 1 up to 1. Of equals the first label is predicted.
    assert [one.items for one in found.bins] == [0, 0, 2, 0, 1]
    assert found.accuracy == pytest.approx(2 / 3)
    assert found.error == pytest.approx(2 / 3 * abs(1 - .55) + 1 / 3 * abs(0 - 1))
    # (.4^2 + .4^2) + (1 + 1) + (.5^2 + .5^2), over three.
    assert found.brier == pytest.approx((.32 + 2 + .5) / 3)


def test_no_items_have_no_calibration() -> None:
    with pytest.raises(ValueError, match="no items"):
        calibration(np.zeros((0, 2)), np.zeros(0, dtype=int))


def kl(one: list[float], other: list[float]) -> float:
    return math.fsum(p * math.log(p / q) for p, q in zip(one, other, strict=True) if p)


def test_distances_to_people_are_those_of_their_formulas_in_nats() -> None:
    table = np.array([(9, 1), (5, 5), (10, 0)])
    probabilities = np.array([[.7, .3], [.5, .5], [0., 1.]])
    found = distances(table, probabilities)
    raised = [[.7, .3], [.5, .5], [LEAST / (1 + LEAST), 1 / (1 + LEAST)]]
    for place, (people, system) in enumerate(zip((table / 10).tolist(), raised, strict=True)):
        middle = [(p + q) / 2 for p, q in zip(people, system, strict=True)]
        apart = math.sqrt(max(0, (kl(people, middle) + kl(system, middle)) / 2))
        assert found.jensen_shannon[place] == pytest.approx(apart, abs=1e-12)
        assert found.kullback_leibler[place] == pytest.approx(kl(people, system), abs=1e-12)
    assert found.jensen_shannon[1] == 0
    assert found.kullback_leibler[2] == pytest.approx(-math.log(LEAST))
    assert from_people(table, probabilities)[0].value == pytest.approx(
        found.jensen_shannon.mean())
