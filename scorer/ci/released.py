"""The released form of a hidden result: nothing but what its policy lets out, checked before print.

The publisher has no gold. It knows the history, hence the day of each release, and the grid.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from scorer.board import Board
from scorer.board.policy import shown
from scorer.ci.errors import Refused
from scorer.ci.history import HiddenHistory, day_of
from scorer.ci.main_branch import CiJob
from scorer.hidden.exact import unmeasured
from scorer.hidden.release.decisions import HELD, NEAR, NOT_BETTER, RELEASED, SCORED, Decision
from scorer.hidden.release.rules import rounded, step
from scorer.metrics.catalogue import METRICS
from scorer.records import Result

MOST_HEAD = 16 * 1024
"""Bytes of what stands before the scores that are sealed."""
_KEY = rb"[A-Za-z0-9+/]{43}"
_GREASE = rb"-> [!-~]{0,8}-grease(?: [!-~]{1,8}){0,4}\n(?:[A-Za-z0-9+/]{64}\n){0,2}"
_SEALED = re.compile(rb"age-encryption\.org/v1\n-> X25519 %b\n%b\n(?:%b[A-Za-z0-9+/]{0,63}\n)?"
                     rb"--- %b\n" % (_KEY, _KEY, _GREASE, _KEY))
"""The header for one recipient, with the stanza that age adds so that readers skip unknown ones."""
_NONCE, _CHUNK, _TAG = 16, 64 * 1024, 16
"""Bytes of what follows it: a nonce, then chunks with a tag each, only the last one shorter."""
_TAG_OF = ("(?:encoder|judge|lexicon):{}(?:-[LT][0-9]{{1,4}})?(?:-b?float16)?"
           "(?:-steady|-padded)?-[0-9a-f]{{12}}")
"""A model's part of a signature."""
_NEAR = re.compile(r"no significant change: differs from ([a-z0-9-]+/[a-z0-9-]+) in too few rows")


@dataclass(frozen=True)
class Expected:
    """What the main branch knows of a release."""

    history: HiddenHistory
    as_of: str
    """The day of the plan."""


def check(document: Any, job: CiJob, expected: Expected | None) -> None:
    """Raises Refused unless a document is what may be released, on its day and on its grid."""
    if expected is None or job not in expected.history.entries or expected.history.grid is None:
        raise Refused("RESULT-KEY")
    past, rows = expected.history, expected.history.board.splits[job.split].rows
    release = document.get("release")
    if not isinstance(release, dict) or release.get("day") != past.days[job]:
        raise Refused("RESULT-KEY")
    word = str(release.get("answer"))
    if word not in _answers(past.board, due=past.days[job] <= expected.as_of):
        raise Refused("RESULT-KEY")
    if document["counts"] != {"items": rows, "broken": {}, "strict": {}}:
        raise Refused("RESULT-LEAK")
    told = document["gold"]
    if "against" in told or told["golds"] != past.board.splits[job.split].golds:
        raise Refused("RESULT-LEAK")
    if not _are_of_board(document["models"], word, past.board):
        raise Refused("RESULT-LEAK")
    earlier = [entry.name for entry in takewhile(lambda entry: entry != past.entries[job],
                                                 past.entries.values())]
    for name, value in document["metrics"].items():
        _check_value(name, value, word, past.grid or "", rows)
        if value["value"] is None and not (
            may_be_left_out(name, value["reason"], past.board) if word == RELEASED
            else _may_say(value["reason"], word, document, earlier)
        ):
            raise Refused("RESULT-LEAK")
    if word == RELEASED:
        _check_choice(document["metrics"], past.board)
    elif len({value["reason"] for value in document["metrics"].values()}) > 1:
        raise Refused("RESULT-LEAK")


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


def _answers(board: Board, *, due: bool) -> Sequence[str]:
    """What may become of a submission, before its day or from then on."""
    if not due:
        return (HELD,)
    return (RELEASED, NEAR, NOT_BETTER) if board.release.ladder else (RELEASED, NEAR)


def _are_of_board(models: Mapping[str, str], word: str, board: Board) -> bool:
    """Whether models are some that the board's metrics need, each told in the form of its tag."""
    needed = {METRICS[name].model for name in board.metrics} if word in SCORED else set()
    return all(name in needed and re.fullmatch(_TAG_OF.format(re.escape(name)), tag)
               for name, tag in models.items())


def may_be_left_out(name: str, reason: Any, board: Board) -> bool:
    """Whether a metric may be without a value for this reason though others have one."""
    return reason is not None and reason in (unmeasured(name), board.release.withheld)


def _may_say(reason: Any, word: str, document: Any, earlier: Collection[str]) -> bool:
    """Whether a reason is that of the decision. ``earlier``: names of earlier submissions."""
    if word == NEAR:
        named = _NEAR.fullmatch(reason)
        return named is not None and named[1] in earlier
    return bool(reason == Decision(word, day_of(document)).reason)


def sealed(content: bytes, result: Result) -> bool:
    """Whether bytes look like exact scores that age sealed for one recipient.

    They are no shorter than the scores of one metric, and no longer than those of all with their
    head.
    """
    header = _SEALED.match(content)
    if header is None:
        return False
    chunks, rest = divmod(len(content) - header.end() - _NONCE, _CHUNK + _TAG)
    plain = chunks * _CHUNK + max(rest - _TAG, 0)
    one = 8 * result.counts["items"]
    return (rest == 0 or rest > _TAG) and one < plain <= one * len(result.metrics) + MOST_HEAD
