"""One worker: a process that loads a recipe once and then does jobs until it is ended or dies.

It begins afresh (spawn), has a pipe of its own to us, and ends with us, however we end. So a worker
that is killed, at whatever moment, harms nobody but itself.
"""

from __future__ import annotations

import faulthandler
import os
import re
import signal
from collections.abc import Collection
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pickle import UnpicklingError, loads
from typing import Any, NamedTuple

from scorer.scoring.engines.outcomes import OUT_OF_MEMORY, Failure, attempt, failure_of, kind_of
from scorer.scoring.engines.process import die_with_parent, leave_network, limit_memory

LONGEST_WAIT = 10**6
"""Seconds; the system's poll takes no more than 24 days."""
MOST_LAST_WORDS = 65536
"""Bytes that a pipe holds: what a process says of where it was when it crashed."""
SECRETS = re.compile(
    r"ACTIONS_.*|WHYBOARD_GOLD_.*|SSH_AUTH_SOCK"
    r"|(.*_)?((API)?KEY|TOKEN|SECRET|PASS(WORD|PHRASE)?|PAT|CREDENTIAL)S?(_.*)?",
    re.IGNORECASE)
"""Names of environment variables that hold a secret, or lead to one."""


class Limits(NamedTuple):
    """What a worker may have."""

    memory: float | None = None
    """GiB."""
    threads: int | None = None
    """Of the libraries that multiply matrices."""
    network: bool = True
    secrets: Collection[str] = ()
    """Names of environment variables that it needs though they look like secrets."""


NO_LIMITS = Limits()


class Lost(Exception):
    """A worker is no more; the text says how it ended and what it was doing."""


class Ready(NamedTuple):
    """A worker's first message."""

    kind: str = ""
    failure: Failure | None = None
    """Why its recipe could not be made."""


class Worker:
    """A process that does one job at a time."""

    def __init__(self, make: bytes, limits: Limits) -> None:
        """Begin the process. ``make`` is the pickled recipe."""
        self.done = 0
        """How many jobs it has had."""
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._last_words, black_box = context.Pipe(duplex=False)
        os.set_blocking(self._last_words.fileno(), False)
        os.set_blocking(black_box.fileno(), False)
        self._process = context.Process(
            target=_serve, args=(theirs, black_box, make, limits), daemon=True)
        self._process.start()
        theirs.close()
        black_box.close()

    def ready(self, seconds: float) -> Ready:
        """Wait until the recipe is loaded. Raises as ``ask`` does."""
        message: Ready = self._receive(seconds)
        return message

    def ask(self, job: Any, seconds: float) -> Any:
        """The answer to a job. Raises TimeoutError, after which the worker has to be ended, and
        Lost if it died."""
        self.done += 1
        with suppress(OSError):  # nobody is there any more, as ``_receive`` will find
            self._connection.send(job)
        return self._receive(seconds)

    def _receive(self, seconds: float) -> Any:
        try:
            late = not self._connection.poll(min(seconds, LONGEST_WAIT))
            message = None if late else self._connection.recv()
        except (EOFError, OSError, UnpicklingError):
            self._process.join(5)
            raise Lost(self._how_it_ended()) from None
        if late:
            raise TimeoutError
        return message

    def _how_it_ended(self) -> str:
        code = self._process.exitcode
        how = "ended" if code is None else f"ended with exit code {code}"
        traceback = b""
        if code is not None and code < 0:
            with suppress(ValueError):
                how = f"was killed by {signal.Signals(-code).name}"
        with suppress(BlockingIOError):
            traceback = os.read(self._last_words.fileno(), MOST_LAST_WORDS)
        return f"the worker process {how}\n{traceback.decode('utf-8', 'replace')}".rstrip()

    def kill(self) -> None:
        """End the process at once, whatever it does; who waits for it gets Lost."""
        self._process.kill()
        self._process.join()

    def end(self) -> None:
        """Let the process, which has no job, end by itself."""
        self._connection.close()
        self._process.join(5)
        self.kill()


def hold_interrupts() -> None:
    """Let Ctrl-C not meet what this thread begins: it is for us, who then end our workers."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _serve(home: Connection, black_box: Connection, make: bytes, limits: Limits) -> None:
    """The life of a worker process.

    ``make`` is read here, not on the way: libraries that it needs begin threads, and a process with
    threads cannot leave the network any more.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    _set_environment(limits)
    faulthandler.enable(black_box.fileno())
    with black_box, home, suppress(EOFError, BrokenPipeError, ConnectionError):
        limit_memory(limits.memory)
        try:
            if not limits.network:
                leave_network()
            work = loads(make)()  # noqa: S301  # our parent's own bytes
        except Exception as fault:
            home.send(Ready(failure=failure_of(fault)))
            return
        home.send(Ready(kind_of(work)))
        while True:
            _send(home, attempt(work, home.recv()))


def _set_environment(limits: Limits) -> None:
    """Paths and settings, but no secrets: a worker reads files of strangers."""
    for name in [*os.environ]:
        if SECRETS.fullmatch(name) and name not in limits.secrets:
            del os.environ[name]
    if limits.threads is not None:
        os.environ["OMP_NUM_THREADS"] = str(limits.threads)


def _send(home: Connection, answer: Any) -> None:
    try:
        home.send(answer)
    except MemoryError:
        home.send(OUT_OF_MEMORY)
