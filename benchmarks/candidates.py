"""Metrics of graphs that might agree better with people than those that ship; none of these does.

Each takes graphs as edges and gives one number a pair of graphs, 0 to 1, higher is better, 0 where
nothing can be compared. ``bench_agreement.py`` says what was tried and how it ended.

- *Edges by meaning*: an edge is a sentence, its vector the mean of its tokens' (all-MiniLM-L6-v2).
  Edges are matched one to one so that the sum of cosines is greatest.
- *Concepts by synonyms*: a word of a concept is found in the other graph if that has the word, one
  of the same Porter stem, or one that WordNet 3.0 calls a synonym. Or whole concepts are matched
  one to one, by the share of words that they have in common.
- *Support* needs no gold graph: how well edges cover the item's texts, by cosine. What the embedded
  SeCA judge says of claim and graph is tried beside it, and needs no code here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.within_items import Graph
from scorer.core.graph import PART_SEPARATOR, concepts
from scorer.core.records import Edge
from scorer.metrics.matching import PRF, assign, prf, total_score
from scorer.metrics.porter import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from scorer.models.wordnet import WordNet

Embed = Callable[[str], "NDArray[np.float32]"]
"""A sentence -> its vector of length 1."""
Equal = Callable[[str, str], bool]
"""Whether two words mean the same."""
Compare = Callable[[Graph, Graph, Equal], PRF]

EMPTY = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "been", "by", "can", "could", "for", "from",
    "had", "has", "have", "he", "her", "his", "i", "in", "is", "it", "its", "me", "my", "no",
    "not", "of", "on", "or", "our", "she", "that", "the", "their", "them", "they", "this",
    "to", "us", "was", "we", "were", "will", "with", "would", "you", "your",
})
"""Words that concepts share whatever they mean."""


def edges_by_meaning(predicted: Graph, gold: Graph, embed: Embed) -> PRF:
    """Cosines of edges, below 0 counted as 0, of the best one-to-one matching."""
    ours, theirs = (np.stack([embed(sentence(edge)) for edge in graph])
                    for graph in (predicted, gold))
    matches = assign((ours @ theirs.T).clip(min=0).astype(float).tolist())
    return prf(total_score(matches), len(predicted), len(gold))


def concepts_by_synonyms(predicted: Graph, gold: Graph, equal: Equal) -> PRF:
    """The same of concepts, where two are as alike as the words that find each other say: twice
    their number over the words of both."""
    ours, theirs = concepts(predicted), concepts(gold)
    matches = assign([[_alike(words([one]), words([other]), equal) for other in theirs]
                      for one in ours])
    return prf(total_score(matches), len(ours), len(theirs))


def words_by_synonyms(predicted: Graph, gold: Graph, equal: Equal) -> PRF:
    """Precision: the share of the different words of the predicted graph's concepts that are found
    in gold's concepts; recall the other way round.

    >>> found = words_by_synonyms([Edge("cats", "is a", "pets")],
    ...                           [Edge("a cat", "desires", "warm home")], synonyms_by_stem)
    >>> found.precision, found.recall, found.f1  # "cats" of 2, "cat" of 3
    (0.5, 0.3333333333333333, 0.4)
    """
    ours, theirs = words(concepts(predicted)), words(concepts(gold))
    precision, recall = _found(ours, theirs, equal), _found(theirs, ours, equal)
    both = precision + recall
    return PRF(precision, recall, 2 * precision * recall / both if both else 0.0)


def texts_covered(graph: Graph, texts: Sequence[str], embed: Embed) -> float:
    """Of each text the greatest cosine with an edge; their mean."""
    return float(_cosines(graph, texts, embed).max(axis=0).mean())


def edges_grounded(graph: Graph, texts: Sequence[str], embed: Embed) -> float:
    """Of each edge the greatest cosine with a text; their mean."""
    return float(_cosines(graph, texts, embed).max(axis=1).mean())


def _cosines(graph: Graph, texts: Sequence[str], embed: Embed) -> NDArray[np.float32]:
    edges = np.stack([embed(sentence(edge)) for edge in graph])
    return np.asarray(edges @ np.stack([embed(text) for text in texts]).T).clip(min=0)


def sentence(edge: Edge) -> str:
    """An edge as the metrics that match edges write it."""
    return PART_SEPARATOR.join(edge)


def words(names: Sequence[str]) -> list[str]:
    """The different words of some concepts that are not EMPTY; all of them if nothing else is.

    >>> words(["the warm home", "warm cats"])
    ['warm', 'home', 'cats']
    """
    found = list(dict.fromkeys(re.findall(r"\w+", " ".join(names).lower())))
    return [word for word in found if word not in EMPTY] or found


def synonyms_by_stem(one: str, other: str) -> bool:
    """Whether two words have one stem: the part of ``synonyms`` that needs no lexicon."""
    return one == other or stem(one) == stem(other)


def synonyms(lexicon: WordNet) -> Equal:
    """Equal words, equal stems, or either a synonym of the other."""
    @cache
    def equal(one: str, other: str) -> bool:
        return (synonyms_by_stem(one, other) or other in lexicon.synonyms(one)
                or one in lexicon.synonyms(other))
    return equal


def _found(wanted: Sequence[str], among: Sequence[str], equal: Equal) -> float:
    return sum(any(equal(word, other) for other in among) for word in wanted) / max(1, len(wanted))


def _alike(ours: Sequence[str], theirs: Sequence[str], equal: Equal) -> float:
    free = list(theirs)
    for word in ours:
        match = next((other for other in free if equal(word, other)), None)
        if match is not None:
            free.remove(match)
    return 2 * (len(theirs) - len(free)) / max(1, len(ours) + len(theirs))
