"""Asks a judge behind an endpoint: each text once, several at a time, every answer saved at once.

Each text ends with an answer, with a refusal, or with a reason why nothing is measured: there is
no half column. A text that the server refuses to judge, or of which it says no label, has a row of
zeros. The server may do anything: an answer comes in bounded time and memory, or there is a reason.
No redirect is followed and no proxy asked: what is sent, the key above all, reaches the named host
alone.
"""

from __future__ import annotations

import ipaddress
import json
import math
import os
import re
import ssl
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import anyio
import httpx2
import numpy as np
from anyio.from_thread import start_blocking_portal

from scorer._version import __version__
from scorer.core.errors import NotMeasured, counted, printable
from scorer.core.records import TextPair
from scorer.models.endpoint import Endpoint
from scorer.models.known import REFUSED
from scorer.models.text_cache import CachedJudge, TextCache

MOST_BYTES = 1024**2
"""Of an answer: one word needs some hundred, its logprobs some thousand."""
TRIES = 5
FIRST_WAIT = 1.0
"""Seconds before the second try; twice as long before each further one."""
LONGEST_WAIT = 120.0
"""Seconds; a server that asks for more has given no answer."""
REPORT_EVERY = 500
"""Answers after which progress is reported."""
MOST_SHOWN = 2000
"""Characters of a server's words."""
_LONGEST_WORD = 100
_BUSY = (408, 409, 425, 429)

Row = tuple[float, ...]


class Reply(NamedTuple):
    """What came of one request: a row, or the reason why there is none, in our words."""

    row: Row | None = None
    reason: str = ""
    final: bool = False
    """Whether another try is no use."""
    status: int | None = None
    """None if the server did not answer."""
    document: Any = None
    """What its JSON says; None where it is no JSON."""
    wait: float | None = None
    """Seconds that it asks to wait before the next request."""


