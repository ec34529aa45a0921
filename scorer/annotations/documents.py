"""What people said, as a document: ``human-results/1``, by ``scorer annotations aggregate``.

Undefined values are null, never NaN, 0 or 1; ``note`` says why there is no interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import Field, model_validator

from scorer.annotations.agreement import MOST_PAIRED, Agreement, Pair
from scorer.annotations.bootstrap import Estimate
from scorer.annotations.csk import CskFigures
from scorer.annotations.metric_agreement import (
    CONTROLS,
    Agreements,
    AnswerAgreement,
    MetricAgreement,
    RatedGolds,
)
from scorer.annotations.prediction_powered import Powered
from scorer.annotations.questions import QuestionAgreement, ValueShares
from scorer.annotations.round_table import AuthorRow, LabelVotes, RoundRow
from scorer.annotations.verdicts import HumanVerdict
from scorer.annotations.within import WithinItems
from scorer.codec import Count, Document, Number, Optional, Positive, Sha256
from scorer.errors import excerpt
from scorer.records import Interval
from scorer.statistics import TIE

FORMAT: Literal["human-results/1"] = "human-results/1"
WITHIN_MEASURES = ("spearman", "tau_b", "partial", "matched", "pairwise", "overall")
Bounds = Annotated[list[Number], Field(min_length=2, max_length=2)]


def _bounds(found: Interval) -> list[int | float] | None:
    return None if found.low is None or found.high is None else [found.low, found.high]


class EstimateDocument(Document):
    """A value with its 95 % interval."""

    value: Number | None
    n: Count = Field(description="The denominator: votes, triplets, records or units.")
    ci: Bounds | None
    method: str = Field(description="`wilson`, `bootstrap` (over items) or `none`.")
    note: str = Field("", description="Why there is no interval, or draws that were undefined.")

    @classmethod
    def of(cls, one: Estimate) -> EstimateDocument:
        """The document of an estimate."""
        return cls.around(None if one.value is None else float(one.value), one.n, one.interval)

    @classmethod
    def around(cls, value: float | None, n: int, interval: Interval) -> EstimateDocument:
        """The document of a value with an interval."""
        return cls(value=value, n=n, ci=_bounds(interval), method=interval.method,
                   note=interval.note)


class PairDocument(Document):
    """Cohen's kappa of two annotators."""

    annotators: Annotated[list[str], Field(min_length=2, max_length=2)]
    n: Count = Field(description="Units that both voted on.")
    kappa: Number | None

    @classmethod
    def of(cls, one: Pair) -> PairDocument:
        """The document of a pair."""
        return cls(annotators=[one.one, one.other], n=one.n,
                   kappa=None if one.kappa is None else float(one.kappa))


class AgreementDocument(Document):
    """How far annotators agree."""

    units: Count = Field(description="Units with two votes or more; all measures are of these.")
    excluded: Count = Field(description="Units with one vote.")
    raters: Annotated[list[Count], Field(min_length=2, max_length=2)] = Field(
        description="Fewest and most votes of a unit.")
    raw: EstimateDocument = Field(
        description="Share of pairs of votes that agree, mean over units.")
    alpha: EstimateDocument = Field(description="Krippendorff's alpha, nominal.")
    alpha_ordinal: EstimateDocument | None
    fleiss: EstimateDocument | None = Field(
        description="Null where units differ in their number of votes.")

    @classmethod
    def of(cls, one: Agreement) -> AgreementDocument:
        """The document of an agreement."""
        return cls(units=one.units, excluded=one.excluded, raters=list(one.raters),
                   raw=EstimateDocument.of(one.raw), alpha=EstimateDocument.of(one.nominal),
                   alpha_ordinal=one.ordinal and EstimateDocument.of(one.ordinal),
                   fleiss=one.fleiss and EstimateDocument.of(one.fleiss))


class QuestionDocument(Document):
    """One question of a form, over all closed batches."""

    agreement: AgreementDocument
    unsure: Count = Field(description="Answers that the annotator cannot tell.")
    counts: dict[str, Count] = Field(description="How often each value was given.")
    pairs: list[PairDocument] = Field(description="Every two annotators with ten common units, "
                                      f"of at most {MOST_PAIRED} with most votes.")

    @classmethod
    def of(cls, one: QuestionAgreement, counts: dict[str, int]) -> QuestionDocument:
        """The document of a question."""
        return cls(agreement=AgreementDocument.of(one.measured), unsure=one.unsure, counts=counts,
                   pairs=[PairDocument.of(pair) for pair in one.pairs])


