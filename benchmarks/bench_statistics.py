"""How often intervals hold the truth, how often tests call a difference that is none; and the cost.

    python -m benchmarks.bench_statistics

Made-up items, seeded. Coverage of Wilson's interval is exact, a sum over every count there can be.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.special import ndtri
from scipy.stats import binom, permutation_test

from scorer.metrics.captions import of_counts
from scorer.statistics import intervals
from scorer.statistics.comparison import compare, mcnemar, mcnemar_p, proportions_interval
from scorer.statistics.ranks import Pairwise, pairwise, rank_intervals
from scorer.statistics.resampling import FLIPS, Corpus, permutation_p, resampled, swap_p

N = 400
RUNS = 10_000
FEW_RUNS = 2_000
PASSING = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
SHARES = (0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98)
SYSTEMS, RANKED_ITEMS = 20, 398
DISCORDANT = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)


def run() -> list[dict[str, Any]]:
    """Rows of name, ours, theirs, ratio, unit, note."""
    return [*_proportions(), *_means(), *_clusters(), *_differences(), *_mcnemar(),
            *_permutations(), *_swaps(), *_ranks(), *_cost()]


def _row(name: str, ours: float, unit: str, note: str = "", theirs: float | None = None,
         ratio: float | None = None) -> dict[str, Any]:
    return {"name": name, "ours": ours, "theirs": theirs, "ratio": ratio, "unit": unit,
            "note": note}


def _proportions() -> Iterator[dict[str, Any]]:
    bounds = [(one.low, one.high) for one in (intervals.proportion(k, N) for k in range(N + 1))]
    low, high = np.array(bounds, dtype=float).T

    def coverage(p: float) -> float:
        return float(binom.pmf(np.flatnonzero((low <= p) & (p <= high)), N, p).sum())

    for share in SHARES:
        yield _row(f"coverage of Wilson, p = {share}", coverage(share), "share", "exact")
    grid = [coverage(p) for p in np.linspace(0.02, 0.98, 961)]
    yield _row("coverage of Wilson, least of p in [.02, .98]", min(grid), "share", "961 values")
    yield _row("coverage of Wilson, greatest of p in [.02, .98]", max(grid), "share", "961 values")


def _means() -> Iterator[dict[str, Any]]:
    """Scores that lean to 0, and items that fail a gate and count 0."""
    source = np.random.default_rng(1)
    for (a, b), n, passing in product(((2, 6), (0.6, 2), (0.3, 3)), (100, N), PASSING):
        passed = source.random((FEW_RUNS, n)) < passing
        values = source.beta(a, b, (FEW_RUNS, n)) * passed
        drawn = [one for one in values if (one > 1e-9).any()]
        truth, by_t = passing * a / (a + b), [intervals.t_interval(one) for one in drawn]
        ours = [intervals.mean(one) for one in drawn]
        yield _row(f"coverage of the mean, beta({a}, {b}), n = {n}, {passing:.1%} pass",
                   _held(ours, truth), "share",
                   f"{len(drawn)} runs of {FEW_RUNS} in which any pass; t: "
                   f"{_held(by_t, truth):.3f}; mean width {_width(ours):.4f}, of t "
                   f"{_width(by_t):.4f}")
    for passing in (0.2, 0.5):
        passed = source.random((FEW_RUNS // 2, N)) < passing
        values = source.beta(2, 6, (FEW_RUNS // 2, N)) * passed
        found = [intervals.of_passed(*both) for both in zip(values, passed, strict=True)]
        yield _row(f"coverage of the bootstrap over what passed, {passing:.0%}",
                   _held(found, 0.25), "share", f"{FEW_RUNS // 2} runs")


def _clusters() -> Iterator[dict[str, Any]]:
    """Belief-like clusters of one, two or eight items whose scores move together."""
    source = np.random.default_rng(2)
    for size in (1, 2, 8):
        groups = np.repeat(np.arange(N // size), size)
        plain = together = 0
        for _ in range(FEW_RUNS):
            shared = source.normal(0, 0.2, N // size)[groups]
            values = 0.5 + shared + source.normal(0, 0.2, N)
            found = intervals.clustered(values, groups.tolist())
            off = abs(values.mean() - 0.5)
            plain += off <= 1.96 * values.std(ddof=1) / N**0.5
            together += off <= 1.96 * (found.se or 0.0)
        yield _row(f"coverage of 1.96 clustered errors, {size} items a cluster",
                   together / FEW_RUNS, "share", f"usual errors: {plain / FEW_RUNS:.3f}")


def _differences() -> Iterator[dict[str, Any]]:
    source = np.random.default_rng(3)
    for share in DISCORDANT:
        drawn = source.choice([1.0, -1.0, 0.0], (FEW_RUNS, N),
                              p=[0.7 * share, 0.3 * share, 1 - share])
        held = _held([proportions_interval(one) for one in drawn], 0.4 * share)
        yield _row(f"coverage of Bonett-Price, {share:.0%} discordant", held, "share",
                   f"{FEW_RUNS} runs")


def _held(found: list[Any], truth: float) -> float:
    return sum(one.given and one.low <= truth <= one.high for one in found) / len(found)


def _width(found: list[Any]) -> float:
    return float(np.mean([one.high - max(0.0, one.low) for one in found if one.given]))


def _mcnemar() -> Iterator[dict[str, Any]]:
    source = np.random.default_rng(4)
    for share in DISCORDANT:
        discordant = source.binomial(N, share, RUNS)
        wins = source.binomial(discordant, 0.5)
        exact = float((mcnemar_p(wins, discordant - wins) <= 0.05).mean())
        pairs, times = np.unique(np.stack([wins, discordant - wins]), axis=1, return_counts=True)
        mid = sum(count for (won, lost), count in zip(pairs.T, times, strict=True)
                  if mcnemar(int(won), int(lost)).mid <= 0.05) / RUNS
        yield _row(f"type I error of exact McNemar, {share:.0%} discordant", exact, "share",
                   f"{RUNS} runs; mid-p: {mid:.4f}")


def _permutations() -> Iterator[dict[str, Any]]:
    source = np.random.default_rng(5)
    for passing in (0.05, 0.5):
        called, each = 0, 20
        for _ in range(FEW_RUNS // each):
            scores = source.beta(1, 3, (2 * each, N)) * (source.random((2 * each, N)) < passing)
            found = pairwise({str(n): one for n, one in enumerate(scores)}, binary=False,
                             better="higher")
            called += sum(found.p[2 * n, 2 * n + 1] <= 0.05 for n in range(each))
        yield _row(f"type I error of the permutation test, {passing:.0%} of the items pass",
                   called / FEW_RUNS, "share", f"{FEW_RUNS} runs")


def _swaps() -> Iterator[dict[str, Any]]:
    """BLEU-4 of two systems whose texts come from one source, or from two."""
    source = np.random.default_rng(7)
    runs = FEW_RUNS // 2
    for n in (100, N):
        called = by_resampling = 0
        for _ in range(runs):
            a, b = made_texts(source, n, (0.0, 0.0))
            called += swap_p([a, b])[0, 1] <= 0.05
            drawn = resampled(a) - resampled(b)
            as_far = np.abs(drawn - drawn.mean()) >= abs(a.whole - b.whole)
            by_resampling += (1 + as_far.sum()) / (1 + len(drawn)) <= 0.05
        yield _row(f"type I error of swapping items, BLEU-4, {n} items", called / runs, "share",
                   f"{runs} runs; Koehn's bootstrap test, shifted: {by_resampling / runs:.3f}")
    many = made_texts(source, 200_000, (0.2, 0.0))
    truth = many[0].whole - many[1].whole
    found = [compare(*made_texts(source, N, (0.2, 0.0)), binary=False, better="higher")
             for _ in range(FEW_RUNS // 4)]
    yield _row("coverage of paired resamples, difference of BLEU-4",
               _held([one.interval for one in found], truth), "share",
               f"{FEW_RUNS // 4} runs, {N} items; it is {truth:.3f}, and swapping finds it in "
               f"{sum(one.better == 'A' for one in found) / len(found):.2f}")
    rows = {str(at): one for at, one in enumerate(made_texts(source, N, [0.0] * 50))}
    start = time.process_time()
    pairwise(rows, binary=False, better="higher")
    yield _row("50 rows, BLEU-4, every pair by swapping", time.process_time() - start, "s", "CPU")


def _ranks() -> Iterator[dict[str, Any]]:
    """20 systems as far apart as real ones, whose items are hard for all or easy for all.

    Two systems of one skill differ on 23 % of the items. Rows that are alike share their ranks, and
    an interval has to hold them all.
    """
    source, runs = np.random.default_rng(8), 1_000
    for gap in (0.0, 0.25, 0.5, 1.0, 2.0):
        found, held_rows = np.zeros(3), np.zeros(SYSTEMS)
        share = 0.5 + gap / 100 * ((SYSTEMS - 1) / 2 - np.arange(SYSTEMS))
        first = 1 + (share[:, None] < share).sum(axis=1)
        last = SYSTEMS - (share[:, None] > share).sum(axis=1)
        for _ in range(runs):
            ranks = rank_intervals(_board(source, share)).holm
            one = np.array([ranks[f"{row:02}"][:2] for row in range(SYSTEMS)])
            held = (one[:, 0] <= first) & (one[:, 1] >= last)
            found += (one[0, 0] == 1, held.all(), (one[:, 1] - one[:, 0] + 1).mean())
            held_rows += held
        best, together, width = found / runs
        yield _row(f"rank intervals, {gap} points apart: hold a row's rank",
                   held_rows.min() / runs, "share",
                   f"the worst held row, {runs} runs; rank 1 of the best {best:.3f}; all rows "
                   f"at once {together:.3f}; mean width {width:.1f}")


def _board(source: np.random.Generator, share: np.ndarray) -> Pairwise:
    """Rows that pass so many of the items on average."""
    easy = source.normal(size=RANKED_ITEMS) * 0.75**0.5
    own = source.normal(size=(SYSTEMS, RANKED_ITEMS)) * 0.25**0.5
    passed = (easy + own < ndtri(share)[:, None]).astype(float)
    return pairwise({f"{row:02}": one for row, one in enumerate(passed)}, binary=True,
                    better="higher")


def made_texts(source: np.random.Generator, n: int, skills: Sequence[float]) -> list[Corpus]:
    """Counts as of texts of 5 to 14 words; words match more often on easy items and after words
    that matched. A skill of 0.2 more is 5 points of BLEU-4."""
    easy, found = source.normal(0, 0.7, n), []
    for skill in skills:
        words = source.integers(5, 15, n)
        chance = 1 / (1 + np.exp(-skill - easy))
        matched = [source.binomial(words, chance)]
        for order in range(1, 4):
            matched.append(source.binomial(np.minimum(matched[-1], words - order), chance))
        parts = {"reference words": source.integers(5, 15, n)}
        for order, count in enumerate(matched, start=1):
            parts |= {f"{order}-grams": words - order + 1, f"matched {order}-grams": count}
        found.append(Corpus(tuple(parts), np.array(list(parts.values()), float).T, of_counts(parts),
                            of_counts))
    return found


def _cost() -> Iterator[dict[str, Any]]:
    source = np.random.default_rng(6)
    scores = source.random((50, N))
    start = time.process_time()
    for _ in range(7):
        pairwise({str(n): one for n, one in enumerate(scores)}, binary=False, better="higher")
    ours = time.process_time() - start
    start = time.process_time()
    for n in range(5):
        permutation_test((scores[n], scores[n + 1]), _difference, permutation_type="samples",
                         vectorized=True, n_resamples=FLIPS, rng=source)
    theirs = (time.process_time() - start) / 5 * 1225 * 7
    yield _row("50 rows, 7 metrics, every pair, permutation", ours, "s",
               "CPU; scipy's permutation_test: 5 pairs, scaled to all", theirs, theirs / ours)
    start = time.process_time()
    permutation_p(scores[0] - scores[1])
    yield _row("one pair, permutation", time.process_time() - start, "s", "CPU")


def _difference(one: Any, other: Any, axis: int) -> Any:
    return one.mean(axis=axis) - other.mean(axis=axis)


if __name__ == "__main__":
    for line in run():
        ratio = "" if line["ratio"] is None else f", {line['ratio']:.0f} times as fast"
        print(f"{line['name']:64} {line['ours']:.4f} {line['unit']}  {line['note']}{ratio}")
