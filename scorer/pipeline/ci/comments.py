"""Commenting on pull requests: what became of each, in one comment that is edited in place.

What is said depends on the main branch alone, so a run that is repeated says the same. It holds
numbers, ids and slugs, nothing anybody wrote. Nothing that is scored or published depends on what
GitHub answers.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scorer.core.errors import DataError, counted
from scorer.core.results import Result
from scorer.core.rules import lookup
from scorer.metrics.catalogue import METRICS
from scorer.pipeline.ci.main_branch import RESULTS, CiJob, Main
from scorer.pipeline.ci.queue import State, states
from scorer.pipeline.ci.runner import CODES, TryAgain, code, repository_name, say, value_at
from scorer.scoring.leaderboard.numbers import number, p_text, plain
from scorer.scoring.results import files as results
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.results.leaderboard import LeaderboardDocument

LARGEST = 60_000
"""GitHub takes 65,536 characters."""
MARK = "<!-- whyboard: what became of this submission -->"
OURSELVES = "github-actions[bot]"
ANSWER_WITHIN = 20.0
LARGEST_ANSWER = 8 * 1024 * 1024
"""Bytes of an answer of GitHub that are read."""
A_PAGE = 100
_NUMBER = re.compile(rb".* \(#([1-9][0-9]{0,8})\)(?:\n|$)")
"""A message whose first line ends as GitHub ends that of a squashed pull request: whatever the
title says, its own number comes last, behind a space, which no branch has in its name."""


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
    commits = {job.commit: job.date for job in jobs}
    rows: dict[str, list[CommentRow]] = {}
    for state in states(main, day):
        if state.job.commit in commits and (row := _row(main, state)):
            rows.setdefault(state.job.commit, []).append(row)
    for commit, parts in rows.items():
        shown = main.repository.run("show", "--no-patch", "--format=%B", commit)
        match = _NUMBER.match(shown.stdout)
        if match is None:
            continue  # of no pull request
        pull = int(match[1])
        try:
            answer = github.comment(pull, commits[commit], text(parts, site))
            say(f"pull request {pull}: comment {answer}")
        except TryAgain as fault:
            say(f"pull request {pull}: no comment; {fault}")


# ---- what is said --------------------------------------------------------------------------------


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
    yield "| metric | value | 95 % interval | its null |\n|---|---:|---:|---:|"
    for name, value in result.metrics.items():
        interval = value.interval
        bounds = "none" if interval is None or not interval.given else (
            f"{_shown(interval.low, name)} to {_shown(interval.high, name)}")
        yield (f"| {name} ({METRICS[name].better} is better) | {_shown(value.value, name)} | "
               f"{bounds} | {_shown(value.null, name)} |")
    if result.release:
        yield "\nHidden gold: values are rounded to a grid."
    yield f"\nMeans over {counted(result.counts['items'], 'item')}, in percent or from 0 to 1."
    if page:
        yield f"\nThe leaderboard: {page} (shown after the site is built)"


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
    pair = board.pair(row.key, other.key) if other else None
    if other is not None and pair is not None and pair[3] is not None:
        which = "the second" if ranked[0] is row else "the leader"
        yield f"Against {which}, {code(other.key)}: {plain(p_text(pair[3]))} by Holm."
    if other is not None and page:
        yield f"Side by side: {page}compare/?a={row.key}&b={other.key}"


def _shown(value: float | None, metric: str) -> str:
    return "not measured" if value is None else number(value, METRICS[metric])


# ---- GitHub --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GitHub:
    """A client for one repository."""

    url: str
    repository: str
    token: str

    @classmethod
    def here(cls) -> GitHub | None:
        """The client of this run, or None where no token or repository is given."""
        name, token = repository_name(), os.environ.get("GITHUB_TOKEN", "")
        url = os.environ.get("GITHUB_API_URL", "https://api.github.com").rstrip("/")
        return cls(url, name, token) if name is not None and token else None

    def comment(self, pull: int, merged: str, text: str) -> str:
        """Post our one comment on a pull request, or edit it: ``posted``, ``edited`` or ``same``.

        Only a comment of our own account counts as ours, whatever mark another one carries. It is
        looked for among the first hundred written or edited since the merge; where more were and
        none is ours, nothing is posted, for ours may stand behind them. Raises TryAgain if GitHub
        refuses.
        """
        body = f"{MARK}\n{text}"
        query = f"issues/{pull}/comments?per_page={A_PAGE}&since={merged}"
        comments = self._ask("GET", query) or []
        for comment in comments:
            mine = value_at(comment, "user", "login") == OURSELVES
            if mine and str(comment.get("body", "")).startswith(MARK):
                if comment["body"] == body:
                    return "same"
                self._ask("PATCH", f"issues/comments/{int(comment['id'])}", {"body": body})
                return "edited"
        if len(comments) >= A_PAGE:
            raise TryAgain(f"pull request {pull} has {A_PAGE} comments or more since its merge, "
                           "and none of the first is ours; nothing is posted there")
        self._ask("POST", f"issues/{pull}/comments", {"body": body})
        return "posted"

    def _ask(self, method: str, path: str, document: Any = None) -> Any:
        """One request. Raises TryAgain without quoting what came back."""
        question = f"{method} {path.partition('?')[0]}"
        request = urllib.request.Request(  # noqa: S310  # the runner's own API address
            f"{self.url}/repos/{self.repository}/{path}", method=method,
            data=json.dumps(document).encode() if document is not None else None,
            headers={"Authorization": f"Bearer {self.token}",
                     "Accept": "application/vnd.github+json", "User-Agent": "whyboard",
                     "X-GitHub-Api-Version": "2022-11-28", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_WITHIN) as answer:  # noqa: S310
                content = answer.read(LARGEST_ANSWER + 1)
                if len(content) <= LARGEST_ANSWER:
                    return json.loads(content or b"null")
        except urllib.error.HTTPError as fault:
            fault.close()
            raise TryAgain(f"GitHub answered {fault.code} to {question}") from fault
        except (OSError, ValueError, http.client.HTTPException) as fault:
            raise TryAgain(f"GitHub gave no answer to {question} ({type(fault).__name__})"
                           ) from fault
        raise TryAgain(f"GitHub answered {question} with more than {LARGEST_ANSWER} bytes")
