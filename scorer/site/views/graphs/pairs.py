"""Which predicted edge answers which gold edge, as G-ROUGE-L matches them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from scorer.core.graph import Graph

METRIC = "G-ROUGE-L"
"""The metric whose pairs are shown: it needs no model, and words in common can be seen."""


class Paired(NamedTuple):
    """The gold edge that a predicted edge is matched with."""

    gold: int
    """Its position, from 0."""
    score: float
    """0 to 1: the share of the predicted edge's words that stand in the gold edge, in order."""


Matcher = Callable[[Graph, Graph], Mapping[int, Paired]]
"""(predicted graph, gold graph) -> pairs by position of the predicted edge."""


def matcher() -> Matcher:
    """A matcher that remembers words; make one for each split.

    The pairs are those behind the score: the metric's own code finds them.
    """
    from scorer.metrics.matching import match
    from scorer.metrics.rouge import rouge_l_similarity

    similarity = rouge_l_similarity()

    def pairs(predicted: Graph, gold: Graph) -> dict[int, Paired]:
        found = match(predicted.sentences, [gold.sentences], similarity)
        return {pair.pred: Paired(pair.gold, pair.score) for pair in found.matches}

    return pairs
