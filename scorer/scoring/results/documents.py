"""The document of a scored split: ``<split>.json``.

Each class is one definition: it decodes, encodes and describes
(``scorer/core/reading/documents.py``); ``of`` makes it from a value of ``records.py``, and
``record`` gives that value back.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    model_validator,
)

from scorer.core.reading.documents import Count, Document, No, Number, One, Positive, Sha256, Yes
from scorer.core.reading.values import Optional
from scorer.core.records import Interval, MetricValue, VersusNull

LEVEL = 0.95
PUBLISHED = "published"
"""The context in which a document has to be as it is written today."""
_NEEDS: dict[str, Any] = {"null": ["lift"], "versus_null": ["null"]}
"""Keys of a measured metric that do not stand without another."""
_SINCE_INTERVALS: Any = ["interval", "clustered_se", "clusters"]
"""Keys that results of the first months lack: these are read, and no longer published."""


class IntervalDocument(Document):
    """For new items of the same topics. Bounds are null where note says why there is none."""

    low: float | None
    high: float | None
    method: Literal["wilson", "t", "wilson-t", "bootstrap", "rule of three", "bonett-price",
                    "none"] = Field(
        description="Results of the first months have the rule of three; none is written now.")
    note: str
    level: float = Field(ge=LEVEL, le=LEVEL)

    @classmethod
    def of(cls, interval: Interval | None) -> IntervalDocument | None:
        """None for no interval."""
        return None if interval is None else cls.model_validate(vars(interval))

    def record(self) -> Interval:
        """As the program has it."""
        return Interval(**dict(self))


class Passed(Document):
    """Mean over the items that passed every gate; never ranked."""

    value: Number | None
    n: Count
    interval: Optional[IntervalDocument] = None


class VersusNullDocument(Document):
    """Paired test of value against null, item by item."""

    p: float = Field(ge=0, le=1, description="Two-sided.")
    better: bool = Field(description="Better than the null at 5 %.")
    test: Literal["mcnemar", "permutation"]


class Unmeasured(Document):
    """Not measured, and why."""

    value: None
    reason: str = Field(min_length=1)
    n: Count

    def record(self, name: str) -> MetricValue:
        """As the program has it."""
        return MetricValue(name, None, self.reason, n=self.n)


class Released(Document):
    """Measured on hidden gold: rounded, without parts, counts and null."""

    value: Number
    grid: float = Field(gt=0, description="value is a multiple of this.")
    n: Count
    signature: str

    def record(self, name: str) -> MetricValue:
        """As the program has it."""
        return MetricValue(name, self.value, n=self.n, grid=self.grid, signature=self.signature)


class Measured(Document):
    """Measured; further numbers are parts of the value, such as precision and recall."""

    model_config = ConfigDict(extra="allow", json_schema_extra={
        "dependentRequired": _NEEDS, "not": {"required": ["grid"]},
        "required": ["value", "n", "passed", "flagged", "signature", *_SINCE_INTERVALS]})
    __pydantic_extra__: dict[str, Number] = Field(init=False)

    value: Number = Field(description="Mean over all n items of the split, or one number of them "
                                      "all, such as BLEU.")
    n: Count
    passed: Passed
    flagged: Count = Field(description="Items whose number is a bound, or "
                                       "which the judge did not answer.")
    signature: str
    null: Optional[Number] = Field(None, description="The same metric for the submission's null.")
    lift: Optional[Number] = Field(None, description="value - null.")
    interval: Optional[IntervalDocument] = None
    clustered_se: Annotated[float, Field(ge=0)] | None = Field(
        None, description="Standard error of value, items of one cluster taken together; null "
                          "with fewer than two clusters, or where value is no mean over items.")
    clusters: Count = Field(0, description="Distinct clusters, such as beliefs.")
    versus_null: Optional[VersusNullDocument] = None

    @model_validator(mode="after")
    def _whole(self, info: ValidationInfo) -> Measured:
        given = self.model_fields_set
        missing = [needed for name in _NEEDS if name in given for needed in _NEEDS[name]]
        if info.context == PUBLISHED:
            missing += _SINCE_INTERVALS
        if lost := [name for name in missing if name not in given]:
            raise ValueError(f"{lost[0]} is missing")
        return self

    def record(self, name: str) -> MetricValue:
        """As the program has it."""
        versus = self.versus_null
        within = self.passed.interval
        return MetricValue(
            name, self.value, parts=self.others, passed=self.passed.value, n=self.n,
            n_passed=self.passed.n, flagged=self.flagged, signature=self.signature, null=self.null,
            interval=None if self.interval is None else self.interval.record(),
            passed_interval=None if within is None else within.record(),
            clustered_se=self.clustered_se, clusters=self.clusters,
            versus_null=None if versus is None else VersusNull(**dict(versus)),
        )


    @classmethod
    def of(cls, value: MetricValue) -> Measured:
        """Of a measured value with full precision."""
        interval = IntervalDocument.of(value.interval)
        within = IntervalDocument.of(value.passed_interval)
        passed = {"value": value.passed, "n": value.n_passed,
                  **({} if within is None else {"interval": within})}
        versus = value.versus_null
        return cls.model_validate({
            **value.parts, "value": value.value, "n": value.n, "passed": passed,
            "flagged": value.flagged, "signature": value.signature,
            "clustered_se": value.clustered_se, "clusters": value.clusters,
            **({} if interval is None else {"interval": interval}),
            **({} if value.null is None else {"null": value.null, "lift": value.lift}),
            **({} if versus is None else {"versus_null": vars(versus)}),
        })


def metric_of(value: MetricValue) -> Unmeasured | Released | Measured:
    """The document of one metric."""
    if value.value is None:
        return Unmeasured(value=None, reason=value.reason or "", n=value.n)
    if value.grid is not None:
        return Released(value=value.value, grid=value.grid, n=value.n, signature=value.signature)
    return Measured.of(value)


def _variant(value: Any) -> str:
    if not isinstance(value, Mapping) or value.get("value") is None:
        return "unmeasured"
    return "released" if "grid" in value else "measured"


Metric = Annotated[
    Annotated[Measured, Tag("measured")] | Annotated[Released, Tag("released")]
    | Annotated[Unmeasured, Tag("unmeasured")], Discriminator(_variant)]
CountTable = dict[str, dict[str, Count]]


class Counts(Document):
    """Items with each annotation, and what the task counts besides, such as a confusion table."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Count | CountTable] = Field(init=False)

    items: Count
    broken: dict[str, Count] = Field(
        description="Items with the right label that break each constraint.")
    strict: dict[str, Count] = Field(description="Items with each strict finding.")


