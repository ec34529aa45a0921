"""The engine without workers: every job in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scorer.engines.answers import Answer, Failure, Job, Make, failure_of
from scorer.errors import WhyboardError


def run(make: Make[Job, Answer], jobs: Sequence[Job]) -> Iterator[tuple[Job, Answer | Failure]]:
    """Every job with its answer, in order. Exceptions that are bugs, and MemoryError, escape."""
    work = make() if jobs else None
    for job in jobs:
        assert work is not None
        try:
            yield job, work(job)
        except WhyboardError as fault:
            yield job, failure_of(fault)
