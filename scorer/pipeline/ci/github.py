"""The two things that the pipeline asks of GitHub: which pull request a merge was, and one comment.

Nothing that is scored or published depends on the answers.
"""

from __future__ import annotations

import http.client
import json
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from scorer.pipeline.ci.runner import TryAgain, repository_name, value_at

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

T = TypeVar("T")


class Busy(TryAgain):
    """GitHub is busy or cannot be reached; it may answer later."""

    after = 0.0
    """Seconds that it asks to wait."""


@dataclass(frozen=True)
class MergedPull:
    """A merged pull request."""

    number: int
    merged_at: str
    """When GitHub merged it, by its own clock."""

    def __str__(self) -> str:
        return str(self.number)


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
        return cls(url, name, token) if name is not None and token else None

    def pull_of(self, commit: str) -> MergedPull | None:
        """The pull request whose merge a commit of the main branch is; None if it is of none.

        Others that hold the same commit do not count. Raises TryAgain if GitHub does not say.
        """
        for pull in self._patiently(partial(self._ask, "GET", f"commits/{commit}/pulls")) or ():
            merged = value_at(pull, "merged_at")
            if value_at(pull, "merge_commit_sha") == commit and isinstance(merged, str):
                return MergedPull(int(pull["number"]), merged)
        return None

    def comment(self, pull: MergedPull, text: str) -> str:
        """Post our one comment on a pull request, or edit it: ``posted``, ``edited`` or ``same``.

        Only a comment of our own account counts as ours, whatever mark another one carries. It is
        looked for among the first hundred written or edited since the merge; where more were and
        none is ours, nothing is posted, for ours may stand behind them. Raises TryAgain if GitHub
        refuses.
        """
        return self._patiently(partial(self._comment, pull, f"{MARK}\n{text}"))

    def _comment(self, pull: MergedPull, body: str) -> str:
        for comment in self._comments(pull):
            mine = value_at(comment, "user", "login") == OURSELVES
            if mine and str(comment.get("body", "")).startswith(MARK):
                if comment["body"] == body:
                    return "same"
                self._ask("PATCH", f"issues/comments/{int(comment['id'])}", {"body": body})
                return "edited"
        self._ask("POST", f"issues/{pull}/comments", {"body": body})
        return "posted"

    def _comments(self, pull: MergedPull) -> Iterator[Any]:
        """The comments since the merge, oldest first. Raises TryAgain if there are too many."""
        query = f"issues/{pull}/comments?per_page={A_PAGE}&since={pull.merged_at}"
        for page in range(1, MOST_PAGES + 1):
            comments = self._ask("GET", f"{query}&page={page}") or []
            yield from comments
            if len(comments) < A_PAGE:
                return
        raise TryAgain(f"pull request {pull} has {A_PAGE * MOST_PAGES} comments or more since its "
                       "merge, and none of the first is ours; nothing is posted there")

    def _patiently(self, ask: Callable[[], T]) -> T:
        """The answer to a question that is put a few times, pausing, while GitHub cannot give it.

        A whole question, not a single request: a comment whose receipt was lost may be there, so
        the comments are read again before another is posted. Libraries that repeat requests, such
        as urllib3, would post it twice.
        """
        for attempt in range(ATTEMPTS - 1):
            try:
                return ask()
            except Busy as fault:
                time.sleep(min(LONGEST_PAUSE, max(fault.after, self.pause * 2**attempt)))
        return ask()

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
                content = answer.read(LARGEST + 1)
                if len(content) <= LARGEST:
                    return json.loads(content or b"null")
        except urllib.error.HTTPError as fault:
            fault.close()
            raise _refusal(fault, question) from fault
        except (OSError, ValueError, http.client.HTTPException) as fault:
            raise Busy(f"GitHub gave no answer to {question} ({type(fault).__name__})") from fault
        raise TryAgain(f"GitHub answered {question} with more than {LARGEST} bytes")


def _refusal(fault: urllib.error.HTTPError, question: str) -> TryAgain:
    """What an answer that is none means: later perhaps (429, 5xx, or told to wait), or no."""
    message = f"GitHub answered {fault.code} to {question}"
    wait = fault.headers.get("Retry-After", "")
    if fault.code != 429 and fault.code < 500 and not wait:
        return TryAgain(message)
    busy = Busy(message)
    busy.after = float(wait) if wait.isascii() and wait.isdigit() else 0.0
    return busy
