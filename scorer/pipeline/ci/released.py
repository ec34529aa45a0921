"""What may be published of hidden gold: nothing but the released form, on its day.

The publisher has no gold. It knows the main branch, hence every day, the grid and the metrics that
the board releases, and does the same arithmetic as who scored.
"""

from __future__ import annotations

from typing import Any

from scorer.boards.policy import chosen, shown
from scorer.metrics.catalogue import METRICS
from scorer.pipeline.ci.errors import Refused
from scorer.pipeline.ci.main_branch import CiJob, Main
from scorer.pipeline.hidden.release import rounded, step, unmeasured


def check(document: Any, job: CiJob, main: Main, day: str) -> None:
    """Raises Refused unless a document is what may be released of a job by a day."""
    board, split = main.board(job), main.board(job).splits[job.split]
    turn, grid = main.release_days.get(job.path), chosen(board.release, split.rows)
    if turn is None or str(turn) > day or document.get("release") != {"day": str(turn)}:
        raise Refused("RESULT-KEY")
    if grid is None or document["counts"] != {"items": split.rows, "broken": {}, "strict": {}}:
        raise Refused("RESULT-LEAK")
    metrics = document["metrics"]
    values = [name for name in board.metrics if metrics[name]["value"] is not None]
    measured = [name for name in board.metrics
                if name in values or metrics[name]["reason"] == board.release.withheld]
    if set(values) != set(shown(board.ranking, measured, board.release.values)):
        raise Refused("RESULT-LEAK")
    for name, value in metrics.items():
        if name in values:
            _check_value(name, value, grid)
        elif value["reason"] not in (board.release.withheld, unmeasured(name)):
            raise Refused("RESULT-LEAK")
        if value["n"] != split.rows:
            raise Refused("RESULT-RANGE")


def _check_value(name: str, value: Any, grid: str) -> None:
    if set(value) != {"n", "value", "grid", "signature"}:
        raise Refused("RESULT-LEAK")
    number, info = value["value"], METRICS[name]
    if not (info.lowest <= number <= info.highest and value["grid"] == step(grid, info.highest)
            and number == rounded(number, grid, info.highest)):
        raise Refused("RESULT-RANGE")