class EndpointJudge(CachedJudge):
    """A judge that is asked over the network. A row of zeros: it gave no label."""

    def __init__(self, endpoint: Endpoint, cache: TextCache) -> None:
        """Nothing is asked yet. Raises NotMeasured for a key that cannot be sent safely."""
        super().__init__(endpoint.info.labels, endpoint.weights, cache)
        self._endpoint = endpoint
        self._key = _key(endpoint)
        self._asked = 0
        self._tries = TRIES

    def _judge(self, new: Mapping[bytes, TextPair], cached: int) -> None:
        behind = self._endpoint
        known = f"; {cached} of {cached + len(new)} texts are cached" if cached else ""
        _report(f"{behind.judge} judge: {counted(len(new), 'request')} to "
                f"{behind.address.netloc} for {behind.model}{known}")
        with start_blocking_portal() as portal:  # a notebook has a running loop of its own
            portal.call(self._ask_all, new)

    async def _ask_all(self, new: Mapping[bytes, TextPair]) -> None:
        """Each row is saved as soon as it is known; after a fault no further request is begun, and
        those under way end.
        """
        waiting, stop = iter(new.items()), anyio.Event()
        answered = 0
        faults: list[NotMeasured] = []

        async def work() -> None:
            nonlocal answered
            for name, pair in waiting:
                if stop.is_set():
                    return
                try:
                    row = await self._row(client, pair, stop)
                except NotMeasured as fault:
                    faults.append(fault)
                    stop.set()
                    return
                self._keep({name: np.array(row, np.float32)})
                self._tries = TRIES
                answered += 1
                if answered % REPORT_EVERY == 0:
                    _report(f"  {answered} of {len(new)} answered")

        async with _client() as client, anyio.create_task_group() as workers:
            for _ in range(self._endpoint.at_once):
                workers.start_soon(work)
        if faults:
            self._tries = 1
            raise NotMeasured(f"judge {self._endpoint.judge}: {faults[0]}")

    async def _row(self, client: httpx2.AsyncClient, pair: TextPair, stop: anyio.Event) -> Row:
        """The row of one text, tried several times; after a fault once, until one is answered.

        Raises NotMeasured with the reason why there is none.
        """
        most, tries = self._endpoint.most_requests, self._tries
        for attempt in range(1, tries + 1):
            if self._asked >= most:
                raise NotMeasured(f"this run made {most} requests, the most that its file allows; "
                                  "score again to go on, or raise most_requests")
            self._asked += 1
            reply = await self._ask(client, pair)
            if reply.row is not None:
                return reply.row
            if reply.final:
                raise NotMeasured(reply.reason)
            seconds = FIRST_WAIT * 2 ** (attempt - 1) if reply.wait is None else reply.wait
            if attempt == tries or seconds > LONGEST_WAIT:
                break
            with anyio.move_on_after(seconds):
                await stop.wait()
            if stop.is_set():
                break
        raise NotMeasured(f"its server gave no answer after {counted(attempt, 'request')} "
                          f"({reply.reason}); score again later: the answers so far are cached")

    async def _ask(self, client: httpx2.AsyncClient, pair: TextPair) -> Reply:
        """One request, connection and all within the seconds that the file allows, however slowly
        the server talks.
        """
        behind, content = self._endpoint, b""
        headers = {"Content-Type": "application/json", "Accept": "application/json",
                   "Accept-Encoding": "identity", "User-Agent": f"whyboard/{__version__}",
                   **({"Authorization": f"Bearer {self._key}"} if self._key else {})}
        try:
            with anyio.fail_after(behind.seconds):
                async with client.stream("POST", f"{behind.url}/chat/completions",
                                         content=behind.body(pair), headers=headers) as response:
                    async for part in response.aiter_raw():
                        content += part
                        if len(content) > MOST_BYTES:
                            return Reply(reason="its answer is too long")
        except TimeoutError:
            return Reply(reason="it took too long")
        except (OSError, ValueError, httpx2.HTTPError, httpx2.InvalidURL) as fault:
            return Reply(reason=f"the connection failed: {type(fault).__name__}")
        document = None
        if "json" in response.headers.get("Content-Type", "").lower():
            with suppress(ValueError, RecursionError):
                document = json.loads(content)
        wait = response.headers.get("Retry-After", "").strip()
        number = re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", wait)
        return self._read(response.status_code, document)._replace(
            status=response.status_code, document=document, wait=float(wait) if number else None)

    def _read(self, status: int, document: Any) -> Reply:
        """What an answer is worth."""
        if status == 200:
            return _completion(document, self.labels, logprobs=self._endpoint.logprobs)
        if status in _BUSY or status >= 500:
            return Reply(reason=f"status {status}")
        if _at(document, "error", "code") == "content_filter":
            return Reply((0.0,) * len(self.labels))
        if status in (401, 403):
            variable = self._endpoint.variable
            whom = f"the key of {variable}" if self._key else "us"
            reason = f"its server refuses {whom} (status {status}); set {variable}"
        elif 300 <= status < 400:
            reason = f"its server redirects (status {status}); write the address that answers"
        else:
            reason = (f"its server does not understand the request (status {status}); "
                      f"see its words with scorer judge prompt {self._endpoint.judge} --ask")
        return Reply(reason=reason, final=True)

    def trial(self, pair: TextPair) -> str:
        """One request, tried once: what the server answered, and what is made of it.

        For the person who sets an endpoint up: the server's own words, without the key should they
        repeat it. Raises NotMeasured if there is no answer.
        """
        async def ask() -> Reply:
            async with _client() as client:
                return await self._ask(client, pair)

        with start_blocking_portal() as portal:
            reply = portal.call(ask)
        if reply.status is None:
            raise NotMeasured(f"judge {self._endpoint.judge}: {reply.reason}")
        words = json.dumps(reply.document)
        if self._key:
            words = words.replace(json.dumps(self._key)[1:-1], "(the key)")
        made = reply.reason
        if reply.row is not None:
            shares = zip(self.labels, reply.row, strict=True)
            made = (", ".join(f"{label} {share:.4f}" for label, share in shares)
                    if any(reply.row) else REFUSED)
        return f"{words[:MOST_SHOWN]}\n{made}"


