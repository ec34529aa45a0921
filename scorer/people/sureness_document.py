"""How sure people and systems are of a split's labels: ``sureness/1``, by ``scorer meta --board``.

Aggregate numbers alone: no answer of a single person, no count of a single item, no probability of
a single item. Whatever was not measured is null, and a note beside it says why.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from scorer.core.errors import excerpt
from scorer.core.reading.documents import Count, Document, Number, Positive, Sha256
from scorer.people.documents import Agreement, Estimate

FORMAT: Literal["sureness/1"] = "sureness/1"


class BinDocument(Document):
    """Items on which people are about as sure as each other."""

    low: Number = Field(description="Entropy of people's answers, in bits, from this ...")
    high: Number = Field(description="... to below this; of the last bin, up to it.")
    items: Count
    one: Estimate = Field(description="One person's answer is gold.")
    majority: Estimate = Field(description="The majority's answer is gold.")


class MajorityDocument(Document):
    """Some people, drawn without replacement from those who answered an item."""

    people: Positive
    right: Estimate = Field(description="Their majority is gold, expected over all draws; "
                                    "ties count by halves.")


class PeopleDocument(Document):
    """What people's answers say of gold and of each other."""

    answers_sha256: Sha256 = Field(description="Of the file of answers.")
    items: Count
    answers: Count
    right: Count = Field(description="Answers that are gold's label.")
    raters: Annotated[list[Count], Field(min_length=2, max_length=2)] = Field(
        description="Fewest and most answers to an item.")
    tied: Count = Field(description="Items on which two labels are equally frequent.")
    unclear: Count = Field(description="Items on which a two-sided sign test between the two most "
                           "frequent labels is not significant at 5 %.")
    one: Estimate = Field(description="One person's answer is gold.")
    majorities: Annotated[list[MajorityDocument], Field(min_length=1)] = Field(
        description="From the smallest group to all who answered.")
    majority: Estimate = Field(
        description="The majority of all who answered is gold; ties as the source settles them, "
                    "else by halves.")
    agreement: Agreement
    bins: list[BinDocument]


class SystemDocument(Document):
    """A system's accuracy by how sure people are."""

    predictions_sha256: Sha256
    whole: Estimate
    bins: list[Estimate] = Field(description="In the order of the people's bins.")


class ReliabilityDocument(Document):
    """Predictions with a confidence above ``low`` and up to ``high``."""

    low: Number
    high: Number
    items: Count
    confidence: Number | None = Field(description="The mean; null without items.")
    accuracy: Number | None


class CalibrationDocument(Document):
    """What a system's probabilities are worth."""

    probabilities_sha256: Sha256
    items: Count
    accuracy: Estimate = Field(description="Of the most probable label.")
    confidence: Number = Field(description="Mean probability of the most probable label.")
    ece: Number = Field(description="Expected calibration error over these bins (Guo et al. 2017).")
    brier: Estimate = Field(
        description="Mean over items of the sum over labels of squared differences, 0 to 2.")
    bins: list[ReliabilityDocument]
    jensen_shannon: Estimate | None = Field(
        description="Mean Jensen-Shannon distance to people's answers (square root, natural "
                    "logarithm); null where nobody's are known.")
    kullback_leibler: Estimate | None = Field(
        description="Mean KL(people || system), natural logarithm, probabilities of at least "
                    "1e-15; null where nobody's are known.")


class SurenessDocument(Document):
    """How sure people and systems are of the labels of one split."""

    format: Literal["sureness/1"]
    board: str
    board_version: str = Field(description="The board's, when this was measured; with another, or "
                               "another file of gold or answers, the site leaves all of it out.")
    split: str
    gold_sha256: Sha256
    people: PeopleDocument | None
    people_note: str = Field(description="Why there is nothing of people; else empty.")
    systems: dict[str, SystemDocument] = Field(
        description="By team and system; those with scores of items.")
    probabilities: dict[str, CalibrationDocument] = Field(
        description="By system; those whose probabilities are at hand.")
    probabilities_note: str = Field(description="Why there are no probabilities; else empty.")

    def differs(self, version: str, gold: str | None, answers: str | None) -> str:
        """What it was not measured on: a board's version, the digest of its gold, that of its
        answers, if they are known. Empty if it was measured on all of them."""
        if self.board_version != version:
            return f"of board version {excerpt(self.board_version)}; the board has {version}"
        mine = self.people.answers_sha256 if self.people else None
        for what, then, now in (("gold", self.gold_sha256, gold), ("answers", mine, answers)):
            if None not in (then, now) and then != now:
                return f"of {what} {str(then)[:12]}...; the board has {str(now)[:12]}..."
        return ""
