"""What is behind accuracy on aNLI: the confusion, and parts of a split by words and by form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from scorer.tasks.anli.task import CUES, LABELS, RIGHT, Gold, Settings, slices_of, words
from scorer.tasks.partitions import Dimension, parts
from scorer.tasks.spread import Spread, spread

LENGTH, SHARED = CUES[:3], CUES[3:]
CUE_WORDS = {
    "right-is-longer": "the right one is longer", "right-is-shorter": "the right one is shorter",
    "as-long": "both are as long", "right-shares-more": "the right one shares more",
    "right-shares-less": "the right one shares less", "shares-as-much": "both share as much",
}
"""How people read the slices that every board has."""


def dimensions(settings: Settings, golds: Sequence[Gold]) -> tuple[Dimension, ...]:
    """The label, the board's own slices, and what the form of the hypotheses gives away."""
    found = [slices_of(settings, gold) for gold in golds]
    slices = [one.name for one in settings.slices]
    return (
        Dimension("label", parts(LABELS, [[gold.label] for gold in golds]),
                  "which hypothesis is right"),
        *([Dimension("slice", parts(slices, found), "words of our own lists, in any of the texts")]
          if slices else []),
        Dimension("length", parts(LENGTH, found), "words of the right hypothesis and the other"),
        Dimension("shared", parts(SHARED, found),
                  "share of the hypothesis' words that the observations have"),
    )


class Counted(NamedTuple):
    """One slice as a result counts it."""

    name: str
    items: int
    right: int


def counted(slices: Mapping[str, Mapping[str, int]]) -> tuple[Counted, ...]:
    """The slices of a result that have items; it has them even where no item may be shown."""
    return tuple(Counted(name, told["items"], told[RIGHT])
                 for name, told in slices.items() if told["items"])


class Described(NamedTuple):
    """The items of a split, or of all of them together."""

    name: str
    items: int
    contexts: int
    """Different pairs of observations."""
    labels: Mapping[str, int]
    """Items by label."""
    observations: Spread | None
    """Words of an observation."""
    hypotheses: Spread | None
    right: float
    """Mean number of words of the right hypothesis."""
    other: float
    slices: Mapping[str, int]
    """Items by slice, cues included."""


def describe(name: str, settings: Settings, golds: Sequence[Gold]) -> Described:
    """The statistics of some items, of which there is one at least."""
    found = [slices_of(settings, gold) for gold in golds]
    names = [*(one.name for one in settings.slices), *CUES]
    pairs = [[len(words(text)) for text in gold.hypotheses] for gold in golds]
    return Described(
        name, len(golds), len({(gold.obs1, gold.obs2) for gold in golds}),
        {label: sum(gold.label == label for gold in golds) for label in LABELS},
        spread([len(words(text)) for gold in golds for text in (gold.obs1, gold.obs2)]),
        spread([count for pair in pairs for count in pair]),
        fmean(right for right, _ in pairs), fmean(other for _, other in pairs),
        {one: sum(one in chosen for chosen in found) for one in names},
    )
