"""What is to be scored: merged submissions without a result, oldest first, fair to teams.

The same commit and day always give the same queue, so planner, scorer and publisher derive it each
for itself, and nothing travels between them but the commit's name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scorer.pipeline.ci.main_branch import CiJob, Main
from scorer.pipeline.ci.states import State, states

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
