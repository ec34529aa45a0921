"""A worker that says nothing: no output, no core file, never the words of an exception.

For work on hidden gold and for logs that strangers read: what comes back is an answer or what the
recipe makes of a fault.
"""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic

from scorer.engines.answers import OUT_OF_MEMORY, Answer, Failure, Job, Make, Work, out_of_memory

SET_DUMPABLE = 4
"""``PR_SET_DUMPABLE`` of ``prctl(2)``."""


@dataclass(frozen=True)
class Quiet(Generic[Job, Answer]):
    """A recipe like another one, whose worker is silent."""

    make: Make[Job, Answer]
    blame: Callable[[BaseException], Answer]
    """What is answered for an exception; a function of a module, for it is pickled."""

    def __call__(self) -> Work[Job, Any]:
        """Silence this process and make its function; if that fails, every job is answered so."""
        hush()
        try:
            work = self.make()
        except BaseException as fault:
            told = self._told(fault)
            return lambda job: told
        return lambda job: self._answer(work, job)

    def _answer(self, work: Work[Job, Answer], job: Job) -> Answer | Failure:
        try:
            return work(job)
        except BaseException as fault:
            return self._told(fault)

    def _told(self, fault: BaseException) -> Answer | Failure:
        return OUT_OF_MEMORY if out_of_memory(fault) else self.blame(fault)


def no_core_file() -> None:
    """A process that crashes leaves no copy of its memory."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def close_memory() -> None:
    """No other process of this user can read our memory, files or environment, nor trace us.

    On Linux: ``prctl`` makes us not dumpable, and then what /proc shows of us is the superuser's.
    Processes that we begin are as open as ever.
    """
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(SET_DUMPABLE, 0, 0, 0, 0)


def hush() -> None:
    """Nothing that this process or a library says reaches anybody."""
    no_core_file()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)
