"""What pages may know: plain records, read from files once, never changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from scorer.boards import Board, Split
from scorer.boards.errata import Erratum
from scorer.boards.published import NOTHING, Published, PublishedSource
from scorer.boards.submission import UsedPrompt, used_prompt
from scorer.core.reading.values import Link, plain
from scorer.people.organisers import Person
from scorer.people.records import Annotation, Batch, Form, Origin, Ruling
from scorer.people.validate import Coverage
from scorer.people.verdicts import SplitVotes
from scorer.scoring.judging import NOBODY, Judges
from scorer.scoring.leaderboard.about import PREVIEW, Kind, ScoredRow, in_words
from scorer.scoring.results.leaderboard import LeaderboardDocument
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

    anonymous: bool = False
    """Whether the team is not named yet."""
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
    commit: str = ""
    """The commit that brought the result; empty if nothing tells it."""

    @property
    def title(self) -> str:
        """What it is called today: without the name while its team is not named."""
        return in_words(self.system) if self.anonymous else self.about.title

    @property
    def by(self) -> str:
        """Who made it, as far as that may be said today."""
        return (f"anonymous until {self.about.anonymous_until}" if self.anonymous
                else self.about.by)

    @property
    def links(self) -> tuple[Link, ...]:
        """Where it leads; nowhere while its team is not named."""
        return () if self.anonymous else self.about.links

    @cached_property
    def facts(self) -> Mapping[str, str]:
        """Further fields of submission.yaml, by the names that people read."""
        return {plain(name): value if isinstance(value, str) else ", ".join(value)
                for name, value in self.about.facts}

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


def official(entries: Sequence[Entry]) -> list[Entry]:
    """Entries that are no previews, or all where there is nothing else."""
    return [entry for entry in entries if entry.kind != PREVIEW] or list(entries)


class ReadGraph(NamedTuple):
    """One graph that people judged."""

    row: int
    wanted: str
    """The label that a right graph has."""
    right: int
    """Votes that give it that label."""
    votes: Mapping[str, int]
    """By label, most votes first."""
    shown: tuple[str, ...]
    """The same in words, such as ``2 support``."""

    @property
    def total(self) -> int:
        """How many votes it has."""
        return sum(self.votes.values())


@dataclass(frozen=True, kw_only=True)
class SplitPeople(SplitVotes):
    """What people said of the systems of one split, with the figures of each."""

    verdicts: documents.VerdictsDocument

    def graphs(self, key: str) -> Mapping[int, ReadGraph]:
        """A system's graphs that people judged, by row; none of one that they did not read."""
        graphs = {}
        for graph in self.votes[key].read if key in self.votes else ():
            votes = dict(Counter(graph.votes).most_common())
            if votes:
                graphs[int(graph.item)] = ReadGraph(
                    int(graph.item), graph.wanted, votes.get(graph.wanted, 0), votes,
                    tuple(f"{count} {name}" for name, count in votes.items()))
        return graphs


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
    people: SplitPeople | None = None
    """What people said of systems; None where they read none."""
    rated: documents.RatedGoldsDocument | None = None
    """How far metrics agree with people's ratings of the gold answers, where that was measured."""
    sure: documents.SurenessDocument | None = None
    """How sure people and systems are of labels, where that was measured."""
    document: LeaderboardDocument | None = None
    """What the leaderboard says of the entries, where it was read or made."""
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
    def comparable(self) -> list[Entry]:
        """Entries whose predictions are shown item by item."""
        return self.first([e for e in self.entries if e.predictions and e.result.items])

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
class OpenBatch:
    """A batch that annotators answer; nothing of what they said."""

    form: Form
    batch: Batch
    coverage: Coverage | None = None
    """How far it is; None where nobody's files can be read."""
    files: tuple[str, ...] = ()
    """Who has a file on it in the repository."""


@dataclass(frozen=True)
class ClosedBatch:
    """A batch with everything that was handed in and may be shown."""

    form: Form
    batch: Batch
    coverage: Coverage
    annotations: tuple[Annotation, ...] = ()
    """Sound files, those handed in first coming first."""
    origins: Mapping[str, Origin] = field(default_factory=dict)
    """Where its items come from, as far as its key says so."""
    rulings: tuple[Ruling, ...] = ()
    """What maintainers settled."""


@dataclass(frozen=True)
class Annotations:
    """What people were asked and said, from the folder ``annotations`` of the checkout."""

    open: tuple[OpenBatch, ...] = ()
    """By name; batches to learn on are among them."""
    closed: tuple[ClosedBatch, ...] = ()
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
    """What became of every submission, as the pipeline or its files have it."""
    annotations: Annotations = Annotations()

    @property
    def splits(self) -> list[SplitView]:
        """Those of all boards."""
        return [view for board in self.boards for view in board.splits]
