"""What a board may choose: how values measured on hidden gold are released, and when people's
verdicts may order rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from scorer.core.reading.values import Choice, Decimal, Integer

GRIDS = ("0.1", "0.5", "1", "2.5", "5")
"""Steps of released values in points (hundredths of a metric's greatest value), finest first."""
AUTO = "auto"
FEWEST_ITEMS = 40
"""The coarsest grid hides no pair of items where there are fewer: 2 / 40 is 5 points."""


@dataclass(frozen=True)
class Policy:
    """The field ``release`` of board.yaml; the defaults are those for any hidden split."""

    grid: Annotated[str, Choice((AUTO, *GRIDS)), "Released values are multiples of this many "
                    "points (hundredths of a metric's greatest value), at least 2 / rows; auto: "
                    "the finest that is at least 4 / rows."] = AUTO
    days: Annotated[int, Integer(0, 366), "Days for each value released to an owner: two "
                    "submissions of one owner are released days * values apart."] = 28
    values: Annotated[int, Integer(1, 5), "How many metrics of a submission have a value "
                      "released, those of the ranking first."] = 1

    @property
    def wait(self) -> int:
        """An owner's submissions are released at least this many days apart."""
        return self.days * self.values

    @property
    def withheld(self) -> str:
        """Why a metric is not among those that are released."""
        plural = "" if self.values == 1 else "s"
        return f"not released: {self.values} value{plural} a submission on this board"


@dataclass(frozen=True)
class HumanRanking:
    """The field ``people`` of board.yaml: when a column by people and a judge may order rows."""

    verified: Annotated[int, Integer(10, 100_000), "Items of each ranked row that people must "
                        "have verified, of those that passed every gate; all of them, if there "
                        "are fewer."] = 50
    agreement: Annotated[float, Decimal(1.0), "Fleiss's kappa of their votes must be at least "
                         "this."] = 0.4


def shown(ranking: Sequence[str], measured: Sequence[str], values: int) -> tuple[str, ...]:
    """The metrics that are released: those that are ranked by come first.

    ``measured``: in the order of the board, as ``ranking``.

    >>> shown(["G-BLEU", "GED"], ["accuracy", "GED", "BLEU-1"], 2)
    ('GED', 'accuracy')
    """
    order = dict.fromkeys([*ranking, *measured])
    return tuple(name for name in order if name in measured)[:values]


def finest(items: int, hidden: int = 2) -> str | None:
    """The finest grid of GRIDS whose step is at least ``hidden`` items; None if all are finer.

    >>> [finest(n) for n in (40, 398, 400, 3059)]
    ['5', '1', '0.5', '0.1']
    """
    fitting = (grid for grid in GRIDS if Fraction(grid) / 100 >= Fraction(hidden, items))
    return next(fitting, None)


def chosen(policy: Policy, items: int) -> str | None:
    """The grid of a split: the board's own, else the usual one; None if there is none.

    The usual step is at least four items, where there is such a grid. On one of two items whole
    counts can be read: files that differ in an even number of labels have counts of one parity.

    >>> [chosen(Policy(), n) for n in (39, 40, 400, 3059)]
    [None, '5', '1', '0.5']
    """
    least = finest(items)
    if least is None:
        return None
    if policy.grid == AUTO:
        return finest(items, 4) or GRIDS[-1]
    return policy.grid if Fraction(policy.grid) >= Fraction(least) else None
