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
from numpy.typing import NDArray

from scorer._version import __version__
from scorer.core.errors import NotMeasured, counted, printable
from scorer.core.records import TextPair
from scorer.models.endpoint import Endpoint
from scorer.models.known import REFUSED
from scorer.models.text_cache import TextCache, key

MOST_BYTES = 1024**2
"""Of an answer: one word needs some hundred, its logprobs some thousand."""


class ServerAnswer(NamedTuple):
    """A server's answer."""

    status: int
    document: Any
    """What its JSON says; None where it is no JSON."""
    wait: float | None
    """Seconds that it asks to wait before the next request."""


class Unanswered(Exception):
    """There is no answer; the message is a reason without words of the server."""


class _Broken(Exception):
    """No answer, and another try is no use; the message is the reason."""


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


class EndpointJudge:
    """A judge that is asked over the network."""

    def __init__(self, endpoint: Endpoint, cache: TextCache) -> None:
        """Nothing is asked yet. Raises NotMeasured for a key that cannot be sent safely."""
        self.labels = endpoint.info.labels
        self._endpoint = endpoint
        self._key = _key(endpoint)
        self._cache = cache
        self._known: dict[bytes, bytes] = {}
        self._asked = 0
        self._tries = TRIES

    def probabilities(self, pairs: Sequence[TextPair]) -> NDArray[np.float32]:
        """Shape (pairs, labels); a row of zeros where the judge gave no label.

        Raises NotMeasured, with the reason, unless every text has an answer or a refusal.
        """
        keys = [key(self._endpoint.weights, *pair) for pair in pairs]
        known = self._known
        known |= self._cache.get([name for name in keys if name not in known], 4 * len(self.labels))
        new = {name: pair for name, pair in zip(keys, pairs, strict=True) if name not in known}
        if new:
            every, settings = len(set(keys)), self._endpoint.described
            cached = (f"; {every - len(new)} of {every} texts are cached"
                      if len(new) < every else "")
            _report(f"{self._endpoint.judge} judge: {counted(len(new), 'request')} to "
                    f"{self._endpoint.address.netloc} for {settings.model}{cached}")
            with start_blocking_portal() as portal:
                portal.call(self._ask_all, new)
        rows = b"".join(known[name] for name in keys)
        return np.frombuffer(rows, np.float32).reshape(-1, len(self.labels)).copy()

    async def _ask_all(self, new: Mapping[bytes, TextPair]) -> None:
        """Bring to know the rows of new pairs, as bytes; each is saved as soon as it is known.

        After a fault no further request is begun, and those under way end.
        """
        waiting, stop = iter(new.items()), anyio.Event()
        answered = 0
        faults: list[_Broken] = []

        async def work() -> None:
            nonlocal answered
            for name, pair in waiting:
                if stop.is_set():
                    return
                try:
                    row = await self._row(sender, pair, stop)
                except _Broken as fault:
                    faults.append(fault)
                    stop.set()
                    return
                self._known[name] = np.array(row, np.float32).tobytes()
                self._cache.put({name: self._known[name]})
                self._tries = TRIES
                answered += 1
                if answered % REPORT_EVERY == 0:
                    _report(f"  {answered} of {len(new)} answered")

        async with _client() as sender, anyio.create_task_group() as workers:
            for _ in range(self._endpoint.described.at_once):
                workers.start_soon(work)
        if faults:
            self._tries = 1
            raise NotMeasured(f"judge {self._endpoint.judge}: {faults[0]}")

    async def _row(self, sender: httpx2.AsyncClient, pair: TextPair, stop: anyio.Event) -> Row:
        """The row of one request, tried several times; after a fault once, until one is answered.
        """
        most, tries = self._endpoint.described.most_requests, self._tries
        for attempt in range(tries):
            if self._asked >= most:
                raise _Broken(f"this run made {most} requests, the most that its file allows; "
                              "score again to go on, or raise most_requests")
            self._asked += 1
            seconds = FIRST_WAIT * 2**attempt
            try:
                answered = await self._post(sender, pair)
                row = self._of(answered)
            except Unanswered as fault:
                reason = str(fault)
            else:
                if row is not None:
                    return row
                reason = _fault(answered)
                seconds = seconds if answered.wait is None else answered.wait
            if attempt + 1 == tries or seconds > LONGEST_WAIT:
                break
            with anyio.move_on_after(seconds):
                await stop.wait()
            if stop.is_set():
                break
        raise _Broken(f"its server gave no answer after {counted(attempt + 1, 'request')} "
                      f"({reason}); score again later: the answers so far are cached")

    async def _post(self, sender: httpx2.AsyncClient, pair: TextPair) -> ServerAnswer:
        """The answer to one request, connection and all within the seconds that the file allows,
        however slowly the server talks. Raises Unanswered.
        """
        settings, content = self._endpoint.described, b""
        headers = {"Content-Type": "application/json", "Accept": "application/json",
                   "Accept-Encoding": "identity", "User-Agent": f"whyboard/{__version__}",
                   **({"Authorization": f"Bearer {self._key}"} if self._key else {})}
        try:
            with anyio.fail_after(settings.seconds):
                async with sender.stream("POST", f"{settings.url}/chat/completions",
                                         content=self._endpoint.body(pair), headers=headers
                                         ) as response:
                    async for part in response.aiter_raw():
                        content += part
                        if len(content) > MOST_BYTES:
                            raise Unanswered("its answer is too long")
        except TimeoutError as fault:
            raise Unanswered("it took too long") from fault
        except (OSError, ValueError, httpx2.HTTPError, httpx2.InvalidURL) as fault:
            raise Unanswered(f"the connection failed: {type(fault).__name__}") from fault
        document = None
        if "json" in response.headers.get("Content-Type", "").lower():
            with suppress(ValueError, RecursionError):
                document = json.loads(content)
        wait = response.headers.get("Retry-After", "").strip()
        number = re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", wait)
        return ServerAnswer(response.status_code, document, float(wait) if number else None)

    def _of(self, answered: ServerAnswer) -> Row | None:
        """The row of an answer; None if it is worth another try. Raises _Broken if it is not."""
        status = answered.status
        if status == 200:
            return _read(answered.document, self.labels, logprobs=self._endpoint.described.logprobs)
        if status in _BUSY or status >= 500:
            return None
        if _at(answered.document, "error", "code") == "content_filter":
            return (0.0,) * len(self.labels)
        if status in (401, 403):
            variable = self._endpoint.variable
            raise _Broken(f"its server refuses {f'the key of {variable}' if self._key else 'us'} "
                          f"(status {status}); set {variable}")
        if 300 <= status < 400:
            raise _Broken(f"its server redirects (status {status}); write the address that answers")
        raise _Broken(f"its server does not understand the request (status {status}); "
                      f"see its words with scorer judge prompt {self._endpoint.judge} --ask")

    def trial(self, pair: TextPair) -> str:
        """One request, tried once: what the server answered, and what is made of it.

        For the person who sets an endpoint up: the server's own words, without the key should they
        repeat it. Raises NotMeasured if there is no answer.
        """
        async def ask() -> ServerAnswer:
            async with _client() as sender:
                return await self._post(sender, pair)

        try:
            with start_blocking_portal() as portal:  # a notebook has a running loop of its own
                answered = portal.call(ask)
        except Unanswered as fault:
            raise NotMeasured(f"judge {self._endpoint.judge}: {fault}") from fault
        words = json.dumps(answered.document)
        if self._key:
            words = words.replace(json.dumps(self._key)[1:-1], "(the key)")
        words = words[:MOST_SHOWN]
        try:
            row = self._of(answered)
        except _Broken as reason:
            return f"{words}\n{reason}"
        if row is None:
            return f"{words}\n{_fault(answered)}"
        shares = ", ".join(f"{label} {p:.4f}" for label, p in zip(self.labels, row, strict=True))
        return f"{words}\n{shares if any(row) else REFUSED}"


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


