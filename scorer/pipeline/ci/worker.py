"""What a worker of the pipeline does: read a merged submission, score it, answer with a code.

It says a code or a result, never an exception's text: the log of a run is public.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards import load
from scorer.core.errors import SubmissionError
from scorer.core.files import json_bytes, write_atomically
from scorer.pipeline.ci import gold, reading
from scorer.pipeline.ci.git import Repository
from scorer.pipeline.ci.main_branch import CiJob
from scorer.scoring.results import files as results
from scorer.scoring.submissions import Scorer

SCHEMA = 1
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
        return lambda job: self._answer(scorer, job)

    def _answer(self, scorer: Scorer, job: CiJob) -> WorkerOutcome:
        begin(self.out, job)
        repository = Repository(self.checkout)
        entries = repository.tree(self.commit, job.submission.path)
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            board = load(job.board, self.boards)
            sent = reading.read(repository, entries, job.submission, board, self.home,
                                Path(folder), [job.split])
            if sent.submission is None:
                return WorkerOutcome("rejected", sent.rule())
            result = scorer.split(sent.submission, job.split)
        return WorkerOutcome("scored", "", result.to_json(), results.items_bytes(result))


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
