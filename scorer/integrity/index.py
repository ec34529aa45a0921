"""Which known answers are equal or near to an answer, without comparing all with all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

NEAR = 0.6
"""Least Jaccard index of two answers' units to be called near: of four facts, one replaced (3/5).

In ExplaGraphs no gold graph of train or dev (2,766) is that near to the gold of another item;
none of the 398 graphs of Max-Margin is near to any gold.
"""

Units = frozenset[Hashable]


class Place(NamedTuple):
    """Where a known answer stands."""

    split: str
    row: int
    """One-based."""


class Match(NamedTuple):
    """A known answer that is equal or near to the one asked about."""

    place: Place
    shared: int
    """Units in both."""
    union: int
    """Units in either."""

    @property
    def exact(self) -> bool:
        """Whether both have the same units."""
        return self.shared == self.union

    def __str__(self) -> str:
        gold = f"the gold of {self.place.split} row {self.place.row}"
        if self.exact:
            return f"the same as {gold}"
        return f"{self.shared} of {self.union} parts shared with {gold}"


class Index:
    """Answers by their units. Asking costs the number of answers that share a unit."""

    def __init__(self, known: Iterable[tuple[Place, Units]]) -> None:
        self._known = [(place, units) for place, units in known if units]
        self._with: dict[Hashable, list[int]] = {}
        for number, (_, units) in enumerate(self._known):
            for unit in units:
                self._with.setdefault(unit, []).append(number)

    def matches(self, asked: Units) -> Iterator[Match]:
        """Every known answer at NEAR or above, in the order in which they were given.

        >>> index = Index([(Place("dev", 1), frozenset("abcd"))])
        >>> [str(match) for match in index.matches(frozenset("abce"))]
        ['3 of 5 parts shared with the gold of dev row 1']
        """
        shared = Counter(number for unit in asked for number in self._with.get(unit, ()))
        for number in sorted(shared):
            place, units = self._known[number]
            union = len(asked) + len(units) - shared[number]
            if shared[number] >= NEAR * union:
                yield Match(place, shared[number], union)


def best(matches: Iterable[Match]) -> Match | None:
    """The match with the greatest Jaccard index, the first on ties; None if there is none."""
    return max(matches, key=lambda match: match.shared / match.union, default=None)
