"""Paired tests: exact values, what scipy says, how often they err, and every pair at once; the same
of a number of the whole split, by swaps and resamples."""

import math
from itertools import pairwise as pairs_of
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, permutation_test

from scorer.core.records import ItemScore
from scorer.core.results import VersusNull
from scorer.metrics.catalogue import METRICS
from scorer.statistics.comparison import (
    compare,
    marked,
    mcnemar,
    smallest_gap,
    verdict,
    versus_null,
)
from scorer.statistics.intervals import t_factor
from scorer.statistics.ranks import pairwise
from scorer.statistics.resampling import (
    FLIPS,
    Corpus,
    corpus,
    permutation_p,
    resampled,
    sign_blocks,
    swap_p,
)
from tests.effort import A_SECOND, within
from tests.values import metric_value

N = 400

counts = st.integers(0, 60)


# ---- McNemar -------------------------------------------------------------------------------


@given(counts, counts)
def test_the_exact_p_is_the_sum_over_what_is_as_unlikely(wins: int, losses: int) -> None:
    found, total = mcnemar(wins, losses), wins + losses
    exact = binomtest(wins, total).pvalue if total else 1.0
    assert found.exact == pytest.approx(exact, rel=1e-12)
    assert found.mid <= found.exact <= 1
    assert mcnemar(losses, wins).exact == pytest.approx(found.exact)


@pytest.mark.parametrize(("wins", "losses"), [(5_900, 6_100), (6_000, 6_000), (0, 10_001)])
def test_of_many_discordant_items_both_p_are_scipys(wins: int, losses: int) -> None:
    found, n, fewer = mcnemar(wins, losses), wins + losses, min(wins, losses)
    assert found.mid == pytest.approx(sum(binom.cdf([fewer, fewer - 1], n, 0.5)))
    assert found.exact == pytest.approx(binomtest(wins, n).pvalue)


def test_a_hundred_million_discordant_items_take_no_time() -> None:
    found = within(A_SECOND, lambda: mcnemar(50_000_000, 50_010_000))
    # z = 10,000 / sqrt(100,010,000) = .99995: p = 2 * (1 - Phi(z)) = .3173
    assert found.exact == pytest.approx(.3173, abs=1e-4)
    assert found.exact - found.mid == pytest.approx(
        math.exp(-.5) * math.sqrt(2 / (math.pi * 100_010_000)), rel=1e-3)


# ---- permutation ---------------------------------------------------------------------------


@given(st.lists(st.floats(-1, 1).filter(lambda d: abs(d) > 1e-6), min_size=1, max_size=9))
def test_few_differences_try_every_flip(differences: list[float]) -> None:
    found = np.array(differences)
    sums = [abs(np.dot(signs, found)) for signs in product((1, -1), repeat=len(found))]
    wanted = np.mean([total >= abs(found.sum()) - 1e-9 for total in sums])
    assert permutation_p(found) == pytest.approx(wanted)
    assert permutation_p([*differences, *[0.0] * 50]) == permutation_p(differences)


def test_the_permutation_test_is_scipys() -> None:
    many = np.random.default_rng(6).normal(0.02, 0.3, N)
    p = float(permutation_test(
        (many,), lambda found, axis: found.mean(axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=FLIPS, rng=np.random.default_rng(5)).pvalue)
    assert permutation_p(many) == pytest.approx(p, abs=4 * (p * (1 - p) / FLIPS) ** 0.5 + 1e-3)


def test_drawn_flips_are_even_and_always_the_same_and_their_least_p_is_not_0() -> None:
    assert permutation_p(np.full(N, 0.5)) == 1 / (1 + FLIPS)
    assert permutation_p(np.zeros(N)) == 1
    blocks = list(sign_blocks(37))
    signs = np.concatenate(blocks, axis=1)
    assert signs.shape == (37, FLIPS)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert abs(signs.mean(axis=1)).max() < 5 / FLIPS**0.5
    assert all((one == two).all() for one, two in zip(blocks, sign_blocks(37), strict=True))


# ---- every pair ----------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "better"), [
    ("binary", "higher"), ("mean", "lower"), ("whole", "higher")])
def test_every_pair_has_what_the_two_have_alone(kind: str, better: str) -> None:
    source, binary = np.random.default_rng(7), kind == "binary"
    base = source.random(N)
    rows = {f"row-{n}": np.clip(base + source.normal(n / 100, 0.2, N), 0, 1) for n in range(6)}
    rows["copy"] = rows["row-0"]
    rows["near"] = np.where(np.arange(N) < 5, 1 - base, rows["row-0"])
    if binary:
        rows = {key: (values > 0.5).astype(float) for key, values in rows.items()}
    if kind == "whole":
        rows = dict(zip("abcd", texts(source, N, 0.0, 0.1, 0.2, 0.9), strict=True))
    found = pairwise(rows, binary=binary, better=better)
    for one, two in product(range(len(rows)), repeat=2):
        a, b = rows[found.keys[one]], rows[found.keys[two]]
        alone = compare(a, b, binary=binary, better=better)
        assert found.p[one, two] == pytest.approx(alone.p, rel=1e-9)
        assert found.wins[one, two] == len(alone.wins)
        assert found.wins[two, one] == len(alone.losses)
        assert found.ahead[one, two] == (alone.ahead == "A")
        assert (found.means[one], found.means[two]) == (alone.a, alone.b)


