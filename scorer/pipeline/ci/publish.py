"""Publishing: what a scoring machine handed over, checked, onto the main branch.

The machine is trusted, yet its artifact may be damaged or forged. Every document has its schema;
whatever the main branch knows is compared with it; and whatever follows from the scores of items
is computed again. What only the gold or a model could tell (the scores themselves, their clusters,
the null's items) has to lie in its range. Paths follow from the main branch alone. Of hidden gold
nothing but the released form may be published, on its day: what releasing it once more, which needs
no gold, leaves as it is.

A commit is made of objects, on the newest main branch, and pushed; if another push came first,
everything is derived again on the new one. Nothing is rebased and nothing is half done: until the
push there is nothing to see, after it there is all of it.
"""

from __future__ import annotations

import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from scorer._version import __version__
from scorer.boards import Board
from scorer.boards.golds import GoldId
from scorer.boards.submission import FILE_NAME, REFERENCE
from scorer.core.errors import DataError, WhyboardError
from scorer.core.files import json_bytes
from scorer.core.reading.schema import Document
from scorer.core.results import PUBLISHED, MetricValue, Release, Result
from scorer.core.rules import CATALOGUE
from scorer.metrics.catalogue import METRICS
from scorer.people.leaderboard import people_in
from scorer.people.validate import ROOT
from scorer.pipeline.ci.main_branch import (
    ERROR,
    ITEMS,
    PAST,
    RESULT,
    RESULTS,
    CiJob,
    Main,
    gold_digest,
    gold_id,
)
from scorer.pipeline.ci.pull import TOP
from scorer.pipeline.ci.runner import CODES, TryAgain, say
from scorer.pipeline.hidden.scoring import released
from scorer.scoring.evaluate import Session, key, otherwise
from scorer.scoring.leaderboard.files import of_board
from scorer.scoring.results import files as results
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.results import past
from scorer.scoring.results.files import MOST_ATTEMPTS, Unscored
from scorer.scoring.summary import CLOSE, LAST_DIGIT, disagreements, null_can_be

LARGEST = 64 * 1024
"""Bytes of a document."""
MOST_PUSHES = 12
PAUSE = 0.5
"""Seconds within which the second attempt comes; each further one may wait twice as long."""
LONGEST_PAUSE = 20.0
_RULE = re.compile(r"[A-Z0-9-]{3,60}")
_PLAIN = re.compile(r"[\x20-\x7e]{0,400}")
_Document = TypeVar("_Document", bound=Document)


@dataclass
class WorkflowRun:
    """One run of the workflow, as the publisher knows it."""

    planned: Main
    """The commit that its queue is of."""
    day: str
    folder: Path
    """What the scoring machine handed over."""
    failed: bool = False
    """Whether that machine was there and failed."""
    retry_errors: bool = False

    @cached_property
    def jobs(self) -> list[CiJob]:
        """What was to be scored."""
        return self.planned.batch(self.planned.pending(self.day, retry_errors=self.retry_errors))

    @property
    def lost(self) -> bool:
        """Whether the machine is gone with all that it did."""
        return self.failed and not (self.folder.is_dir() and any(self.folder.iterdir()))


@dataclass
class Publication:
    """What a run becomes on one commit of the main branch."""

    files: dict[str, bytes | None] = field(default_factory=dict)
    """By path; None for one that is removed."""
    outcomes: dict[CiJob, Result | Unscored] = field(default_factory=dict)

    def message(self) -> str:
        """The commit's message: counts only."""
        kinds = Counter("scored" if isinstance(outcome, Result) else outcome.kind
                        for outcome in self.outcomes.values())
        counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        return f"Publish results: {counts or ('leaderboards' if self.files else 'nothing')}\n"


def publish(run: WorkflowRun) -> tuple[str, Publication]:
    """Push what a run became; returns the commit that holds it.

    Raises TryAgain if twelve attempts were overtaken.
    """
    repository = run.planned.repository
    for attempt in range(MOST_PUSHES):
        tip = repository.fetch_main()
        made = derive(Main(repository, tip, run.planned.folder), run)
        commit = repository.committed(tip, made.files, made.message())
        if commit == tip or repository.push(commit):
            return commit, made
        time.sleep(random.uniform(0, min(LONGEST_PAUSE, PAUSE * 2**attempt)))  # noqa: S311
    raise TryAgain(f"the main branch moved on {MOST_PUSHES} times; the next run publishes")


