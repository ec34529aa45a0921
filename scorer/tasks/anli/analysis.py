"""What is behind accuracy on aNLI: slices as a result counts them, and a split in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from scorer.tasks.anli.records import LABELS, Gold, Settings
from scorer.tasks.anli.task import CUES, RIGHT, slices_of, words
from scorer.tasks.spread import Spread, spread


class CountedSlice(NamedTuple):
    """One slice as a result counts it."""

    name: str
    items: int
    right: int


def counted(slices: Mapping[str, Mapping[str, int]]) -> tuple[CountedSlice, ...]:
    """The slices of a result that have items; it has them even where no item may be shown."""
    return tuple(CountedSlice(name, told["items"], told[RIGHT])
                 for name, told in slices.items() if told["items"])


class ItemStatistics(NamedTuple):
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


def describe(name: str, settings: Settings, golds: Sequence[Gold]) -> ItemStatistics:
    """The statistics of some items, of which there is one at least."""
    found = [slices_of(settings, gold) for gold in golds]
    names = [*(one.name for one in settings.slices), *CUES]
    pairs = [[len(words(text)) for text in gold.hypotheses] for gold in golds]
    return ItemStatistics(
        name, len(golds), len({(gold.obs1, gold.obs2) for gold in golds}),
        {label: sum(gold.label == label for gold in golds) for label in LABELS},
        spread([len(words(text)) for gold in golds for text in (gold.obs1, gold.obs2)]),
        spread([count for pair in pairs for count in pair]),
        fmean(right for right, _ in pairs), fmean(other for _, other in pairs),
        {one: sum(one in chosen for chosen in found) for one in names},
    )
