"""The few answers of GitHub's API that the pipeline asks for, served on this machine."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests import loopback
from tests.loopback import Reply, Request

BEFORE, MERGED_AT, AFTER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", "2099-01-01T00:00:00Z"
"""When a pull request is merged, and when comments before and after that are written."""
OURSELVES = "github-actions[bot]"


@dataclass
class FakeGitHub:
    """Pull requests by their numbers, and the comments on them."""

    pulls: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: list[dict[str, Any]] = field(default_factory=list)
    failures: list[int | str | bytes] = field(default_factory=list)
    """What happens to the next requests instead of an answer: a status, ``reset``, or bytes, which
    are the answer."""
    url: str = ""

    def say(self, number: int, body: str, login: str = "mallory", at: str = AFTER) -> None:
        """Comment on a pull request."""
        self.comments.append({"id": len(self.comments) + 1, "on": number, "body": body,
                              "user": {"login": login}, "updated_at": at})

    def on(self, number: int) -> list[str]:
        """The texts of our comments on a pull request."""
        return [comment["body"] for comment in self.comments
                if comment["on"] == number and comment["user"]["login"] == OURSELVES]

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Answer at ``url`` within this block."""
        with loopback.serving(self._reply) as server:
            self.url = server.url.removesuffix("/v1")
            yield

    def _reply(self, request: Request, _: int) -> Reply:
        how = self.failures.pop(0) if self.failures else None
        if isinstance(how, bytes):
            return Reply(how)
        if how == "reset":
            return loopback.SILENCE
        if how is not None:
            return Reply(b"", int(how))
        document = self._document(request)
        return Reply(b"", 404) if document is None else Reply(json.dumps(document).encode())

    def _document(self, request: Request) -> Any:
        parts = urlsplit(request.path)
        if request.method == "POST":
            self.say(int(parts.path.split("/")[-2]), login=OURSELVES, **request.document)
            return {}
        if request.method == "PATCH":
            self.comments[int(parts.path.split("/")[-1]) - 1] |= request.document
            return {}
        if number := re.fullmatch(r"/repos/o/r/issues/(\d+)/comments", parts.path):
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            size = min(100, int(query.get("per_page", 30)))
            comments = [comment for comment in self.comments if comment["on"] == int(number[1])
                        and comment["updated_at"] >= query.get("since", "")]
            return comments[:size]
        return None
