"""One request to a server that may do anything: an answer in bounded time and memory, or a reason.

The standard library, which follows no redirect and knows no proxy: what is sent, the key above all,
reaches the named host alone.
"""

from __future__ import annotations

import ipaddress
import json
import re
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.message import Message
from email.utils import parsedate_to_datetime
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from threading import Event, Timer
from typing import Any, NamedTuple
from urllib.parse import SplitResult

from scorer._version import __version__

MOST_BYTES = 1024**2
"""Of an answer: one word needs some hundred, its logprobs some thousand."""


class Answered(NamedTuple):
    """A server's answer."""

    status: int
    document: Any
    """What its JSON says; None where it is no JSON."""
    wait: float | None
    """Seconds that it asks to wait before the next request."""


class Unanswered(Exception):
    """There is no answer; the message is a reason without words of the server."""


def post(address: SplitResult, path: str, body: bytes, key: str, seconds: float,
         cuts: set[Callable[[], None]] | None = None) -> Answered:
    """The answer to a POST request. Raises Unanswered.

    ``key``: sent as a bearer token, unless empty. ``seconds``: for connection and answer together,
    however slowly the server talks. ``cuts``: meanwhile holds what ends the connection at once.
    """
    headers = {"Host": address.netloc, "Content-Type": "application/json",
               "Accept": "application/json", "Accept-Encoding": "identity", "Connection": "close",
               "User-Agent": f"whyboard/{__version__}"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    host, tls = address.hostname or "", address.scheme == "https"
    late, cuts = Event(), set() if cuts is None else cuts
    try:
        raw = socket.create_connection((host, address.port or (443 if tls else 80)), seconds)
        with raw, _ended(raw, seconds, host if tls else None, late, cuts) as sock:
            connection = HTTPConnection(address.netloc)
            connection.sock = sock
            connection.request("POST", path, body, headers)
            with connection.getresponse() as response:
                return Answered(response.status, _document(response), _wait(response.headers))
    except ssl.SSLCertVerificationError as fault:
        raise Unanswered("its certificate is not valid") from fault
    except (OSError, HTTPException, ValueError) as fault:
        raise Unanswered(_said(fault, late=late.is_set())) from fault


@contextmanager
def _ended(
    raw: socket.socket, seconds: float, tls_host: str | None, late: Event,
    cuts: set[Callable[[], None]],
) -> Iterator[socket.socket]:
    """The connection, encrypted where a host for that is given; cut when the time is over."""
    sock = raw
    if tls_host is not None:
        sock = _tls().wrap_socket(raw, server_hostname=tls_host, do_handshake_on_connect=False)

    def cut() -> None:
        late.set()
        with suppress(OSError):
            socket.socket.shutdown(sock, socket.SHUT_RDWR)

    timer = Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    cuts.add(cut)
    try:
        with sock:
            if isinstance(sock, ssl.SSLSocket):
                sock.do_handshake()
            yield sock
    finally:
        cuts.discard(cut)
        timer.cancel()


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _document(response: HTTPResponse) -> Any:
    """What the JSON of an answer says; None if it is none. Raises Unanswered, or for one
    that is cut IncompleteRead."""
    content = response.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise Unanswered("its answer is too long")
    if response.length:
        raise IncompleteRead(content, response.length)
    if "json" not in (response.headers.get("Content-Type") or "").lower():
        return None
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _wait(headers: Message) -> float | None:
    """Seconds of a Retry-After header, at least 0: a number, or a date."""
    text = headers.get("Retry-After", "").strip()
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text):
        return float(text)
    try:
        then = parsedate_to_datetime(text)
        return max(0.0, (then - datetime.now(then.tzinfo and UTC)).total_seconds())
    except (ValueError, OverflowError, TypeError):
        return None


def _said(fault: Exception, *, late: bool) -> str:
    if late or isinstance(fault, TimeoutError):
        return "it took too long"
    if isinstance(fault, ConnectionRefusedError):
        return "connection refused"
    if isinstance(fault, socket.gaierror):
        return "no such host"
    return "its answer was cut" if isinstance(fault, HTTPException) else "the connection failed"


def is_here(host: str) -> bool:
    """Whether a host is this machine.

    >>> is_here("localhost"), is_here("127.0.0.1"), is_here("::1"), is_here("example.org")
    (True, True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
