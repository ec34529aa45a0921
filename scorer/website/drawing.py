"""Examples: drawn and written by other processes while this one renders pages, then by all.

What is drawn is never sent from one process to another: each writes its files and answers with
their paths. A process that dies is replaced, and its examples are drawn again.
"""

from __future__ import annotations

import gc
import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from scorer.engines.local import Pool
from scorer.engines.outcomes import Failure, raise_failure
from scorer.engines.worker import Limits
from scorer.errors import DataError
from scorer.website.examples import Examples, Portion
from scorer.website.layouts.layout import PageLayout
from scorer.website.render import environment
from scorer.website.site_folder import Aside, Output

MOST = 8
"""Processes, where nobody asks for more."""
CARDS = 1000
"""To draw fewer takes less time than to begin one more process."""


def usual() -> int:
    """As many as there are cores that this process may use, at most MOST."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(MOST, usable or 1)


class Stamping(NamedTuple):
    """Examples to draw, and the page to stamp them from."""

    portion: Portion
    layout: PageLayout


@dataclass(frozen=True)
class Writer:
    """Makes what draws examples and writes them, in a process that has nothing yet; it answers with
    the paths of the files."""

    templates: Sequence[Path]
    repository: str
    aside: Aside

    def __call__(self) -> Callable[[Stamping], list[str]]:
        gc.disable()  # as in the process that asks
        examples = Examples(environment(self.templates), self.repository)
        output = Output(self.aside)
        return lambda job: output.put_all(examples.drawn(job.portion, job.layout))


class Shared(Iterator[Stamping]):
    """Jobs that several threads take from; each is had once."""

    def __init__(self, jobs: Iterator[Stamping]) -> None:
        self._jobs = jobs
        self._lock = Lock()

    def __next__(self) -> Stamping:
        with self._lock:
            return next(self._jobs)


class Drawers:
    """The other processes; a context manager that leaves none behind."""

    def __init__(self, writer: Writer, number: int) -> None:
        """At most ``number`` of them. The first begins at once, which takes as long as to read the
        site."""
        self._number = number
        self._pool = Pool[Stamping, list[str]](writer, math.inf, max(1, number), Limits(threads=1))
        self._pool.begin(min(1, number))

    def __enter__(self) -> Drawers:
        return self

    def __exit__(self, *fault: object) -> None:
        self.close()

    def close(self) -> None:
        """End them, whatever they do."""
        self._pool.close()

    def paths(self, jobs: Iterator[Stamping], cards: int) -> list[str]:
        """The paths of the files that they drew: as many jobs as they could get, of ``cards``
        graphs and answers in all. Raises what went wrong in one of them."""
        if not self._number:
            return []
        most = min(self._number, 1 + cards // CARDS)
        return [path for _, answer in self._pool.answers(jobs, most) for path in _checked(answer)]


def _checked(answer: list[str] | Failure) -> list[str]:
    if isinstance(answer, Failure) and answer.code == "crash":
        raise DataError("two processes of the build ended before their work: "
                        f"{answer.log}; build with --jobs 1")
    if isinstance(answer, Failure):
        raise_failure(answer)
    return answer
