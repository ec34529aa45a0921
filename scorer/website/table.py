"""Leaderboards as rows and cells, for the page, for CSV and for JSON. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scorer.board import Reported, ReportedRow
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.records import MetricValue
from scorer.website.judging import JudgeRef, Standing, standing
from scorer.website.ranking import Ordering, ordering, ranks
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
    judge: JudgeRef | None = None
    """Who judged it, where a column has more judges than one."""


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
    judged: tuple[str, ...] = ()
    """Columns of a published table that judges gave."""


@dataclass(frozen=True)
class Table:
    """A leaderboard."""

    view: SplitView
    columns: tuple[MetricInfo, ...]
    ordering: Ordering
    blocks: tuple[Block, ...]
    reasons: tuple[str, ...]
    """Why numbers are missing, in the order of the notes."""
    standings: Mapping[str, Standing]
    """Who judged the columns that judges give, and whether these may order rows."""

    @property
    def ordered_by(self) -> str | None:
        """The metric that rows are ordered by, if anything may order them."""
        return self.ordering.metric


def leaderboard(view: SplitView) -> Table:
    """The table of one split: scored rows first, then each published table."""
    standings = _standings(view)
    columns = tuple(METRICS[name] for name in _columns(view, standings))
    order = ordering(view.board, view.entries, view.judges)
    places = ranks(view.entries, order.metric) if order.metric and not view.board.practice else {}
    reasons: dict[str, int] = {}
    by_golds: dict[int, list[TableRow]] = {}
    for entry in view.entries:
        row = TableRow(
            entry, entry.title, entry.by, entry.kind, places.get(entry.key),
            tuple(_judged(view, entry, m, standings.get(m.id), reasons) for m in columns),
        )
        by_golds.setdefault(golds_of(entry), []).append(row)
    most = max(by_golds, default=0)
    blocks = [
        Block(tuple(by_golds[golds]), golds=None if golds == most else golds)
        for golds in sorted(by_golds, reverse=True)
    ]
    blocks += [_reported(table, columns) for table in view.reported]
    return Table(view, columns, order, tuple(blocks), tuple(reasons), standings)


def golds_of(entry: Entry) -> int:
    """How many golds each item of an entry was scored against, at most."""
    golds: int = entry.result.provenance.get("gold", {}).get("golds", 1)
    return golds


def _standings(view: SplitView) -> dict[str, Standing]:
    results = [entry.result for entry in view.entries]
    found = {name: standing(name, results, view.judges) for name in view.board.metrics}
    return {name: how for name, how in found.items() if how is not None}


def _columns(view: SplitView, standings: Mapping[str, Standing]) -> list[str]:
    """The board's metrics that any row of this split could have.

    A judged column that may not order rows stands after the last plausibility column.
    """
    if view.entries:
        names = list(view.board.metrics)
        last = max((i for i, name in enumerate(names) if METRICS[name].group == "plausibility"),
                   default=-1)
        late = [name for name in names[:last] if name in standings and not standings[name].ranks]
        return [name for name in names[:last + 1] if name not in late] + late + names[last + 1:]
    told = {name for table in view.reported for name in table.columns}
    return [name for name in view.board.metrics if name in told] or list(view.board.metrics)


def _judged(
    view: SplitView, entry: Entry, metric: MetricInfo, how: Standing | None,
    reasons: dict[str, int],
) -> Cell:
    """A cell that names its judge, if not all of its column have the same."""
    cell = _cell(entry.result.metrics.get(metric.id), metric, reasons)
    if how is None or len(how.judges) == 1:
        return cell
    return cell._replace(judge=view.judges.behind(entry.result, metric.id))


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

    judged = tuple(m.id for m in columns if m.judge and m.id in table.columns)
    return Block(tuple(rows()), table, judged=judged)


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
                column.id: _numbers(table, entry, column, cell)
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


def _numbers(
    table: Table, entry: Entry | None, column: MetricInfo, cell: Cell
) -> dict[str, Any]:
    found: dict[str, Any] = {"value": cell.value}
    value = entry.result.metrics.get(column.id) if entry else None
    judge = table.view.judges.behind(entry.result, column.id) if entry else None
    if judge is not None:
        found["judge"] = judge.tag
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
        for name in (column.id, f"{column.id} null", f"{column.id} lift", f"{column.id} passed",
                     *([f"{column.id} judge"] if column.judge else []))
    ]
    rows = [
        [*(csv_cell(record[name] or "") for name in _FIXED),
         *_csv_numbers(table, record["metrics"])]
        for record in records(table)
    ]
    frame = pd.DataFrame(rows, columns=[*_FIXED, *map(csv_cell, names)], dtype=object)
    return str(frame.to_csv(index=False, lineterminator="\r\n"))


def _csv_numbers(table: Table, metrics: Mapping[str, Mapping[str, Any]]) -> list[Any]:
    """Numbers as they are: a minus sign before digits is a number, not a formula."""
    found: list[Any] = []
    for column in table.columns:
        numbers = metrics[column.id]
        found += [numbers.get(name) for name in ("value", "null", "lift", "passed")]
        found += [csv_cell(numbers.get("judge", ""))] if column.judge else []
    return found
