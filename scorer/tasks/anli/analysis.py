"""What is behind accuracy on aNLI: slices as a result counts them, a split in numbers, and how
items are divided: by label, by words, and by what the form gives away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from scorer.tasks.anli.anli_items import LABELS, Gold, Settings
from scorer.tasks.anli.task import CUES, slices_of, words
from scorer.tasks.labelled import RIGHT
from scorer.tasks.partitions import Partition, Spread, numbers, spread

CUE_WORDS = {
    "right-is-longer": "the right one is longer", "right-is-shorter": "the right one is shorter",
    "as-long": "both are as long", "right-shares-more": "the right one shares more",
    "right-shares-less": "the right one shares less", "shares-as-much": "both share as much",
}
"""How people read the slices that every board has."""
NO_SLICE = "none of these"


def partitions(settings: Settings, golds: Sequence[Gold]) -> Iterator[Partition[Gold]]:
    """The label, what the form of the hypotheses gives away, length, the board's own slices.

    Of an item without texts only the label is known.
    """
    yield Partition("label", "Right hypothesis", LABELS, lambda gold: [gold.label],
                    tag="right: {}", heading="which hypothesis is right")
    yield Partition(
        "length", "Words of the hypotheses", tuple(CUE_WORDS[cue] for cue in CUES[:3]),
        _cues(settings, CUES[:3]), heading="words of the right hypothesis and the other", last=True)
    yield Partition(
        "shared", "Words shared with the observations", tuple(CUE_WORDS[cue] for cue in CUES[3:]),
        _cues(settings, CUES[3:]),
        heading="share of the hypothesis' words that the observations have", last=True)
    yield Partition(
        "words", "Words of the right hypothesis",
        numbers(_length(one) for one in golds if one.hyp1),
        lambda gold: [str(_length(gold))] if gold.hyp1 else [], number=True)
    slices = [one.name for one in settings.slices]
    if slices:
        yield Partition(
            "slice", "Has words that are (our lists)", (*slices, NO_SLICE),
            lambda gold: [name for name in slices_of(settings, gold) if name in slices]
            or [NO_SLICE] * bool(gold.hyp1),
            several=True, heading="words of our own lists, in any of the texts",
            parts={name: (name,) for name in slices})


def _length(gold: Gold) -> int:
    """Words of the right hypothesis."""
    return len(words(gold.hypotheses[0]))


def _cues(settings: Settings, cues: Sequence[str]) -> Callable[[Gold], Sequence[str]]:
    return lambda gold: [CUE_WORDS[name] for name in slices_of(settings, gold) if name in cues]


class CountedSlice(NamedTuple):
    """One slice as a result counts it."""

    name: str
    items: int
    right: int


def counted(slices: Mapping[str, Mapping[str, int]]) -> tuple[CountedSlice, ...]:
    """The slices of a result that have items; it has them even where no item may be shown."""
    return tuple(CountedSlice(name, counts["items"], counts[RIGHT])
                 for name, counts in slices.items() if counts["items"])


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
        name, len(golds), len({gold.observations for gold in golds}),
        {label: sum(gold.label == label for gold in golds) for label in LABELS},
        spread([len(words(text)) for gold in golds for text in gold.observations]),
        spread([count for pair in pairs for count in pair]),
        fmean(right for right, _ in pairs), fmean(other for _, other in pairs),
        {one: sum(one in chosen for chosen in found) for one in names},
    )
