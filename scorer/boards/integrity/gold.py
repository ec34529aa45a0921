"""Answers compared with gold: flags ``own-gold`` and, of other items, ``train-gold`` and so on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from scorer.boards.integrity.flag import Flag, RowNote, Units, enough

NEAR = 0.6
"""Least Jaccard index of two answers' units to be called near: of four facts, one replaced (3/5).

In ExplaGraphs no gold graph of train or dev (2,766) is that near to the gold of another item;
none of the 398 graphs of Max-Margin is near to any gold.
"""

class KnownAnswer(NamedTuple):
    """Where a known answer stands."""

    split: str
    row: int
    """One-based."""


class AnswerMatch(NamedTuple):
    """A known answer that is equal or near to the one asked about."""

    place: KnownAnswer
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

    def __init__(self, known: Iterable[tuple[KnownAnswer, Units]]) -> None:
        self._known = [(place, units) for place, units in known if units]
        self._with: dict[Hashable, list[int]] = {}
        for number, (_, units) in enumerate(self._known):
            for unit in units:
                self._with.setdefault(unit, []).append(number)

    def matches(self, asked: Units) -> Iterator[AnswerMatch]:
        """Every known answer at NEAR or above, in the order in which they were given.

        >>> index = Index([(KnownAnswer("dev", 1), frozenset("abcd"))])
        >>> [str(match) for match in index.matches(frozenset("abce"))]
        ['3 of 5 parts shared with the gold of dev row 1']
        """
        shared = Counter(number for unit in asked for number in self._with.get(unit, ()))
        for number in sorted(shared):
            place, units = self._known[number]
            union = len(asked) + len(units) - shared[number]
            if shared[number] >= NEAR * union:
                yield AnswerMatch(place, shared[number], union)


def best(matches: Iterable[AnswerMatch]) -> AnswerMatch | None:
    """The match with the greatest Jaccard index, the first on ties; None if there is none."""
    return max(matches, key=lambda match: match.shared / match.union, default=None)


LEAST_OWN = 0.02
"""Max-Margin has 0 of 398 on dev, which excludes .0096 and more (Wilson, 95 %); the gold
itself after two random edits of every graph has .32."""
LEAST_OTHER = 0.02
"""No gold of train or dev (2,766) is near to that of another item, and no answer of Max-Margin to
any of them; substituting words in a train graph (the reference row nearest-neighbour) leaves 0."""


def own_gold(answers: Sequence[Units], index: Index, split: str) -> Flag:
    """``answers``: the units of each prediction; ``index`` knows the golds of ``split``."""
    rows, figures = _near(
        answers, index, lambda row, place: place == (split, row))
    return Flag(
        "own-gold", "Answers equal or near to their own gold",
        enough(rows, len(answers), LEAST_OWN), len(rows), len(answers), rows, figures,
        "More answers than people or systems reach by themselves coincide with the public gold of "
        "the same item.",
        "How that came about. The gold of this split is public: it may have been used for training "
        "or for choosing a model, which a description can declare, or the item may allow one "
        "answer alone.",
    )


def other_gold(answers: Sequence[Units], index: Index, split: str, source: str) -> Flag:
    """``answers`` are on ``split``; compared with golds of ``source`` except each row's own."""
    rows, figures = _near(
        answers, index, lambda row, place: place.split == source and place != (split, row))
    return Flag(
        f"{source}-gold", f"Answers equal or near to the gold of other items of {source}",
        enough(rows, len(answers), LEAST_OTHER), len(rows), len(answers), rows, figures,
        f"Answers repeat gold answers that people wrote for other items of {source}.",
        "That anything is wrong: a system may answer with the nearest known item, and items may be "
        "about the same thing.",
    )


def _near(answers: Sequence[Units], index: Index, counts: Callable[[int, KnownAnswer], bool],
          ) -> tuple[tuple[RowNote, ...], tuple[str]]:
    """The rows (from 1) with a match that ``counts``, and how many of these are exact."""
    found = {row: best(match for match in index.matches(units) if counts(row, match.place))
             for row, units in enumerate(answers, start=1)}
    near = {row: match for row, match in found.items() if match is not None}
    exact = sum(match.exact for match in near.values())
    return (tuple(RowNote(row, str(match)) for row, match in near.items()),
            (f"{exact} exact, {len(near) - exact} near.",))
