"""What a board may choose about releasing values measured on hidden gold. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

GRIDS = ("0.1", "0.5", "1", "2.5", "5")
"""Steps of released values in points (hundredths of a metric's unit), finest first."""
AUTO = "auto"
FEWEST_ITEMS = 40
"""The coarsest grid hides no pair of items where there are fewer: 2 / 40 is 5 points."""


@dataclass(frozen=True)
class Policy:
    """The field ``release`` of board.yaml; the defaults are those for any hidden split."""

    grid: str = AUTO
    """One of GRIDS, or ``auto``: the finest that no pair of items fits into."""
    days: int = 7
    """An owner's values are released at least this many days apart."""
    near_duplicate: int = 1
    """Percent of the rows; a submission that differs from an earlier one in fewer tells nothing."""
    ladder: bool = False
    """Whether only a significant improvement over the owner's best releases anything."""


def finest(items: int) -> str | None:
    """The finest grid of GRIDS that is at least 2 / items; None if all are finer.

    >>> [finest(n) for n in (40, 398, 400, 3059)]
    ['5', '1', '0.5', '0.1']
    """
    fitting = (grid for grid in GRIDS if Fraction(grid) / 100 >= Fraction(2, items))
    return next(fitting, None)


def chosen(policy: Policy, items: int) -> str | None:
    """The grid of a split: the board's own, else the finest allowed; None if there is none."""
    least = finest(items)
    if least is None or policy.grid == AUTO:
        return least
    return policy.grid if Fraction(policy.grid) >= Fraction(least) else None
