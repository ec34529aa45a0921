"""Workers on this machine, kept from job to job, replaced when they die and killed when late.

One rule, wherever the jobs are done, so that the same submissions give the same records:

- A job whose worker dies is tried once more by a new one; if that dies too, the job has crashed.
- A job that runs out of memory is tried once more unless its worker was new: what earlier jobs left
  in memory is not its fault.
- A job that takes too long is stopped, once and for all.

Each worker is watched by a thread of ours, which gives it a job and waits. A worker begins afresh
(spawn), loads the recipe once, has a pipe of its own to us, and ends with us, however we end: one
that is killed, at whatever moment, harms nobody but itself.
"""

from __future__ import annotations

import faulthandler
import os
import re
import signal
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from pickle import UnpicklingError, loads
from threading import Lock
from typing import Any, Generic, NamedTuple

from scorer.core.errors import DataError
from scorer.scoring.engines.outcomes import (
    CRASHED,
    OUT_OF_MEMORY,
    Answer,
    Failure,
    Job,
    Make,
    as_they_come,
    failure_of,
    raise_failure,
    timed_out,
)
from scorer.scoring.engines.process import die_with_parent, leave_network, limit_memory

SLOWEST_START = 600.0
"""Seconds that a worker may take until it is ready."""

MOST_LOST_STARTS = 3
"""Workers in a row that may die before they are ready."""
LONGEST_WAIT = 10**6
"""Seconds; the system's poll takes no more than 24 days."""
SECRETS = re.compile(
    r"ACTIONS_.*|WHYBOARD_GOLD_.*|SSH_AUTH_SOCK"
    r"|(.*_)?((API)?KEY|TOKEN|SECRET|PASS(WORD|PHRASE)?|PAT|CREDENTIAL)S?(_.*)?",
    re.IGNORECASE)
"""Names of environment variables that hold a secret, or lead to one."""


class WorkerLimits(NamedTuple):
    """What a worker may have."""

    memory: float | None = None
    """GiB."""
    threads: int | None = None
    """Of the libraries that multiply matrices."""
    network: bool = True
    secrets: Collection[str] = ()
    """Names of environment variables that it needs though they look like secrets."""


NO_LIMITS = WorkerLimits()


def run(
    make: Make[Job, Answer], jobs: Iterable[Job], *, seconds: float, size: int = 1,
    memory: float | None = None, network: bool = True, secrets: Collection[str] = (),
) -> Iterator[tuple[Job, Answer | Failure]]:
    """Every job with its answer, as they come; in order if ``size`` is 1.

    ``seconds``: the longest a job may take; ``size``: how many processes; ``memory``: GiB that each
    may have; ``network``: whether they may use it (see ``can_leave_network``); ``secrets``: names
    of environment variables that they need though they look like secrets.
    ``make``, jobs and answers are pickled; jobs are taken as workers are free. Raises as
    ``WorkerPool`` does.
    """
    threads = max(1, (os.cpu_count() or 1) // size) if size > 1 else None
    limits = WorkerLimits(memory, threads, network, secrets)
    with WorkerPool[Job, Answer](make, seconds, size, limits) as pool:
        yield from pool.answers(jobs)


class WorkerPool(Generic[Job, Answer]):
    """At most ``size`` workers, begun when there is a job for them; a context manager that leaves
    none behind. Raises DataError if no worker can be had, and what a recipe raises."""

    def __init__(self, make: Make[Job, Answer], seconds: float, size: int = 1,
                 limits: WorkerLimits = NO_LIMITS) -> None:
        self._make = bytes(ForkingPickler.dumps(make))
        self._seconds, self._size, self._limits = seconds, size, limits
        self._threads = ThreadPoolExecutor(size, initializer=_hold_interrupts)
        self._workers: set[Worker] = set()
        self._idle: list[Worker] = []
        self._lock = Lock()
        """Holds while a worker is begun, so that none is begun after the end."""
        self._closed = False

    def __enter__(self) -> WorkerPool[Job, Answer]:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def answers(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, Answer | Failure]]:
        """Every job with its answer, as they come."""
        def begin(job: Job) -> Future[Answer | Failure]:
            return self._threads.submit(self._do, job)

        for job, future in as_they_come(begin, jobs, self._size):
            yield job, future.result()

    def close(self) -> None:
        """End all workers; who waits for an answer gets an exception."""
        with self._lock:
            self._closed = True
        for worker in [*self._idle]:
            worker.end()
        for worker in [*self._workers]:
            worker.kill()
        self._threads.shutdown(cancel_futures=True)

    def _do(self, job: Job) -> Answer | Failure:
        try:
            worker = self._idle.pop()
        except IndexError:
            worker = self._new()
        answer, final = self._try(job, worker)
        return answer if final else self._try(job, self._new())[0]

    def _try(self, job: Job, worker: Worker) -> tuple[Answer | Failure, bool]:
        """A worker's answer, and whether it is final."""
        try:
            answer: Answer | Failure = worker.ask(job, self._seconds)
        except TimeoutError:
            self._drop(worker)
            return timed_out(self._seconds), True
        except Lost as lost:
            self._drop(worker)
            return Failure("crash", CRASHED, str(lost)), False
        if isinstance(answer, Failure) and answer.code == "memory":
            self._drop(worker)
            return answer, worker.done == 1
        self._idle.append(worker)
        return answer, True

    def _new(self) -> Worker:
        reason = ""
        for _ in range(MOST_LOST_STARTS):
            with self._lock:
                if self._closed:
                    raise CancelledError
                worker = Worker(self._make, self._limits)
                self._workers.add(worker)
            try:
                failure: Failure | None = worker.receive(SLOWEST_START)
            except Lost as lost:
                self._drop(worker)
                reason = str(lost)
            except TimeoutError:
                raise DataError(f"no worker was ready within {SLOWEST_START:g} s; see whether the "
                                "machine is free") from None
            else:
                if failure is not None:
                    raise_failure(failure)
                return worker
        raise DataError(f"{MOST_LOST_STARTS} workers in a row died before the first job: {reason}")

    def _drop(self, worker: Worker) -> None:
        worker.kill()
        self._workers.discard(worker)


