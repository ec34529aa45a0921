"""The records of abductive generation: what a board says about it, an item, and an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from scorer.core.reading.values import Integer, Items
from scorer.tasks.art_files import GIVEN, ColumnName


@dataclass(frozen=True)
class Settings:
    """What a board says about this task."""

    most_references: Annotated[int, Integer(1, 100), "References that a context may have, at most."]
    null: Annotated[ColumnName, "The text that says nothing: a copy of this one of those given."]
    given: Annotated[tuple[ColumnName, ...], Items(1, 5), "The columns of what is given."] = GIVEN


@dataclass(frozen=True)
class Gold:
    """One context and what people wrote about it.

    Of a board that is given another number of texts, ``obs1`` and ``obs2`` are the first and the
    last of them; ``obs2`` is empty if there is one.
    """

    obs1: str
    obs2: str
    references: tuple[str, ...]
    given: tuple[str, ...] = ()
    """All given texts, where there are not two."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The input columns."""
        return self.given or (self.obs1, self.obs2)


@dataclass(frozen=True)
class Prediction:
    """What a system writes."""

    text: str
