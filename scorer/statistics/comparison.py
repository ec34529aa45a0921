"""Two rows on one metric: the difference, how sure it is, and on which items it rests.

Scores of 0 and 1 get McNemar's exact test, others a permutation test (``resampling.py``). Both are
two-sided.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from scorer.core.errors import counted
from scorer.core.records import NORMAL
from scorer.core.results import Interval, MetricValue, Test, VersusNull
from scorer.statistics import ALPHA, FEWEST, TIE
from scorer.statistics.intervals import made, none, percentiles, t_factor, t_interval
from scorer.statistics.resampling import (
    FLIPS,
    Scores,
    Vector,
    permutation_p,
    resampled,
    row_of,
    swap_p,
    without_ties,
)

MOST_TOSSES = 10_000
"""Of more of them scipy computes the tail, which then takes less time than its import."""


class McNemar(NamedTuple):
    """p of McNemar's test of paired 0/1 scores; items on which both agree say nothing."""

    exact: float
    """Decides."""
    mid: float
    """Shown beside it only: with few discordant items it rejects more often than it says."""


def mcnemar(wins: int, losses: int) -> McNemar:
    """The exact binomial test of ``wins`` among ``wins + losses``, and its mid-p.

    ``wins``: items that only the first has right. The exact p is 2 P(X <= fewer) of as many tosses,
    mid-p is P(X <= fewer) + P(X < fewer). Fagerland, Lydersen and Laake: The McNemar test for
    binary matched-pairs data. BMC Medical Research Methodology 13, 2013.

    >>> mcnemar(4, 0)
    McNemar(exact=0.125, mid=0.0625)
    """
    fewer, total = min(wins, losses), wins + losses
    tail = coin_tail(fewer, total)
    return McNemar(min(1.0, 2 * tail), tail + coin_tail(fewer - 1, total))


def coin_tail(heads: int, tosses: int) -> float:
    """The probability of at most so many heads when a fair coin is tossed.

    >>> coin_tail(1, 4) == (1 + 4) / 2**4
    True
    """
    if tosses > MOST_TOSSES and heads >= 0:
        from scipy.special import bdtr

        return float(bdtr(heads, tosses, 0.5))
    ways, total = 1, 0
    for count in range(heads + 1):
        total += ways
        ways = ways * (tosses - count) // (count + 1)
    return total / (1 << tosses)


def mcnemar_p(wins: ArrayLike, losses: ArrayLike) -> Vector:
    """The exact p of many pairs at once, in the shape of the counts."""
    from scipy.special import bdtr

    won, lost = np.asarray(wins), np.asarray(losses)
    tail: Vector = 2 * bdtr(np.minimum(won, lost), won + lost, 0.5)
    return np.minimum(1.0, tail)


@dataclass(frozen=True)
class Comparison:
    """What is known of a difference between two rows, A and B, over the same items."""

    n: int
    a: float
    """A's value over all items."""
    b: float
    interval: Interval
    """Of ``difference``."""
    test: Test
    p: float
    """Two-sided; decides."""
    p_mid: float | None
    """McNemar's mid-p, to be shown only; None for a permutation test."""
    effect: float | None
    """``effect_name`` of A against B; None where it is not defined."""
    wins: tuple[int, ...]
    """One-based rows of the items on which A is better, each by itself; the greatest differences
    first."""
    losses: tuple[int, ...]
    """Those on which B is better."""
    ahead: Literal["A", "B"] | None
    """Whose value is better; None if they are equal."""
    needed: float
    """The least difference of these two that would be significant, in the metric's unit."""

    @property
    def effect_name(self) -> Literal["matched odds ratio", "Cohen's d_z"]:
        """What kind of effect it is."""
        return "matched odds ratio" if self.test == "mcnemar" else "Cohen's d_z"

    @property
    def difference(self) -> float:
        """A's value less B's."""
        return self.a - self.b

    @property
    def ties(self) -> int:
        """Items on which both score the same."""
        return self.n - len(self.wins) - len(self.losses)

    @property
    def better(self) -> Literal["A", "B"] | None:
        """Who is significantly better; None if nobody is, or there are too few items to say."""
        return self.ahead if self.n >= FEWEST and self.p <= ALPHA else None