def derive(main: Main, run: WorkflowRun) -> Publication:
    """What to write on this commit of the main branch. Does not depend on what was tried before.

    The branch may no longer hold the same bytes, board or scorer as the run's jobs, and another run
    may have published them.
    """
    made, waiting = Publication(), set(main.pending(run.day, retry_errors=run.retry_errors))
    for job in run.jobs:
        if job not in waiting:
            continue
        lost = run.lost and job == run.jobs[0]
        outcome = job.unscored() if lost else read(run.folder, job, main, run.day)
        if outcome is None:
            continue
        made.outcomes[job] = outcome
        if isinstance(outcome, Unscored):
            made.files[job.result(ERROR)] = json_bytes(
                _counted(run.planned.unscored(job), outcome).to_json())
            continue
        made.files[job.result()] = json_bytes(outcome.to_json())
        if outcome.items:
            made.files[job.result(ITEMS)] = results.items_bytes(outcome)
        if old := main.documents.get(job.result()):
            before = main.result_bytes(job.result(PAST))
            kept = past.extended(before, old, outcome, main.result_bytes(job.leaderboard))
            if kept != before:
                made.files[job.result(PAST)] = kept
        if job.result(ERROR) in main.results:
            made.files[job.result(ERROR)] = None
    made.files |= leaderboards(main, made.files)
    return made


def _counted(before: Unscored | None, now: Unscored) -> Unscored:
    """The error file of a job: one attempt more than when the run began, however often it is
    published.
    """
    attempts = (before.attempts if before else 0) + 1
    gave_up = now.kind == "started" and attempts >= MOST_ATTEMPTS
    return now.replace(attempts=attempts, **({"code": "SCORER-GAVE-UP"} if gave_up else {}))


def leaderboards(main: Main, files: Mapping[str, bytes | None]) -> dict[str, bytes]:
    """The leaderboard documents that change; ``files`` count before those of the branch.

    A board with a result that cannot be read keeps what it has, which the log says.
    """
    made: dict[str, bytes] = {}
    people = people_in(main.folder.parent / ROOT)
    descriptions = {f"{name.path}/{FILE_NAME}": main.description_files[name]
                    for name in main.descriptions}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, content in {**main.results_bytes(main.results), **descriptions,
                              **files}.items():
            if content is not None:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes(content)
        for board in main.boards.values():
            try:
                made |= {path.relative_to(root).as_posix(): documents.to_bytes(document) for
                         path, document in of_board(board, root / RESULTS, root / TOP, people)}
            except WhyboardError as fault:
                say(f"{RESULTS}/{board.id}: its leaderboards stay as they are: {fault}")
    return {path: content for path, content in made.items() if content != main.result_bytes(path)}


# ---- what was handed over ------------------------------------------------------------------------


class Refused(Exception):
    """What was handed over cannot be published; the argument is a public code."""


def _need(holds: bool, code: str) -> None:
    if not holds:
        raise Refused(code)


def read(folder: Path, job: CiJob, main: Main, day: str) -> Result | Unscored | None:
    """What became of a job, None if it was not begun; an error with a code if what was handed over
    is not fit to publish.

    ``day``: that of the run, for what may be released of hidden gold.
    """
    scored, unscored = (folder / f"{job.key}{end}" for end in (RESULT, ERROR))
    try:
        if scored.is_symlink() or scored.exists():  # a link may lead where nobody may look
            return _scored(scored, job, main, day)
        if not unscored.is_symlink() and not unscored.exists():
            return None
        reason = _document(Unscored, unscored)
        _need(reason.key == job.key, "RESULT-KEY")
        _need(reason.rule in (None, *CATALOGUE) and reason.code in (None, *CODES)
              and None in (reason.rule, reason.code), "RESULT-FORMAT")
    except Refused as refused:
        return job.unscored(code=str(refused))
    return reason


def _content(path: Path, most: int) -> bytes:
    _need(not path.is_symlink() and path.is_file() and path.stat().st_size <= most,
          "RESULT-MISSING")
    return path.read_bytes()


def _document(kind: type[_Document], path: Path) -> _Document:
    """What was handed over, written exactly as we write it: so no key stands twice."""
    content = _content(path, LARGEST)
    try:
        document = kind.model_validate_json(content, context=PUBLISHED)
        same = json_bytes(document.to_json()) == content
    except ValueError as fault:
        raise Refused("RESULT-FORMAT") from fault
    _need(same, "RESULT-FORMAT")
    return document


