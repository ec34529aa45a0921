"""What became of every submission on the main branch, and what is scored next.

Both follow from its files alone: the same commit and day always give the same queue, so planner,
scorer and publisher derive it each for itself, nothing travels between them but the commit's name,
and a cancelled or failed run is healed by the next one. The queue is oldest first, fair to teams.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from scorer.boards.submission import RESERVED
from scorer.pipeline.ci import gold
from scorer.pipeline.ci.git import Touch
from scorer.pipeline.ci.main_branch import RESULTS, CiJob, Main
from scorer.pipeline.ci.scope import answered

Name = Literal["received", "valid", "queued", "scored", "published", "rejected", "error",
               "withdrawn"]


@dataclass(frozen=True)
class State:
    """One split of one submission and what became of it."""

    job: CiJob
    name: Name
    reason: str = ""
    """The rule, the code, or what it waits for."""
    attempts: int = 0
    """Runs that tried it under its key and left no result."""


def states(main: Main, day: str) -> Iterator[State]:
    """The state of every split of every submission. ``day``: today, for the turns of hidden gold.
    """
    for entry in main.entries:
        answer = answered(entry.path)
        if answer is not None and not main.asks_for(*answer):
            name, split = answer
            yield State(CiJob(*name, split, "", "", main.commit, ""), "received",
                        "no such board or split")
    withdrawn = main.withdrawn
    for job in main.jobs:
        yield _state(main, job, withdrawn.get(job.submission, ""), day)


def _state(main: Main, job: CiJob, withdrawn: str, day: str) -> State:
    unscored, scored, board = main.unscored(job), main.is_scored(job), main.board(job)
    attempts = unscored.attempts if unscored else 0
    ended = unscored.kind if unscored else "started"
    public = board.splits[job.split].gold == "public"
    # A withdrawn row is scored again, else it would stand under old gold; not what never was
    # scored, nor hidden gold, of which every score tells something.
    keeps_up = public and main.documents.get(job.result_path) is not None
    if withdrawn and (scored or ended != "started" or not keeps_up):
        return State(job, "withdrawn", withdrawn, attempts)
    if scored:
        return State(job, "scored" if job.team in RESERVED else "published")
    if unscored is not None and ended != "started":
        return State(job, ended, unscored.rule or unscored.code or "", attempts)
    if not public and not gold.is_hidden(board, job.split):
        return State(job, "valid", "waiting for gold", attempts)
    turn = main.release_days.get(job.path)
    if turn is not None and str(turn) > day:
        return State(job, "valid", f"its turn is on {turn}", attempts)
    return State(job, "queued", "", attempts)


def status_json(main: Main, day: str, codes: Mapping[str, str]) -> dict[str, Any]:
    """The document of ``status.json``. ``codes``: what the codes of errors mean."""
    touches = main.repository.touches(main.commit, RESULTS)
    rows = [row_json(state, touches) for state in states(main, day)]
    return {"schema": 1, "commit": main.commit, "submissions": rows, "codes": dict(codes)}


def row_json(state: State, touches: Mapping[str, Sequence[Touch]]) -> dict[str, Any]:
    """One of its rows. ``touches``: what the branch did to each path below ``results``."""
    row = {**asdict(state.job), "state": state.name, "attempts": state.attempts}
    if state.reason:
        row["reason"] = state.reason
    if state.name in ("scored", "published", "withdrawn") and state.job.result_path in touches:
        first = touches[state.job.result_path][0]
        row["published"] = {"commit": first.commit, "date": first.date}
    return row


SECONDS_PER_ITEM = 0.25
"""What a run reckons with; the scorer's own limits are what holds."""
BUDGET = 60 * 60
"""Seconds of work in one run; what is left over comes next."""
MOST_JOBS = 150


def pending(main: Main, day: str, *, retry_errors: bool = False) -> list[CiJob]:
    """Every job without a result, in turn. ``retry_errors``: final failures too, by hand."""
    names = ("queued", "rejected", "error") if retry_errors else ("queued",)
    return in_turn([state for state in states(main, day) if state.name in names])


def batch(main: Main, waiting: Sequence[CiJob]) -> list[CiJob]:
    """Those that one run scores: the first hour's worth."""
    jobs: list[CiJob] = []
    seconds = 0.0
    for job in waiting[:MOST_JOBS]:
        seconds += main.board(job).splits[job.split].rows * SECONDS_PER_ITEM
        if jobs and seconds > BUDGET:
            break
        jobs.append(job)
    return jobs


def in_turn(waiting: Sequence[State]) -> list[CiJob]:
    """Untried ones first, every team's oldest before any team's second, the oldest merge first."""
    oldest = sorted(waiting, key=lambda state: (state.job.date, state.job.path))
    earlier: Counter[str] = Counter()
    ranked = []
    for state in oldest:
        ranked.append((state.attempts, earlier[state.job.team], state.job.date, state.job))
        earlier[state.job.team] += 1
    return [entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:3])]
