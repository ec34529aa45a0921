"""Probes: submissions that differ from an earlier one in so few rows that the difference tells.

Rows are compared in several views, because a probe may hide in another: to learn the label of one
row somebody changes that label, and a blank in every graph. A view is one value a row that needs no
gold: the whole row, the label, the label of rows whose graph is sound, the row as metrics read it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction

Views = Mapping[str, Sequence[Hashable]]
"""View name -> one value a row, all of the same length and in the order of the split."""

WHOLE = "row"
"""The view of whole rows; equal files are near-duplicates, equal labels alone are not."""
CONTENT = "content"
"""The view of rows as metrics read them; if all are equal there, the submissions are the same."""


def distance(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """In how many rows two views differ (Hamming)."""
    return sum(a != b for a, b in zip(one, other, strict=True))


def is_near(one: Views, other: Views, percent: int) -> bool:
    """Whether in some view fewer than ``percent`` of the rows differ, but at least one.

    For whole rows and their content also if none does. ``percent`` 0: never.

    >>> is_near({"row": "abcd" * 50}, {"row": "abcd" * 49 + "abxx"}, 1)
    False
    >>> is_near({"row": "abcd" * 50}, {"row": "abcd" * 49 + "abcx"}, 1)
    True
    """
    for name, rows in one.items():
        differ = distance(rows, other[name])
        few = Fraction(differ) < Fraction(percent * len(rows), 100)
        if few and (differ > 0 or name in (WHOLE, CONTENT)):
            return True
    return False


def first_near(views: Views, earlier: Sequence[Views], percent: int) -> int | None:
    """The position of the first earlier submission that this one is near to, or None."""
    near = (at for at, other in enumerate(earlier) if is_near(views, other, percent))
    return next(near, None)
