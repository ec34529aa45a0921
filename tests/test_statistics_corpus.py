"""Two rows of one number of the whole split: swaps, resamples, ranks and the smallest gap."""

from itertools import product

import numpy as np
import pytest

from scorer.core.records import ItemScore
from scorer.metrics.catalogue import METRICS
from scorer.statistics.comparison import compare, smallest_gap, verdict
from scorer.statistics.ranks import pairwise
from scorer.statistics.resampling import FLIPS, Corpus, corpus, permutation_p, resampled, swap_p

N = 400


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


def test_every_pair_of_a_board_has_the_p_of_the_pair_alone() -> None:
    rows = texts(np.random.default_rng(6), N, 0.0, 0.1, 0.2)
    found = pairwise(dict(zip("abc", rows, strict=True)), binary=False, better="higher")
    alone = compare(rows[0], rows[2], binary=False, better="higher")
    assert found.p[0, 2] == found.p[2, 0] == alone.p
    assert (found.wins[0, 2], found.wins[2, 0]) == (len(alone.wins), len(alone.losses))
    assert list(found.means) == [one.whole for one in rows]
    assert found.ahead[2, 0]
    values = np.random.default_rng(7).random((3, N))
    means = {str(at): one for at, one in enumerate(values)}
    by_sums = {key: row(one) for key, one in means.items()}
    assert (pairwise(by_sums, binary=False, better="lower").ahead
            == pairwise(means, binary=False, better="lower").ahead).all()


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
