"""How does a key come to this process alone, out of an environment that others can read?

The environment that a process was begun with stays readable below /proc for every process of its
user, whatever the program takes out of it. So the program begins again in its place, under the same
process id, without the key, and takes it from a file in memory. Then nobody but the superuser can
read what it holds. Elsewhere than on Linux the key is taken out of the environment, no more.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from scorer.engines.quiet import close_memory
from scorer.gold.age import VARIABLE, Identity, find_identity
from scorer.gold.faults import guarded

HANDED = f"{VARIABLE}_FILE"
"""Environment variable with the number of the open file that holds the key."""


def own_identity(path: Path | None = None) -> Identity | None:
    """The identity of a file, else of the environment, as ``find_identity``; for commands.

    May begin this program again: call it before anything else is done. Raises
    GoldError(GOLD-IDENTITY).
    """
    _begin_again_without_key()
    close_memory()
    file = os.environ.pop(HANDED, None)
    if file is not None:
        os.environ[VARIABLE] = guarded("GOLD-IDENTITY", "", lambda: _taken(int(file)))
    return find_identity(path, os.environ)


def _begin_again_without_key() -> None:
    """Return if what this process was begun with shows no key; else do not return."""
    if sys.platform != "linux" or not os.environ.get(VARIABLE) or not _is_shown():
        return
    file = os.memfd_create("identity", 0)
    os.write(file, os.environb.pop(VARIABLE.encode()))
    os.lseek(file, 0, os.SEEK_SET)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(sys.executable, sys.orig_argv, {**os.environ, HANDED: str(file)})  # noqa: S606


def _is_shown() -> bool:
    try:
        shown = Path("/proc/self/environ").read_bytes()
    except OSError:
        return False
    return any(entry.startswith(f"{VARIABLE}=".encode()) for entry in shown.split(b"\0"))


def _taken(file: int) -> str:
    """What an open file holds; it is closed, so that no process that we begin gets it."""
    with os.fdopen(file, "r", encoding="ascii") as opened:
        return opened.read()
