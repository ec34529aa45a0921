"""What a board's rows say together: which metrics separate any two, and who beats a row. Pure.

One question is one family of tests, corrected by Holm: every two rows of a metric, or every row
against one of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from scorer.statistics import ALPHA
from scorer.statistics.pairwise import Pairwise, holm


class PairTest(NamedTuple):
    """One row against another one, item by item."""

    row: str
    other: str
    wins: int
    """Items on which ``row`` is better."""
    losses: int
    p: float
    """Two-sided, of this pair alone."""
    p_holm: float
    """``p``, corrected for the family."""

    @property
    def significant(self) -> bool:
        """Whether the two rows differ at 5 % within the family."""
        return self.p_holm <= ALPHA


class Separation(NamedTuple):
    """How many pairs of rows one metric tells apart."""

    pairs: int
    uncorrected: int
    """Pairs with p <= .05, each by itself."""
    separated: tuple[PairTest, ...]
    """Pairs that differ after Holm's correction over all pairs, the better row first."""


def against(pairs: Pairwise, row: str) -> tuple[PairTest, ...]:
    """Every other row against one, in the order of ``pairs``; the family is these tests.

    Raises ValueError if ``pairs`` has no such row.
    """
    one = pairs.keys.index(row)
    others = [at for at in range(len(pairs.keys)) if at != one]
    return _pair_tests(pairs, [(other, one) for other in others])


def separation(pairs: Pairwise) -> Separation:
    """What a metric tells of every two rows; the family is all of them."""
    first, second = np.triu_indices(len(pairs.keys), 1)
    both = [(one, two) if pairs.ahead[one, two] else (two, one)
            for one, two in zip(first.tolist(), second.tolist(), strict=True)]
    tests = _pair_tests(pairs, both)
    return Separation(len(tests), sum(test.p <= ALPHA for test in tests),
                      tuple(test for test in tests if test.significant))


def _pair_tests(pairs: Pairwise, places: Sequence[tuple[int, int]]) -> tuple[PairTest, ...]:
    p = [float(pairs.p[place]) for place in places]
    return tuple(
        PairTest(pairs.keys[one], pairs.keys[two], int(pairs.wins[one, two]),
                 int(pairs.wins[two, one]), value, corrected)
        for (one, two), value, corrected in zip(places, p, holm(p), strict=True))
