"""What people said, as records that are documents: ``human-results/1``, ``metric-agreement/1`` and
``sureness/1``.

Whoever computes a figure makes the record, and it is written and read as it is. Undefined values
are null, never NaN, 0 or 1; ``note`` says why there is no interval. Numbers are aggregates: no
answer of a single person, no count or probability of a single item.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from scorer.core.errors import excerpt
from scorer.core.reading.schema import Count, Document, Number, Positive, Sha256
from scorer.core.reading.values import Optional
from scorer.core.results import Interval

MOST_PAIRED = 25
"""Annotators whose pairs have a kappa of their own: 500 would be 124,750 pairs a question."""
FORMAT: Literal["human-results/1"] = "human-results/1"
Bounds = Annotated[list[Number], Field(min_length=2, max_length=2)]


def _differs(measured: str, version: str, **digests: tuple[str | None, str | None]) -> str:
    """Whether a document is of another version of a board than there is, or of other files: of
    each the digest that it names, and the one that there is, if both are known."""
    if measured != version:
        return f"of board version {excerpt(measured)}; the board has {version}"
    for name, (then, now) in digests.items():
        if then is not None and now is not None and then != now:
            return f"of {name} {then[:12]}...; the board has {now[:12]}..."
    return ""


def limits(interval: Interval) -> dict[str, Any]:
    """An interval as the keys of an estimate."""
    ci = None if interval.low is None or interval.high is None else [interval.low, interval.high]
    return {"ci": ci, "method": interval.method, "note": interval.note}


class Estimate(Document):
    """A value with its 95 % interval."""

    value: Number | None
    n: Count = Field(description="The denominator: votes, triplets, records or units.")
    ci: Bounds | None
    method: str = Field(description="`wilson`, `bootstrap` (over items) or `none`.")
    note: str = Field(
        default="", description="Why there is no interval, or draws that were undefined.")

    @classmethod
    def of(cls, value: float, n: int, interval: Interval) -> Estimate:
        """A value with an interval."""
        return cls(value=value, n=n, **limits(interval))

    @classmethod
    def undefined(cls, n: int, why: str) -> Estimate:
        """No value: what it would be of has the size ``n``."""
        return cls(value=None, n=n, ci=None, method="none", note=why)


class Pair(Document):
    """Cohen's kappa of two annotators."""

    annotators: Annotated[list[str], Field(min_length=2, max_length=2)]
    n: Count = Field(description="Units that both voted on.")
    kappa: Number | None


class Agreement(Document):
    """How far annotators agree."""

    units: Count = Field(description="Units with two votes or more; all measures are of these.")
    excluded: Count = Field(description="Units with one vote.")
    raters: Annotated[list[Count], Field(min_length=2, max_length=2)] = Field(
        description="Fewest and most votes of a unit.")
    raw: Estimate = Field(
        description="Share of pairs of votes that agree, mean over units.")
    alpha: Estimate = Field(description="Krippendorff's alpha, nominal.")
    alpha_ordinal: Estimate | None
    fleiss: Estimate | None = Field(
        description="Null where units differ in their number of votes.")

    @property
    def kappa(self) -> float | None:
        """Fleiss's kappa, if it is defined."""
        return self.fleiss.value if self.fleiss else None


class QuestionFigures(Document):
    """One question of a form, over all closed batches."""

    agreement: Agreement
    unsure: Count = Field(description="Answers that the annotator cannot tell.")
    counts: dict[str, Count] = Field(description="How often each value was given.")
    pairs: list[Pair] = Field(description="Every two annotators with ten common units, "
                                      f"of at most {MOST_PAIRED} with most votes.")


class CskVotes(Document):
    """What the metrics of a system or a topic are counted on."""

    items: Count
    records: Count = Field(description="Items times annotators: how often one was answered.")
    answers: dict[str, dict[str, Count]] = Field(
        description="How often each answer was given, by question; ratings by triplet.")


class ValueShares(Document):
    """How the answers to one question about one system divide over its values."""

    answers: Count
    unsure: Count = Field(description="Answers that the annotator cannot tell: in no share.")
    shares: dict[str, Estimate] = Field(
        description="Of the other answers. Where several values may be given: of all answers.")


class Settled(Document):
    """One question about one system once every disagreement is settled."""

    units: Count
    ruled: Count = Field(description="Units of which a ruling says what they are.")
    values: dict[str, Count] = Field(description="Units by their value.")


class Powered(Document):
    """People's verdict over all items of a split."""

    value: Number | None = Field(description="Null with fewer than ten verdicts by people.")
    ci: Bounds | None
    method: str
    note: str = ""
    weight: Number = Field(description="Of the judge's verdicts, 0 to 1.")
    verified: Count = Field(description="Items with people's verdict.")
    passed: Count = Field(description="Items that passed every gate; the others count 0.")
    items: Count


