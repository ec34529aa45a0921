"""The work of a build, shared among processes that begin as copies of this one: a copy has
everything that was read so far, so nothing is sent to it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context
from typing import Any, TypeVar

from scorer.core.errors import DataError

Answer = TypeVar("Answer")

MOST = 8
"""Processes, where nobody asks for more."""
COPIES = sys.platform == "linux"
"""Whether a process can begin as a copy of this one; macOS has libraries that break in copies."""
_jobs: Sequence[Callable[[], Any]] = ()


def usual() -> int:
    """As many as there are cores that this process may use, at most MOST."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(MOST, usable or 1)


def shared(jobs: Sequence[Callable[[], Answer]], processes: int) -> list[Answer]:
    """The answers to all jobs, in their order, of so many processes.

    Raises what a job raises, and DataError if a process ends before its work.
    """
    global _jobs  # what the copies begin with
    if not COPIES or processes < 2:
        return [job() for job in jobs]
    _jobs = jobs
    pool = ProcessPoolExecutor(processes, get_context("fork"), _without_interrupts)
    try:
        return [*pool.map(_answer, range(len(jobs)))]
    except BrokenProcessPool:
        raise DataError("a process of the build ended before its work; build with --jobs 1"
                        ) from None
    finally:
        for process in active_children():
            process.kill()
        pool.shutdown()


def _without_interrupts() -> None:
    """Whoever began a process ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _answer(number: int) -> Any:
    return _jobs[number]()
