"""Scoring a queue: silent workers that may die, one file for each outcome.

What is handed over is what will be published, under the job's key: ``<key>.json`` with
``<key>.items.tsv`` where gold is public, or ``<key>.error.json``. The error file comes first, so
that a killed run shows what it was at. An empty file ``left`` says that a machine was there and
left jobs to the next run. A worker says a code or a result, never an exception's text: the log of
a run is public.

A submission is judged again by the rules that need no author, for whatever was merged over a red
check: its files' names, kinds and sizes, its rows, and that merged predictions never change.

Hidden gold is opened once a split. Whatever goes wrong with it is a code. Gold that cannot be
opened is the maintainers' fault: the submissions of its split stay as they were.
"""

from __future__ import annotations

import datetime
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scorer.boards import load
from scorer.core.errors import DataError, SubmissionError
from scorer.core.files import json_bytes, write_atomically, write_together
from scorer.core.results import Result
from scorer.models.registry import Models
from scorer.pipeline.ci.git import Repository
from scorer.pipeline.ci.main_branch import ERROR, ITEMS, RESULT, CiJob, Main, is_hidden
from scorer.pipeline.ci.runner import TryAgain, say
from scorer.pipeline.ci.validate import read_submission
from scorer.pipeline.hidden import sealed
from scorer.pipeline.hidden.scoring import HiddenJob, HiddenScoring, confined
from scorer.pipeline.hidden.sealed import GoldError, Identity
from scorer.scoring.engines import local
from scorer.scoring.engines.outcomes import Failure, Quiet, out_of_memory
from scorer.scoring.engines.process import can_leave_network, no_core_file
from scorer.scoring.results import files as results
from scorer.scoring.submissions import Scorer

LONGEST = 30 * 60.0
"""Seconds after which a submission counts as hanging."""
PACE = 120.0
"""Seconds: a split is done at a multiple of this, whatever its gold says. Work does not depend on
labels, but a little on how alike predicted graphs and gold graphs are."""
LEFT = "left"
"""The file that says that a machine was there."""
INFRASTRUCTURE = ("OutOfMemoryError", "AcceleratorError", "MemoryError", "OSError",
                  "ConnectionError", "TimeoutError", "DataError")
"""Classes of exceptions that are the machine's fault, by any name in their ancestry."""

Reason = Mapping[str, str]
"""Why a submission has no result: its ``rule`` or a ``code``; neither where the machine failed."""
AGAIN: Reason = {}
"""The machine's fault: the next run tries again."""
FAULT: Reason = {"code": "SCORER-FAULT"}
CODES: Mapping[str, Reason] = {"timeout": {"code": "SCORER-TIME"},
                               "crash": {"code": "SCORER-KILLED"}, "memory": AGAIN}
"""What failures of a worker become."""
Answer = Result | Reason


@dataclass(frozen=True)
class ScoringSettings:
    """On what a queue is scored. Its text form shows no key."""

    home: Path
    models: str = "auto"
    """``auto``, ``no`` or ``fetch``."""
    source: str = ""
    """Where hidden gold comes from, as ``sealed.opened`` takes it."""
    identity: Identity | None = field(default=None, repr=False)
    device: str = "cpu"
    """Where models run."""
    memory: float | None = None
    """GiB that the worker may have."""
    seconds: float = LONGEST
    """How long a submission may take."""

    @property
    def model_options(self) -> dict[str, Any]:
        """Options of Models."""
        return {"allowed": self.models != "no", "network": self.models == "fetch",
                "device": self.device}


@dataclass(frozen=True)
class WorkerRecipe:
    """How a worker scores the jobs of a commit."""

    checkout: Path
    commit: str
    boards: Path
    home: Path
    models: Mapping[str, Any]
    """Options of Models."""
    out: Path
    """Where outcomes are written."""
    scratch: Path
    """A folder that whoever began the worker removes."""
    hidden: HiddenScoring | None = None
    """What scores a split with hidden gold; None for public gold."""
    days: Mapping[str, datetime.date] = field(default_factory=dict)
    """The day of each file of a hidden split, by its path."""

    def __call__(self) -> Callable[[CiJob], Answer]:
        """The function that scores one job."""
        scorer = Scorer(Models(**self.models, home=self.home), self.home, self.boards)
        hidden = self.hidden() if self.hidden else None
        repository = Repository(self.checkout)

        def answer(job: CiJob) -> Answer:
            if hidden is None:
                begin(self.out, job)
            with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
                try:
                    judged = read_submission(
                        repository, repository.tree(self.commit, job.submission.path),
                        job.submission, load(job.board, self.boards), self.home, Path(folder),
                        [job.split])
                except (OSError, DataError) as fault:  # the machine's: gold has no part in it
                    if out_of_memory(fault):
                        raise
                    return AGAIN
                sent = judged.submission
                if sent is None:
                    return {"rule": judged.rule}
                if hidden is None:
                    return scorer.split(sent, job.split).result
                return hidden(HiddenJob(job.team, job.system, str(sent.predictions(job.split)),
                                        str(self.days[job.path])))

        return answer


