"""The values that travel through the program, of an item each; ``results.py`` has those of a split.
Frozen, standard library only. Read this first.
"""

from __future__ import annotations

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
