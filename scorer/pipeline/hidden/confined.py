"""Workers that may see gold: silent, without keys or network, killed when late, one at a time.

All that comes back is the bytes of an answer or a code. The work reaches the worker through a pipe;
it lives on from one job to the next, so that models load once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from scorer.pipeline.hidden.faults import GoldError
from scorer.scoring.engines import local
from scorer.scoring.engines.outcomes import Failure, Job, Make, Quiet
from scorer.scoring.engines.process import can_leave_network

LARGEST = 256 * 1024
"""Bytes of an answer, at most."""
KEPT = "| metrics keep the network: this system lets no process of ours leave it"
"""What the log says where the workers cannot be taken off the network."""
_CODES = {"timeout": "GOLD-TIME", "memory": "GOLD-MEMORY"}


def run(
    make: Make[Job, bytes], jobs: Sequence[Job], seconds: float, *, memory: float | None = None,
    network: bool = False,
) -> Iterator[tuple[Job, bytes | GoldError]]:
    """Every job with its answer, GOLD-TIME if it was late, GOLD-MEMORY if it took too much,
    or GOLD-SCORE for anything else.

    ``seconds``: how long a job may take when its worker is ready; ``memory``: GiB that the worker
    may have. A job whose worker dies is tried once more. ``network``: whether the work needs it,
    to fetch models. Without, it is taken away where the system allows that; elsewhere one line on
    standard error says so. Raises DataError if no worker can be had.
    """
    cut = bool(jobs) and not network and can_leave_network()
    if jobs and not network and not cut:
        print(KEPT, file=sys.stderr)
    for job, answer in local.run(Quiet(make, _nothing), jobs, seconds=seconds, memory=memory,
                                 network=not cut):
        if isinstance(answer, bytes) and 0 < len(answer) <= LARGEST:
            yield job, answer
        else:
            code = _CODES.get(answer.code, "") if isinstance(answer, Failure) else ""
            yield job, GoldError(code or "GOLD-SCORE", str(job))


def _nothing(_: BaseException) -> bytes:
    return b""
