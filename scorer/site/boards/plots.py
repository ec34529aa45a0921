"""Any two columns of a leaderboard as dots, and the best value over time: the tables of their page,
which ``site/assets/plots.js`` draws. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from scorer.metrics.catalogue import METRICS
from scorer.scoring.results.leaderboard import Column, Row
from scorer.site.boards.leaderboards import Leaderboard
from scorer.site.exports.feed import timestamp
from scorer.site.page import Page
from scorer.site.records import BoardView, Entry

FOLDER = "plots/"
DRAWN = 200
"""So many scored rows are drawn, the first systems of a larger board."""
SYSTEMS = ("scored", "third-party", "preview")
NOT_SHOWN = 99
"""Stands for the place of a column that is not shown at first."""


class PlotPoint(NamedTuple):
    """One row of a leaderboard, scored or published, as plots see it."""

    title: str
    kind: str
    entry: Entry | None
    values: Mapping[str, float]
    intervals: Mapping[str, Sequence[float]]
    date: str = ""


def plot_pages(board: BoardView, known: Leaderboard) -> Iterator[Page]:
    """The page of a split, if two rows share two columns."""
    points = points_of(known)
    pairs = _pairs(known, points)
    if not pairs:
        return
    x, y = pairs[0]
    columns = [column for column in known.document.columns if any(column in pair for pair in pairs)]
    context = {
        "board": board.board, "boardview": board, "view": known.view,
        "x": x, "y": y, "columns": columns,
        "fitted": sum(point.kind in SYSTEMS for point in points) > 1,
        "points": [one for one in points if sum(column.id in one.values for column in columns) > 1],
        "progress": progress(known, points), "order": known.order, "compared": bool(known.pairs),
        "left": sum(not row.withdrawn for row in known.document.rows) - len(_drawn(known)),
    }
    title = f"{board.board.title}: {known.view.name}, {y.id} against {x.id}"
    yield Page(f"{known.view.path}{FOLDER}", title, "plots.html", context)


def points_of(known: Leaderboard) -> list[PlotPoint]:
    """The rows that may be drawn: scored ones as ordered, then those published elsewhere."""
    scored = [PlotPoint(known.title(row.key), row.kind, known.entries[row.key],
                        {name: float(one.v) for name, one in row.values.items()
                         if one.v is not None},
                        {name: cell.ci for name, cell in row.values.items() if cell.ci},
                        row.date or "")
              for row in _drawn(known)]
    return scored + [PlotPoint(row.system, "human" if row.human else "reported", None,
                               {name: float(value) for name, value in row.values.items()}, {})
                     for row in known.document.published]


def _drawn(known: Leaderboard) -> list[Row]:
    rows = [row for row in known.document.rows if not row.withdrawn]
    few = len(rows) <= DRAWN
    return [row for row in rows if few or row.kind != "reference"][:DRAWN]


def _pairs(known: Leaderboard, points: Sequence[PlotPoint]) -> list[tuple[Column, Column]]:
    """Every two columns that two rows have numbers for; first those with what orders rows, and of
    these the first as shown whose items are not just right or wrong."""
    lead = known.document.order.by

    def late(pair: tuple[Column, Column]) -> tuple[bool, list[tuple[bool, int]]]:
        others = [column for column in pair if column.id != lead]
        return len(others) == len(pair), [
            (column.id in METRICS and METRICS[column.id].binary, column.shown or NOT_SHOWN)
            for column in others]

    return sorted((pair for pair in combinations(known.document.columns, 2)
                   if sum(all(column.id in point.values for column in pair)
                          for point in points) > 1), key=late)


def progress(known: Leaderboard, points: Sequence[PlotPoint],
             ) -> list[tuple[PlotPoint, str, float, bool]]:
    """What orders rows over time: row, the day that it names, its value, whether it was the best so
    far; nothing with fewer than two days."""
    column = known.order
    if column is None:
        return []
    dated = sorted(((moment[:10], point) for point in points if point.kind != "reference"
                    and column.id in point.values and (moment := timestamp(point.date))),
                   key=lambda both: both[0])
    if len({day for day, _ in dated}) < 2:
        return []
    rows, best, sign = [], float("-inf"), 1 if column.better == "higher" else -1
    for day, point in dated:
        value = point.values[column.id]
        rows.append((point, day, value, sign * value > best))
        best = max(best, sign * value)
    return rows
