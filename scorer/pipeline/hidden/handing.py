"""How does a key come to this process alone, out of an environment that others can read?

The environment that a process was begun with stays readable below /proc for every process of its
user, whatever the program takes out of it. So the program begins again in its place, under the same
process id, without the key, and takes it from a file in memory. Then nobody but the superuser can
read what it holds. Elsewhere than on Linux the key is taken out of the environment, no more.

Until then the key can be read, so the program does this first; what is imported here is light.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

VARIABLE = "WHYBOARD_GOLD_IDENTITY"
"""Environment variable with an identity; taken out of the environment when it is read."""
HANDED = f"{VARIABLE}_FILE"
"""Environment variable with the number of the open file that holds the key."""


def hide_key() -> None:
    """Have the key in our environment alone, if there is one, and not in what others can read.

    May begin this program again: call it before anything else is done.
    """
    file = os.environ.pop(HANDED, None)
    if file is None and not (sys.platform == "linux" and os.environ.get(VARIABLE) and _is_shown()):
        return
    from scorer.scoring.engines.process import close_memory  # slow to load: only with a key

    close_memory()
    if file is None:
        _begin_again_without_key()
    with (suppress(OSError, ValueError),  # not ours: there is no key
          os.fdopen(int(file), "r", encoding="ascii", errors="replace") as opened):
        os.environ[VARIABLE] = opened.read()  # then closed: no process that we begin gets it


def _begin_again_without_key() -> NoReturn:
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
