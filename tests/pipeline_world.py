"""Merged submissions, scored and published within this process."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from scorer.pipeline.ci import publish, score
from scorer.pipeline.ci.git import Repository
from scorer.pipeline.ci.main_branch import CiJob, Main
from scorer.pipeline.ci.publish import Publication, WorkflowRun
from scorer.pipeline.ci.score import ScoringSettings
from scorer.scoring.submissions import run_inline
from tests.ci_world import World

DAY = "2099-01-01"
"""By which all that is merged has had its turn."""


def main_of(world: World, commit: str = "") -> Main:
    """The main branch as it is, or as it was at a commit."""
    return Main(Repository(world.origin), commit or world.tip, world.boards)


def waiting(world: World, *, retry_errors: bool = False) -> list[CiJob]:
    """What is to be scored."""
    return main_of(world).pending(DAY, retry_errors=retry_errors)


@contextmanager
def workers(answers: Any = lambda work, jobs: run_inline(work.make, jobs)) -> Iterator[None]:
    """Have jobs answered within this process, by default by the very work of a worker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score.local, "run", lambda work, jobs, **_: answers(work, jobs))
        yield


def scored(world: World, name: str = "outcomes") -> Path:
    """What an honest machine without models hands over."""
    out = world.folder / name
    settings = ScoringSettings(world.folder / "home", "no")
    with workers():
        assert score.run(waiting(world), main_of(world), settings, out) == []
    return out


def run_of(world: World, folder: Path, commit: str = "", **how: bool) -> WorkflowRun:
    """A run whose queue is of a commit, by default the newest, and that publishes from a clone."""
    planned = Main(world.repository(), commit or world.tip, world.boards)
    return WorkflowRun(planned, DAY, folder, **how)


def published(world: World, folder: Path, commit: str = "", **how: bool) -> Publication:
    """Publish what was handed over for the queue of a commit."""
    return publish.publish(run_of(world, folder, commit, **how))[1]


def names(jobs: Sequence[CiJob]) -> list[str]:
    """The submissions of some jobs."""
    return [f"{job.team}/{job.system}" for job in jobs]
