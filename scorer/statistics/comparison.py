"""Two rows on one metric: the difference, how sure it is, and on which items it rests."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from scorer.core.errors import counted
from scorer.core.records import NORMAL
from scorer.core.results import Interval
from scorer.statistics import ALPHA, FEWEST
from scorer.statistics.corpus import (
    Scores,
    corpora_of,
    interval,
    items_of,
    least_gap,
    resampled,
    swap_p,
)
from scorer.statistics.intervals import made, none, t_factor, t_interval
from scorer.statistics.paired import Vector, mcnemar, permutation_p, without_ties


@dataclass(frozen=True)
class Comparison:
    """What is known of a difference between two rows, A and B, over the same items."""

    n: int
    a: float
    """A's value over all items."""
    b: float
    interval: Interval
    """Of ``difference``."""
    test: Literal["mcnemar", "permutation"]
    p: float
    """Two-sided; decides."""
    p_mid: float | None
    """McNemar's mid-p, to be shown only; None for a permutation test."""
    effect: float | None
    """``effect_name`` of A against B; None where it is not defined."""
    effect_name: Literal["matched odds ratio", "Cohen's d_z"]
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
    one, two = items_of(a), items_of(b)
    if len(one) != len(two) or not len(one):
        raise ValueError(f"{len(one)} scores against {len(two)}")
    n, sign = len(one), 1 if better == "higher" else -1
    deltas = without_ties(one - two)
    gain = sign * deltas
    wins, losses = _rows(gain), _rows(-gain)
    if corpora := corpora_of((a, b)):
        drawn = resampled(corpora[0]) - resampled(corpora[1])
        spread, whole, other = float(drawn.std(ddof=1)), corpora[0].whole, corpora[1].whole
        return Comparison(
            n, whole, other, wins=wins, losses=losses, ahead=_ahead(sign * (whole - other)),
            interval=(made(*interval(drawn), "bootstrap") if spread
                      else none("drawn sets of items hardly differ")),
            test="permutation", p=float(swap_p(corpora)[0, 1]), p_mid=None, effect=None,
            effect_name="Cohen's d_z", needed=NORMAL * spread)
    shared: dict[str, Any] = {
        "n": n, "a": math.fsum(one) / n, "b": math.fsum(two) / n,
        "wins": wins, "losses": losses, "ahead": _ahead(float(gain.sum())),
    }
    if binary:
        tested = mcnemar(len(wins), len(losses))
        return Comparison(
            **shared, interval=proportions_interval(deltas), test="mcnemar", p=tested.exact,
            p_mid=tested.mid, effect=len(wins) / len(losses) if losses else None,
            effect_name="matched odds ratio",
            needed=least_gap(len(wins) + len(losses)) / n,
        )
    spread = float(deltas.std(ddof=1)) if n > 1 else 0.0
    return Comparison(
        **shared, interval=difference_interval(deltas, widest), test="permutation",
        p=permutation_p(deltas), p_mid=None, effect=float(gain.mean()) / spread if spread else None,
        effect_name="Cohen's d_z",
        needed=t_factor(n) * spread / math.sqrt(n) if spread else 0.0,
    )


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


def _rows(gain: Vector) -> tuple[int, ...]:
    """One-based rows where ``gain`` is above 0, the greatest first, equal ones in order."""
    above = np.flatnonzero(gain > 0)
    return tuple((above[np.argsort(-gain[above], kind="stable")] + 1).tolist())


def _ahead(total: float) -> Literal["A", "B"] | None:
    if abs(total) <= 1e-9:
        return None
    return "A" if total > 0 else "B"
