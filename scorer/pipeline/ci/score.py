"""Scoring a queue: silent workers that may die, one file for each outcome.

``<key>.json`` is first written as *started* and replaced when the outcome is known, so that a
killed run shows what it was at. Before it comes ``<key>.items.tsv`` where gold is public. A worker
says a code or a result, never an exception's text: the log of a run is public.

A submission is judged again by the rules that need no author, for whatever was merged over a red
check: its files' names, kinds and sizes, its rows, and that merged predictions never change.

Of hidden splits the files are judged first, then gold is opened once a split. Whatever goes wrong
with gold is a code. Gold that cannot be opened is the maintainers' fault: the submissions of its
split stay as they were.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards import Board, load
from scorer.core.errors import DataError, SubmissionError
from scorer.core.files import json_bytes, write_atomically
from scorer.pipeline.ci import gold
from scorer.pipeline.ci.git import Repository
from scorer.pipeline.ci.main_branch import CiJob, Main
from scorer.pipeline.ci.review import read_submission
from scorer.pipeline.ci.runner import TryAgain, say
from scorer.pipeline.hidden import scoring, sealed
from scorer.pipeline.hidden.scoring import HiddenJob, HiddenScoring
from scorer.pipeline.hidden.sealed import GoldError, Identity
from scorer.scoring.engines import local
from scorer.scoring.engines.outcomes import Failure, Make, Quiet
from scorer.scoring.engines.process import can_leave_network, no_core_file
from scorer.scoring.results import files as results

SCHEMA = 1
LONGEST = 30 * 60.0
"""Seconds after which a submission counts as hanging."""
INFRASTRUCTURE = ("OutOfMemoryError", "AcceleratorError", "MemoryError", "OSError",
                  "ConnectionError", "TimeoutError", "DataError")
"""Classes of exceptions that are the machine's fault, by any name in their ancestry."""


class WorkerOutcome(NamedTuple):
    """What became of one submission."""

    outcome: str
    """``scored``, ``rejected``, ``error``, ``again`` (the machine's fault) or ``untried``."""
    rule: str = ""
    """The rule or code."""
    document: Any = None
    items: bytes = b""
    """Its scores of items where gold is public."""


@dataclass(frozen=True)
class WorkerRecipe:
    """How a worker scores what has public gold."""

    checkout: Path
    commit: str
    boards: Path
    home: Path
    models: str
    device: str
    out: Path
    """Where outcomes are written."""
    scratch: Path
    """A folder that whoever began the worker removes."""

    def __call__(self) -> Callable[[CiJob], WorkerOutcome]:
        """The function that scores one job."""
        scorer = gold.scorer(self.home, self.boards, self.models, device=self.device)
        repository = Repository(self.checkout)

        def answer(job: CiJob) -> WorkerOutcome:
            begin(self.out, job)
            with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
                judged = read_submission(
                    repository, repository.tree(self.commit, job.submission.path), job.submission,
                    load(job.board, self.boards), self.home, Path(folder), [job.split])
                if judged.submission is None:
                    return WorkerOutcome("rejected", judged.rule)
                result = scorer.split(judged.submission, job.split)
            return WorkerOutcome("scored", "", result.to_json(), results.items_bytes(result))

        return answer


def begin(out: Path, job: CiJob, outcome: str = "started") -> None:
    """Leave word of where a killed run was: *started*, or *untried* where nothing was begun."""
    document = {"schema": SCHEMA, "key": job.key, "outcome": outcome}
    write_atomically(out / f"{job.key}.json", json_bytes(document))


def blame(fault: BaseException) -> WorkerOutcome:
    """What an exception becomes: whose fault, and a code."""
    if isinstance(fault, SubmissionError):
        return WorkerOutcome("rejected", fault.problems[0].rule if fault.problems else "META-FILE")
    ancestry = {kind.__name__ for kind in type(fault).__mro__}
    if ancestry & set(INFRASTRUCTURE):
        return WorkerOutcome("again")
    return WorkerOutcome("error", "SCORER-FAULT")


PACE = 120.0
"""Seconds: a split is done at a multiple of this, whatever its gold says. Work does not depend on
labels, but a little on how alike predicted graphs and gold graphs are."""


@dataclass(frozen=True)
class ScoringSettings:
    """On what a queue is scored. Its text form shows no key."""

    home: Path
    models: str = "auto"
    source: str = ""
    """Where hidden gold comes from, as ``sealed.opened`` takes it."""
    identity: Identity | None = field(default=None, repr=False)
    device: str = "cpu"
    """Where models run."""
    memory: float | None = None
    """GiB that the worker may have."""


