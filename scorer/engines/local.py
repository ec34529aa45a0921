"""Workers as processes on this machine: begun afresh (spawn), killed when they take too long."""

from __future__ import annotations

import faulthandler
import os
import re
import signal
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from pickle import UnpicklingError, loads
from typing import Any, Generic

from scorer.engines.outcomes import (
    OUT_OF_MEMORY,
    Answer,
    Failure,
    Job,
    Make,
    attempt,
    failure_of,
    kind_of,
)
from scorer.engines.pool import Answered, Died, Event, Pool, Ready
from scorer.engines.process import leave_network, limit_memory

LONGEST_WAIT = 3600.0
"""Seconds; the system's poll takes no more than 24 days."""
SECRETS = re.compile(
    r"ACTIONS_.*|WHYBOARD_GOLD_.*|SSH_AUTH_SOCK"
    r"|(.*_)?((API)?KEY|TOKEN|SECRET|PASS(WORD|PHRASE)?|PAT|CREDENTIAL)S?(_.*)?",
    re.IGNORECASE)
"""Names of environment variables that hold a secret, or lead to one."""


def run(
    make: Make[Job, Answer], jobs: Sequence[Job], *, seconds: float, size: int = 1,
    memory: float | None = None, network: bool = True, secrets: Collection[str] = (),
) -> Iterator[tuple[Job, Answer | Failure]]:
    """Every job with its answer, as they come; in order if ``size`` is 1 and nobody dies.

    ``seconds``: the longest a job may take; ``size``: how many processes; ``memory``: GiB that each
    may have; ``network``: whether they may use it (see ``can_leave_network``); ``secrets``: names
    of environment variables that they need though they look like secrets.
    ``make``, jobs and answers are pickled. Raises as ``Pool.run`` does.
    """
    with tempfile.TemporaryDirectory(prefix="whyboard-") as folder:
        threads = max(1, (os.cpu_count() or 1) // size) if size > 1 else None
        backend = LocalBackend(make, memory, threads, Path(folder), network=network,
                               secrets=secrets)
        yield from Pool[_Process, Job, Answer](backend, size, seconds).run(jobs)


@dataclass(eq=False)
class _Process:
    process: SpawnProcess
    connection: Connection
    black_box: Path
    """Where the process writes, as it dies, what it was doing."""


class LocalBackend(Generic[Job, Answer]):
    """Starts, feeds and ends worker processes."""

    def __init__(
        self, make: Make[Job, Answer], memory: float | None, threads: int | None, folder: Path,
        *, network: bool = True, secrets: Collection[str] = (),
    ) -> None:
        self._secrets = secrets
        self._recipe = (bytes(ForkingPickler.dumps(make)), memory, threads, network)
        self._folder = folder
        self._started = 0

    def start(self) -> _Process:
        """Begin a process; Ctrl-C is not for it but for us, who then end it."""
        self._started += 1
        black_box = self._folder / f"{self._started}.txt"
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(
            target=_serve, args=(theirs, black_box, *self._recipe), daemon=True
        )
        with _no_interrupt(), without_secrets(self._secrets):
            process.start()
        theirs.close()
        return _Process(process, ours, black_box)

    def send(self, worker: _Process, job: Any) -> None:
        """Send a job; if nobody is there any more, ``wait`` will say so."""
        with suppress(OSError):
            worker.connection.send(job)

    def wait(
        self, workers: Collection[_Process], seconds: float
    ) -> list[tuple[_Process, Event]]:
        """Events of processes that answered or ended."""
        at: dict[Any, _Process] = {worker.connection: worker for worker in workers}
        at |= {worker.process.sentinel: worker for worker in workers}
        happened = connection.wait(list(at), min(seconds, LONGEST_WAIT))
        workers = dict.fromkeys(at[one] for one in happened)
        return [(worker, self._event(worker)) for worker in workers]

    def _event(self, worker: _Process) -> Event:
        with suppress(EOFError, OSError, UnpicklingError):
            if worker.connection.poll():
                event: Event = worker.connection.recv()
                return event
        worker.process.join(5)
        return Died(_last_words(worker))

    def stop(self, worker: _Process, *, busy: bool) -> None:
        """Hang up and let an idle process end by itself; kill any other."""
        worker.connection.close()
        if not busy:
            worker.process.join(5)
        worker.process.kill()
        worker.process.join()
        worker.process.close()


def _last_words(worker: _Process) -> str:
    code = worker.process.exitcode
    how = "ended"
    if code is not None and code < 0:
        with suppress(ValueError):
            how = f"was killed by {signal.Signals(-code).name}"
    elif code is not None:
        how = f"ended with exit code {code}"
    said = worker.black_box.read_text("utf-8", "replace") if worker.black_box.is_file() else ""
    return f"the worker process {how}\n{said}".rstrip()


@contextmanager
def without_secrets(but: Collection[str] = ()) -> Iterator[None]:
    """What begins meanwhile gets an environment without secrets, but for those named.

    Workers read files of strangers, and need no more than paths and settings.
    """
    kept = {name: os.environ.pop(name) for name in [*os.environ]
            if SECRETS.fullmatch(name) and name not in but}
    try:
        yield
    finally:
        os.environ.update(kept)


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Hold back Ctrl-C while a process begins, so that it never meets it unprepared."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    home: Connection, black_box: Path, make: bytes, memory: float | None, threads: int | None,
    network: bool,
) -> None:
    """The life of a worker process: make the function, then a call for every job.

    ``make`` is read here, not on the way: libraries that it needs begin threads, and a process with
    threads cannot leave the network any more.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if threads is not None:
        os.environ["OMP_NUM_THREADS"] = str(threads)
    with black_box.open("w") as file, home, suppress(EOFError, BrokenPipeError, ConnectionError):
        faulthandler.enable(file)
        limit_memory(memory)
        try:
            if not network:
                leave_network()
            work = loads(make)()  # noqa: S301  # our parent's own bytes
        except Exception as fault:
            home.send(Ready(failure=failure_of(fault)))
            return
        home.send(Ready(kind_of(work)))
        while True:
            _answer(home, attempt(work, home.recv()))


def _answer(home: Connection, answer: Any) -> None:
    try:
        home.send(Answered(answer))
    except MemoryError:
        home.send(Answered(OUT_OF_MEMORY))
