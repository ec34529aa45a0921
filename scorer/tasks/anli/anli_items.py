"""Abductive inference: what a board says about it, and an answer; how items are divided by words
and by what the form gives away; a split in numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Annotated, NamedTuple

from scorer.core.reading.values import Items, Slug, Text
from scorer.tasks.base import ColumnName
from scorer.tasks.labelled import RIGHT
from scorer.tasks.partitions import Partition, Statistic, numbers, spread
from scorer.tasks.text_items import (
    CUE_WORDS,
    CUES,
    GIVEN,
    Gold,
    by_label,
    choice_partitions,
    cues_of,
    words,
)


@dataclass(frozen=True)
class Slice:
    """A named list of words; items of which a text has one of them are looked at apart."""

    name: Annotated[Slug, "The slice's name."]
    words: Annotated[tuple[Annotated[str, Text(40, r"[a-z0-9'-]+", "a lower-case word")], ...],
                     Items(1, 400), "An item is in the slice if one of its four texts has one of "
                     "these words."]


@dataclass(frozen=True)
class Settings:
    """What a board says about this task."""

    slices: Annotated[tuple[Slice, ...], Items(0, 20), "Named parts of a split, reported beside "
                      "its score."] = ()
    given: Annotated[tuple[ColumnName, ...], Items(1, 5), "The columns of what is given, behind "
                     "the id."] = GIVEN
    choices: Annotated[tuple[ColumnName, ...], Items(2, 2), "The columns of the two texts of which "
                       "one is right, behind those."] = ("hyp1", "hyp2")

    @cached_property
    def sets(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """The slices by name, their words as sets."""
        return tuple((part.name, frozenset(part.words)) for part in self.slices)

    @property
    def slice_names(self) -> tuple[str, ...]:
        """The board's own slices, then those of every board."""
        return (*(part.name for part in self.slices), *CUES)


@dataclass(frozen=True)
class Prediction:
    """Which hypothesis a system takes."""

    label: str


def slices_of(settings: Settings, gold: Gold) -> list[str]:
    """The names of the slices that an item is in; none without texts."""
    if not gold.choices[0]:
        return []
    every = {word for text in (*gold.given, *gold.choices) for word in words(text)}
    named = [name for name, listed in settings.sets if not listed.isdisjoint(every)]
    return [*named, *cues_of(gold)]


NO_SLICE = "none of these"


def partitions(settings: Settings, golds: Sequence[Gold]) -> Iterator[Partition[Gold]]:
    """The label, what the form of the hypotheses gives away, length, the board's own slices.

    Of an item without texts only the label is known.
    """
    def length(gold: Gold) -> str:
        return str(len(words(gold.hypotheses[0])))

    yield from choice_partitions("the observations", "the observations have")
    yield Partition(
        "words", "Words of the right hypothesis",
        numbers(int(length(gold)) for gold in golds if gold.choices[0]),
        lambda gold: [length(gold)] if gold.choices[0] else [], number=True)
    slices = [part.name for part in settings.slices]
    if slices:
        yield Partition(
            "slice", "Has words that are (our lists)", (*slices, NO_SLICE),
            lambda gold: [name for name in slices_of(settings, gold) if name in slices]
            or [NO_SLICE] * bool(gold.choices[0]),
            several=True, heading="words of our own lists, in any of the texts",
            parts={name: (name,) for name in slices})


class CountedSlice(NamedTuple):
    """One slice as a result counts it."""

    name: str
    items: int
    right: int


def counted(slices: Mapping[str, Mapping[str, int]]) -> tuple[CountedSlice, ...]:
    """The slices of a result that have items; it has them even where no item may be shown."""
    return tuple(CountedSlice(name, counts["items"], counts[RIGHT])
                 for name, counts in slices.items() if counts["items"])


def describe(golds: Sequence[Gold]) -> list[Statistic]:
    """Some items in numbers, of which there is one at least."""
    pairs = [[len(words(text)) for text in gold.hypotheses] for gold in golds]
    return [
        Statistic("items", len(golds)),
        Statistic("different pairs of observations", len({gold.given for gold in golds})),
        *by_label(golds),
        Statistic("words of an observation", spread(
            [len(words(text)) for gold in golds for text in gold.given])),
        Statistic("words of a hypothesis", spread([count for pair in pairs for count in pair])),
        Statistic("of the right one, mean", fmean(right for right, _ in pairs)),
        Statistic("of the other one, mean", fmean(other for _, other in pairs)),
    ]


def by_slice(settings: Settings, golds: Sequence[Gold]) -> list[Statistic]:
    """Items by slice, cues included."""
    matches = [slices_of(settings, gold) for gold in golds]
    return [Statistic(CUE_WORDS.get(name, name), sum(name in slices for slices in matches),
                      len(golds)) for name in settings.slice_names]
