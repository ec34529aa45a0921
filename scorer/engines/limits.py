"""What a worker may use of its machine."""

from __future__ import annotations

import sys
from typing import Any

GIB = 2**30


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
