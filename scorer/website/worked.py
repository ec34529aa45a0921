"""A worked example of a metric: one small gold graph, one prediction, and the arithmetic.

Every number is computed by the metric's own function when the site is built, so that an example can
never say something else than the scorer. Metrics that ask a model have none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations

from markupsafe import Markup

from scorer.analyses.diff import diff
from scorer.board import Board, boards_folder, load
from scorer.errors import DataError
from scorer.graph import concepts, edge_sentences, read_edges
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.tasks.explanation_graphs import Gold, Prediction
from scorer.website.graphs import svg
from scorer.website.graphs.example import Stage
from scorer.website.graphs.layout import lay_over
from scorer.website.render import trusted

BOARD = "explagraphs-practice"
"""Whose constraints and constants the example follows; it comes with the program."""
GOLD = Gold(("cats are good pets", "cats purr at home"), "support",
            ("(cats; is a; pets)(cats; capable of; purr)(purr; at location; home)",))
PREDICTION = Prediction(
    "support", "(cats; is a; pets)(cats; capable of; purr)(purr; at location; warm home)"
    "(pets; desires; warm home)")


@dataclass(frozen=True)
class Worked:
    """What a page shows of it."""

    texts: tuple[tuple[str, str], ...]
    """Names of the texts and what they say."""
    gold: Markup
    prediction: Markup
    steps: tuple[str, ...]
    """The arithmetic, one line a step; the last one gives the value."""
    value: float


def worked(metric: MetricInfo) -> Worked | None:
    """The example of a metric, or None if it asks a model or nobody wrote one."""
    steps = _STEPS.get(metric.id)
    if steps is None and metric.parts == ("precision", "recall") and metric.model is None:
        steps = _matched
    if steps is None or metric.function is None or metric.model is not None:
        return None
    gold, prediction = _drawings()
    value = _value(metric.id)
    names = [text.name for text in _board().settings.texts]
    lines = (f"{_board().settings.labels.name}: gold {GOLD.label}, predicted {PREDICTION.label}",
             *steps(metric.id, value))
    return Worked(tuple(zip(names, GOLD.texts, strict=True)), gold, prediction, lines, value)


@cache
def _board() -> Board:
    return load(BOARD, boards_folder())


@cache
def _drawings() -> tuple[Markup, Markup]:
    settings = _board().settings
    stage = Stage(settings, GOLD, 1)
    edges = read_edges(PREDICTION.graph)
    found = diff(stage.golds[0], edges)
    drawing = svg.Drawing(
        lay_over(stage.layouts[0], edges), edges,
        stage.kinds_of(concepts([*stage.golds[0], *edges])), "The prediction of the example",
        statuses=[mark.status for mark in found.marks], negated=settings.graph.negated,
        ghosts=[(stage.golds[0][i], stage.layouts[0].routes[i]) for i in found.missing],
    )
    return stage.gold_cards[0].drawing, trusted(svg.render(drawing))


def _value(metric: str, gold: Gold = GOLD, prediction: Prediction = PREDICTION) -> float:
    """The metric's own word, if the prediction passes its gate."""
    board, use = _board(), _board().task.use(metric)
    if use.gate and board.task.judge(board.settings, gold, prediction).annotation != use.gate:
        return use.otherwise
    seen = use.select(board.settings, gold, prediction)
    [score] = METRICS[metric].load()([seen], **use.options(board.settings))
    return score.value


# ---- the arithmetic --------------------------------------------------------------------------


def _labels(metric: str, value: float) -> Sequence[str]:
    return [f"{'equal' if value else 'not equal'}, so the item counts {value:g}"]


def _gates(metric: str, value: float) -> Sequence[str]:
    board = _board()
    rules, edges = board.settings.graph, read_edges(PREDICTION.graph)
    lines = [f"{len(edges)} edges; at least {rules.least_edges} are asked for"]
    for text, content in zip(board.settings.texts, GOLD.texts, strict=True):
        named = [name for name in concepts(edges) if name in content]
        lines.append(f"concepts in the {text.name}: {', '.join(named)}; at least {text.concepts} "
                     "are asked for")
    broken = board.task.judge(board.settings, GOLD, PREDICTION).broken
    lines.append("connected, without a circle, every relation known" if not broken
                 else "broken: " + ", ".join(finding.rule for finding in broken))
    kept = "no constraint is broken" if not broken else "a constraint is broken"
    return [*lines, f"the label is right and {kept}, so the item counts {value:g}"]


def _matched(metric: str, value: float) -> Sequence[str]:
    ours, theirs = edge_sentences(PREDICTION.graph), edge_sentences(GOLD.graphs[0])
    similarity = [[_similarity(metric, ours[i], theirs[j]) for j in range(len(theirs))]
                  for i in range(len(ours))]
    best = max(permutations(range(len(ours)), len(theirs)),
               key=lambda chosen: sum(similarity[i][j] for j, i in enumerate(chosen)))
    pairs = [(ours[i], theirs[j], similarity[i][j]) for j, i in enumerate(best)]
    total = sum(found for *_, found in pairs)
    precision, recall = total / len(ours), total / len(theirs)
    f1 = 2 * precision * recall / (precision + recall)
    if abs(f1 - value) > 1e-9:
        raise DataError(f"the worked example of {metric} gives {f1}, the metric {value}")
    lines = [f"“{one}” with “{other}”: {found:.3f}" for one, other, found in pairs]
    added = " + ".join(f"{found:.3f}" for *_, found in pairs)
    return [*lines,
            f"S = {added} = {total:.3f}, the greatest sum of any matching",
            f"precision = S / {len(ours)} predicted edges = {precision:.3f}",
            f"recall = S / {len(theirs)} gold edges = {recall:.3f}",
            f"F1 = 2 · {precision:.3f} · {recall:.3f} / ({precision:.3f} + {recall:.3f}) = "
            f"{f1:.3f}"]


def _similarity(metric: str, predicted: str, gold: str) -> float:
    """How similar two edges are: what the metric says of graphs of one edge each."""
    [score] = METRICS[metric].load()([((predicted,), ((gold,),))])
    return score.value


def _distance(metric: str, value: float) -> Sequence[str]:
    edges = read_edges(GOLD.graphs[0])
    nodes, constant = len(concepts(edges)), _board().settings.ged_constant
    size = nodes + len(edges) + constant
    edits = round(value * size)
    if abs(edits - value * size) > 1e-9:
        raise DataError(f"the worked example of {metric} gives no whole number of edits")
    return [f"fewest edits that turn the prediction into gold: {edits}",
            f"size = {nodes} gold concepts + {len(edges)} gold edges + {constant} (the board's "
            f"constant) = {size}",
            f"distance = {edits} / {size} = {value:.3f}"]


_STEPS: dict[str, Callable[[str, float], Sequence[str]]] = {
    "SA": _labels, "StCA": _gates, "GED": _distance,
}