class CskVotesDocument(Document):
    """What the metrics of a system or a topic are counted on."""

    items: Count
    records: Count = Field(description="Items times annotators: how often one was answered.")
    answers: dict[str, dict[str, Count]] = Field(
        description="How often each answer was given, by question; ratings by triplet.")

    @classmethod
    def of(cls, one: CskFigures) -> CskVotesDocument:
        """The document of what was counted."""
        return cls(items=one.items, records=one.records,
                   answers={name: dict(found) for name, found in one.answers.items()})


class ValueSharesDocument(Document):
    """How the answers to one question about one system divide over its values."""

    answers: Count
    unsure: Count = Field(description="Answers that the annotator cannot tell: in no share.")
    shares: dict[str, EstimateDocument] = Field(
        description="Of the other answers. Where several values may be given: of all answers.")

    @classmethod
    def of(cls, one: ValueShares) -> ValueSharesDocument:
        """The document of some shares."""
        return cls(answers=one.answers, unsure=one.unsure, shares={
            value: EstimateDocument.of(share) for value, share in one.shares.items()})


class SettledDocument(Document):
    """One question about one system once every disagreement is settled."""

    units: Count
    ruled: Count = Field(description="Units of which a ruling says what they are.")
    values: dict[str, Count] = Field(description="Units by their value.")


class PoweredDocument(Document):
    """People's verdict over all items of a split."""

    value: Number | None = Field(description="Null with fewer than ten verdicts by people.")
    ci: Bounds | None
    method: str
    note: str = ""
    weight: Number = Field(description="Of the judge's verdicts, 0 to 1.")
    verified: Count = Field(description="Items with people's verdict.")
    passed: Count = Field(description="Items that passed every gate; the others count 0.")
    items: Count

    @classmethod
    def of(cls, one: Powered) -> PoweredDocument:
        """The document of a value over all items."""
        return cls(value=one.value, ci=_bounds(one.interval), method=one.interval.method,
                   note=one.interval.note, weight=one.weight, verified=one.verified,
                   passed=one.judged, items=one.items)


class VerdictDocument(Document):
    """People's verdict on one system."""

    votes: EstimateDocument = Field(description="Votes that find the graph right, of graphs that "
                                                "passed every gate.")
    majority: EstimateDocument = Field(description="Items that more than half find right.")
    all_items: Optional[PoweredDocument] = Field(
        None, description="Over all items, by people alone. Absent without the system's result.")
    powered: Optional[PoweredDocument] = Field(
        None, description="Over all items: the judge corrected by people. Absent without a judge.")
    judge: Optional[str] = Field(None, description="The metric that the judge gives.")
    signature: Optional[str] = Field(
        None, description="What has to be the same for two powered values to be comparable.")
    outdated: Optional[Positive] = Field(
        None, description="Graphs that people read in earlier predictions of the system; their "
                          "votes do not count. Absent if there are none.")
    chosen: Optional[Positive] = Field(
        None, description="Graphs that people read in batches that are no random sample; their "
                          "votes do not count. Absent if there are none.")
    agreement: AgreementDocument

    @classmethod
    def of(cls, one: HumanVerdict, judge: str, signature: str, **uncounted: int,
           ) -> VerdictDocument:
        """The document of a verdict; ``judge`` and ``signature`` are empty without a judge.
        ``uncounted``: graphs whose votes do not count, ``outdated`` and ``chosen``."""
        more: dict[str, Any] = {"judge": judge, "signature": signature} if judge else {}
        more |= {name: count for name, count in uncounted.items() if count}
        if one.all_items is not None:
            more["all_items"] = PoweredDocument.of(one.all_items)
        if one.powered is not None:
            more["powered"] = PoweredDocument.of(one.powered)
        return cls(votes=EstimateDocument.of(one.votes),
                   majority=EstimateDocument.of(one.majority),
                   agreement=AgreementDocument.of(one.agreement), **more)


