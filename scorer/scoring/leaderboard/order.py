"""What orders the rows of a leaderboard, and why a metric that should does not. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scorer.board import Board
from scorer.metrics.catalogue import METRICS
from scorer.records import Result
from scorer.scoring.judging import Judges, Standing, standing
from scorer.statistics import FEWEST


class PassedOver(NamedTuple):
    """A ranking metric that does not order the rows."""

    metric: str
    because: str
    """To follow *would rank, but*: ``it is not measured for any row``."""
    code: str = "unmeasured"


class Ordering(NamedTuple):
    """What rows are ordered by."""

    metric: str | None
    """None: nothing may order them, so they stand in the order of their names."""
    passed_over: tuple[PassedOver, ...] = ()


class ByPeople(NamedTuple):
    """A judge's metric as people correct it, which comes before that."""

    corrects: str
    column: str
    why_not: str
    """Why it does not order rows; empty if it does."""


_CODES = {"unfit": "judge-unfit", "no card": "judge-no-card", "never": "never-ranked",
          "different judges": "judges-differ"}


def ordering(board: Board, rows: Sequence[Result], judges: Judges,
             previews: Sequence[Result] = (), people: ByPeople | None = None) -> Ordering:
    """The first ranking metric that any row has and, if a judge gave it, that a fit judge gave all;
    before it the same as people correct it, where enough of them read enough of every row.

    Without one: the last ranking metric that needs no judge, in which every row is equal.
    ``previews``: rows that have no say.
    """
    passed_over: list[PassedOver] = []
    for metric in board.ranking:
        if people and metric == people.corrects:
            if not people.why_not:
                return Ordering(people.column, tuple(passed_over))
            passed_over.append(PassedOver(people.column, people.why_not, "people"))
        why_not = _why_not(metric, rows, judges, previews)
        if why_not is None:
            return Ordering(metric, tuple(passed_over))
        passed_over.append(why_not)
    plain = [metric for metric in board.ranking if METRICS[metric].judge is None]
    return Ordering(
        plain[-1] if plain else None,
        tuple(one for one in passed_over if one.metric not in plain[-1:]),
    )


def _why_not(metric: str, rows: Sequence[Result], judges: Judges, previews: Sequence[Result],
             ) -> PassedOver | None:
    """Why a metric cannot order rows; None if it can."""
    if not any(value_of(row, metric) is not None for row in rows):
        previewed = any(value_of(row, metric) is not None for row in previews)
        what = "measured for previews alone" if previewed else "not measured for any row"
        return PassedOver(metric, f"it is {what}")
    how = standing(metric, rows, judges)
    return None if how is None or how.ranks else PassedOver(metric, how.because, _CODES[how.state])


def value_of(result: Result, metric: str) -> float | None:
    """A result's value of a metric, if it has one."""
    found = result.metrics.get(metric)
    return found.value if found is not None else None


def why_nobody(board: Board, split: str, how: Standing | None) -> str:
    """Why nobody has a rank, whatever the rows are; empty if there may be ranks.

    ``how``: the standing of a column that a judge gives.
    """
    rows = board.splits[split].rows
    if rows < FEWEST:
        return f"{rows} items are too few ({FEWEST} needed)"
    if board.practice:
        return "this is a practice board"
    if board.splits[split].gold != "public":
        return "the gold is hidden, so we have no per-item scores to compare"
    return "" if how is None or how.ranks else how.because
