"""Telling pull requests what became of them: one comment each, derived from the main branch.

What is said depends on the branch alone, so a comment that was lost is made good by the next run.
It holds numbers, ids and slugs, nothing anybody wrote.
"""

from __future__ import annotations

import datetime
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from scorer.ci.artifact import Outcome
from scorer.ci.errors import CODES, TryAgain
from scorer.ci.github import GitHub, MergedPull, Passing
from scorer.ci.main_branch import RESULTS, CiJob, Main, result_documents
from scorer.ci.runner import code, say
from scorer.ci.states import states
from scorer.errors import DataError
from scorer.hidden.release.decisions import NEAR, Decision
from scorer.metrics.catalogue import METRICS
from scorer.records import Interval, Result
from scorer.results import files as results
from scorer.results import leaderboard as documents
from scorer.results.leaderboard import LeaderboardDocument
from scorer.rules import lookup
from scorer.scoring.leaderboard.make import row_key
from scorer.scoring.leaderboard.numbers import number, p_text, plain

DAYS = 14
"""How long after its merge a pull request is looked at again."""
MOST = 50
"""How many of those in one run, the newest."""
WITHIN = 600.0
"""Seconds after which a run begins with no other pull request."""
LARGEST = 60_000
"""GitHub takes 65,536 characters."""
Boards = Callable[[str, str], LeaderboardDocument | None]
"""The leaderboard of a board's split."""


def nowhere(board: str, split: str) -> LeaderboardDocument | None:
    """No leaderboard."""


def tell(main: Main, jobs: Collection[CiJob], day: str, github: GitHub | None, site: str) -> None:
    """Post or edit the comment of every pull request of ``jobs``, and look at the latest others.

    ``jobs``: what this run decided. ``day``: today.
    """
    if github is None:
        return
    known: dict[str, list[tuple[CiJob, Outcome]]] = {}
    for job, outcome in outcomes(main):
        known.setdefault(job.commit, []).append((job, outcome))
    boards = cache(partial(_leaderboard, main))
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
            _comment(github, pull, text(known[commit], site, boards))
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
    known = result_documents(main)
    for state in states(main):
        if state.name == "published":
            result = _result(known, state.job.result_path)
            if result is not None:
                yield state.job, Outcome("scored", result=result)
        elif state.name in ("rejected", "error"):
            yield state.job, Outcome(state.name, state.reason)
        elif state.name == "queued" and state.attempts:
            yield state.job, Outcome("started")


def _result(known: Mapping[str, Any], path: str) -> Result | None:
    """A committed result; None, which the log says, for one that somebody spoilt by hand."""
    try:
        result: Result = results.from_json(known[path])
    except DataError as fault:
        say(f"{path}: no comment on it; {str(fault).splitlines()[0]}")
        return None
    return result


def _leaderboard(main: Main, board: str, split: str) -> LeaderboardDocument | None:
    """A leaderboard of the branch; None where there is none that can be read."""
    path = f"{RESULTS}/{board}/leaderboard.{split}.json"
    try:
        return documents.from_bytes(main.result_bytes(path), path)
    except DataError:
        return None


def text(rows: Sequence[tuple[CiJob, Outcome]], site: str, boards: Boards = nowhere) -> str:
    """What became of the splits of a pull request. ``boards``: the leaderboards there are."""
    parts = [_part(job, outcome, site, boards) for job, outcome in rows]
    return "\n\n".join(parts)[:LARGEST]


def _part(job: CiJob, outcome: Outcome, site: str, boards: Boards) -> str:
    head = f"### {code('/'.join((job.board, job.team, job.system)))} {code(job.split)}\n\n"
    if outcome.result is not None:
        return head + _numbers(job, outcome.result, site, boards(job.board, job.split))
    if outcome.kind == "rejected":
        rule = lookup(outcome.reason)
        return (f"{head}Rejected by {code(outcome.reason)}: {rule.text} "
                f"What to do: {rule.advice}.")
    if outcome.kind == "error":
        return f"{head}Not scored, {code(outcome.reason)}: {CODES[outcome.reason]}"
    return f"{head}The scoring machine failed; the next run tries again."


def _numbers(job: CiJob, result: Result, site: str, known: LeaderboardDocument | None) -> str:
    public = re.fullmatch(r"https://[A-Za-z0-9./_-]{1,200}", site) is not None
    place = f"{site.rstrip('/')}/boards/{job.board}/{job.split}/"
    standing = " ".join(_standing(job, known, place if public else "")) if known else ""
    lines = [standing, ""] if standing else []
    lines += ["| metric | value | 95 % interval | its null | lift |", "|---|---:|---:|---:|---:|"]
    for name, value in result.metrics.items():
        arrow = "higher" if METRICS[name].better == "higher" else "lower"
        cells = [_shown(value.value, name), _interval(value.interval, name),
                 _shown(value.null, name), _shown(METRICS[name].lift(value), name, signed=True)]
        lines.append(f"| {name} ({arrow} is better) | {' | '.join(cells)} |")
    if "release" in result.provenance:
        lines.append(f"\nHidden gold: {_release(result)}")
    lines.append(f"\nMeans over {result.counts['items']} items. Key {code(job.key)}.")
    lines.append("Scores are in percent, distances from 0 to 1; lift is positive where the system "
                 "is better.")
    if public:
        lines.append(f"\nThe leaderboard: {place} (shown after the site is built)")
    signatures = "\n".join(value.signature for value in result.metrics.values() if value.signature)
    lines += ["\n<details><summary>Signatures</summary>\n", "```", signatures.replace("`", "'"),
              "```", "\n</details>"]
    return "\n".join(lines)


def _standing(job: CiJob, known: LeaderboardDocument, place: str) -> Iterator[str]:
    """Its ranks, and how it compares with the first of the others; ``place``: the leaderboard's
    page, if there is a site."""
    names = {row_key(job.team, job.system, anonymous=hidden) for hidden in (False, True)}
    row = next((one for one in known.rows if one.key in names), None)
    if row is None:
        return
    by, ranked = known.order.by, [one for one in known.rows if one.rank]
    if not row.rank:
        yield f"No rank: {row.unranked or 'nothing may order the rows'}."
        return
    other = next((one for one in ranked if one.key != row.key), None)
    versus = row.values[by].vs_null if by else None
    behind = " It does not beat its null." if versus and versus.verdict in ("worse", "same",
                                                                           "equal") else ""
    yield (f"**Rank {' to '.join(dict.fromkeys(map(str, row.rank)))}** of {len(ranked)} by {by}."
           f"{behind}")
    p = known.p_of(row.key, other.key) if other else None
    if other is not None and p is not None:
        which = "the second" if ranked[0] is row else "the leader"
        yield f"Against {which}, {code(other.key)}: {plain(p_text(p))} by Holm."
    if other is not None and place:
        yield f"Side by side: {place}compare/?a={row.key}&b={other.key}"


def _release(result: Result) -> str:
    """What was released of a hidden split, or why nothing was."""
    release = result.provenance["release"]
    reason = Decision(release["answer"], datetime.date.fromisoformat(release["day"])).reason
    if release["answer"] == NEAR:
        reason = "no significant change: too few rows differ from an earlier submission"
    return f"{reason or 'values are rounded to a grid'}."


def _interval(found: Interval | None, metric: str) -> str:
    if found is None or found.low is None or found.high is None:
        return "none"
    return f"{_shown(found.low, metric)} to {_shown(found.high, metric)}"


def _shown(value: float | None, metric: str, signed: bool = False) -> str:
    return "not measured" if value is None else number(value, METRICS[metric], signed)
