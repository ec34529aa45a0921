"""The few answers of GitHub's API that the pipeline asks for, served on this machine."""

import io
import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

BEFORE, MERGED_AT, AFTER = (f"2026-01-0{day}T00:00:00Z" for day in (1, 2, 3))
"""When pull requests are merged, and when comments before and after that are written."""


@dataclass
class FakeGitHub:
    """Pull requests by their numbers, and the comments on them."""

    pulls: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: list[dict[str, Any]] = field(default_factory=list)
    failures: list[int | str | bytes | None] = field(default_factory=list)
    """What happens to the next requests instead of an answer; None: nothing; bytes: they are the
    answer."""
    url: str = ""

    def say(self, number: int, body: str, login: str = "mallory", at: str = AFTER) -> None:
        """Comment on a pull request."""
        self.comments.append({"id": len(self.comments) + 1, "on": number, "body": body,
                              "user": {"login": login}, "updated_at": at})

    def on(self, number: int) -> list[str]:
        """The texts of our comments on a pull request."""
        return [comment["body"] for comment in self.comments
                if comment["on"] == number and comment["user"]["login"] == "github-actions[bot]"]

    def page(self, number: int, query: Mapping[str, list[str]]) -> list[dict[str, Any]]:
        """A page of comments as GitHub gives it: by their ids, at most a hundred."""
        options = {"page": ["1"], "per_page": ["30"], "since": [""]} | query
        size, page = min(100, int(options["per_page"][0])), int(options["page"][0])
        found = [comment for comment in self.comments
                 if comment["on"] == number and comment["updated_at"] >= options["since"][0]]
        return found[(page - 1) * size : page * size]

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Answer at ``url`` within this block."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


def _handler(github: FakeGitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def answer(self, document: Any) -> None:
            body = document if isinstance(document, bytes) else json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def handle_one_request(self) -> None:
            with suppress(ConnectionError):
                super().handle_one_request()

        def parse_request(self) -> bool:
            return super().parse_request() and not self.fails()

        def fails(self) -> bool:
            """Fail as was asked for; a lost request is answered to nobody."""
            how = github.failures.pop(0) if github.failures else None
            if how == "lost":
                self.wfile = io.BytesIO()
                getattr(self, f"do_{self.command}")()
            if how in ("lost", "reset"):
                raise ConnectionResetError
            if isinstance(how, bytes):
                self.answer(how)
            elif how is not None:
                words = str(how).split(" ")
                self.send_response(429 if words[0] == "wait" else int(words[0]))
                if words[0] == "wait":
                    self.send_header("Retry-After", words[1])
                self.end_headers()
            return how is not None

        def body(self) -> Any:
            return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

        def do_GET(self) -> None:
            commit = re.fullmatch(r"/repos/o/r/commits/([0-9a-f]{40})/pulls", self.path)
            number = re.fullmatch(r"/repos/o/r/issues/(\d+)/comments\?.*", self.path)
            if commit:
                self.answer([{"number": n, "merged_at": MERGED_AT, "merge_commit_sha": merged}
                             for n, pull in github.pulls.items() if (merged := pull.get("merged"))
                             and commit[1] in (merged, *pull.get("holds", ()))])
            elif number:
                self.answer(github.page(int(number[1]), parse_qs(urlsplit(self.path).query)))
            else:
                self.send_error(404)

        def do_POST(self) -> None:
            number = int(self.path.split("/")[-2])
            github.say(number, login="github-actions[bot]", **self.body())
            self.answer({})

        def do_PATCH(self) -> None:
            number = int(self.path.split("/")[-1])
            github.comments[number - 1] |= self.body()
            self.answer({})

    return Handler
