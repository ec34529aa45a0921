"""``<split>.error.json``: why a merged submission has no result, and how many runs tried it.

Only the publisher writes it, and removes it when the submission is scored. It speaks of one key:
other predictions, another board, gold or scorer begin anew.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from scorer.reading.documents import Document, One, Positive, Sha256
from scorer.reading.schema import schema_of
from scorer.reading.values import Optional

MOST_ATTEMPTS = 3
"""Runs in which the scoring machine may fail on a submission."""
Word = Annotated[str, Field(pattern="^[A-Z0-9-]{3,60}$")]


class Unscored(Document):
    """Why a submission has no result."""

    schema_: One = Field(alias="schema")
    key: Sha256 = Field(description="Of all that its numbers depend on but models.")
    attempts: Positive = Field(description="Runs that tried it.")
    code: Optional[Word] = Field(None, description="Of the error that ended it.")
    rule: Optional[Word] = Field(None, description="The rule that rejected it.")

    @property
    def final(self) -> bool:
        """Whether no run tries it again by itself; else the machine failed, fewer than three
        times.
        """
        return bool(self.code or self.rule)


def schema() -> dict[str, Any]:
    """The JSON Schema of ``<split>.error.json``."""
    return schema_of(Unscored, "Why a merged submission has no result (<split>.error.json), "
                               "schema 1")
