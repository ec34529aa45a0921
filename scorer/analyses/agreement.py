"""Systems against each other, item by item: which items all get right, and who wins where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from scorer.analyses.levels import Level, right
from scorer.metrics.catalogue import MetricInfo
from scorer.records import ItemResult

Consent = Literal["all right", "some right", "all wrong"]

TIE = 1e-9
"""Scores nearer than this are equal: what summing in another order may change."""


@dataclass(frozen=True)
class Agreement:
    """Which systems are right on which item, at one level."""

    level: Level
    systems: tuple[str, ...]
    """The systems that were measured at this level."""
    right: tuple[tuple[str, ...], ...]
    """For each item in order, the systems that are right."""

    def rows(self, consent: Consent) -> tuple[int, ...]:
        """The items on which the systems agree in this way; none if there is no system."""
        return tuple(row for row, systems in enumerate(self.right, start=1)
                     if self.systems and self._consent(len(systems)) == consent)

    def _consent(self, count: int) -> Consent:
        if count == len(self.systems):
            return "all right"
        return "some right" if count else "all wrong"

    @property
    def by_count(self) -> dict[int, tuple[int, ...]]:
        """Rows by how many systems are right, from none to all."""
        rows: dict[int, list[int]] = {count: [] for count in range(len(self.systems) + 1)}
        for row, systems in enumerate(self.right, start=1):
            rows[len(systems)].append(row)
        return {count: tuple(found) for count, found in rows.items()}

    def only(self, first: str, second: str) -> tuple[int, ...]:
        """The items on which the first system is right and the second one wrong."""
        return tuple(row for row, systems in enumerate(self.right, start=1)
                     if first in systems and second not in systems)


def agreement(level: Level, systems: Mapping[str, Sequence[ItemResult]]) -> Agreement:
    """The agreement of some systems, each with all items of the split in order.

    A system that no judge has judged has no say on semantics and is left out.
    """
    told = {name: [right(item, level) for item in items] for name, items in systems.items()}
    told = {name: answers for name, answers in told.items() if None not in answers}
    each = zip(*told.values(), strict=True)
    return Agreement(level, tuple(told), tuple(
        tuple(name for name, ok in zip(told, answers, strict=True) if ok) for answers in each))


class Duel(NamedTuple):
    """One system against another on one metric: rows won, lost and tied by the first."""

    won: tuple[int, ...]
    lost: tuple[int, ...]
    tied: tuple[int, ...]


def duel(
    metric: MetricInfo, first: Sequence[ItemResult], second: Sequence[ItemResult]
) -> Duel | None:
    """Who is better on which item; None if one of the two was not measured."""
    sign = 1 if metric.better == "higher" else -1
    won: list[int] = []
    lost: list[int] = []
    tied: list[int] = []
    for one, other in zip(first, second, strict=True):
        if metric.id not in one.scores or metric.id not in other.scores:
            return None
        gain = sign * (one.scores[metric.id].value - other.scores[metric.id].value)
        (tied if abs(gain) < TIE else won if gain > 0 else lost).append(one.row)
    return Duel(tuple(won), tuple(lost), tuple(tied))
