"""Sentence BLEU as nltk computes it, of one edge sentence against another.

Whose BLEU: ``nltk.translate.bleu_score.sentence_bleu([reference], candidate)`` (nltk 3.10.4) with
its defaults: 1- to 4-grams, uniform weights, brevity penalty, no smoothing. It is neither
sacrebleu's nor the coco-caption BLEU-4. K. Papineni et al., "BLEU: a method for automatic
evaluation of machine translation", ACL 2002.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import NamedTuple

from scorer.metrics.tokens import SENTENCES_KEPT, edge_tokens, ngrams

HIGHEST_ORDER = 4
# nltk's SmoothingFunction.method0 puts the smallest normal float where no n-gram is shared.
_LOG_OF_NONE = math.log(sys.float_info.min)


class SentenceCounts(NamedTuple):
    """A sentence as BLEU sees it."""

    length: int
    """Number of tokens."""
    orders: tuple[frozenset[Hashable], ...]
    """The n-grams for n = 1 to 4, see ``tokens.ngrams``."""


def count(tokens: Sequence[str]) -> SentenceCounts:
    """The n-grams of a token list, ready for ``score``."""
    orders = tuple(ngrams(tokens, order) for order in range(1, HIGHEST_ORDER + 1))
    return SentenceCounts(len(tokens), orders)


def score(reference: SentenceCounts, candidate: SentenceCounts) -> float:
    """nltk's ``sentence_bleu([reference], candidate)`` of counted sentences, 0 to 1.

    The geometric mean of the four clipped n-gram precisions, times exp(1 - r / c) if the candidate
    has c tokens and the reference r >= c. No shared token, or an empty side: 0.0. A shared token
    but no shared 4-gram: not 0 but at most 1.3e-77, since nltk puts 2.2e-308 for a precision of 0;
    so a sentence of fewer than four tokens scores next to nothing even against itself.

    >>> target, other = (count(f"cats ; is a ; {last}".split()) for last in ("pets", "animals"))
    >>> round(score(target, other) ** 4, 9)  # 5/6 4/5 3/4 2/3
    0.333333333
    >>> score(target, target), score(target, count([]))
    (1.0, 0.0)
    >>> 0.0 < score(count(["a"]), count(["a"])) < 1e-200
    True
    """
    logs = []
    for lost, (wanted, found) in enumerate(zip(reference.orders, candidate.orders, strict=True)):
        matched = len(wanted & found)
        if not matched:
            break  # nor is any longer n-gram shared
        logs.append(math.log(matched / (candidate.length - lost)))
    if not logs:
        return 0.0
    logs += [_LOG_OF_NONE] * (HIGHEST_ORDER - len(logs))
    mean = math.fsum(log / HIGHEST_ORDER for log in logs)
    return _brevity_penalty(reference.length, candidate.length) * math.exp(mean)


def _brevity_penalty(reference: int, candidate: int) -> float:
    return 1.0 if candidate > reference else math.exp(1 - reference / candidate)


def bleu_similarity() -> Callable[[str, str], float]:
    """A function (predicted sentence, gold sentence) -> nltk sentence BLEU, 0 to 1.

    Counts of sentences are kept for the next batch, whose gold is mostly the same.

    >>> bleu_similarity()("cats; is a; pets", "cats; is a; pets")
    1.0
    """
    return lambda predicted, gold: score(_counted(gold), _counted(predicted))


@lru_cache(maxsize=SENTENCES_KEPT)
def _counted(sentence: str) -> SentenceCounts:
    return count(edge_tokens(sentence))
