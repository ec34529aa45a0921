"""Every file format of ours as a JSON Schema with an address that stays: ``schemas/<name>.json``.

Each is generated from the record that its files are read or written by (``reading/schema.py``).
Of the documents that publishing writes (lines of the ledger, owners of teams, the status) only the
shape is here; what they mean is in ``scorer/ci``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from scorer import board, submission
from scorer.annotations.published import PUBLISHED, Published
from scorer.board.published import Published as PublishedElsewhere
from scorer.reading.documents import Count, Document, One, Positive
from scorer.reading.schema import schema_of
from scorer.reading.values import Optional
from scorer.results import files as results
from scorer.results import leaderboard, past
from scorer.runs import error_records
from scorer.tasks.registry import TASKS, AnyTask

Split = Literal["train", "dev", "test"]
_PREDICTIONS = "SHA-256 of the predictions file."


class _OfBoard(Document):
    schema_: One = Field(alias="schema")
    board: str
    commit: str = Field(description="The commit that it is about.")


class _OfSubmission(_OfBoard):
    team: str
    system: str


class _Described(_OfSubmission):
    name: str | None = Field(description="The system's name as shown; null while anonymous.")
    by: str | None = Field(description="The team's name as shown.")


class DescriptionLine(_Described):
    """A submission was merged, taken back, or described anew without another name."""

    event: Literal["accepted", "restored", "described"]


class ShownNames(Document):
    """The names that a page shows."""

    name: str | None = Field(description="The system's name as shown; null while anonymous.")
    by: str | None = Field(description="The team's name as shown.")


class RelabelledLine(_Described):
    """The names shown changed."""

    event: Literal["relabelled"]
    before: ShownNames = Field(alias="from")


class WithdrawnLine(_Described):
    """Its owner withdrew it."""

    event: Literal["withdrawn"]
    reason: str


class PredictionsLine(_OfSubmission):
    """A predictions file was merged, or replaced by maintainers."""

    event: Literal["accepted", "replaced"]
    split: Split
    predictions: str = Field(description=_PREDICTIONS)


class RemovedLine(_OfSubmission):
    """Maintainers removed a file."""

    event: Literal["removed"]
    path: str


class DisownedLine(_OfSubmission):
    """Another account than the team's wrote its description, which has no effect."""

    event: Literal["disowned"]
    sha256: str = Field(description="Of the file.")


class _OfJob(_OfSubmission):
    split: Split
    key: str = Field(description="Of all that the numbers depend on.")
    predictions: str = Field(description=_PREDICTIONS)
    date: str


class ScoredLine(_OfJob):
    """A result was written."""

    event: Literal["published", "rescored"]
    result: str = Field(description="The result's key.")


class RejectedLine(_OfJob):
    """It breaks a rule."""

    event: Literal["rejected"]
    rule: str
    seen: Optional[str] = Field(None, description="The last commit then that touched the "
                                "submission; it is checked again after another.")


class ErrorLine(_OfJob):
    """The scorer ended in an error."""

    event: Literal["error"]
    code: str


class AttemptLine(_OfJob):
    """Its machine failed on it."""

    event: Literal["attempt"]
    number: Positive
    run: str


class ErratumLine(_OfBoard):
    """A gold dispute was decided."""

    event: Literal["erratum"]
    id: str
    split: Split
    row: Positive
    decision: str
    reason: str
    since: str = Field(description="The board's version from which it holds.")


LedgerLine = (
    DescriptionLine | RelabelledLine | WithdrawnLine | PredictionsLine | RemovedLine | DisownedLine
    | ScoredLine | RejectedLine | ErrorLine | AttemptLine | ErratumLine
)
"""A line of ``ledger/<board>.jsonl``."""


class OwnerLine(Document):
    """Whose team it is: a line of ``ledger/owners.jsonl``."""

    schema_: One = Field(alias="schema")
    team: str = Field(description="Folder name of the team.")
    id: int = Field(description="Numeric account; the last line of a team holds.")


