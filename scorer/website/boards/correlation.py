"""The page that shows how far each metric repeats the gate metric. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.statistics.correlation import (
    FEWEST_ROWS,
    ColumnCorrelation,
    RowCorrelation,
    over_rows,
    within,
)
from scorer.website.boards.table import Table
from scorer.website.page import Page
from scorer.website.records import BoardView, Entry, SplitView

FOLDER = "columns/"


class OverRows(NamedTuple):
    """Every column with the gate metric over some rows."""

    title: str
    rows: int
    columns: tuple[ColumnCorrelation, ...]


class WithinRow(NamedTuple):
    """Every column with the gate metric within one row, in the order of the metrics."""

    entry: Entry
    columns: tuple[RowCorrelation | None, ...]


def correlation_pages(board: BoardView, view: SplitView, table: Table) -> Iterator[Page]:
    """The page of a split whose board has a gate metric and whose rows say what passed."""
    rows = [entry for entry in view.entries if not entry.withdrawn]
    gate = board.board.task.gate_metric
    if gate is None or gate not in board.board.metrics or not rows or view.split.gold != "public":
        return
    columns = [column for column in table.columns if column.id != gate]
    metrics = [column.id for column in columns]
    context = {
        "board": board.board, "boardview": board, "view": view, "here": view.name,
        "gate": gate, "fewest": FEWEST_ROWS, "metrics": columns,
        "inside": [_within(entry, metrics, gate) for entry in rows if entry.result.items],
        "over_rows": list(_over_rows(table, rows, metrics, gate)),
    }
    yield Page(f"{view.path}{FOLDER}",
               f"{board.board.title}: {view.name}, correlation of each metric with {gate}",
               "correlation.html", context)


def _over_rows(
    table: Table, rows: Sequence[Entry], metrics: Sequence[str], gate: str
) -> Iterator[OverRows]:
    """Over submitted rows if there are enough, then over all: reference rows lie far apart."""
    sent = [entry for entry in rows if entry.kind != "reference"]
    if FEWEST_ROWS <= len(sent) < len(rows):
        yield OverRows("Over submitted rows", len(sent), _columns(table, sent, metrics, gate))
    title = "Over all rows, with reference rows" if len(sent) < len(rows) else "Over all rows"
    yield OverRows(title, len(rows), _columns(table, rows, metrics, gate))


def _columns(
    table: Table, rows: Sequence[Entry], metrics: Sequence[str], gate: str
) -> tuple[ColumnCorrelation, ...]:
    """Only values of one signature are put together: those of the largest group."""
    found = []
    for metric in metrics:
        main = table.groups_by_metric[metric].main
        mine = {entry.key for entry in main.entries} if main else set()
        results = [entry.result for entry in rows if entry.key in mine]
        found.append(over_rows(results, metric, gate))
    return tuple(found)


def _within(entry: Entry, metrics: Sequence[str], gate: str) -> WithinRow:
    found = {one.metric: one for one in within(entry.result, metrics, gate)}
    return WithinRow(entry, tuple(found.get(metric) for metric in metrics))
