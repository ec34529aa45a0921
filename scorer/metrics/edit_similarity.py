"""The similarity of two texts by the edits between them, each of one character."""

from __future__ import annotations

from functools import lru_cache

TEXTS_KEPT = 2**17
"""Pairs of texts that are remembered: golds of an item repeat each other's, and three metrics ask
of the same edges. Some 30 MB."""


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
    places: dict[str, int] = {}
    for place, character in enumerate(long):
        places[character] = places.get(character, 0) | 1 << place
    every, last = (1 << len(long)) - 1, 1 << len(long) - 1
    grows, falls, distance = every, 0, len(long)
    for character in short:
        equal = places.get(character, 0)
        across = (((equal & grows) + grows) ^ grows) | equal
        right = falls | ~(across | grows) & every
        left = grows & across
        distance += bool(right & last) - bool(left & last)
        right = right << 1 | 1
        down = equal | falls
        grows = (left << 1 | ~(down | right)) & every
        falls = right & down & every
    return distance
