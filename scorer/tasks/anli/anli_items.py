"""The records of abductive inference: what a board says about it, an item, and an answer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

from scorer.core.reading.values import Items, Slug, Text
from scorer.tasks.art_files import GIVEN, ColumnName

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
        return tuple((one.name, frozenset(one.words)) for one in self.slices)


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