def _hidden(jobs: Sequence[CiJob], main: Main, settings: ScoringSettings, out: Path,
            scratch: Path) -> Iterator[tuple[CiJob, WorkerOutcome]]:
    """What becomes of jobs of one hidden split, whose turn has come.

    Those with faults are answered before any gold is opened. Of a fault with gold the log has
    nothing but its code or class: its words might hold gold.
    """
    board, split = main.board(jobs[0]), jobs[0].split
    tasks: dict[HiddenJob, CiJob] = {}
    for job in jobs:
        judged = read_submission(main.repository, main.entries, job.submission, board,
                                 settings.home, scratch / job.key, [split])
        if judged.submission is None:
            yield job, WorkerOutcome("rejected", judged.rule)
        else:
            tasks[HiddenJob(job.team, job.system,
                            str(judged.submission.predictions(split).resolve()),
                            str(main.release_days[job.path]))] = job
    if not tasks:
        return
    begun = time.monotonic()
    try:
        outcomes = dict(_with_gold(tasks, board, split, settings, out))
    except GoldError as fault:
        say(f"{board.id} {split}: {fault.code}")
        for job in tasks.values():
            begin(out, job, "untried")
            yield job, WorkerOutcome("untried")
        return
    except Exception as fault:
        say(f"{board.id} {split}: {type(fault).__name__}")
        outcomes = dict.fromkeys(tasks.values(), WorkerOutcome("error", "SCORER-FAULT"))
    time.sleep(left_over(time.monotonic() - begun))
    yield from outcomes.items()


def left_over(seconds: float) -> float:
    """Seconds from a moment to the next multiple of PACE."""
    return -seconds % PACE if PACE else 0.0


def _with_gold(tasks: Mapping[HiddenJob, CiJob], board: Board, split: str,
               settings: ScoringSettings, out: Path) -> Iterator[tuple[CiJob, WorkerOutcome]]:
    """Open the gold of a split and score sound files with it. Raises GoldError."""
    no_core_file()
    opened = sealed.opened(settings.source, settings.identity, board, split, settings.home)
    work = HiddenScoring(board.folder.resolve(), opened, settings.home.resolve(),
                         models=gold.model_options(settings.models, settings.device))
    for job in tasks.values():
        begin(out, job)
    for task, answer in scoring.score(work, list(tasks), LONGEST, settings.memory):
        if not isinstance(answer, GoldError):
            outcome = WorkerOutcome("scored", "", answer)
        elif answer.code == "GOLD-MEMORY":
            outcome = WorkerOutcome("again")
        else:
            outcome = WorkerOutcome("error", answer.code)
        yield tasks[task], outcome


CODES = {"timeout": WorkerOutcome("error", "SCORER-TIME"),
         "crash": WorkerOutcome("error", "SCORER-KILLED"), "memory": WorkerOutcome("again")}
"""What failures of a worker become."""

Engine = Callable[[Make[CiJob, WorkerOutcome], Sequence[CiJob]],
                  Iterator[tuple[CiJob, WorkerOutcome | Failure]]]


def run(jobs: Sequence[CiJob], main: Main, settings: ScoringSettings, out: Path,
        engine: Engine | None = None) -> Sequence[CiJob]:
    """Score jobs into ``out``; returns those that the machine failed, whose files stay *started*
    or *untried*. Workers for public gold are off the network where that can be and no model is
    fetched.

    Raises TryAgain if outcomes cannot be written.
    """
    again = []
    engine = engine or partial(local.run, seconds=LONGEST, memory=settings.memory,
                               network=settings.models == "fetch" or not can_leave_network())
    with tempfile.TemporaryDirectory(prefix="whyboard-") as scratch:
        for job, answer in _answers(jobs, main, settings, out, Path(scratch), engine):
            try:
                if answer.items:
                    write_atomically(out / f"{job.key}.items.tsv", answer.items)
                if answer.outcome not in ("again", "untried"):
                    write_atomically(out / f"{job.key}.json", json_bytes(document(job, answer)))
                else:
                    again.append(job)
            except DataError as fault:  # no room on the disk
                raise TryAgain(str(fault)) from fault
            say(f"{job}: {answer.outcome} {answer.rule}".rstrip())
    return again


def _answers(jobs: Sequence[CiJob], main: Main, settings: ScoringSettings, out: Path,
             scratch: Path, engine: Engine) -> Iterator[tuple[CiJob, WorkerOutcome]]:
    """Each job's answer: first those with public gold, then split by split those with hidden."""
    public: list[CiJob] = []
    secret: dict[tuple[str, str], list[CiJob]] = {}
    for job in jobs:
        if main.is_rewritten(job):
            yield job, WorkerOutcome("rejected", "PR-IMMUTABLE")
        elif gold.is_hidden(main.board(job), job.split):
            secret.setdefault((job.board, job.split), []).append(job)
        else:
            public.append(job)
    recipe = WorkerRecipe(main.repository.folder.resolve(), main.commit, main.folder.resolve(),
                          settings.home.resolve(), settings.models, settings.device,
                          out.resolve(), scratch)
    for job, answer in engine(Quiet(recipe, blame), public):
        if isinstance(answer, Failure):
            answer = CODES.get(answer.code, WorkerOutcome("error", "SCORER-FAULT"))
        yield job, answer
    for same_split in secret.values():
        yield from _hidden(same_split, main, settings, out, scratch)


def document(job: CiJob, answer: WorkerOutcome) -> dict[str, Any]:
    """The document of an outcome."""
    outcome: dict[str, Any] = {"schema": SCHEMA, "key": job.key, "outcome": answer.outcome}
    if answer.outcome == "scored":
        outcome["result"] = answer.document
    else:
        outcome["rule" if answer.outcome == "rejected" else "code"] = answer.rule
    return outcome
