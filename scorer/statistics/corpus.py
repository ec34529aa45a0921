"""Two systems on one number of the whole split, such as corpus BLEU, made of sums of counts.

Such a number is no mean over items, so there are no differences whose signs could be flipped. But
flipping the sign of an item's difference is nothing else than letting the two systems swap what
they have there, and counts can be swapped as well: if the systems are alike, each is as likely to
have given either text. So the p-value is that of the same permutation test (E. Noreen:
Computer-Intensive Methods for Testing Hypotheses, 1989; S. Riezler and J. Maxwell: On some pitfalls
in automatic evaluation and significance testing for MT, 2005, who find it to err less often than
the bootstrap test of P. Koehn, 2004).

The bootstrap draws items with replacement and makes a set's value from how often each was drawn;
nothing is counted again. Metrics that depend on the whole set (CIDEr, BERTScore) keep the weights
of the whole set: only which items count is drawn. B. Efron and R. Tibshirani, "An Introduction to
the Bootstrap", 1993, chapter 13.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from statistics import median
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scorer.core.records import NORMAL, ItemScore
from scorer.statistics import ALPHA, FEWEST, LEVEL, TIE
from scorer.statistics.intervals import t_factor
from scorer.statistics.paired import FLIPS, Vector, all_signs, mcnemar, sign_blocks

DRAWS, SEED = 1000, 0
BLOCK = 100
"""Draws made at once, so that memory does not grow with them; DRAWS are a multiple of it."""
_NOISE = 1e-9
"""Values that differ by no more are equal; counts are exact."""

Total = Callable[[Mapping[str, Any]], Any]
"""Sums of the items' parts by name, numbers or arrays -> the value, or an array of values."""


@dataclass(frozen=True)
class Corpus:
    """One row on such a metric: what each item adds to the sums."""

    names: tuple[str, ...]
    """Of the parts, k of them."""
    counts: Vector
    """(n, k)."""
    items: Vector
    """(n,): the value of each item by itself, which is shown and never averaged."""
    total: Total

    def value(self, sums: Vector) -> Vector:
        """The values of sums (k, ...), in the shape (...)."""
        return np.asarray(self.total(dict(zip(self.names, sums, strict=True))), dtype=float)

    @property
    def whole(self) -> float:
        """The value of all items."""
        return float(self.value(self.counts.sum(axis=0)))


Scores: TypeAlias = "Sequence[float] | Corpus"
"""A row on any metric: one score an item, or what each item adds to the sums."""


def items_of(row: Scores) -> Vector:
    """The score of each item by itself."""
    return row.items if isinstance(row, Corpus) else np.asarray(row, dtype=float)


def corpora_of(rows: Iterable[Scores]) -> list[Corpus]:
    """The rows on a number of the whole split; none of another metric."""
    return [row for row in rows if isinstance(row, Corpus)]


def corpus(items: Sequence[ItemScore], total: Total) -> Corpus:
    """A row of some items' scores. Raises ValueError if their parts are not what ``total`` needs.
    """
    names = tuple(sorted(items[0].parts)) if items else ()
    if not names or any(item.parts.keys() != set(names) for item in items):
        raise ValueError("items of different parts")
    row = Corpus(names, np.array([[item.parts[name] for name in names] for item in items], float),
                 np.array([item.value for item in items], float), total)
    try:
        row.value(row.counts.sum(axis=0))
    except LookupError as fault:
        raise ValueError(f"no part {fault}") from fault
    return row


