"""How BLEU and ROUGE cut an edge sentence into tokens, and n-grams that are cheap to compare.

The two metrics do not share a tokeniser: the released ExplaGraphs code (github
swarnaHub/ExplaGraphs, commit 67ecab1, metrics/graph_matching.py) gives BLEU the tokens of a spaCy
``Tokenizer`` and leaves ROUGE to rouge_score.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence

from scorer.metrics.porter import stem

# A run of white space or a run of anything else; \s is what str.isspace() is, as in spaCy.
_RUN = re.compile(r"\s+|\S+")
# A word may begin with a semicolon; every later one stands alone.
_PART = re.compile(r"^;[^;]*|[^;]+|;")
_WORD = re.compile(r"[a-z0-9]+")
_LONGEST_UNSTEMMED = 3  # rouge_score/tokenize.py: "Only stem words more than 3 characters long."

SENTENCES_KEPT = 2**15
"""Sentences whose n-grams are remembered: the gold of a large split. Some 50 MB."""


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


def rouge_tokens(sentence: str) -> list[str]:
    """The tokens ROUGE compares: runs of a-z and 0-9 of the lower-cased text, stemmed.

    Equal to rouge_score's ``DefaultTokenizer(use_stemmer=True)`` (0.1.2): words of at most three
    characters stay as they are; any other character, accents included, separates.

    >>> rouge_tokens("Alley cats; capable of; hunting")
    ['alley', 'cat', 'capabl', 'of', 'hunt']
    """
    return [
        stem(word) if len(word) > _LONGEST_UNSTEMMED else word
        for word in _WORD.findall(sentence.lower())
    ]


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
