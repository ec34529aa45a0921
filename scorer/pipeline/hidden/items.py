"""The rows of opened gold as the task's own records, read in memory and never quoted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from scorer.boards import Board
from scorer.boards.golds import input_texts, parse_golds
from scorer.core.reading.tsv import read_bytes
from scorer.pipeline.hidden.envelope import Envelope
from scorer.pipeline.hidden.faults import GoldError, guarded


def read_items(board: Board, gold: Envelope, home: Path | None = None) -> tuple[Any, ...]:
    """One gold record for each row, in order.

    ``home``: where fetched inputs lie; with it the texts must be those of the input file, if that
    is at hand. Raises GoldError(GOLD-ROWS, GOLD-INPUTS, GOLD-DIGEST).
    """
    where = f"{board.id} {gold.split}"
    described = board.split(gold.split)
    items = guarded("GOLD-ROWS", where, lambda: _parsed(board, gold.rows))
    most = max(map(board.task.gold_count, items), default=0)
    if len(items) != described.rows or most > described.golds:
        raise GoldError("GOLD-ROWS", where)
    if described.gold_hmac not in (None, gold.hmac):
        raise GoldError("GOLD-DIGEST", where)
    texts = input_texts(board, gold.split, home) if home is not None else None
    if texts is not None and texts != tuple(tuple(item.texts) for item in items):
        raise GoldError("GOLD-INPUTS", where)
    return tuple(board.task.first_golds(item, described.golds) for item in items)


def _parsed(board: Board, rows: bytes) -> tuple[Any, ...]:
    columns, optional = board.task.gold_columns
    table = read_bytes(rows, columns, optional=optional, shown="gold")
    items = parse_golds(board, table.rows, table.problems)
    table.problems.raise_if_any()
    return items
