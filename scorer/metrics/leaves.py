"""Leaves: does a predicted entailment tree begin with the sentences that gold begins with?

Leaves F1 and AllCorrect of EntailmentBank, equal to ``proof-leaves`` of its released evaluator.
"""

from __future__ import annotations

from collections.abc import Sequence

from scorer.metrics.base import MetricInfo
from scorer.metrics.trees import DALVI, ENTAILMENT_BANK, Pair, best, explain_overlap, overlap, tree
from scorer.metrics.worked import Arithmetic
from scorer.records import Edge, ItemScore


def leaves_f1(pairs: Sequence[Pair], *, leaves: str | None = None) -> list[ItemScore]:
    """F1 of predicted leaves against gold's, 0 to 1, higher is better; parts: precision, recall.

    ``pairs``: (predicted edges, the edges of each gold graph); of several golds the highest F1
    counts. ``leaves``: how ids of leaves begin; None: leaves are premises that nothing leads to. No
    leaf where gold has one: 0. Raises ValueError for an item without a gold graph.

    >>> gold = [Edge("s1", "so", "i1"), Edge("s2", "so", "i1")]
    >>> [score.value for score in leaves_f1([(gold[:1], [gold]), ([], [gold])])]
    [0.6666666666666666, 0.0]
    """
    return best(pairs, lambda predicted, gold: overlap(_leaves(predicted, leaves),
                                                       _leaves(gold, leaves)))


def leaves_all_correct(pairs: Sequence[Pair], *, leaves: str | None = None) -> list[ItemScore]:
    """1 where the predicted leaves are all of a gold graph's and no others, else 0.

    Items and options as for ``leaves_f1``.

    >>> gold = [Edge("s1", "so", "i1"), Edge("s2", "so", "i1")]
    >>> [score.value for score in leaves_all_correct([(gold[:1], [gold]), (gold, [gold])])]
    [0.0, 1.0]
    """
    return [ItemScore(float(score.value == 1)) for score in leaves_f1(pairs, leaves=leaves)]


def _leaves(edges: Sequence[Edge], leaves: str | None) -> list[str]:
    return sorted(tree(edges, leaves).leaves)


def explain(metric: MetricInfo, items: Sequence[Pair], *, leaves: str | None = None) -> Arithmetic:
    """Which leaves both have, and what comes of it."""
    predicted, [gold, *_] = items[0]
    [score] = metric.compute(items[:1], leaves=leaves)
    return explain_overlap(metric, "leaves", _leaves(predicted, leaves), _leaves(gold, leaves),
                           score.value)


LEAVES_F1 = MetricInfo(
    "Leaves-F1", "Leaves, F1", "higher",
    "How far the leaves of a predicted entailment tree are those of gold.",
    "Precision and recall of the sets of leaves; the value is F1. Leaves are the premises that are "
    "given (settings.leaves of the board). With several golds, the one with the highest F1 "
    "counts, unless the signature says otherwise (over). Mean over all items of the split; "
    "no gate.",
    f"{ENTAILMENT_BANK}, eval/run_scorer.py", DALVI,
    leaves_f1, parts=("precision", "recall"), signature=("match:exact",), group="plausibility",
    explain=explain,
)

LEAVES_AC = MetricInfo(
    "Leaves-AC", "Leaves, all correct", "higher",
    "Share of items whose predicted entailment tree has exactly the leaves of gold.",
    "1 if the sets of leaves are equal, with several golds to any of them, else 0. Mean over all "
    "items of the split; no gate.",
    f"{ENTAILMENT_BANK}, eval/run_scorer.py", DALVI,
    leaves_all_correct, signature=("match:exact",), group="plausibility",
    binary=True, explain=explain,
)
