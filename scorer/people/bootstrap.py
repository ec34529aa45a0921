"""Percentile bootstrap over items: all that people said of a drawn item goes along.

Triplets of a graph, and votes on an item, are not independent, so items are drawn, not these. An
item's parts are its sums, and a statistic is a quotient of sums of parts, so nothing is counted
again for a draw. Some quotients are undefined for some draws (no variation is left): those draws
are dropped, and how many were is part of the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.core.results import Interval
from scorer.people.documents import Estimate
from scorer.statistics.intervals import made, none, proportion

SEED = 20_211_107
"""Fixed, so that the same votes always give the same bytes."""
DRAWS = 2_000
FEWEST_ITEMS = 5
"""With fewer there is no interval."""
_CELLS = 1_000_000
"""So many drawn items are held at once."""

NOTHING = "nothing to count"
"""Why a quotient without a denominator has no value."""

Floats = NDArray[np.float64]
Quotient = Callable[[NDArray[Any]], tuple[Any, Any]]
"""Numerator and denominator of a statistic, from sums of parts; the last axis is the parts."""


def times(n: int) -> Iterable[Floats]:
    """How often each of ``n`` items is drawn: (draws, n), in blocks, DRAWS rows in all.

    The draws are ``default_rng(SEED).integers(0, n, size=(DRAWS, n))``; those of a few items are
    kept, for one set of items has many statistics.

    >>> np.concatenate(list(times(6)))[0].tolist()
    [0.0, 0.0, 0.0, 1.0, 3.0, 2.0]
    """
    return _kept(n) if DRAWS * n <= _CELLS else _drawn(n)


@lru_cache(maxsize=4)
def _kept(n: int) -> tuple[Floats, ...]:
    return tuple(_drawn(n))


def _drawn(n: int) -> Iterator[Floats]:
    rng = np.random.default_rng(SEED)
    width = max(1, _CELLS // n)
    for start in range(0, DRAWS, width):
        rows = min(width, DRAWS - start)
        drawn = rng.integers(0, n, size=(rows, n)) + n * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(float)


def interval(parts: Floats, quotient: Quotient) -> Interval:
    """The interval of a statistic. ``parts``: (items, k), what each item adds to each sum."""
    if len(parts) < FEWEST_ITEMS:
        return none(f"fewer than {FEWEST_ITEMS} items")
    return of_draws(np.concatenate([_values(quotient(drawn @ parts))
                                    for drawn in times(len(parts))]))


def of_draws(values: Floats) -> Interval:
    """The percentile interval of a statistic's values; how many of them are NaN is noted."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return none("undefined in every draw")
    low, high = np.percentile(defined, [2.5, 97.5])
    if low == high:
        return none("the same in every draw of items")
    dropped = len(values) - len(defined)
    note = f"{dropped} of {len(values)} draws undefined" if dropped else ""
    return made(low, high, "bootstrap", note)


def _values(quotient: tuple[Any, Any]) -> Floats:
    top, bottom = (np.asarray(term, dtype=float) for term in quotient)
    values = np.full(top.shape, np.nan)
    np.divide(top, bottom, out=values, where=bottom != 0)
    return values


def ratio(sums: NDArray[Any]) -> tuple[Any, Any]:
    """The quotient of two sums."""
    return sums[..., 0], sums[..., 1]


def of_ratio(counted: Mapping[Any, Sequence[tuple[Fraction | int, int]]]) -> Estimate:
    """Sum of numerators over sum of denominators, with an interval over items.

    ``counted``: for each item, what each record of it adds to both, such as (1, 1) for a vote for
    and (0, 1) for one against. Where no item adds more than one 0 or 1 of 1, the interval is
    Wilson's.

    >>> of_ratio({"a": [(1, 1), (0, 1)], "b": [(1, 1)]}).value == 2 / 3
    True
    """
    sums = {item: (sum((Fraction(top) for top, _ in pairs), Fraction(0)),
                   sum(bottom for _, bottom in pairs)) for item, pairs in counted.items()}
    top = sum((above for above, _ in sums.values()), Fraction(0))
    bottom = sum(below for _, below in sums.values())
    if not bottom:
        return Estimate.undefined(0, NOTHING)
    if all(below == 0 or (below == 1 and above in (0, 1)) for above, below in sums.values()):
        return Estimate.of(top / bottom, bottom, proportion(int(top), bottom))
    return Estimate.of(top / bottom, bottom,
                       interval(np.array(list(sums.values()), dtype=float), ratio))
