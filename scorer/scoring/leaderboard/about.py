"""What a row says of itself, or what the board says of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal, TypeVar

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
from scorer.scoring.results.leaderboard import Kind, LinkDocument, Row, row_key

_APART = {"system", "team", "date", "description", "saw_dev_gold", "links", "tags", "withdrawn",
          "anonymous_until"}
_FIRST = ("models", "parameters", "prompt", "decoding", "training_data", "seeds", "licence")
FACTS = (*_FIRST, *(field.name for field in fields(Meta) if field.name not in {*_FIRST, *_APART}))
"""Fields of ``submission.yaml`` that pages list, in this order; the others stand elsewhere."""
NO_SYSTEM = "not a system of its own"
"""Why a row without a rank has none: an oracle, say."""
APART = "not comparable with the ranked rows"
"""The same of a row whose value has another signature."""
_Trust = Literal["scored-here", "predictions-by-others", "reference"]
_FOLDERS: Mapping[str, tuple[Kind, _Trust]] = {
    REFERENCE: ("reference", "reference"), THIRD_PARTY: ("third-party", "predictions-by-others")}
"""What rows in team folders that are not teams are, and who made their predictions."""
PREVIEW: Kind = "preview"
"""A submitted row whose result is in nobody's repository, only on the machine of this build."""


@dataclass(frozen=True)
class ScoredRow:
    """One row: what it is, and its result."""

    about: Row
    """Its row in the document, but for what follows from other rows: null, rank and values."""
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
        return PREVIEW if self.preview and self.about.kind == "scored" else self.about.kind

    @property
    def tags(self) -> tuple[str, ...]:
        """What to know when it is compared (``submission.TAGS``)."""
        return tuple(self.about.tags or ())

    @property
    def document_key(self) -> str:
        """What the document calls it, which does not name an anonymous team."""
        return self.about.key

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
        return self.about.unranked or ""


Scored = TypeVar("Scored", bound=ScoredRow)


def official(rows: Sequence[Scored]) -> list[Scored]:
    """Rows that are no previews, or all where there is nothing else."""
    return [row for row in rows if row.kind != PREVIEW] or list(rows)


def about(board: Board, result: Result, meta: Meta | None, day: str | None = None) -> Row:
    """The row of a result, without values: by its ``submission.yaml`` if that is at hand, else by
    board or folders. ``day``: that of the reader (``YYYY-MM-DD``); without one no team is named
    that asked to be anonymous for a time.
    """
    team, system = result.team, result.system
    kind, trust = _FOLDERS.get(team, ("scored", "scored-here"))
    other = next((row for row in board.third_party
                  if (THIRD_PARTY, row.system, row.split) == (team, system, result.split)), None)
    row = Row(
        key=row_key(team, system, anonymous=meta is not None and meta.anonymous(None)),
        kind=kind, trust=trust, title=in_words(system), by=in_words(team),
        tags=[*(result.tags or ())] or None,
        unranked=NO_SYSTEM if other is not None and not other.ranked else None, values={})
    if meta is not None:
        named = not meta.anonymous(day)
        facts = {name: list(value) if isinstance(value, tuple) else value
                 for name in FACTS if (value := getattr(meta, name))}
        return row.replace(
            title=meta.system if named else None, by=meta.team if named else None,
            links=_links(meta.links) if named else None, facts=facts or None,
            anonymous_until=None if named else meta.anonymous_until,
            date=meta.date or None, description=meta.description or None,
            saw_dev_gold=(meta.saw_dev_gold and team != REFERENCE) or None,
            tags=[*meta.tags] or None, withdrawn=meta.withdrawn or None)
    if other is not None:
        return row.replace(
            title=other.title, by=other.by, description=other.description or None,
            date=other.date or None, links=_links([other.source]),
            saw_dev_gold=other.saw_dev_gold or None,
            facts={"licence of the predictions": other.licence})
    if team == REFERENCE and (made := board.task.baselines.get(system)):
        title, description = made.said_of(board.settings)
        return row.replace(title=title, description=description or None,
                           facts={"training_data": made.training_data})
    of = [row.title for row in board.third_party if team == REFERENCE
          and null_name(THIRD_PARTY, row.system) == system]
    return row.replace(title=null_title(of[0])) if of else row


def _links(links: Sequence[Link]) -> list[LinkDocument] | None:
    return [LinkDocument(title=link.title, url=link.url) for link in links] or None


def in_words(slug: str) -> str:
    """A folder's name where nothing else names a row."""
    return slug.replace("-", " ").capitalize()