class VerdictsDocument(Document):
    """People's verdicts on the systems of one board's split."""

    systems: dict[str, VerdictDocument]
    agreement: AgreementDocument = Field(
        description="On all their graphs, of the first votes that a batch needs.")
    why_not_ranked: list[str] = Field(
        description="Why powered values may not order these systems; empty if they may.")


_Of = TypeVar("_Of", bound=Document)


def _no_more_than_one(document: _Of, measures: Sequence[str]) -> _Of:
    """The document, if none of these estimates is beyond -1 or 1, nor its interval the wrong way
    round."""
    for name in measures:
        one: EstimateDocument = getattr(document, name)
        numbers = [number for number in (one.value, *(one.ci or ())) if number is not None]
        if any(abs(number) > 1 + TIE for number in numbers) or (one.ci and one.ci[0] > one.ci[1]):
            raise ValueError(f"{name}: {numbers}; expected -1 to 1, and the lower end first")
    return document


class WithinDocument(Document):
    """How far a metric agrees with people on several answers to one item."""

    answers: Count = Field(description="Of items with two or more that have both numbers.")
    items: Count
    spearman: EstimateDocument = Field(
        description="Of each item, the mean over items in which neither side is constant.")
    tau_b: EstimateDocument = Field(description="Kendall's, likewise.")
    partial: EstimateDocument = Field(
        description="Rank correlation within items, all together, once the `controls` are known.")
    matched: EstimateDocument = Field(
        description="Kendall's tau-b over pairs of answers to one item that are equal in the "
                    "first of the `controls`.")
    pairwise: EstimateDocument = Field(
        description="Share of pairs of answers to one item that both order alike or both tie.")
    threshold: Number = Field(
        description="Differences of the metric up to this count as ties in `pairwise`.")
    overall: EstimateDocument = Field(
        description="Spearman's over all answers of all items.")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        return _no_more_than_one(self, WITHIN_MEASURES)

    @classmethod
    def of(cls, one: WithinItems) -> WithinDocument:
        """The document of an agreement."""
        return cls(answers=one.answers, items=one.items, threshold=one.threshold, **{
            name: EstimateDocument.of(getattr(one, name)) for name in WITHIN_MEASURES})


class MetricAgreementDocument(Document):
    """How far one metric agrees with people."""

    better: str = Field(description="`higher` or `lower`, of the metric's values.")
    rated: Count = Field(description="Items with both, counted for each system.")
    systems: Count
    accuracy: EstimateDocument | None = Field(
        description="Of a metric of 0 and 1: how often it says what more than half say.")
    tau_b: EstimateDocument = Field(
        description="Kendall's tau-b over pairs of items of one system, all systems together.")
    spearman: EstimateDocument = Field(description="Within a system, the mean over systems.")
    pairwise: EstimateDocument = Field(
        description="Share of such pairs that both order alike or both tie.")
    threshold: Number = Field(
        description="Differences of the metric up to this count as ties in `pairwise`.")
    system_tau_b: EstimateDocument = Field(description="Kendall's tau-b over systems.")
    system_spearman: EstimateDocument
    system_pairwise: EstimateDocument
    within: WithinDocument = Field(
        description="Of several systems' answers to one item against each other, without "
                    "controls.")

    @classmethod
    def of(cls, one: MetricAgreement) -> MetricAgreementDocument:
        """The document of a metric."""
        item, system = one.item, one.system
        return cls(
            better=one.better, rated=item.ratings, systems=item.systems,
            accuracy=item.accuracy and EstimateDocument.of(item.accuracy),
            **{name: EstimateDocument.of(getattr(item, name))
               for name in ("tau_b", "spearman", "pairwise")},
            threshold=item.threshold, within=WithinDocument.of(one.within),
            **{f"system_{name}": EstimateDocument.of(getattr(system, name))
               for name in ("tau_b", "spearman", "pairwise")})


