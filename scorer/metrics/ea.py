"""EA: how many edges of a graph make a judge model surer of the gold label?

Reproduces metrics/create_ea_data.py and compute_ea.py of github swarnaHub/ExplaGraphs, commit
67ecab1. An edge is important if the probability of the gold label is greater with the whole graph
than without the edge. The released scripts compare probabilities printed with 8 digits; here they
are compared in float32 (the signature says so).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scorer.metrics.judge_texts import Triple, ea_texts, places_in_text
from scorer.records import EDGE_PART, ItemScore

if TYPE_CHECKING:
    from scorer.judges import Judge

NOISE = 1e-4
"""A smaller difference may be float noise; EA is also given without such edges."""

Item = tuple[str, str, Sequence[Triple], str]
"""(belief, argument, edges of the graph, gold label)."""


def ea(items: Sequence[Item], *, judge: Judge) -> list[ItemScore]:
    """The share of important edges of each graph, 0 to 1, higher is better.

    Parts: ``decided``, the share that are important by at least ``NOISE``; ``smallest difference``,
    the least absolute difference of any edge; and ``edge 1``, ``edge 2`` ..., for each edge in the
    order of the graph by how much the judge is less sure without it (negative: surer). An edge over
    the same concepts as a later one is not read and has none. Differences are rounded to 1e-9. An
    item needs at least one edge.
    """
    texts = [ea_texts(belief, argument, edges) for belief, argument, edges, _ in items]
    answers = judge.probabilities([pair for whole, parts in texts for pair in (whole, *parts)])
    scores, place = [], 0
    for (_, parts), (_, _, edges, label) in zip(texts, items, strict=True):
        column = judge.labels.index(label)
        sure = answers[place, column]
        drops = [sure - answers[place + 1 + edge, column] for edge in range(len(parts))]
        place += 1 + len(parts)
        scores.append(ItemScore(
            sum(drop > 0 for drop in drops) / len(drops),
            {
                "decided": sum(drop >= NOISE for drop in drops) / len(drops),
                "smallest difference": round(float(min(abs(drop) for drop in drops)), 9),
                **{f"{EDGE_PART}{number}": round(float(drops[read]), 9)
                   for number, read in enumerate(places_in_text(edges), 1) if read is not None},
            },
        ))
    return scores


def fits(score: ItemScore) -> bool:
    """Whether an item's parts can stand together: decided edges are important ones too.

    >>> fits(ItemScore(0.5, {"decided": 0.5, "smallest difference": 0.1, "edge 1": -0.1}))
    True
    >>> fits(ItemScore(0.5, {"decided": 1.0, "smallest difference": 0.1, "edge 1": -0.1}))
    False
    """
    edges = [value for part, value in score.parts.items() if part.startswith(EDGE_PART)]
    least = score.parts["smallest difference"]
    return score.parts["decided"] <= score.value and all(abs(edge) >= least for edge in edges)
