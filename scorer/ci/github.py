"""The few questions that the pipeline asks GitHub: which pull request, and one comment on it."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, NamedTuple

from scorer.ci.errors import TryAgain
from scorer.ci.git import is_oid
from scorer.ci.runner import repository_name

MARK = "<!-- whyboard: what became of this submission -->"
OURSELVES = "github-actions[bot]"
ANSWER_WITHIN = 20.0
LARGEST = 8 * 1024 * 1024
MOST_PAGES = 10


class Pull(NamedTuple):
    """A merged pull request: its number and the account that opened it."""

    number: int
    author: int


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
        if name is None or not token:
            return None
        return cls(url, name, token)

    def pull_of(self, commit: str) -> Pull | None:
        """The merged pull request that brought a commit to the main branch."""
        if not is_oid(commit):
            return None
        for found in self._ask("GET", f"commits/{commit}/pulls") or ():
            try:
                if found["merged_at"] and found["merge_commit_sha"] == commit:
                    return Pull(int(found["number"]), int(found["user"]["id"]))
            except (KeyError, TypeError, ValueError):
                continue
        return None

    def comment(self, number: int, text: str) -> str:
        """Post our one comment on a pull request, or edit it; ``posted``, ``edited`` or ``same``.

        Only a comment of our own account counts as ours, whatever mark another one carries.
        """
        body = f"{MARK}\n{text}"
        for page in range(1, MOST_PAGES + 1):
            comments = self._ask("GET", f"issues/{number}/comments?per_page=100&page={page}") or []
            for found in comments:
                mine = (found.get("user") or {}).get("login") == OURSELVES
                if mine and str(found.get("body", "")).startswith(MARK):
                    if found["body"] == body:
                        return "same"
                    self._ask("PATCH", f"issues/comments/{int(found['id'])}", {"body": body})
                    return "edited"
            if len(comments) < 100:
                break
        self._ask("POST", f"issues/{number}/comments", {"body": body})
        return "posted"

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
                return json.loads(answer.read(LARGEST) or b"null")
        except urllib.error.HTTPError as fault:
            fault.close()
            place = path.partition("?")[0]
            raise TryAgain(f"GitHub answered {fault.code} to {method} {place}") from fault
        except (OSError, ValueError) as fault:
            said = f"GitHub gave no answer to {method} ({type(fault).__name__})"
            raise TryAgain(said) from fault
