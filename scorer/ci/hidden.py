"""Scoring hidden splits in the scoring job: gold opened once a split, released forms handed over.

Whatever goes wrong is a code. Gold that cannot be opened is nobody's fault but the maintainer's:
its submissions stay as they were.
"""

from __future__ import annotations

import datetime
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scorer.ci import history
from scorer.ci.git import FILE
from scorer.ci.gold import model_options
from scorer.ci.main_branch import RESULTS, CiJob, Main
from scorer.ci.plan import CiPlan
from scorer.ci.runner import say
from scorer.ci.worker import WorkerOutcome, begin
from scorer.engines.process import no_core_file
from scorer.errors import WhyboardError
from scorer.files import write_atomically
from scorer.hidden import scoring as hidden
from scorer.hidden import sources
from scorer.hidden.age import Identity
from scorer.hidden.faults import GoldError
from scorer.hidden.release.decisions import SCORED
from scorer.reading.tsv import LARGEST_FILE

PACE = 120.0
"""Seconds: the jobs of a split are told of at a multiple of this, whatever its gold says. Work does
not depend on labels, but a little on how alike predicted graphs and gold graphs are."""
SUBMISSION_FAULTS = ("GOLD-SCORE", "GOLD-TIME")
"""Codes that one submission may end in; any other is about the gold or the machine."""


@dataclass(frozen=True)
class ScoringSettings:
    """On what a plan is scored. Its text form shows no key."""

    home: Path
    models: str = "auto"
    source: str = ""
    """Where hidden gold comes from, as ``gold score`` takes it."""
    identity: Identity | None = field(default=None, repr=False)
    device: str = "cpu"
    """Where models run."""
    memory: float | None = None
    """GiB that the worker may have."""


def answers(jobs: Sequence[CiJob], plan: CiPlan, main: Main, machine: ScoringSettings,
            seconds: float, out: Path, scratch: Path) -> Iterator[tuple[CiJob, WorkerOutcome]]:
    """What becomes of jobs of one hidden split, each of which may take some seconds."""
    begun = time.monotonic()
    for job in jobs:
        begin(out, job, "untried")
    try:
        found = _scored(jobs, plan, main, machine, seconds, out, scratch)
    except GoldError as fault:
        say(f"{jobs[0].board} {jobs[0].split}: {fault.code}")
        found = dict.fromkeys(jobs, WorkerOutcome("untried"))
        for job in jobs:
            begin(out, job, "untried")
    except Exception as fault:  # its words, or those of what caused it, might hold gold
        say(f"{jobs[0].board} {jobs[0].split}: {type(fault).__name__}")
        found = dict.fromkeys(jobs, WorkerOutcome("error", "SCORER-FAULT"))
    if any(answer.sealed or answer.outcome in ("error", "again") for answer in found.values()):
        time.sleep(left_over(time.monotonic() - begun))
    yield from found.items()


def left_over(seconds: float) -> float:
    """Seconds from a moment to the next multiple of PACE."""
    return -seconds % PACE if PACE else 0.0


def _scored(jobs: Sequence[CiJob], plan: CiPlan, main: Main, machine: ScoringSettings,
            seconds: float, out: Path, scratch: Path) -> dict[CiJob, WorkerOutcome]:
    board, split = main.board(jobs[0]), jobs[0].split
    no_core_file()
    if machine.identity is None:
        raise GoldError("GOLD-IDENTITY")
    _ = machine.identity.recipient  # to which exact scores are sealed, wherever gold is from
    gold = sources.opened(sources.named(machine.source, machine.identity), board.id, split)
    past = history.of_split(main, board, split, plan, machine.home)
    root = scratch / f"{board.id}.{split}"
    places = hidden.Places(root / "submissions", root / RESULTS, root / "ledger", machine.home)
    _extract(main, past, places)
    for job in jobs:
        begin(out, job)
    told = main.ledger.by_key()
    failed = [past.entries[job].name for job in past.entries if job not in jobs
              and any(line["event"] == "error" for line in told.get(job.key, ()))]
    work = hidden.HiddenScoring(board.folder.resolve(), gold, machine.home.resolve(),
                                models=model_options(machine.models, machine.device))
    outcomes = hidden.score_split(
        board, gold, list(past.entries.values()), places, identity=machine.identity, work=work,
        as_of=datetime.date.fromisoformat(plan.day), seconds=seconds,
        memory=machine.memory, failed=failed,
        planned=[past.entries[job].name for job in jobs if job in past.entries])
    by_entry = {outcome.entry: outcome for outcome in outcomes}
    return {job: _answer(job, by_entry[past.entries[job]], main, places)
            if job in past.entries else WorkerOutcome("again") for job in jobs}


def _extract(main: Main, past: history.HiddenHistory, places: hidden.Places) -> None:
    """Write the submissions of the history, and what was sealed of each earlier."""
    for job, entry in past.entries.items():
        for file in main.repository.tree(job.commit, job.path):
            content = main.repository.blob(file.oid, LARGEST_FILE)
            if file.mode == FILE and content is not None:
                write_atomically(places.submissions.parent / job.path, content)
        if sealed := main.result_bytes(job.sealed_path):
            write_atomically(places.sealed(past.board, entry, past.split), sealed)


def _answer(
    job: CiJob, outcome: hidden.HiddenOutcome, main: Main, places: hidden.Places
) -> WorkerOutcome:
    fault: WhyboardError | None = outcome.fault
    if fault is not None:
        code = fault.code if isinstance(fault, GoldError) else ""
        if code == "GOLD-MEMORY":
            return WorkerOutcome("again")
        return WorkerOutcome("error", code if code in SUBMISSION_FAULTS else "SCORER-FAULT")
    board = main.board(job)
    document: Any = json.loads(places.result(board, outcome.entry, job.split).read_bytes())
    sealed = places.sealed(board, outcome.entry, job.split)
    kept = sealed.read_bytes() if document["release"]["answer"] in SCORED else b""
    return WorkerOutcome("scored", "", document, sealed=kept)
