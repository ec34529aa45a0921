"""The records of abductive generation: what a board says about it, an item, and an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from scorer.reading.fields import Choice, Integer


@dataclass(frozen=True)
class Settings:
    """What a board says about this task."""

    most_references: Annotated[int, Integer(1, 100), "References that a context may have, at most."]
    null: Annotated[str, Choice(("obs1", "obs2")), "The text that says nothing: a copy of this "
                    "observation."]


@dataclass(frozen=True)
class Gold:
    """One context and what people wrote about it."""

    obs1: str
    obs2: str
    references: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, str]:
        """The input columns."""
        return self.obs1, self.obs2


@dataclass(frozen=True)
class Prediction:
    """What a system writes."""

    text: str
