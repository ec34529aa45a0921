"""Percentile bootstrap over items: all that people said of a drawn item goes along.

Triplets of a graph, and votes on an item, are not independent, so items are drawn, not these. Most
statistics are quotients of sums over items, so nothing is counted again for a draw. Some are
undefined for some draws (no variation is left): those draws are dropped, and how many were is part
of the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scorer.core.results import Interval
from scorer.people.documents import Estimate
from scorer.statistics import TIE
from scorer.statistics.intervals import made, none, proportion

SEED = 20_211_107
"""Fixed, so that the same votes always give the same bytes."""
DRAWS = 2_000
FEWEST_ITEMS = 5
"""With fewer there is no interval."""
_CELLS, _KEPT = 1_000_000, 4_000_000
"""So many drawn items are held at once; and so many kept, for a set of items has many figures."""

NOTHING = "nothing to count"
"""Why a quotient without a denominator has no value."""
CONSTANT = "no variation"
"""Why a correlation, or agreement beyond chance, has no value."""

Floats = NDArray[np.float64]
Quotient = Callable[[Floats], tuple[Any, Any]]
"""Numerator and denominator of a statistic, from sums of parts; the last axis is the parts."""
Statistic = Callable[[Floats], Floats]
"""What it is for each row of weights (draws, items): how often an item counts."""


def times(n: int) -> Iterable[Floats]:
    """How often each of ``n`` items is drawn: (draws, n), in blocks, DRAWS rows in all.

    The draws are ``default_rng(SEED).integers(0, n, size=(DRAWS, n))``.

    >>> np.concatenate(list(times(6)))[0].tolist()
    [0.0, 0.0, 0.0, 1.0, 3.0, 2.0]
    """
    return _kept(n) if DRAWS * n <= _KEPT else _drawn(n)


@lru_cache(maxsize=2)
def _kept(n: int) -> tuple[Floats, ...]:
    return tuple(_drawn(n))


def _drawn(n: int) -> Iterator[Floats]:
    rng = np.random.default_rng(SEED)
    width = max(1, _CELLS // n)
    for start in range(0, DRAWS, width):
        rows = min(width, DRAWS - start)
        drawn = rng.integers(0, n, size=(rows, n)) + n * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(float)


def values_of(statistic: Statistic, items: int) -> Floats:
    """A statistic of all items, and behind that of every draw; of too few items there is none."""
    blocks = times(items) if items >= FEWEST_ITEMS else ()
    return np.concatenate([statistic(np.ones((1, items))), *map(statistic, blocks)])


def of_values(values: Floats, n: int, undefined: str = CONSTANT) -> Estimate:
    """The estimate of a statistic. ``values``: as ``values_of`` gives them, NaN where it is
    undefined; ``n``: what it is a number of; ``undefined``: why there is no value."""
    value, drawn = float(values[0]), values[1:]
    if math.isnan(value):
        return Estimate.undefined(n, undefined)
    return Estimate.of(value, n, _interval(drawn) if len(drawn) else
                       none(f"fewer than {FEWEST_ITEMS} items"))


def of_parts(parts: Floats, quotient: Quotient, n: int, undefined: str = CONSTANT) -> Estimate:
    """The estimate of a quotient of sums. ``parts``: (items, k), what each item adds to each sum;
    ``n``, ``undefined``: as above."""
    values = values_of(lambda weights: over(*quotient(weights @ parts)), len(parts))
    values[0] = over(*quotient(np.array([math.fsum(part) for part in parts.T])))
    return of_values(values, n, undefined)


def _interval(values: Floats) -> Interval:
    """The percentile interval of a statistic's values; how many of them are NaN is noted."""
    defined = values[~np.isnan(values)]
    if not len(defined):
        return none("undefined in every draw")
    low, high = np.percentile(defined, [2.5, 97.5])
    if high - low <= TIE:
        return none("the same in every draw of items")
    dropped = len(values) - len(defined)
    note = f"{dropped} of {len(values)} draws undefined" if dropped else ""
    return made(low, high, "bootstrap", note)


def over(top: Any, bottom: Any) -> Floats:
    """The quotient of two arrays of one shape; NaN where it divides by 0."""
    quotient = np.full(np.shape(top), np.nan)
    np.divide(top, bottom, out=quotient, where=np.abs(bottom) > TIE)
    return quotient


def ratio(sums: Floats) -> tuple[Any, Any]:
    """The quotient of two sums."""
    return sums[..., 0], sums[..., 1]


def of_ratio(counted: Iterable[tuple[Hashable, float, int]]) -> Estimate:
    """Sum of numerators over sum of denominators, with an interval over items.

    ``counted``: of each record its item, and what it adds to both, such as 1 and 1 for a vote for,
    0 and 1 for one against. Where no item adds more than one 0 or 1 of 1, the interval is Wilson's.

    >>> of_ratio([("a", 1, 1), ("a", 0, 1), ("b", 1, 1)]).value == 2 / 3
    True
    """
    parts = item_sums(2, ((item, (top, bottom)) for item, top, bottom in counted))
    n = int(parts[:, 1].sum())
    if n and np.isin(parts, (0, 1)).all():
        successes = int(parts[:, 0].sum())
        return Estimate.of(successes / n, n, proportion(successes, n))
    return of_parts(parts, ratio, n, NOTHING)


def item_sums(width: int, records: Iterable[tuple[Hashable, Sequence[float]]]) -> Floats:
    """What each item adds to some sums, (items, width), in whatever order its records come."""
    by_item: dict[Hashable, list[Sequence[float]]] = {}
    for item, numbers in records:
        by_item.setdefault(item, []).append(numbers)
    sums = [[*map(math.fsum, zip(*rows, strict=True))] for rows in by_item.values()]
    return np.array(sums, dtype=float).reshape(len(by_item), width)
