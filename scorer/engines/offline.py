"""A process without a network, where Linux lets an ordinary user make one.

The process goes into a network namespace of its own, which has no device that is up; what it has
open already, such as the pipe to its parent, stays open. Only ``libc`` is asked, so that the file
can be run by itself to see whether it would go: ``python offline.py`` ends with 0 or 1.
"""

from __future__ import annotations

import ctypes
import errno
import os
import subprocess
import sys
from pathlib import Path

NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000
"""``CLONE_NEWUSER`` and ``CLONE_NEWNET`` of ``unshare(2)``."""


def leave_network() -> None:
    """Take this process off the network, for good; it may have one thread only.

    As the superuser at once, else in a user namespace in which it is who it was. Raises OSError
    where the system refuses.
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


def allowed() -> bool:
    """Whether a new process could leave the network here: tried by one that does nothing else."""
    ran = subprocess.run([sys.executable, "-I", "-S", __file__], check=False,  # noqa: S603
                         stdin=subprocess.DEVNULL, capture_output=True)
    return ran.returncode == 0


if __name__ == "__main__":
    leave_network()
