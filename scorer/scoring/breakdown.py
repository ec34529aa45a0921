"""A system's numbers on parts of a split, such as the items of one label or one depth.

Tables 7 (depth) and 8 (shape) of the ExplaGraphs paper are such breakdowns of one system on dev.
The parts are made from gold once a split. A metric's mean over a part has all items of the part as
its denominator, so the means of parts that do not overlap, weighted by items, give the mean over
the split.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scorer.metrics.catalogue import METRICS
from scorer.records import ItemResult, MetricValue
from scorer.scoring.summary import summarise
from scorer.tasks.partitions import Division
from scorer.tasks.registry import AnyTask


class Part(NamedTuple):
    """One system's numbers on one part of a split."""

    name: str
    rows: tuple[int, ...]
    annotations: Mapping[str, int]
    """Items by annotation, in gate order."""
    metrics: Mapping[str, MetricValue]
    """Means over the part, for every metric that was measured; empty for a part without items."""


def breakdown(task: AnyTask, division: Division, items: Sequence[ItemResult]) -> tuple[Part, ...]:
    """One system's numbers on every part; ``items`` are all items of the split, in order."""
    return tuple(_part(task, name, rows, [items[row - 1] for row in rows])
                 for name, rows in division.rows.items())


def _part(task: AnyTask, name: str, rows: tuple[int, ...], items: Sequence[ItemResult]) -> Part:
    counts = Counter(item.verdict.annotation for item in items)
    passed = [item.verdict.annotation == task.passed for item in items]
    measured = [metric for metric in METRICS
                if items and all(metric in item.scores for item in items)]
    return Part(
        name, rows, {annotation: counts[annotation] for annotation in task.annotations},
        {metric: summarise(METRICS[metric], [item.scores[metric] for item in items], passed,
                           None)
         for metric in measured},
    )
