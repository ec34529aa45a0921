"""Worker processes for a build: they do jobs at once, in any order.

They begin afresh (spawn), so that it does not matter what the process that asks has open. However
it ends, they end too: at the latest after the job that they are doing.
"""

from __future__ import annotations

import os
import pickle
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event as Flag
from threading import Lock
from typing import Any, Generic

from scorer.engines.local import LocalBackend
from scorer.engines.outcomes import Answer, Job, Make, raise_failure
from scorer.engines.pool import Answered, Died, Ready
from scorer.errors import DataError

MOST = 8
"""Processes, where nobody asks for more."""
_BREATH = 0.2
"""Seconds between two looks at whether to go on."""


def usual() -> int:
    """As many as there are cores that this process may use, at most MOST."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(MOST, usable or 1)


class Workers(Generic[Job, Answer]):
    """Processes that do jobs, begun one by one; a context manager that leaves none behind.

    ``make`` is pickled and makes the function in each process; in ``folder`` they leave what they
    say as they die.
    """

    def __init__(self, make: Make[Job, Answer], folder: Path) -> None:
        self._backend = LocalBackend(_Tried(make), None, 1, folder)
        self._busy: dict[Any, bool] = {}
        """Every process, and whether it is beginning or has a job."""

    def __enter__(self) -> Workers[Job, Answer]:
        return self

    def __exit__(self, *fault: object) -> None:
        for worker in self._busy:
            self._backend.stop(worker, busy=True)  # tidying up itself takes it a second

    def begin(self, count: int) -> None:
        """Begin so many more processes; what they need is imported while we go on."""
        for _ in range(count):
            self._busy[self._backend.start()] = True

    def answers(self, jobs: Iterator[Job], stop: Flag) -> Iterator[Answer]:
        """The answers to the jobs, as they come; until there are no more, or ``stop`` is set.

        An exception of a job is raised here as itself, with the traceback of its process; one that
        cannot be pickled as a RuntimeError that says which it was. Raises DataError if a process
        ends before its work does.
        """
        while any(self._busy.values()) and not stop.is_set():
            for worker, event in self._backend.wait(list(self._busy), _BREATH):
                answer = [*_answers(event)]
                job = next(jobs, None)
                self._busy[worker] = job is not None
                if job is not None:
                    self._backend.send(worker, job)
                yield from answer


class Shared(Iterator[Job]):
    """Jobs that several threads take from; each is had once."""

    def __init__(self, jobs: Iterator[Job]) -> None:
        self._jobs = jobs
        self._lock = Lock()

    def __next__(self) -> Job:
        with self._lock:
            return next(self._jobs)


def _answers(event: Ready | Answered | Died) -> Iterator[Any]:
    """What a worker says, if it says anything; raises what went wrong."""
    if isinstance(event, Died):
        raise DataError(f"a process of the build ended before its work: {event.log}; "
                        "build with --jobs 1")
    if isinstance(event, Ready):
        if event.failure is not None:
            raise_failure(event.failure)
    elif isinstance(event.answer, Exception):
        raise event.answer
    else:
        yield event.answer


class _Tried(Generic[Job, Answer]):
    """Makes a function whose exceptions are answers too."""

    def __init__(self, make: Make[Job, Answer]) -> None:
        self.make = make

    def __call__(self) -> Callable[[Job], Answer | Exception]:
        function = self.make()

        def tried(job: Job) -> Answer | Exception:
            try:
                return function(job)
            except Exception as fault:
                return _sent(fault)

        return tried


def _sent(fault: Exception) -> Exception:
    """The exception as another process can read it, with its traceback in words."""
    where = "".join(traceback.format_exception(fault))
    try:
        same = pickle.loads(pickle.dumps(fault))  # noqa: S301  # what this process packed
    except Exception:  # whatever its own code does
        return RuntimeError(where)
    fault.add_note(where)
    return fault if type(same) is type(fault) else RuntimeError(where)
