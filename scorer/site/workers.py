"""The work of a build, shared among processes that begin as copies of this one.

A copy has everything that was read so far, so nothing is sent to it: each does what nobody has
begun, writes its files, and answers with what it knows of them at the end.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TypeVar

from scorer.core.errors import DataError

Answer = TypeVar("Answer")

MOST = 8
"""Processes, where nobody asks for more."""
COPIES = sys.platform == "linux"
"""Whether a process can begin as a copy of this one; macOS has libraries that break in copies."""


def usual() -> int:
    """As many as there are cores that this process may use, at most MOST."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(MOST, usable or 1)


def shared(jobs: Sequence[Callable[[], Answer]], processes: int) -> list[Answer]:
    """The answers to all jobs, in their order, of so many processes; this one is among them.

    Raises what a job raises, and DataError if a process ends before its work.
    """
    if not COPIES or processes < 2:
        return [job() for job in jobs]
    context = get_context("fork")
    number = context.Value("i", 0)

    def mine() -> Iterator[tuple[int, Answer]]:
        """The answers to jobs that no other process has begun, with their numbers."""
        while True:
            with number.get_lock():
                at, number.value = number.value, number.value + 1
            if at >= len(jobs):
                return
            yield at, jobs[at]()

    def work(answers: Connection) -> None:
        try:
            answers.send([*mine()])
        except Exception as fault:
            answers.send(fault)

    others = []
    unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:  # the copies keep Ctrl-C blocked: whoever began them ends them
        for _ in range(processes - 1):
            answers, sending = context.Pipe(duplex=False)
            process = context.Process(target=work, args=(sending,), daemon=True)
            process.start()
            sending.close()
            others.append((process, answers))
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
        done = dict(mine())
        for _, answers in others:
            done.update(_received(answers))
    finally:
        for process, _ in others:
            process.kill()
            process.join()
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
    return [done[at] for at in range(len(jobs))]


def _received(answers: Connection) -> list[tuple[int, Answer]]:
    try:
        answer: list[tuple[int, Answer]] | Exception = answers.recv()
    except EOFError:
        raise DataError("a process of the build ended before its work; build with --jobs 1"
                        ) from None
    if isinstance(answer, Exception):
        raise answer
    return answer
