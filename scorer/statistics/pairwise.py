"""Every two rows of a board on one metric, at once.

Sign flips are shared by all pairs: the flipped sum of a difference is the difference of two flipped
sums, so one matrix product a row serves every pair it is in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise as neighbours

import numpy as np
from numpy.typing import NDArray

from scorer.statistics import TIE
from scorer.statistics.corpus import Scores, corpora_of, items_of, swap_p
from scorer.statistics.paired import (
    FLIPS,
    Vector,
    exact_permutation_p,
    mcnemar_p,
    sign_blocks,
)


@dataclass(frozen=True)
class Pairwise:
    """One metric of m rows over the same n items; arrays are (m, m), [row, other]."""

    keys: tuple[str, ...]
    n: int
    test: str
    """``mcnemar`` or ``permutation``."""
    means: Vector
    """(m,), the rows' values in the metric's unit."""
    wins: NDArray[np.int64]
    """Items on which the row is better than the other, each by itself; ``wins.T`` are losses, the
    rest ties."""
    p: Vector
    """Two-sided, 1 on the diagonal."""
    ahead: NDArray[np.bool_]
    """Whether the row's value is better than the other's."""

    def among(self, keys: Sequence[str]) -> Pairwise:
        """The same of some rows alone, in the order given; nothing is computed again."""
        indexes = [self.keys.index(key) for key in keys]
        both = np.ix_(indexes, indexes)
        return replace(self, keys=tuple(keys), means=self.means[indexes], wins=self.wins[both],
                       p=self.p[both], ahead=self.ahead[both])


def pairwise(rows: Mapping[str, Scores], *, binary: bool, better: str) -> Pairwise:
    """Compare every two rows, by their keys, all over the same items.

    ``binary``: scores are 0 or 1. ``better``: ``higher`` or ``lower``. Each p is the one that
    ``comparison.compare`` gives for the pair alone. Raises ValueError for rows of unequal length.
    """
    corpora = corpora_of(rows.values())
    scores = np.array([*map(items_of, rows.values())], dtype=float).reshape(len(rows), -1)
    values = np.array([row.whole for row in corpora]) if corpora else scores.mean(axis=1)
    signed, led = (scores, values) if better == "higher" else (-scores, -values)
    wins = _wins(signed)
    p = (swap_p(corpora) if corpora else mcnemar_p(wins, wins.T) if binary
         else _permutations(signed, wins + wins.T))
    return Pairwise(tuple(rows), scores.shape[1], "mcnemar" if binary else "permutation", values,
                    wins, p, led[:, None] - led[None, :] > TIE)


def _wins(scores: Vector) -> NDArray[np.int64]:
    """Of (m, n) scores, the more the better: on how many items each row is above each other."""
    wins = np.array([(score - scores > TIE).sum(axis=1) for score in scores], dtype=np.int64)
    return wins.reshape(len(scores), len(scores))


def _permutations(scores: Vector, differing: NDArray[np.int64]) -> Vector:
    """p of every pair: all flips where few items differ, else the same drawn flips for all."""
    m, n = scores.shape
    first, second = np.triu_indices(m, 1)
    few = differing[first, second] < FLIPS.bit_length()  # 2 ** differing <= FLIPS
    p = np.ones((m, m))
    for one, two in zip(first[few], second[few], strict=True):
        differences = scores[one] - scores[two]
        p[one, two] = p[two, one] = exact_permutation_p(differences[np.abs(differences) > TIE])
    first, second = first[~few], second[~few]
    drawn = (1 + _as_far(scores, first, second, n)) / (1 + FLIPS)
    p[first, second] = p[second, first] = drawn
    return p


def _as_far(scores: Vector, first: NDArray[np.int64], second: NDArray[np.int64],
            n: int) -> NDArray[np.int64]:
    """For each pair, how many drawn flips give a sum as far from 0 as the observed.

    Pairs with one ``first`` stand together.
    """
    sums = scores.sum(axis=1)
    far = np.abs(sums[first] - sums[second]) - TIE * n
    count = np.zeros(len(first), dtype=np.int64)
    rows, starts = np.unique(first, return_index=True)
    slices = [slice(*ends) for ends in neighbours([*starts, len(first)])]
    for signs in sign_blocks(n):
        flipped = scores @ signs
        for row, mine in zip(rows, slices, strict=True):
            apart = flipped[second[mine]]
            apart -= flipped[row]
            np.abs(apart, out=apart)
            count[mine] += np.count_nonzero(apart >= far[mine, None], axis=1)
    return count


def holm(values: Sequence[float]) -> list[float]:
    """p-values corrected together: the smallest times their number, the next times one less ...

    S. Holm: A simple sequentially rejective multiple test procedure. Scandinavian Journal of
    Statistics 6, 1979.

    >>> holm([.03, .01, .5])
    [0.06, 0.03, 0.5]
    """
    each = np.asarray(values, dtype=float)
    order = np.argsort(each, kind="stable")
    corrected = np.empty_like(each)
    corrected[order] = np.maximum.accumulate(
        np.minimum(1.0, each[order] * np.arange(len(each), 0, -1)))
    adjusted: list[float] = corrected.tolist()
    return adjusted
