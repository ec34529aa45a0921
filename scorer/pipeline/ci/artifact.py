"""What a scoring machine hands over: of each job a result or an error file, checked before it is
published.

The machine is trusted, yet its artifact may be damaged or forged. Every document has its schema;
whatever the main branch knows is compared with it; and whatever follows from the scores of items
is computed again. What only the gold or a model could tell (the scores themselves, their clusters,
the null's items) has to lie in its range. Paths follow from the main branch alone.

Of hidden gold nothing but the released form may be published, on its day: what releasing it once
more, which needs no gold, leaves as it is.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TypeVar

from scorer._version import __version__
from scorer.boards import Board
from scorer.boards.golds import GoldId
from scorer.boards.submission import REFERENCE
from scorer.core.errors import DataError
from scorer.core.files import json_bytes
from scorer.core.reading.schema import Document
from scorer.core.results import PUBLISHED, MetricValue, Release, Result
from scorer.core.rules import CATALOGUE
from scorer.metrics.catalogue import METRICS
from scorer.pipeline.ci import gold
from scorer.pipeline.ci.main_branch import CiJob, Main
from scorer.pipeline.ci.runner import CODES
from scorer.pipeline.hidden.release import released
from scorer.scoring.evaluate import Session, key, otherwise
from scorer.scoring.results import files as results
from scorer.scoring.results.files import Unscored
from scorer.scoring.summary import CLOSE, LAST_DIGIT, disagreements, null_can_be

LARGEST = 64 * 1024
"""Bytes of a document."""
_RULE = re.compile(r"[A-Z0-9-]{3,60}")
_PLAIN = re.compile(r"[\x20-\x7e]{0,400}")
_Document = TypeVar("_Document", bound=Document)


class Refused(Exception):
    """What was handed over cannot be published; the argument is a public code."""


def read(folder: Path, job: CiJob, main: Main, day: str) -> Result | Unscored | None:
    """What became of a job, None if it was not begun; an error with a code if what was handed over
    is not fit to publish.

    ``day``: that of the run, for what may be released of hidden gold.
    """
    scored, unscored = (folder / f"{job.key}{end}" for end in (".json", ".error.json"))
    try:
        if scored.exists() or scored.is_symlink():
            return _scored(folder, _document(Result, scored), job, main, day)
        if unscored.exists() or unscored.is_symlink():
            return _unscored(_document(Unscored, unscored), job)
        return None
    except Refused as refused:
        return Unscored.first(job.key, code=str(refused))


def _unscored(reason: Unscored, job: CiJob) -> Unscored:
    if reason.key != job.key:
        raise Refused("RESULT-KEY")
    if reason.rule not in (None, *CATALOGUE) or reason.code not in (None, *CODES) or (
            reason.rule and reason.code):
        raise Refused("RESULT-FORMAT")
    return reason


def _content(path: Path, most: int) -> bytes:
    if path.is_symlink() or not path.is_file() or path.stat().st_size > most:
        raise Refused("RESULT-MISSING")
    return path.read_bytes()


def _document(kind: type[_Document], path: Path) -> _Document:
    """What was handed over, written exactly as we write it: so no key stands twice."""
    content = _content(path, LARGEST)
    try:
        document = kind.model_validate_json(content, context=PUBLISHED)
        same = json_bytes(document.to_json()) == content
    except ValueError as fault:
        raise Refused("RESULT-FORMAT") from fault
    if not same:
        raise Refused("RESULT-FORMAT")
    return document


def _scored(folder: Path, summary: Result, job: CiJob, main: Main, day: str) -> Result:
    board = main.board(job)
    public = board.splits[job.split].gold == "public"
    items = _content(folder / f"{job.key}.items.tsv", results.LARGEST_ITEMS) if public else b""
    result = _with_items(summary, items)
    if not (main.is_current(result, job) and _is_of_main(result, board, job)):
        raise Refused("RESULT-KEY")
    _check_texts(result, board)
    if public:
        check_numbers(result, board)
    else:
        check_released(result, job, main, day)
    return result


def _with_items(result: Result, items: bytes) -> Result:
    """A result with its items, which are written exactly as we write them; a lift is what its value
    is over its null."""
    try:
        if items:
            result = result.replace(items=results.items_of(items, result.metrics))
        same = (results.items_bytes(result) if result.items else b"") == items and all(
            value.null is None or value.lift == value.value - value.null
            for value in result.metrics.values())
    except (DataError, LookupError, ValueError, ArithmeticError) as fault:
        raise Refused("RESULT-FORMAT") from fault
    if not same:
        raise Refused("RESULT-FORMAT")
    return result


def _is_of_main(result: Result, board: Board, job: CiJob) -> bool:
    """Whether every fact that the main branch knows is as it is there."""
    split, scored_on = board.splits[job.split], result.gold
    public = split.gold == "public"
    return ((result.board, result.team, result.system, result.split)
            == (job.board, job.team, job.system, job.split)
            and result.task == board.task_name
            and result.scorer.to_json() == {"version": __version__}
            and scored_on.public is public
            and scored_on.digest == (gold.sha256(board, job.split) if public else split.gold_hmac)
            and scored_on.golds <= split.golds
            and scored_on.id == gold.identity(board, job.split)
            and (scored_on.against is None or job.team == REFERENCE)
            and (result.release is None if public
                 else {"errata", "tags"}.isdisjoint(result.model_fields_set))
            and result.predictions.rows == split.rows
            and tuple(result.metrics) == tuple(sorted(board.metrics))
            and result.key == key(result))


def _check_texts(result: Result, board: Board) -> None:
    """Signatures are those of the board's metrics; reasons are plain."""
    session = Session(board, result.models.__getitem__, result.models.__getitem__)
    identity = GoldId(result.gold.digest, result.gold.golds, against=result.gold.against or "")
    for name, value in result.metrics.items():
        model = METRICS[name].model
        if value.value is None:
            if not _PLAIN.fullmatch(value.reason or ""):
                raise Refused("RESULT-FORMAT")
        elif not (model is None or model in result.models) or (
                value.signature != session.signature(name, identity)):
            raise Refused("RESULT-KEY")


