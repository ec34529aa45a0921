"""What orders the rows of a leaderboard, and why a metric that should does not. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scorer.boards import Board
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.scoring.judging import Judges, Standing, standing
from scorer.scoring.results.leaderboard import Order, PassedOver
from scorer.statistics import FEWEST


class ByPeople(NamedTuple):
    """A judge's metric as people correct it, which comes before that."""

    corrects: str
    column: str
    why_not: str
    """Why it does not order rows; empty if it does."""


_CODES = {"unfit": "judge-unfit", "no card": "judge-no-card", "never": "never-ranked",
          "different judges": "judges-differ"}


def ordering(board: Board, rows: Sequence[Result], judges: Judges,
             previews: Sequence[Result] = (), people: ByPeople | None = None) -> Order:
    """The first ranking metric that any row has and, if a judge gave it, that a fit judge gave all;
    before it the same as people correct it, where enough of them read enough of every row.

    Without one: the last ranking metric that needs no judge, in which every row is equal.
    ``previews``: rows that have no say.
    """
    passed_over: list[PassedOver] = []
    for metric in board.ranking:
        if people and metric == people.corrects:
            if not people.why_not:
                return Order(by=people.column, passed_over=passed_over)
            passed_over.append(PassedOver(id=people.column, code="people", text=people.why_not))
        why_not = _why_not(metric, rows, judges, previews)
        if why_not is None:
            return Order(by=metric, passed_over=passed_over)
        passed_over.append(why_not)
    plain = [metric for metric in board.ranking if METRICS[metric].judge is None]
    return Order(by=plain[-1] if plain else None,
                 passed_over=[one for one in passed_over if one.id not in plain[-1:]])


def _why_not(metric: str, rows: Sequence[Result], judges: Judges, previews: Sequence[Result],
             ) -> PassedOver | None:
    """Why a metric cannot order rows; None if it can."""
    if not any(value_of(row, metric) is not None for row in rows):
        previewed = any(value_of(row, metric) is not None for row in previews)
        what = "measured for previews alone" if previewed else "not measured for any row"
        return PassedOver(id=metric, code="unmeasured", text=f"it is {what}")
    how = standing(metric, rows, judges)
    if how is None or how.ranks:
        return None
    return PassedOver.model_validate(
        {"id": metric, "code": _CODES[how.state], "text": how.because})


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
