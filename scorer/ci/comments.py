"""Telling pull requests what became of them: one comment each, derived from the main branch.

What is said depends on the branch alone, so a comment that was lost is made good by the next run.
"""

from __future__ import annotations

import datetime
import time
from collections.abc import Collection, Iterator

from scorer.ci.artifact import Outcome
from scorer.ci.comment_text import text
from scorer.ci.errors import TryAgain
from scorer.ci.github import GitHub, Passing, Pull
from scorer.ci.runner import say
from scorer.ci.state import Job, Main, result_documents, states
from scorer.results import files as results

DAYS = 14
"""How long after its merge a pull request is looked at again."""
MOST = 50
"""How many of those in one run, the newest."""
WITHIN = 600.0
"""Seconds after which a run begins with no other pull request."""


def tell(main: Main, jobs: Collection[Job], day: str, github: GitHub | None, site: str) -> None:
    """Post or edit the comment of every pull request of ``jobs``, and look at the latest others.

    ``jobs``: what this run decided. ``day``: today.
    """
    if github is None:
        return
    known: dict[str, list[tuple[Job, Outcome]]] = {}
    for job, outcome in outcomes(main):
        known.setdefault(job.commit, []).append((job, outcome))
    now = {job.commit for job in jobs}
    since = str(datetime.date.fromisoformat(day) - datetime.timedelta(DAYS))
    dated = sorted(known, key=lambda commit: known[commit][0][0].date)
    late = [commit for commit in dated
            if commit not in now and known[commit][0][0].date[:10] >= since]
    end = time.monotonic() + WITHIN
    for commit in [*(commit for commit in dated if commit in now), *late[-MOST:]]:
        try:
            pull = github.pull_of(commit)
        except Passing as fault:
            say(f"{fault}; the next run tells what is left to tell")
            return
        except TryAgain as fault:
            say(str(fault))
            continue
        if pull is not None:
            _comment(github, pull, text(known[commit], site))
        if time.monotonic() > end:
            say(f"{WITHIN:.0f} seconds are over; the next run tells what is left to tell")
            return


def _comment(github: GitHub, pull: Pull, said: str) -> None:
    """Comment on a pull request. What anybody writes there keeps no other from its comment: only
    the question whose pull request it is tells whether GitHub answers at all.
    """
    try:
        done = github.comment(pull, said)
    except TryAgain as fault:
        say(f"pull request {pull.number}: no comment; {fault}")
        return
    if done != "same":
        say(f"pull request {pull.number}: {done}")


def outcomes(main: Main) -> Iterator[tuple[Job, Outcome]]:
    """What became of every submission that was decided or tried."""
    documents = result_documents(main)
    for state in states(main):
        if state.name == "published":
            result = results.from_json(documents[state.job.result_path])
            yield state.job, Outcome("scored", result=result)
        elif state.name in ("rejected", "error"):
            yield state.job, Outcome(state.name, state.reason)
        elif state.name == "queued" and state.attempts:
            yield state.job, Outcome("started")