def _read(document: Any, labels: Sequence[str], *, logprobs: bool) -> Row | None:
    """The row of a completion; None if it is none. Raises _Broken for logprobs that are none."""
    choice = _at(document, "choices", 0)
    message = _at(choice, "message")
    if not isinstance(message, dict):
        return None
    text = message.get("content")
    if (message.get("refusal") or _at(choice, "finish_reason") == "content_filter"
            or (label := _label(text, labels)) is None):
        return (0.0,) * len(labels) if text is None or isinstance(text, str) else None
    if not logprobs:
        return tuple(float(name == label) for name in labels)
    shares = _shares(_at(choice, "logprobs", "content"), labels)
    if shares is None:
        raise _Broken("its server gives no logprobs of its labels; write logprobs: no, and labels "
                      "alone count")
    return shares


def _label(text: Any, labels: Sequence[str]) -> str | None:
    """The label that a text says, alone, whatever marks stand around it.

    >>> _label(" **Support**. ", ["support", "counter"])
    'support'
    >>> _label("I would say support", ["support", "counter"])
    """
    if not isinstance(text, str) or len(text) > _LONGEST_WORD:
        return None
    word = re.sub(r"^[\W_]+|[\W_]+$", "", text).lower()
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


def _fault(answered: ServerAnswer) -> str:
    return "its answer is no completion" if answered.status == 200 else f"status {answered.status}"


def _report(line: str) -> None:
    print(printable(line), file=sys.stderr, flush=True)
