"""The released form of a hidden result: nothing but what its policy lets out, checked before print.

The publisher has no gold. It knows the history, hence the day of each release, and the grid.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from scorer.board import Board
from scorer.ci.errors import Refused
from scorer.ci.history import History, day_of
from scorer.ci.state import Job
from scorer.gold.exact import NOT_OF_ITEMS
from scorer.metrics.catalogue import METRICS
from scorer.records import Result
from scorer.release.decide import HELD, NEAR, NOT_BETTER, RELEASED, Decision
from scorer.release.grid import rounded, step
from scorer.release.policy import shown

HEAD = b"age-encryption.org/v1\n"
MOST_SEALED = 64 * 1024
"""Bytes of sealed scores besides the scores."""
_NEAR = re.compile(r"no significant change: differs from ([a-z0-9-]+/[a-z0-9-]+) in too few rows")


@dataclass(frozen=True)
class Expected:
    """What the main branch knows of a release."""

    history: History
    as_of: str
    """The day of the plan."""


def check(document: Any, job: Job, expected: Expected | None) -> None:
    """Raises Refused unless a document is what may be released, on its day and on its grid."""
    if expected is None or job not in expected.history.entries or expected.history.grid is None:
        raise Refused("RESULT-KEY")
    past, rows = expected.history, expected.history.board.splits[job.split].rows
    release = document.get("release")
    if not isinstance(release, dict) or release.get("day") != past.days[job]:
        raise Refused("RESULT-KEY")
    word = str(release.get("answer"))
    due = past.days[job] <= expected.as_of
    if word not in ((RELEASED, NEAR, NOT_BETTER) if due else (HELD,)):
        raise Refused("RESULT-KEY")
    if document["counts"] != {"items": rows, "broken": {}, "strict": {}}:
        raise Refused("RESULT-LEAK")
    names = {entry.name for entry in past.entries.values()}
    for name, value in document["metrics"].items():
        _check_value(name, value, word, past.grid or "", rows)
        if value["value"] is None and not (
            METRICS[name].model or may_be_left_out(name, value["reason"], word, past.board)
            or _may_say(value["reason"], word, document, names)
        ):
            raise Refused("RESULT-LEAK")
    if word == RELEASED:
        _check_choice(document["metrics"], past.board)


def _check_value(name: str, value: Any, word: str, grid: str, rows: int) -> None:
    if value["n"] != rows:
        raise Refused("RESULT-RANGE")
    if value["value"] is None:
        if set(value) != {"n", "value", "reason"}:
            raise Refused("RESULT-LEAK")
        return
    if set(value) != {"n", "value", "grid", "signature"} or word != RELEASED:
        raise Refused("RESULT-LEAK")
    number, info = value["value"], METRICS[name]
    in_range = info.lowest <= number <= info.highest
    on_grid = in_range and number == rounded(number, grid, info.highest)
    if value["grid"] != step(grid, info.highest) or not on_grid:
        raise Refused("RESULT-RANGE")


def _check_choice(metrics: Any, board: Board) -> None:
    """Refuse other values than those of the metrics that the board releases."""
    withheld = board.release.withheld
    told = {name for name in metrics if metrics[name]["value"] is not None}
    measured = [name for name in board.metrics if name in told or
                (name in metrics and metrics[name]["reason"] == withheld)]
    if told != set(shown(board.ranking, measured, board.release.values)):
        raise Refused("RESULT-LEAK")


def may_be_left_out(name: str, reason: Any, word: str, board: Board) -> bool:
    """Whether a metric may be without a value for this reason, whatever its scores are."""
    if reason == NOT_OF_ITEMS:
        return METRICS[name].total is not None
    return bool(word == RELEASED and reason == board.release.withheld)


def _may_say(reason: Any, word: str, document: Any, names: Collection[str]) -> bool:
    """Whether a reason is that of the decision. One about a model's files may stand there too."""
    if word == NEAR:
        named = _NEAR.fullmatch(reason)
        return named is not None and named[1] in names
    return bool(word != RELEASED and reason == Decision(word, day_of(document)).reason)


def sealed(content: bytes, result: Result) -> bool:
    """Whether bytes look like sealed exact scores: by age, and of no more than their size."""
    most = 8 * result.counts["items"] * len(result.metrics) + MOST_SEALED
    return content.startswith(HEAD) and len(content) <= most
