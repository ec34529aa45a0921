"""Commenting on pull requests: what became of each, in one comment that is edited in place.

What is said depends on the main branch alone, so a run that is repeated says the same. It holds
numbers, ids and slugs, nothing anybody wrote. Nothing that is scored or published depends on what
GitHub answers; it is asked by its own program ``gh``, which every hosted machine has.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from typing import Any

from scorer.core.errors import DataError, counted
from scorer.core.results import Result
from scorer.core.rules import lookup
from scorer.pipeline.ci.main_branch import CiJob, Main, State
from scorer.pipeline.ci.runner import CODES, TryAgain, code, say, value_at
from scorer.pipeline.ci.validate import table
from scorer.scoring.leaderboard.numbers import p_text, plain
from scorer.scoring.results import files as results
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.results.leaderboard import LeaderboardDocument

LARGEST = 60_000
"""GitHub takes 65,536 characters."""
MARK = "<!-- whyboard: what became of this submission -->"
OURSELVES = "github-actions[bot]"
ANSWER_WITHIN = 20.0
_API = ("gh", "api")
_NUMBER = re.compile(rb".* \(#([1-9][0-9]{0,8})\)(?:\n|$)")
"""A message whose first line ends as GitHub ends that of a squashed pull request: whatever the
title says, its own number comes last, behind a space, which no branch has in its name."""


def comment(main: Main, jobs: Sequence[CiJob], day: str, repository: str, site: str) -> None:
    """Comment on the pull requests that brought some jobs. ``repository``: owner and name on
    GitHub; ``site``: the address of the site.

    One that takes no comment keeps no other from its own.
    """
    texts: dict[str, list[str]] = {job.commit: [] for job in jobs}
    for state in main.states(day):
        if state.job.commit in texts and (text := why(state) or _published(main, state, site)):
            name = f"{code('/'.join(state.job.submission))} {code(state.job.split)}"
            texts[state.job.commit].append(f"### {name}\n\n{text}")
    for commit, parts in texts.items():
        shown = main.repository.run("show", "--no-patch", "--format=%B", commit)
        match = _NUMBER.match(shown.stdout)
        if match is None or not parts:
            continue  # of no pull request, or nothing became of it yet
        pull = int(match[1])
        try:
            answer = post(repository, pull, "\n\n".join(parts)[:LARGEST])
            say(f"pull request {pull}: comment {answer}")
        except TryAgain as fault:
            say(f"pull request {pull}: no comment; {fault}")


# ---- what is said --------------------------------------------------------------------------------


def why(state: State) -> str:
    """Why a split has no result; empty if nothing went wrong."""
    if state.name == "rejected":
        rule = lookup(state.reason)
        return f"Rejected by {code(rule.id)}: {rule.text} What to do: {rule.advice}."
    if state.name == "error":
        return f"Not scored, {code(state.reason)}: {CODES.get(state.reason, '')}"
    return "The scoring machine failed; the next run tries again." if state.attempts else ""


def _published(main: Main, state: State, site: str) -> str:
    """What is said of a published result; empty if there is none, or none that can be read."""
    job = state.job
    if state.name != "published":
        return ""
    try:
        result = results.from_json(main.documents[job.result()])
        board = documents.from_bytes(main.result_bytes(job.leaderboard), job.leaderboard)
        return "\n".join(numbers(job, result, board, site))
    except DataError as fault:
        say(f"{job}: no comment; {str(fault).splitlines()[0]}")
        return ""


def numbers(job: CiJob, result: Result, board: LeaderboardDocument, site: str) -> Iterator[str]:
    """What is said of a result, line by line."""
    page = f"{site.rstrip('/')}/boards/{job.board}/{job.split}/" if site else ""
    yield f"{' '.join(_rank(job, board, page))}\n"
    yield from table(result)
    if result.release:
        yield "\nHidden gold: values are rounded to a grid."
    yield f"\nMeans over {counted(result.counts['items'], 'item')}, in percent or from 0 to 1."
    if page:
        yield f"\nThe leaderboard: {page} (shown after the site is built)"


def _rank(job: CiJob, board: LeaderboardDocument, page: str) -> Iterator[str]:
    """Its rank interval, and how it compares with the first of the others."""
    row, by = board.row_of(job.team, job.system), board.order.by
    if row is None:
        return
    if not row.rank:
        yield f"No rank: {row.unranked or 'nothing may order the rows'}."
        return
    ranked = [entry for entry in board.rows if entry.rank]
    yield f"**Rank {' to '.join(dict.fromkeys(map(str, row.rank)))}** of {len(ranked)} by {by}."
    versus = row.values[by].vs_null if by else None
    if versus and versus.verdict in ("worse", "same", "equal"):
        yield "It does not beat its null."
    other = next((entry for entry in ranked if entry.key != row.key), None)
    if other is None:
        return
    *_, holm = board.pair(row.key, other.key) or (None,)
    if holm is not None:
        which = "the second" if ranked[0] is row else "the leader"
        yield f"Against {which}, {code(other.key)}: {plain(p_text(holm))} by Holm."
    if page:
        yield f"Side by side: {page}compare/?a={row.key}&b={other.key}"


# ---- GitHub --------------------------------------------------------------------------------------


def post(repository: str, pull: int, text: str) -> str:
    """Post our one comment on a pull request, or edit it: ``posted``, ``edited`` or ``same``.

    Only a comment of our own account counts as ours, whatever mark another one carries. Raises
    TryAgain if GitHub refuses.
    """
    body, comments = f"{MARK}\n{text}", f"repos/{repository}/issues/{pull}/comments"
    for page in _ask("GET", f"{comments}?per_page=100", "--paginate", "--slurp"):
        for known in page:
            mine = value_at(known, "user", "login") == OURSELVES
            if mine and str(known.get("body", "")).startswith(MARK):
                if known["body"] == body:
                    return "same"
                _ask("PATCH", f"repos/{repository}/issues/comments/{int(known['id'])}", body=body)
                return "edited"
    _ask("POST", comments, body=body)
    return "posted"


def _ask(method: str, path: str, *words: str, **document: str) -> Any:
    """One request. Raises TryAgain without quoting what came back."""
    question = f"{method} {path.partition('?')[0]}"
    more = ("--input", "-") if document else ()
    try:
        ran = subprocess.run(  # noqa: S603  # fixed words
            (*_API, "--method", method, path, *words, *more), input=json.dumps(document),
            capture_output=True, text=True, check=False, timeout=ANSWER_WITHIN)
        if ran.returncode == 0:
            return json.loads(ran.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as fault:
        raise TryAgain(f"GitHub gave no answer to {question} ({type(fault).__name__})") from fault
    status = re.search(r"\(HTTP (\d{3})\)", ran.stderr)
    raise TryAgain(f"GitHub answered {status[1] if status else 'nothing'} to {question}")