def test_nothing_differs_without_items() -> None:
    assert permutation_p([]) == 1
    found = pairwise({"a": [], "b": []}, binary=False, better="higher")
    assert (found.p == 1).all()


def test_great_values_are_as_far_apart_as_themselves() -> None:
    great = {"a": [863178922 / 3, 541461220 / 3], "b": [299711890, 422687221]}
    assert pairwise(great, binary=False, better="higher").p[0, 1] == 0.5


def test_the_smallest_gap_knows_rows_of_equal_sums_as_equal() -> None:
    """Their order is that of the rows, however the same scores are added up."""
    chance = np.random.default_rng(11)
    scores = chance.random(101)
    rows = [chance.permutation(scores).tolist() for _ in range(4)]
    spreads = sorted(np.std(np.subtract(one, two), ddof=1) for one, two in pairs_of(rows))
    assert smallest_gap(rows, binary=False) == pytest.approx(
        t_factor(101) * spreads[1] / math.sqrt(101), abs=1e-12)


def test_rows_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="2 scores against 1"):
        compare([1, 0], [1], binary=True, better="higher")
    with pytest.raises(ValueError, match="inhomogeneous"):
        pairwise({"a": [1, 0], "b": [1]}, binary=True, better="higher")


def test_an_interval_ends_where_differences_do() -> None:
    # Mean -.567, s .451: t with two degrees of freedom reaches 4.303 * .451 / sqrt(3) = 1.12.
    free, bound = (compare([0, .1, 0], [1, .2, .6], binary=False, better="higher", **widest)
                   .interval for widest in ({}, {"widest": 1.0}))
    assert (free.low, free.high) == pytest.approx((-1.687, .553), abs=.001)
    assert (bound.low, bound.high) == (-1, free.high)


# ---- one comparison ------------------------------------------------------------------------


@given(st.integers(100, 160), st.integers(0, 999), st.booleans(),
       st.sampled_from(("higher", "lower")))
def test_a_comparison_turned_round_says_the_same_of_the_other(
    n: int, seed: int, binary: bool, better: str
) -> None:
    source = np.random.default_rng(seed)
    a, b = source.random((2, n)).round(0 if binary else 2)
    one = compare(a, b, binary=binary, better=better)
    two = compare(b, a, binary=binary, better=better)
    assert (one.wins, one.losses, one.ties) == (two.losses, two.wins, two.ties)
    assert one.difference == -two.difference
    assert one.p == pytest.approx(two.p)
    assert {one.better, two.better} in ({None}, {"A", "B"})
    assert one.interval.low <= one.difference <= one.interval.high
    assert one.interval.low == pytest.approx(-two.interval.high)


def test_the_greatest_wins_come_first() -> None:
    found = compare([0.2, 0.9, 0.5, 0.5], [0.1, 0.1, 0.1, 0.5], binary=False, better="higher")
    assert (found.wins, found.losses, found.ties) == ((2, 3, 1), (), 1)


