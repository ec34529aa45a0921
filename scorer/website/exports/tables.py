"""A leaderboard as CSV: the rows and columns that its page shows, in full precision."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scorer.board.published import PublishedSource
from scorer.metrics.catalogue import MetricInfo
from scorer.results.signature import short
from scorer.website.boards.standings import RowRanks
from scorer.website.boards.table import Block, Cell, Table, TableRow, golds_of
from scorer.website.records import Entry
from scorer.website.text import csv_cell

_FIXED = ("team", "system", "title", "kind", "source", "golds", "withdrawn")


def leaderboard_csv(table: Table) -> bytes:
    """``leaderboard.csv``: no cell that a spreadsheet would run."""
    return csv_text(table).encode()


def records(table: Table) -> list[dict[str, Any]]:
    """Every row as a plain mapping with full precision."""
    return [_record(table, row, block) for block in table.blocks for row in block.rows]


def _record(table: Table, row: TableRow, block: Block) -> dict[str, Any]:
    entry, source = row.entry, block.source
    team, _, system = entry.name.partition("/") if entry else (None, "", None)
    return {
        "team": team,
        "system": system,
        "title": row.title,
        "by": row.by,
        "kind": row.kind,
        "source": block.link.url if block.link else None,
        "golds": str(golds_of(entry)) if entry else None,
        "withdrawn": entry.withdrawn or None if entry else None,
        **({"tags": list(entry.tags)} if entry and entry.tags else {}),
        **({"published": _published(source, row)} if source else {}),
        "metrics": {column.id: _numbers(table, entry, column, cell)
                    for column, cell in zip(table.columns, row.cells, strict=True)},
        **({"people": {column.id: _of_people(table, entry, column)
                       for column in table.said}} if table.people else {}),
    }


def _published(source: PublishedSource, row: TableRow) -> dict[str, Any]:
    """Where a row's numbers were read, and what it is."""
    return {"id": source.id, "title": source.title, "place": source.place,
            "second_hand": source.second_hand, "test_set": source.test_set,
            "what": row.what or source.what, "date": row.date or None}


def _of_people(table: Table, entry: Entry | None, column: MetricInfo) -> dict[str, Any]:
    """What people said of a row: nothing of rows published elsewhere."""
    people = table.people
    if people is None or entry is None:
        return {"value": None}
    found = next(one for one in people.said(entry) if one.metric == column)
    told: dict[str, Any] = {"value": found.value, "low": found.interval.low,
                            "high": found.interval.high, "interval": found.interval.method,
                            "interval_note": found.interval.note}
    if found.value is None:
        return told | {"reason": found.why_not}
    if people.people.simulated_of(entry.key):
        told["simulated"] = True
    if column != people.powered:
        votes = people.people.votes[entry.key]
        return told | {"graphs": len(votes.read),
                       "votes": sum(len(one.votes) for one in votes.read)}
    row = people.rows[entry.key]
    return told | {"judge_weight": row.powered.weight, "verified": row.powered.verified,
                   "passed": row.powered.judged, "n": row.powered.items,
                   "signature": row.signature, **_ranks(people.groups.ranks_of(entry.key))}


def _numbers(
    table: Table, entry: Entry | None, column: MetricInfo, cell: Cell
) -> dict[str, Any]:
    found: dict[str, Any] = {"value": cell.value, **_how_sure(cell)}
    if entry is None:
        return found
    judge = table.view.judges.behind(entry.result, column.id)
    if judge is not None:
        found["judge"] = judge.tag
    value = entry.result.metrics.get(column.id)
    if value is not None and value.value is not None:
        ranks = table.groups_by_metric[column.id].ranks_of(entry.key)
        found |= {"null": value.null, "lift": column.lift(value), "passed": value.passed,
                  "n": value.n, "n_passed": value.n_passed, **value.parts,
                  "clustered_se": value.clustered_se, "signature": value.signature,
                  **_ranks(ranks)}
    elif value is not None:
        found["reason"] = value.reason
    return found


def _how_sure(cell: Cell) -> dict[str, Any]:
    """The interval of a value, and how it was made."""
    interval = cell.sure.interval
    if interval is None:
        return {}
    found = {"low": interval.low, "high": interval.high, "interval": interval.method,
             "interval_note": interval.note}
    return found | ({"judge_band": cell.sure.band} if cell.sure.band else {})


def _ranks(ranks: RowRanks | None) -> dict[str, Any]:
    if ranks is None:
        return {}
    rank = [ranks.holm.first, ranks.holm.last]
    return {"rank": rank, "rank_holm": rank,
            "rank_uncorrected": [ranks.plain.first, ranks.plain.last]}


def csv_text(table: Table) -> str:
    """The table as CSV: full precision, no cell that a spreadsheet would run."""
    import pandas as pd

    names = [name for column in table.columns for name in _names(column)]
    names += [f"{column.id}{end}" for column in table.said for end in _PEOPLE.values()]
    rows = [
        [*(csv_cell(record[name] or "") for name in _FIXED),
         *_csv_numbers(table, record["metrics"]), *_csv_people(table, record)]
        for record in records(table)
    ]
    frame = pd.DataFrame(rows, columns=[*_FIXED, *map(csv_cell, names)], dtype=object)
    return str(frame.to_csv(index=False, lineterminator="\r\n"))


_NUMBERS = {"value": "", "low": " low", "high": " high", "clustered_se": " clustered SE",
            "null": " null", "lift": " lift", "passed": " passed"}
"""Numbers of one metric, and what follows its name in the head of their column."""
_WORDS = {"interval": " interval", "rank": " rank", "rank_holm": " rank by Holm",
          "rank_uncorrected": " rank uncorrected", "signature": " signature"}


_PEOPLE = {"value": "", "low": " low", "high": " high", "graphs": " graphs", "votes": " votes",
           "judge_weight": " judge's weight", "verified": " verified", "rank": " rank",
           "signature": " signature", "simulated": " simulated"}
"""What people said, and what follows the column's name in the head."""


def _csv_people(table: Table, record: Mapping[str, Any]) -> list[Any]:
    found = []
    for column in table.said:
        numbers = record["people"][column.id]
        for name in _PEOPLE:
            value = numbers.get(name)
            text = name in ("rank", "signature", "simulated")
            found.append(csv_cell(_word(name, value)) if text else value)
    return found


def _names(column: MetricInfo) -> list[str]:
    ends = [*_NUMBERS.values(), *_WORDS.values(), *([" judge"] if column.judge else [])]
    return [f"{column.id}{end}" for end in ends]


def _csv_numbers(table: Table, metrics: Mapping[str, Mapping[str, Any]]) -> list[Any]:
    """Numbers as they are: a minus sign before digits is a number, not a formula."""
    found: list[Any] = []
    for column in table.columns:
        numbers = metrics[column.id]
        found += [numbers.get(name) for name in _NUMBERS]
        found += [csv_cell(_word(name, numbers.get(name))) for name in _WORDS]
        found += [csv_cell(numbers.get("judge", ""))] if column.judge else []
    return found


def _word(name: str, value: Any) -> str:
    if not value:
        return ""
    if name == "signature":
        return short(value)
    return " to ".join(map(str, value)) if name.startswith("rank") else str(value)
