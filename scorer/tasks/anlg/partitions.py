"""How the contexts of aNLG are divided: by their references and their observations."""

from __future__ import annotations

from bisect import bisect_right
from statistics import fmean

from scorer.tasks.anlg.records import Gold
from scorer.tasks.anli.task import words
from scorer.tasks.partitions import LENGTHS, Partition, length_class

MANY = 5
"""Contexts with so many references or more are one part."""
_NUMBERS = (*map(str, range(1, MANY)), f"{MANY} or more")
_OVERLAPS = (0.25, 0.5)
"""Where classes of a share begin."""
_SHARES = ("less than a quarter", "a quarter to a half", "half or more")


def _shared(gold: Gold) -> float:
    """The share of the second observation's different words that the first one has too."""
    first, second = {*words(gold.obs1)}, {*words(gold.obs2)}
    return len(first & second) / max(1, len(second))


REFERENCES: Partition[Gold] = Partition(
    "references", "References", _NUMBERS,
    lambda gold: [_NUMBERS[min(len(gold.references), MANY) - 1]],
    heading="references of the context")
"""With more references, every metric of this task is easier."""

PARTITIONS: tuple[Partition[Gold], ...] = (
    REFERENCES,
    Partition("words", "Words of a reference, on average", LENGTHS,
              lambda gold: [length_class(fmean(len(words(text)) for text in gold.references))]),
    Partition("overlap", "Words of the second observation that the first has", _SHARES,
              lambda gold: [_SHARES[bisect_right(_OVERLAPS, _shared(gold))]]),
)