def compare(a: Scores, b: Scores, *, binary: bool, better: str, widest: float = math.inf
            ) -> Comparison:
    """Compare two rows' scores of the same items, in the same order.

    ``binary``: scores are 0 or 1. ``better``: ``higher`` or ``lower``. ``widest``: how far two
    scores can be apart. Of a number of the whole split the interval is that of percentiles of
    paired resamples of items. Raises ValueError for sequences of unequal length or none.
    """
    one, two = row_of(a), row_of(b)
    n, sign = len(one.items), 1 if better == "higher" else -1
    if n != len(two.items) or not n:
        raise ValueError(f"{n} scores against {len(two.items)}")
    deltas = without_ties(one.items - two.items)
    gain = sign * deltas
    wins, losses = _rows(gain), _rows(-gain)
    lead = sign * (one.whole - two.whole) if one.total else float(gain.sum())
    test: Test = "mcnemar" if binary else "permutation"
    p_mid = effect = None
    if one.total:
        drawn = resampled(one) - resampled(two)
        spread = float(drawn.std(ddof=1))
        interval = (made(*percentiles(drawn), "bootstrap") if spread
                    else none("drawn sets of items hardly differ"))
        p, needed = float(swap_p([one, two])[0, 1]), NORMAL * spread
    elif binary:
        p, p_mid = mcnemar(len(wins), len(losses))
        interval = proportions_interval(deltas)
        effect = len(wins) / len(losses) if losses else None
        needed = least_gap(len(wins) + len(losses)) / n
    else:
        spread = float(deltas.std(ddof=1)) if n > 1 else 0.0
        interval, p = difference_interval(deltas, widest), permutation_p(deltas)
        effect = float(gain.mean()) / spread if spread else None
        needed = t_factor(n) * spread / math.sqrt(n) if spread else 0.0
    return Comparison(n, one.whole, two.whole, interval, test, p, p_mid, effect, wins, losses,
                      None if abs(lead) <= 1e-9 else "A" if lead > 0 else "B", needed)


def _rows(gain: Vector) -> tuple[int, ...]:
    """One-based rows where ``gain`` is above 0, the greatest first, equal ones in order."""
    above = np.flatnonzero(gain > 0)
    return tuple((above[np.argsort(-gain[above], kind="stable")] + 1).tolist())


def proportions_interval(differences: Sequence[float] | Vector) -> Interval:
    """Bonett and Price's interval of a difference of paired proportions.

    ``differences``: -1, 0 or 1 an item. Two discordant items are added, one each way::

        d = (wins - losses) / (n + 2),  s = (wins + losses + 2) / (n + 2)
        d -+ z * sqrt((s - d^2) / (n + 2))

    Bonett and Price: Adjusted Wald confidence interval for a difference of binomial proportions
    based on paired data. Journal of Educational and Behavioral Statistics 37, 2012.
    """
    n = len(differences) + 2
    middle = float(np.sum(differences)) / n
    share = float(np.abs(differences).sum() + 2) / n
    margin = NORMAL * math.sqrt((share - middle**2) / n)
    return made(max(-1.0, middle - margin), min(1.0, middle + margin), "bonett-price")


def difference_interval(differences: Vector, widest: float = math.inf) -> Interval:
    """The t interval of the mean of paired differences, none of which is further from 0 than
    ``widest``; none where all are equal."""
    if len(differences) < 2 or np.ptp(differences) == 0:
        return none("every item has the same difference")
    return t_interval(differences, within=(-widest, widest))


