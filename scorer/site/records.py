"""What pages may know: plain records, read from files once, never changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from scorer.boards import Board, Split
from scorer.boards.errata import Erratum
from scorer.boards.published import NOTHING, Published, PublishedSource
from scorer.boards.submission import UsedPrompt, used_prompt
from scorer.core.reading.values import plain
from scorer.people.answered import AnsweredItem
from scorer.people.organisers import Person
from scorer.people.records import Batch, Form, Ruling
from scorer.people.validate import Coverage
from scorer.people.verdicts import SplitVotes
from scorer.scoring.judging import NOBODY, Judges
from scorer.scoring.leaderboard.about import PREVIEW, ScoredRow, in_words
from scorer.scoring.leaderboard.make import leaderboard
from scorer.scoring.leaderboard.verdict import verdict
from scorer.scoring.results.leaderboard import Kind, LeaderboardDocument, Row
from scorer.scoring.results.past import Past
from scorer.site.reading.states import UNKNOWN, States
from scorer.tasks.gold_quality import GoldQuality, Leak, leaks, measure
from scorer.tasks.graphs.diff import RefinedItem
from scorer.tasks.partitions import Division, divisions

if TYPE_CHECKING:
    from scorer.people import documents
    from scorer.people.hamlet import HamletResults

SHOWN_ROWS = 100
"""So many rows of a split have their answers to single items on the site, unless a builder says
otherwise: a thousand on 400 items take 1.6 GB."""

KINDS: dict[Kind, str] = {
    "scored": "submitted, and scored here",
    "third-party": "published predictions, scored here",
    "reference": "a reference row made by this software",
    PREVIEW: "scored on this machine only: unofficial, without a rank",
}


@dataclass(frozen=True)
class Entry(ScoredRow):
    """One system on one split, with its predictions if they are there."""

    past: tuple[Past, ...] = ()
    """What the result said before it was computed again, oldest first."""
    predictions: Sequence[Any] = ()
    """One per item, or empty if the file is not there or its answers are not shown."""
    answers: Path | None = None
    """The file of its predictions, as it was scored; None if it is not there or not readable."""
    folder: Path = Path()
    """The submission's folder."""
    result_path: Path = Path()
    committed: bool = True
    """Whether the submission is part of the repository."""

    @property
    def anonymous(self) -> bool:
        """Whether the team is not named yet."""
        return self.about.anonymous_until is not None

    @property
    def title(self) -> str:
        """What it is called today: without the name while its team is not named."""
        return self.about.title or in_words(self.system)

    @property
    def by(self) -> str:
        """Who made it, as far as that may be said today."""
        return self.about.by or f"anonymous until {self.about.anonymous_until}"

    @property
    def date(self) -> str:
        """When its predictions were made; empty if nothing tells it."""
        return self.about.date or ""

    @cached_property
    def facts(self) -> Mapping[str, str]:
        """Further fields of submission.yaml, by the names that people read."""
        return {plain(name): value if isinstance(value, str) else ", ".join(value)
                for name, value in (self.about.facts or {}).items()}

    @cached_property
    def prompt(self) -> UsedPrompt | None:
        """The prompt that asked, if submission.yaml names it."""
        return used_prompt(self.facts.get("prompt", ""))

    @property
    def slug(self) -> str:
        """Its name in addresses."""
        return f"{self.team}--{self.system}"

    @property
    def submitted(self) -> bool:
        """Whether a team sent it, or is about to."""
        return self.kind in ("scored", PREVIEW)

    @property
    def folder_name(self) -> str:
        """The team's folder, to stand beside its name; empty if none may be named."""
        return self.team if self.submitted and not self.anonymous else ""

    @property
    def name(self) -> str:
        """Its key where people read it: without the team while that is not named."""
        return f"anonymous/{self.system}" if self.anonymous else self.key


