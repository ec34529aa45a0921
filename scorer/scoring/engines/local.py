"""Workers on this machine, kept from job to job, replaced when they die and killed when late.

One rule, wherever the jobs are done, so that the same submissions give the same records:

- A job whose process dies is tried once more by a new one; if that dies too, the job has crashed.
- A job that runs out of memory is tried once more unless its process was new: what earlier jobs
  left in memory is not its fault.
- A job that takes too long is stopped, once and for all.

A process begins afresh (spawn), loads the recipe once, has a pipe of its own to us, and ends with
us, however we end: one that is killed, at whatever moment, harms nobody else. (pebble's processes
share one pipe: after a kill in the middle of an answer all others wait for ever.)
"""

from __future__ import annotations

import faulthandler
import os
import re
import signal
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from multiprocessing.reduction import ForkingPickler
from pickle import UnpicklingError, loads
from threading import Lock
from typing import Any, Generic, NamedTuple

from scorer.core.errors import DataError
from scorer.scoring.engines.outcomes import (
    OUT_OF_MEMORY,
    Answer,
    Failure,
    Job,
    Make,
    as_they_come,
    crashed,
    failure_of,
    raise_failure,
    timed_out,
)
from scorer.scoring.engines.process import die_with_parent, leave_network, limit_memory

SLOWEST_START = 600.0
"""Seconds that a process may take until it is ready."""
MOST_LOST_STARTS = 3
"""Processes in a row that may die before they are ready."""
LONGEST_WAIT = 10**6
"""Seconds; the system's poll takes no more than 24 days."""
SECRETS = re.compile(
    r"ACTIONS_.*|WHYBOARD_GOLD_.*|SSH_AUTH_SOCK"
    r"|(.*_)?((API)?KEY|TOKEN|SECRET|PASS(WORD|PHRASE)?|PAT|CREDENTIAL)S?(_.*)?",
    re.IGNORECASE)
"""Names of environment variables that hold a secret, or lead to one."""


class WorkerLimits(NamedTuple):
    """What a worker's process may have."""

    memory: float | None = None
    """GiB."""
    threads: int | None = None
    """Of the libraries that multiply matrices."""
    network: bool = True
    secrets: Collection[str] = ()
    """Names of environment variables that it needs though they look like secrets."""


