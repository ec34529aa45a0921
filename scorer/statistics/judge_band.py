"""What a judged metric would be by people, if its judge errs as often as its card says.

Rogan and Gladen: Estimating prevalence from the results of a screening test. American Journal of
Epidemiology 107, 1978. A judge that accepts a share ``se`` of the graphs that people accept, and
refuses a share ``sp`` of those that they refuse, accepts q = se * t + (1 - sp) * (1 - t) of graphs
of which a share t is right; so t = (q + sp - 1) / (se + sp - 1).

Errors are taken label by label: accepted graphs and refused ones need not have the same mix of
labels, and over both labels together even a judge that always gives one of them seems to know one
kind from the other. A clone has no gold, so the band holds for every mix of labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from scorer.core.records import Share
from scorer.models.judge_card import GOLD, INCORRECT, REFUSED, Card

Bounds = tuple[float, float]


class JudgeErrors(NamedTuple):
    """How a judge errs on graphs of one label: 95 % Wilson intervals from its card."""

    sensitivity: Bounds
    """Of graphs that people accepted: the share that it gives their label."""
    specificity: Bounds
    """Of graphs that people refused: the share that it does not give their label."""

    @property
    def most(self) -> Bounds:
        """The greatest shares of right and of wrong graphs that it may accept."""
        return self.sensitivity[1], 1 - self.specificity[0]

    @property
    def least(self) -> Bounds:
        """The smallest ones."""
        return self.sensitivity[0], 1 - self.specificity[1]


class Band(NamedTuple):
    """A range of values that the judge's errors allow. No sampling of items is in it."""

    low: float | None
    """None where there is no band."""
    high: float | None
    why_not: str = ""
    """``unbounded`` or ``none fits``, a colon and why."""


def errors_of(card: Card) -> dict[str, JudgeErrors]:
    """A judge's errors by label as its card has them; none if the card lacks one of the two sets.

    Accepted is what the metric counts: given the item's own label. So of a refused graph only that
    answer is an error, not the other label; the card's set of rejected graphs has those counts.
    """
    gold, refused = card.evaluation(GOLD), card.evaluation(REFUSED)
    if INCORRECT not in card.labels or gold is None or refused is None:
        return {}
    errors = {}
    for label in gold.confusion:
        sensitivity, wrong = gold.recall(label).interval, refused.recall(label)
        specificity = Share(wrong.n - wrong.count, wrong.n).interval
        if sensitivity is not None and specificity is not None:
            errors[label] = JudgeErrors(sensitivity, specificity)
    return errors


def band(accepted: Share, share: float, errors: Mapping[str, JudgeErrors]) -> Band:
    """The band beside a value, in the unit of the column: over all items, for any mix of labels.

    ``accepted``: how many of the graphs that passed every gate the judge accepted. ``share``: how
    many of all items those are, 0 to 1 (the gate metric). There is no band where the judge may be
    no better than chance within a label (``unbounded``) or accepted what its errors cannot make
    (``none fits``).

    The least that can be right is where all right and all wrong graphs have those labels of which
    the judge accepts most; the most, where they have those of which it accepts least.
    """
    for label, rates in errors.items():
        if rates.sensitivity[0] + rates.specificity[0] <= 1:
            return Band(None, None, "unbounded: this judge may be no better than chance on graphs "
                        f"of label {label}")
    most = [max(bounds) for bounds in zip(*(error.most for error in errors.values()), strict=True)]
    least = [min(bounds) for bounds in zip(*(rate.least for rate in errors.values()), strict=True)]
    q = accepted.count / accepted.n
    low, high = _right(q, most), _right(q, least)
    return _NONE_FITS if low == high else Band(share * low, share * high)


MAY_HAVE_SEEN = Band(None, None, "unbounded: this judge may have seen the graphs that its errors "
                     "were counted on, so it may err more often on others")
"""Of a judge whose training is not known."""
_NONE_FITS = Band(None, None, "none fits: the judge accepted more, or fewer, than its known errors "
                              "make of any graphs; on this row it errs in another way")


def _right(q: float, rates: Bounds | list[float]) -> float:
    """Of graphs of which a judge accepts ``q``: how many are right, 0 to 1.

    ``rates``: how many it accepts of right graphs and of wrong ones. Falls as either grows, so the
    greatest and the smallest rates give the bounds.
    """
    right, wrong = rates
    return min(1.0, max(0.0, (q - wrong) / (right - wrong)))
