"""A worked example of a metric: one item, one prediction, and the arithmetic.

Every number is computed by the metric's own function when the site is built, so that an example can
never say something else than the scorer. Of metrics that ask a model, what the model would say was
made for the page, and the page says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from markupsafe import Markup

from scorer.errors import DataError
from scorer.graph import concepts
from scorer.metrics.catalogue import MetricInfo
from scorer.tasks.graphs.diff import diff
from scorer.website.arithmetic import Arithmetic
from scorer.website.render import trusted
from scorer.website.views.graphs import svg
from scorer.website.views.graphs.example import GraphExample
from scorer.website.views.graphs.layout import lay_over


@dataclass(frozen=True)
class Worked:
    """What a page shows of it."""

    texts: tuple[tuple[str, str], ...]
    """Names of the texts and what they say."""
    arithmetic: Arithmetic
    drawings: tuple[tuple[str, Markup], ...] = ()
    """Captions and graphs, gold first."""


def worked(metric: MetricInfo) -> Worked | None:
    """The example of a metric, as ``example`` has it; None too where its lines do not give what the
    metric says: an example that is wrong is no reason not to publish numbers. Tests hold both."""
    try:
        return example(metric)
    except DataError:
        return None


def example(metric: MetricInfo) -> Worked | None:
    """The example of a metric, or None if this version does not compute it or nobody wrote one.

    Raises DataError if the lines that explain it give another value than the metric.
    """
    if metric.function is None:
        return None
    from scorer.website.arithmetic import choice, graphs, texts  # slow: the metrics' own code

    found = choice.example(metric.id) or texts.example(metric.id)
    if found is not None:
        return Worked(*found)
    found = graphs.example(metric.id)
    return None if found is None else Worked(*found, _drawings())


@cache
def _drawings() -> tuple[tuple[str, Markup], ...]:
    from scorer.website.arithmetic import graphs

    settings = graphs.board().settings
    example = GraphExample(settings, graphs.GOLD, 1)
    edges = graphs.PREDICTION.graph.edges
    found = diff(example.golds[0], edges)
    drawing = svg.Drawing(
        lay_over(example.layouts[0], edges), edges,
        example.kinds_of(concepts([*example.golds[0], *edges])), "The prediction of the example",
        statuses=[mark.status for mark in found.marks], negated=settings.graph.negated,
        ghosts=[(example.golds[0][i], example.layouts[0].routes[i]) for i in found.missing],
    )
    return (("Gold", example.gold_cards[0].drawing),
            ("Prediction", trusted(svg.render(drawing))))
