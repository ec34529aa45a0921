"""The card of a system that comes with the program: what it can do, measured, and its limits.

``card.json`` beside the weights and ``system.json``. It keeps the figure of every seed, so that
means and spreads are made from them where they are shown.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from scorer.core.errors import DataError
from scorer.core.reading.documents import Document, Number, One, Sha256
from scorer.lab.systems import records

FILE = "card.json"


class Condition(Document):
    """One way to ask a system, and what came of it."""

    name: str
    about: str
    """What is given to it, and what it finds by itself."""
    seeds: tuple[int, ...]
    """Those that were asked so, the one that comes with the program first."""
    figures: Mapping[str, tuple[Number, ...]]
    """Of each seed."""

    def mean(self, name: str) -> float:
        """Over the seeds."""
        return statistics.fmean(self.figures[name])

    def deviation(self, name: str) -> float:
        """The standard deviation between seeds."""
        return statistics.stdev(self.figures[name])


class Card(Document):
    """What was measured of a system with several seeds, of which one comes with the program."""

    schema_: One = Field(alias="schema")
    weights: Sha256
    """Of the seed that comes with the program."""
    commands: tuple[str, ...]
    """What trained, measured and copied it."""
    split: str
    """What the figures are of; training never saw it."""
    conditions: tuple[Condition, ...]
    limits: tuple[str, ...]
    licence: str

    def condition(self, name: str) -> Condition:
        """The condition of this name. Raises KeyError."""
        return {one.name: one for one in self.conditions}[name]


def read(folder: Path) -> Card:
    """The card of a system. Raises DataError if there is none, or it does not fit."""
    path = folder / FILE
    try:
        found = Card.read(path.read_bytes())
    except (OSError, ValueError) as fault:
        raise DataError(f"{path}: {fault}") from fault
    if found.weights != records.read(folder).weights:
        raise DataError(f"{path}: the card of other weights than those of {records.FILE}")
    return found
