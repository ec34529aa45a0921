"""What a worker may use of its machine."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

GIB = 2**30
SHARE = 0.75
"""Of a machine's memory, for the one worker on it; the rest is for who watches over it."""


def usual_memory() -> float | None:
    """GiB that the one worker of a machine may have, where nobody says; None for no limit.

    Three quarters of what the machine has, or of what the container may use that we are in.
    """
    if sys.platform != "linux":
        return None
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with suppress(OSError, ValueError):  # no such file, or "max"
        there = min(there, int(Path("/sys/fs/cgroup/memory.max").read_text("ascii")))
    return SHARE * there / GIB


def limit_memory(gib: float | None) -> None:
    """Let this process have at most so many GiB of its own memory, where the system can do that.

    Linux counts private writable memory (RLIMIT_DATA since 4.7), not what is merely mapped, so that
    the address space a GPU driver reserves does not matter. Elsewhere nothing is limited.
    """
    if gib is None or sys.platform != "linux":
        return
    import resource

    most = int(gib * GIB)
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def kind_of(work: Any) -> str:
    """What has to be the same on all workers."""
    return str(getattr(work, "kind", ""))
