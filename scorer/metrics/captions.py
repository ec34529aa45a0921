"""BLEU-1 to BLEU-4 and CIDEr of texts as coco-caption computes them: aNLG's BLEU and CIDEr.

Whose: ``BleuScorer``, with the closest reference length, and ``CiderScorer`` (the variant called
CIDEr-D, n up to 4, sigma 6) of coco-caption as the released aNLG evaluation carries them (github
allenai/abductive-commonsense-reasoning, anlg/evaluation), without their tokeniser: white space cuts
words, case and punctuation stay. K. Papineni et al., "BLEU: a method for automatic evaluation of
machine translation", ACL 2002; R. Vedantam et al., "CIDEr: consensus-based image description
evaluation", CVPR 2015. This BLEU is neither sacrebleu's (another tokeniser) nor nltk's
``sentence_bleu`` (``bleu.py``).

The BLEU of a corpus is no mean: it is made from the sums of its items' counts (``of_counts``). An
item's own value is the same formula on its own counts; it is shown, and never averaged. For CIDEr,
how rare an n-gram is depends on all items: the same sentence scores otherwise in another set, and
a set of one item scores 0. So only whole splits are comparable.

All items are counted at once, as columns of numbers, and what was counted last is cached: BLEU-1 to
BLEU-4 and CIDEr of a system share it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from math import exp, log, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.core.records import ItemScore
from scorer.metrics.base import ANLG, BHAGAVATULA, Arithmetic, MetricInfo

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

HIGHEST_ORDER = 4

CaptionItem = tuple[str, tuple[str, ...]]
"""One hypothesis and its references: at least one of them."""


class NgramsOfLength(NamedTuple):
    """The n-grams of one length: one row for each different one of each sentence, sorted.

    The first ``len(shared)`` rows are those of the hypotheses, the others of the references.
    """

    sentence: Integers
    """Whose it is."""
    gram: Integers
    """Its number: the same in every sentence."""
    times: Integers
    """How often that sentence has it."""
    place: Integers
    """For each row of a reference, the row of its hypothesis with the same n-gram, or -1."""
    shared: Integers
    """For each row of a hypothesis, the most often that one of its references has the n-gram."""
    items_with: Integers
    """For each n-gram, how many items have it in a reference."""


class CaptionCounts(NamedTuple):
    """Some items as BLEU and CIDEr see them. Nobody changes it: it is cached.

    Sentences are numbered: first the hypotheses, in the order of the items, then the references.
    """

    words: Integers
    """How many words each sentence has."""
    item: Integers
    """Which item each sentence belongs to."""
    orders: tuple[NgramsOfLength, ...]
    """For n = 1 to 4."""


@lru_cache(maxsize=1)
def counted(items: tuple[CaptionItem, ...]) -> CaptionCounts:
    """Count the words and n-grams of all items.

    >>> found = counted((("no no No.", ("no",)),))
    >>> found.words.tolist(), found.orders[0].times.tolist(), found.orders[0].shared.tolist()
    ([3, 1], [2, 1, 1], [1, 0])
    """
    import numpy as np

    references = [(index, text) for index, (_, texts) in enumerate(items) for text in texts]
    numbers: dict[str, int] = {}
    sentences = [[numbers.setdefault(word, len(numbers)) for word in text.split()]
                 for text in (*(text for text, _ in items), *(text for _, text in references))]
    words = np.array([len(sentence) for sentence in sentences], np.int64)
    item = np.array([*range(len(items)), *(index for index, _ in references)], np.int64)
    beyond = [-1] * HIGHEST_ORDER  # no n-gram reaches over the end
    word = np.array([*(number for row in sentences for number in row), *beyond], np.int64)
    sentence = np.concatenate([np.repeat(np.arange(len(sentences)), words), beyond])
    start = np.arange(words.sum())
    gram, orders = word[start], []
    for order in range(1, HIGHEST_ORDER + 1):
        orders.append(_order(sentence[start], gram, item, len(items)))
        longer = sentence[start + order] == sentence[start]
        start = start[longer]
        gram = np.unique(gram[longer] * len(numbers) + word[start + order], return_inverse=True)[1]
    return CaptionCounts(words, item, tuple(orders))


def _order(sentence: Integers, gram: Integers, item: Integers, items: int) -> NgramsOfLength:
    """The rows of every n-gram's sentence and number; ``item`` is each sentence's."""
    import numpy as np

    size = int(gram.max(initial=0)) + 1
    key, times = np.unique(sentence * size + gram, return_counts=True)
    sentence, gram = np.divmod(key, size)
    ours = int(np.searchsorted(sentence, items))
    target = item[sentence[ours:]] * size + gram[ours:]  # what the hypothesis' row would be called
    index = np.searchsorted(key[:ours], target)
    common = index < ours
    common[common] = key[index[common]] == target[common]
    shared = np.zeros(ours, np.int64)
    np.maximum.at(shared, index[common], times[ours:][common])
    return NgramsOfLength(sentence, gram, times, np.where(common, index, -1), shared,
                          np.bincount(np.unique(target) % size, minlength=size))


# ---- BLEU ---------------------------------------------------------------------------------------

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
    matched = np.array([sums[f"matched {order}-grams"] for order in orders])
    possible = np.array([sums[f"{order}-grams"] for order in orders])
    product = np.prod((matched + _TINY) / (possible + _SMALL), axis=0)
    ratio = (possible[0] + _TINY) / (np.asarray(sums["reference words"]) + _SMALL)
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
    # Words of the reference closest in length to each text; the shorter of two equally close.
    owner, words = captions.item[n:], captions.words[n:]
    rows = np.lexsort((words, np.abs(words - captions.words[owner]), owner))
    counts = {"reference words": words[rows[np.unique(owner[rows], return_index=True)[1]]]}
    for order, grams in enumerate(captions.orders[:highest], start=1):
        ours = slice(len(grams.shared))
        counts[f"{order}-grams"] = np.maximum(captions.words[:n] - order + 1, 0)
        counts[f"matched {order}-grams"] = np.bincount(
            grams.sentence[ours], np.minimum(grams.times[ours], grams.shared), n).astype(int)
    columns = [column.tolist() for column in counts.values()]
    return [ItemScore(value, dict(zip(counts, row, strict=True)))
            for value, *row in zip(of_counts(counts).tolist(), *columns, strict=True)]


def explained_to(highest: int) -> Callable[[Sequence[CaptionItem], ItemScore], Arithmetic]:
    """The counts of one text, and what comes of them."""
    def explain(items: Sequence[CaptionItem], score: ItemScore) -> Arithmetic:
        parts = {name: int(count) for name, count in score.parts.items()}
        pairs = [(parts[f"matched {n}-grams"], parts[f"{n}-grams"]) for n in range(1, highest + 1)]
        steps = [f"{'words' if n == 1 else f'{n} words in a row'} that a reference has too: "
                 f"{matched} of {possible}"
                 for n, (matched, possible) in enumerate(pairs, start=1)]
        ours, theirs = parts["1-grams"], parts["reference words"]
        penalty = exp(min(0.0, 1 - theirs / ours))
        steps.append(f"words: {ours}; of the reference closest in length: {theirs}; penalty for a "
                     f"shorter text: {'none' if penalty == 1 else f'{penalty:.3f}'}")
        mean = prod(matched / possible for matched, possible in pairs) ** (1 / highest)
        factors = " · ".join(f"{matched}/{possible}" for matched, possible in pairs)
        root = f"({factors})" + (f" ^ (1/{highest})" if highest > 1 else "")
        factor = "" if penalty == 1 else f" · {penalty:.3f}"
        return Arithmetic((
            *steps, "of a split, the counts of all texts are added up before they are divided",
            f"of this text alone, BLEU-{highest} = {root}{factor} = {score.value:.3f}"),
            mean * penalty)

    return explain


BLEU = tuple(
    MetricInfo(
        f"BLEU-{order}", f"BLEU-{order} (coco-caption)", "higher",
        f"How far the texts repeat the references, {words}.",
        "Matched n-grams over all n-grams of all texts of the split, n = 1 to "
        f"{order}, their geometric mean, times a penalty where the texts are shorter than the "
        "references closest in length. One number of the whole split, no mean over items; an "
        "item shows the same of itself alone. White space cuts words; case counts.",
        ANLG, BHAGAVATULA, partial(bleu, highest=order), graded=False, total=of_counts,
        explain=explained_to(order), counts=(
            "reference words", *(f"{kind}{n}-grams" for n in range(1, order + 1)
                                for kind in ("", "matched "))),
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


# ---- CIDEr --------------------------------------------------------------------------------------

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


def explain_cider(items: Sequence[CaptionItem], score: ItemScore) -> Arithmetic:
    """How rare each word is, and what comes of it."""
    n = len(items)
    having = Counter(word for _, references in items
                     for word in {word for reference in references for word in reference.split()})
    steps = [f"“{word}” stands in references of {having[word]} of the {n} contexts, so it weighs "
             f"log({n}/{max(having[word], 1)}) = {log(n / max(having[word], 1)):.3f}"
             for word in dict.fromkeys(items[0][0].split())]
    return Arithmetic((
        *steps, "the same for 2, 3 and 4 words in a row",
        "for each reference and each length of run, the cosine of text and reference as weights "
        "times counts, less where their lengths differ",
        f"CIDEr = the mean of these, times 10 = {score.value:.3f}"), score.value)


CIDER = MetricInfo(
    "CIDEr", "CIDEr (CIDEr-D of coco-caption)", "higher",
    "How many n-grams the text shares with the references, rare ones counting most.",
    "Cosine of n-gram counts weighted by how few items have the n-gram in a reference, n = 1 "
    "to 4, with cut counts and a penalty for another length; mean over references, times 10. "
    "Mean over all items; only whole splits are comparable.",
    ANLG, BHAGAVATULA, cider, whole=True, highest=10.0, graded=False,
    signature=("cider:coco-D", "n:4", "sigma:6", "df:references", "tok:white-space",
               "case:mixed"), explain=explain_cider,
)