def _scored(path: Path, job: CiJob, main: Main, day: str) -> Result:
    """A result with its items, which are written exactly as we write them; a lift is what its value
    is over its null."""
    board, public, result = main.board(job), main.is_public(job), _document(Result, path)
    items = (_content(path.with_name(f"{job.key}{ITEMS}"), results.LARGEST_ITEMS) if public
             else b"")
    try:
        if items:
            result = result.replace(items=results.items_of(items, result.metrics))
        same = (results.items_bytes(result) if result.items else b"") == items and all(
            value.null is None or value.lift == value.value - value.null
            for value in result.metrics.values())
    except (DataError, LookupError, ValueError, ArithmeticError) as fault:
        raise Refused("RESULT-FORMAT") from fault
    _need(same, "RESULT-FORMAT")
    _need(main.is_current(result, job) and _is_of_main(result, board, job, public), "RESULT-KEY")
    _check_texts(result, board)
    if public:
        check_numbers(result, board)
    else:
        _check_released(result, board, main.release_days.get(job.path), day)
    return result


def _is_of_main(result: Result, board: Board, job: CiJob, public: bool) -> bool:
    """Whether every fact that the main branch knows is as it is there."""
    split, scored_on = board.splits[job.split], result.gold
    return ((result.board, result.team, result.system, result.split)
            == (job.board, job.team, job.system, job.split)
            and result.task == board.task_name
            and result.scorer.to_json() == {"version": __version__}
            and scored_on.public is public
            and scored_on.digest == gold_digest(board, job.split)
            and scored_on.golds <= split.golds
            and scored_on.id == gold_id(board, job.split)
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
            _need(_PLAIN.fullmatch(value.reason or "") is not None, "RESULT-FORMAT")
        else:
            _need((model is None or model in result.models)
                  and value.signature == session.signature(name, identity), "RESULT-KEY")


def check_numbers(result: Result, board: Board) -> None:
    """Raises Refused unless everything that follows from the scores of items does."""
    rows, most = [item.row for item in result.items], board.splits[result.split].rows
    _need(bool(rows) and rows[-1] <= most
          and (result.gold.against is not None or len(rows) == most), "RESULT-DIFFERS")
    _need(all(item.verdict.annotation in board.task.annotations for item in result.items),
          "RESULT-RANGE")
    _need(not disagreements(result, board.task.passed), "RESULT-DIFFERS")
    for name, value in result.metrics.items():
        if value.value is not None:
            use = board.task.use(name)
            shut_out = otherwise(METRICS[name], use).value
            _need(all(use.gate in (None, item.verdict.annotation)
                      or abs(item.scores[name].value - shut_out) <= CLOSE
                      for item in result.items), "RESULT-GATE")
            _check_rest(name, value)
    for table in (result.counts["broken"], result.counts["strict"]):
        _need(all(count <= len(rows) and _RULE.fullmatch(rule) for rule, count in table.items()),
              "RESULT-RANGE")
    without = result.errata.without if result.errata else {}
    _need(without.keys() <= result.metrics.keys(), "RESULT-FORMAT")
    for name, number in without.items():
        _check_range(name, number)


def _check_rest(name: str, value: MetricValue) -> None:
    """What the items alone do not give: parts, clusters, and the test against the null."""
    info = METRICS[name]
    _need(set(value.parts) == set(info.parts), "RESULT-FORMAT")
    _need(1 <= value.clusters <= value.n
          and (value.clustered_se or 0.0) <= info.highest - info.lowest, "RESULT-RANGE")
    for number in (*value.parts.values(), value.null):
        _check_range(name, number)
    _need(value.null is None or null_can_be(value, info), "RESULT-RANGE")


def _check_range(name: str, number: float | None) -> None:
    info = METRICS[name]
    _need(number is None or info.lowest <= number <= info.highest + LAST_DIGIT, "RESULT-RANGE")


def _check_released(result: Result, board: Board, turn: date | None, day: str) -> None:
    """Raises Refused unless a result is what may be released by a day, and no more."""
    if turn is None or str(turn) > day or result.release != Release(day=str(turn)):
        raise Refused("RESULT-KEY")
    try:
        whole = result.counts["items"] == board.splits[result.split].rows
        same = whole and released(result, board, turn).to_json() == result.to_json()
    except (DataError, ValueError) as fault:
        raise Refused("RESULT-LEAK") from fault
    _need(same, "RESULT-LEAK")
    for name, value in result.metrics.items():
        _check_range(name, value.value)
