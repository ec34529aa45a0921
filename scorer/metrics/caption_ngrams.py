"""What the coco-caption BLEU and CIDEr count in texts and references: words and n-grams.

Both cut at white space and leave case and punctuation as they are: that is what the released aNLG
evaluation does (github allenai/abductive-commonsense-reasoning, anlg/evaluation/eval.py, which runs
the scorers of coco-caption without their tokeniser). All items are counted at once, as columns of
numbers, and what was counted last is cached: BLEU-1 to BLEU-4 and CIDEr of a system share it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

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
