"""CIDEr as coco-caption computes it (the variant called CIDEr-D): aNLG's CIDEr.

Whose CIDEr: ``CiderScorer`` of coco-caption (n up to 4, sigma 6) as the released aNLG evaluation
carries it (github allenai/abductive-commonsense-reasoning, anlg/evaluation), document frequencies
from the references of the very items scored. R. Vedantam et al., "CIDEr: consensus-based image
description evaluation", CVPR 2015.

How rare an n-gram is depends on all items: the same sentence scores otherwise in another set, and
a set of one item scores 0. So only whole splits are comparable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING

from scorer.core.records import ItemScore
from scorer.metrics.base import ANLG, BHAGAVATULA, MetricInfo
from scorer.metrics.caption_ngrams import (
    HIGHEST_ORDER,
    CaptionCounts,
    CaptionItem,
    NgramsOfLength,
    counted,
)
from scorer.metrics.worked import Arithmetic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scorer.metrics.caption_ngrams import Integers

SIGMA = 6.0  # cider.py of coco-caption: "standard deviation parameter for gaussian penalty"
SCALE = 10.0


def cider(items: Sequence[CaptionItem]) -> list[ItemScore]:
    """CIDEr of each item, 0 to 10, higher is better; the corpus' value is their mean.

    ``items``: hypothesis and references each, all items of the split. For n = 1 to 4 the cosine of
    hypothesis and reference as vectors of n-gram count times log(items / items with the n-gram in a
    reference), the hypothesis' weights cut to the reference's in the numerator, times
    exp(-(difference in word pairs)^2 / 72); mean over n and over references, times 10.

    >>> repeat = [("Tom ran.", ("Tom ran.",)), ("It rained.", ("It rained.",))]
    >>> [round(score.value, 6) for score in cider(repeat)]  # two words: half of the four orders
    [5.0, 5.0]
    """
    import numpy as np

    counts, n = counted(tuple(items)), len(items)
    owner = counts.item[n:]
    cosines = sum(_cosines(order, counts, owner, n) for order in counts.orders)
    pairs = np.maximum(counts.words - 1, 0)  # what coco-caption takes for the length
    difference = pairs[owner] - pairs[n:]
    similarity = cosines * np.exp(-(difference**2) / (2 * SIGMA**2))
    means = np.bincount(owner, similarity, n) / np.bincount(owner, minlength=n)
    return [ItemScore(value) for value in (SCALE * means / HIGHEST_ORDER).tolist()]


def _cosines(order: NgramsOfLength, counts: CaptionCounts, owner: Integers,
             n: int) -> NDArray[np.float64]:
    """The clipped cosine of every reference and its hypothesis, for one length of n-grams."""
    import numpy as np

    rarity = np.log(n) - np.log(np.maximum(order.items_with, 1))
    weight = order.times * rarity[order.gram]
    norm = np.sqrt(np.bincount(order.sentence, weight**2, len(counts.words)))
    ours, common = len(order.shared), order.place >= 0
    theirs = weight[ours:][common]
    products = np.minimum(weight[order.place[common]], theirs) * theirs
    dots = np.bincount(order.sentence[ours:][common] - n, products, len(owner))
    norms = norm[owner] * norm[n:]
    cosines = np.zeros(len(owner))
    np.divide(dots, norms, out=cosines, where=norms > 0)
    return cosines


def explain(metric: MetricInfo, items: Sequence[CaptionItem]) -> Arithmetic:
    """How rare each word is, and what comes of it."""
    scores = metric.compute(items)
    text, n = items[0][0], len(items)
    having = Counter(word for _, references in items
                     for word in {word for reference in references for word in reference.split()})
    steps = [f"“{word}” stands in references of {having[word]} of the {n} contexts, so it weighs "
             f"log({n}/{max(having[word], 1)}) = {log(n / max(having[word], 1)):.3f}"
             for word in dict.fromkeys(text.split())]
    value = scores[0].value
    return Arithmetic((
        *steps, "the same for 2, 3 and 4 words in a row",
        "for each reference and each length of run, the cosine of text and reference as weights "
        "times counts, less where their lengths differ",
        f"CIDEr = the mean of these, times 10 = {value:.3f}"), value)


CIDER = MetricInfo(
    "CIDEr", "CIDEr (CIDEr-D of coco-caption)", "higher",
    "How many n-grams the text shares with the references, rare ones counting most.",
    "Cosine of n-gram counts weighted by how few items have the n-gram in a reference, n = 1 "
    "to 4, with cut counts and a penalty for another length; mean over references, times 10. "
    "Mean over all items; only whole splits are comparable.",
    ANLG, BHAGAVATULA, cider, whole=True, highest=10.0, graded=False,
    signature=("cider:coco-D", "n:4", "sigma:6", "df:references", "tok:white-space",
               "case:mixed"), explain=explain,
)
