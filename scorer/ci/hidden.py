"""Scoring hidden splits in the scoring job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scorer.ci.main_branch import CiJob, Main
from scorer.ci.worker import WorkerOutcome, begin
from scorer.hidden.age import Identity


@dataclass(frozen=True)
class ScoringSettings:
    """On what a queue is scored. Its text form shows no key."""

    home: Path
    models: str = "auto"
    source: str = ""
    """Where hidden gold comes from."""
    identity: Identity | None = field(default=None, repr=False)
    device: str = "cpu"
    """Where models run."""
    memory: float | None = None
    """GiB that the worker may have."""


def answers(jobs: Sequence[CiJob], main: Main, settings: ScoringSettings, seconds: float, out: Path,
            scratch: Path) -> Iterator[tuple[CiJob, WorkerOutcome]]:
    """What becomes of jobs of one hidden split, each of which may take some seconds."""
    for job in jobs:
        begin(out, job, "untried")
        yield job, WorkerOutcome("untried")
