"""Sentence BLEU as nltk computes it: of one edge sentence against another, and over the letters of
a text, which is what the evaluator that e-CARE releases prints as average BLEU.

Whose BLEU: ``nltk.translate.bleu_score.sentence_bleu([reference], candidate)`` (nltk 3.10.4) with
its defaults: 1- to 4-grams, uniform weights, brevity penalty, no smoothing. Edges are cut by a
spaCy ``Tokenizer``, as the released ExplaGraphs code does (github swarnaHub/ExplaGraphs, commit
67ecab1, metrics/graph_matching.py). It is neither sacrebleu's nor the coco-caption BLEU-4. K.
Papineni et al., "BLEU: a method for automatic evaluation of machine translation", ACL 2002.

Whose BLEU of letters: ``nltk.bleu([gold], prediction)`` with its defaults (github
Waste-Wood/e-CARE, commit c3b5264, conceptual_explanation_generation.py). nltk takes lists of words;
the evaluator gives it two strings, so that every character is a word, spaces included. The numbers
are therefore far above those of a BLEU over words.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from scorer.core.records import ItemScore
from scorer.metrics.base import Arithmetic, MetricInfo
from scorer.metrics.captions import CaptionItem

HIGHEST_ORDER = 4
# nltk's SmoothingFunction.method0 puts the smallest normal float where no n-gram is shared.
_LOG_OF_NONE = math.log(sys.float_info.min)
# A run of white space or a run of anything else; \s is what str.isspace() is, as in spaCy.
_RUN = re.compile(r"\s+|\S+")
# A word may begin with a semicolon; every later one stands alone.
_PART = re.compile(r"^;[^;]*|[^;]+|;")
SENTENCES_KEPT = 2**15
"""Sentences whose n-grams are remembered: the gold of a large split. Some 50 MB."""


def ngrams(tokens: Sequence[str], n: int) -> frozenset[Hashable]:
    """The n-grams of the tokens, one element per occurrence; empty if there are fewer than n.

    The second and later occurrences of an n-gram carry their number. So the size of the
    intersection of two such sets is the clipped overlap that BLEU and ROUGE count.

    >>> sorted(ngrams(["a", "b", "c"], 2))
    [('a', 'b'), ('b', 'c')]
    >>> len(ngrams(["a", "a", "a"], 1) & ngrams(["a", "b", "a"], 1))
    2
    """
    shifted = [tokens[start:] for start in range(n)]
    distinct: frozenset[Hashable] = frozenset(zip(*shifted, strict=False))
    if len(distinct) == len(shifted[-1]):
        return distinct
    seen: Counter[Hashable] = Counter(zip(*shifted, strict=False))
    repeats = {(gram, number) for gram, count in seen.items() for number in range(1, count)}
    return distinct | repeats


class SentenceCounts(NamedTuple):
    """A sentence as BLEU sees it."""

    length: int
    """Number of tokens."""
    orders: tuple[frozenset[Hashable], ...]
    """The n-grams for n = 1 to 4."""


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
    for lost, (wanted, grams) in enumerate(zip(reference.orders, candidate.orders, strict=True)):
        matched = len(wanted & grams)
        if not matched:
            break  # nor is any longer n-gram shared
        logs.append(math.log(matched / (candidate.length - lost)))
    if not logs:
        return 0.0
    logs += [_LOG_OF_NONE] * (HIGHEST_ORDER - len(logs))
    mean = math.fsum(log / HIGHEST_ORDER for log in logs)
    shorter = candidate.length <= reference.length
    penalty = math.exp(1 - reference.length / candidate.length) if shorter else 1.0
    return penalty * math.exp(mean)


def edge_tokens(sentence: str) -> list[str]:
    """The tokens BLEU compares, at most one per character.

    Equal to spaCy's ``Tokenizer(vocab, infix_finditer=re.compile(r'[;]').finditer)`` (3.8.18),
    which is not ``str.split``: one space between two words is dropped, but all further white space
    there is one token, and so is all white space at the start; a semicolon is split off a word
    unless the word begins with it. No Unicode normalisation, no lower-casing.

    >>> edge_tokens("alley cat; is a; pet")
    ['alley', 'cat', ';', 'is', 'a', ';', 'pet']
    >>> edge_tokens(" cat;  is ;a")
    [' ', 'cat', ';', ' ', 'is', ';a']
    >>> edge_tokens("")
    []
    """
    tokens: list[str] = []
    for run in _RUN.findall(sentence):
        if not run.isspace():
            tokens += _PART.findall(run) if ";" in run else (run,)
            continue
        # spaCy keeps one space after a word as a mark on that word.
        rest = run[1:] if tokens and run[0] == " " else run
        if rest:
            tokens.append(rest)
    return tokens


def bleu_similarity(predicted: str, gold: str) -> float:
    """nltk's sentence BLEU of an edge sentence against another, 0 to 1.

    Counts of sentences are cached for the next batch, whose gold is mostly the same.

    >>> bleu_similarity("cats; is a; pets", "cats; is a; pets")
    1.0
    """
    return score(_counted(gold), _counted(predicted))


@lru_cache(maxsize=SENTENCES_KEPT)
def _counted(sentence: str) -> SentenceCounts:
    return count(edge_tokens(sentence))


E_CARE = "github Waste-Wood/e-CARE, commit c3b5264, conceptual_explanation_generation.py"
DU = "Du, Ding, Xiong, Liu and Qin: e-CARE. ACL 2022"


def letter_bleu(items: Sequence[CaptionItem]) -> list[ItemScore]:
    """BLEU of each item's characters, 0 to 1, higher is better; the best reference counts.

    ``items``: text and references each. An empty text: 0. No four characters in a row shared: not
    0, but next to nothing, as in nltk.

    >>> [found, nothing] = letter_bleu([("cats purr", ("cats purr.",)), ("", ("cats",))])
    >>> round(found.value, 6), nothing.value  # exp(1 - 10 / 9)
    (0.894839, 0.0)
    """
    counted = cache(count)
    return [ItemScore(max(score(counted(reference), counted(text)) for reference in references))
            for text, references in items]


def explain(items: Sequence[CaptionItem], result: ItemScore) -> Arithmetic:
    """How many runs of characters the text and its best reference share."""
    text, references = items[0]
    ours = count(text)
    best = max(references, key=lambda reference: score(count(reference), ours))
    theirs = count(best)
    shared = ", ".join(f"{len(mine & gold)} of {ours.length - order}" for order, (mine, gold)
                       in enumerate(zip(ours.orders, theirs.orders, strict=True)))
    return Arithmetic((
        f"the best of the references: “{best}”",
        f"runs of 1 to {HIGHEST_ORDER} characters that it has too: {shared}",
        f"characters: {ours.length}; of the reference: {theirs.length}",
        f"their geometric mean, times exp(1 - r/c) for a shorter text = {result.value:.3f}"),
        score(theirs, ours))


LETTER_BLEU = MetricInfo(
    "BLEU-letters", "BLEU of letters (e-CARE's average BLEU)", "higher",
    "How far the texts repeat the references, up to four characters in a row.",
    "nltk's sentence BLEU without smoothing, with every character for a word, as the released "
    "evaluator calls it; the best reference of an item counts. Mean over all items. Far above any "
    "BLEU of words.",
    E_CARE, DU, letter_bleu, graded=False, explain=explain,
    signature=("bleu:nltk-sentence", "tok:character", "smooth:none", "case:mixed"),
)
