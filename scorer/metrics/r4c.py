"""R4C-E, R4C-R and R4C-ER: how far the edges of a derivation can be matched with a person's.

The similarity of two texts is 1 - edits / length of the longer one (``edit_similarity``), that of
two edges the mean over their concepts (E), that of their relations (R), or the mean over all three
texts (ER). The one-to-one matching whose similarities have the greatest sum S gives

    precision = S / predicted edges        recall = S / gold edges        F1 = 2 P R / (P + R)

and of several golds the one with the greatest S counts, the first on ties: not that with the
greatest F1. Reproduces github naoya-i/r4c, commit bb016c7, src/r4c_evaluate.py; N. Inoue,
P. Stenetorp and K. Inui, "R4C: A Benchmark for Evaluating RC Systems to Get the Right Answer for
the Right Reason", ACL 2020, section 2.2. That code states the matching as an integer program for a
solver; it is the assignment problem. It also shuffles the golds of each item with one seed for the
whole file, which decides ties by where an item stands; here the first gold in the file is taken
(docs/decisions/019-guests-scored-as-by-their-authors.md). Each of the three has a matching of its
own, so ER is no mean of the others.
"""

from __future__ import annotations

from functools import lru_cache, partial
from math import fsum

from scorer.core.records import Edge
from scorer.metrics.base import MetricInfo
from scorer.metrics.matching import Similarity, explained_by, matched

TEXTS_KEPT = 2**17
"""Pairs of texts that are remembered: golds of an item repeat each other's, and three metrics ask
of the same edges. Some 30 MB."""


def concepts_alike(ours: Edge, theirs: Edge) -> float:
    """E: the mean over the concepts of two edges, 0 to 1.

    >>> concepts_alike(Edge("ed wood", "is", "a poet"), Edge("ed wood", "was", "a poet"))
    1.0
    """
    return fsum(map(edit_similarity, ours[::2], theirs[::2])) / 2


def relations_alike(ours: Edge, theirs: Edge) -> float:
    """R: the relations of two edges, 0 to 1."""
    return edit_similarity(ours.relation, theirs.relation)


def edges_alike(ours: Edge, theirs: Edge) -> float:
    """ER: the mean over the three texts of two edges, 0 to 1.

    >>> edges_alike(Edge("ed", "is", "a poet"), Edge("ed", "was", "a poet"))
    0.7777777777777778
    """
    return fsum(map(edit_similarity, ours, theirs)) / 3


@lru_cache(maxsize=TEXTS_KEPT)
def edit_similarity(first: str, second: str) -> float:
    """1 - edits / length of the longer text: 0 (nothing in common) to 1 (equal).

    An edit inserts, deletes or replaces a character. Texts are compared as they are; two empty ones
    are equal.

    >>> edit_similarity("an actor", "one actor")  # a becomes o, and an e is inserted
    0.7777777777777778
    """
    longer = max(len(first), len(second))
    return 1 - edits(first, second) / longer if longer else 1.0


def edits(first: str, second: str) -> int:
    """The least number of edits that make one text of another (Levenshtein's distance).

    A column of the table of distances is two whole numbers: in which rows it grows by one, in which
    it falls. G. Myers, "A fast bit-vector algorithm for approximate string matching", Journal of
    the ACM 46, 1999, as H. Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau
    edit distances", Nordic Journal of Computing 10, 2003, writes it.

    >>> edits("kitten", "sitting"), edits("", "abc")
    (3, 3)
    """
    if first == second:
        return 0
    short, long = sorted((first, second), key=len)
    masks: dict[str, int] = {}
    for index, character in enumerate(long):
        masks[character] = masks.get(character, 0) | 1 << index
    every, last = (1 << len(long)) - 1, 1 << len(long) - 1
    grows, falls, distance = every, 0, len(long)
    for character in short:
        equal = masks.get(character, 0)
        across = (((equal & grows) + grows) ^ grows) | equal
        right = falls | ~(across | grows) & every
        left = grows & across
        distance += bool(right & last) - bool(left & last)
        right = right << 1 | 1
        down = equal | falls
        grows = (left << 1 | ~(down | right)) & every
        falls = right & down & every
    return distance


_DEFINITION = (
    "The similarity of two texts is 1 - edits / length of the longer one; an edit inserts, deletes "
    "or replaces a character. Predicted and gold edges are matched one to one so that the sum of "
    "similarities, {what}, is greatest. Precision is that sum over the predicted edges, recall "
    "over the gold edges; the value is F1. With several golds, the one with the greatest sum gives "
    "all three, the first on ties, unless the signature says otherwise (over). Mean over all "
    "items of the split; an item with a wrong label or an incorrect structure counts 0."
)
_SOURCE = ("github naoya-i/r4c, commit bb016c7, src/r4c_evaluate.py, with the golds of an item in "
           "their order, not shuffled")
_CITATION = "Inoue, Stenetorp and Inui: R4C. ACL 2020"


def _metric(name: str, title: str, summary: str, what: str, similarity: Similarity[Edge],
            ) -> MetricInfo:
    function = partial(matched, similarity=similarity, by_sum=True)
    return MetricInfo(
        name, title, "higher", summary, _DEFINITION.format(what=what), _SOURCE, _CITATION, function,
        parts=("precision", "recall"), group="plausibility", explain=explained_by(function),
        signature=("edits:levenshtein-longer", "match:hungarian", "best:greatest-sum"))


R4C = (
    _metric("R4C-E", "Entities by edit distance",
            "How far the concepts of predicted edges repeat those of gold edges, character by "
            "character.", "each the mean over two concepts", concepts_alike),
    _metric("R4C-R", "Relations by edit distance",
            "How far the relations of predicted edges repeat those of gold edges, character by "
            "character.", "each that of the relations", relations_alike),
    _metric("R4C-ER", "Entities and relations by edit distance",
            "How far predicted edges repeat gold edges, character by character.",
            "each the mean over two concepts and the relation", edges_alike),
)