def run(
    make: Make[Job, Answer], jobs: Iterable[Job], *, seconds: float, size: int = 1,
    memory: float | None = None, network: bool = True, secrets: Collection[str] = (),
) -> Iterator[tuple[Job, Answer | Failure]]:
    """Every job with its answer, as they come; in order if ``size`` is 1.

    ``seconds``: the longest a job may take; ``size``: how many processes; ``memory``: GiB that each
    may have; ``network``: whether they may use it (see ``can_leave_network``); ``secrets``: names
    of environment variables that they need though they look like secrets.
    ``make``, jobs and answers are pickled; jobs are taken as workers are free. No process is left
    behind. Raises as ``Worker`` does.
    """
    threads = max(1, (os.cpu_count() or 1) // size) if size > 1 else None
    limits = WorkerLimits(memory, threads, network, secrets)
    workers = [Worker[Job, Answer](make, seconds, limits) for _ in range(size)]
    free = [*workers]

    def do(job: Job) -> Answer | Failure:
        worker = free.pop()  # there is one, for no more jobs are begun than there are workers
        try:
            return worker.answer(job)
        finally:
            free.append(worker)

    with ThreadPoolExecutor(size, initializer=_hold_interrupts) as watching:
        try:
            for job, future in as_they_come(lambda job: watching.submit(do, job), jobs, size):
                yield job, future.result()
        finally:
            for worker in workers:
                worker.close()


def _hold_interrupts() -> None:
    """Let Ctrl-C not meet what this thread begins: it is for us, who then end our workers."""
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


class _Lost(Exception):
    """A process is no more; the text says how it ended."""


class Worker(Generic[Job, Answer]):
    """Does one job at a time in a process that is begun for the first job and replaced when it is
    lost. Raises DataError if none can be had, and what a recipe raises."""

    def __init__(self, make: Make[Job, Answer], seconds: float, limits: WorkerLimits) -> None:
        """``seconds``: the longest a job may take."""
        self._make = bytes(ForkingPickler.dumps(make))
        self._seconds, self._limits = seconds, limits
        self._process: SpawnProcess | None = None
        self._home: Connection
        self._jobs = 0
        """How many the process has had."""
        self._busy = self._closed = False
        self._lock = Lock()
        """Holds while a process is begun, so that none is begun after the end."""

    def answer(self, job: Job) -> Answer | Failure:
        """What becomes of a job."""
        answer = self._try(job)
        if isinstance(answer, Failure) and (
                answer.code == "crash" or (answer.code == "memory" and self._jobs > 1)):
            return self._try(job)
        return answer

    def close(self) -> None:
        """End the process: by itself if it has no job, else at once, and who waits for its answer
        gets CancelledError."""
        with self._lock:
            self._closed = True
        if self._process is not None and not self._busy:
            self._home.close()
            self._process.join(5)
        self._kill()

    def _try(self, job: Job) -> Answer | Failure:
        self._busy = True
        if self._process is None:
            self._begin()
        self._jobs += 1
        try:
            with suppress(OSError):  # nobody is there any more, as ``_receive`` will find
                self._home.send(job)
            answer: Answer | Failure = self._receive(self._seconds)
        except TimeoutError:
            answer = timed_out(self._seconds)
        except _Lost as lost:
            answer = crashed(str(lost))
        if isinstance(answer, Failure) and answer.code in ("timeout", "crash", "memory"):
            self._kill()
        self._busy = False
        return answer

    def _begin(self) -> None:
        context, reason, self._jobs = get_context("spawn"), "", 0
        for _ in range(MOST_LOST_STARTS):
            self._home, theirs = context.Pipe()
            with self._lock:
                if self._closed:
                    raise CancelledError
                process = context.Process(
                    target=_serve, args=(theirs, self._make, self._limits), daemon=True)
                process.start()
                self._process = process
            theirs.close()
            try:
                failure: Failure | None = self._receive(SLOWEST_START)
                if failure is None:
                    return
                self._kill()
                raise_failure(failure)
            except _Lost as lost:
                self._kill()
                reason = str(lost)
            except TimeoutError:
                self._kill()
                raise DataError(f"no worker was ready within {SLOWEST_START:g} s; see whether the "
                                "machine is free") from None
        raise DataError(f"{MOST_LOST_STARTS} workers in a row died before the first job: {reason}")

    def _receive(self, seconds: float) -> Any:
        """The process's next message; its first one is None, or why its recipe could not be made.

        Raises TimeoutError, and ``_Lost`` if it died.
        """
        process = self._process
        if process is None:  # closed meanwhile
            raise CancelledError
        try:
            late = not self._home.poll(min(seconds, LONGEST_WAIT))
            message = None if late else self._home.recv()
        except (EOFError, OSError, UnpicklingError):
            process.join(5)
            code = process.exitcode
            how = "ended" if code is None else f"ended with exit code {code}"
            if code is not None and code < 0:
                with suppress(ValueError):
                    how = f"was killed by {signal.Signals(-code).name}"
            raise _Lost(f"the worker process {how}") from None
        if late:
            raise TimeoutError
        return message

    def _kill(self) -> None:
        """End the process at once, whatever it does; who waits for it gets ``_Lost``."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()


def _serve(home: Connection, make: bytes, limits: WorkerLimits) -> None:
    """The life of a worker's process; where a crash was, it says on standard error.

    ``make`` is read here, not on the way: libraries that it needs begin threads, and a process with
    threads cannot leave the network any more.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    # It reads files of strangers, so it has paths and settings, but no secrets.
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
