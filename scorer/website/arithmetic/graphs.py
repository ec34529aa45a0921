"""Metrics of graphs: one small gold graph, one prediction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import permutations
from typing import Any

from scorer.board import Board, boards_folder, load
from scorer.errors import DataError
from scorer.graph import Graph, concepts
from scorer.metrics.catalogue import METRICS
from scorer.tasks.graphs.records import Gold, Prediction
from scorer.website.arithmetic import Arithmetic, Example, checked, counts, greedy, judged

BOARD = "explagraphs-practice"
"""Whose constraints and constants the example follows; it comes with the program."""
GOLD = Gold(("cats are good pets", "cats purr at home"), "support",
            (Graph("(cats; is a; pets)(cats; capable of; purr)(purr; at location; home)"),))
PREDICTION = Prediction("support", Graph(
    "(cats; is a; pets)(cats; capable of; purr)(purr; at location; warm home)"
    "(pets; desires; warm home)"))


def example(metric: str) -> Example | None:
    """The example of a metric of graphs; None for others."""
    steps = _STEPS.get(metric)
    if steps is None and METRICS[metric].parts == ("precision", "recall"):
        steps = _matched
    if steps is None:
        return None
    settings, found = board().settings, steps(metric)
    names = [text.name for text in settings.texts]
    label = f"{settings.labels.name}: gold {GOLD.label}, predicted {PREDICTION.label}"
    return Example(tuple(zip(names, GOLD.texts, strict=True)),
                   found._replace(steps=(label, *found.steps)))


@cache
def board() -> Board:
    """The board of the example."""
    return load(BOARD, boards_folder())


def _selected(metric: str) -> Any:
    """What the metric sees of the example. Raises DataError if a gate keeps it out."""
    use, settings = board().task.use(metric), board().settings
    found = board().task.verdict(settings, GOLD, PREDICTION).annotation
    if use.gate and found != use.gate:
        raise DataError(f"the worked example of {metric} is {found}, not {use.gate}")
    return use.select(settings, GOLD, PREDICTION)


def _value(metric: str) -> float:
    """The metric's own word."""
    options = board().task.use(metric).options(board().settings)
    [score] = METRICS[metric].compute([_selected(metric)], **options, **_models(metric))
    return score.value


def _models(metric: str) -> dict[str, Any]:
    """What stands in for the model that a metric asks."""
    return {"encoder": greedy.Words()} if METRICS[metric].encoder else {}


def _labels(metric: str) -> Arithmetic:
    value = _value(metric)
    return Arithmetic((counts(value),), value)


def _gates(metric: str) -> Arithmetic:
    settings, edges = board().settings, PREDICTION.graph.edges
    rules, value = settings.graph, _value(metric)
    lines = [f"{len(edges)} edges; at least {rules.least_edges} are asked for"]
    for text, content in zip(settings.texts, GOLD.texts, strict=True):
        named = [name for name in concepts(edges) if name in content]
        lines.append(f"concepts in the {text.name}: {', '.join(named)}; at least {text.concepts} "
                     "are asked for")
    broken = board().task.verdict(settings, GOLD, PREDICTION).broken
    lines.append("connected, without a cycle, every relation known" if not broken
                 else "broken: " + ", ".join(finding.rule for finding in broken))
    kept = "no constraint is broken" if not broken else "a constraint is broken"
    return Arithmetic(
        (*lines, f"the label is right and {kept}, so the item counts {value:g}"), value)


def _matched(metric: str) -> Arithmetic:
    ours, theirs = PREDICTION.graph.sentences, GOLD.graphs[0].sentences
    similarity = [[_similarity(metric, ours[i], theirs[j]) for j in range(len(theirs))]
                  for i in range(len(ours))]
    best = max(permutations(range(len(ours)), len(theirs)),
               key=lambda chosen: sum(similarity[i][j] for j, i in enumerate(chosen)))
    pairs = [(ours[i], theirs[j], similarity[i][j]) for j, i in enumerate(best)]
    total = sum(found for *_, found in pairs)
    precision, recall = total / len(ours), total / len(theirs)
    f1 = checked(metric, 2 * precision * recall / (precision + recall), _value(metric))
    lines = [f"“{one}” with “{other}”: {found:.3f}" for one, other, found in pairs]
    added = " + ".join(f"{found:.3f}" for *_, found in pairs)
    steps = (
        *lines, f"S = {added} = {total:.3f}, the greatest sum of any matching",
        f"precision = S / {len(ours)} predicted edges = {precision:.3f}",
        f"recall = S / {len(theirs)} gold edges = {recall:.3f}",
        f"F1 = 2 · {precision:.3f} · {recall:.3f} / ({precision:.3f} + {recall:.3f}) = "
        f"{f1:.3f}",
    )
    if not METRICS[metric].encoder:
        return Arithmetic(steps, f1)
    one, other, _ = next(pair for pair in pairs if pair[0] != pair[1])
    words = greedy.of_edges(metric, one, other)
    return Arithmetic((*words.steps, *steps), f1, words.made, words.table)


def _similarity(metric: str, predicted: str, gold: str) -> float:
    """How similar two edges are: what the metric says of graphs of one edge each."""
    [score] = METRICS[metric].compute([((predicted,), ((gold,),))], **_models(metric))
    return score.value


def _distance(metric: str) -> Arithmetic:
    edges = GOLD.graphs[0].edges
    nodes, constant = len(concepts(edges)), board().settings.ged_constant
    size = nodes + len(edges) + constant
    value = _value(metric)
    edits = round(value * size)
    if abs(edits - value * size) > 1e-9:
        raise DataError(f"the worked example of {metric} gives no whole number of edits")
    return Arithmetic((
        f"fewest edits that turn the prediction into gold: {edits}",
        f"size = {nodes} gold concepts + {len(edges)} gold edges + {constant} (the board's "
        f"constant) = {size}",
        f"distance = {edits} / {size} = {value:.3f}"), value)


_STEPS: Mapping[str, Callable[[str], Arithmetic]] = {
    "SA": _labels, "StCA": _gates, "GED": _distance,
    "SeCA": lambda metric: judged.of_seca(_selected(metric)),
    "EA": lambda metric: judged.of_ea(_selected(metric)),
}
