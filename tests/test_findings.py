"""What a board's rows say together, on made scores."""

import pytest

from scorer.statistics.findings import PairTest, against, separation
from scorer.statistics.pairwise import Pairwise, pairwise

N = 100


def row(right: int, first: int = 0) -> list[float]:
    """So many of ``N`` items right, from the first-th on."""
    return [float(first <= item < first + right) for item in range(N)]


@pytest.fixture
def pairs() -> Pairwise:
    return pairwise({"best": row(80), "near": row(79), "plain": row(50)},
                    binary=True, better="higher")


def test_a_metric_separates_pairs_that_differ_after_correction(pairs: Pairwise) -> None:
    found = separation(pairs)
    assert (found.pairs, found.uncorrected) == (3, 2)
    assert [(pair.row, pair.other, pair.wins, pair.losses) for pair in found.separated] == [
        ("best", "plain", 30, 0), ("near", "plain", 29, 0)]
    assert found.separated[0].p == pytest.approx(2 / 2**30)


def test_every_row_is_set_against_one(pairs: Pairwise) -> None:
    assert against(pairs, "best") == (
        PairTest("near", "best", 0, 1, 1.0, 1.0),
        PairTest("plain", "best", 0, 30, pytest.approx(2 / 2**30), pytest.approx(4 / 2**30)))


def test_more_questions_ask_for_more_evidence() -> None:
    six = pairwise({"a": row(50), "b": row(56)}, binary=True, better="higher")
    [pair] = against(six, "a")
    assert pair.p == 2 / 2**6
    assert pair.significant, "alone, .031 is significant"
    more = pairwise({"a": row(50), "b": row(56), "c": row(50, 1)}, binary=True, better="higher")
    assert not any(pair.significant for pair in against(more, "a")), "two tests need .025"


def test_where_distances_are_compared_the_lower_row_stands_first() -> None:
    found = separation(pairwise({"far": row(60), "close": row(20)}, binary=True, better="lower"))
    assert [(pair.row, pair.other) for pair in found.separated] == [("close", "far")]
