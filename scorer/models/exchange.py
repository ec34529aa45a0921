"""One request to a server that may do anything: an answer in bounded time and memory, or a reason.

No redirect is followed and no proxy asked: what is sent, the key above all, reaches the named host
alone.
"""

from __future__ import annotations

import ipaddress
import json
import re
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import anyio
import httpx2

from scorer._version import __version__

MOST_BYTES = 1024**2
"""Of an answer: one word needs some hundred, its logprobs some thousand."""
_REASONS = ((ssl.SSLCertVerificationError, "its certificate is not valid"),
            (ConnectionRefusedError, "connection refused"), (socket.gaierror, "no such host"),
            (httpx2.RemoteProtocolError, "its answer was cut"))


class Answered(NamedTuple):
    """A server's answer."""

    status: int
    document: Any
    """What its JSON says; None where it is no JSON."""
    wait: float | None
    """Seconds that it asks to wait before the next request."""


class Unanswered(Exception):
    """There is no answer; the message is a reason without words of the server."""


def client() -> httpx2.AsyncClient:
    """What sends requests, each over a connection of its own."""
    return httpx2.AsyncClient(
        verify=ssl.create_default_context(), trust_env=False, follow_redirects=False, timeout=None,
        limits=httpx2.Limits(max_keepalive_connections=0))


async def post(sender: httpx2.AsyncClient, url: str, body: bytes, key: str, seconds: float
               ) -> Answered:
    """The answer to a POST request. Raises Unanswered.

    ``key``: sent as a bearer token, unless empty. ``seconds``: for connection and answer together,
    however slowly the server talks.
    """
    headers = {"Content-Type": "application/json", "Accept": "application/json",
               "Accept-Encoding": "identity", "User-Agent": f"whyboard/{__version__}",
               **({"Authorization": f"Bearer {key}"} if key else {})}
    content = b""
    try:
        with anyio.fail_after(seconds):
            async with sender.stream("POST", url, content=body, headers=headers) as response:
                async for part in response.aiter_raw():
                    content += part
                    if len(content) > MOST_BYTES:
                        raise Unanswered("its answer is too long")
    except TimeoutError as fault:
        raise Unanswered("it took too long") from fault
    except (OSError, ValueError, httpx2.HTTPError, httpx2.InvalidURL) as fault:
        raise Unanswered(next((reason for kind, reason in _REASONS for one in _causes(fault)
                               if isinstance(one, kind)), "the connection failed")) from fault
    return Answered(response.status_code,
                    _document(response.headers.get("Content-Type", ""), content),
                    wait_of(response.headers.get("Retry-After", "")))


def _causes(fault: BaseException | None) -> Iterator[BaseException]:
    """A fault, and what led to it."""
    while fault is not None:
        yield fault
        fault = fault.__cause__ or fault.__context__


def _document(kind: str, content: bytes) -> Any:
    """What the JSON of an answer says; None if it is none."""
    if "json" not in kind.lower():
        return None
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def wait_of(text: str) -> float | None:
    """Seconds of a Retry-After header, at least 0: a number, or a date."""
    text = text.strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text):
        return float(text)
    try:
        then = parsedate_to_datetime(text)
        return max(0.0, (then - datetime.now(then.tzinfo and UTC)).total_seconds())
    except (ValueError, OverflowError, TypeError):
        return None


def is_here(host: str) -> bool:
    """Whether a host is this machine.

    >>> is_here("localhost"), is_here("127.0.0.1"), is_here("::1"), is_here("example.org")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
