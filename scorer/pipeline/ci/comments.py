"""Commenting on pull requests: what became of each, in one comment that is edited in place.

What is said depends on the main branch alone, so a run that is repeated says the same. It holds
numbers, ids and slugs, nothing anybody wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scorer.core.errors import DataError, counted
from scorer.core.results import Result
from scorer.core.rules import lookup
from scorer.metrics.catalogue import METRICS
from scorer.pipeline.ci.github import GitHub
from scorer.pipeline.ci.main_branch import RESULTS, CiJob, Main
from scorer.pipeline.ci.queue import State, states
from scorer.pipeline.ci.runner import CODES, TryAgain, code, say
from scorer.scoring.leaderboard.numbers import number, p_text, plain
from scorer.scoring.results import files as results
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.results.leaderboard import LeaderboardDocument

LARGEST = 60_000
"""GitHub takes 65,536 characters."""


class CommentRow(NamedTuple):
    """One split of a pull request's submission, with what is shown of it."""

    state: State
    result: Result | None = None
    leaderboard: LeaderboardDocument | None = None


def comment(main: Main, jobs: Sequence[CiJob], day: str, github: GitHub | None, site: str) -> None:
    """Comment on the pull requests that brought some jobs. ``site``: the address of the site.

    One that takes no comment keeps no other from its own.
    """
    if github is None:
        return
    commits = {job.commit for job in jobs}
    rows: dict[str, list[CommentRow]] = {}
    for state in states(main, day):
        if state.job.commit in commits and (row := _row(main, state)):
            rows.setdefault(state.job.commit, []).append(row)
    for commit, parts in rows.items():
        try:
            pull = github.pull_of(commit)
            if pull is not None:
                say(f"pull request {pull}: comment {github.comment(pull, text(parts, site))}")
        except TryAgain as fault:
            say(f"commit {commit[:12]}: no comment; {fault}")


def _row(main: Main, state: State) -> CommentRow | None:
    """What there is to say of a state; None for nothing yet."""
    if state.name in ("rejected", "error") or state.attempts:
        return CommentRow(state)
    if state.name != "published":
        return None
    job = state.job
    path = f"{RESULTS}/{job.board}/leaderboard.{job.split}.json"
    try:
        result = results.from_json(main.documents[job.result_path])
        return CommentRow(state, result, documents.from_bytes(main.result_bytes(path), path))
    except DataError as fault:
        say(f"{job}: no comment; {str(fault).splitlines()[0]}")
        return None


def text(rows: Sequence[CommentRow], site: str) -> str:
    """What became of the splits of a pull request."""
    return "\n\n".join(_part(row, site) for row in rows)[:LARGEST]


def _part(row: CommentRow, site: str) -> str:
    state, job = row.state, row.state.job
    head = f"### {code('/'.join(job.submission))} {code(job.split)}\n\n"
    if row.result is not None:
        return head + "\n".join(_numbers(job, row.result, row.leaderboard, site))
    if state.name == "rejected":
        rule = lookup(state.reason)
        return f"{head}Rejected by {code(rule.id)}: {rule.text} What to do: {rule.advice}."
    if state.name == "error":
        return f"{head}Not scored, {code(state.reason)}: {CODES.get(state.reason, '')}"
    return f"{head}The scoring machine failed; the next run tries again."


def _numbers(job: CiJob, result: Result, board: LeaderboardDocument | None, site: str
             ) -> Iterator[str]:
    public = re.fullmatch(r"https://[A-Za-z0-9./_-]{1,200}", site) is not None
    page = f"{site.rstrip('/')}/boards/{job.board}/{job.split}/" if public else ""
    if board is not None:
        yield f"{' '.join(_rank(job, board, page))}\n"
    yield "| metric | value | 95 % interval | its null | lift |\n|---|---:|---:|---:|---:|"
    for name, value in result.metrics.items():
        info, interval = METRICS[name], value.interval
        bounds = "none" if interval is None or not interval.given else (
            f"{_shown(interval.low, name)} to {_shown(interval.high, name)}")
        cells = [_shown(value.value, name), bounds,
                 _shown(value.null, name), _shown(info.lift(value), name, signed=True)]
        yield f"| {name} ({info.better} is better) | {' | '.join(cells)} |"
    if result.release:
        yield "\nHidden gold: values are rounded to a grid."
    yield f"\nMeans over {counted(result.counts['items'], 'item')}. Key {code(job.key)}."
    yield ("Scores are in percent, distances from 0 to 1; lift is positive where the system is "
           "better.")
    if page:
        yield f"\nThe leaderboard: {page} (shown after the site is built)"
    signatures = "\n".join(value.signature for value in result.metrics.values() if value.signature)
    yield (f"\n<details><summary>Signatures</summary>\n\n```\n{signatures.replace('`', chr(39))}"
           "\n```\n\n</details>")


def _rank(job: CiJob, board: LeaderboardDocument, page: str) -> Iterator[str]:
    """Its rank interval, and how it compares with the first of the others."""
    row = board.row_of(job.team, job.system)
    if row is None:
        return
    by, ranked = board.order.by, [entry for entry in board.rows if entry.rank]
    if not row.rank:
        yield f"No rank: {row.unranked or 'nothing may order the rows'}."
        return
    yield (f"**Rank {' to '.join(dict.fromkeys(map(str, row.rank)))}** of {len(ranked)} by {by}.")
    versus = row.values[by].vs_null if by else None
    if versus and versus.verdict in ("worse", "same", "equal"):
        yield "It does not beat its null."
    other = next((entry for entry in ranked if entry.key != row.key), None)
    p = board.p_of(row.key, other.key) if other else None
    if other is not None and p is not None:
        which = "the second" if ranked[0] is row else "the leader"
        yield f"Against {which}, {code(other.key)}: {plain(p_text(p))} by Holm."
    if other is not None and page:
        yield f"Side by side: {page}compare/?a={row.key}&b={other.key}"


def _shown(value: float | None, metric: str, signed: bool = False) -> str:
    return "not measured" if value is None else number(value, METRICS[metric], signed)
