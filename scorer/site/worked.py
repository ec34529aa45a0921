"""A worked example of a metric: one item, one prediction, and the arithmetic.

Every number is computed by the metric's own function when the site is built, so that an example can
never say something else than the scorer. Of metrics that ask a model, what the model would say was
made for the page, and the page says so.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from markupsafe import Markup

from scorer.core.errors import DataError
from scorer.metrics.catalogue import MetricInfo
from scorer.metrics.worked import Arithmetic
from scorer.site.views.base import WorkedItem
from scorer.site.views.registry import VIEWS


class Worked(NamedTuple):
    """What a page shows of it."""

    texts: tuple[tuple[str, str], ...]
    """Names of the texts and what they say."""
    arithmetic: Arithmetic
    drawings: tuple[tuple[str, Markup], ...] = ()
    """Captions and graphs, gold first."""


def worked(metric: MetricInfo) -> Worked | None:
    """The example of a metric, or None if this version does not compute it or nobody wrote one.

    Raises DataError if the lines that explain it give another value than the metric.
    """
    if metric.function is None or metric.explain is None:
        return None
    for item in _items():
        if metric.id in {use.metric for use in item.board.task.metrics}:
            return Worked(item.texts, _arithmetic(metric, item), item.drawings)
    return None


@cache
def _items() -> tuple[WorkedItem, ...]:
    return tuple(item for view in VIEWS.values() if (item := view.worked_item()) is not None)


def _arithmetic(metric: MetricInfo, item: WorkedItem) -> Arithmetic:
    """The lines of the metric below those of its task. Raises DataError if a gate stops the item.
    """
    assert metric.explain is not None
    task = item.board.task
    use = task.use(metric.id)
    annotation = task.verdict(item.golds[0], item.predictions[0]).annotation
    if use.gate and annotation != use.gate:
        raise DataError(f"the worked example of {metric.id} is {annotation}, not {use.gate}")
    seen = [use.select(gold, prediction)
            for gold, prediction in zip(item.golds, item.predictions, strict=True)]
    found = metric.explain(metric, seen, **use.options(task.settings))
    gates = item.gates if metric.id == task.gate_metric else ()
    return found._replace(steps=(*item.label, *gates, *found.steps))
