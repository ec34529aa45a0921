"""How many items are given to a model, or remembered, at once, whatever a submission holds?

A file may hold 8 MiB, and what its texts become in memory is a hundred times that. Answers do not
depend on the portions (docs/decisions/008-models-are-sources.md); a usual submission is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")

READ_AT_ONCE = 2**20
"""Characters that a judge reads: their tokens take some 140 MB. EA reads 0.8 million
of dev gold."""
KEPT_AT_ONCE = 2**18
"""Characters of sentences whose vectors or counts are kept: some 500 MB of a small encoder's
vectors where sentences are short. Those of dev gold and predictions have 0.13 million."""


def portions(
    items: Sequence[Item], characters: Callable[[Item], int], most: int
) -> Iterator[list[Item]]:
    """The items in order, in portions of at most ``most`` characters, or of one item.

    >>> list(portions(["ab", "c", "defg", "h"], len, most=3))
    [['ab', 'c'], ['defg'], ['h']]
    """
    portion: list[Item] = []
    total = 0
    for item in items:
        size = characters(item)
        if portion and total + size > most:
            yield portion
            portion, total = [], 0
        portion.append(item)
        total += size
    if portion:
        yield portion
