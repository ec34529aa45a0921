"""SeCA: does the graph make a judge model infer the gold label?

Reproduces metrics/run_seca.py of github swarnaHub/ExplaGraphs, commit 67ecab1: the label with the
greatest output, the first on ties. The number is only as good as its judge, whose weights' digest
stands in the signature.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scorer.core.records import ItemScore
from scorer.metrics.base import READ_AT_ONCE, RELEASED, SAHA, MetricInfo, portions
from scorer.metrics.judge_texts import Triple, seca_texts
from scorer.metrics.worked import MADE_ANSWERS, Arithmetic, ScriptedJudge
from scorer.models.known import JUDGES, REFUSED

if TYPE_CHECKING:
    from scorer.models.known import Judge

Item = tuple[str, Sequence[Triple], str]
"""(belief, edges of the graph, gold label)."""


def seca(items: Sequence[Item], *, judge: Judge) -> list[ItemScore]:
    """1.0 where the judge infers the gold label from belief and graph, else 0.0.

    The probabilities of all labels stand beside, as ``p <label>``, rounded to 1e-6. An item that
    the judge refuses counts 0, flagged.
    """
    texts = [seca_texts(belief, edges) for belief, edges, _ in items]
    scores = []
    batches = portions(texts, lambda pair: len(pair.first) + len(pair.second), READ_AT_ONCE)
    answers = (row for batch in batches for row in judge.probabilities(batch))
    for (_, _, label), row in zip(items, answers, strict=True):
        inferred = judge.labels[int(row.argmax())]
        parts = {f"p {name}": round(float(p), 6) for name, p in zip(judge.labels, row, strict=True)}
        answered = bool(row.any())
        scores.append(ItemScore(float(answered and inferred == label), parts,
                                None if answered else REFUSED))
    return scores


SURE, UNSURE = (0.70, 0.20, 0.10), (0.30, 0.25, 0.45)
"""Two made answers of a judge, for the worked example: the probability of each of its labels."""


def explain(metric: MetricInfo, items: Sequence[Item]) -> Arithmetic:
    """A graph of which the judge is sure, and the same if it were not."""
    belief, edges, label = items[0]
    texts, labels = seca_texts(belief, edges), JUDGES["seca"].labels
    steps = [f"the judge reads “{texts.first}” and “{texts.second}”"]
    values: list[float] = []
    for answer, means in ((SURE, "counts"), (UNSURE, "would count")):
        [score] = metric.compute(items[:1], judge=ScriptedJudge(labels, [answer]))
        chances = {name: score.parts[f"p {name}"] for name in labels}
        greatest = max(chances, key=lambda name: chances[name])
        shares = ", ".join(f"{name} {p:.2f}" for name, p in chances.items())
        is_gold = "the gold label" if greatest == label else f"not the gold label, {label}"
        steps.append(f"{'it says' if not values else 'had it said'} {shares}: the greatest is that "
                     f"of {greatest}, {is_gold}, so the item {means} {score.value:g}")
        values.append(score.value)
    return Arithmetic((*steps[:1], steps[2], steps[1]), values[0], MADE_ANSWERS)


SECA = MetricInfo(
    "SeCA", "Semantic correctness accuracy of graphs", "higher",
    "Share of items whose structurally correct graph makes a judge model infer the gold label.",
    "1 if the judge (support, counter, incorrect) says the gold label, else 0. Mean over all "
    "items; items stopped at an earlier gate, or refused by the judge, count 0.",
    f"{RELEASED}, metrics/run_seca.py", SAHA,
    seca, signature=("order:depth-first",), judge="seca", binary=True, flagged="refused",
    explain=explain,
)