class MetaDocument(Document):
    """How far every metric agrees with the same people."""

    systems: list[str]
    rated: Count = Field(description="Items that people rated, counted for each system.")
    ratings: Count = Field(description="Ratings of single people.")
    half: EstimateDocument = Field(
        description="Correlation of the means of two halves of the people.")
    full: EstimateDocument = Field(
        description="The same of all people and as many others, by Spearman and Brown.")
    ceiling: EstimateDocument = Field(
        description="Its root: what a metric would reach that knew what people say on average.")
    metrics: dict[str, MetricAgreementDocument]

    @classmethod
    def of(cls, one: Agreements) -> MetaDocument:
        """The document of several metrics."""
        return cls(systems=list(one.systems), rated=one.rated, ratings=one.ratings,
                   half=EstimateDocument.of(one.reliability.half),
                   full=EstimateDocument.of(one.reliability.full),
                   ceiling=EstimateDocument.of(one.reliability.ceiling),
                   metrics={found.metric: MetricAgreementDocument.of(found)
                            for found in one.metrics})


class AnswerAgreementDocument(Document):
    """How far one metric, or a number beside metrics, agrees with ratings of gold answers."""

    better: Annotated[str, Field(pattern="^(higher|lower)$")] = Field(
        description="Of the metric's values.")
    signature: Optional[str] = Field(None, description="Absent for what is no metric.")
    within: WithinDocument | None
    note: str = Field("", description="Why it is not measured.")

    @classmethod
    def of(cls, one: AnswerAgreement) -> AnswerAgreementDocument:
        """The document of a metric."""
        more: dict[str, Any] = {"signature": one.signature} if one.signature else {}
        if one.why_not:
            more["note"] = one.why_not
        return cls(better=one.better, within=one.found and WithinDocument.of(one.found), **more)


