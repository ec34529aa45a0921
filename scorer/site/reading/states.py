"""What became of every submission: the records, and ``scorer ci status`` read into them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, ValidationError

from scorer.boards.submission import OWN, RESERVED
from scorer.core.errors import DataError
from scorer.core.reading.schema import Count, Document, One, problems
from scorer.core.reading.values import Optional
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
TONES = {"scored": "good", "published": "good", "rejected": "wrong", "error": "wrong"}


class Moment(Document):
    """A commit of the main branch and its time."""

    commit: str
    date: str

    def __bool__(self) -> bool:
        """Whether anything is known of it."""
        return bool(self.commit or self.date)

    @property
    def time(self) -> str:
        """The date to the minute.

        >>> Moment(commit="", date="2026-01-31T12:30:59Z").time
        '2026-01-31 12:30'
        """
        return self.date[:16].replace("T", " ")


class SubmissionState(Document):
    """One submission on one split."""

    board: str
    team: str
    system: str
    split: Literal["train", "dev", "test"]
    key: str = Field(
        description="Of all that its numbers depend on; empty if it cannot be scored.")
    predictions: str = Field(description="SHA-256 of the predictions file.")
    commit: str = Field(description="The commit that last wrote the file.")
    date: str
    state: Literal["received", "valid", "queued", "scored", "published", "rejected", "error",
                   "withdrawn"]
    attempts: Count
    reason: Optional[str] = Field(None, description="The rule, the code, or what it waits for.")
    published: Optional[Moment] = None

    @property
    def merged(self) -> Moment:
        """The commit that last wrote the file, and its time."""
        return Moment(commit=self.commit, date=self.date)

    @property
    def name(self) -> str:
        """Its folders as people read them."""
        return f"{self.team}/{self.system}"

    @property
    def names(self) -> tuple[str, str, str, str]:
        """Board, team, system and split."""
        return self.board, self.team, self.system, self.split

    @property
    def tone(self) -> str:
        """Whether the state is ``good``, ``wrong`` or neither, for its colour."""
        return TONES.get(self.state, "")

    @property
    def rule_page(self) -> str:
        """Where the rule that rejected it is explained, if a rule did."""
        try:
            return lookup(self.reason or "").page if self.state == "rejected" else ""
        except KeyError:
            return ""


class StatusDocument(Document):
    """The state of every submission: ``data/status.json``."""

    schema_: One = Field(alias="schema")
    commit: str = Field(description="The commit it was derived from.")
    submissions: list[SubmissionState]
    codes: dict[str, str] = Field({}, description="What the codes of errors mean.")


@dataclass(frozen=True)
class States:
    """Every submission of every board, newest first."""

    commit: str
    rows: tuple[SubmissionState, ...]
    codes: Mapping[str, str]
    """What each code of an error means."""

    def of(self, *names: str) -> SubmissionState | None:
        """The state of one split of one submission."""
        return next((state for state in self.rows if state.names == names), None)

    @property
    def submissions(self) -> list[SubmissionState]:
        """What teams sent, ours among them."""
        return [row for row in self.rows if row.team == OWN or row.team not in RESERVED]

    @property
    def added(self) -> list[SubmissionState]:
        """Rows that maintainers add: reference rows, and predictions by others."""
        return [row for row in self.rows if row.team != OWN and row.team in RESERVED]

    @property
    def counts(self) -> list[tuple[str, int, str]]:
        """How many submissions are in each state that there is, with the state's tone."""
        totals = Counter[str](row.state for row in self.submissions)
        return [(name, totals[name], TONES.get(name, ""))
                for name in MEANINGS if totals[name]]


UNKNOWN = States("", (), {})
"""Of a site that is built without them."""


def read(document: Any) -> States:
    """The states of a document of ``scorer ci status``. Raises DataError if it is none."""
    try:
        status = StatusDocument.model_validate(document)
    except ValidationError as wrong:
        raise DataError(f"not the states of submissions ({problems(wrong)}); expected what scorer "
                        "ci status prints") from wrong
    # Newest first; those of one commit by name.
    rows = sorted(sorted(status.submissions, key=lambda state: state.names),
                  key=lambda state: state.date, reverse=True)
    return States(status.commit, tuple(rows), status.codes)
