"""Flag ``repeats``: the same answer for different items of a file."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.integrity.flag import Flag, RowNote, enough
from scorer.integrity.index import Units

LEAST_SHARE = 0.05
"""No gold graph of train, dev or refinement is repeated, and none of Max-Margin's; the null, a
template over the items' words, repeats .040."""


def repeats(answers: Sequence[Units]) -> Flag:
    """``answers``: the units of each prediction; those without a readable unit are passed over."""
    where: dict[Units, list[int]] = {}
    for row, units in enumerate(answers, start=1):
        if units:
            where.setdefault(units, []).append(row)
    rows = [RowNote(row, f"the same as row {same[0] if row != same[0] else same[1]}")
            for same in where.values() if len(same) > 1 for row in same]
    groups = sum(len(same) > 1 for same in where.values())
    return Flag(
        "repeats", "The same answer for different items",
        enough(rows, len(answers), LEAST_SHARE), len(rows), len(answers), tuple(sorted(rows)),
        (f"{groups} different answers occur more than once.",),
        "The answers depend less on the item than those that people write.",
        "That they are wrong where they stand: items about the same thing may share an answer.",
    )
