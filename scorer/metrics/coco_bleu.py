"""BLEU-1 to BLEU-4 of a whole corpus as coco-caption computes it: aNLG's BLEU.

Whose BLEU: ``BleuScorer`` of coco-caption as the released aNLG evaluation carries it (github
allenai/abductive-commonsense-reasoning, anlg/evaluation), with the closest reference length. It is
neither sacrebleu's (another tokeniser) nor nltk's ``sentence_bleu`` (``bleu.py``). K. Papineni et
al., "BLEU: a method for automatic evaluation of machine translation", ACL 2002.

The value of a corpus is no mean: it is made from the sums of its items' counts (``of_counts``). An
item's own value is the same formula on its own counts; it is shown, and never averaged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import exp, prod
from typing import TYPE_CHECKING, Any

from scorer.core.records import ItemScore
from scorer.metrics.base import ANLG, BHAGAVATULA, MetricInfo
from scorer.metrics.caption_ngrams import CaptionItem, counted
from scorer.metrics.worked import Arithmetic, checked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# bleu_scorer.py, compute_score: what keeps an empty count from a division by zero.
_TINY, _SMALL = 1e-15, 1e-9


def of_counts(sums: Mapping[str, Any]) -> NDArray[np.float64]:
    """The BLEU of summed counts, as ``ItemScore.parts`` names them: 0 to 1, higher is better.

    Each sum is a number, or an array with those of several sets of items.

    The geometric mean of matched over possible n-grams for n = 1 to N, times exp(1 - r / c) where
    the hypotheses have fewer words (c) than the references closest to them (r).

    >>> of_counts({"reference words": 8, "1-grams": 8, "matched 1-grams": 4}).round(6)
    np.float64(0.5)
    """
    import numpy as np

    orders = range(1, len(sums) // 2 + 1)
    return _bleu(
        np.array([sums[f"matched {order}-grams"] for order in orders]),
        np.array([sums[f"{order}-grams"] for order in orders]),
        np.array(sums["reference words"]),
    )


def _bleu(
    matched: NDArray[Any], possible: NDArray[Any], reference: NDArray[Any]
) -> NDArray[np.float64]:
    """BLEU of counts of shape (orders, ...) and reference words of shape (...)."""
    import numpy as np

    product = np.prod((matched + _TINY) / (possible + _SMALL), axis=0)
    ratio = (possible[0] + _TINY) / (reference + _SMALL)
    penalty = np.exp(np.minimum(0, 1 - 1 / ratio))
    return np.asarray(product ** (1 / len(matched)) * penalty, np.float64)


def bleu(items: Sequence[CaptionItem], *, highest: int) -> list[ItemScore]:
    """BLEU up to ``highest`` words in a row: each item's value, 0 to 1, with its counts as parts.

    ``items``: hypothesis and references each. An empty hypothesis counts no n-gram.

    >>> [score] = bleu([("Tom missed the bus today.", ("Tom missed the bus.",))], highest=4)
    >>> score.parts["matched 2-grams"], score.parts["2-grams"]
    (2, 4)
    """
    import numpy as np

    captions, n = counted(tuple(items)), len(items)
    matched = np.array([
        np.bincount(order.sentence[: len(order.shared)],
                    np.minimum(order.times[: len(order.shared)], order.shared), n).astype(int)
        for order in captions.orders[:highest]
    ])
    possible = np.maximum(captions.words[:n] - np.arange(highest)[:, None], 0)
    # Words of the reference closest in length to each text; the shorter of two equally close.
    owner, words = captions.item[n:], captions.words[n:]
    rows = np.lexsort((words, np.abs(words - captions.words[owner]), owner))
    reference = words[rows[np.unique(owner[rows], return_index=True)[1]]]
    columns = [reference, *(column for pair in zip(possible, matched, strict=True)
                            for column in pair)]
    return [
        ItemScore(value, dict(zip(_counts(highest), counts, strict=True)))
        for value, *counts in zip(_bleu(matched, possible, reference).tolist(),
                                  *(column.tolist() for column in columns), strict=True)
    ]


def _counts(highest: int) -> tuple[str, ...]:
    """Names of the counts up to some words in a row."""
    return ("reference words", *(f"{kind}{order}-grams" for order in range(1, highest + 1)
                                 for kind in ("", "matched ")))


def explain(metric: MetricInfo, items: Sequence[CaptionItem]) -> Arithmetic:
    """The counts of one text, and what comes of them."""
    [score] = metric.compute(items[:1])
    parts = {name: int(count) for name, count in score.parts.items()}
    highest = int(metric.id.rpartition("-")[2])
    pairs = [(parts[f"matched {n}-grams"], parts[f"{n}-grams"]) for n in range(1, highest + 1)]
    steps = [f"{'words' if n == 1 else f'{n} words in a row'} that a reference has too: {matched} "
             f"of {possible}" for n, (matched, possible) in enumerate(pairs, start=1)]
    ours, theirs = parts["1-grams"], parts["reference words"]
    penalty = exp(min(0.0, 1 - theirs / ours))
    steps.append(f"words: {ours}; of the reference closest in length: {theirs}; penalty for a "
                 f"shorter text: {'none' if penalty == 1 else f'{penalty:.3f}'}")
    mean = prod(matched / possible for matched, possible in pairs) ** (1 / highest)
    checked(metric.id, mean * penalty, score.value, 1e-6)
    factors = " · ".join(f"{matched}/{possible}" for matched, possible in pairs)
    root = f"({factors})" + (f" ^ (1/{highest})" if highest > 1 else "")
    factor = "" if penalty == 1 else f" · {penalty:.3f}"
    return Arithmetic((
        *steps, "of a split, the counts of all texts are added up before they are divided",
        f"of this text alone, {metric.id} = {root}{factor} = {score.value:.3f}"), score.value)


BLEU = tuple(
    MetricInfo(
        f"BLEU-{order}", f"BLEU-{order} (coco-caption)", "higher",
        f"How far the texts repeat the references, {words}.",
        "Matched n-grams over all n-grams of all texts of the split, n = 1 to "
        f"{order}, their geometric mean, times a penalty where the texts are shorter than the "
        "references closest in length. One number of the whole split, no mean over items; an "
        "item shows the same of itself alone. White space cuts words; case counts.",
        ANLG, BHAGAVATULA, partial(bleu, highest=order), graded=False, total=of_counts,
        counts=_counts(order), explain=explain,
        signature=("bleu:coco-corpus", f"order:{order}", "ref:closest", "tok:white-space",
                   "case:mixed"),
    )
    for order, words in (
        (1, "word by word"),
        (2, "up to word pairs"),
        (3, "up to three words in a row"),
        (4, "up to four words in a row"),
    )
)