class VerdictDocument(Document):
    """People's verdict on one system."""

    votes: Estimate = Field(description="Votes that find the graph right, of graphs that passed "
                                        "every gate.")
    majority: Estimate = Field(description="Items that more than half find right.")
    all_items: Optional[Powered] = Field(
        default=None,
        description="Over all items, by people alone. Absent without the system's result.")
    powered: Optional[Powered] = Field(
        default=None,
        description="Over all items: the judge corrected by people. Absent without a judge.")
    judge: Optional[str] = Field(default=None, description="The metric that the judge gives.")
    signature: Optional[str] = Field(
        default=None,
        description="What has to be the same for two powered values to be comparable.")
    outdated: Optional[Positive] = Field(
        default=None,
        description="Graphs that people read in earlier predictions of the system; their "
                    "votes do not count. Absent if there are none.")
    chosen: Optional[Positive] = Field(
        default=None,
        description="Graphs that people read in batches that are no random sample; their "
                    "votes do not count. Absent if there are none.")
    agreement: Agreement


class VerdictsDocument(Document):
    """People's verdicts on the systems of one board's split."""

    systems: dict[str, VerdictDocument]
    agreement: Agreement = Field(
        description="On all their graphs, of the first votes that a batch needs.")
    why_not_ranked: list[str] = Field(
        description="Why powered values may not order these systems; empty if they may.")


class Within(Document):
    """How far a metric agrees with people on several answers to one item."""

    answers: Count = Field(description="Of items with two or more that have both numbers.")
    items: Count
    spearman: Estimate = Field(
        description="Of each item, the mean over items in which neither side is constant.")
    tau_b: Estimate = Field(description="Kendall's, likewise.")
    partial: Estimate = Field(
        description="Rank correlation within items, all together, once the `controls` are known.")
    matched: Estimate = Field(
        description="Kendall's tau-b over pairs of answers to one item that are equal in the "
                    "first of the `controls`.")
    pairwise: Estimate = Field(
        description="Share of pairs of answers to one item that both order alike or both tie.")
    threshold: Number = Field(
        description="Differences of the metric up to this count as ties in `pairwise`.")
    overall: Estimate = Field(
        description="Spearman's over all answers of all items.")


class MetricAgreement(Document):
    """How far one metric agrees with people."""

    better: str = Field(description="`higher` or `lower`, of the metric's values.")
    rated: Count = Field(description="Items with both, counted for each system.")
    systems: Count
    accuracy: Estimate | None = Field(
        description="Of a metric of 0 and 1: how often it says what more than half say.")
    tau_b: Estimate = Field(
        description="Kendall's tau-b over pairs of items of one system, all systems together.")
    spearman: Estimate = Field(description="Within a system, the mean over systems.")
    pairwise: Estimate = Field(
        description="Share of such pairs that both order alike or both tie.")
    threshold: Number = Field(
        description="Differences of the metric up to this count as ties in `pairwise`.")
    system_tau_b: Estimate = Field(description="Kendall's tau-b over systems.")
    system_spearman: Estimate
    system_pairwise: Estimate
    within: Within = Field(
        description="Of several systems' answers to one item against each other, without "
                    "controls.")


class MetaDocument(Document):
    """How far every metric agrees with the same people."""

    systems: list[str]
    rated: Count = Field(description="Items that people rated, counted for each system.")
    ratings: Count = Field(description="Ratings of single people.")
    half: Estimate = Field(
        description="Correlation of the means of two halves of the people.")
    full: Estimate = Field(
        description="The same of all people and as many others, by Spearman and Brown.")
    ceiling: Estimate = Field(
        description="Its root: what a metric would reach that knew what people say on average.")
    metrics: dict[str, MetricAgreement]


class AnswerAgreementDocument(Document):
    """How far one metric, or a number beside metrics, agrees with ratings of gold answers."""

    better: Annotated[str, Field(pattern="^(higher|lower)$")] = Field(
        description="Of the metric's values.")
    signature: Optional[str] = Field(default=None, description="Absent for what is no metric.")
    within: Within | None
    note: str = Field(default="", description="Why it is not measured.")


class RatedGoldsDocument(Document):
    """How far metrics agree with people's ratings of a split's gold answers."""

    board_version: str = Field(description="The board's, when this was measured; with another, or "
                               "another file of either digest, the site leaves all of it out.")
    gold_sha256: Sha256 = Field(description="Of the split's file.")
    ratings_sha256: Sha256 = Field(description="Of the file of ratings.")
    items: Count = Field(description="With two rated answers or more.")
    answers: Count
    ratings: Count = Field(description="Of single people.")
    half: Estimate = Field(
        description="Correlation of the means of two halves of the ratings, over all answers.")
    full: Estimate = Field(
        description="The same of all ratings and as many others, by Spearman and Brown.")
    within_half: Estimate = Field(
        description="As `half`, less the means of items.")
    within_full: Estimate
    ceiling: Estimate = Field(
        description="The root of `within_full`: what a metric would reach that knew what people "
                    "say on average.")
    controls: list[str] = Field(description="Which of `counts` agreement is controlled for.")
    counts: dict[str, AnswerAgreementDocument] = Field(
        description="Numbers that no metric needs: edges or other parts, words, and the share of "
                    "different words that the item's texts have.")
    against_others: dict[str, AnswerAgreementDocument] = Field(
        description="Metrics; every answer against all others of its item.")
    against_best: dict[str, AnswerAgreementDocument] = Field(
        description="Metrics; every other answer against the one that people rate highest.")

    def differs(self, version: str, gold: str | None, ratings: str | None) -> str:
        """What it was not measured on: a board's version, the digest of its gold, that of its
        ratings, if they are known. Empty if it was measured on all of them."""
        return _differs(self.board_version, version, gold=(self.gold_sha256, gold),
                        ratings=(self.ratings_sha256, ratings))


