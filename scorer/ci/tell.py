"""Telling pull requests what became of them: one comment each, derived from the main branch.

What is said depends on the branch alone, so a comment that was lost is made good by the next run.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator

from scorer.ci.artifact import Outcome
from scorer.ci.comment import text
from scorer.ci.errors import TryAgain
from scorer.ci.github import GitHub, Passing
from scorer.ci.runner import say
from scorer.ci.state import Job, Main, result_documents, states
from scorer.results import files as results

DAYS = 14
"""How long after its merge a pull request is looked at again."""
MOST = 50
"""How many of those in one run, the newest."""


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
    for commit in [*(commit for commit in dated if commit in now), *late[-MOST:]]:
        try:
            pull = github.pull_of(commit)
            if pull is not None:
                said = github.comment(pull.number, text(known[commit], site))
                if said != "same":
                    say(f"pull request {pull.number}: {said}")
        except Passing as fault:
            say(f"{fault}; the next run tells what is left to tell")
            return
        except TryAgain as fault:
            say(str(fault))


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
