"""What a scoring machine hands over: one document for each job, checked before it is published.

The machine is trusted, yet its artifact may be damaged or forged. Every document has one schema;
whatever the main branch knows is compared with it; and whatever follows from the scores of items
is computed again. What only the gold or a model could tell (the scores themselves, their clusters,
the null's items) has to lie in its range. Paths follow from the main branch alone.

Of hidden gold nothing but the released form may be published, on its day: what releasing it once
more, which needs no gold, leaves as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, model_validator

from scorer._version import __version__
from scorer.boards import Board
from scorer.boards.golds import GoldId
from scorer.boards.submission import REFERENCE
from scorer.core.errors import DataError
from scorer.core.files import json_bytes
from scorer.core.reading.documents import Document, One, Sha256
from scorer.core.reading.values import Optional
from scorer.core.results import PUBLISHED, MetricValue, Release, Result
from scorer.core.rules import CATALOGUE
from scorer.metrics.catalogue import METRICS
from scorer.pipeline.ci import gold
from scorer.pipeline.ci.main_branch import CiJob, Main
from scorer.pipeline.ci.runner import CODES, Refused
from scorer.pipeline.hidden.release import released
from scorer.scoring.evaluate import Session, key, otherwise
from scorer.scoring.results import files as results
from scorer.scoring.summary import CLOSE, LAST_DIGIT, disagreements, null_can_be

LARGEST_RESULT = 64 * 1024
_RULE = re.compile(r"[A-Z0-9-]{3,60}")
_PLAIN = re.compile(r"[\x20-\x7e]{0,400}")


class OutcomeDocument(Document):
    """``<key>.json`` of an artifact."""

    schema_: One = Field(alias="schema")
    key: Sha256
    outcome: Literal["scored", "rejected", "error", "started", "untried"]
    result: Optional[Result] = None
    rule: Optional[str] = None
    code: Optional[str] = None

    @model_validator(mode="after")
    def _whole(self) -> OutcomeDocument:
        extra = {"scored": {"result"}, "rejected": {"rule"}, "error": {"code"}}
        wanted = {"schema_", "key", "outcome"} | extra.get(self.outcome, set())
        if self.model_fields_set != wanted:
            raise ValueError(f"other keys than those of {self.outcome}")
        if self.rule is not None and self.rule not in CATALOGUE:
            raise ValueError("no such rule")
        if self.code is not None and self.code not in CODES:
            raise ValueError("no such code")
        return self


class Outcome(NamedTuple):
    """What became of one job, after it has been checked."""

    kind: str
    """``scored``, ``rejected``, ``error``, ``started`` (tried in vain) or ``untried``."""
    reason: str = ""
    """The rule or the code."""
    files: Mapping[str, bytes] = {}
    """Paths of the repository and their content, if it was scored."""
    result: Result | None = None


def read(folder: Path, job: CiJob, main: Main, day: str) -> Outcome:
    """The outcome of a job; an error with a code if what was handed over is not fit to publish.

    ``day``: that of the run, for what may be released of hidden gold.
    """
    path = folder / f"{job.key}.json"
    if not path.exists() and not path.is_symlink():
        return Outcome("untried")
    try:
        document = _document(_content(path, LARGEST_RESULT + 1024), job)
        if document.result is not None:
            return _scored(folder, document.result, job, main, day)
        return Outcome(document.outcome, document.rule or document.code or "")
    except Refused as refused:
        return Outcome("error", str(refused))


def _content(path: Path, most: int) -> bytes:
    if path.is_symlink() or not path.is_file() or path.stat().st_size > most:
        raise Refused("RESULT-MISSING")
    return path.read_bytes()


def _document(content: bytes, job: CiJob) -> OutcomeDocument:
    """What was handed over of a job, written exactly as we write it: so no key stands twice."""
    try:
        document = OutcomeDocument.model_validate_json(content, context=PUBLISHED)
        same = json_bytes(document.to_json()) == content
    except ValueError as fault:
        raise Refused("RESULT-FORMAT") from fault
    if not same:
        raise Refused("RESULT-FORMAT")
    if document.key != job.key:
        raise Refused("RESULT-KEY")
    return document


def _scored(folder: Path, summary: Result, job: CiJob, main: Main, day: str) -> Outcome:
    board = main.board(job)
    public = board.splits[job.split].gold == "public"
    items = _content(folder / f"{job.key}.items.tsv", results.LARGEST_ITEMS) if public else b""
    document, result = summary.to_json(), _with_items(summary, items)
    if not (main.is_current(document, job) and _is_of_main(document, result, board, job)):
        raise Refused("RESULT-KEY")
    _check_texts(document, result, board)
    files = {job.result_path: json_bytes(document)}
    if public:
        check_numbers(result, board)
        files[job.items_path] = items
    else:
        check_released(result, job, main, day)
    return Outcome("scored", files=files, result=result)


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


def _is_of_main(document: Any, result: Result, board: Board, job: CiJob) -> bool:
    """Whether every fact that the main branch knows is as it is there."""
    split, scored_on = board.splits[job.split], document["gold"]
    public = split.gold == "public"
    return ((result.board, result.team, result.system, result.split)
            == (job.board, job.team, job.system, job.split)
            and result.task == board.task_name
            and document["scorer"] == {"version": __version__}
            and scored_on["public"] is public
            and scored_on.get("sha256") == (gold.sha256(board, job.split) if public else None)
            and scored_on.get("hmac_sha256") == split.gold_hmac
            and scored_on["golds"] <= split.golds
            and scored_on["id"] == gold.identity(board, job.split)
            and ("against" not in scored_on or job.team == REFERENCE)
            and (public or {"errata", "tags"}.isdisjoint(document))
            and document["predictions"]["rows"] == split.rows
            and tuple(result.metrics) == tuple(sorted(board.metrics))
            and document["key"] == key(result))


def _check_texts(document: Any, result: Result, board: Board) -> None:
    """Signatures are those of the board's metrics; reasons are plain."""
    session = Session(board, document["models"].__getitem__, document["models"].__getitem__)
    scored_on = document["gold"]
    identity = GoldId(scored_on.get("sha256") or scored_on.get("hmac_sha256", ""),
                      scored_on["golds"], against=scored_on.get("against", ""))
    for name, value in result.metrics.items():
        model = METRICS[name].model
        if value.value is None:
            if not _PLAIN.fullmatch(value.reason or ""):
                raise Refused("RESULT-FORMAT")
        elif not (model is None or model in document["models"]) or (
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
