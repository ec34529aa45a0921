"""SeCA: does the graph make a judge model infer the gold label?

Reproduces metrics/run_seca.py of github swarnaHub/ExplaGraphs, commit 67ecab1: the label with the
greatest output, the first on ties. The number is only as good as its judge, whose weights' digest
stands in the signature.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scorer.metrics.base import RELEASED, SAHA, MetricInfo
from scorer.metrics.judge_texts import Triple, seca_texts
from scorer.metrics.portions import READ_AT_ONCE, portions
from scorer.records import ItemScore, TextPair

if TYPE_CHECKING:
    from scorer.models.judges import Judge

Item = tuple[str, Sequence[Triple], str]
"""(belief, edges of the graph, gold label)."""


def seca(items: Sequence[Item], *, judge: Judge) -> list[ItemScore]:
    """1.0 where the judge infers the gold label from belief and graph, else 0.0.

    The probabilities of all labels stand beside, as ``p <label>``, rounded to 1e-6.
    """
    texts = [seca_texts(belief, edges) for belief, edges, _ in items]
    scores = []
    answers = (row for portion in portions(texts, _characters, READ_AT_ONCE)
               for row in judge.probabilities(portion))
    for (_, _, label), row in zip(items, answers, strict=True):
        inferred = judge.labels[int(row.argmax())]
        parts = {f"p {name}": round(float(p), 6) for name, p in zip(judge.labels, row, strict=True)}
        scores.append(ItemScore(float(inferred == label), parts))
    return scores


def _characters(texts: TextPair) -> int:
    return len(texts.first) + len(texts.second)


SECA = MetricInfo(
    "SeCA", "Semantic correctness accuracy of graphs", "higher",
    "Share of items whose structurally correct graph makes a judge model infer the gold label.",
    "1 if the judge (support, counter, incorrect) says the gold label, else 0. Mean over all "
    "items; items stopped at an earlier gate count 0.",
    f"{RELEASED}, metrics/run_seca.py", SAHA,
    seca, signature=("order:depth-first",), judge="seca", binary=True,
)
