"""What orders the rows of a leaderboard, and why a metric that should does not. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scorer.metrics.catalogue import METRICS
from scorer.website.boards.people_columns import PeopleColumns, people_columns
from scorer.website.judges.judging import Judges, standing
from scorer.website.records import Entry, SplitView, official


class PassedOver(NamedTuple):
    """A ranking metric that does not order the rows."""

    metric: str
    because: str
    """To follow *would rank, but*: ``it is not measured for any row``."""


class Ordering(NamedTuple):
    """What rows are ordered by."""

    metric: str | None
    """None: nothing may order them, so they stand in the order of their names."""
    passed_over: tuple[PassedOver, ...] = ()


def ordering(view: SplitView, people: PeopleColumns | None) -> Ordering:
    """The first ranking metric that any row has and, if a judge gave it, that a fit judge gave all;
    before it the same as people correct it, where enough of them read enough of every row.

    Without one: the last ranking metric that needs no judge, in which every row is equal. Previews
    have no say where there are other rows.
    """
    board, passed_over = view.board, list[PassedOver]()
    for metric in board.ranking:
        if people and people.powered and metric == people.corrects:
            if not people.why_not:
                return Ordering(people.powered.id, tuple(passed_over))
            passed_over.append(PassedOver(people.powered.id, "; ".join(people.why_not)))
        because = _why_not(metric, view.entries, view.judges)
        if not because:
            return Ordering(metric, tuple(passed_over))
        passed_over.append(PassedOver(metric, because))
    plain = [metric for metric in board.ranking if METRICS[metric].judge is None]
    return Ordering(
        plain[-1] if plain else None,
        tuple(one for one in passed_over if one.metric not in plain[-1:]),
    )


def _why_not(metric: str, entries: Sequence[Entry], judges: Judges) -> str:
    """Why a metric cannot order rows; empty if it can."""
    counting = official(entries)
    if not any(_value(entry, metric) is not None for entry in counting):
        previewed = any(_value(entry, metric) is not None for entry in entries)
        return f"it is {'measured for previews alone' if previewed else 'not measured for any row'}"
    how = standing(metric, [entry.result for entry in counting], judges)
    return how.because if how is not None else ""


def ranked(view: SplitView) -> list[Entry]:
    """A split's entries by what orders them, the unmeasured last; equal ones by name."""
    people = people_columns(view)
    metric = ordering(view, people).metric
    if metric is None:
        return sorted(view.entries, key=lambda entry: entry.key)
    sign = -1 if metric not in METRICS or METRICS[metric].better == "higher" else 1

    def place(entry: Entry) -> tuple[bool, float, str]:
        value = (_value(entry, metric) if metric in METRICS or people is None
                 else people.value(entry.key))
        return value is None, sign * (value or 0.0), entry.key

    return sorted(view.entries, key=place)


def _value(entry: Entry, metric: str) -> float | None:
    found = entry.result.metrics.get(metric)
    return found.value if found is not None else None
