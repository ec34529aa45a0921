"""The smallest gap that a board can tell, from how much its rows differ item by item."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import numpy as np

from scorer.core.share import NORMAL
from scorer.statistics import ALPHA, FEWEST, TIE
from scorer.statistics.corpus import Corpus, resampled
from scorer.statistics.intervals import t_factor
from scorer.statistics.paired import one_mcnemar_p


class Gap(NamedTuple):
    """The least difference between two rows of a board that its test would call significant.

    Two rows that are truly this far apart are told apart about every other time: it is what can be
    seen, not what will be.
    """

    value: float
    """In the metric's unit."""
    items: int | None
    """The same in items, for a metric of 0 and 1."""
    spread: float
    """What it rests on: the median over adjacent rows of the share of discordant items, of the
    standard deviation of the differences, or of the standard error of the difference."""
    pairs: int
    """How many pairs of adjacent rows."""


def least_gap(discordant: int) -> int:
    """The least lead, in items, that exact McNemar calls at 5 % with so many discordant items.

    With fewer than six none is enough, so it is six: 2 / 2^6 = .031, 2 / 2^5 = .063.

    >>> [least_gap(n) for n in (4, 6, 44, 100)]
    [6, 6, 14, 22]
    """
    total = max(discordant, 6)
    enough = bisect_right(range(total // 2 + 1), ALPHA,
                          key=lambda losses: one_mcnemar_p(total - losses, losses))
    return total - 2 * (enough - 1)


def smallest_gap(rows: Sequence[Sequence[float]], *, binary: bool) -> Gap | None:
    """The smallest gap that rows can be told apart by; ``rows``: one score an item each.

    Over rows that are next to each other when ordered by their means. For 0/1 metrics the exact
    McNemar test at the median share of discordant items; else t at the median standard deviation of
    the paired differences. None with fewer than two rows or FEWEST items.
    """
    if len(rows) < 2 or len(rows[0]) < FEWEST:
        return None
    scores = np.array(sorted(rows, key=math.fsum), dtype=float)
    n = scores.shape[1]
    differences = np.diff(scores, axis=0)
    if binary:
        share = median(float((np.abs(one) > TIE).mean()) for one in differences)
        items = least_gap(round(share * n))
        return Gap(items / n, items, share, len(differences))
    spread = median(float(one.std(ddof=1)) for one in differences)
    return Gap(t_factor(n) * spread / math.sqrt(n), None, spread, len(differences))


def smallest_gap_of_corpora(rows: Sequence[Corpus]) -> Gap | None:
    """The same on a number of the whole split, by the bootstrap's standard error."""
    if len(rows) < 2 or len(rows[0].items) < FEWEST:
        return None
    drawn = [resampled(row) for row in sorted(rows, key=lambda row: row.whole)]
    spread = median(float((two - one).std(ddof=1)) for one, two in pairwise(drawn))
    return Gap(NORMAL * spread, None, spread, len(rows) - 1)
