"""EA: how many edges of a graph make a judge model surer of the gold label?

Reproduces metrics/create_ea_data.py and compute_ea.py of github swarnaHub/ExplaGraphs, commit
67ecab1. An edge is important if the probability of the gold label is greater with the whole graph
than without the edge. The released scripts compare probabilities printed with 8 digits; here they
are compared in float32, and a graph of very many edges is not judged (the signature says both).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

from scorer.core.records import ItemScore
from scorer.metrics.base import READ_AT_ONCE, RELEASED, SAHA, MetricInfo, portions
from scorer.metrics.judge_texts import Triple, depth_first, ea_texts, places_in_text
from scorer.metrics.worked import MADE_ANSWERS, Arithmetic, ScriptedJudge, checked
from scorer.models.known import JUDGES, REFUSED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scorer.models.known import Judge

NOISE = 1e-4
"""A smaller difference may be float noise; EA is also given without such edges."""

MOST_EDGES = 32
"""A graph of more edges counts 0: each edge costs a text as long as the graph. Four times the 8
that the paper allows; no graph of the released data, made wrong ones among them, has more than 9.
"""

TOO_MANY = f"more than {MOST_EDGES} edges, which are not judged"
UNJUDGED = ItemScore(0.0, {"decided": 0.0}, TOO_MANY)
"""The score of such a graph."""
UNANSWERED = UNJUDGED._replace(flag=REFUSED)
"""The score of a graph of which the judge refuses a text."""

Item = tuple[str, str, Sequence[Triple], str]
"""(belief, argument, edges of the graph, gold label)."""


def ea(items: Sequence[Item], *, judge: Judge) -> list[ItemScore]:
    """The share of important edges of each graph, 0 to 1, higher is better.

    Parts: ``decided``, the share that are important by at least ``NOISE``; ``smallest difference``,
    the least absolute difference of any edge; and ``edge 1``, ``edge 2`` ..., for each edge in the
    order of the graph by how much the judge is less sure without it (negative: surer). An edge over
    the same concepts as a later one is not read and has none. Differences are rounded to 1e-9. An
    item needs at least one edge; one that is read in more than ``MOST_EDGES`` counts 0, flagged,
    and the judge is not asked; one of which it refuses a text counts 0, flagged, too.
    """
    return [score for portion in portions(items, _characters, READ_AT_ONCE)
            for score in _scores(portion, judge)]


def _scores(items: Sequence[Item], judge: Judge) -> list[ItemScore]:
    """The scores of items about which the judge is asked at once."""
    texts = [None if _too_many(item) else ea_texts(*item[:3]) for item in items]
    answers = judge.probabilities(
        [pair for group in texts if group is not None for pair in (group[0], *group[1])])
    scores, start = [], 0
    for text, (_, _, edges, label) in zip(texts, items, strict=True):
        if text is None:
            scores.append(UNJUDGED)
            continue
        count = 1 + len(text[1])
        rows = answers[start : start + count]
        start += count
        scores.append(_score(edges, rows[:, judge.labels.index(label)])
                      if rows.any(axis=1).all() else UNANSWERED)
    return scores


def _score(edges: Sequence[Triple], sure: NDArray[np.float32]) -> ItemScore:
    """The score of one graph from how sure the judge is: with all of it, and without each edge."""
    drops = sure[0] - sure[1:]
    return ItemScore(
        sum(drop > 0 for drop in drops) / len(drops),
        {
            "decided": sum(drop >= NOISE for drop in drops) / len(drops),
            "smallest difference": round(float(min(abs(drop) for drop in drops)), 9),
            **{f"edge {number}": round(float(drops[read]), 9)
               for number, read in enumerate(places_in_text(edges), 1) if read is not None},
        },
    )


def _read(edges: Sequence[Triple]) -> set[tuple[str, str]]:
    """The pairs of concepts of which the judge reads an edge."""
    return {(source, target) for source, _, target in edges}


def _too_many(item: Item) -> bool:
    return len(_read(item[2])) > MOST_EDGES


def _characters(item: Item) -> int:
    """About how much the judge reads: the whole graph, and that again without each edge."""
    belief, argument, edges, _ = item
    if _too_many(item):
        return 0
    whole = len(belief) + len(argument) + sum(map(len, chain.from_iterable(edges)))
    return (1 + len(_read(edges))) * whole


WHOLE = 0.90
"""How sure of the gold label the judge of the worked example is with the whole graph."""
WITHOUT = (0.60, 0.75, 0.89995, 0.93)
"""And without the first, second, ... edge, which begins again after the last of these."""


def explain(metric: MetricInfo, items: Sequence[Item]) -> Arithmetic:
    """A graph with edges that matter, one that matters too little to be sure, one that does not."""
    belief, argument, edges, label = items[0]
    whole, parts = ea_texts(belief, argument, edges)
    sure = [WHOLE, *(WITHOUT[edge % len(WITHOUT)] for edge in range(len(parts)))]
    labels = JUDGES["ea"].labels
    column = labels.index(label)
    answers = [[p if at == column else 1 - p for at in range(len(labels))] for p in sure]
    [score] = metric.compute(items[:1], judge=ScriptedJudge(labels, answers))
    steps = [f"the judge reads “{belief}” and “{whole.second.strip()}”: {label} {WHOLE:.5f}"]
    important = decided = 0
    left_out = depth_first(edges)[1:-1].split(")(")
    for edge, p in zip(left_out, sure[1:], strict=True):
        drop = WHOLE - p
        important += drop > 0
        decided += drop >= NOISE
        steps.append(f"without “{edge}”: {p:.5f}, {_verdict(drop)}")
    n = len(parts)
    checked(metric.id, important / n, score.value)
    checked(metric.id, decided / n, score.parts["decided"])
    steps += [f"decided = {decided} / {n} = {decided / n:.3f}",
              f"EA = {important} important edges / {n} edges = {score.value:.3f}"]
    return Arithmetic(tuple(steps), score.value, MADE_ANSWERS)


def _verdict(drop: float) -> str:
    """What a drop says of the edge that was left out."""
    if drop <= 0:
        return f"a rise of {-drop:.5f}, so the edge is not important"
    if drop < NOISE:
        return (f"a drop of {drop:.5f}, so the edge is important, but not decided: less than "
                f"{NOISE:g} may be noise")
    return f"a drop of {drop:.5f}, so the edge is important"


EA = MetricInfo(
    "EA", "Edge importance accuracy", "higher",
    "Share of a graph's edges whose removal makes a judge model less sure of the gold label.",
    "Share of the edges of a structurally correct graph. Mean over all items; items stopped at "
    "an earlier gate count 0. Decided leaves out edges with a difference below 1e-4. A graph "
    "of more than 32 edges is not judged: it counts 0 and is flagged.",
    f"{RELEASED}, metrics/run_ea.py, create_ea_data.py and compute_ea.py", SAHA,
    ea, parts=("decided",), judge="ea", flagged="not judged", flags=(TOO_MANY,),
    signature=("order:depth-first", "compare:float32", "edges:32"), explain=explain,
)