def _client() -> httpx2.AsyncClient:
    """What sends requests, each over a connection of its own."""
    return httpx2.AsyncClient(
        verify=ssl.create_default_context(), trust_env=False, follow_redirects=False, timeout=None,
        limits=httpx2.Limits(max_keepalive_connections=0))


def _key(endpoint: Endpoint) -> str:
    """The key out of the environment; empty if there is none. Raises NotMeasured."""
    value = os.environ.get(endpoint.variable, "").strip()
    if not re.fullmatch(r"[!-~]{0,4096}", value):
        raise NotMeasured(f"{endpoint.variable} holds characters that no key has")
    host = endpoint.address.hostname or ""
    try:
        here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = host == "localhost"
    if value and endpoint.address.scheme == "http" and not here:
        raise NotMeasured(f"the key of {endpoint.variable} would travel in clear text: write an "
                          "https address, or unset it")
    return value


def _completion(document: Any, labels: Sequence[str], *, logprobs: bool) -> Reply:
    """What a completion is worth; a refusal is a row of zeros."""
    choice = _at(document, "choices", 0)
    message = _at(choice, "message")
    text = _at(message, "content")
    if not isinstance(message, dict) or not isinstance(text, str | None):
        return Reply(reason="its answer is no completion")
    label = _label(text or "", labels)
    if (label is None or message.get("refusal")
            or _at(choice, "finish_reason") == "content_filter"):
        return Reply((0.0,) * len(labels))
    if not logprobs:
        return Reply(tuple(float(name == label) for name in labels))
    shares = _shares(_at(choice, "logprobs", "content"), labels)
    if shares is None:
        return Reply(reason="its server gives no logprobs of its labels; write logprobs: no, and "
                     "labels alone count", final=True)
    return Reply(shares)


def _label(text: str, labels: Sequence[str]) -> str | None:
    """The label that a text says, alone, whatever marks stand around it.

    >>> _label(" **Support**. ", ["support", "counter"])
    'support'
    >>> _label("I would say support", ["support", "counter"])
    """
    word = re.sub(r"^[\W_]+|[\W_]+$", "", text).lower() if len(text) <= _LONGEST_WORD else ""
    return word if word in labels else None


def _shares(tokens: Any, labels: Sequence[str]) -> Row | None:
    """The labels' shares of the first word's likeliest tokens; None if these are no logprobs.

    A token counts for the one label that begins with it, whatever marks stand before it.
    """
    top = next((_at(token, "top_logprobs") for token in (tokens if isinstance(tokens, list) else ())
                if _word(token)), None)
    mass = [0.0] * len(labels)
    for candidate in top if isinstance(top, list) else ():
        logprob, word = _at(candidate, "logprob"), _word(candidate)
        if type(logprob) not in (int, float) or not logprob <= 1e-3:
            return None
        begun = [index for index, label in enumerate(labels) if word and label.startswith(word)]
        if len(begun) == 1:
            mass[begun[0]] += math.exp(max(logprob, -1000))
    total = sum(mass)
    return tuple(share / total for share in mass) if 0 < total < 1.01 else None


def _word(token: Any) -> str:
    """The letters of a token in lower case; empty if it is only marks or spaces."""
    text = _at(token, "token")
    return re.sub(r"^[\W_]+", "", text[:_LONGEST_WORD]).lower() if isinstance(text, str) else ""


def _at(document: Any, *path: str | int) -> Any:
    """What lies at a path of a foreign document; None if nothing does."""
    for step in path:
        try:
            document = document[step]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def _report(line: str) -> None:
    print(printable(line), file=sys.stderr, flush=True)
