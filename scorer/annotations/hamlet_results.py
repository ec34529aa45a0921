"""Which items fooled a label model: ``hamlet/1``, by ``scorer annotations hamlet``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from scorer.annotations.hamlet import COUNTS, REFUSED, SEEN_THROUGH, UNVERIFIED
from scorer.reading.documents import Count, Document, Positive


class TallyDocument(Document):
    """How prompts ended."""

    prompts: Count
    tries: Count
    fooled: Count = Field(description="Prompts that fooled the model; people confirm the label.")
    not_verified: Count = Field(description="That fooled it, and no closed batch says more.")
    refused: Count = Field(description="That fooled it, but people give them another label.")
    not_fooled: Count


class AttemptDocument(Document):
    """One item that somebody wrote."""

    batch: str
    item: str
    prompt: str
    author: str
    number: Positive = Field(description="Which try it is.")
    texts: dict[str, str]
    target: str = Field(description="The label that it was to have.")
    said: str = Field(description="The model's.")
    people: str | None = Field(description="The majority's; null as long as there is none.")
    state: Literal["fooled", "fooled, not verified yet", "fooled, refused by people", "not fooled"]


class HamletRoundDocument(TallyDocument):
    """A batch of prompts, with those that asked again."""

    round: Positive
    batch: str
    most_tries: Positive
    late: Count = Field(description="Tries beyond; they are not counted.")
    authors: dict[str, TallyDocument]
    attempts: list[AttemptDocument]

    @property
    def batches(self) -> frozenset[str]:
        """Every batch that was answered in it."""
        return frozenset((self.batch, *(one.batch for one in self.attempts)))

    @property
    def fooling(self) -> list[AttemptDocument]:
        """The tries that fooled the model, those that count first."""
        states = (COUNTS, UNVERIFIED, REFUSED)
        return sorted((one for one in self.attempts if one.state != SEEN_THROUGH),
                      key=lambda one: states.index(one.state))


class HamletResults(Document):
    """Rounds of people against a label model."""

    format: Literal["hamlet/1"]
    system: str = Field(description="Which model it was.")
    simulated: list[str] = Field(description="Authors whose texts a program wrote.")
    rounds: list[HamletRoundDocument]
