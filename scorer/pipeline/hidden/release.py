"""The rule of release: one value an owner a period, on its day, rounded; turns in merge order.

Days are a function of what was merged and nothing else, so whoever reads the main branch computes
the same ones, and a later merge never changes an earlier day. A file that is withdrawn, removed or
cannot be scored keeps its turn: its owner could know what became of it. The days are what protects
labels; the grid keeps two files that differ in a row or two from showing those rows by accident.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from scorer.boards import Board
from scorer.boards.policy import chosen, shown
from scorer.core.errors import DataError
from scorer.core.results import MetricValue, Release, Released, Result, Unmeasured
from scorer.metrics.catalogue import METRICS, WHOLE_SPLIT


@dataclass(frozen=True)
class Turn:
    """A predictions file of one split, when it first came to the main branch."""

    path: str
    oid: str
    """The object that git keeps of its bytes."""
    merged: datetime.date
    owners: frozenset[str | int]
    """Its team's name, and the id of every account that owned the team up to then."""


class _Group(NamedTuple):
    owners: frozenset[str | int]
    last: datetime.date


def release(turns: Sequence[Turn], wait: int) -> list[datetime.date]:
    """For each file the day on which its value may be released.

    That is the day of its merge, or ``wait`` days after the last of its group: all teams that are
    connected by owners, up to then. ``turns``: those of one split, in the order of the merges.
    """
    groups: dict[str | int, _Group] = {}
    days = []
    for turn in turns:
        linked = {groups[owner] for owner in turn.owners if owner in groups}
        day = max([turn.merged, *(group.last + datetime.timedelta(wait) for group in linked)])
        owners = turn.owners.union(*(group.owners for group in linked))
        groups |= dict.fromkeys(owners, _Group(owners, day))
        days.append(day)
    return days


def step(grid: str, highest: float = 1.0) -> float:
    """A grid in the unit of a metric whose greatest value is ``highest``.

    >>> step("0.5"), step("0.5", 10.0)
    (0.005, 0.05)
    """
    return float(Fraction(grid) / 100 * Fraction(highest))


def rounded(value: float, grid: str, highest: float = 1.0) -> float:
    """The multiple of the grid nearest to ``value``, ties upwards, as the float nearest to it.

    ``value``: in the metric's unit, finite; taken as the simple fraction it stands for, so that
    261 / 400 is a tie. ``grid``: a step in points, hundredths of ``highest``, the metric's greatest
    value. Raises ValueError for no finite number.

    >>> rounded(261 / 400, "0.5"), rounded(0.6524, "0.5"), rounded(1 / 3, "2.5")
    (0.655, 0.65, 0.325)
    >>> rounded(6.524, "0.5", 10.0)
    6.5
    """
    if not math.isfinite(value):
        raise ValueError("only a finite number can be rounded")
    width = Fraction(grid) / 100 * Fraction(highest)
    exact = Fraction(value).limit_denominator(10**9)
    return float(math.floor(exact / width + Fraction(1, 2)) * width)


def unmeasured(name: str) -> str:
    """Why a released result has no value of a metric that the scoring machine did not measure, or
    that is no mean over items. The same on every machine."""
    info = METRICS[name]
    if info.total is not None:
        return f"not released: {WHOLE_SPLIT}"
    return f"not measured: {info.model} was not at hand" if info.model else "not measured"


def released(result: Result, board: Board, day: datetime.date) -> Result:
    """What may be published of a result: values on the grid or the reason for none.

    As many metrics have a value as the board releases, those that are ranked by first. Precision
    and recall, means over what passed, counts of annotations and broken rules, the null, and
    everything about single items stay behind. What is released already stays as it is, and
    nothing else does: so the publisher, who has no gold, tells the released form from any other.
    Raises DataError where no metric that is ranked by was measured: another would take its turn.
    """
    rows = result.counts["items"]
    grid = chosen(board.release, rows)
    measured = [name for name in board.metrics
                if name in result.metrics and METRICS[name].total is None
                and (result.metrics[name].value is not None
                     or result.metrics[name].reason == board.release.withheld)]
    public = {name: result.metrics[name].value
              for name in shown(board.ranking, measured, board.release.values)}
    if grid is None or public.keys().isdisjoint(board.ranking) or None in public.values():
        raise DataError(f"{board.id} {result.split}: nothing that may be released was measured")

    def value(name: str) -> MetricValue:
        exact, highest = public.get(name), METRICS[name].highest
        if exact is not None:
            return Released(value=rounded(exact, grid, highest), n=rows,
                            grid=step(grid, highest), signature=result.metrics[name].signature)
        reason = board.release.withheld if name in measured else unmeasured(name)
        return Unmeasured(value=None, reason=reason, n=rows)

    return result.replace(
        counts={"items": rows, "broken": {}, "strict": {}},
        metrics={name: value(name) for name in result.metrics}, items=(),
        release=Release(day=str(day)))