def verdict(result: Comparison, *, a: str = "A", b: str = "B",
            number: Callable[[float], str] = "{:.4f}".format) -> str:
    """One sentence for people; ``a`` and ``b`` are the rows' names; ``number`` writes values."""
    if result.n < FEWEST:
        return f"no verdict: {counted(result.n, 'item')}, fewer than {FEWEST}"
    if result.better is not None:
        return f"{a if result.better == 'A' else b} is better"
    if not result.wins and not result.losses:
        return "no significant difference: they score the same on every item"
    if result.test == "permutation":
        return (f"no significant difference: they differ by {number(abs(result.difference))}; with "
                f"this spread, significance needs about {number(result.needed)}")
    differing = len(result.wins) + len(result.losses)
    gap = abs(len(result.wins) - len(result.losses))
    return (f"no significant difference: {counted(differing, 'item')} differ and "
            f"{'neither leads' if not gap else f'the lead is {gap}'}; significance "
            f"needs {round(result.needed * result.n)}")


# ---- gaps that can be seen -----------------------------------------------------------------------


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


def smallest_gap(scores: Sequence[Scores], *, binary: bool) -> float | None:
    """The least difference between two rows that its test would call significant, in the metric's
    unit.

    Two rows that are truly this far apart are told apart about every other time. Over rows that are
    next to each other when ordered by their values. For 0/1 metrics the exact McNemar test at the
    median share of discordant items; else t at the median standard deviation of the paired
    differences, and of a number of the whole split the bootstrap's standard error. None with fewer
    than two rows or FEWEST items.
    """
    rows = sorted(map(row_of, scores),
                  key=lambda row: row.whole if row.total else math.fsum(row.items))
    if len(rows) < 2 or (n := len(rows[0].items)) < FEWEST:
        return None
    if rows[0].total:
        drawn = [resampled(row) for row in rows]
        return NORMAL * median(float((two - one).std(ddof=1)) for one, two in pairwise(drawn))
    differences = [two.items - one.items for one, two in pairwise(rows)]
    if binary:
        share = median(float((np.abs(difference) > TIE).mean()) for difference in differences)
        return least_gap(round(share * n)) / n
    spread = median(float(difference.std(ddof=1)) for difference in differences)
    return t_factor(n) * spread / math.sqrt(n)


# ---- against the null ----------------------------------------------------------------------------


def versus_null(values: Scores, nulls: Scores, *, binary: bool, better: str) -> VersusNull:
    """A system's scores against those of its own null; ``better``: ``higher`` or ``lower``.

    ``binary``: differences are -1, 0 or 1. p is rounded to six significant digits: below that,
    numerical libraries differ.
    """
    row, null = row_of(values), row_of(nulls)
    differences = without_ties(row.items - null.items)
    difference = row.whole - null.whole if row.total else float(differences.sum())
    p = (mcnemar(int((differences > 0).sum()), int((differences < 0).sum())).exact if binary
         else float(swap_p([row, null])[0, 1]) if row.total else permutation_p(differences))
    ahead = difference > 0 if better == "higher" else difference < 0
    return VersusNull(p=float(f"{p:.6g}"), better=bool(ahead and p <= ALPHA),
                      test="mcnemar" if binary else "permutation")


def can_be(versus: VersusNull, value: float, null: float, n: int, *, binary: bool, better: str,
           ) -> bool:
    """Whether a test against a null can have come out so, where the null's items are not known.

    ``n``: how many items ``value`` and ``null`` are means of; the others as in ``versus_null``.

    >>> can_be(VersusNull(p=0.5, better=True, test="mcnemar"), 0.9, 0.1, 40, binary=True,
    ...        better="higher")
    False
    """
    ahead = value > null if better == "higher" else value < null
    test, least = ("mcnemar", 2 * 0.5**n) if binary else ("permutation", 1 / (1 + FLIPS))
    return (versus.test == test and float(f"{least:.6g}") <= versus.p <= 1
            and versus.better == (ahead and versus.p <= ALPHA))


def marked(value: MetricValue, *, graded: bool) -> bool:
    """Whether a value is to be marked as not better than its null.

    ``graded``: whether the metric grades graphs. Others see labels and gates alone, and there a
    null is never worse than its system, so nothing is marked; nor is it with few items.
    """
    versus = value.versus_null
    return graded and value.n >= FEWEST and versus is not None and not versus.better
