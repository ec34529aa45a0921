"""What comes back for a job: its answer, or why there is none."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, Literal, NoReturn, TypeVar

from scorer.core.errors import DataError, UsageError, WhyboardError
from scorer.scoring.engines.process import hush

Job = TypeVar("Job")
Answer = TypeVar("Answer")
Work = Callable[[Job], Answer]
"""Does one job."""
Make = Callable[[], Work[Job, Answer]]
"""Makes a worker's function; it is pickled on its way to the worker."""
Code = Literal["submission", "data", "memory", "timeout", "crash", "bug"]
EXIT_CODES: dict[Code, int] = {
    "submission": 2, "data": 3, "memory": 3, "timeout": 3, "crash": 1, "bug": 1,
}
"""Whose fault it is, as the exit code says it: 2 the user's, 3 our data or machine, 1 a bug."""


@dataclass(frozen=True)
class Failure:
    """Why a job has no answer."""

    code: Code
    message: str
    """For a person; may name paths of this machine."""
    log: str = ""
    """A traceback or whatever else the worker left; for the run's log only."""

    @property
    def exit_code(self) -> int:
        """The exit code of a command for which this was the worst that happened."""
        return EXIT_CODES[self.code]


OUT_OF_MEMORY = Failure("memory", "scoring it took more memory than there is")


def crashed(how: str) -> Failure:
    """A job that ended its worker; ``how``: what is known of the end."""
    return Failure("crash", "scoring it ended the process that did it, twice", how)


def timed_out(seconds: float) -> Failure:
    """A job that was stopped after so many seconds."""
    return Failure("timeout", f"scoring it took longer than {seconds:g} s")


def failure_of(fault: Exception) -> Failure:
    """What an exception means to the person who waits for a result."""
    if isinstance(fault, WhyboardError):
        return Failure("submission" if fault.exit_code == 2 else "data", str(fault))
    log = "".join(traceback.format_exception(fault))
    if out_of_memory(fault):
        return Failure("memory", OUT_OF_MEMORY.message, log)
    return Failure("bug", f"the program failed on it ({type(fault).__name__})", log)


def out_of_memory(fault: BaseException | None) -> bool:
    """Whether memory ran out, here or in a cause: Python's, the system's or torch's words for it.

    >>> out_of_memory(RuntimeError("unable to mmap 9 bytes: Cannot allocate memory (12)"))
    True
    """
    while fault is not None:
        if (isinstance(fault, MemoryError) or type(fault).__name__ == "OutOfMemoryError"
                or re.search("can(no|')t allocate memory", str(fault), re.I)):
            return True
        fault = fault.__cause__ or fault.__context__
    return False


def raise_failure(failure: Failure) -> NoReturn:
    """Raise what a failure of a whole run means: UsageError, DataError, or a bug's traceback."""
    if failure.exit_code == 1:
        raise RuntimeError(f"{failure.message}\n{failure.log}")
    raise (UsageError if failure.exit_code == 2 else DataError)(failure.message)


def as_they_come(
    begin: Callable[[Job], Future[Answer]], jobs: Iterable[Job], most: int,
) -> Iterator[tuple[Job, Future[Answer]]]:
    """Every job when it is done; at most so many are begun at a time."""
    jobs, running = iter(jobs), dict[Future[Answer], Job]()
    while True:
        for job in islice(jobs, most - len(running)):
            running[begin(job)] = job
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in [future for future in running if future in done]:
            yield running.pop(future), future


@dataclass(frozen=True)
class Quiet(Generic[Job, Answer]):
    """A recipe like another one, whose worker is silent: no output, no core file, never the words
    of an exception.

    For work on hidden gold and for logs that strangers read: what comes back is an answer or what
    the recipe makes of a fault.
    """

    make: Make[Job, Answer]
    blame: Callable[[BaseException], Answer]
    """What is answered for an exception; a function of a module, for it is pickled."""

    def __call__(self) -> Work[Job, Any]:
        """Silence this process and make its function; if that fails, every job is answered so."""
        hush()
        try:
            work = self.make()
        except BaseException as fault:
            answer = self._blamed(fault)
            return lambda job: answer

        def quiet(job: Job) -> Answer | Failure:
            try:
                return work(job)
            except BaseException as fault:
                return self._blamed(fault)

        return quiet

    def _blamed(self, fault: BaseException) -> Answer | Failure:
        return OUT_OF_MEMORY if out_of_memory(fault) else self.blame(fault)
