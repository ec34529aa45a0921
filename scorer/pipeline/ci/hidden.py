"""Scoring hidden splits in the scoring job: files judged, gold opened once a split, files scored.

Whatever goes wrong with gold is a code. Gold that cannot be opened is the maintainers' fault: the
submissions of its split stay as they were.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scorer.pipeline.ci import reading
from scorer.pipeline.ci.gold import model_options
from scorer.pipeline.ci.main_branch import CiJob, Main
from scorer.pipeline.ci.reading import Reading
from scorer.pipeline.ci.runner import say
from scorer.pipeline.ci.worker import WorkerOutcome, begin
from scorer.pipeline.hidden import scoring, sources
from scorer.pipeline.hidden.age import Identity
from scorer.pipeline.hidden.faults import GoldError
from scorer.pipeline.hidden.scoring import HiddenJob, HiddenScoring
from scorer.scoring.engines.process import no_core_file

PACE = 120.0
"""Seconds: a split is done at a multiple of this, whatever its gold says. Work does not depend on
labels, but a little on how alike predicted graphs and gold graphs are."""
SUBMISSION_FAULTS = ("GOLD-SCORE", "GOLD-TIME")
"""Codes that one submission may end in; any other is about the gold or the machine."""


@dataclass(frozen=True)
class ScoringSettings:
    """On what a queue is scored. Its text form shows no key."""

    home: Path
    models: str = "auto"
    source: str = ""
    """Where hidden gold comes from, as ``hidden.sources`` takes it."""
    identity: Identity | None = field(default=None, repr=False)
    device: str = "cpu"
    """Where models run."""
    memory: float | None = None
    """GiB that the worker may have."""


def answers(jobs: Sequence[CiJob], main: Main, settings: ScoringSettings, seconds: float, out: Path,
            scratch: Path) -> Iterator[tuple[CiJob, WorkerOutcome]]:
    """What becomes of jobs of one hidden split, each of which may take some seconds.

    Their turn has come. Those with faults are answered before any gold is opened.
    """
    found = {job: _reading(job, main, settings.home, scratch) for job in jobs}
    sound = [job for job in jobs if found[job].submission is not None]
    yield from ((job, WorkerOutcome("rejected", found[job].rule()))
                for job in jobs if job not in sound)
    if sound:
        begun = time.monotonic()
        outcomes = _silently(sound, found, main, settings, seconds, out)
        if any(outcome.outcome != "untried" for outcome in outcomes.values()):
            time.sleep(left_over(time.monotonic() - begun))
        yield from outcomes.items()


def left_over(seconds: float) -> float:
    """Seconds from a moment to the next multiple of PACE."""
    return -seconds % PACE if PACE else 0.0


def _reading(job: CiJob, main: Main, home: Path, scratch: Path) -> Reading:
    return reading.read(main.repository, main.entries, job.submission, main.board(job), home,
                        scratch / job.key, [job.split])


def _silently(jobs: Sequence[CiJob], found: dict[CiJob, Reading], main: Main,
              settings: ScoringSettings, seconds: float, out: Path) -> dict[CiJob, WorkerOutcome]:
    """Outcomes of all jobs; of a fault nothing but its code or class: its words might hold gold."""
    split = f"{jobs[0].board} {jobs[0].split}"
    try:
        return _scored(jobs, found, main, settings, seconds, out)
    except GoldError as fault:
        say(f"{split}: {fault.code}")
    except Exception as fault:
        say(f"{split}: {type(fault).__name__}")
        return dict.fromkeys(jobs, WorkerOutcome("error", "SCORER-FAULT"))
    for job in jobs:
        begin(out, job, "untried")
    return dict.fromkeys(jobs, WorkerOutcome("untried"))


def _scored(jobs: Sequence[CiJob], found: dict[CiJob, Reading], main: Main,
            settings: ScoringSettings, seconds: float, out: Path) -> dict[CiJob, WorkerOutcome]:
    board, split = main.board(jobs[0]), jobs[0].split
    no_core_file()
    gold = sources.opened(settings.source, settings.identity, board, split, settings.home)
    work = HiddenScoring(board.folder.resolve(), gold, settings.home.resolve(),
                         models=model_options(settings.models, settings.device))
    tasks = {_task(job, found[job], main): job for job in jobs}
    for job in jobs:
        begin(out, job)
    return {tasks[task]: _outcome(answer) for task, answer in
            scoring.score(work, list(tasks), seconds, settings.memory)}


def _task(job: CiJob, read: Reading, main: Main) -> HiddenJob:
    assert read.submission is not None
    path = read.submission.predictions(job.split).resolve()
    return HiddenJob(job.team, job.system, str(path), str(main.release_days[job.path]))


def _outcome(answer: dict[str, object] | GoldError) -> WorkerOutcome:
    if not isinstance(answer, GoldError):
        return WorkerOutcome("scored", "", answer)
    if answer.code == "GOLD-MEMORY":
        return WorkerOutcome("again")
    return WorkerOutcome("error", answer.code if answer.code in SUBMISSION_FAULTS
                         else "SCORER-FAULT")
