"""The values that travel through the program, of an item each, and shares of a whole;
``results.py`` has those of a split. Frozen, standard library only. Read this first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

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
    """Id in the catalogue of ``rules.tsv``, such as ``EG-CYCLE``."""
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
class ItemResult:
    """One row of a split, judged and scored."""

    row: int
    """One-based row number."""
    verdict: Verdict
    """Without findings where the item was read from a file of items."""
    scores: Mapping[str, ItemScore] = field(default_factory=dict)
    edges: int | None = None
    """Edges of the predicted graph; None where none could be read, or the task has no graphs."""


NORMAL = 1.959963984540054
"""How many standard errors a two-sided normal interval of 95 % reaches."""


@dataclass(frozen=True)
class Share:
    """``count`` of ``n``, with a 95 % Wilson interval; all None of an empty set."""

    count: int
    n: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1."""
        return self.count / self.n if self.n else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Lower and upper bound.

        With z the normal quantile and p = count / n::

            (2 n p + z^2 -+ z * sqrt(4 n p (1 - p) + z^2)) / (2 n + 2 z^2)
        """
        if not self.n:
            return None
        n, p, z = self.n, self.count / self.n, NORMAL
        whole = 2 * (n + z**2)
        middle = (2 * n * p + z**2) / whole
        margin = z / whole * math.sqrt(4 * n * p * (1 - p) + z**2)
        return (middle - margin if self.count else 0.0,
                middle + margin if self.count < n else 1.0)

    def __str__(self) -> str:
        """Such as ``.612 (.548 to .672; 139 of 227)``."""
        if self.value is None or self.interval is None:
            return "not measured (no items)"
        low, high = self.interval
        return f"{short(self.value)} ({short(low)} to {short(high)}; {self.count} of {self.n})"


def short(share: float) -> str:
    """Three decimals, as pages print shares: ``.612``."""
    return f"{share:.3f}".removeprefix("0")