# ---- one worker ------------------------------------------------------------------------------


class Lost(Exception):
    """A worker is no more; the text says how it ended."""


class Worker:
    """A process that does one job at a time. Its first message is None, or a Failure: why its
    recipe could not be made."""

    def __init__(self, make: bytes, limits: WorkerLimits) -> None:
        """Begin the process. ``make`` is the pickled recipe."""
        self.done = 0
        """How many jobs it has had."""
        context = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, make, limits), daemon=True)
        self._process.start()
        theirs.close()

    def ask(self, job: Any, seconds: float) -> Any:
        """The answer to a job. Raises as ``receive`` does."""
        self.done += 1
        with suppress(OSError):  # nobody is there any more, as ``receive`` will find
            self._connection.send(job)
        return self.receive(seconds)

    def receive(self, seconds: float) -> Any:
        """The next message. Raises TimeoutError, after which the worker has to be ended, and Lost
        if it died."""
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
        if code is not None and code < 0:
            with suppress(ValueError):
                how = f"was killed by {signal.Signals(-code).name}"
        return f"the worker process {how}"

    def kill(self) -> None:
        """End the process at once, whatever it does; who waits for it gets Lost."""
        self._process.kill()
        self._process.join()

    def end(self) -> None:
        """Let the process, which has no job, end by itself."""
        self._connection.close()
        self._process.join(5)
        self.kill()


def _hold_interrupts() -> None:
    """Let Ctrl-C not meet what this thread begins: it is for us, who then end our workers."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _serve(home: Connection, make: bytes, limits: WorkerLimits) -> None:
    """The life of a worker process; where a crash was, it says on standard error.

    ``make`` is read here, not on the way: libraries that it needs begin threads, and a process with
    threads cannot leave the network any more.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    # A worker reads files of strangers, so it has paths and settings, but no secrets.
    for name in [*os.environ]:
        if SECRETS.fullmatch(name) and name not in limits.secrets:
            del os.environ[name]
    if limits.threads is not None:
        os.environ["OMP_NUM_THREADS"] = str(limits.threads)
    faulthandler.enable()
    with home, suppress(EOFError, BrokenPipeError, ConnectionError):
        limit_memory(limits.memory)
        try:
            if not limits.network:
                leave_network()
            work = loads(make)()  # noqa: S301  # our parent's own bytes
        except Exception as fault:
            home.send(failure_of(fault))
            return
        home.send(None)
        while True:
            job = home.recv()
            try:
                answer = work(job)
            except Exception as fault:
                answer = failure_of(fault)
            try:
                home.send(answer)
            except MemoryError:
                home.send(OUT_OF_MEMORY)
