"""What a judged metric would be by people, if its judge errs as often as its card says.

Rogan and Gladen: Estimating prevalence from the results of a screening test. American Journal of
Epidemiology 107, 1978. A judge that accepts a share ``se`` of the graphs that people accept, and
refuses a share ``sp`` of those that they refuse, accepts q = se * t + (1 - sp) * (1 - t) of graphs
of which a share t is right; so t = (q + sp - 1) / (se + sp - 1).
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from scorer.models.judge_card import GOLD, INCORRECT, REFUSED, Card
from scorer.share import Share

Bounds = tuple[float, float]


class JudgeErrors(NamedTuple):
    """How a judge errs: 95 % Wilson intervals from its card."""

    sensitivity: Bounds
    """Of graphs that people accepted: the share that it gives their label."""
    specificity: Bounds
    """Of graphs that people refused: the share that it does not give their label."""


class Band(NamedTuple):
    """A range of values that the judge's errors allow. No sampling of items is in it."""

    low: float | None
    """None where there is no band."""
    high: float | None
    why_not: str = ""


def errors_of(card: Card) -> JudgeErrors | None:
    """A judge's errors as its card has them; None if the card lacks one of the two sets.

    Accepted is what the metric counts: given the item's own label. So of a refused graph only that
    answer is an error, not the other label; the card's set of rejected graphs has those counts.
    """
    gold, refused = card.evaluation(GOLD), card.evaluation(REFUSED)
    if INCORRECT not in card.labels or gold is None or refused is None:
        return None
    right = refused.right
    found = gold.right.interval, Share(right.n - right.count, right.n).interval
    return None if found[0] is None or found[1] is None else JudgeErrors(found[0], found[1])


def band(passed: float, share: float, errors: JudgeErrors) -> Band:
    """The band beside a value.

    ``passed``: the value over the graphs that passed every gate, the only ones the judge reads, 0
    to 1. ``share``: how many of all items those are, 0 to 1 (the gate metric). The band is in the
    unit of the column: over all items, from the corners of the two intervals, each cut to [0, 1].
    Unbounded where the judge may be no better than chance: sensitivity + specificity - 1 <= 0.
    """
    if errors.sensitivity[0] + errors.specificity[0] - 1 <= 0:
        return Band(None, None, "unbounded: this judge may be no better than chance")
    corners = [
        (passed + specificity - 1) / (sensitivity + specificity - 1)
        for sensitivity, specificity in product(errors.sensitivity, errors.specificity)
    ]
    low, high = (share * min(1.0, max(0.0, corner)) for corner in (min(corners), max(corners)))
    return Band(low, high)
