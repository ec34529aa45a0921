"""What a board is: the records of ``board.yaml``, each field with its kind and its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from scorer.board.policy import HumanRanking, Policy
from scorer.board.recipes import PATH, Recipe
from scorer.errors import UsageError, excerpt
from scorer.reading.fields import (
    LINK,
    Choice,
    Integer,
    Link,
    Number,
    Text,
    YesNo,
    https,
    record_of,
    slug,
)
from scorer.records import SPLITS
from scorer.tasks.registry import TASKS, AnyTask

LARGEST_GOLD = 256 * 1024 * 1024
"""A gold file of more bytes is not read."""


DIGEST = Text(64, r"[0-9a-f]{64}", "64 hexadecimal digits (SHA-256)")
_HMAC = Text(64, r"[0-9a-f]{64}", "64 hexadecimal digits (HMAC-SHA256)")
SPLIT_NAME = Choice(SPLITS)


@dataclass(frozen=True)
class Download:
    """One file that ``scorer data fetch`` brings, at a fixed digest."""

    path: Annotated[str, PATH, "Where it is put, relative to the board's data folder."]
    url: Annotated[str, https(), "Where it comes from, at a fixed commit."]
    sha256: Annotated[str, DIGEST, "Digest of the file."]
    title: Annotated[str, Text(120), "What it is."]
    optional: Annotated[bool, YesNo(), "Whether the board can be used without it: a folder that "
                        "lacks it is then no error."] = False
    by_others: bool = False
    """Whether it holds predictions, not data of the board."""


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
    """Predictions made by others that we score: a row *scored here, predictions by others*.

    ``others.py`` says how they are written.
    """

    system: str
    """The row's folder name."""
    path: str
    """The predictions file, relative to the board's data folder."""
    split: str
    title: str
    description: str
    """What it is and who made it."""
    by: str
    source: Link
    """Where the predictions come from, at a commit."""
    licence: str
    date: str
    saw_dev_gold: bool
    ranked: bool = True
    """Whether the row may have a rank."""


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """What people say of the gold answers themselves, each rated by several."""

    file: Annotated[str, PATH, "Relative to the board's data folder: a row an item, a column a "
                    "gold answer in the order of the split's file, the single people's ratings "
                    "with ` | ` between, or `-` for none."]
    lowest: Annotated[float, Number(), "The lowest rating there is."]
    highest: Annotated[float, Number(), "The highest; higher is better."]


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The labels that several people gave each item."""

    file: Annotated[str, PATH, "Relative to the board's data folder: a row an item. First its "
                    "inputs as in the split's file, then how many people gave each label, in the "
                    "order of the board's labels; behind them, if the source has it, the label "
                    "that it takes for the majority's where two are equally frequent."]
    title: Annotated[str, Text(60), "What these answers are called."]
    by: Annotated[str, Text(120), "Whose they are."]
    source: Annotated[Link, LINK, "Where they were published."]
    licence: Annotated[str, Text(300, lines=True), "What may be done with them; shown beside "
                       "every figure."]


@dataclass(frozen=True, kw_only=True)
class Split:
    """One split of a board."""

    file: Annotated[str | None, PATH, "The file, relative to the board's data folder."] = None
    """Gold, or inputs where gold is hidden; None if there is none."""
    rows: Annotated[int, Integer(1, 10**6), "Number of items: the denominator of every metric."]
    gold: Annotated[str, Choice(("public", "hidden", "reported")), "Whether gold is public, "
                    "hidden, or only reported numbers are shown."]
    sha256: Annotated[str | None, DIGEST, "Digest of the file."] = None
    golds: Annotated[int, Integer(1, 100), "Gold graphs or references per item, at most."] = 1
    gold_hmac: Annotated[str | None, _HMAC,
                         "Hidden gold: what `scorer gold seal` printed. Leave out while there is "
                         "none."] = None
    test_set: Annotated[str | None, slug(), "Which items these are, where others are published "
                        "under the split's name."] = None
    ratings: Annotated[Ratings | None, record_of(Ratings), "People's ratings of the gold answers, "
                       "by which `scorer meta` judges metrics."] = None
    answers: Annotated[Answers | None, record_of(Answers), "The labels that several people gave "
                       "each item, by which `scorer meta` says how sure people are."] = None


@dataclass(frozen=True)
class Acknowledged:
    """A rule that gold of a split is known to break, and why that gold stays."""

    split: Annotated[str, SPLIT_NAME, "The split."]
    rule: Annotated[str, Text(60, r"[A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*", "a rule's id"),
                    "The rule that gold breaks, as `scorer board check` names it."]
    rows: Annotated[int, Integer(1, 10**6), "How many rows break it; another number fails the "
                    "check."]
    reason: Annotated[str, Text(300, lines=True), "Why they stay as they are; shown on the page of "
                      "gold quality."]


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
    question: str = ""
    """What a system is asked, in one line; empty where the summary says it."""
    columns: tuple[str, ...] = ()
    """Those that the leaderboard shows at first."""
    examples: str = "public"
    """``public``, or ``private``: no item may be shown."""
    downloads: tuple[Download, ...] = ()
    recipes: tuple[Recipe, ...] = ()
    """The field ``import``."""
    imports: tuple[Import, ...] = ()
    third_party: tuple[ThirdParty, ...] = ()
    acknowledged: tuple[Acknowledged, ...] = ()
    release: Policy = field(default_factory=Policy)
    people: HumanRanking = field(default_factory=HumanRanking)
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
    def hides_gold(self) -> bool:
        """Whether the gold of a split is hidden."""
        return any(split.gold == "hidden" for split in self.splits.values())

    @property
    def brought(self) -> bool:
        """Whether each user brings the data, because they may not be part of the repository."""
        return bool(self.imports) or self._is_fetched

    @property
    def _is_fetched(self) -> bool:
        return any(not one.by_others for one in self.downloads)

    @property
    def how_to_bring(self) -> str:
        """The command that brings its data."""
        by_hand = self.imports and not self._is_fetched
        how = f"import {self.id} --from DIR" if by_hand else f"fetch {self.id}"
        return f"scorer data {how}"

    def data_file(self, split: str, home: Path) -> Path | None:
        """Where a split's file lies: embedded beside board.yaml, or fetched; None if not there."""
        return self._at_hand(self.split(split).file, home)

    def ratings_file(self, split: str, home: Path) -> Path | None:
        """Where people's ratings of a split's gold lie; None if not there."""
        described = self.split(split).ratings
        return self._at_hand(described.file if described else None, home)

    def answers_file(self, split: str, home: Path) -> Path | None:
        """Where people's answers to a split's items lie; None if not there."""
        described = self.split(split).answers
        return self._at_hand(described.file if described else None, home)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the task's answers, in their order; none where a label is not asked for."""
        columns = self.task.answer_columns(self.settings)
        return next((column.labels for column in columns if column.labels), ())

    @property
    def label_metric(self) -> str | None:
        """Its first metric that looks at labels alone; None if it has none."""
        uses = {use.metric for use in self.task.metrics if use.label_only}
        return next((name for name in self.metrics if name in uses), None)

    def _at_hand(self, name: str | None, home: Path) -> Path | None:
        if name is None:
            return None
        places = (self.folder / "data" / name, home / "data" / self.id / name)
        return next((place for place in places if place.is_file()), None)
