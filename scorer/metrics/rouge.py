"""ROUGE-2 and ROUGE-L precision as rouge_score computes them, of two edge sentences.

Whose ROUGE: ``rouge_score.rouge_scorer.RougeScorer([...], use_stemmer=True).score(target,
prediction)`` (0.1.2), of which the released ExplaGraphs code takes only ``.precision``: the share
of the *predicted* edge found in the gold edge. C.-Y. Lin, "ROUGE: a package for automatic
evaluation of summaries", 2004.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cache, lru_cache

from scorer.metrics.tokens import SENTENCES_KEPT, ngrams, rouge_tokens


def places(tokens: Sequence[str]) -> dict[str, int]:
    """Where each token stands, as a number with one bit per place.

    >>> places(["a", "b", "a"])
    {'a': 5, 'b': 2}
    """
    found: dict[str, int] = {}
    for place, token in enumerate(tokens):
        found[token] = found.get(token, 0) | 1 << place
    return found


def longest_common_subsequence(target: Mapping[str, int], prediction: Sequence[str]) -> int:
    """The length in tokens; the target is given as ``places``.

    Bit-parallel: after each predicted token, the zero bits of ``row`` (a negative number, so ones
    without end to the left) are the places at which a row of the usual table goes up by one.
    H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA 2004.

    >>> longest_common_subsequence(places("a b c d".split()), "b x d a".split())
    2
    """
    row = -1
    for token in prediction:
        if token in target:
            hits = row & target[token]
            row = (row + hits) | (row - hits)
    return (~row).bit_count()


def rouge_2_similarity() -> Callable[[str, str], float]:
    """A function (predicted sentence, gold sentence) -> rouge_score's rouge2 precision, 0 to 1.

    Clipped shared bigrams / bigrams of the prediction; 0.0 if the prediction has none. Bigrams
    are kept for the next batch, whose gold is mostly the same.

    >>> rouge_2_similarity()("cat is an animal", "cats; is a; pets")  # cat is | is an | an animal
    0.3333333333333333
    """
    def similarity(predicted: str, gold: str) -> float:
        found = _bigrams(predicted)
        return len(found & _bigrams(gold)) / len(found) if found else 0.0

    return similarity


def rouge_l_similarity() -> Callable[[str, str], float]:
    """A function (predicted sentence, gold sentence) -> rouge_score's rougeL precision, 0 to 1.

    Longest common subsequence of tokens / tokens of the prediction; 0.0 if either has no token. It
    keeps places as long as it lives: make one per batch, as ``matching.g_rouge_l`` does.

    >>> rouge_l_similarity()("cat is an old pet", "cats; is a; pets")
    0.6
    """
    places_of = cache(lambda sentence: places(_tokens(sentence)))

    def similarity(predicted: str, gold: str) -> float:
        found = _tokens(predicted)
        return longest_common_subsequence(places_of(gold), found) / len(found) if found else 0.0

    return similarity


@lru_cache(maxsize=SENTENCES_KEPT)
def _tokens(sentence: str) -> tuple[str, ...]:
    return tuple(rouge_tokens(sentence))


@lru_cache(maxsize=SENTENCES_KEPT)
def _bigrams(sentence: str) -> frozenset[Hashable]:
    return ngrams(_tokens(sentence), 2)
