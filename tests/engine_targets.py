"""What tests let workers do: answer, die, hang, eat memory. Imported by worker processes."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from scorer.core.errors import DataError, UsageError

HELD: list[bytearray] = []
"""What one job leaves in its worker's memory."""


def do(job: str) -> str:
    """Do what the job's first word says; the answer names the process."""
    word, _, rest = job.partition(" ")
    if word == "segfault":
        faulthandler._sigsegv()  # type: ignore[attr-defined]
    if word == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "kill-once" and not Path(rest).exists():
        Path(rest).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if word == "kill-while-sending":
        threading.Thread(target=_kill_while_sending, daemon=True).start()
        return 40_000_000 * "x"
    if word == "large":
        return f"{os.getpid()} {int(rest) * 'x'}"
    if word == "hang":
        time.sleep(600)
    if word == "leave":
        HELD.append(bytearray(int(rest)))
    if word == "eat":
        bytearray(int(rest))
    if word == "bug":
        raise ValueError("in /the/code")
    if word == "variable":
        return f"{os.getpid()} {os.environ.get(rest)}"
    if word == "fault":
        raise UsageError("a fault of the user")
    return f"{os.getpid()} {job}"


def _kill_while_sending() -> None:
    """End this process when its main thread writes an answer into its pipe."""
    main = threading.main_thread().ident
    while True:
        frame = sys._current_frames()[main or 0]
        if frame.f_code.co_name == "_send":
            os.kill(os.getpid(), signal.SIGKILL)


def make() -> Callable[[str], str]:
    """The recipe of a worker that does as it is told."""
    return do


def make_nothing() -> Callable[[str], str]:
    """A recipe that lacks something."""
    raise DataError("no oven")


def make_and_die() -> Callable[[str], str]:
    """A recipe that ends its worker."""
    os.kill(os.getpid(), signal.SIGKILL)
    return do


FAULTS = {"memory": MemoryError, "exit": SystemExit, "bug": ValueError}


class Loud:
    """A recipe whose jobs shout and fail; asked for, it fails itself."""

    def __init__(self, broken: bool = False) -> None:
        self.broken = broken

    def __call__(self) -> Callable[[str], str]:
        print("gold: cats purr", flush=True)
        if self.broken:
            raise ValueError("gold: cats purr")
        return _loud


def _loud(job: str) -> str:
    os.write(1, b"gold: cats purr")
    if job in FAULTS:
        raise FAULTS[job]("gold: cats purr")
    return job


def kind_of(fault: BaseException) -> str:
    """What a quiet worker says of an exception: its class."""
    return type(fault).__name__
