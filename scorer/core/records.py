"""The values that travel through the program. Frozen, standard library only. Read this first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Counts = Mapping[str, Mapping[str, Mapping[str, int]]]
"""Tables of counts by their names: ``{table: {row: {column: count}}}``."""


SPLITS = ("train", "dev", "test")
"""The splits that a board may have."""


BEST, FIRST, MEAN = "best", "first", "mean"
OVER = (BEST, FIRST, MEAN)
"""How the scores against several gold answers become one: that of the gold answer with the best
score, that of the first, or the mean; of metrics that score each gold answer by itself."""


class Edge(NamedTuple):
    """One fact of a graph: ``(source; relation; target)``; source and target are concepts."""

    source: str
    relation: str
    target: str


class TextPair(NamedTuple):
    """The two texts a judge model reads together."""

    first: str
    second: str


class ItemScore(NamedTuple):
    """What one metric says about one item."""

    value: float
    """The item's score in the metric's own unit."""
    parts: Mapping[str, float] = {}
    """Further numbers averaged beside the value, such as precision and recall."""
    flag: str | None = None
    """Why this number is not exact, or None."""


@dataclass(frozen=True)
class Finding:
    """One rule that a graph breaks, with the culprits."""

    rule: str
    """Id in the catalogue of ``rules.py``, such as ``EG-CYCLE``."""
    detail: str
    """One sentence that names what was found."""
    edges: tuple[int, ...] = ()
    """Zero-based positions of the edges at fault, in the order of the string."""
    concepts: tuple[str, ...] = ()
    """The concepts at fault."""


class Findings(NamedTuple):
    """Everything that one answer breaks."""

    broken: tuple[Finding, ...] = ()
    """Constraints that the score counts."""
    strict: tuple[Finding, ...] = ()
    """Strict findings: reported beside the score, they never change it."""


@dataclass(frozen=True)
class Verdict:
    """The one annotation an item gets, and everything its graph breaks."""

    annotation: str
    """The gate at which the item stopped, or the name of having passed them all."""
    broken: tuple[Finding, ...] = ()
    """Constraints that the score counts."""
    strict: tuple[Finding, ...] = ()
    """Strict findings: reported beside the score, they never change it."""


@dataclass(frozen=True)
class Interval:
    """What is known of a value that was measured on a sample of items."""

    low: float | None
    """Lower bound, or None where no interval can be given."""
    high: float | None
    method: str
    """``wilson``, ``t``, ``wilson-t``, ``bootstrap``, ``bonett-price``,
    ``effective-wilson`` or ``none``."""
    note: str = ""
    """What to know beside it; for ``none``, why there is none."""
    level: float = 0.95

    @property
    def given(self) -> bool:
        """Whether there are bounds."""
        return self.low is not None


@dataclass(frozen=True)
class VersusNull:
    """A paired test of a value against the same submission's null, over the same items."""

    p: float
    """Two-sided."""
    better: bool
    """Whether the value is better than the null's at 5 %."""
    test: str
    """``mcnemar`` or ``permutation``."""


@dataclass(frozen=True)
class MetricValue:
    """One metric over one split."""

    metric: str
    value: float | None
    """Mean over all items of the split, or None if it was not measured."""
    reason: str | None = None
    """Why ``value`` is None."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """Means of the parts over all items, by name."""
    passed: float | None = None
    """Mean over the items that passed every gate; never ranked. None if none passed."""
    n: int = 0
    """The denominator of ``value``: all items of the split."""
    n_passed: int = 0
    """The denominator of ``passed``."""
    flagged: int = 0
    """Items whose number is a bound rather than exact."""
    signature: str = ""
    """What has to be the same for two values to be comparable."""
    null: float | None = None
    """The same metric for this submission's null."""
    grid: float | None = None
    """Step of a value that was rounded because the gold is hidden; None for full precision."""
    interval: Interval | None = None
    """Of ``value``; None where the gold is hidden or nothing was measured."""
    passed_interval: Interval | None = None
    """Of ``passed``; None where there is none of that or the gold is hidden."""
    clustered_se: float | None = None
    """Standard error of ``value`` with items of one cluster taken together."""
    clusters: int = 0
    """How many clusters: distinct beliefs, for explanation graphs."""
    versus_null: VersusNull | None = None
    """``value`` against ``null``, item by item; None without a null or without its items."""

    @property
    def lift(self) -> float | None:
        """``value - null``, as a result's file has it, whichever of the two is better.

        What people read is ``MetricInfo.lift``.
        """
        return None if self.value is None or self.null is None else self.value - self.null


@dataclass(frozen=True)
class ItemResult:
    """One row of a split, judged and scored."""

    row: int
    """One-based row number."""
    verdict: Verdict
    """Without findings where the item was read from a file of items."""
    scores: Mapping[str, ItemScore] = field(default_factory=dict)
    edges: int | None = None
    """Edges of the predicted graph; None where none could be read, or the task has no graphs."""


_ITEM_COLUMNS = ("board", "split", "team", "system", "row", "annotation", "metric", "value", "flag",
                 "edges")


@dataclass(frozen=True)
class Result:
    """Everything the scorer says about one submission on one split.

    Values are means over ``counts["items"]``, the number of items of the split.
    """

    board: str
    board_version: str
    task: str
    split: str
    counts: Mapping[str, Any]
    metrics: Mapping[str, MetricValue]
    items: Sequence[ItemResult]
    """One entry per row of the split, in order; empty where the gold is hidden."""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    """Digests and versions: predictions, gold, scorer; ``key`` is made from them."""
    team: str = ""
    system: str = ""

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
        rows where the gold is hidden. Needs pandas (extra ``site``).
        """
        import pandas as pd

        about = (self.board, self.split, self.team, self.system)
        rows = [dict(zip(_ITEM_COLUMNS, (*about, item.row, item.verdict.annotation, metric,
                                         score.value, score.flag, item.edges), strict=True))
                | dict(score.parts)
                for item in self.items for metric, score in item.scores.items()]
        parts = dict.fromkeys(name for item in self.items for score in item.scores.values()
                              for name in score.parts)
        return pd.DataFrame(rows, columns=[*_ITEM_COLUMNS, *parts])