@dataclass(frozen=True)
class SplitView:
    """One split of a board with everything known about it."""

    board: Board
    name: str
    golds: Sequence[Any] = ()
    """Every item, or empty if the gold is not there."""
    missing: str = ""
    """Why ``golds`` is empty, as a sentence for readers."""
    inputs: tuple[tuple[str, ...], ...] = ()
    """The input texts of every item, where ``golds`` is empty and they are at hand all the same."""
    refined: tuple[RefinedItem, ...] = ()
    """How the gold came about, where the file of the rounds is at hand."""
    entries: tuple[Entry, ...] = ()
    errata: tuple[Erratum, ...] = ()
    """Those that changed ``golds``."""
    committed: bool = True
    """Whether the gold file is part of the repository."""
    judges: Judges = NOBODY
    published: Published = NOTHING
    """The board's numbers published elsewhere, of all splits."""
    people: SplitVotes | None = None
    """What people said of systems; None where they read none."""
    rated: documents.RatedGoldsDocument | None = None
    """How far metrics agree with people's ratings of the gold answers, where that was measured."""
    sure: documents.SurenessDocument | None = None
    """How sure people and systems are of labels, where that was measured."""
    written: LeaderboardDocument | None = None
    """The document of the repository, or one that was computed of these entries before."""
    shown_rows: int = SHOWN_ROWS
    """So many rows have their answers to single items on the site."""

    @property
    def split(self) -> Split:
        """What the board says about the split."""
        return self.board.splits[self.name]

    @cached_property
    def texts(self) -> Sequence[Sequence[str]]:
        """The input columns of every item; empty where they are not at hand, or may not be shown.
        """
        return [gold.texts for gold in self.golds] or self.inputs

    @cached_property
    def divisions(self) -> tuple[Division, ...]:
        """Its items in the parts of every breakdown; empty parts without gold at hand."""
        return divisions([*self.board.task.partitions(self.golds)], self.golds)

    @cached_property
    def labels(self) -> tuple[str | None, ...]:
        """The label of every item, None where the task has none; empty without gold at hand."""
        return tuple(self.board.task.gold_contents(gold)[0].label for gold in self.golds)

    @property
    def sources(self) -> Sequence[PublishedSource]:
        """Where numbers for this split were published."""
        return [source for source in self.published.sources if source.split == self.name]

    @property
    def path(self) -> str:
        """Where the split's leaderboard is, relative to the site's root."""
        return f"boards/{self.board.id}/{self.name}/"

    def system_path(self, entry: Entry) -> str:
        """Where the page of a row is, relative to the site's root."""
        return f"boards/{self.board.id}/systems/{entry.slug}/"

    @property
    def has_rows(self) -> bool:
        """Whether it has a leaderboard: scored or published rows, or people's answers."""
        return bool(self.entries or self.sources or (self.sure and self.sure.people))

    @cached_property
    def document(self) -> LeaderboardDocument:
        """What the leaderboard says of the entries: the written one where it has just these rows,
        else what the same function makes of them (previews, or results by hand).

        Anonymous teams whose day has come are named; keys stay.
        """
        document = self.written
        if document is None or not self._fits(document):
            people = None
            if self.people is not None:
                from scorer.people.leaderboard import people_columns

                people = people_columns(self.board, self.name, self.entries, self.people)
            document = leaderboard(self.board, self.name, self.entries, self.judges,
                                   self.published, people)
        named = {key: row.replace(title=entry.about.title, by=entry.about.by,
                                  links=entry.about.links, anonymous_until=None)
                 for key, row in document.by_key.items()
                 if row.anonymous_until and not (entry := self.by_key[key]).anonymous}
        if not named:
            return document
        document = document.replace(rows=[named.get(row.key, row) for row in document.rows])
        return document.replace(verdict=verdict(document, document.verdict.stable))

    def _fits(self, document: LeaderboardDocument) -> bool:
        """Whether a document has just the rows of the entries, and their values: one that was not
        written again has not."""
        if document.by_key.keys() != self.by_key.keys():
            return False
        for key, row in document.by_key.items():
            entry = self.by_key[key]
            if (row.kind, row.withdrawn) != (entry.kind, entry.about.withdrawn):
                return False
            metrics = entry.result.metrics
            if any(value.v != metrics[name].value
                   for name, value in row.values.items() if name in metrics):
                return False
        return True

    @cached_property
    def by_key(self) -> Mapping[str, Entry]:
        """Entries by the keys of their rows in the document."""
        return {entry.document_key: entry for entry in self.entries}

    def row(self, entry: Entry) -> Row:
        """The row that an entry is."""
        return self.document.by_key[entry.document_key]

    def title(self, key: str) -> str:
        """What a row is called today: an anonymous team is named once its day has come."""
        return self.by_key[key].title

    @cached_property
    def comparable(self) -> list[Entry]:
        """Entries whose predictions are shown item by item."""
        return self.first([e for e in self.entries if e.predictions and e.result.items])

    @cached_property
    def comparable_keys(self) -> frozenset[str]:
        """Their keys."""
        return frozenset(entry.key for entry in self.comparable)

    def first(self, entries: Sequence[Entry]) -> list[Entry]:
        """Previews and the first systems, then reference rows, ``shown_rows`` at most; in the order
        of ``entries``."""
        first = sorted(entries, key=lambda e: (e.kind == "reference", e.kind != PREVIEW))
        chosen = {e.key for e in first[:self.shown_rows]}
        return [e for e in entries if e.key in chosen]


