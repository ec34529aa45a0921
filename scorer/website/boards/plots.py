"""Any two columns of a leaderboard as dots, and the best value over time: their page. Pure.

The first two columns are drawn when the site is built, any others by ``site/assets/plots.js``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import combinations
from typing import NamedTuple

from markupsafe import Markup

from scorer.metrics.catalogue import MetricInfo
from scorer.website.boards.comparing import metrics_compared
from scorer.website.boards.plot_svg import Axis, Dot, key_mark, plot, round_steps, span
from scorer.website.boards.table import Cell, Table, TableRow
from scorer.website.exports.feed import timestamp
from scorer.website.page import Page
from scorer.website.records import BoardView, SplitView
from scorer.website.render import score

FOLDER = "plots/"


class Plotted(NamedTuple):
    """One row of a leaderboard, in the table below a plot or among all that may be drawn."""

    number: int
    """Of its dot in the plot; 0 without one."""
    mark: Markup
    row: TableRow
    cells: tuple[Cell, ...]
    date: str = ""
    best: bool = False
    """Whether it was the best of its day."""


class Plot(NamedTuple):
    """A picture and its numbers; the picture is None where there is nothing to draw."""

    picture: Markup | None
    metrics: tuple[MetricInfo, ...]
    rows: tuple[Plotted, ...]


def plot_pages(board: BoardView, view: SplitView, table: Table) -> Iterator[Page]:
    """The page of a split, if two rows share two columns."""
    pairs = _pairs(table)
    if not pairs:
        return
    x, y = pairs[0]
    columns = [one for one in table.columns if any(one in pair for pair in pairs)]
    context = {
        "board": board.board, "boardview": board, "view": view, "here": view.name,
        "scatter": scatter(table, x, y), "x": x, "y": y, "columns": columns,
        "rows": list(_listed(table, x, y, columns)),
        "progress": progress(table), "compared": bool(metrics_compared(table)),
    }
    title = f"{board.board.title}: {view.name}, {y.id} against {x.id}"
    yield Page(f"{view.path}{FOLDER}", title, "plots.html", context)


def _pairs(table: Table) -> list[tuple[MetricInfo, MetricInfo]]:
    """Every two columns that two rows have numbers for, in the table's order; first the column
    that orders rows with the next one after it that is not a gate's."""
    found = [pair for pair in combinations(table.columns, 2) if len(_rows(table, pair)) > 1]
    lead = table.ordered_by
    found.sort(key=lambda pair: (lead not in (pair[0].id, pair[1].id),
                                 any(not one.graded and one.id != lead for one in pair)))
    return found


def _listed(table: Table, x: MetricInfo, y: MetricInfo, columns: Sequence[MetricInfo]
            ) -> Iterator[Plotted]:
    """Every row with a number in two columns, with a cell for each that may be drawn."""
    places = [table.columns.index(one) for one in columns]
    drawn = {id(row): number for number, (row, _) in enumerate(_rows(table, (x, y)), start=1)}
    for block in table.blocks:
        for row in block.rows:
            cells = tuple(row.cells[place] for place in places)
            if sum(cell.value is not None for cell in cells) > 1:
                yield Plotted(drawn.get(id(row), 0), key_mark(row.kind), row, cells)


def _rows(table: Table, metrics: Sequence[MetricInfo]) -> list[tuple[TableRow, tuple[Cell, ...]]]:
    """The rows that have a number in every column asked for."""
    places = [table.columns.index(metric) for metric in metrics]
    rows = ((row, tuple(row.cells[place] for place in places))
            for block in table.blocks for row in block.rows)
    return [(row, cells) for row, cells in rows if all(cell.value is not None for cell in cells)]


def _axis(metric: MetricInfo, values: Sequence[float]) -> Axis:
    low, high = span(values)
    ticks = [(step, score(step, metric)) for step in round_steps(low, high)]
    return Axis(f"{metric.id} ({metric.better} is better)", low, high, ticks)


def scatter(table: Table, x: MetricInfo, y: MetricInfo) -> Plot:
    """Two columns against each other: each row that has both is a dot."""
    rows = [Plotted(number, key_mark(row.kind), row, cells)
            for number, (row, cells) in enumerate(_rows(table, (x, y)), start=1)]
    points = [tuple(cell.value or 0.0 for cell in one.cells) for one in rows]
    dots = [Dot(point[0], point[1], one.number, one.row.kind,
                f"{one.row.title}: {x.id} {one.cells[0].text}, {y.id} {one.cells[1].text}")
            for one, point in zip(rows, points, strict=True)]
    picture = plot(
        f"{y.id} against {x.id}", f"{len(rows)} rows, numbered as in the table below.",
        _axis(x, [point[0] for point in points]), _axis(y, [point[1] for point in points]), dots)
    return Plot(picture, (x, y), tuple(rows))


def progress(table: Table) -> Plot | None:
    """What orders rows over time: submissions and predictions by others, the day each names."""
    metric = next((one for one in table.columns if one.id == table.ordered_by), None)
    if metric is None:
        return None
    dated = sorted(
        ((day, row, cells) for row, cells in _rows(table, (metric,))
         if row.entry and row.kind != "reference" and not row.entry.withdrawn
         and (day := timestamp(row.entry.date)) is not None), key=lambda one: one[0])
    rows, corners, best = [], [], None
    sign = 1 if metric.better == "higher" else -1
    for number, (day, row, cells) in enumerate(dated, start=1):
        value = cells[0].value or 0.0
        ahead = best is None or sign * value > sign * best
        if ahead:
            best = value
            corners.append((_days(day), value))
        date = row.entry.date if row.entry else ""
        rows.append(Plotted(number, key_mark(row.kind), row, cells, date, ahead))
    days = [_days(day) for day, _, _ in dated]
    if len(set(days)) < 2:
        return Plot(None, (metric,), tuple(rows))
    dots = [Dot(day, one.cells[0].value or 0.0, one.number, one.row.kind,
                f"{one.row.title}, {one.date}: {metric.id} {one.cells[0].text}")
            for day, one in zip(days, rows, strict=True)]
    picture = plot(
        f"{metric.id} over time", f"{len(rows)} rows by the day that each names; the line is the "
        "best value so far.", _time(days), _axis(metric, [dot.y for dot in dots]), dots,
        best=corners)
    return Plot(picture, (metric,), tuple(rows))


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
