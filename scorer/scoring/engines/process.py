"""What a process may do on its machine: its memory, the network, what it says, who reads it.

Only the standard library is imported, so that this file can be run by itself to see whether a
process could leave the network here: ``python process.py`` ends with 0 or 1.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

GIB = 2**30
SHARE = 0.75
"""Of a machine's memory, for the one worker on it; the rest is for who watches over it."""
NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000
"""``CLONE_NEWUSER`` and ``CLONE_NEWNET`` of ``unshare(2)``."""
DEATH_SIGNAL, SET_DUMPABLE = 1, 4
"""``PR_SET_PDEATHSIG`` and ``PR_SET_DUMPABLE`` of ``prctl(2)``."""


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


def leave_network() -> None:
    """Take this process off the network, for good; it may have one thread only.

    It goes into a network namespace of its own, which has no device that is up; what it has open
    already, such as the pipe to its parent, stays open. As the superuser at once, else in a user
    namespace in which it is who it was. Raises OSError where the system refuses.
    """
    unshare = getattr(ctypes.CDLL(None, use_errno=True), "unshare", None)
    if unshare is None:
        raise OSError(errno.ENOSYS, "no namespaces here")
    if unshare(NEW_NETWORK) == 0:
        return
    user, group = os.geteuid(), os.getegid()
    if unshare(NEW_USER | NEW_NETWORK):
        raise OSError(ctypes.get_errno(), "no network namespace")
    own = Path("/proc/self")
    (own / "setgroups").write_text("deny")
    (own / "uid_map").write_text(f"{user} {user} 1")
    (own / "gid_map").write_text(f"{group} {group} 1")


def can_leave_network() -> bool:
    """Whether a new process could leave the network here: tried by one that does nothing else."""
    ran = subprocess.run([sys.executable, "-I", "-S", __file__], check=False,  # noqa: S603
                         stdin=subprocess.DEVNULL, capture_output=True)
    return ran.returncode == 0


def no_core_file() -> None:
    """A process that crashes leaves no copy of its memory."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def close_memory() -> None:
    """No other process of this user can read our memory, files or environment, nor trace us.

    On Linux: ``prctl`` makes us not dumpable, and then what /proc shows of us is the superuser's.
    Processes that we begin are as open as ever.
    """
    _prctl(SET_DUMPABLE, 0)


def die_with_parent() -> None:
    """This process is killed when the thread that began it ends, however that comes; on Linux."""
    _prctl(DEATH_SIGNAL, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(option, value, 0, 0, 0)


def hush() -> None:
    """Nothing that this process or a library says reaches anybody."""
    no_core_file()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)


if __name__ == "__main__":
    leave_network()