def test_what_it_would_need_is_what_the_test_would_call() -> None:
    a, b = [1.0] * 30 + [0.0] * 370, [0.0] * 30 + [1.0] * 20 + [0.0] * 350
    found = compare(a, b, binary=True, better="higher")
    assert found.better is None
    lead = round(found.needed * N)
    assert mcnemar((50 + lead) // 2, (50 - lead) // 2).exact <= 0.05
    assert mcnemar((50 + lead - 2) // 2, (50 - lead + 2) // 2).exact > 0.05
    assert f"significance needs {lead}" in verdict(found)
    assert "score the same on every item" in verdict(compare(a, a, binary=True, better="higher"))


# ---- against the null ----------------------------------------------------------------------


def test_a_value_is_better_than_its_null_only_if_it_leads_and_the_test_says_so() -> None:
    ones, zeros = [1.0] * N, [0.0] * N
    few = [1.0] * 5 + [0.0] * (N - 5)
    assert versus_null(ones, zeros, binary=True, better="higher").better
    assert not versus_null(zeros, ones, binary=True, better="higher").better
    assert versus_null(zeros, ones, binary=False, better="lower").better
    assert versus_null(few, zeros, binary=True, better="higher") == VersusNull(
        p=2 * 0.5**5, better=False, test="mcnemar")
    assert versus_null(ones, ones, binary=True, better="higher").p == 1


def test_only_a_graded_value_of_enough_items_is_marked() -> None:
    worse = metric_value(0.5, n=N, versus_null=VersusNull(p=0.3, better=False, test="permutation"))
    assert marked(worse, graded=True)
    assert not marked(worse, graded=False)
    assert not marked(metric_value(0.5, n=99, versus_null=worse.versus_null), graded=True)
    assert not marked(metric_value(0.5, n=N), graded=True)


# ---- numbers of the whole split ----------------------------------------------------------------


def mean(sums):
    """A mean as a number of the whole split, so that what tests means can be asked as well."""
    return sums["score"] / sums["items"]


def row(values) -> Corpus:
    return corpus([ItemScore(value, {"score": value, "items": 1}) for value in values], mean)


def texts(source: np.random.Generator, n: int, *skills: float) -> list[Corpus]:
    """BLEU-2 of systems whose words match so often, more on easy items: counts as of real texts."""
    easy = source.normal(0, 0.7, n)
    found = []
    for skill in skills:
        words = source.integers(5, 15, n)
        chance = 1 / (1 + np.exp(-skill - easy))
        one = source.binomial(words, chance)
        two = source.binomial(np.maximum(one - 1, 0), chance)
        parts = [{"reference words": 9, "1-grams": int(w), "matched 1-grams": int(a),
                  "2-grams": int(w) - 1, "matched 2-grams": int(b)}
                 for w, a, b in zip(words, one, two, strict=True)]
        found.append(corpus([ItemScore(float(METRICS["BLEU-2"].total(part)), part)
                             for part in parts], METRICS["BLEU-2"].total))
    return found


def test_swapping_what_makes_a_mean_is_flipping_signs() -> None:
    source = np.random.default_rng(1)
    a, b = source.random((2, N))
    assert swap_p([row(a), row(b)])[0, 1] == permutation_p(a - b)
    a, b = a[:8], b[:8]
    assert swap_p([row(a), row(b)])[0, 1] == permutation_p(a - b), "all 256 swaps"


def test_few_differing_items_are_swapped_in_every_way() -> None:
    a, b = texts(np.random.default_rng(2), 9, 0.0, 0.5)
    bleu, far, each = METRICS["BLEU-2"].total, abs(a.whole - b.whole), []
    for swapped in product((False, True), repeat=9):
        one = np.where(np.array(swapped)[:, None], b.counts, a.counts).sum(axis=0)
        other = np.where(np.array(swapped)[:, None], a.counts, b.counts).sum(axis=0)
        both = [bleu(dict(zip(a.names, sums, strict=True))) for sums in (one, other)]
        each.append(abs(both[0] - both[1]) >= far - 1e-9)
    assert swap_p([a, b])[0, 1] == sum(each) / 2**9


def test_the_better_system_is_named_with_its_items() -> None:
    a, b = texts(np.random.default_rng(4), N, 0.6, 0.0)
    found = compare(a, b, binary=False, better="higher")
    assert (found.a, found.b) == (a.whole, b.whole)
    assert (found.p, found.better, found.test) == (1 / (1 + FLIPS), "A", "permutation")
    assert found.interval.method == "bootstrap"
    assert 0 < found.interval.low < found.difference < found.interval.high
    assert len(found.wins) == (a.items > b.items + 2e-9).sum()
    assert compare(a, b, binary=False, better="lower").better == "B"
    same = compare(a, a, binary=False, better="higher")
    assert (same.p, same.difference, same.better, same.interval.given) == (1, 0, None, False)
    assert verdict(same).endswith("they score the same on every item")


def test_the_interval_of_a_mean_is_that_of_resampled_pairs() -> None:
    source = np.random.default_rng(5)
    a, b = source.random((2, N))
    found, by_t = (compare(row(a), row(b), binary=False, better="higher").interval,
                   compare(a, b, binary=False, better="higher").interval)
    assert (found.low, found.high) == pytest.approx((by_t.low, by_t.high), abs=0.005)
    drawn = resampled(row(a)) - resampled(row(b))
    assert drawn.std() == pytest.approx((a - b).std() / N**0.5, rel=0.1), "the same items of both"


def test_the_smallest_gap_of_a_mean_is_that_of_its_items() -> None:
    a, b, c = np.random.default_rng(9).random((3, N))
    wanted = smallest_gap([a, b, c], binary=False)
    found = smallest_gap([row(a), row(b), row(c)], binary=False)
    assert found == pytest.approx(wanted, rel=0.1)
    assert smallest_gap([row(a)], binary=False) is None


def test_items_without_the_parts_of_the_metric_are_refused() -> None:
    total = METRICS["BLEU-1"].total
    whole = ItemScore(1.0, {"reference words": 2, "1-grams": 2, "matched 1-grams": 2})
    for items in ([], [ItemScore(1.0)], [whole, ItemScore(1.0)],
                  [ItemScore(1.0, {"reference words": 2, "a": 2, "b": 2})]):
        with pytest.raises(ValueError, match="part"):
            corpus(items, total)
