"""How the items of aNLI are divided: by label, by words, and by what the form gives away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from scorer.tasks.anli.records import LABELS, Gold, Settings
from scorer.tasks.anli.task import CUES, slices_of, words
from scorer.tasks.partitions import LENGTHS, Partition, length_class

CUE_WORDS = {
    "right-is-longer": "the right one is longer", "right-is-shorter": "the right one is shorter",
    "as-long": "both are as long", "right-shares-more": "the right one shares more",
    "right-shares-less": "the right one shares less", "shares-as-much": "both share as much",
}
"""How people read the slices that every board has."""
NO_SLICE = "none of these"


def partitions(settings: Settings) -> Iterator[Partition[Gold]]:
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
        "words", "Words of the right hypothesis", LENGTHS,
        lambda gold: [length_class(len(words(gold.hypotheses[0])))] if gold.hyp1 else [])
    slices = [one.name for one in settings.slices]
    if slices:
        yield Partition(
            "slice", "Has words that are (our lists)", (*slices, NO_SLICE),
            lambda gold: [name for name in slices_of(settings, gold) if name in slices]
            or [NO_SLICE] * bool(gold.hyp1),
            several=True, heading="words of our own lists, in any of the texts",
            parts={name: (name,) for name in slices})


def _cues(settings: Settings, cues: Sequence[str]) -> Callable[[Gold], Sequence[str]]:
    return lambda gold: [CUE_WORDS[name] for name in slices_of(settings, gold) if name in cues]