def swap_p(rows: Sequence[Corpus]) -> Vector:
    """Of every two rows, how often swapping items gives values as far apart: (m, m), 1 with itself.

    All swaps are tried where no more than FLIPS are possible; else FLIPS are drawn with a fixed
    seed, the same for every pair, and p = (1 + as far) / (1 + FLIPS).
    """
    m, p = len(rows), np.ones((len(rows), len(rows)))
    drawn = {}
    for one, two in combinations(range(m), 2):
        apart = rows[one].counts - rows[two].counts
        differing = apart[(np.abs(apart) > _NOISE).any(axis=1)]
        if 2 ** len(differing) > FLIPS:
            drawn[one, two] = 0
        else:
            swapped = differing.T @ all_signs(len(differing)).T
            p[one, two] = p[two, one] = float(_as_far(rows[one], rows[two], swapped).mean())
    for signs in sign_blocks(len(rows[0].counts)) if drawn else ():
        swapped_sums = [row.counts.T @ signs for row in rows]
        for one, two in drawn:
            far = _as_far(rows[one], rows[two], swapped_sums[one] - swapped_sums[two])
            drawn[one, two] += int(far.sum())
    for (one, two), count in drawn.items():
        p[one, two] = p[two, one] = (1 + count) / (1 + FLIPS)
    return p


def _as_far(a: Corpus, b: Corpus, apart: Vector) -> Any:
    """Whether each swap leaves the values as far apart; ``apart``: (k, swaps), a's sums less b's.
    """
    both = (a.counts.sum(axis=0) + b.counts.sum(axis=0))[:, None]
    gaps = np.abs(a.value((both + apart) / 2) - a.value((both - apart) / 2))
    return gaps >= abs(a.whole - b.whole) - _NOISE


# ---- the bootstrap ----------------------------------------------------------------------------


def resampled(row: Corpus) -> NDArray[np.float64]:
    """The row's value for DRAWS sets of as many items drawn with replacement.

    The same items are drawn for every metric and every system of as many items, so that
    differences are of pairs.
    """
    sums = [drawn @ row.counts for drawn in _times(len(row.counts))]
    return row.value(np.concatenate(sums).T)


def interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """The percentile interval of resampled values."""
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


@lru_cache(maxsize=1)
def _times(n: int) -> tuple[NDArray[np.uint8], ...]:
    """How often each of ``n`` items is drawn: (BLOCK, n) each.

    Kept for the next metric of as many items: a byte an item and draw, for none is drawn 256 times.
    """
    rng = np.random.default_rng(SEED)
    shares = np.full(n, 1 / n)
    return tuple(rng.multinomial(n, shares, BLOCK).astype(np.uint8)
                 for _ in range(0, DRAWS, BLOCK))


def least_gap(discordant: int) -> int:
    """The least lead, in items, that exact McNemar calls at 5 % with so many discordant items.

    With fewer than six none is enough, so it is six: 2 / 2^6 = .031, 2 / 2^5 = .063.

    >>> [least_gap(n) for n in (4, 6, 44, 100)]
    [6, 6, 14, 22]
    """
    total = max(discordant, 6)
    enough = bisect_right(range(total // 2 + 1), ALPHA,
                          key=lambda losses: mcnemar(total - losses, losses).exact)
    return total - 2 * (enough - 1)


def smallest_gap(rows: Sequence[Scores], *, binary: bool) -> float | None:
    """The least difference between two rows that its test would call significant, in the metric's
    unit.

    Two rows that are truly this far apart are told apart about every other time. Over rows that are
    next to each other when ordered by their values. For 0/1 metrics the exact McNemar test at the
    median share of discordant items; else t at the median standard deviation of the paired
    differences, and of a number of the whole split the bootstrap's standard error. None with fewer
    than two rows or FEWEST items.
    """
    if len(rows) < 2 or (n := len(items_of(rows[0]))) < FEWEST:
        return None
    if corpora := corpora_of(rows):
        drawn = [resampled(row) for row in sorted(corpora, key=lambda row: row.whole)]
        return NORMAL * median(float((two - one).std(ddof=1)) for one, two in pairwise(drawn))
    scores = np.array(sorted(map(items_of, rows), key=math.fsum), dtype=float)
    differences = np.diff(scores, axis=0)
    if binary:
        share = median(float((np.abs(difference) > TIE).mean()) for difference in differences)
        return least_gap(round(share * n)) / n
    spread = median(float(difference.std(ddof=1)) for difference in differences)
    return t_factor(n) * spread / math.sqrt(n)
