"""What a board is: the records that ``board.yaml`` makes. ``format.py`` says what each means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scorer.board.policy import Policy
from scorer.errors import UsageError, excerpt
from scorer.reading.fields import Link
from scorer.tasks.registry import TASKS, AnyTask

LARGEST_GOLD = 256 * 1024 * 1024
"""A gold file of more bytes is not read."""


@dataclass(frozen=True)
class Download:
    """One file that ``scorer data fetch`` brings, at a fixed digest."""

    path: str
    """Relative to the board's data folder."""
    url: str
    sha256: str
    title: str


@dataclass(frozen=True)
class SourceFile:
    """One official file of a split, as the user has it."""

    role: str
    """What the task takes it for."""
    name: str
    sha256: str | None = None


@dataclass(frozen=True)
class Import:
    """Official files of which ``scorer data import`` makes the file of one split."""

    split: str
    files: tuple[SourceFile, ...]


@dataclass(frozen=True)
class ThirdParty:
    """Predictions made by others that we score: a row *scored here, predictions by others*."""

    system: str
    path: str
    split: str
    title: str
    description: str
    source: Link
    licence: str
    date: str
    saw_dev_gold: bool


@dataclass(frozen=True)
class Split:
    """One split of a board."""

    file: str | None
    """The gold (or input) file, relative to the board's data folder; None if there is none."""
    rows: int
    gold: str
    """``public``, ``hidden`` or ``reported`` (only numbers published elsewhere)."""
    sha256: str | None = None
    golds: int = 1
    """Gold graphs or references per item, at most."""
    gold_hmac: str | None = None
    """What `scorer gold seal` printed for hidden gold; None while the split waits for gold."""
    test_set: str | None = None
    """Which items these are, where others are published under the split's name."""


@dataclass(frozen=True)
class Reported:
    """Numbers published elsewhere for one split; shown as *reported*, never as scored here."""

    split: str
    source: Link
    note: str
    columns: tuple[str, ...]
    """Column names: metric ids, or ``<metric> precision`` and ``<metric> recall``."""
    scale: float
    """The published values are divided by this: 100 for percentages."""
    unscaled: tuple[str, ...]
    """Columns already in the metric's unit."""
    rows: tuple[ReportedRow, ...]
    test_set: str | None = None
    """The items they are for, if not those of the split."""


@dataclass(frozen=True)
class ReportedRow:
    """One published row."""

    system: str
    by: str
    values: tuple[float, ...]
    date: str | None = None
    human: bool = False


@dataclass(frozen=True)
class Board:
    """Everything that belongs to one benchmark; see the declaration for the meanings."""

    schema: int
    id: str
    version: str
    task_name: str
    title: str
    summary: str
    licence: str
    attribution: str
    links: tuple[Link, ...]
    citation: str
    metrics: tuple[str, ...]
    ranking: tuple[str, ...]
    practice: bool
    splits: Mapping[str, Split]
    settings: Any
    examples: str = "public"
    """``public``, or ``private``: no item may be shown."""
    downloads: tuple[Download, ...] = ()
    imports: tuple[Import, ...] = ()
    third_party: tuple[ThirdParty, ...] = ()
    reported: tuple[Reported, ...] = ()
    release: Policy = field(default_factory=Policy)
    folder: Path = field(default=Path(), compare=False)

    @property
    def task(self) -> AnyTask:
        """The task this board is of."""
        return TASKS[self.task_name]

    def split(self, name: str) -> Split:
        """A split by its name. Raises UsageError naming those there are."""
        if name not in self.splits:
            raise UsageError(f"board {self.id} has no split {excerpt(name)}; "
                             f"choose one of: {', '.join(self.splits)}")
        return self.splits[name]

    @property
    def how_to_bring(self) -> str:
        """The command that brings its data."""
        how = f"import {self.id} --from DIR" if self.imports else f"fetch {self.id}"
        return f"scorer data {how}"

    def data_file(self, split: str, home: Path) -> Path | None:
        """Where a split's file lies: embedded beside board.yaml, or fetched; None if not there."""
        name = self.split(split).file
        if name is None:
            return None
        places = (self.folder / "data" / name, home / "data" / self.id / name)
        return next((place for place in places if place.is_file()), None)
