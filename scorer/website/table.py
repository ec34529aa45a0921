"""Leaderboards as rows and cells, for the page, for CSV and for JSON. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scorer.board import Reported, ReportedRow
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.records import MetricValue
from scorer.website.read import ranking_metric
from scorer.website.render import NOTHING, score
from scorer.website.text import csv_cell
from scorer.website.views import Entry, SplitView


class Cell(NamedTuple):
    """One number in its three readings; ``note`` is the number of a reason below the table."""

    value: float | None
    text: str
    passed: float | None = None
    passed_text: str = NOTHING
    n_passed: int | None = None
    null_text: str = NOTHING
    lift: float | None = None
    lift_text: str = NOTHING
    lift_word: str = ""
    """``better``, ``worse`` or ``equal`` than the null; empty if there is none."""
    note: int = 0
    parts: str = ""


class TableRow(NamedTuple):
    """One system."""

    entry: Entry | None
    title: str
    by: str
    kind: str
    rank: int | None
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Block:
    """Rows that are sorted among themselves: scored here, or published in one place."""

    rows: tuple[TableRow, ...]
    reported: Reported | None = None
    golds: int | None = None
    """How many golds an item was scored against, where that is fewer than for other rows."""


@dataclass(frozen=True)
class Table:
    """A leaderboard."""

    view: SplitView
    columns: tuple[MetricInfo, ...]
    ordered_by: str
    blocks: tuple[Block, ...]
    reasons: tuple[str, ...]
    """Why numbers are missing, in the order of the notes."""


def leaderboard(view: SplitView) -> Table:
    """The table of one split: scored rows first, then each published table."""
    columns = tuple(METRICS[name] for name in _columns(view))
    metric = ranking_metric(view.board, view.entries)
    reasons: dict[str, int] = {}
    ranks = _ranks(view, metric)
    by_golds: dict[int, list[TableRow]] = {}
    for entry in view.entries:
        row = TableRow(
            entry, entry.title, entry.by, entry.kind, ranks.get(entry.key),
            tuple(_cell(entry.result.metrics.get(m.id), m, reasons) for m in columns),
        )
        by_golds.setdefault(golds_of(entry), []).append(row)
    most = max(by_golds, default=0)
    blocks = [
        Block(tuple(by_golds[golds]), golds=None if golds == most else golds)
        for golds in sorted(by_golds, reverse=True)
    ]
    blocks += [_reported(table, columns) for table in view.reported]
    return Table(view, columns, metric, tuple(blocks), tuple(reasons))


def golds_of(entry: Entry) -> int:
    """How many golds each item of an entry was scored against, at most."""
    golds: int = entry.result.provenance.get("gold", {}).get("golds", 1)
    return golds


def _columns(view: SplitView) -> list[str]:
    """The board's metrics that any row of this split could have."""
    if view.entries:
        return list(view.board.metrics)
    told = {name for table in view.reported for name in table.columns}
    return [name for name in view.board.metrics if name in told] or list(view.board.metrics)


def _ranks(view: SplitView, metric: str) -> dict[str, int]:
    """Equal values share a rank; practice boards and reference rows have none."""
    if view.board.practice:
        return {}
    values = {
        entry.key: entry.result.metrics[metric].value
        for entry in view.entries
        if entry.kind != "reference" and metric in entry.result.metrics
    }
    found = {key: value for key, value in values.items() if value is not None}
    higher = METRICS[metric].better == "higher"
    return {
        key: 1 + sum((v > value) if higher else (v < value) for v in found.values())
        for key, value in found.items()
    }


def _cell(found: MetricValue | None, metric: MetricInfo, reasons: dict[str, int]) -> Cell:
    if found is None or found.value is None:
        reason = (found.reason if found else None) or "not asked for when this row was scored"
        note = reasons.setdefault(f"{metric.id}: {reason}", len(reasons) + 1)
        return Cell(None, NOTHING, note=note)
    return Cell(
        found.value,
        score(found.value, metric),
        found.passed,
        score(found.passed, metric),
        found.n_passed if metric.graded else None,
        score(found.null, metric),
        found.lift,
        score(found.lift, metric, signed=True),
        lift_word(found, metric),
        parts=", ".join(f"{name} {score(v, metric)}" for name, v in found.parts.items()),
    )


