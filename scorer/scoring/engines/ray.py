"""Jobs as tasks of a Ray cluster. The one file that imports Ray, and only when it is used.

Ray finds a machine that has room and repeats a task whose machine is lost. On the machine the task
keeps a worker of ``engines.local``, whose rules are thus the rules everywhere.

Every machine needs the same program, models and data, and the folder this process runs in, at the
same path. Answers come home; nothing is written elsewhere.
"""

from __future__ import annotations

import logging
import os
import socket
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from scorer._version import __version__
from scorer.core.errors import DataError, excerpt
from scorer.scoring.engines.local import Worker, WorkerLimits
from scorer.scoring.engines.outcomes import (
    Answer,
    Failure,
    Job,
    Make,
    as_they_come,
    crashed,
    failure_of,
    raise_failure,
)

CONNECT_SECONDS = 10.0
"""How long a cluster may take to answer at all."""
MOST_LOST_MACHINES = 3
"""Times that a job is begun again because its machine is lost."""
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",  # no line of a worker or a daemon on the user's terminal
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
"""Read by Ray as it is imported; a setting of the user's own is kept."""


def run(
    make: Make[Job, Answer], jobs: Iterable[Job], *, seconds: float, size: int | None = None,
    memory: float | None = None, address: str | None = None, gpus: float = 0,
) -> Iterator[tuple[Job, Answer | Failure]]:
    """Every job with its answer, in whatever order they come.

    ``address``: ``auto`` or ``HOST:PORT`` of a running cluster; None begins one on this machine for
    as long as this takes. ``size``: how many workers of one CPU and ``gpus`` GPUs each (default: as
    many as fit). ``seconds``: the longest a job may take; ``memory``: GiB each worker may have.

    Raises DataError if Ray is not installed or the cluster cannot be reached, and as ``local.run``.
    """
    with connected(address, size) as ray:
        room = int(ray.cluster_resources().get("CPU", 1))
        if gpus:
            room = min(room, int(ray.cluster_resources().get("GPU", 0) / gpus))
        if room < 1:
            raise DataError(f"the Ray cluster has no machine with a CPU and {gpus:g} GPUs for a "
                            "worker; ask for less with --gpus")
        task = ray.remote(num_cpus=1, num_gpus=gpus, max_retries=MOST_LOST_MACHINES,
                          max_calls=0)(_do)  # 0: a process with a GPU is kept, too
        driver = _Driver(__version__, str(Path.cwd()), os.urandom(8), seconds, memory)
        shared = ray.put(make)

        def begin(job: Job) -> Future[tuple[Any, Failure | None]]:
            future: Future[tuple[Any, Failure | None]] = task.remote(driver, shared, job).future()
            return future

        for job, future in as_they_come(begin, jobs, min(size or room, room)):
            try:
                answer, failure = future.result()
            except ray.exceptions.RayTaskError as fault:  # what cannot be pickled
                answer, failure = failure_of(fault), None
            except ray.exceptions.RayError as fault:
                answer, failure = crashed(f"{type(fault).__name__}: {fault}"), None
            if failure is not None:
                raise_failure(failure)
            yield job, answer


# ---- on the machine that does a job ------------------------------------------------------------


class _Driver(NamedTuple):
    """Who sends jobs, and what they may take."""

    version: str
    folder: str
    run_id: bytes
    seconds: float
    memory: float | None


_KEPT: dict[tuple[_Driver, str | None], Worker[Any, Any]] = {}
"""The one that this process keeps, by whom it is for and the GPUs that it may use."""


def _do(driver: _Driver, make: Make[Any, Any], job: Any) -> tuple[Any, Failure | None]:
    """A job's answer, or why this machine can do none at all."""
    try:
        return _worker(driver, make).answer(job), None
    except Exception as fault:
        return None, failure_of(fault)


def _worker(driver: _Driver, make: Make[Any, Any]) -> Worker[Any, Any]:
    """One worker on this machine. The program and the folder must be the driver's."""
    key = driver, os.environ.get("CUDA_VISIBLE_DEVICES")
    if key not in _KEPT:
        host = socket.gethostname()
        if driver.version != __version__:
            raise DataError(f"{host} has whyboard {__version__}, the machine that sends jobs "
                            f"{driver.version}; install the same on both")
        if not Path(driver.folder).is_dir():
            raise DataError(f"{host} has no folder {driver.folder}; a worker needs the same "
                            "folders as the machine that sends jobs")
        os.chdir(driver.folder)
        while _KEPT:
            _KEPT.popitem()[1].close()
        _KEPT[key] = Worker(make, driver.seconds, WorkerLimits(driver.memory))
    return _KEPT[key]


# ---- the cluster ---------------------------------------------------------------------------------


@contextmanager
def connected(address: str | None, size: int | None) -> Iterator[Any]:
    """Ray, connected; disconnected afterwards unless it was connected before."""
    if address not in (None, "auto"):
        _knock(str(address))
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Ray's own making, about itself
        try:
            import ray
        except ImportError as missing:
            raise DataError("the engine ray needs the ray extra (Ray is not installed): "
                            "pip install 'whyboard[ray]'") from missing
        before = ray.is_initialized()
        own: dict[str, Any] = {"num_cpus": size, "include_dashboard": False}
        try:
            if not before:
                ray.init(address=address or "local", log_to_driver=False,
                         logging_level=logging.CRITICAL, **({} if address else own))
        except (ConnectionError, RuntimeError, ValueError) as fault:
            first = str(fault).strip().partition("\n")[0]
            raise DataError(f"the Ray cluster at {address or 'this machine'} cannot be used: "
                            f"{first}") from fault
    try:
        yield ray
    finally:
        if not before:
            ray.shutdown()


def _knock(address: str) -> None:
    """Whether a cluster is there at all: Ray itself waits for minutes, then ends the process."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, ValueError, OverflowError) as fault:
        raise DataError(f"the Ray cluster at {excerpt(address)} cannot be reached ({fault}); "
                        "write auto or HOST:PORT, as `ray start --head` prints it") from fault
