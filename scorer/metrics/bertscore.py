"""G-BERTScore: predicted and gold edges matched by BERTScore F1 of their sentences.

Reproduces ``get_bert_score`` of github swarnaHub/ExplaGraphs, commit 67ecab1,
metrics/graph_matching.py, on bert_score 0.3.13 (Zhang et al., ICLR 2020): greedy cosine matching
of token vectors, no idf, no rescaling; the two special tokens have weight 0 but may be matched
with. That package pads its batches and multiplies padded places by 0, so a token whose best cosine
is negative counts 0 there; here always, whatever the batch. Further deviations: similarities are
rounded to 1e-6 so that batching cannot change a result (the signature says so), and a matching of
total 0 has F1 0 instead of a division by zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scorer.core.records import ItemScore
from scorer.metrics.base import RELEASED, SAHA, VERSIONS, MetricInfo
from scorer.metrics.made_words import Words, word_table
from scorer.metrics.matching import (
    MATCHED,
    Pair,
    Similarity,
    best_pairs,
    by_portion,
    explain_pairs,
)
from scorer.metrics.worked import Arithmetic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scorer.models.known import Encoder

DIGITS = 6


def g_bertscore(pairs: Sequence[Pair], *, encoder: Encoder) -> list[ItemScore]:
    """G-BERTScore of each item: F1 with precision and recall, -1 to 1, higher is better.

    ``pairs``: as for the other matching metrics (``matching.py``). Every distinct sentence of a
    portion is encoded once, every distinct pair of sentences compared once.
    """
    return by_portion(pairs, lambda portion: _similarity(portion, encoder))


def _similarity(pairs: Sequence[Pair], encoder: Encoder) -> Similarity:
    """A look-up in scores of all that will be asked."""
    sentences = [text for predicted, golds in pairs for group in (predicted, *golds)
                 for text in group]
    distinct = list(dict.fromkeys(sentences))
    vectors = dict(zip(distinct, encoder.embed(distinct), strict=True))
    known: dict[tuple[str, str], float] = {}
    for predicted, golds in pairs:
        _compare([(p, g) for gold in golds for g in gold for p in predicted], vectors, known)
    return lambda predicted, gold: known[predicted, gold]


def _compare(
    asked: Sequence[tuple[str, str]],
    vectors: dict[str, NDArray[np.float32]],
    known: dict[tuple[str, str], float],
) -> None:
    for pair in asked:
        if pair not in known:
            known[pair] = round(bertscore_f1(vectors[pair[0]], vectors[pair[1]]), DIGITS)


def bertscore_f1(candidate: NDArray[np.float32], reference: NDArray[np.float32]) -> float:
    """BERTScore F1 of two sentences given as unit token vectors, shapes (tokens, width).

    The first and last rows are special tokens: without weight, but a token may match them. A
    sentence without other tokens scores 0.

    >>> import numpy as np
    >>> sentence = np.eye(4, dtype=np.float32)
    >>> bertscore_f1(sentence, sentence)
    1.0
    """
    if len(candidate) < 3 or len(reference) < 3:
        return 0.0
    similarity = candidate @ reference.T
    precision = float(similarity[1:-1].max(axis=1).clip(min=0).mean())
    recall = float(similarity[:, 1:-1].max(axis=0).clip(min=0).mean())
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def explain(metric: MetricInfo, items: Sequence[Pair]) -> Arithmetic:
    """How the words of two edges are matched, then as for every metric that matches edges."""
    words = Words()
    pairs = best_pairs(metric, items[0], encoder=words)
    one, other, _ = next(pair for pair in pairs if pair.predicted != pair.gold)
    vectors = words.embed([one, other])
    table = word_table(metric.id, one, other, bertscore_f1(vectors[0], vectors[1]))
    found = explain_pairs(metric, items[0], pairs, encoder=words)
    return found._replace(steps=(*table.steps, *found.steps), made=table.made, table=table.table)


G_BERTSCORE = MetricInfo(
    "G-BERTScore", "Graph BERTScore (roberta-large)", "higher",
    "How close predicted edges are to gold edges according to roberta-large.",
    MATCHED.format(score="BERTScore F1 (layer 17, no idf, no rescaling)"),
    f"{RELEASED}, metrics/graph_matching.py, with {VERSIONS}", SAHA,
    g_bertscore, parts=("precision", "recall"),
    encoder="roberta-large", group="plausibility",
    lowest=-1.0,
    signature=("idf:no", "rescale:no", "round:1e-6", "match:hungarian"), explain=explain,
)

G_BERTSCORE_MINILM = MetricInfo(
    "G-BERTScore[minilm-l6]", "Graph BERTScore (MiniLM, 6 layers)", "higher",
    "How close predicted edges are to gold edges according to a small encoder; never "
    "comparable with the roberta-large column.",
    MATCHED.format(score="BERTScore F1 (all-MiniLM-L6-v2, layer 6, no idf, no rescaling)"),
    f"{RELEASED}, metrics/graph_matching.py, with {VERSIONS} and another encoder", SAHA,
    g_bertscore, parts=("precision", "recall"),
    encoder="minilm-l6", group="plausibility",
    lowest=-1.0,
    signature=("idf:no", "rescale:no", "round:1e-6", "match:hungarian"), explain=explain,
)
