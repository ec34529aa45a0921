"""Steps: does a predicted entailment tree take the steps that gold takes?

Steps F1 and AllCorrect of EntailmentBank, equal to ``proof-steps`` of its released evaluator.
"""

from __future__ import annotations

from collections.abc import Sequence

from scorer.metrics.base import MetricInfo
from scorer.metrics.matching import PRF
from scorer.metrics.trees import (
    DALVI,
    ENTAILMENT_BANK,
    Pair,
    Step,
    aligned,
    best,
    explain_overlap,
    overlap,
    tree,
)
from scorer.metrics.worked import Arithmetic
from scorer.records import Edge, ItemScore


def steps_f1(pairs: Sequence[Pair], *, leaves: str | None = None) -> list[ItemScore]:
    """F1 of predicted steps against gold's, 0 to 1, higher is better; parts: precision, recall.

    Predicted conclusions first take the names of the gold conclusions that they are aligned to, so
    that what a conclusion says or is called counts nothing. A step is right if its conclusion and
    all its premises are. A premise that nothing leads to keeps its name. ``pairs``, ``leaves``,
    errors: as for ``leaves.leaves_f1``. No steps: 0.

    >>> gold = [Edge("s1", "so", "i1"), Edge("s2", "so", "i1"), Edge("i1", "so", "end")]
    >>> ours = [Edge("s1", "so", "i7"), Edge("s2", "so", "i7")]
    >>> [score.value for score in steps_f1([(ours, [gold]), ([], [gold])])]
    [0.6666666666666666, 0.0]
    """
    return best(pairs, lambda predicted, gold: _overlap(predicted, gold, leaves))


def steps_all_correct(pairs: Sequence[Pair], *, leaves: str | None = None) -> list[ItemScore]:
    """1 where the predicted steps are all of a gold graph's and no others, else 0.

    Items and options as for ``steps_f1``.

    >>> gold = [Edge("s1", "so", "i1"), Edge("s2", "so", "i1")]
    >>> ours = [Edge("s2", "so", "i7"), Edge("s1", "so", "i7")]
    >>> [score.value for score in steps_all_correct([(ours, [gold]), (ours[:1], [gold])])]
    [1.0, 0.0]
    """
    return [ItemScore(float(score.value == 1)) for score in steps_f1(pairs, leaves=leaves)]


def _overlap(predicted: Sequence[Edge], gold: Sequence[Edge], leaves: str | None) -> PRF:
    return overlap(*_steps(predicted, gold, leaves))


def _steps(
    predicted: Sequence[Edge], gold: Sequence[Edge], leaves: str | None
) -> tuple[list[Step], list[Step]]:
    """Steps of both under the names of gold."""
    ours, theirs = tree(predicted, leaves), tree(gold, leaves)
    return ours.steps(aligned(ours, theirs)), theirs.steps()


def explain(metric: MetricInfo, items: Sequence[Pair], *, leaves: str | None = None) -> Arithmetic:
    """Which steps both have, and what comes of it."""
    predicted, [gold, *_] = items[0]
    names = aligned(tree(predicted, leaves), tree(gold, leaves))
    ours, theirs = ([f"“{' & '.join(premises)} → {conclusion or 'nothing in gold'}”"
                     for conclusion, premises in steps]
                    for steps in _steps(predicted, gold, leaves))
    [score] = metric.compute(items[:1], leaves=leaves)
    found = explain_overlap(metric, "steps", ours, theirs, score.value)
    told = ", ".join(f"“{name}” as “{other or 'nothing in gold'}”"
                     for name, other in names.items())
    return found._replace(steps=(
        f"predicted conclusions count as the gold conclusions with the likest leaves: {told}",
        *found.steps))


STEPS_F1 = MetricInfo(
    "Steps-F1", "Steps, F1", "higher",
    "How far the steps of a predicted entailment tree are those of gold.",
    "Precision and recall of steps: a conclusion with all its premises. Predicted conclusions take "
    "the names of the gold conclusions with the most similar sets of leaves (Jaccard), or none; "
    "the value is F1. With several golds, the one with the highest F1 counts, unless the signature "
    "says otherwise (over). Mean over all items of the split; no gate.",
    f"{ENTAILMENT_BANK}, eval/run_scorer.py", DALVI,
    steps_f1, parts=("precision", "recall"), signature=("match:jaccard-leaves",),
    group="plausibility", explain=explain,
)

STEPS_AC = MetricInfo(
    "Steps-AC", "Steps, all correct", "higher",
    "Share of items whose predicted entailment tree has exactly the steps of gold.",
    "1 if the steps are equal as Steps-F1 compares them, with several golds to those of any of "
    "them, else 0. Mean over all items of the split; no gate.",
    f"{ENTAILMENT_BANK}, eval/run_scorer.py", DALVI,
    steps_all_correct, signature=("match:jaccard-leaves",), group="plausibility",
    binary=True, explain=explain,
)
