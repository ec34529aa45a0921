"""Every two rows of a board on one metric; between which ranks each may stand, as far as its items
can tell.

``[1 + rows significantly better, m - rows significantly worse]`` among m rows. Ties are not
transitive, so there are no groups of ties: each row has an interval of its own. The family is one
metric. Holm corrects each row's comparisons with the rows above it, and with those alone: rows
below a row never change who is above it, so that strangers cannot blur the top by adding
bad rows. The interval holds a row's true rank in at least 95 of 100 samples.

Mogstad, Romano, Shaikh and Wilhelm: Inference for ranks with applications to mobility across
neighbourhoods and academic achievement across countries. Review of Economic Studies 91, 2024.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scorer.statistics import ALPHA, FEWEST, TIE
from scorer.statistics.comparison import mcnemar_p
from scorer.statistics.resampling import Scores, Vector, row_of, swap_p


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
    every = [*map(row_of, rows.values())]
    scores = np.array([row.items for row in every], dtype=float).reshape(len(rows), -1)
    values = np.array([row.whole for row in every])
    signed, led = (scores, values) if better == "higher" else (-scores, -values)
    wins = np.array([(row - signed > TIE).sum(axis=1) for row in signed], dtype=np.int64)
    return Pairwise(tuple(rows), scores.shape[1], "mcnemar" if binary else "permutation", values,
                    wins, mcnemar_p(wins, wins.T) if binary else swap_p(every),
                    led[:, None] - led[None, :] > TIE)


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


@dataclass(frozen=True)
class Candidate:
    """One row that wants a rank on one metric."""

    key: str
    team: str
    """Whose it is; for predictions by others, something of its own such as the key."""
    value: float
    reference: bool = False
    """Made by this software."""
    withdrawn: bool = False

    @property
    def may_rank(self) -> bool:
        """Whether it is a system that stands by its answers."""
        return not (self.reference or self.withdrawn)


class RankInterval(NamedTuple):
    """The ranks a row may have, 1 the best."""

    first: int
    last: int
    better: tuple[str, ...]
    """Keys of the rows that are significantly better than it."""
    worse: tuple[str, ...]
    """Keys of those that are significantly worse."""


class Ranks(NamedTuple):
    """Rank intervals of a board's rows on one metric."""

    holm: Mapping[str, RankInterval]
    """By key, best value first: each row against the rows above it, corrected by Holm."""
    why_not: str = ""
    """Why there are none."""


def eligible(candidates: Sequence[Candidate], *, better: str) -> list[str]:
    """Keys of the rows that get a rank, best first: one a team, no reference, none withdrawn.

    Equal values: by key.
    """
    sign = -1 if better == "higher" else 1
    order = sorted(candidates, key=lambda row: (sign * row.value, row.key))
    best: dict[str, str] = {}
    for candidate in order:
        if candidate.may_rank:
            best.setdefault(candidate.team, candidate.key)
    return list(best.values())


def rank_intervals(pairs: Pairwise) -> Ranks:
    """The rank intervals of rows from their pairwise tests.

    The rows are those that ``eligible`` gives, of one signature (``signature.comparable_groups``).
    """
    if pairs.n < FEWEST:
        return Ranks({}, f"{pairs.n} items are too few ({FEWEST} needed)")
    corrected = np.zeros_like(pairs.ahead)
    for row in range(len(pairs.keys)):
        above = np.flatnonzero(pairs.ahead[:, row])
        p = np.array(holm(pairs.p[above, row].tolist()))
        corrected[above[p <= ALPHA], row] = True
    return Ranks(_intervals(pairs, corrected))


def _intervals(pairs: Pairwise, significant: np.ndarray) -> dict[str, RankInterval]:
    """Rows ahead of most others first, equal ones by key.

    ``significant[i, j]``: row i is significantly better than row j.
    """
    ahead = pairs.ahead.sum(axis=1)
    intervals = {}
    for row in sorted(range(len(pairs.keys)), key=lambda row: (-int(ahead[row]), pairs.keys[row])):
        above = tuple(pairs.keys[other] for other in np.flatnonzero(significant[:, row]))
        below = tuple(pairs.keys[other] for other in np.flatnonzero(significant[row]))
        intervals[pairs.keys[row]] = RankInterval(
            1 + len(above), len(pairs.keys) - len(below), above, below
        )
    return intervals
