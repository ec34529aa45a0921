"""Publishing: checked results onto the main branch, as often as it moves on.

A commit is made of objects, on the newest main branch, and pushed; if another push came first,
everything is derived again on the new one. Nothing is rebased and nothing is half done: until the
push there is nothing to see, after it there is all of it.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from scorer.boards.submission import FILE_NAME
from scorer.core.errors import WhyboardError
from scorer.core.files import json_bytes
from scorer.core.results import Result
from scorer.people.leaderboard import people_in
from scorer.people.validate import ROOT
from scorer.pipeline.ci import artifact
from scorer.pipeline.ci.git import Repository
from scorer.pipeline.ci.main_branch import RESULTS, CiJob, Main
from scorer.pipeline.ci.queue import batch, pending
from scorer.pipeline.ci.runner import TryAgain, say
from scorer.pipeline.ci.scope import TOP
from scorer.scoring.leaderboard.files import of_board
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.results import past
from scorer.scoring.results.files import MOST_ATTEMPTS, Unscored, items_bytes


def leaderboards(main: Main, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The leaderboard documents that change; ``files`` count before those of the branch.

    A board with a result that cannot be read keeps what it has, which the log says.
    """
    made: dict[str, bytes] = {}
    people = people_in(main.folder.parent / ROOT)
    descriptions = {f"{name.path}/{FILE_NAME}": main.description_files[name]
                    for name in main.descriptions}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, content in {**main.results_bytes(main.results), **descriptions,
                              **files}.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)
        for board in main.boards.values():
            try:
                made |= {path.relative_to(root).as_posix(): documents.to_bytes(document) for
                         path, document in of_board(board, root / RESULTS, root / TOP, people)}
            except WhyboardError as fault:
                say(f"{RESULTS}/{board.id}: its leaderboards stay as they are: {fault}")
    return {path: content for path, content in made.items() if content != main.result_bytes(path)}


BRANCH = "main"
MOST_PUSHES = 12
PAUSE = 0.5
"""Seconds within which the second attempt comes; each further one may wait twice as long."""
LONGEST_PAUSE = 20.0


class WorkflowRun(NamedTuple):
    """One run of the workflow, as the publisher knows it."""

    planned: Main
    """The commit that its queue is of."""
    day: str
    folder: Path
    """What the scoring machine handed over."""
    failed: bool = False
    """Whether that machine was there and failed."""
    retry_errors: bool = False

    @property
    def jobs(self) -> list[CiJob]:
        """What was to be scored."""
        return batch(self.planned, pending(self.planned, self.day, retry_errors=self.retry_errors))

    @property
    def lost(self) -> bool:
        """Whether the machine is gone with all that it did."""
        return self.failed and not (self.folder.is_dir() and any(self.folder.iterdir()))


@dataclass
class Publication:
    """What a run becomes on one commit of the main branch."""

    files: dict[str, bytes] = field(default_factory=dict)
    gone: list[str] = field(default_factory=list)
    """Paths that are removed."""
    outcomes: dict[CiJob, Result | Unscored] = field(default_factory=dict)

    def message(self) -> str:
        """The commit's message: counts only."""
        kinds = Counter("scored" if isinstance(outcome, Result) else outcome.kind
                        for outcome in self.outcomes.values())
        counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        return f"Publish results: {counts or ('leaderboards' if self.files else 'nothing')}\n"


def publish(repository: Repository, run: WorkflowRun, boards: Path, *, pause: float = PAUSE
            ) -> tuple[str, Publication]:
    """Push what a run became; returns the commit that holds it.

    Raises TryAgain if twelve attempts were overtaken.
    """
    jobs = run.jobs
    for attempt in range(MOST_PUSHES):
        repository.fetch(f"+refs/heads/{BRANCH}:refs/remotes/origin/{BRANCH}")
        tip = repository.commit(f"refs/remotes/origin/{BRANCH}")
        made = derive(Main.read(repository, tip, boards), run, jobs)
        commit = repository.committed(tip, made.files, made.message(), made.gone)
        if commit == tip or repository.push(commit, BRANCH):
            return commit, made
        time.sleep(random.uniform(0, min(LONGEST_PAUSE, pause * 2**attempt)))  # noqa: S311
    raise TryAgain(f"the main branch moved on {MOST_PUSHES} times; the next run publishes")


def derive(main: Main, run: WorkflowRun, jobs: Sequence[CiJob]) -> Publication:
    """What to write on this commit of the main branch. Does not depend on what was tried before.

    ``jobs``: those of the run. The branch may no longer hold the same bytes, board or scorer, and
    another run may have published them.
    """
    made = Publication()
    waiting = set(pending(main, run.day, retry_errors=run.retry_errors))
    for job in jobs:
        if job not in waiting:
            continue
        lost = run.lost and job == jobs[0]
        outcome = Unscored.first(job.key) if lost else artifact.read(
            run.folder, job, main, run.day)
        if outcome is None:
            continue
        made.outcomes[job] = outcome
        if isinstance(outcome, Unscored):
            counted = _counted(run.planned.unscored(job), outcome)
            made.files[job.error_path] = json_bytes(counted.to_json())
            continue
        made.files[job.result_path] = json_bytes(outcome.to_json())
        if outcome.items:
            made.files[job.items_path] = items_bytes(outcome)
        if old := main.documents.get(job.result_path):
            before = main.result_bytes(job.past_path)
            kept = past.extended(before, old, outcome, main.result_bytes(
                f"{RESULTS}/{job.board}/leaderboard.{job.split}.json"))
            if kept != before:
                made.files[job.past_path] = kept
        if job.error_path in main.results:
            made.gone.append(job.error_path)
    made.files |= leaderboards(main, made.files)
    return made


def _counted(before: Unscored | None, now: Unscored) -> Unscored:
    """The error file of a job: one attempt more than when the run began, however often it is
    published.
    """
    attempts = (before.attempts if before else 0) + 1
    gave_up = now.kind == "started" and attempts >= MOST_ATTEMPTS
    return now.replace(attempts=attempts, **({"code": "SCORER-GAVE-UP"} if gave_up else {}))
