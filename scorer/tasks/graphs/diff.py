"""How a predicted graph differs from a gold graph, edge by edge. Pure.

"Extra" says that the gold graph does not have the edge, not that the edge is wrong: a gold graph is
one good explanation, not the only one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from scorer.core.records import Edge

Status = Literal["kept", "changed", "reversed", "extra", "missing"]


class Mark(NamedTuple):
    """What became of one predicted edge."""

    status: Status
    gold: int | None = None
    """Position of the gold edge it answers, or None for an extra edge."""


class Diff(NamedTuple):
    """One mark per predicted edge, in order, and the positions of unanswered gold edges."""

    marks: tuple[Mark, ...]
    missing: tuple[int, ...]

    def count(self, status: Status) -> int:
        """How many edges have this status."""
        if status == "missing":
            return len(self.missing)
        return sum(mark.status == status for mark in self.marks)


def diff(gold: Sequence[Edge], predicted: Sequence[Edge]) -> Diff:
    """Answer every gold edge at most once: equal edges first, then changed, then reversed ones.

    >>> gold = [Edge("a", "causes", "b"), Edge("b", "is a", "c")]
    >>> found = diff(gold, [Edge("b", "causes", "a"), Edge("b", "part of", "c")])
    >>> [mark.status for mark in found.marks], found.missing
    (['reversed', 'changed'], ())
    """
    marks: list[Mark | None] = [None] * len(predicted)
    waiting = dict.fromkeys(range(len(gold)))
    status: Status
    for status in ("kept", "changed", "reversed"):
        for position, edge in enumerate(predicted):
            if marks[position] is None:
                answered = next((i for i in waiting if _is(status, gold[i], edge)), None)
                if answered is not None:
                    marks[position] = Mark(status, answered)
                    del waiting[answered]
    return Diff(tuple(mark or Mark("extra") for mark in marks), tuple(waiting))


def _is(status: Status, gold: Edge, edge: Edge) -> bool:
    if status == "kept":
        return gold == edge
    if status == "changed":
        return gold.source == edge.source and gold.target == edge.target
    return gold.source == edge.target and gold.target == edge.source


def closest(golds: Sequence[Sequence[Edge]], predicted: Sequence[Edge]) -> int:
    """The gold graph that has most in common with a prediction; the first on ties.

    >>> closest([[Edge("a", "is a", "b")], [Edge("a", "is a", "c")]], [Edge("a", "is a", "c")])
    1
    """
    def likeness(position: int) -> tuple[int, int, int]:
        found = diff(golds[position], predicted)
        answered = len(golds[position]) - len(found.missing)
        return found.count("kept"), answered, -position

    return max(range(len(golds)), key=likeness)
