"""The page that shows how far each metric repeats StCA. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.statistics.correlation import FEWEST_ROWS, GATE, ColumnEcho, RowEcho, over_rows, within
from scorer.website.boards.table import Table
from scorer.website.page import Page
from scorer.website.records import BoardView, Entry, SplitView

FOLDER = "columns/"


class Echoes(NamedTuple):
    """Every column against StCA over some rows."""

    title: str
    rows: int
    columns: tuple[ColumnEcho, ...]


class Within(NamedTuple):
    """Every column against StCA within one row, in the order of the metrics."""

    entry: Entry
    echoes: tuple[RowEcho | None, ...]


def echo_pages(board: BoardView, view: SplitView, table: Table) -> Iterator[Page]:
    """The page of a split whose board has StCA and whose rows say what passed."""
    rows = [entry for entry in view.entries if not entry.withdrawn]
    metrics = [column.id for column in table.columns if column.id != GATE]
    inside = tuple(_within(entry, metrics) for entry in rows if entry.result.items)
    if GATE not in view.board.metrics or not rows or view.split.gold != "public":
        return
    context = {
        "board": board.board, "boardview": board, "view": view, "here": view.name,
        "gate": GATE, "fewest": FEWEST_ROWS, "inside": inside,
        "metrics": [column for column in table.columns if column.id != GATE],
        "echoes": list(_echoes(table, rows, metrics)),
    }
    yield Page(f"{view.path}{FOLDER}",
               f"{board.board.title}: {view.name}, correlation of each metric with {GATE}",
               "echo.html", context)


def _echoes(table: Table, rows: Sequence[Entry], metrics: Sequence[str]) -> Iterator[Echoes]:
    """Over submitted rows if there are enough, then over all: reference rows lie far apart."""
    sent = [entry for entry in rows if entry.kind != "reference"]
    if FEWEST_ROWS <= len(sent) < len(rows):
        yield Echoes("Over submitted rows", len(sent), _columns(table, sent, metrics))
    yield Echoes("Over all rows, with reference rows" if len(sent) < len(rows) else "Over all rows",
                 len(rows), _columns(table, rows, metrics))


def _columns(table: Table, rows: Sequence[Entry], metrics: Sequence[str]) -> tuple[ColumnEcho, ...]:
    """Only values of one signature are put together: those of the largest field."""
    found: list[ColumnEcho] = []
    for metric in metrics:
        main = table.contests[metric].main
        mine = {entry.key for entry in main.entries} if main else set()
        results = [entry.result for entry in rows if entry.key in mine]
        found += over_rows(results, [metric])
    return tuple(found)


def _within(entry: Entry, metrics: Sequence[str]) -> Within:
    found = {echo.metric: echo for echo in within(entry.result, metrics)}
    return Within(entry, tuple(found.get(metric) for metric in metrics))
