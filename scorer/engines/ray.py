"""Workers as actors on a Ray cluster. The one file that imports Ray, and only when it is used.

Every machine needs the same program, models and data, and the folder this process runs in, at the
same path. Answers come home; nothing is written elsewhere.
"""

from __future__ import annotations

import logging
import os
import socket
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from scorer._version import __version__
from scorer.engines.outcomes import Answer, Failure, Job, Make, attempt, failure_of, kind_of
from scorer.engines.pool import Answered, Died, Event, Pool, Ready
from scorer.engines.process import limit_memory
from scorer.errors import DataError, UsageError, excerpt

CONNECT_SECONDS = 10.0
"""How long a cluster may take to answer at all."""

LONGEST_WAIT = 3600.0

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # no line of a worker or a daemon on the user's terminal
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
"""Read by Ray as it is imported; a setting of the user's own is kept."""


def run(
    make: Make[Job, Answer], jobs: Sequence[Job], *, seconds: float, size: int | None = None,
    memory: float | None = None, address: str | None = None, gpus: float = 0,
) -> Iterator[tuple[Job, Answer | Failure]]:
    """Every job with its answer, in whatever order they come.

    ``address``: ``auto`` or ``HOST:PORT`` of a running cluster; None begins one on this machine for
    as long as this takes. ``size``: how many actors of one CPU and ``gpus`` GPUs each (default: as
    many as fit). ``seconds``: the longest a job may take; ``memory``: GiB each actor may have.

    Raises DataError if Ray is not installed or the cluster cannot be reached, UsageError for an
    address that is none; and as ``Pool.run`` does.
    """
    with _connected(address, size) as ray:
        room = int(ray.cluster_resources().get("CPU", 1))
        if gpus:
            room = min(room, int(ray.cluster_resources().get("GPU", 0) / gpus))
        if room < 1:
            raise DataError(f"the Ray cluster has no machine with a CPU and {gpus:g} GPUs for a "
                            "worker; ask for less with --gpus")
        backend = RayBackend(ray, make, memory, gpus)
        yield from Pool[_Actor, Job, Answer](backend, min(size or room, room), seconds).run(jobs)


@contextmanager
def _connected(address: str | None, size: int | None) -> Iterator[Any]:
    """Ray, connected; disconnected afterwards unless it was connected before."""
    _reach(address)
    ray = _ray()
    if ray.is_initialized():
        yield ray
        return
    begin = {"num_cpus": size, "include_dashboard": False} if address is None else {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Ray's own making, about itself
            ray.init(address=address or "local", log_to_driver=False,
                     logging_level=logging.CRITICAL, **begin)
    except (ConnectionError, RuntimeError, ValueError) as fault:
        first = str(fault).strip().partition("\n")[0]
        raise DataError(f"the Ray cluster at {address or 'this machine'} cannot be used: {first}"
                        ) from fault
    try:
        yield ray
    finally:
        ray.shutdown()


def _ray() -> Any:
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import ray
    except ImportError as missing:
        raise DataError("the engine ray needs the ray extra (Ray is not installed): "
                        "pip install 'whyboard[ray]'") from missing
    return ray


def _reach(address: str | None) -> None:
    """Knock at a cluster's door first: Ray itself waits for minutes, then ends the process."""
    if address in (None, "auto"):
        return
    host, colon, port = str(address).removeprefix("ray://").rpartition(":")
    if not colon or not host or not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"--address {excerpt(str(address))}: write auto or HOST:PORT, as "
                         "`ray start --head` prints it")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except OSError as fault:
        raise DataError(f"the Ray cluster at {excerpt(str(address))} cannot be reached "
                        f"({fault.strerror or fault}); see `ray status` there") from fault


class Serving:
    """What an actor is: the same life as a local worker process has."""

    def begin(
        self, version: str, folder: str, make: Make[Any, Any], memory: float | None
    ) -> Event:
        """Make the function. The program and the folder must be the driver's."""
        host = socket.gethostname()
        if version != __version__:
            return Ready(failure=Failure("data", f"{host} has whyboard {__version__}, this "
                                         f"machine {version}; install the same on both"))
        if not Path(folder).is_dir():
            return Ready(failure=Failure("data", f"{host} has no folder {folder}; a worker "
                                         "needs the same folders as this machine"))
        os.chdir(folder)
        limit_memory(memory)
        try:
            self._work = make()
        except Exception as fault:
            return Ready(failure=failure_of(fault))
        return Ready(kind_of(self._work))

    def answer(self, job: Any) -> Event:
        """Do one job."""
        return Answered(attempt(self._work, job))


@dataclass(eq=False)
class _Actor:
    actor: Any
    expected: Any
    """The reference of the event it owes us, or None."""
    begun: bool = False


class RayBackend(Generic[Job, Answer]):
    """Starts, feeds and ends actors."""

    def __init__(
        self, ray: Any, make: Make[Job, Answer], memory: float | None, gpus: float
    ) -> None:
        self._ray = ray
        self._begin = (__version__, str(Path.cwd()), make, memory)
        self._class = ray.remote(Serving).options(
            num_cpus=1, num_gpus=gpus, max_restarts=0, max_task_retries=0
        )

    def start(self) -> _Actor:
        """Ask for an actor; it begins when the cluster has room."""
        actor = self._class.remote()
        return _Actor(actor, actor.begin.remote(*self._begin))

    def send(self, worker: _Actor, job: Any) -> None:
        """Give it a job."""
        worker.expected = worker.actor.answer.remote(job)

    def wait(
        self, workers: Collection[_Actor], seconds: float
    ) -> list[tuple[_Actor, Event]]:
        """Events of actors that answered or were lost."""
        expected = {worker.expected: worker for worker in workers if worker.expected is not None}
        self._ray.wait(list(expected), num_returns=1, timeout=min(seconds, LONGEST_WAIT))
        done, _ = self._ray.wait(list(expected), num_returns=len(expected), timeout=0)
        return [(expected[one], self._event(expected[one])) for one in done]

    def _event(self, worker: _Actor) -> Event:
        expected, worker.expected = worker.expected, None
        begun, worker.begun = worker.begun, True
        try:
            event: Event = self._ray.get(expected)
        except self._ray.exceptions.RayTaskError as fault:  # what cannot be pickled
            return Answered(failure_of(fault)) if begun else Ready(failure=failure_of(fault))
        except self._ray.exceptions.RayError as fault:
            return Died(f"{type(fault).__name__}: {fault}")
        return event

    def stop(self, worker: _Actor, *, busy: bool) -> None:
        """End its process at once, whatever it does."""
        del busy
        with suppress(self._ray.exceptions.RayError, ValueError):
            self._ray.kill(worker.actor, no_restart=True)
