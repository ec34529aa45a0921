"""What became of every submission: the records, and ``scorer ci status`` read into them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from scorer.boards.submission import OWN, RESERVED
from scorer.core.errors import DataError
from scorer.core.rules import lookup

PAGE = "submissions/"
MEANINGS = {
    "received": "Merged, but the board or split does not exist.",
    "valid": "Its files are valid; it waits for what is named beside it.",
    "queued": "The next run scores it.",
    "scored": "The maintainers put its scores on the main branch.",
    "published": "Scored after the merge and shown on the leaderboard.",
    "rejected": "It broke a rule and was not scored. The rule says what to do.",
    "error": "It could not be scored. The code says why.",
    "withdrawn": "Its submitter withdrew it. It keeps its page, unranked.",
}
"""Every state, in the order of a submission's life, with what it means."""
PREVIEW = "local preview"
LOCAL = {PREVIEW: "On this machine only: the repository does not have it, or not its scores."}
"""What only a build on somebody's machine knows."""
TONES = {"scored": "good", "published": "good", "rejected": "wrong", "error": "wrong"}


class Moment(NamedTuple):
    """A commit of the main branch and its time, as people read it."""

    commit: str
    date: str

    def __bool__(self) -> bool:
        """Whether anything is known of it."""
        return bool(self.commit or self.date)

    @property
    def time(self) -> str:
        """The date to the minute.

        >>> Moment("", "2026-01-31T12:30:59Z").time
        '2026-01-31 12:30'
        """
        return self.date[:16].replace("T", " ")


@dataclass(frozen=True)
class SplitState:
    """One split of one submission and what became of it."""

    board: str
    team: str
    system: str
    split: str
    state: str
    reason: str
    """A rule, a code, or what it waits for; empty if there is nothing to say."""
    attempts: int
    merged: Moment
    published: Moment | None

    @property
    def name(self) -> str:
        """Its folders as people read them."""
        return f"{self.team}/{self.system}"

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What it is a state of."""
        return self.board, self.team, self.system, self.split

    @property
    def slug(self) -> str:
        """The submission's name in addresses, as that of its entry."""
        return f"{self.team}--{self.system}"

    @property
    def tone(self) -> str:
        """Whether the state is ``good``, ``wrong`` or neither, for its colour."""
        return TONES.get(self.state, "")

    @property
    def rule_page(self) -> str:
        """Where the rule that rejected it is explained, if a rule did."""
        try:
            return lookup(self.reason).page if self.state == "rejected" else ""
        except KeyError:
            return ""


@dataclass(frozen=True)
class States:
    """Every submission of every board, newest first."""

    commit: str
    rows: tuple[SplitState, ...]
    codes: Mapping[str, str]
    """What each code of an error means."""
    local: bool = False
    """Whether they are only what the files of a checkout tell."""

    @property
    def meanings(self) -> dict[str, str]:
        """What each state means that a submission can be in."""
        return MEANINGS | LOCAL if self.local else MEANINGS

    def of(self, *key: str) -> SplitState | None:
        """The state of one split of one submission."""
        return next((row for row in self.rows if row.key == key), None)

    @property
    def submissions(self) -> list[SplitState]:
        """What teams sent, ours among them."""
        return [row for row in self.rows if row.team == OWN or row.team not in RESERVED]

    @property
    def added(self) -> list[SplitState]:
        """Rows that maintainers add: reference rows, and predictions by others."""
        return [row for row in self.rows if row.team != OWN and row.team in RESERVED]

    @property
    def counts(self) -> list[tuple[str, int, str]]:
        """How many submissions are in each state that there is, with the state's tone."""
        totals = Counter(row.state for row in self.submissions)
        return [(name, totals[name], TONES.get(name, ""))
                for name in self.meanings if totals[name]]


UNKNOWN = States("", (), {})
"""Where nothing tells of any submission."""


def read(document: Any) -> States:
    """The states of a document of ``scorer ci status``. Raises DataError if it is none."""
    try:
        if document["schema"] != 1:
            raise ValueError(f"schema {document['schema']!r}")
        rows = [_row(row) for row in document["submissions"]]
        codes = {str(code): str(text) for code, text in document.get("codes", {}).items()}
        return States(str(document["commit"]), newest_first(rows), codes)
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        raise DataError(f"not the states of submissions ({type(fault).__name__}: {fault}); "
                        "expected what scorer ci status prints") from fault


def _row(row: Mapping[str, Any]) -> SplitState:
    if row["state"] not in MEANINGS:
        raise ValueError(f"the state {row['state']!r}")
    brought = row.get("published")
    published = Moment(str(brought["commit"]), str(brought["date"])) if brought else None
    board, team, system, split = (str(row[name]) for name in ("board", "team", "system", "split"))
    return SplitState(
        board, team, system, split, row["state"], str(row.get("reason", "")),
        int(row["attempts"]), Moment(str(row["commit"]), str(row["date"])), published)


def newest_first(rows: Iterable[SplitState]) -> tuple[SplitState, ...]:
    """Newest first; those of one commit by name."""
    return tuple(sorted(sorted(rows, key=lambda row: row.key),
                        key=lambda row: row.merged.date, reverse=True))
