"""What a row says of itself, or what the board says of it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal

from scorer.boards import Board
from scorer.boards.submission import (
    NULL,
    REFERENCE,
    THIRD_PARTY,
    Meta,
    null_name,
    null_title,
)
from scorer.core.reading.values import Link
from scorer.core.results import Result
from scorer.scoring.results.leaderboard import row_key

_APART = {"system", "team", "date", "description", "saw_dev_gold", "links", "tags", "withdrawn",
          "anonymous_until"}
_FIRST = ("models", "parameters", "prompt", "decoding", "training_data", "seeds", "licence")
FACTS = (*_FIRST, *(field.name for field in fields(Meta) if field.name not in {*_FIRST, *_APART}))
"""Fields of ``submission.yaml`` that pages list, in this order; the others stand elsewhere."""
NO_SYSTEM = "not a system of its own"
"""Why a row without a rank has none: an oracle, say."""
APART = "not comparable with the ranked rows"
"""The same of a row whose value has another signature."""
Fact = str | tuple[str, ...]


@dataclass(frozen=True)
class About:
    """One row of a board, its numbers aside."""

    title: str
    by: str
    description: str = ""
    date: str = ""
    links: tuple[Link, ...] = ()
    facts: tuple[tuple[str, Fact], ...] = ()
    """By the names of fields."""
    saw_dev_gold: bool = False
    tags: tuple[str, ...] | None = None
    """None where nothing but the result knows them."""
    withdrawn: str = ""
    is_system: bool = True
    """Whether it may have a rank, as far as its board says."""
    anonymous_until: str | None = None
    """The day on which its names may be shown; they are here all the same."""


Kind = Literal["scored", "third-party", "reference", "preview"]
PREVIEW: Kind = "preview"
"""A submitted row whose result is in nobody's repository, only on the machine of this build."""
_KIND_OF: dict[str, Kind] = {REFERENCE: "reference", THIRD_PARTY: "third-party"}
"""Team folders that are not teams."""


@dataclass(frozen=True)
class ScoredRow:
    """One row: what it is, and its result."""

    about: About
    result: Result
    preview: bool = False
    """Whether its result is in nobody's repository."""

    @property
    def team(self) -> str:
        """The team's folder."""
        return self.result.team

    @property
    def system(self) -> str:
        """The system's folder."""
        return self.result.system

    @property
    def key(self) -> str:
        """``<team>/<system>``, which names it in ``?a=`` and in files."""
        return f"{self.team}/{self.system}"

    @property
    def kind(self) -> Kind:
        """What it is."""
        return _KIND_OF.get(self.team, PREVIEW if self.preview else "scored")

    @property
    def tags(self) -> tuple[str, ...]:
        """What to know when it is compared (``submission.TAGS``)."""
        return tuple(self.result.tags or ()) if self.about.tags is None else self.about.tags

    @property
    def document_key(self) -> str:
        """What the document calls it, which does not name an anonymous team."""
        return row_key(self.team, self.system, anonymous=self.about.anonymous_until is not None)

    def null_key(self, board: Board) -> str:
        """The key of the reference row that is its null, there or not."""
        shared = board.task.one_null
        return f"{REFERENCE}/{NULL if shared else null_name(self.team, self.system)}"

    @property
    def never_ranked(self) -> str:
        """Why it has no rank, whatever it scores; empty if it may have one."""
        if self.about.withdrawn:
            return "withdrawn"
        if self.kind == PREVIEW:
            return "scored on this machine only"
        return "" if self.about.is_system else NO_SYSTEM


def about(board: Board, split: str, team: str, system: str, meta: Meta | None) -> About:
    """A row of a split: by its ``submission.yaml`` if that is at hand, else by board or folders."""
    other = next((row for row in board.third_party
                  if (THIRD_PARTY, row.system, row.split) == (team, system, split)), None)
    record = About(in_words(system), in_words(team), is_system=other is None or other.ranked)
    if meta is not None:
        facts = tuple((name, value) for name in FACTS if (value := getattr(meta, name)))
        return replace(
            record, title=meta.system, by=meta.team, description=meta.description, date=meta.date,
            links=meta.links, facts=facts, saw_dev_gold=meta.saw_dev_gold, tags=meta.tags,
            withdrawn=meta.withdrawn or "", anonymous_until=meta.anonymous_until)
    if other is not None:
        return replace(record, title=other.title, by=other.by, description=other.description,
                       date=other.date, links=(other.source,), saw_dev_gold=other.saw_dev_gold,
                       facts=(("licence of the predictions", other.licence),))
    if team != REFERENCE:
        return record
    made = board.task.baselines.get(system)
    if made is not None:
        title, description = made.said_of(board.settings)
        return replace(record, title=title, description=description,
                       facts=(("training_data", made.training_data),))
    of = [row for row in board.third_party if null_name(THIRD_PARTY, row.system) == system]
    return replace(record, title=null_title(of[0].title)) if of else record


def in_words(slug: str) -> str:
    """A folder's name where nothing else names a row."""
    return slug.replace("-", " ").capitalize()
