"""Workers that may see gold: silent, without keys or network, killed when late, one at a time.

All that comes back is the bytes of an answer or a code. The work reaches the worker through a pipe;
it lives on from one job to the next, so that models load once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scorer.engines import local
from scorer.engines.outcomes import Failure, Quiet
from scorer.engines.process import can_leave_network
from scorer.hidden.faults import GoldError

Work = Callable[[bytes], bytes]
"""A job in, an answer out; can be pickled."""

LARGEST = 256 * 1024 * 1024
"""Bytes of an answer, at most."""

KEPT = "| metrics keep the network: this system lets no process of ours leave it"
"""What is said where the workers cannot be taken off the network."""


_CODES = {"timeout": "GOLD-TIME", "memory": "GOLD-MEMORY"}


class ConfinedJob(NamedTuple):
    """A job, and what messages call it."""

    name: str
    job: bytes


def run(
    work: Work, tasks: Sequence[ConfinedJob], seconds: float, *, memory: float | None = None,
    network: bool = False,
) -> Iterator[tuple[ConfinedJob, bytes | GoldError]]:
    """Every task with its answer, GOLD-TIME if it was late, GOLD-MEMORY if it took too much,
    or GOLD-SCORE for anything else.

    ``seconds``: how long a task may take when its worker is ready; ``memory``: GiB that the worker
    may have. A task whose worker dies is tried once more. ``network``: whether the work needs it,
    to fetch models. Without, it is taken away where the system allows that; elsewhere one line on
    standard error says so. Raises DataError if no worker can be had.
    """
    cut = bool(tasks) and not network and can_leave_network()
    if tasks and not network and not cut:
        print(KEPT, file=sys.stderr)
    for task, answer in local.run(Quiet(_Recipe(work), _nothing), tasks, seconds=seconds,
                                  memory=memory, network=not cut):
        if isinstance(answer, Failure):
            code = _CODES.get(answer.code, "GOLD-SCORE")
            yield task, GoldError(code, task.name)
        elif not answer or len(answer) > LARGEST:
            yield task, GoldError("GOLD-SCORE", task.name)
        else:
            yield task, answer


@dataclass(frozen=True)
class _Recipe:
    work: Work

    def __call__(self) -> Callable[[ConfinedJob], bytes]:
        return self._answer

    def _answer(self, task: ConfinedJob) -> bytes:
        return self.work(task.job)


def _nothing(_: BaseException) -> bytes:
    return b""
