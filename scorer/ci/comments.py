"""Telling pull requests what became of them: one comment each, derived from the main branch.

What is said depends on the branch alone, so a comment that was lost is made good by the next run.
It holds numbers, ids and slugs, nothing anybody wrote.
"""

from __future__ import annotations

import datetime
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from scorer.ci.artifact import Outcome
from scorer.ci.errors import CODES, TryAgain
from scorer.ci.github import GitHub, MergedPull, Passing
from scorer.ci.main_branch import CiJob, Main, result_documents
from scorer.ci.runner import code, say
from scorer.ci.states import states
from scorer.errors import DataError
from scorer.hidden.release.decisions import NEAR, Decision
from scorer.metrics.catalogue import METRICS
from scorer.records import Interval, Result
from scorer.results import files as results
from scorer.rules import lookup

DAYS = 14
"""How long after its merge a pull request is looked at again."""
MOST = 50
"""How many of those in one run, the newest."""
WITHIN = 600.0
"""Seconds after which a run begins with no other pull request."""
LARGEST = 60_000
"""GitHub takes 65,536 characters."""


def tell(main: Main, jobs: Collection[CiJob], day: str, github: GitHub | None, site: str) -> None:
    """Post or edit the comment of every pull request of ``jobs``, and look at the latest others.

    ``jobs``: what this run decided. ``day``: today.
    """
    if github is None:
        return
    known: dict[str, list[tuple[CiJob, Outcome]]] = {}
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
            say(f"{fault}; the next run comments on the rest")
            return
        except TryAgain as fault:
            say(str(fault))
            continue
        if pull is not None:
            _comment(github, pull, text(known[commit], site))
        if time.monotonic() > end:
            say(f"{WITHIN:.0f} seconds are over; the next run comments on the rest")
            return


def _comment(github: GitHub, pull: MergedPull, said: str) -> None:
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


def outcomes(main: Main) -> Iterator[tuple[CiJob, Outcome]]:
    """What became of every submission that was decided or tried."""
    documents = result_documents(main)
    for state in states(main):
        if state.name == "published":
            result = _result(documents, state.job.result_path)
            if result is not None:
                yield state.job, Outcome("scored", result=result)
        elif state.name in ("rejected", "error"):
            yield state.job, Outcome(state.name, state.reason)
        elif state.name == "queued" and state.attempts:
            yield state.job, Outcome("started")


def _result(documents: Mapping[str, Any], path: str) -> Result | None:
    """A committed result; None, which the log says, for one that somebody spoilt by hand."""
    try:
        result: Result = results.from_json(documents[path])
    except DataError as fault:
        say(f"{path}: no comment on it; {str(fault).splitlines()[0]}")
        return None
    return result


def text(rows: Sequence[tuple[CiJob, Outcome]], site: str) -> str:
    """What became of the splits of a pull request."""
    parts = [_part(job, outcome, site) for job, outcome in rows]
    return "\n\n".join(parts)[:LARGEST]


def _part(job: CiJob, outcome: Outcome, site: str) -> str:
    head = f"### {code('/'.join((job.board, job.team, job.system)))} {code(job.split)}\n\n"
    if outcome.result is not None:
        return head + _numbers(job, outcome.result, site)
    if outcome.kind == "rejected":
        rule = lookup(outcome.reason)
        return (f"{head}Rejected by {code(outcome.reason)}: {rule.text} "
                f"What to do: {rule.advice}.")
    if outcome.kind == "error":
        return f"{head}Not scored, {code(outcome.reason)}: {CODES[outcome.reason]}"
    return f"{head}The scoring machine failed; the next run tries again."


def _numbers(job: CiJob, result: Result, site: str) -> str:
    lines = ["| metric | value | 95 % interval | its null | lift |", "|---|---:|---:|---:|---:|"]
    for name, value in result.metrics.items():
        arrow = "higher" if METRICS[name].better == "higher" else "lower"
        cells = [_shown(value.value), _interval(value.interval), _shown(value.null),
                 _shown(METRICS[name].lift(value))]
        lines.append(f"| {name} ({arrow} is better) | {' | '.join(cells)} |")
    if "release" in result.provenance:
        lines.append(f"\nHidden gold: {_release(result)}")
    lines.append(f"\nMeans over {result.counts['items']} items. Key {code(job.key)}.")
    if re.fullmatch(r"https://[A-Za-z0-9./_-]{1,200}", site):
        lines.append(f"\nThe row: {site.rstrip('/')}/boards/{job.board}/ (shown after the site is "
                     "built)")
    signatures = "\n".join(value.signature for value in result.metrics.values() if value.signature)
    lines += ["\n<details><summary>Signatures</summary>\n", "```", signatures.replace("`", "'"),
              "```", "\n</details>"]
    return "\n".join(lines)


def _release(result: Result) -> str:
    """What was released of a hidden split, or why nothing was."""
    release = result.provenance["release"]
    reason = Decision(release["answer"], datetime.date.fromisoformat(release["day"])).reason
    if release["answer"] == NEAR:
        reason = "no significant change: too few rows differ from an earlier submission"
    return f"{reason or 'values are rounded to a grid'}."


def _interval(found: Interval | None) -> str:
    if found is None or found.low is None or found.high is None:
        return "none"
    return f"{found.low:.4f} to {found.high:.4f}"


def _shown(number: float | None) -> str:
    return "not measured" if number is None else f"{number:.4f}"