class MetaResults(Document):
    """Which metric agrees with people, by ``scorer meta``."""

    format: Literal["metric-agreement/1"]
    splits: dict[str, MetaDocument] = Field(
        description="Verdicts on systems' graphs, by board and split (`explagraphs-dev`).")
    simulated: list[str] = Field(description="Splits with votes that a program wrote.")
    rated: dict[str, RatedGoldsDocument] = Field(
        description="Ratings of gold answers, by board and split.")


class LabelVotes(Document):
    """What became of the items of one batch whose label was voted on."""

    items: Count
    votes: Count
    kept: dict[str, Count]
    dropped: dict[str, Count]
    no_majority: Count
    pending: Count
    agreement: Agreement


class Round(Document):
    """Items after one round of verification, cumulative."""

    round: Positive
    decided: Count
    correct: Count
    ci: Bounds | None = Field(description="Wilson's interval of correct / decided.")
    crossed: dict[str, Count] = Field(description="Items given another label: `own>given`.")
    incorrect: Count
    no_majority: Count
    pending: Count


class Author(Document):
    """How often one author's graphs were found correct."""

    graphs: Count
    verified: Count
    correct: Count
    ci: Bounds | None
    may_refine: bool


class Source(Document):
    """What the numbers are made of."""

    commit: str | None
    batches: dict[str, Sha256] = Field(description="Closed batches and the digests of their files.")


class Simulated(Document):
    """Answers that a program wrote, not people, and where they count."""

    annotators: list[str]
    batches: dict[str, list[str]] = Field(
        description="Closed batches with such answers, or graphs of such authors; and whose.")
    figures: dict[str, list[str]] = Field(
        description="Which figures they have part in: names below a key of this document, such as "
                    "`csk`. Below `verdicts`, a split, and `split:system`.")


class HumanResults(Document):
    """What annotators of closed batches said, in numbers."""

    format: Literal["human-results/1"]
    generated_from: Source
    csk: dict[str, dict[str, Estimate]] = Field(
        description="Commonsense knowledge: metrics by system.")
    csk_topics: dict[str, dict[str, Estimate]] = Field(
        description="The same by topic (what most say in Q1), over all systems.")
    csk_votes: dict[str, CskVotes] = Field(
        description="What the metrics of each system are counted on.")
    csk_topic_votes: dict[str, CskVotes] = Field(description="The same of each topic.")
    csk_relations: dict[str, Estimate] = Field(
        description="Precision of triplets by relation.")
    csk_outcome: Agreement | None = Field(
        description="Agreement on how far each annotator came in the questions.")
    questions: dict[str, dict[str, QuestionFigures]] = Field(
        description="Agreement and counts by form and question.")
    values: dict[str, dict[str, dict[str, ValueShares]]] = Field(
        description="Shares of each value by form, question and system, but for `csk`. Systems are "
                    "empty where the key of a batch names none.")
    settled: dict[str, dict[str, dict[str, Settled]]] = Field(
        description="Units by value, by form, question and system: by rulings and, where there is "
                    "none, by majority. Questions with a ruling and without an open disagreement.")
    labels: dict[str, LabelVotes] = Field(description="Votes on labels, by batch.")
    rounds: list[Round]
    authors: dict[str, Author]
    verdicts: dict[str, VerdictsDocument] = Field(
        description="People's verdicts on systems, by board and split (`explagraphs-dev`).")
    simulated: Optional[Simulated] = Field(
        default=None,
        description="Absent if nobody is simulated.")

    def is_simulated(self, key: str, name: str = "") -> bool:
        """Whether simulated annotators have part in a figure: ``key`` of the document, ``name``
        below it, such as a system, or in any of them. ``verdicts`` has splits and
        ``split:system``."""
        names = self.simulated.figures.get(key, []) if self.simulated else []
        return name in names if name else bool(names)


# ---- how sure people and systems are -----------------------------------------------------------


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
        """As ``RatedGoldsDocument.differs``, of answers."""
        mine = self.people.answers_sha256 if self.people else None
        return _differs(self.board_version, version, gold=(self.gold_sha256, gold),
                        answers=(mine, answers))