class RatedGoldsDocument(Document):
    """How far metrics agree with people's ratings of a split's gold answers."""

    board_version: str = Field(description="The board's, when this was measured; with another, or "
                               "another file of either digest, the site leaves all of it out.")
    gold_sha256: Sha256 = Field(description="Of the split's file.")
    ratings_sha256: Sha256 = Field(description="Of the file of ratings.")
    items: Count = Field(description="With two rated answers or more.")
    answers: Count
    ratings: Count = Field(description="Of single people.")
    half: EstimateDocument = Field(
        description="Correlation of the means of two halves of the ratings, over all answers.")
    full: EstimateDocument = Field(
        description="The same of all ratings and as many others, by Spearman and Brown.")
    within_half: EstimateDocument = Field(
        description="As `half`, less the means of items.")
    within_full: EstimateDocument
    ceiling: EstimateDocument = Field(
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

    @model_validator(mode="after")
    def _possible(self) -> Self:
        return _no_more_than_one(self, ("half", "within_half", "ceiling"))

    def differs(self, version: str, gold: str | None, ratings: str | None) -> str:
        """What it was not measured on: a board's version, the digest of its gold, that of its
        ratings, if they are known. Empty if it was measured on all of them."""
        if self.board_version != version:
            return f"of board version {excerpt(self.board_version)}; the board has {version}"
        for what, mine, now in (("gold", self.gold_sha256, gold),
                                ("ratings", self.ratings_sha256, ratings)):
            if now not in (None, mine):
                return f"of {what} {mine[:12]}...; the board has {now[:12]}..."
        return ""

    @classmethod
    def of(cls, one: RatedGolds, *, version: str, gold: str, ratings: str) -> RatedGoldsDocument:
        """The document of a split; ``gold`` and ``ratings``: digests of its files."""
        return cls(
            board_version=version, gold_sha256=gold, ratings_sha256=ratings,
            items=one.items, answers=one.answers, ratings=one.ratings,
            half=EstimateDocument.of(one.over_all.half),
            full=EstimateDocument.of(one.over_all.full),
            within_half=EstimateDocument.of(one.within.half),
            within_full=EstimateDocument.of(one.within.full),
            ceiling=EstimateDocument.of(one.within.ceiling),
            controls=list(CONTROLS), counts=_by_name(one.counts),
            **{f"against_{against}": _by_name(found) for against, found in one.metrics.items()})


def _by_name(found: Sequence[AnswerAgreement]) -> dict[str, AnswerAgreementDocument]:
    return {one.metric: AnswerAgreementDocument.of(one) for one in found}


class MetaResults(Document):
    """Which metric agrees with people, by ``scorer meta``."""

    format: Literal["metric-agreement/1"]
    splits: dict[str, MetaDocument] = Field(
        description="Verdicts on systems' graphs, by board and split (`explagraphs-dev`).")
    simulated: list[str] = Field(description="Splits with votes that a program wrote.")
    rated: dict[str, RatedGoldsDocument] = Field(
        description="Ratings of gold answers, by board and split.")


class LabelVotesDocument(Document):
    """What became of the items of one batch whose label was voted on."""

    items: Count
    votes: Count
    kept: dict[str, Count]
    dropped: dict[str, Count]
    no_majority: Count
    pending: Count
    agreement: AgreementDocument

    @classmethod
    def of(cls, one: LabelVotes) -> LabelVotesDocument:
        """The document of a batch."""
        return cls(items=one.items, votes=one.votes, kept=dict(one.kept),
                   dropped=dict(one.dropped), no_majority=one.no_majority, pending=one.pending,
                   agreement=AgreementDocument.of(one.agreement))


class RoundDocument(Document):
    """Items after one round of verification, cumulative."""

    round: Positive
    decided: Count
    correct: Count
    ci: Bounds | None = Field(description="Wilson's interval of correct / decided.")
    crossed: dict[str, Count] = Field(description="Items given another label: `own>given`.")
    incorrect: Count
    no_majority: Count
    pending: Count

    @classmethod
    def of(cls, one: RoundRow) -> RoundDocument:
        """The document of a round."""
        bounds = one.share_correct.interval
        return cls(round=one.round, decided=one.decided, correct=one.correct,
                   ci=None if bounds is None else list(bounds),
                   crossed={f"{own}>{given}": n for (own, given), n in one.crossed.items()},
                   incorrect=one.incorrect, no_majority=one.no_majority, pending=one.pending)


class AuthorDocument(Document):
    """How often one author's graphs were found correct."""

    graphs: Count
    verified: Count
    correct: Count
    ci: Bounds | None
    may_refine: bool

    @classmethod
    def of(cls, one: AuthorRow) -> AuthorDocument:
        """The document of an author."""
        bounds = one.correct.interval
        return cls(graphs=one.graphs, verified=one.verified, correct=one.correct.count,
                   ci=None if bounds is None else list(bounds), may_refine=one.may_refine)


class SourceDocument(Document):
    """What the numbers are made of."""

    commit: str | None
    batches: dict[str, Sha256] = Field(description="Closed batches and the digests of their files.")


class SimulatedDocument(Document):
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
    generated_from: SourceDocument
    csk: dict[str, dict[str, EstimateDocument]] = Field(
        description="Commonsense knowledge: metrics by system.")
    csk_topics: dict[str, dict[str, EstimateDocument]] = Field(
        description="The same by topic (what most say in Q1), over all systems.")
    csk_votes: dict[str, CskVotesDocument] = Field(
        description="What the metrics of each system are counted on.")
    csk_topic_votes: dict[str, CskVotesDocument] = Field(description="The same of each topic.")
    csk_relations: dict[str, EstimateDocument] = Field(
        description="Precision of triplets by relation.")
    csk_outcome: AgreementDocument | None = Field(
        description="Agreement on how far each annotator came in the questions.")
    questions: dict[str, dict[str, QuestionDocument]] = Field(
        description="Agreement and counts by form and question.")
    values: dict[str, dict[str, dict[str, ValueSharesDocument]]] = Field(
        description="Shares of each value by form, question and system, but for `csk`. Systems are "
                    "empty where the key of a batch names none.")
    settled: dict[str, dict[str, dict[str, SettledDocument]]] = Field(
        description="Units by value, by form, question and system: by rulings and, where there is "
                    "none, by majority. Questions with a ruling and without an open disagreement.")
    labels: dict[str, LabelVotesDocument] = Field(description="Votes on labels, by batch.")
    rounds: list[RoundDocument]
    authors: dict[str, AuthorDocument]
    verdicts: dict[str, VerdictsDocument] = Field(
        description="People's verdicts on systems, by board and split (`explagraphs-dev`).")
    simulated: Optional[SimulatedDocument] = Field(
        None, description="Absent if nobody is simulated.")

    def is_simulated(self, key: str, name: str = "") -> bool:
        """Whether simulated annotators have part in a figure: ``key`` of the document, ``name``
        below it, such as a system, or in any of them. ``verdicts`` has splits and
        ``split:system``."""
        names = self.simulated.figures.get(key, []) if self.simulated else []
        return name in names if name else bool(names)