def blame(fault: BaseException) -> Reason:
    """What an exception becomes: whose fault, and a code."""
    if isinstance(fault, SubmissionError):
        return {"rule": fault.problems[0].rule if fault.problems else "META-FILE"}
    ancestry = {kind.__name__ for kind in type(fault).__mro__}
    return AGAIN if ancestry & set(INFRASTRUCTURE) else FAULT


def begin(out: Path, job: CiJob, reason: Reason = AGAIN) -> None:
    """Leave word of why a job has no result; of where a killed run was, before there is a reason.

    The attempt is this run's: the publisher counts them.
    """
    write_atomically(out / f"{job.key}{ERROR}", json_bytes(job.unscored(**reason).to_json()))


def write(out: Path, job: CiJob, answer: Answer) -> None:
    """Write what is handed over of a job; items first, so that no killed run leaves a result
    without them. Raises DataError if there is no room.
    """
    if isinstance(answer, Result):
        items = {out / f"{job.key}{ITEMS}": results.items_bytes(answer)} if answer.items else {}
        write_together({**items, out / f"{job.key}{RESULT}": json_bytes(answer.to_json())})
        (out / f"{job.key}{ERROR}").unlink(missing_ok=True)
    elif answer == AGAIN:
        write_atomically(out / LEFT, b"")
    else:
        begin(out, job, answer)


def run(jobs: Sequence[CiJob], main: Main, settings: ScoringSettings, out: Path) -> list[CiJob]:
    """Score jobs into ``out``; returns those that the machine failed, of which there is at most
    that they were begun. Workers for public gold are off the network where that can be and no model
    is fetched.

    Raises TryAgain if outcomes cannot be written.
    """
    done = set()
    with tempfile.TemporaryDirectory(prefix="whyboard-") as scratch:
        recipe = WorkerRecipe(main.repository.folder.resolve(), main.commit, main.folder.resolve(),
                              settings.home.resolve(), settings.model_options, out.resolve(),
                              Path(scratch))
        for job, answer in _answers(jobs, main, settings, recipe):
            say(f"{job}: {_word(answer)}")
            try:
                write(out, job, answer)
            except DataError as fault:  # no room on the disk
                raise TryAgain(str(fault)) from fault
            if answer != AGAIN:
                done.add(job)
    return [job for job in jobs if job not in done]


def _word(answer: Answer) -> str:
    match answer:
        case {"rule": rule}:
            return f"rejected {rule}"
        case {"code": code}:
            return f"error {code}"
    return "scored" if isinstance(answer, Result) else "again"


def _answers(jobs: Sequence[CiJob], main: Main, settings: ScoringSettings, recipe: WorkerRecipe,
             ) -> Iterator[tuple[CiJob, Answer]]:
    """Each job's answer: first those with public gold, then split by split those with hidden."""
    public: list[CiJob] = []
    hidden: dict[tuple[str, str], list[CiJob]] = {}
    for job in jobs:
        if main.is_rewritten(job):
            yield job, {"rule": "PR-IMMUTABLE"}
        elif is_hidden(main.board(job), job.split):
            hidden.setdefault((job.board, job.split), []).append(job)
        else:
            public.append(job)
    network = settings.models == "fetch" or not can_leave_network()
    for job, answer in local.run(Quiet(recipe, blame), public, seconds=settings.seconds,
                                 memory=settings.memory, network=network):
        yield job, CODES.get(answer.code, FAULT) if isinstance(answer, Failure) else answer
    for same_split in hidden.values():
        yield from _hidden(same_split, main, settings, recipe)


def _hidden(jobs: Sequence[CiJob], main: Main, settings: ScoringSettings, recipe: WorkerRecipe,
            ) -> Iterator[tuple[CiJob, Answer]]:
    """What becomes of jobs of one hidden split, whose turn has come.

    Of a fault with gold the log has nothing but its code or class: its words might hold gold.
    """
    board, split, begun = main.board(jobs[0]), jobs[0].split, time.monotonic()
    answers: dict[CiJob, Answer] = {}
    try:
        no_core_file()
        opened = sealed.opened(settings.source, settings.identity, board, split, settings.home)
        hidden = HiddenScoring(board.folder.resolve(), opened, settings.home.resolve(),
                               models=settings.model_options)
        work = replace(recipe, hidden=hidden, days=main.release_days)
        for job in jobs:  # all at once: no file's time says how long another took
            begin(recipe.out, job)
        for job, answer in confined(work, jobs, settings.seconds, memory=settings.memory,
                                    network=settings.models == "fetch"):
            if not isinstance(answer, GoldError):
                answers[job] = answer
            else:
                answers[job] = AGAIN if answer.code == "GOLD-MEMORY" else {"code": answer.code}
    except GoldError as fault:
        say(f"{board.id} {split}: {fault.code}")
        yield from ((job, AGAIN) for job in jobs)
        return
    except Exception as fault:
        say(f"{board.id} {split}: {type(fault).__name__}")
        answers = {**dict.fromkeys(jobs, blame(fault)), **answers}
    time.sleep(left_over(time.monotonic() - begun))
    yield from answers.items()


def left_over(seconds: float) -> float:
    """Seconds from a moment to the next multiple of PACE."""
    return -seconds % PACE if PACE else 0.0
