"""The publisher's own scores of what a scoring machine says it scored, computed without models.

Submissions are files of strangers, so they are scored in a process with limits and, where the
machine allows it, without a network, and each once, however often the main branch moves on.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scorer.ci.agreement import Own
from scorer.ci.artifact import Outcome
from scorer.ci.main_branch import CiJob, Main
from scorer.ci.runner import say
from scorer.ci.worker import WorkerOutcome, WorkerRecipe, blame
from scorer.engines import local
from scorer.engines.outcomes import Failure, Quiet
from scorer.engines.process import can_leave_network
from scorer.results import files as results

LONGEST = 5 * 60.0
"""Seconds that a submission may take; 8 MiB of long graphs take half a minute."""
MEMORY = 2.0
"""GiB that it may take."""
ALL_TOGETHER = 15 * 60.0
"""Seconds after which no other one is begun; the job that publishes has half an hour."""


@dataclass
class Recomputed:
    """What is known of each job by its key: the publisher's scores, or what to say instead."""

    home: Path
    """Fetched data."""
    longest: float = LONGEST
    all_together: float = ALL_TOGETHER
    known: dict[str, Own | Outcome] = field(default_factory=dict)

    def add(self, main: Main, jobs: Sequence[CiJob]) -> None:
        """Score those of some jobs with public gold that are not known yet.

        What there is no gold or no time for counts as untried, which the log says.
        """
        new = [job for job in jobs if job.key not in self.known
               and main.board(job).splits[job.split].gold == "public"]
        self.known |= {job.key: Outcome("untried") for job in new}
        here = [job for job in new if main.board(job).data_file(job.split, self.home) is not None]
        if here:
            self._score(main, here)
        for job in new:
            if self.known[job.key] == Outcome("untried"):
                why = "not computed in time" if job in here else "its board's data are not at hand"
                say(f"{job.place.path} {job.split}: {why}; the next run publishes it")

    def _score(self, main: Main, jobs: Sequence[CiJob]) -> None:
        end = time.monotonic() + self.all_together
        with tempfile.TemporaryDirectory(prefix="whyboard-") as folder:
            recipe = WorkerRecipe(main.repository.folder.resolve(), main.commit,
                                  main.folder.resolve(), self.home.resolve(), "no", "cpu",
                                  Path(folder), Path(folder))
            for job, answer in local.run(Quiet(recipe, blame), jobs, seconds=self.longest,
                                         memory=MEMORY, network=not can_leave_network()):
                self.known[job.key] = _known(answer)
                if time.monotonic() > end:
                    break


def _known(answer: WorkerOutcome | Failure) -> Own | Outcome:
    """What an answer is worth: a fault of this machine counts as one of the machine that scores."""
    if isinstance(answer, Failure):
        return Outcome("error", "RESULT-UNCHECKED")
    if answer.outcome == "scored":
        return Own(results.from_json(answer.document, answer.items), answer.clusters)
    if answer.outcome == "again":
        return Outcome("started")
    return Outcome("error", answer.rule if answer.outcome == "error" else "RESULT-DIFFERS")
