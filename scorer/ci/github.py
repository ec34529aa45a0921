"""The few questions that the pipeline asks GitHub: which pull request, and one comment on it."""

from __future__ import annotations

import http.client
import json
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

from scorer.ci.errors import TryAgain
from scorer.ci.git import is_oid
from scorer.ci.runner import reach, repository_name

MARK = "<!-- whyboard: what became of this submission -->"
OURSELVES = "github-actions[bot]"
ANSWER_WITHIN = 20.0
LARGEST = 8 * 1024 * 1024
"""Bytes of an answer. A page of comments fits: ten of 65,536 characters, each as two escapes of six
bytes, and 52 KB for whatever else is said of one."""
A_PAGE = 10
MOST_PAGES = 10
ATTEMPTS = 4
PAUSE = 2.0
"""Seconds before the second attempt; each further one waits twice as long."""
LONGEST_PAUSE = 30.0
MAINTENANCE = "maintenance"
"""The label that lets a branch of the repository itself change merged files."""
ON_BEHALF = "on-behalf"
"""The label by which maintainers vouch for answers that somebody hands in for others."""

T = TypeVar("T")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


class MergedPull(NamedTuple):
    """A merged pull request: its number and the account that opened it."""

    number: int
    author: int
    trusted: bool = False
    """Whether it was a maintainers' branch; see ``is_trusted``."""
    merged_at: str = "1970-01-01T00:00:00Z"
    """When GitHub merged it, by its own clock."""


class Passing(TryAgain):
    """GitHub is busy or cannot be reached; it may answer later."""

    after = 0.0
    """Seconds that it asks to wait."""


def is_trusted(pull: Any) -> bool:
    """Whether a pull request, as GitHub describes it, is of a branch of the repository itself that
    its maintainers marked.
    """
    sides = [reach(pull, side, "repo", "id") for side in ("base", "head")]
    marked = any(reach(label, "name") == MAINTENANCE for label in reach(pull, "labels") or [])
    return marked and isinstance(sides[0], int) and sides[0] == sides[1]


@dataclass(frozen=True)
class GitHub:
    """A client for one repository."""

    url: str
    repository: str
    token: str
    pause: float = PAUSE

    @classmethod
    def here(cls) -> GitHub | None:
        """The client of this run, or None where no token or repository is given."""
        name, token = repository_name(), os.environ.get("GITHUB_TOKEN", "")
        url = os.environ.get("GITHUB_API_URL", "https://api.github.com").rstrip("/")
        if name is None or not token:
            return None
        return cls(url, name, token)

    def pull_of(self, commit: str) -> MergedPull | None:
        """The merged pull request that brought a commit to the main branch.

        That whose merge commit it is, the first of several that had the same commits; else, for one
        that was merged by rebasing, any that GitHub names, first of all one that nobody trusts.
        Raises TryAgain if GitHub does not say; Passing where it may say later.
        """
        if not is_oid(commit):
            return None
        exact: list[MergedPull] = []
        others: list[MergedPull] = []
        for found in self._patiently(partial(self._ask, "GET", f"commits/{commit}/pulls")) or ():
            try:
                if not _TIME.fullmatch(found["merged_at"]):
                    continue
                pull = MergedPull(int(found["number"]), int(found["user"]["id"]), is_trusted(found),
                                  found["merged_at"])
                (exact if found["merge_commit_sha"] == commit else others).append(pull)
            except (KeyError, TypeError, ValueError):
                continue
        first = min(exact, key=lambda pull: pull.number, default=None)
        return first or min(others, key=lambda pull: (pull.trusted, pull.number), default=None)

    def comment(self, pull: MergedPull, text: str) -> str:
        """Post our one comment on a merged pull request, or edit it: ``posted``, ``edited`` or
        ``same``.

        Only a comment of our own account counts as ours, whatever mark another one carries. It is
        looked for among the first hundred written or edited since the merge; where more were and
        none is ours, nothing is posted, for ours may stand behind them.
        Raises TryAgain if GitHub refuses; Passing where it may take it later.
        """
        return self._patiently(partial(self._comment, pull, f"{MARK}\n{text}"))

    def _comment(self, pull: MergedPull, body: str) -> str:
        for found in self._comments(pull):
            mine = reach(found, "user", "login") == OURSELVES
            if mine and str(found.get("body", "")).startswith(MARK):
                if found["body"] == body:
                    return "same"
                self._ask("PATCH", f"issues/comments/{int(found['id'])}", {"body": body})
                return "edited"
        self._ask("POST", f"issues/{pull.number}/comments", {"body": body})
        return "posted"

    def _comments(self, pull: MergedPull) -> Iterator[Any]:
        """The comments since the merge, oldest first. Raises TryAgain if there are too many."""
        asked = f"issues/{pull.number}/comments?per_page={A_PAGE}&since={pull.merged_at}"
        for page in range(1, MOST_PAGES + 1):
            found = self._ask("GET", f"{asked}&page={page}") or []
            yield from found
            if len(found) < A_PAGE:
                return
        raise TryAgain(f"pull request {pull.number} has {A_PAGE * MOST_PAGES} comments or more "
                       "since its merge, and none of the first is ours; nothing is posted there")

    def _patiently(self, ask: Callable[[], T]) -> T:
        """The answer to a question that is put a few times, pausing, while GitHub cannot give it.

        A whole question, not a single request: a comment whose receipt was lost may be there, so
        the comments are read again before another is posted. Libraries that repeat requests, such
        as urllib3, would post it twice.
        """
        for attempt in range(ATTEMPTS - 1):
            try:
                return ask()
            except Passing as fault:
                time.sleep(min(LONGEST_PAUSE, max(fault.after, self.pause * 2**attempt)))
        return ask()

    def _ask(self, method: str, path: str, document: Any = None) -> Any:
        """One request. Raises TryAgain without quoting what came back."""
        try:
            request = urllib.request.Request(  # noqa: S310  # the runner's own API address
                f"{self.url}/repos/{self.repository}/{path}", method=method,
                data=json.dumps(document).encode() if document is not None else None,
                headers={"Authorization": f"Bearer {self.token}",
                         "Accept": "application/vnd.github+json", "User-Agent": "whyboard",
                         "X-GitHub-Api-Version": "2022-11-28",
                         "Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=ANSWER_WITHIN) as answer:  # noqa: S310
                content = answer.read(LARGEST + 1)
                if len(content) <= LARGEST:
                    return json.loads(content or b"null")
        except urllib.error.HTTPError as fault:
            fault.close()
            raise _refusal(fault, f"{method} {path.partition('?')[0]}") from fault
        except (OSError, ValueError, http.client.HTTPException) as fault:
            said = f"GitHub gave no answer to {method} ({type(fault).__name__})"
            raise Passing(said) from fault
        raise TryAgain(f"GitHub answered {method} {path.partition('?')[0]} with more than "
                       f"{LARGEST} bytes")


def _refusal(fault: urllib.error.HTTPError, asked: str) -> TryAgain:
    """What an answer that is none means: later perhaps (429, 5xx, or told to wait), or no."""
    said, wait = f"GitHub answered {fault.code} to {asked}", fault.headers.get("Retry-After", "")
    if fault.code != 429 and fault.code < 500 and not wait:
        return TryAgain(said)
    passing = Passing(said)
    passing.after = float(wait) if wait.isascii() and wait.isdigit() else 0.0
    return passing
