"""How far some numbers lie apart, as tables of papers print it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple


class Spread(NamedTuple):
    """Minimum, maximum and mean, as the paper's tables print them."""

    least: int
    most: int
    mean: float


def spread(values: Sequence[int]) -> Spread | None:
    """The spread of some numbers; None if there are none.

    >>> spread([1, 2, 6])
    Spread(least=1, most=6, mean=3.0)
    """
    return Spread(min(values), max(values), fmean(values)) if values else None
