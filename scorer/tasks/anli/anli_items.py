"""The records of abductive inference: what a board says about it, an item, and an answer; how items
are divided: by label, by words, and by what the form gives away; a split in numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Annotated, NamedTuple

from scorer.core.reading.values import Items, Slug, Text
from scorer.tasks.art_files import GIVEN, ColumnName
from scorer.tasks.labelled import RIGHT, Labelled
from scorer.tasks.partitions import Partition, Statistic, numbers, spread

LABELS = ("1", "2")


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


@dataclass(frozen=True)
class Gold:
    """One item: its id, observations, hypotheses and label; of labels alone the texts are empty.

    Of a board that is given another number of texts, ``obs1`` and ``obs2`` are the first and the
    last of them; ``obs2`` is empty if there is one.
    """

    story_id: str
    obs1: str
    obs2: str
    hyp1: str
    hyp2: str
    label: str
    given: tuple[str, ...] = ()
    """All given texts, where there are not two."""

    @property
    def observations(self) -> tuple[str, ...]:
        """What is given."""
        return self.given or (self.obs1, self.obs2)

    @property
    def texts(self) -> tuple[str, ...]:
        """The input columns."""
        return self.story_id, *self.observations, self.hyp1, self.hyp2

    @property
    def choices(self) -> tuple[str, str]:
        """The first hypothesis and the second."""
        return self.hyp1, self.hyp2

    @property
    def hypotheses(self) -> tuple[str, str]:
        """The right one, then the other."""
        first, second = self.choices
        return (first, second) if self.label == LABELS[0] else (second, first)


@dataclass(frozen=True)
class Prediction:
    """Which hypothesis a system takes."""

    label: str


CUES = ("right-is-longer", "right-is-shorter", "as-long",
        "right-shares-more", "right-shares-less", "shares-as-much")
"""Slices of every board: the number of words of the right hypothesis against the other's, and the
share of them that the observations have too. A system that goes by such signs shows it here."""


def words(text: str) -> list[str]:
    """Lower-cased words without the punctuation around them.

    >>> words("Ann's dog ran -- home!")
    ["ann's", 'dog', 'ran', 'home']
    """
    tokens = (word.strip(".,;:!?\"'()-") for word in text.lower().split())
    return [word for word in tokens if word]


def slices_of(settings: Settings, gold: Gold) -> list[str]:
    """The names of the slices that an item is in; none without texts."""
    if not gold.hyp1:
        return []
    every = {word for text in (*gold.observations, *gold.hypotheses) for word in words(text)}
    named = [name for name, listed in settings.sets if not listed.isdisjoint(every)]
    return [*named, *cues_of(gold.observations, gold.hypotheses)]


def cues_of(texts: Sequence[str], hypotheses: Sequence[str]) -> list[str]:
    """Two of CUES: what the form of the right hypothesis and of the other gives away."""
    right, other = map(words, hypotheses)
    known = {word for text in texts for word in words(text)}
    differences = len(right) - len(other), shares(right, known) - shares(other, known)
    return [names[0 if difference > 0 else 1 if difference < 0 else 2]
            for difference, names in zip(differences, (CUES[:3], CUES[3:]), strict=True)]


def shares(hypothesis: Sequence[str], context: Collection[str]) -> float:
    """The share of a hypothesis' words that are given; 0 without words."""
    return sum(word in context for word in hypothesis) / max(1, len(hypothesis))


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
        numbers(_length(gold) for gold in golds if gold.hyp1),
        lambda gold: [str(_length(gold))] if gold.hyp1 else [], number=True)
    slices = [part.name for part in settings.slices]
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


def describe(golds: Sequence[Gold]) -> list[Statistic]:
    """Some items in numbers, of which there is one at least."""
    pairs = [[len(words(text)) for text in gold.hypotheses] for gold in golds]
    return [
        Statistic("items", len(golds)),
        Statistic("different pairs of observations", len({gold.observations for gold in golds})),
        *by_label(golds),
        Statistic("words of an observation", spread(
            [len(words(text)) for gold in golds for text in gold.observations])),
        Statistic("words of a hypothesis", spread([count for pair in pairs for count in pair])),
        Statistic("of the right one, mean", fmean(right for right, _ in pairs)),
        Statistic("of the other one, mean", fmean(other for _, other in pairs)),
    ]


def by_label(golds: Sequence[Labelled]) -> list[Statistic]:
    """How often each of the two hypotheses is right."""
    return [Statistic(f"hypothesis {label} is right", sum(gold.label == label for gold in golds),
                      len(golds)) for label in LABELS]


def by_slice(settings: Settings, golds: Sequence[Gold]) -> list[Statistic]:
    """Items by slice, cues included."""
    matches = [slices_of(settings, gold) for gold in golds]
    return [Statistic(CUE_WORDS.get(name, name), sum(name in slices for slices in matches),
                      len(golds)) for name in (*(part.name for part in settings.slices), *CUES)]
