"""The loop over workers that may die: who does which job, again or no more.

One rule for every engine, so that the same submissions give the same records everywhere:

- A job whose worker dies is tried once more, by a worker that has done nothing else; if that one
  dies too, the job has crashed. So one lost machine costs nobody a result.
- A job that runs out of memory is tried once more unless its worker was new: what earlier jobs left
  in memory is not its fault.
- A job that takes too long is stopped, once and for all.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from scorer.engines.outcomes import CRASHED, Answer, Failure, Job, raise_failure, timed_out
from scorer.errors import DataError, counted

SLOWEST_START = 600.0
"""Seconds that the first worker may take until it is ready."""

MOST_LOST_STARTS = 3
"""Workers in a row that may die before they are ready."""

Worker = TypeVar("Worker")


@dataclass(frozen=True)
class Ready:
    """A worker has begun; ``failure`` if its recipe could not be made."""

    kind: str = ""
    failure: Failure | None = None


@dataclass(frozen=True)
class Answered:
    """A worker has done its job."""

    answer: Any


@dataclass(frozen=True)
class Died:
    """A worker is no more."""

    log: str = ""


Event = Ready | Answered | Died


class WorkerBackend(Protocol[Worker]):
    """What an engine can do with its workers."""

    def start(self) -> Worker:
        """Begin to make a worker; Ready or Died follows as an event."""

    def send(self, worker: Worker, job: Any) -> None:
        """Give a ready worker a job; Answered or Died follows as an event."""

    def wait(
        self, workers: Collection[Worker], seconds: float
    ) -> Iterable[tuple[Worker, Event]]:
        """Everything that has happened to these workers; at the latest after some seconds."""

    def stop(self, worker: Worker, *, busy: bool) -> None:
        """End a worker and wait until it is gone; a busy one is killed."""


@dataclass
class _Slot(Generic[Worker, Job]):
    """One worker and what it is doing."""

    worker: Worker
    deadline: float
    ready: bool = False
    done: int = 0
    job: Job | None = None
    second: bool = False
    """Whether this is the job's second and last attempt."""


class Pool(Generic[Worker, Job, Answer]):
    """Runs jobs on at most ``size`` workers at a time, each for at most ``seconds``."""

    def __init__(self, backend: WorkerBackend[Worker], size: int, seconds: float) -> None:
        self._backend, self._size, self._seconds = backend, size, seconds
        self._first: deque[Job] = deque()
        self._again: deque[Job] = deque()
        self._slots: list[_Slot[Worker, Job]] = []
        self._lost_starts = 0
        self._kind: str | None = None

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Answer | Failure]]:
        """Every job with its answer, as they come.

        Raises DataError if no worker can be had or two are not alike. However it ends, also when
        it is abandoned, no worker is left behind.
        """
        self._first.extend(jobs)
        try:
            while self._first or self._again or any(slot.job is not None for slot in self._slots):
                self._assign()
                self._hire()
                yield from self._collect()
        finally:
            for slot in list(self._slots):
                self._drop(slot)

    def _assign(self) -> None:
        """Give idle workers something to do; second attempts go to new workers only."""
        for slot in [slot for slot in self._slots if slot.ready and slot.job is None]:
            if self._again and slot.done == 0:
                self._give(slot, self._again.popleft(), second=True)
            elif self._first:
                self._give(slot, self._first.popleft(), second=False)
            elif self._again:
                self._drop(slot)

    def _give(self, slot: _Slot[Worker, Job], job: Job, *, second: bool) -> None:
        slot.job, slot.second = job, second
        slot.deadline = time.monotonic() + self._seconds
        self._backend.send(slot.worker, job)

    def _hire(self) -> None:
        """Start as many workers as there are jobs that nobody does, within the limit."""
        free = sum(slot.job is None for slot in self._slots)
        while len(self._slots) < self._size and free < len(self._first) + len(self._again):
            deadline = time.monotonic() + SLOWEST_START
            self._slots.append(_Slot(self._backend.start(), deadline))
            free += 1

    def _collect(self) -> Iterator[tuple[Job, Answer | Failure]]:
        """Wait until something happens, and say which jobs it ended."""
        slots = {id(slot.worker): slot for slot in self._slots}
        first = min(slot.deadline for slot in self._slots)
        seconds = max(0.0, first - time.monotonic())
        events = list(self._backend.wait([slot.worker for slot in self._slots], seconds))
        now = time.monotonic()
        for worker, event in events:
            slot = slots[id(worker)]
            if isinstance(event, Ready):
                self._begun(slot, event)
            elif isinstance(event, Died):
                yield from self._died(slot, event)
            else:
                yield from self._answered(slot, event.answer)
        for slot in [slot for slot in self._slots if slot.deadline <= now]:
            if slot.job is not None:
                self._drop(slot)
                yield slot.job, timed_out(self._seconds)
            elif not any(other.ready for other in self._slots):
                raise DataError(f"no worker was ready within {SLOWEST_START:g} s; "
                                "see whether the machines are free")
            else:
                slot.deadline = now + SLOWEST_START

    def _begun(self, slot: _Slot[Worker, Job], event: Ready) -> None:
        if event.failure is not None:
            raise_failure(event.failure)
        if self._kind not in (None, event.kind):
            raise DataError("two workers are not alike, so their results cannot stand together: "
                            f"{self._kind}; {event.kind}. Install the same on every machine")
        self._kind = event.kind
        self._lost_starts = 0
        slot.ready, slot.deadline = True, math.inf

    def _died(
        self, slot: _Slot[Worker, Job], event: Died
    ) -> Iterator[tuple[Job, Answer | Failure]]:
        self._drop(slot)
        if slot.job is not None and slot.second:
            yield slot.job, Failure("crash", CRASHED, event.log)
        elif slot.job is not None:
            self._again.append(slot.job)
        elif not slot.ready:
            self._lost_starts += 1
            if self._lost_starts >= MOST_LOST_STARTS:
                raise DataError(f"{counted(self._lost_starts, 'worker')} in a row died before "
                                f"the first job: {event.log or 'nothing is known of why'}")

    def _answered(
        self, slot: _Slot[Worker, Job], answer: Any
    ) -> Iterator[tuple[Job, Answer | Failure]]:
        job = slot.job
        assert job is not None
        new = slot.done == 0
        slot.job, slot.deadline, slot.done = None, math.inf, slot.done + 1
        if isinstance(answer, Failure) and answer.code == "memory":
            self._drop(slot)
            if not new:
                self._again.append(job)
                return
        yield job, answer

    def _drop(self, slot: _Slot[Worker, Job]) -> None:
        self._slots.remove(slot)
        self._backend.stop(slot.worker, busy=slot.job is not None or not slot.ready)
