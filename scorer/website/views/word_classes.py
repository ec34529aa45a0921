"""Classes of a number of words, as facets have them. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

LENGTHS = (6, 9, 13)
"""Where classes of a number of words begin: most references of ART have 6 to 12 words."""


def _classes(starts: Sequence[int]) -> tuple[str, ...]:
    """Classes of a number that begin there, in words.

    >>> _classes((6, 9, 13))
    ('5 or fewer', '6 to 8', '9 to 12', '13 or more')
    """
    inner = (f"{low} to {high - 1}" for low, high in pairwise(starts))
    return f"{starts[0] - 1} or fewer", *inner, f"{starts[-1]} or more"


WORDS = _classes(LENGTHS)


def of_length(count: float) -> str:
    return WORDS[bisect_right(LENGTHS, round(count))]
