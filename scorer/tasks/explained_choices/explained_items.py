"""The records of explained choices: what a board says about them, an item, and an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from scorer.core.reading.values import Integer, Items
from scorer.tasks.anli.anli_items import LABELS
from scorer.tasks.art_files import ColumnName


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a board says about this task."""

    given: Annotated[tuple[ColumnName, ...], Items(1, 5), "The columns of what is given."]
    choices: Annotated[tuple[ColumnName, ...], Items(2, 2), "The columns of the two texts of which "
                       "one is right, behind those."]
    null: Annotated[ColumnName, "The explanation that says nothing: a copy of this one of the "
                    "given texts."]
    most_references: Annotated[int, Integer(1, 100), "Explanations that an item may have in gold, "
                               "at most; left out: 1."] = 1


@dataclass(frozen=True)
class Gold:
    """One item: what is given, what to choose from, which is right, and why, by people."""

    given: tuple[str, ...]
    choices: tuple[str, ...]
    label: str
    references: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The input columns."""
        return (*self.given, *self.choices)

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """The right one, then the other."""
        return self.choices if self.label == LABELS[0] else self.choices[::-1]


@dataclass(frozen=True)
class Prediction:
    """Which hypothesis a system takes, and why."""

    label: str
    text: str
