"""A server on this machine that talks like chat completions, or misbehaves as a test wants."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Request(NamedTuple):
    """What was asked."""

    path: str
    headers: Mapping[str, str]
    document: Any
    method: str = "POST"

    @property
    def user(self) -> str:
        """The message of the user."""
        return str(self.document["messages"][-1]["content"])


class Reply(NamedTuple):
    """What is answered."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}
    promised: int | None = None
    """Content-Length, if it is not that of the body."""
    pause: float = 0
    """Seconds before the answer."""
    drip: float = 0
    """Seconds between its bytes."""


def completion(said: Any, logprobs: Mapping[str, Any] | None = None, **message: Any) -> Reply:
    """A completion that says this; ``logprobs``: the first token's likeliest, by token."""
    choice: dict[str, Any] = {"message": {"role": "assistant", "content": said, **message}}
    if logprobs is not None:
        top = [{"token": token, "logprob": p} for token, p in logprobs.items()]
        choice["logprobs"] = {"content": [{"token": next(iter(logprobs), ""), "logprob": -0.1,
                                           "top_logprobs": top}]}
    return Reply(json.dumps({"choices": [choice]}).encode())



class JudgeServer(ThreadingHTTPServer):
    """Answers by a function of the request and of how many came before it."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, answer: Callable[[Request, int], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.requests: list[Request] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """Where its API begins."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: JudgeServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"] or 0))
        asked = Request(self.path, dict(self.headers), json.loads(content or b"null"), self.command)
        with self.server.lock:
            number = len(self.server.requests)
            self.server.requests.append(asked)
        reply = self.server.answer(asked, number)
        if reply.pause:
            time.sleep(reply.pause)
        with suppress(OSError):  # the other side has had enough
            self._send(reply)
        self.close_connection = True

    do_GET = do_PATCH = do_POST

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        length = len(reply.body) if reply.promised is None else reply.promised
        headers = {"Content-Type": "application/json", "Content-Length": str(length),
                   **reply.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if not reply.drip:
            self.wfile.write(reply.body)
            return
        for place in range(len(reply.body)):
            self.wfile.write(reply.body[place : place + 1])
            time.sleep(reply.drip)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(answer: Callable[[Request, int], Reply] | Reply) -> Iterator[JudgeServer]:
    """A server that answers by a function, or always the same."""
    server = JudgeServer(answer if callable(answer) else lambda *_: answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
