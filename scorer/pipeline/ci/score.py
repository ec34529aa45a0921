"""Scoring a queue: silent workers that may die, one file for each outcome.

``<key>.json`` is first written as *started* and replaced when the outcome is known, so that a
killed run shows what it was at. Before it comes ``<key>.items.tsv`` where gold is public.

A submission is judged again by the rules that need no author, for whatever was merged over a red
check: its files' names, kinds and sizes, its rows, and that merged predictions never change.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from scorer.core.errors import DataError
from scorer.core.files import json_bytes, write_atomically
from scorer.pipeline.ci import gold, hidden
from scorer.pipeline.ci.errors import TryAgain
from scorer.pipeline.ci.hidden import ScoringSettings
from scorer.pipeline.ci.main_branch import CiJob, Main
from scorer.pipeline.ci.runner import say
from scorer.pipeline.ci.worker import SCHEMA, WorkerOutcome, WorkerRecipe, blame
from scorer.scoring.engines import local
from scorer.scoring.engines.outcomes import Failure, Make, Quiet
from scorer.scoring.engines.process import can_leave_network

LONGEST = 30 * 60.0
"""Seconds after which a submission counts as hanging."""
CODES = {"timeout": WorkerOutcome("error", "SCORER-TIME"),
         "crash": WorkerOutcome("error", "SCORER-KILLED"), "memory": WorkerOutcome("again")}
"""What failures of a worker become."""

Engine = Callable[[Make[CiJob, WorkerOutcome], Sequence[CiJob]],
                  Iterator[tuple[CiJob, WorkerOutcome | Failure]]]


def run(jobs: Sequence[CiJob], main: Main, settings: ScoringSettings, out: Path,
        engine: Engine | None = None) -> Sequence[CiJob]:
    """Score jobs into ``out``; returns those that the machine failed.

    Raises TryAgain if outcomes cannot be written.
    """
    again = []
    with tempfile.TemporaryDirectory(prefix="whyboard-") as scratch:
        for job, answer in _answers(jobs, main, settings, out, Path(scratch),
                                    engine or _workers(settings)):
            try:
                _write(out, job, answer)
            except DataError as fault:  # no room on the disk
                raise TryAgain(str(fault)) from fault
            say(f"{job}: {answer.outcome} {answer.rule}".rstrip())
            if answer.outcome in ("again", "untried"):
                again.append(job)
    return again


def _workers(settings: ScoringSettings) -> Engine:
    """Workers for public gold, off the network where that can be and no model is fetched."""
    return partial(local.run, seconds=LONGEST, memory=settings.memory,
                   network=settings.models == "fetch" or not can_leave_network())


def _answers(jobs: Sequence[CiJob], main: Main, settings: ScoringSettings, out: Path,
             scratch: Path, engine: Engine) -> Iterator[tuple[CiJob, WorkerOutcome]]:
    """Each job's answer: first those with public gold, then split by split those with hidden."""
    changed = [job for job in jobs if main.is_rewritten(job)]
    yield from ((job, WorkerOutcome("rejected", "PR-IMMUTABLE")) for job in changed)
    sound = [job for job in jobs if job not in changed]
    secret = [job for job in sound if gold.is_hidden(main.board(job), job.split)]
    recipe = WorkerRecipe(main.repository.folder.resolve(), main.commit, main.folder.resolve(),
                          settings.home.resolve(), settings.models, settings.device, out.resolve(),
                          scratch)
    for job, answer in engine(Quiet(recipe, blame), [job for job in sound if job not in secret]):
        if isinstance(answer, Failure):
            answer = CODES.get(answer.code, WorkerOutcome("error", "SCORER-FAULT"))
        yield job, answer
    for split in dict.fromkeys((job.board, job.split) for job in secret):
        mine = [job for job in secret if (job.board, job.split) == split]
        yield from hidden.answers(mine, main, settings, LONGEST, out, scratch)


def _write(out: Path, job: CiJob, answer: WorkerOutcome) -> None:
    """Write an outcome; the machine's own failures leave *started* or *untried* as it is."""
    if answer.outcome in ("again", "untried"):
        return
    if answer.items:
        write_atomically(out / f"{job.key}.items.tsv", answer.items)
    write_atomically(out / f"{job.key}.json", json_bytes(document(job, answer)))


def document(job: CiJob, answer: WorkerOutcome) -> dict[str, Any]:
    """The document of an outcome."""
    outcome: dict[str, Any] = {"schema": SCHEMA, "key": job.key, "outcome": answer.outcome}
    if answer.outcome == "scored":
        outcome["result"] = answer.document
    else:
        outcome["rule" if answer.outcome == "rejected" else "code"] = answer.rule
    return outcome
