"""Whether people find one system better than another: the test between two corrected rows."""

from collections.abc import Mapping

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_rel

from benchmarks import bench_annotations
from scorer.people.powered import Verdicts, powered, side, t_of
from scorer.people.powered import compared as pairwise
from scorer.statistics import ALPHA
from scorer.statistics.distributions import t_outside
from scorer.statistics.pairwise import Pairwise
from scorer.statistics.ranks import rank_intervals

N = 398
Row = tuple[dict[int, float], dict[int, float]]
"""People's verdicts on some items, a judge's on those that passed."""


def compared(rows: Mapping[str, Row], items: int = N) -> Pairwise:
    return pairwise({name: Verdicts.of(*row, range(items)) for name, row in rows.items()},
                    {name: powered(*row, items).value or 0.0 for name, row in rows.items()})


def row_of(seed: int, share: float, read: int, *, right: float = .85, items: int = N) -> Row:
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


def test_reading_the_same_items_tells_more_than_reading_others() -> None:
    rng = np.random.default_rng(4)
    one = (rng.random(N) < .6).astype(float)
    other = np.where(rng.random(N) < .9, one, 0.0)
    judge = dict.fromkeys(range(N), 1.0)
    first = dict(enumerate(one[:100].tolist()))
    same = dict(enumerate(other[:100].tolist()))
    elsewhere = {100 + n: verdict for n, verdict in same.items()}
    p = [compared({"a": (first, judge), "b": (read, judge)}).p[0, 1]
         for read in (same, elsewhere)]
    assert p[0] < p[1]


def test_two_rows_are_compared_once_and_equal_ones_have_no_order() -> None:
    rows = {"a": row_of(5, .3, 50), "b": row_of(6, .4, 80), "c": row_of(7, .8, 120)}
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