class PublishedAt(Document):
    """Where the result was written."""

    commit: str
    date: str


class SubmissionState(Document):
    """One submission on one split."""

    board: str
    team: str
    system: str
    split: Split
    key: str = Field(
        description="Of all that its numbers depend on; empty if it cannot be scored.")
    predictions: str = Field(description=_PREDICTIONS)
    commit: str = Field(description="The commit that last wrote the file.")
    date: str
    state: Literal["received", "valid", "queued", "scored", "published", "rejected", "error",
                   "withdrawn"]
    attempts: Count
    reason: Optional[str] = Field(None, description="The rule, the code, or what it waits for.")
    published: Optional[PublishedAt] = None


class DisownedDescription(Document):
    """A description without effect."""

    sha256: str = Field(description="Of the file.")
    withdrawn: str = Field(description="Why the system is withdrawn; empty if it is not.")


class StatusDocument(Document):
    """The state of every submission: ``data/status.json``."""

    schema_: One = Field(alias="schema")
    commit: str = Field(description="The commit it was derived from.")
    submissions: list[SubmissionState]
    codes: dict[str, str] = Field({}, description="What the codes of errors mean.")
    disowned: dict[str, DisownedDescription] = Field({}, description=(
        "Descriptions that another account than the team's wrote, by board/team/system; they have "
        "no effect."))


@dataclass(frozen=True)
class Format:
    """One file format."""

    name: str
    file: str
    """Which files are of it."""
    about: str
    document: Callable[[], Mapping[str, Any]]
    """Makes the JSON Schema (draft 2020-12)."""
    lines: bool = False
    """Whether each line of such a file is a document."""

    @property
    def path(self) -> str:
        """Where the site offers it."""
        return f"schemas/{self.name}.json"


def _of(kind: Any, title: str) -> Callable[[], Mapping[str, Any]]:
    return lambda: schema_of(kind, title)


def _board(task: AnyTask) -> Format:
    def make() -> Mapping[str, Any]:
        return schema_of(board.declaration(task), f"board.yaml of the task {task.name}")

    return Format(f"board.{task.name}", "boards/<board>/board.yaml",
                  f"A board of the task {task.title.lower()}.", make)


def _published(one: Published) -> Format:
    return Format(one.name, one.file, one.about, lambda: schema_of(one.kind(), one.title))


FORMATS = (
    Format("submission", "submissions/<board>/<team>/<system>/submission.yaml",
           "What a team says of its system.",
           _of(submission.Meta, "submission.yaml")),
    *map(_board, TASKS.values()),
    Format("published", "boards/<board>/published.yaml",
           "Numbers published elsewhere, with their sources.",
           _of(PublishedElsewhere, "published.yaml")),
    Format("result", "results/<board>/<team>/<system>/<split>.json",
           "One submission on one split: values, intervals, signatures, digests.",
           results.schema),
    Format("leaderboard", "results/<board>/leaderboard.<split>.json",
           "What the results of one split say together: rows, ranks, pairs and the verdict.",
           leaderboard.schema),
    Format("past", "results/<board>/<team>/<system>/<split>.past.jsonl",
           "A line for every result that was replaced: its values, and what they depended on.",
           past.schema, lines=True),
    Format("error", "results/<board>/<team>/<system>/error.json",
           "Why a submission could not be scored when it was last tried.", error_records.schema),
    *map(_published, PUBLISHED),
    Format("status", "data/status.json",
           "The state of every submission, as `scorer ci status` prints it.",
           _of(StatusDocument,
               "The state of every submission (data/status.json), schema 1")),
    Format("ledger", "ledger/<board>.jsonl",
           "A line for everything that became of a submission.",
           _of(LedgerLine,
               "What became of a submission (a line of ledger/<board>.jsonl), schema 1"),
           lines=True),
    Format("owners", "ledger/owners.jsonl",
           "A line for every team: the numeric account that it belongs to.",
           _of(OwnerLine, "Whose team it is (a line of ledger/owners.jsonl), schema 1"),
           lines=True),
)
"""In the order of the site's page."""
