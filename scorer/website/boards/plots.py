"""Any two columns of a leaderboard as dots, and the best value over time: their page. Pure.

The first two columns are drawn when the site is built, any others by ``site/assets/plots.js``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import combinations
from typing import NamedTuple

from markupsafe import Markup

from scorer.metrics.catalogue import METRICS
from scorer.results.leaderboard import Column, Row
from scorer.scoring.leaderboard.numbers import number
from scorer.website.boards.leaderboards import Leaderboard
from scorer.website.boards.plot_svg import Axis, Dot, key_mark, plot, round_steps, span
from scorer.website.exports.feed import timestamp
from scorer.website.page import Page
from scorer.website.records import BoardView, Entry

FOLDER = "plots/"
DRAWN = 200
"""So many scored rows are drawn, the first systems of a larger board."""
SYSTEMS = ("scored", "third-party", "preview")
METRICS_SHOWN = 99
"""Stands for the place of a column that is not shown at first."""


class Point(NamedTuple):
    """One row of a leaderboard, scored or published, as plots see it."""

    title: str
    kind: str
    entry: Entry | None
    values: Mapping[str, float]
    intervals: Mapping[str, Sequence[float]]
    date: str = ""


class Progress(NamedTuple):
    """The best value over time."""

    picture: Markup
    column: Column
    rows: tuple[tuple[Point, bool], ...]
    """By date, with whether each was the best of its day."""


def plot_pages(board: BoardView, known: Leaderboard) -> Iterator[Page]:
    """The page of a split, if two rows share two columns."""
    points = points_of(known)
    pairs = _pairs(known, points)
    if not pairs:
        return
    x, y = pairs[0]
    columns = [one for one in known.document.columns if any(one in pair for pair in pairs)]
    context = {
        "board": board.board, "boardview": board, "view": known.view,
        "picture": scatter(points, x, y), "x": x, "y": y, "columns": columns, "key_mark": key_mark,
        "fitted": sum(one.kind in SYSTEMS for one in points) > 1,
        "points": [one for one in points if sum(column.id in one.values for column in columns) > 1],
        "progress": progress(known, points), "compared": bool(known.pairs),
        "left": sum(not row.withdrawn for row in known.document.rows) - len(_drawn(known)),
    }
    title = f"{board.board.title}: {known.view.name}, {y.id} against {x.id}"
    yield Page(f"{known.view.path}{FOLDER}", title, "plots.html", context)


def points_of(known: Leaderboard) -> list[Point]:
    """The rows that may be drawn: scored ones as ordered, then those published elsewhere."""
    scored = [Point(known.title(row.key), row.kind, known.entries[row.key],
                    {name: float(one.v) for name, one in row.values.items() if one.v is not None},
                    {name: one.ci for name, one in row.values.items() if one.ci}, row.date or "")
              for row in _drawn(known)]
    return scored + [Point(one.system, "human" if one.human else "reported", None,
                           {name: float(value) for name, value in one.values.items()}, {})
                     for one in known.document.published]


def _drawn(known: Leaderboard) -> list[Row]:
    rows = [row for row in known.document.rows if not row.withdrawn]
    few = len(rows) <= DRAWN
    return [row for row in rows if few or row.kind != "reference"][:DRAWN]


def _pairs(known: Leaderboard, points: Sequence[Point]) -> list[tuple[Column, Column]]:
    """Every two columns that two rows have numbers for; first those with what orders rows, and of
    these the first one whose items are not just right or wrong."""
    found = [pair for pair in combinations(known.document.columns, 2)
             if sum(all(one.id in point.values for one in pair) for point in points) > 1]
    lead = known.document.order.by
    found.sort(key=lambda pair: (lead not in (pair[0].id, pair[1].id),
                                 [_late(one) for one in pair if one.id != lead]))
    return found


def _late(column: Column) -> tuple[bool, int]:
    """How late a column is drawn: those that know right and wrong alone last, then as shown."""
    return column.id in METRICS and METRICS[column.id].binary, column.shown or METRICS_SHOWN


def _axis(column: Column, values: Sequence[float]) -> Axis:
    low, high = span(values)
    ticks = [(step, number(step, column)) for step in round_steps(low, high)]
    return Axis(f"{column.id} ({column.better} is better)", low, high, ticks)


def scatter(points: Sequence[Point], x: Column, y: Column) -> Markup:
    """Two columns against each other: each row that has both is a dot with its name. The axes fit
    the systems, where there are two: gold, say, would leave them a corner."""
    there = [one for one in points if x.id in one.values and y.id in one.values]
    dots = [Dot(one.values[x.id], one.values[y.id], one.title, one.kind,
                f"{one.title}: {x.id} {number(one.values[x.id], x)}, "
                f"{y.id} {number(one.values[y.id], y)}") for one in there]
    systems = [dot for dot in dots if dot.kind in SYSTEMS]
    fitting = systems if len(systems) > 1 else dots
    across, up = _axis(x, [dot.x for dot in fitting]), _axis(y, [dot.y for dot in fitting])
    inside = [dot for dot in dots if across.low <= dot.x <= across.high
              and up.low <= dot.y <= up.high]
    about = f"{len(there)} rows; their values are in the table below."
    return plot(f"{y.id} against {x.id}", about, across, up, inside)


def progress(known: Leaderboard, points: Sequence[Point]) -> Progress | None:
    """What orders rows over time, by the day that each names; None with fewer than two days."""
    column = known.order
    dated = sorted(((moment, one) for one in points if column and one.kind != "reference"
                    and column.id in one.values and (moment := timestamp(one.date))),
                   key=lambda both: both[0])
    days = [_days(moment) for moment, _ in dated]
    if column is None or len(set(days)) < 2:
        return None
    rows, corners, best = [], list[tuple[float, float]](), None
    sign = 1 if column.better == "higher" else -1
    for day, (_, one) in zip(days, dated, strict=True):
        value = one.values[column.id]
        ahead = best is None or sign * value > sign * best
        if ahead:
            best = value
            corners.append((day, value))
        rows.append((one, ahead))
    dots = [Dot(day, one.values[column.id], one.title if ahead else "", one.kind,
                f"{one.title}, {one.date}: {column.id} {number(one.values[column.id], column)}")
            for day, (one, ahead) in zip(days, rows, strict=True)]
    picture = plot(f"{column.id} over time", f"{len(rows)} rows by the day that each names; the "
                   "line is the best value so far.", _time(days),
                   _axis(column, [dot.y for dot in dots]), dots, best=corners)
    return Progress(picture, column, tuple(rows))


def _days(moment: str) -> float:
    """Days since 1970 of what ``timestamp`` gives."""
    return datetime.fromisoformat(moment).timestamp() / 86_400


def _time(days: Sequence[float]) -> Axis:
    """From the first day to the last, a tick at both ends and at quarters between."""
    low, high = span(days)
    first, last = min(days), max(days)
    at = sorted({round(first + (last - first) * part / 4) for part in range(5)})
    return Axis("date that the row names", low, high, [
        (day, datetime.fromtimestamp(day * 86_400, UTC).strftime("%Y-%m-%d")) for day in at])
