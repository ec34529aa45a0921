"""The documents that publishing writes: lines of the ledger, owners of teams, the status.

Only their shape is here; what they mean for a submission is in ``scorer/ci``.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from scorer.codec import Count, Document, One, Optional, Positive

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
