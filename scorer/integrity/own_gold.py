"""Flag ``own-gold``: predictions that are, or nearly are, the gold of the item they answer."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.integrity.flag import Flag, RowNote, enough
from scorer.integrity.index import Index, Units, best

LEAST_SHARE = 0.02
"""Max-Margin has 0 of 398 on dev, which excludes .0075 and more at 95 % (rule of three); the gold
itself after two random edits of every graph has .32."""


def own_gold(answers: Sequence[Units], index: Index, split: str) -> Flag:
    """``answers``: the units of each prediction; ``index`` knows the golds of ``split``."""
    rows, exact = [], 0
    for row, units in enumerate(answers, start=1):
        found = best(m for m in index.matches(units) if m.place == (split, row))
        if found is not None:
            rows.append(RowNote(row, str(found)))
            exact += found.exact
    return Flag(
        "own-gold", "Answers equal or near to their own gold",
        enough(rows, len(answers), LEAST_SHARE), len(rows), len(answers), tuple(rows),
        (f"{exact} exact, {len(rows) - exact} near.",),
        "More answers than people or systems reach by themselves coincide with the public gold of "
        "the same item.",
        "How that came about. The gold of this split is public: it may have been used for training "
        "or for choosing a model, which a description can declare, or the item may allow one "
        "answer alone.",
    )
