"""A result: what scoring makes, ``<split>.json`` holds, and everybody reads.

Each class is one definition: it is the record that travels, and it decodes, encodes and describes
(``scorer/core/reading/schema.py``). What there is one of an item is in ``records.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    ConfigDict,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    PrivateAttr,
    Tag,
    ValidationInfo,
    model_validator,
)
from pydantic_core import CoreSchema, core_schema

from scorer.core.errors import DataError
from scorer.core.reading.schema import Count, Document, No, Number, One, Positive, Sha256, Yes
from scorer.core.reading.values import Optional
from scorer.core.records import ItemResult

LEVEL = 0.95
PUBLISHED = "published"
"""The context in which a document has to be as it is written today."""
SCHEMA: Literal[1] = 1
_NEEDS: dict[str, Any] = {"null": ["lift"], "versus_null": ["null"]}
"""Keys of a measured metric that do not stand without another."""
_SINCE_INTERVALS: Any = ["interval", "clustered_se", "clusters"]
"""Keys that results of the first months lack: these are read, and no longer published."""
_ITEM_COLUMNS = ("board", "split", "team", "system", "row", "annotation", "metric", "value", "flag",
                 "edges")
Method = Literal["wilson", "t", "wilson-t", "bootstrap", "bonett-price", "effective-wilson",
                 "none"]
Test = Literal["mcnemar", "permutation"]


class Interval(Document):
    """For new items of the same topics. Bounds are null where note says why there is none."""

    low: float | None
    high: float | None
    method: Method = Field(
        description="No result has effective-wilson, which is of people's verdicts.")
    note: str
    level: float = Field(ge=LEVEL, le=LEVEL)

    @property
    def given(self) -> bool:
        """Whether there are bounds."""
        return self.low is not None


class Passed(Document):
    """Mean over the items that passed every gate; never ranked."""

    value: Number | None
    n: Count
    interval: Optional[Interval] = None


class VersusNull(Document):
    """Paired test of value against null, item by item."""

    p: float = Field(ge=0, le=1, description="Two-sided.")
    better: bool = Field(description="Better than the null at 5 %.")
    test: Test


class _WithoutDetail(Document):
    """What a metric without a value of full precision does not have."""

    parts: ClassVar[Mapping[str, Number]] = {}
    passed: ClassVar[Passed] = Passed.model_construct(value=None, n=0)
    flagged: ClassVar[int] = 0
    null: ClassVar[None] = None
    lift: ClassVar[None] = None
    interval: ClassVar[None] = None
    clustered_se: ClassVar[None] = None
    clusters: ClassVar[int] = 0
    versus_null: ClassVar[None] = None


class Unmeasured(_WithoutDetail):
    """Not measured, and why."""

    value: None
    reason: str = Field(min_length=1)
    n: Count
    grid: ClassVar[None] = None
    signature: ClassVar[str] = ""


class Released(_WithoutDetail):
    """Measured on hidden gold: rounded, without parts, counts and null."""

    value: Number
    grid: float = Field(gt=0, description="value is a multiple of this.")
    n: Count
    signature: str
    reason: ClassVar[None] = None


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
    interval: Optional[Interval] = None
    clustered_se: Annotated[float, Field(ge=0)] | None = Field(
        None, description="Standard error of value, items of one cluster taken together; null "
                          "with fewer than two clusters, or where value is no mean over items.")
    clusters: Count = Field(0, description="Distinct clusters, such as beliefs.")
    versus_null: Optional[VersusNull] = None
    reason: ClassVar[None] = None
    grid: ClassVar[None] = None

    @model_validator(mode="after")
    def _whole(self, info: ValidationInfo) -> Measured:
        fields = self.model_fields_set
        missing = [needed for name in _NEEDS if name in fields for needed in _NEEDS[name]]
        if info.context == PUBLISHED:
            missing += _SINCE_INTERVALS
        if lost := [name for name in missing if name not in fields]:
            raise ValueError(f"{lost[0]} is missing")
        return self

    @property
    def parts(self) -> Mapping[str, Number]:
        """Means of the parts over all items, by name."""
        return self.others


def _variant(value: Any) -> str:
    if isinstance(value, MetricValue):
        return type(value).__name__.lower()
    if not isinstance(value, Mapping) or value.get("value") is None:
        return "unmeasured"
    return "released" if "grid" in value else "measured"


MetricValue = Measured | Released | Unmeasured
"""One metric over one split."""
_Metric = Annotated[
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


@dataclass(frozen=True)
class _Kept:
    """Read as a document of a class, and kept as the mapping that it is."""

    kind: type[Document]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(
            Document.to_json, handler.generate_schema(self.kind),
            serialization=core_schema.plain_serializer_function_ser_schema(dict))


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

    @property
    def digest(self) -> str:
        """What tells it from other gold."""
        return self.sha256


class HiddenGold(_GoldFile):
    """Gold that only the scoring job sees."""

    public: No
    hmac_sha256: Sha256 = Field(description="HMAC under a key sealed with it.")

    @property
    def digest(self) -> str:
        """What tells it from other gold."""
        return self.hmac_sha256


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


class Result(Document):
    """One submission on one split: ``<split>.json``."""

    schema_: One = Field(alias="schema")
    board: str = Field(description="Board id.")
    board_version: str
    task: str
    split: str
    team: str = Field(description="Folder name of the team; empty for a single file.")
    system: str = Field(description="Folder name of the system; empty for a single file.")
    counts: Annotated[Mapping[str, Any], _Kept(Counts)]
    metrics: dict[str, _Metric]
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
    _items: Sequence[ItemResult] = PrivateAttr(())

    @property
    def items(self) -> Sequence[ItemResult]:
        """One entry per row of the split, in order; empty where the gold is hidden."""
        return self._items

    def replace(self, **changes: Any) -> Self:
        """A copy with other values, which are not checked; ``items`` may be among them."""
        items = changes.pop("items", self._items)
        copy = super().replace(**changes)
        copy._items = items
        return copy

    def signature(self, metric: str | None = None) -> str:
        """The signature of one metric, or those of all metrics, one a line."""
        if metric is not None:
            return self.metrics[metric].signature
        return "\n".join(value.signature for value in self.metrics.values() if value.signature)

    def to_frame(self) -> Any:
        """The items as a pandas DataFrame: one row for each item and metric.

        Columns: ``board``, ``split``, ``team``, ``system``, ``row`` (one-based), ``annotation``,
        ``metric``, ``value`` (in the metric's unit), ``flag`` (why the number is not exact),
        ``edges`` (of the predicted graph), then the parts that items have, such as ``precision``;
        NaN where a metric has no such part. Items that were read from files have counts alone. No
        rows where the gold is hidden. Raises DataError without pandas (extra ``site``).
        """
        pd = pandas_for("a DataFrame of items")
        about = (self.board, self.split, self.team, self.system)
        rows = [dict(zip(_ITEM_COLUMNS, (*about, item.row, item.verdict.annotation, metric,
                                         score.value, score.flag, item.edges), strict=True))
                | dict(score.parts)
                for item in self.items for metric, score in item.scores.items()]
        parts = dict.fromkeys(name for item in self.items for score in item.scores.values()
                              for name in score.parts)
        return pd.DataFrame(rows, columns=[*_ITEM_COLUMNS, *parts])


def pandas_for(what: str) -> Any:
    """The library pandas. Raises DataError without it; ``what``: what needs it."""
    try:
        import pandas as pd
    except ImportError as missing:
        raise DataError(f"{what} needs the site extra ({missing.name} is missing): "
                        "pip install 'whyboard[site]'") from missing
    return pd
