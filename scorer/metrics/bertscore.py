"""BERTScore of edges matched one to one (G-BERTScore), and of texts with idf (aNLG's BERTScore).

G-BERTScore reproduces ``get_bert_score`` of github swarnaHub/ExplaGraphs, commit 67ecab1,
metrics/graph_matching.py, on bert_score 0.3.13 (Zhang et al., ICLR 2020): greedy cosine matching
of token vectors, no idf, no rescaling; the two special tokens have weight 0 but may be matched
with. That package pads its batches and multiplies padded places by 0, so a token whose best cosine
is negative counts 0 there; here always, whatever the batch. Further deviations: similarities are
rounded to 1e-6 so that batching cannot change a result (the signature says so), and a matching of
total 0 has F1 0 instead of a division by zero.

aNLG's BERTScore is that of the copy of bert_score in the released aNLG evaluation (github
allenai/abductive-commonsense-reasoning, anlg/evaluation), which is ``bert_score.score`` (0.3.13)
with ``model_type="bert-base-uncased", num_layers=8, idf=True`` on pairs, the hypothesis repeated
for each reference; bert_score's own way with several references takes the best, this one the mean.
T. Zhang et al., "BERTScore: evaluating text generation with BERT", ICLR 2020. There too the F1 of a
pair is rounded to 1e-6 so that batching cannot change a result, and a token whose best cosine is
negative counts 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from scorer.core.records import ItemScore
from scorer.metrics.base import (
    ANLG,
    BHAGAVATULA,
    KEPT_AT_ONCE,
    RELEASED,
    VERSIONS,
    MetricInfo,
    portions,
)
from scorer.metrics.captions import CaptionItem
from scorer.metrics.matching import Pair, Similarity, graph_metric, match

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
    scores = []
    for portion in portions(pairs, lambda pair: sum(map(len, _sentences(pair))), KEPT_AT_ONCE):
        similarity = _similarity(portion, encoder)
        scores += [match(predicted, golds, similarity).item_score() for predicted, golds in portion]
    return scores


def _sentences(pair: Pair) -> Iterator[str]:
    predicted, golds = pair
    return chain(predicted, *golds)


def _similarity(pairs: Sequence[Pair], encoder: Encoder) -> Similarity[str]:
    """A look-up in scores of all that will be asked."""
    distinct = list(dict.fromkeys(text for pair in pairs for text in _sentences(pair)))
    vectors = dict(zip(distinct, encoder.embed(distinct), strict=True))
    known: dict[tuple[str, str], float] = {}
    for predicted, golds in pairs:
        for pair in ((ours, theirs) for gold in golds for theirs in gold for ours in predicted):
            if pair not in known:
                known[pair] = round(bertscore_f1(vectors[pair[0]], vectors[pair[1]]), DIGITS)
    return lambda predicted, gold: known[predicted, gold]


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


_SIGNATURE = ("idf:no", "rescale:no", "round:1e-6")
G_BERTSCORE = (
    graph_metric(
        "G-BERTScore", "Graph BERTScore (roberta-large)",
        "How close predicted edges are to gold edges according to roberta-large.",
        "BERTScore F1 (layer 17, no idf, no rescaling)", g_bertscore, _SIGNATURE,
        encoder="roberta-large", lowest=-1.0, explain=None),
    graph_metric(
        "G-BERTScore[minilm-l6]", "Graph BERTScore (MiniLM, 6 layers)",
        "How close predicted edges are to gold edges according to a small encoder; never "
        "comparable with the roberta-large column.",
        "BERTScore F1 (all-MiniLM-L6-v2, layer 6, no idf, no rescaling)", g_bertscore, _SIGNATURE,
        source=f"{RELEASED}, metrics/graph_matching.py, with {VERSIONS} and another encoder",
        encoder="minilm-l6", lowest=-1.0, explain=None),
)


def bertscore(items: Sequence[CaptionItem], *, encoder: Encoder) -> list[ItemScore]:
    """BERTScore F1 of each item, 0 to 1, higher is better; the corpus' value is their mean.

    ``items``: hypothesis and references each, all items of the split: how much a token weighs
    depends on all references. Every distinct sentence is encoded once.
    """
    import numpy as np

    references = [text for _, texts in items for text in texts]
    distinct = list(dict.fromkeys([*references, *(text for text, _ in items)]))
    tokens = dict(zip(distinct, encoder.tokens(distinct), strict=True))
    vectors = dict(zip(distinct, encoder.embed(distinct), strict=True))
    having = Counter(token for text in references for token in set(tokens[text]))
    rarity = {token: math.log((len(references) + 1) / (having[token] + 1))
              for token in {token for text in distinct for token in tokens[text]}}
    weights = {text: np.array([rarity[token] for token in tokens[text]]) for text in distinct}
    scores = []
    for text, texts in items:
        values = [weighted_f1(vectors[text], vectors[reference], weights[text], weights[reference])
                  for reference in texts]
        scores.append(ItemScore(math.fsum(round(f1, DIGITS) for f1 in values) / len(values)))
    return scores


def weighted_f1(
    candidate: NDArray[np.float32], reference: NDArray[np.float32],
    candidate_weights: NDArray[np.float64], reference_weights: NDArray[np.float64],
) -> float:
    """BERTScore F1 of two sentences: unit token vectors, shape (tokens, width), and weights.

    Precision is the weighted mean of the candidate's best cosines, recall of the reference's. A
    sentence of special tokens alone, or without any weight, scores 0.
    """
    if len(candidate) < 3 or len(reference) < 3:
        return 0.0
    ours, theirs = float(candidate_weights.sum()), float(reference_weights.sum())
    if not ours or not theirs:
        return 0.0
    similarity = candidate @ reference.T
    precision = float(similarity.max(axis=1).clip(min=0) @ candidate_weights) / ours
    recall = float(similarity.max(axis=0).clip(min=0) @ reference_weights) / theirs
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


BERTSCORE = MetricInfo(
    "BERTScore", "BERTScore (bert-base-uncased)", "higher",
    "How close the text is to the references according to bert-base-uncased.",
    "BERTScore F1 (layer 8, idf of all references, no rescaling), mean over an item's "
    "references. Mean over all items.",
    f"{ANLG} and bert_score", BHAGAVATULA, bertscore,
    encoder="bert-base-uncased", whole=True, graded=False, lowest=-1.0,
    signature=("idf:references", "rescale:no", "refs:mean", "round:1e-6"),
)
