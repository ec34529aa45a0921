"""Flags ``train-gold``, ``dev-gold``, ``test-gold``: predictions near the gold of other items."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.integrity.flag import Flag, RowNote, enough
from scorer.integrity.index import Index, Units, best

LEAST_SHARE = 0.02
"""No gold of train or dev (2,766) is near to that of another item, and no answer of Max-Margin to
any of them; substituting words in a train graph (the reference row nearest-neighbour) leaves 0."""


def other_gold(answers: Sequence[Units], index: Index, split: str, source: str) -> Flag:
    """``answers`` are on ``split``; compared with golds of ``source`` except each row's own."""
    rows, exact = [], 0
    for row, units in enumerate(answers, start=1):
        found = best(m for m in index.matches(units)
                     if m.place.split == source and m.place != (split, row))
        if found is not None:
            rows.append(RowNote(row, str(found)))
            exact += found.exact
    return Flag(
        f"{source}-gold", f"Answers equal or near to the gold of other items of {source}",
        enough(rows, len(answers), LEAST_SHARE), len(rows), len(answers), tuple(rows),
        (f"{exact} exact, {len(rows) - exact} near.",),
        f"Answers repeat gold answers that people wrote for other items of {source}.",
        "That anything is wrong: a system may answer with the nearest known item, and items may be "
        "about the same thing.",
    )
