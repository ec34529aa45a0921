"""Rows of scores, and what they could have been by chance: swapped items, and items drawn again.

A row's value is made of sums over its items: the mean of their scores, or a number of the whole
split such as corpus BLEU, made of sums of counts. Of two systems that are alike, each is as likely
to have given either answer to an item. So the p-value is that of a permutation test in which they
swap what they have there; of a mean that is to flip the sign of the item's difference (E. Noreen:
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scorer.core.records import ItemScore
from scorer.statistics import TIE

FLIPS = 9_999
"""Swaps drawn where there are too many to try all."""
SEED = 20_240_502
_NOISE = 1e-9
"""Values of sums of counts that differ by no more are equal; counts are exact."""
_BLOCK = 1_000
_SIGNS = 20_000_000
"""Held at once, as floats: blocks of more than 20,000 items are narrower."""
DRAWS, DRAWS_SEED, DRAWN_AT_ONCE = 1000, 0, 100
"""Of the bootstrap. DRAWS are a multiple of those at once, so that memory does not grow."""

Vector = NDArray[np.float64]
Total = Callable[[Mapping[str, Any]], Any]
"""Sums of the items' parts by name, numbers or arrays -> the value, or an array of values."""


@dataclass(frozen=True)
class Corpus:
    """One row on a metric: what each item adds to the sums."""

    names: tuple[str, ...]
    """Of the parts, k of them."""
    counts: Vector
    """(n, k); of a mean the scores."""
    items: Vector
    """(n,): the value of each item by itself."""
    total: Total | None
    """None of a mean."""

    def value(self, sums: Vector) -> Vector:
        """The values of sums (k, ...), in the shape (...)."""
        if self.total is None:
            return np.asarray(sums[0] / len(self.items))
        return np.asarray(self.total(dict(zip(self.names, sums, strict=True))), dtype=float)

    @property
    def whole(self) -> float:
        """The value of all items."""
        if self.total is None:
            return float(self.items.mean()) if len(self.items) else math.nan
        return float(self.value(self.counts.sum(axis=0)))


Scores: TypeAlias = "Sequence[float] | Corpus"
"""A row on any metric: one score an item, or what each item adds to the sums."""


def row_of(scores: Scores | Vector) -> Corpus:
    """A row on any metric."""
    if isinstance(scores, Corpus):
        return scores
    values = np.asarray(scores, dtype=float)
    return Corpus(("score",), values[:, None], values, None)


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


# ---- swaps --------------------------------------------------------------------------------------


def permutation_p(differences: Sequence[float] | Vector) -> float:
    """How often flipping the signs of the differences gives a mean as far from 0: ``swap_p``."""
    values = without_ties(differences)
    return float(swap_p([row_of(values), row_of(np.zeros(len(values)))])[0, 1])


def swap_p(rows: Sequence[Corpus]) -> Vector:
    """Of every two rows, how often swapping items gives values as far apart: (m, m), 1 with itself.

    All swaps are tried where no more than FLIPS are possible, of items that differ by more than
    TIE; else FLIPS are drawn with a fixed seed, the same for every pair, and
    p = (1 + as far) / (1 + FLIPS).
    """
    m = len(rows)
    counts = np.stack([row.counts.T for row in rows], axis=1)  # (k, m, n)
    wholes = counts.sum(axis=2, keepdims=True)
    p, drawn = np.ones((m, m)), dict[int, dict[int, int]]()
    for one, two in combinations(range(m), 2):
        apart = counts[:, one] - counts[:, two]
        apart = apart[:, (np.abs(apart) > TIE).any(axis=0)]
        if 2 ** apart.shape[1] > FLIPS:
            drawn.setdefault(one, {})[two] = 0
        else:
            far = _as_far(rows[one], wholes[:, [one]] + wholes[:, [two]],
                          apart.sum(axis=1)[:, None, None],
                          (apart @ all_signs(apart.shape[1]).T)[:, None], apart.shape[1])
            p[one, two] = p[two, one] = far.mean()
    n = counts.shape[2]
    for signs in sign_blocks(n) if drawn else ():
        sums = (counts.reshape(-1, n) @ signs).reshape(-1, m, signs.shape[1])
        for one, others in drawn.items():
            apart = sums[:, [*others]]
            apart -= sums[:, [one]]
            far = _as_far(rows[one], wholes[:, [*others]] + wholes[:, [one]],
                          wholes[:, [*others]] - wholes[:, [one]], apart, n)
            for two, count in zip(others, np.count_nonzero(far, axis=1), strict=True):
                others[two] += int(count)
    for one, others in drawn.items():
        for two, count in others.items():
            p[one, two] = p[two, one] = (1 + count) / (1 + FLIPS)
    return p


def _as_far(row: Corpus, both: Vector, observed: Vector, swapped: Vector, n: int) -> Any:
    """Whether swaps leave the values of two rows as far apart as they are: (pairs, swaps).

    ``both``: (k, pairs, 1), their sums together. By what their sums differ: ``observed``,
    (k, pairs, 1), and ``swapped``, (k, pairs, swaps). ``n``: how many items were swapped.
    """
    if row.total is None:
        return np.abs(swapped[0], out=swapped[0]) >= np.abs(observed[0]) - TIE * n

    def gaps(apart: Vector) -> Vector:
        return np.abs(row.value((both + apart) / 2) - row.value((both - apart) / 2))

    return gaps(swapped) >= gaps(observed) - _NOISE


@lru_cache(maxsize=16)
def all_signs(n: int) -> Vector:
    """Every row of ``n`` signs, (2^n, n)."""
    bits = np.arange(2**n)[:, None] >> np.arange(n)
    return np.where(bits & 1, -1.0, 1.0)


def sign_blocks(n: int) -> Iterator[Vector]:
    """FLIPS columns of ``n`` signs, in blocks: (n, up to _BLOCK). Always the same.

    Made from the generator's bits, which numpy keeps from version to version.
    """
    source = np.random.PCG64(SEED)
    most = min(_BLOCK, max(1, _SIGNS // max(1, n)))
    for start in range(0, FLIPS, most):
        width = min(most, FLIPS - start)
        words = source.random_raw(math.ceil(n * width / 64)).astype("<u8")
        signs = np.unpackbits(words.view(np.uint8), count=n * width).astype(float)
        signs *= 2  # in place, which takes half the time of choosing between two numbers
        signs -= 1
        yield signs.reshape(n, width)


def without_ties(differences: Any) -> Vector:
    """Differences as floats, those within TIE of 0 made 0."""
    values = np.asarray(differences, dtype=float)
    return np.where(np.abs(values) <= TIE, 0.0, values)


# ---- the bootstrap ------------------------------------------------------------------------------


def resampled(row: Corpus) -> Vector:
    """The row's value for DRAWS sets of as many items drawn with replacement.

    The same items are drawn for every metric and every system of as many items, so that
    differences are of pairs.
    """
    sums = [drawn @ row.counts for drawn in _times(len(row.counts))]
    return row.value(np.concatenate(sums).T)


@lru_cache(maxsize=1)
def _times(n: int) -> tuple[NDArray[np.uint8], ...]:
    """How often each of ``n`` items is drawn: (DRAWN_AT_ONCE, n) each.

    Kept for the next metric of as many items: a byte an item and draw, for none is drawn 256 times.
    """
    rng = np.random.default_rng(DRAWS_SEED)
    shares = np.full(n, 1 / n)
    return tuple(rng.multinomial(n, shares, DRAWN_AT_ONCE).astype(np.uint8)
                 for _ in range(0, DRAWS, DRAWN_AT_ONCE))
