"""What a board is: the records of ``board.yaml``, each field with its kind and its meaning.

``scorer board schema`` prints their JSON Schema, ``scorer board docs`` their table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from scorer.boards.policy import HumanRanking, Policy
from scorer.boards.recipes import Recipe, RelativePath
from scorer.core.errors import UsageError, excerpt
from scorer.core.reading.values import (
    Choice,
    Decimal,
    Https,
    Integer,
    Internal,
    Items,
    Link,
    Optional,
    Slug,
    Text,
    YesNo,
)
from scorer.core.records import SPLITS
from scorer.metrics.catalogue import METRICS
from scorer.tasks.registry import TASKS, AnyTask

LARGEST_GOLD = 256 * 1024 * 1024
"""A gold file of more bytes is not read."""


Digest = Annotated[str, Text(64, r"[0-9a-f]{64}", "64 hexadecimal digits (SHA-256)")]
_Hmac = Annotated[str, Text(64, r"[0-9a-f]{64}", "64 hexadecimal digits (HMAC-SHA256)")]
SplitName = Annotated[str, Choice(SPLITS)]
_SplitKey = Annotated[str, Text(10, "|".join(SPLITS), "train, dev or test")]
_Metric = Annotated[str, Choice(tuple(METRICS))]


@dataclass(frozen=True, kw_only=True)
class Download:
    """One file that ``scorer data fetch`` or ``scorer data import`` brings, at a fixed digest."""

    path: Annotated[RelativePath, "Where it is put, relative to the board's data folder."]
    url: Annotated[Optional[Https], "Where it comes from, at a fixed commit. Left out: each user "
                   "has it, for `scorer data import`."] = None
    sha256: Annotated[Digest, "Digest of the file."]
    title: Annotated[str, Text(120), "What it is."]
    optional: Annotated[bool, YesNo(), "Whether the board can be used without it: where it is "
                        "lacking is then no error."] = False
    by_others: Internal[bool] = False
    """Whether it holds predictions, not data of the board."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the file may be called: as we call it, and as its address does."""
        names = (self.path.rpartition("/")[2], (self.url or self.path).rpartition("/")[2])
        return tuple(dict.fromkeys(names))


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

    file: Annotated[RelativePath, "Relative to the board's data folder: a row an item, a column a "
                    "gold answer in the order of the split's file, the single people's ratings "
                    "with ` | ` between, or `-` for none."]
    lowest: Annotated[float, Decimal(), "The lowest rating there is."]
    highest: Annotated[float, Decimal(), "The highest; higher is better."]


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The labels that several people gave each item."""

    file: Annotated[RelativePath, "Relative to the board's data folder: a row an item. First its "
                    "inputs as in the split's file, then how many people gave each label, in the "
                    "order of the board's labels; behind them, if the source has it, the label "
                    "that it takes for the majority's where two are equally frequent."]
    title: Annotated[str, Text(60), "What these answers are called."]
    by: Annotated[str, Text(120), "Whose they are."]
    source: Annotated[Link, "Where they were published."]
    licence: Annotated[str, Text(300, lines=True), "What may be done with them; shown beside every "
                       "figure."]


@dataclass(frozen=True, kw_only=True)
class Split:
    """One split of a board."""

    file: Annotated[Optional[RelativePath], "The file, relative to the board's data folder."] = None
    """Gold, or inputs where gold is hidden; None if there is none."""
    rows: Annotated[int, Integer(1, 10**6), "Number of items: the denominator of every metric."]
    gold: Annotated[str, Choice(("public", "hidden", "reported")), "Whether gold is public, "
                    "hidden, or only reported numbers are shown."]
    sha256: Annotated[Optional[Digest], "Digest of the file."] = None
    golds: Annotated[int, Integer(1, 100), "Gold graphs or references per item, at most."] = 1
    gold_hmac: Annotated[Optional[_Hmac], "Hidden gold: what `scorer gold seal` printed. Leave out "
                         "while there is none."] = None
    test_set: Annotated[Optional[Slug], "Which items these are, where others are published under "
                        "the split's name."] = None
    ratings: Annotated[Optional[Ratings], "People's ratings of the gold answers, by which `scorer "
                       "meta` judges metrics."] = None
    answers: Annotated[Optional[Answers], "The labels that several people gave each item, by which "
                       "`scorer meta` says how sure people are."] = None


@dataclass(frozen=True)
class Acknowledged:
    """A rule that gold of a split is known to break, and why that gold stays."""

    split: Annotated[SplitName, "The split."]
    rule: Annotated[str, Text(60, r"[A-Z][A-Z0-9_]*(?:-[A-Z0-9_]+)*", "a rule's id"),
                    "The rule that gold breaks, as `scorer board check` names it."]
    rows: Annotated[int, Integer(1, 10**6), "How many rows break it; another number fails the "
                    "check."]
    reason: Annotated[str, Text(300, lines=True), "Why they stay as they are; shown on the page of "
                      "gold quality."]


@dataclass(frozen=True, kw_only=True)
class Board:
    """Everything that belongs to one benchmark: the fields of ``board.yaml``."""

    schema: Annotated[int, Integer(1, 1), "Version of this format."]
    id: Annotated[Slug, "The board's name; equals the folder's."]
    version: Annotated[str, Text(20, r"[0-9]+(?:\.[0-9]+)*", "a version such as 1.0"),
                       "Changes whenever a value here changes a score; part of every result's key."]
    task_name: Annotated[str, Choice(tuple(TASKS)), Field(alias="task"), "The kind of work."]
    title: Annotated[str, Text(80), "The name people read."]
    summary: Annotated[str, Text(600, lines=True), "One or two sentences for the site."]
    question: Annotated[str, Text(160), "What a system is asked, in one short question for the "
                        "front page; without it the summary stands there."] = ""
    licence: Annotated[str, Text(600, lines=True), "What may be done with the data; shown wherever "
                       "they are."]
    attribution: Annotated[str, Text(300), "One line under every example."]
    links: Annotated[tuple[Link, ...], Items(0, 20), "Paper, code, data."] = ()
    citation: Annotated[str, Text(3000, lines=True), "BibTeX to cite when the board is used."]
    metrics: Annotated[tuple[_Metric, ...], Items(1, 40), "The columns, in order."]
    ranking: Annotated[tuple[_Metric, ...], Items(1, 5), "Rows are ordered by the first of these "
                       "that any scored row has and, if a judge gives it, one judge that is fit "
                       "gave all of it."]
    columns: Annotated[tuple[_Metric, ...], Items(1, 5), "The columns that the leaderboard shows "
                       "at first; left out: what orders the rows, then the first metrics."] = ()
    practice: Annotated[bool, YesNo(), "Whether this board is for rehearsal only: no rank numbers, "
                        "no significance."] = False
    splits: Annotated[Mapping[_SplitKey, Split], Items(1), "The splits."]
    settings: Annotated[Any, "What the task asks of a board."]
    examples: Annotated[str, Choice(("public", "private")), "Whether pages may show the items of "
                        "splits with public gold."] = "public"
    downloads: Annotated[tuple[Download, ...], Items(), "Files that `scorer data fetch` brings, "
                         "or `scorer data import` takes from a folder or zip file of the "
                         "user."] = ()
    recipes: Annotated[tuple[Recipe, ...], Items(0, 20), Field(alias="import"), "How files of ours "
                       "are made of the downloads, in the same run."] = ()
    acknowledged: Annotated[tuple[Acknowledged, ...], Items(0, 60), "Rules that public gold breaks "
                            "all the same. Without such an entry, `scorer board check` fails."] = ()
    release: Annotated[Policy, "What is released of values measured on hidden gold."] = field(
        default_factory=Policy)
    people: Annotated[HumanRanking, "When rows may be ordered by prediction-powered values: a "
                      "judge's verdicts on all items, corrected by people's on some."] = field(
                          default_factory=HumanRanking)
    third_party: Internal[tuple[ThirdParty, ...]] = ()
    folder: Internal[Path] = field(default=Path(), compare=False)

    @cached_property
    def task(self) -> AnyTask:
        """The task this board is of, with its settings."""
        return TASKS[self.task_name](self.settings)

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
        return any(not download.by_others for download in self.downloads)

    @property
    def how_to_bring(self) -> str:
        """The command that brings its data."""
        return self._how_to_bring(self.downloads)

    def how_to_bring_split(self, split: str) -> str:
        """The same for one split: what is published nowhere is the user's."""
        file = self.split(split).file
        needed = [file, *(name for item in self.recipes if item.to == file for name in item.files)]
        return self._how_to_bring([entry for entry in self.downloads if entry.path in needed])

    def _how_to_bring(self, downloads: Sequence[Download]) -> str:
        by_hand = downloads and not any(download.url for download in downloads)
        return (f"scorer data import {self.id} --from DIR" if by_hand
                else f"scorer data fetch {self.id}")

    def data_file(self, split: str, home: Path) -> Path | None:
        """Where a split's file lies: embedded beside board.yaml, or fetched; None if not there."""
        return self._at_hand(self.split(split), home)

    def ratings_file(self, split: str, home: Path) -> Path | None:
        """Where people's ratings of a split's gold lie; None if not there."""
        return self._at_hand(self.split(split).ratings, home)

    def answers_file(self, split: str, home: Path) -> Path | None:
        """Where people's answers to a split's items lie; None if not there."""
        return self._at_hand(self.split(split).answers, home)

    def _at_hand(self, described: Split | Ratings | Answers | None, home: Path) -> Path | None:
        if described is None or described.file is None:
            return None
        paths = (self.folder / "data", home / "data" / self.id)
        return next((path / described.file for path in paths
                     if (path / described.file).is_file()), None)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the task's answers, in their order; none where a label is not asked for."""
        columns = self.task.answer_columns
        return next((column.labels for column in columns if column.labels), ())

    @property
    def label_metric(self) -> str | None:
        """Its first metric that looks at labels alone; None if it has none."""
        uses = {use.metric for use in self.task.metrics if use.label_only}
        return next((name for name in self.metrics if name in uses), None)


@cache
def declaration(task: type[AnyTask]) -> type[Board]:
    """The fields of board.yaml for a task, with the task's own settings; see ``undeclared``."""
    own: Any = task.settings_type
    settings = Annotated[own, f"What the task *{task.title.lower()}* asks of a board."]
    return make_dataclass("Board", [("settings", settings)], bases=(Board,), frozen=True,
                          kw_only=True)


def undeclared(board: Board) -> Board:
    """A board that was read by the declaration of its task, as any other board."""
    return Board(**{item.name: getattr(board, item.name) for item in fields(Board)})