@dataclass(frozen=True)
class BoardView:
    """One board and its splits, in the order of board.yaml."""

    board: Board
    splits: tuple[SplitView, ...]
    errata: tuple[Erratum, ...] = ()
    """Every decided dispute about its gold, declined ones too."""
    published: Published = NOTHING
    guest: bool = False
    """Whether the site is about other boards (``boards/site.yaml``)."""

    @property
    def group(self) -> Literal["main", "guest", "practice"]:
        """Where lists of boards show it."""
        return "practice" if self.board.practice else "guest" if self.guest else "main"

    @property
    def settings(self) -> Any:
        """The task's settings of this board."""
        return self.board.settings

    @cached_property
    def gold_quality(self) -> GoldQuality:
        """What the gold that may be shown is like; of other splits the texts alone count."""
        return measure(self.board.task, [view for view in self.splits if view.texts])

    @cached_property
    def leaks(self) -> tuple[Leak, ...]:
        """What splits that may be shown have of those before them."""
        return leaks(self.board.task, [view for view in self.splits if view.texts])

    def public_golds(self) -> list[tuple[str, Sequence[Any]]]:
        """The gold of every split at hand by its name; of several also "together"."""
        pairs: list[tuple[str, Sequence[Any]]] = [
            (view.name, view.golds) for view in self.splits if view.golds]
        if len(pairs) > 1:
            pairs.append(("together", [gold for _, golds in pairs for gold in golds]))
        return pairs


@dataclass(frozen=True)
class AskedBatch:
    """A batch that annotators answer, or one that is closed, with what was said there."""

    form: Form
    batch: Batch
    coverage: Coverage
    files: tuple[str, ...] = ()
    """Who has a file on it in the repository, while it is open."""
    items: tuple[AnsweredItem, ...] = ()
    """Once it is closed: those that somebody answered."""
    rulings: tuple[Ruling, ...] = ()
    """What maintainers settled."""


@dataclass(frozen=True)
class Annotations:
    """What people were asked and said, from the folder ``annotations`` of the checkout."""

    open: tuple[AskedBatch, ...] = ()
    """By name; batches to learn on are among them."""
    closed: tuple[AskedBatch, ...] = ()
    results: documents.HumanResults | None = None
    """The numbers of closed batches, as ``scorer annotations aggregate`` writes them; None without
    such a batch."""
    people: Mapping[str, Person] = field(default_factory=dict)
    """What ``annotators.yml`` says, by login."""
    systems: Mapping[str, SplitVotes] = field(default_factory=dict)
    """What people said of systems, by split (``explagraphs-dev``)."""
    hamlet: HamletResults | None = None
    """Which texts fooled a label model, as ``scorer annotations hamlet`` writes it."""


@dataclass(frozen=True)
class SiteView:
    """Everything the site is made from."""

    boards: tuple[BoardView, ...]
    version: str
    commit: str | None
    warnings: tuple[str, ...] = ()
    """What was left out, and why."""
    open_fields: tuple[str, ...] = ()
    """What somebody has still to fill in, in boards and pages."""
    judges: Judges = NOBODY
    states: States = UNKNOWN
    """What became of every submission, as the pipeline has it."""
    annotations: Annotations = Annotations()

    @property
    def splits(self) -> list[SplitView]:
        """Those of all boards."""
        return [view for board in self.boards for view in board.splits]

    @property
    def leaderboards(self) -> list[SplitView]:
        """Those with rows: scored, published, or what people answered."""
        return [view for view in self.splits if view.has_rows]