class PredictionsFile(Document):
    """The predictions that were scored."""

    sha256: Sha256
    rows: Count


class _GoldFile(Document):
    id: str
    golds: Positive = Field(description="Golds per item, at most.")
    against: Optional[Annotated[str, Field(pattern="^[a-z]{1,20}$")]] = Field(
        None, description="Which part of the gold, where a row answers with the rest of it.")


class PublicGold(_GoldFile):
    """Gold that anybody may have."""

    public: Yes
    sha256: Sha256 = Field(description="Digest of the file.")


class HiddenGold(_GoldFile):
    """Gold that only the scoring job sees."""

    public: No
    hmac_sha256: Sha256 = Field(description="HMAC under a key sealed with it.")


class Release(Document):
    """Hidden gold only: since which day values may be released."""

    day: str = Field(json_schema_extra={"format": "date"})


class Errata(Document):
    """Only where errata changed the gold."""

    applied: list[str] = Field(min_length=1, description="Ids of the errata.")
    gold: str = Field(description="Id of the gold file as it is.")
    without: dict[str, Annotated[float, Field(ge=-1, le=10)] | None] = Field(
        description="The value of each metric under the gold file as it is; null where it was not "
                    "measured.")


class ScorerVersion(Document):
    """The program."""

    version: str


class ResultDocument(Document):
    """One submission on one split: ``<split>.json``."""

    schema_: One = Field(alias="schema")
    board: str = Field(description="Board id.")
    board_version: str
    task: str
    split: str
    team: str = Field(description="Folder name of the team; empty for a single file.")
    system: str = Field(description="Folder name of the system; empty for a single file.")
    counts: Counts
    metrics: dict[str, Metric]
    predictions: PredictionsFile
    gold: PublicGold | HiddenGold
    scorer: ScorerVersion
    models: dict[str, str] = Field(
        description="Model name -> its part of signatures with the weights digest, for metrics "
                    "that were measured.")
    key: Sha256 = Field(description="Digest of everything the result depends on.")
    tags: Optional[list[Annotated[str, Field(pattern="^[a-z ]{1,60}$")]]] = Field(
        None, description="Those of submission.yaml when it was scored; absent if none.")
    release: Optional[Release] = None
    errata: Optional[Errata] = None