def lift_word(found: MetricValue, metric: MetricInfo) -> str:
    """Whether a submission is better or worse than its null, in the metric's own direction."""
    if found.lift is None:
        return ""
    gain = found.lift if metric.better == "higher" else -found.lift
    return "equal" if abs(gain) < 5e-5 else "better" if gain > 0 else "worse"


def _reported(table: Reported, columns: Sequence[MetricInfo]) -> Block:
    def rows() -> Iterable[TableRow]:
        for row in table.rows:
            cells = tuple(_reported_cell(table, row, metric) for metric in columns)
            kind = "human" if row.human else "reported"
            yield TableRow(None, row.system, row.by, kind, None, cells)

    return Block(tuple(rows()), table)


def _reported_cell(table: Reported, row: ReportedRow, metric: MetricInfo) -> Cell:
    values = dict(zip(table.columns, row.values, strict=True))
    if metric.id not in values:
        return Cell(None, NOTHING)
    printed = values[metric.id]
    unscaled = metric.id in table.unscaled
    value = printed if unscaled else printed / table.scale
    parts = [
        f"{part} {values[f'{metric.id} {part}']:g}"
        for part in metric.parts
        if f"{metric.id} {part}" in values
    ]
    text = f"{printed:.2f}" if unscaled else f"{printed:.1f}"
    return Cell(value, text, parts=", ".join(parts))


# ---- files ---------------------------------------------------------------------------------------

_FIXED = ("team", "system", "title", "kind", "source", "golds")


def records(table: Table) -> list[dict[str, Any]]:
    """Every row as a plain mapping with full precision."""
    found = []
    for block in table.blocks:
        for row in block.rows:
            entry = row.entry
            metrics = {
                column.id: _numbers(entry, column, cell)
                for column, cell in zip(table.columns, row.cells, strict=True)
            }
            found.append({
                "team": entry.team if entry else None,
                "system": entry.system if entry else None,
                "title": row.title,
                "by": row.by,
                "kind": row.kind,
                "source": block.reported.source.url if block.reported else None,
                "golds": str(golds_of(entry)) if entry else None,
                "metrics": metrics,
            })
    return found


def _numbers(entry: Entry | None, column: MetricInfo, cell: Cell) -> dict[str, Any]:
    found: dict[str, Any] = {"value": cell.value}
    value = entry.result.metrics.get(column.id) if entry else None
    if value is not None and value.value is not None:
        found |= {"null": value.null, "lift": value.lift, "passed": value.passed,
                  "n": value.n, "n_passed": value.n_passed, **value.parts}
    elif value is not None:
        found["reason"] = value.reason
    return found


def csv_text(table: Table) -> str:
    """The table as CSV: full precision, no cell that a spreadsheet would run."""
    import pandas as pd

    names = [
        name
        for column in table.columns
        for name in (column.id, f"{column.id} null", f"{column.id} lift", f"{column.id} passed")
    ]
    rows = [
        [*(csv_cell(record[name] or "") for name in _FIXED),
         *_csv_numbers(table, record["metrics"])]
        for record in records(table)
    ]
    frame = pd.DataFrame(rows, columns=[*_FIXED, *map(csv_cell, names)], dtype=object)
    return str(frame.to_csv(index=False, lineterminator="\r\n"))


def _csv_numbers(table: Table, metrics: Mapping[str, Mapping[str, Any]]) -> list[float | None]:
    """Numbers as they are: a minus sign before digits is a number, not a formula."""
    return [
        metrics[column.id].get(name)
        for column in table.columns
        for name in ("value", "null", "lift", "passed")
    ]
