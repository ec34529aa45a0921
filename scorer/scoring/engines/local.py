"""Workers on this machine, kept from job to job, replaced when they die and killed when late.

One rule, wherever the jobs are done, so that the same submissions give the same records:

- A job whose worker dies is tried once more by a new one; if that dies too, the job has crashed.
- A job that runs out of memory is tried once more unless its worker was new: what earlier jobs left
  in memory is not its fault.
- A job that takes too long is stopped, once and for all.

Each worker is watched by a thread of ours, which gives it a job and waits.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from multiprocessing.reduction import ForkingPickler
from threading import Lock
from typing import Generic

from scorer.core.errors import DataError
from scorer.scoring.engines.outcomes import (
    CRASHED,
    Answer,
    Failure,
    Job,
    Make,
    as_they_come,
    raise_failure,
    timed_out,
)
from scorer.scoring.engines.worker import NO_LIMITS, Limits, Lost, Worker, hold_interrupts

SLOWEST_START = 600.0
"""Seconds that a worker may take until it is ready."""

MOST_LOST_STARTS = 3
"""Workers in a row that may die before they are ready."""


def run(
    make: Make[Job, Answer], jobs: Iterable[Job], *, seconds: float, size: int = 1,
    memory: float | None = None, network: bool = True, secrets: Collection[str] = (),
) -> Iterator[tuple[Job, Answer | Failure]]:
    """Every job with its answer, as they come; in order if ``size`` is 1.

    ``seconds``: the longest a job may take; ``size``: how many processes; ``memory``: GiB that each
    may have; ``network``: whether they may use it (see ``can_leave_network``); ``secrets``: names
    of environment variables that they need though they look like secrets.
    ``make``, jobs and answers are pickled; jobs are taken as workers are free. Raises as ``Pool``
    does.
    """
    threads = max(1, (os.cpu_count() or 1) // size) if size > 1 else None
    limits = Limits(memory, threads, network, secrets)
    with Pool[Job, Answer](make, seconds, size, limits) as pool:
        yield from pool.answers(jobs)


class Pool(Generic[Job, Answer]):
    """At most ``size`` workers, begun when there is a job for them; a context manager that leaves
    none behind. Raises DataError if no worker can be had, and what a recipe raises."""

    def __init__(self, make: Make[Job, Answer], seconds: float, size: int = 1,
                 limits: Limits = NO_LIMITS) -> None:
        self.kind = ""
        """Of the worker that began last."""
        self._make = bytes(ForkingPickler.dumps(make))
        self._seconds, self._size, self._limits = seconds, size, limits
        self._threads = ThreadPoolExecutor(size, initializer=hold_interrupts)
        self._workers: set[Worker] = set()
        self._idle: list[Worker] = []
        self._lock = Lock()
        """Holds while a worker is begun, so that none is begun after the end."""
        self._closed = False

    def __enter__(self) -> Pool[Job, Answer]:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def begin(self, number: int) -> None:
        """Begin so many workers before there is a job; what they need loads while we go on."""
        for _ in range(number):
            self._threads.submit(lambda: self._idle.append(self._new()))

    def answers(
        self, jobs: Iterable[Job], most: int | None = None,
    ) -> Iterator[tuple[Job, Answer | Failure]]:
        """Every job with its answer, as they come; at most so many at a time."""
        for job, future in as_they_come(lambda job: self._threads.submit(self._do, job), jobs,
                                        min(most or self._size, self._size)):
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
        """A worker that is ready."""
        reason = ""
        for _ in range(MOST_LOST_STARTS):
            worker = self._begun()
            try:
                ready = worker.ready(SLOWEST_START)
            except Lost as lost:
                self._drop(worker)
                reason = str(lost)
            except TimeoutError:
                raise DataError(f"no worker was ready within {SLOWEST_START:g} s; see whether the "
                                "machine is free") from None
            else:
                if ready.failure is not None:
                    raise_failure(ready.failure)
                self.kind = ready.kind
                return worker
        raise DataError(f"{MOST_LOST_STARTS} workers in a row died before the first job: {reason}")

    def _begun(self) -> Worker:
        with self._lock:
            if self._closed:
                raise CancelledError
            worker = Worker(self._make, self._limits)
            self._workers.add(worker)
        return worker

    def _drop(self, worker: Worker) -> None:
        worker.kill()
        self._workers.discard(worker)
