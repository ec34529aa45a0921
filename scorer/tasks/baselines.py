"""What a reference row is, whatever its task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

SEED = 20210911
"""Seed of everything drawn here."""


class Against(NamedTuple):
    """What a row that answers with gold itself is scored against."""

    name: str
    """One word for signatures; empty where the number of golds an item has says it."""
    gold: Callable[[Any], Any]
    """``(item)`` -> the item with the gold that remains, or None if none does."""


@dataclass(frozen=True)
class Baseline:
    """One reference row."""

    name: str
    title: str
    description: str
    training_data: str
    saw_gold: bool
    """Whether it looks at the gold of the items it answers."""
    predict: Callable[..., list[Any]]
    """``(settings, train items, items)`` -> one prediction an item, in order; a row that needs an
    encoder takes it as ``encoder``."""
    encoder: str | None = None
    """Name of the encoder it needs, if any."""
    trains: bool = False
    """Whether it learns from train, or, where there is none, from the split it answers."""
    needs_train: bool = False
    """Whether it knows train alone, so that without one there is no such row."""
    against: Against | None = None
    """The gold it is scored against, if not all of it; items without any are left out."""