def check_numbers(result: Result, board: Board) -> None:
    """Raises Refused unless everything that follows from the scores of items does."""
    split = board.splits[result.split]
    rows = [item.row for item in result.items]
    if not rows or rows[-1] > split.rows or (
            result.gold.against is None and len(rows) != split.rows):
        raise Refused("RESULT-DIFFERS")
    if any(item.verdict.annotation not in board.task.annotations for item in result.items):
        raise Refused("RESULT-RANGE")
    if disagreements(result, board.task.passed):
        raise Refused("RESULT-DIFFERS")
    for name, value in result.metrics.items():
        if value.value is not None:
            use = board.task.use(name)
            shut_out = otherwise(METRICS[name], use).value
            if any(use.gate not in (None, item.verdict.annotation)
                   and abs(item.scores[name].value - shut_out) > CLOSE for item in result.items):
                raise Refused("RESULT-GATE")
            _check_rest(name, value)
    for table in (result.counts["broken"], result.counts["strict"]):
        if any(count > len(rows) or not _RULE.fullmatch(rule) for rule, count in table.items()):
            raise Refused("RESULT-RANGE")
    without = result.errata.without if result.errata else {}
    if not without.keys() <= result.metrics.keys():
        raise Refused("RESULT-FORMAT")
    for name, number in without.items():
        _check_range(name, number)


def _check_rest(name: str, value: MetricValue) -> None:
    """What the items alone do not give: parts, clusters, and the test against the null."""
    info = METRICS[name]
    if set(value.parts) != set(info.parts):
        raise Refused("RESULT-FORMAT")
    spread = value.clustered_se or 0.0
    if not 1 <= value.clusters <= value.n or spread > info.highest - info.lowest:
        raise Refused("RESULT-RANGE")
    for number in (*value.parts.values(), value.null):
        _check_range(name, number)
    if value.null is not None and not null_can_be(value, info):
        raise Refused("RESULT-RANGE")


def _check_range(name: str, number: float | None) -> None:
    info = METRICS[name]
    if number is not None and not info.lowest <= number <= info.highest + LAST_DIGIT:
        raise Refused("RESULT-RANGE")


def check_released(result: Result, job: CiJob, main: Main, day: str) -> None:
    """Raises Refused unless a result is what may be released of a job by a day, and no more."""
    board, turn = main.board(job), main.release_days.get(job.path)
    if turn is None or str(turn) > day or result.release != Release(day=str(turn)):
        raise Refused("RESULT-KEY")
    try:
        whole = result.counts["items"] == board.splits[job.split].rows
        if not whole or released(result, board, turn).to_json() != result.to_json():
            raise Refused("RESULT-LEAK")
    except (DataError, ValueError) as fault:
        raise Refused("RESULT-LEAK") from fault
    for name, value in result.metrics.items():
        _check_range(name, value.value)
