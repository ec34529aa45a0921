"""One run over many submissions: who scores them, and every file as soon as it is known.

The process that runs this is the only one that writes. Killed at any moment and run again, it
leaves the same bytes: each file is renamed into place whole, and what is written depends on the
submissions alone, not on what was there.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from scorer._version import __version__
from scorer.boards.submission import SubmissionName, predictions_path, splits_in
from scorer.core.errors import DataError, NotMeasured, Problem
from scorer.core.files import sha256_file, sweep
from scorer.core.results import Result
from scorer.scoring.engines.outcomes import Failure, Make, Work, out_of_memory
from scorer.scoring.results import failures
from scorer.scoring.results import files as results
from scorer.scoring.results.failures import FailedSplit, without_paths
from scorer.scoring.results.past import ResultsFolder
from scorer.scoring.runs.planning import RunPlan, SplitJob
from scorer.scoring.submissions import Scorer, ScorerRecipe, open_submission


class Done(NamedTuple):
    """What became of a split of a submission, or of a predictions file, that could be scored."""

    target: Path
    """The folder or file."""
    split: str
    result: Result | None
    """None: the result that was already there is the one that scoring would give."""
    notes: tuple[Problem, ...] = ()
    """What there is to say of its file beside the score."""
    reused: int = 0
    """How many values were taken from earlier results."""

    def without_items(self) -> Done:
        """The same without scores of items, which are many."""
        return self if self.result is None else self._replace(result=self.result.replace(items=()))


@dataclass(frozen=True)
class RunScoring:
    """The recipe of a worker: a Scorer, with the models of some boards loaded beforehand."""

    recipe: ScorerRecipe
    models: tuple[str, ...] = ()
    resume: Path | None = None
    """A folder of results; those that are what scoring would give are left."""

    def __call__(self) -> Work[SplitJob, Done]:
        """The function that scores one job."""
        return _Work(self.recipe.scorer(), self.models, self.resume)


class _Work:
    def __init__(self, scorer: Scorer, models: Sequence[str], resume: Path | None) -> None:
        # Scores are many small tuples without cycles: looking for some takes a tenth of the time.
        gc.set_threshold(100_000, 50, 100)
        self._scorer, self._resume = scorer, resume
        self.kind = "; ".join([f"whyboard {__version__}", *map(self._load, models)])

    def _load(self, model: str) -> str:
        try:
            self._scorer.models(model)
        except NotMeasured as reason:
            if out_of_memory(reason):
                raise DataError(f"there is not enough memory to load the model {model}; give more, "
                                "or score with --models no") from reason
            return f"{model}: {reason}"
        return f"{model} loaded"

    def __call__(self, job: SplitJob) -> Done:
        sent = open_submission(job.folder)
        if self._resume is not None and self._scorer.is_scored(sent, job.split, self._resume):
            return Done(job.folder, job.split, None)
        before = self._scorer.reused
        result = self._scorer.split(sent, job.split)
        return Done(job.folder, job.split, result, self._scorer.notes,
                    self._scorer.reused - before)


Engine = Callable[[Make[SplitJob, Done], Sequence[SplitJob]],
                  Iterator[tuple[SplitJob, Done | Failure]]]


@dataclass
class RunFiles:
    """Writes what becomes of the jobs of a plan."""

    plan: RunPlan
    results: Path | None
    log: Path | None = None
    """Where tracebacks go; never published."""
    records: bool = True
    """Whether failures are written as ``error.json``."""
    _failed: dict[SubmissionName, list[FailedSplit]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Keep past values in the folder that is written to."""
        self._folder = ResultsFolder(self.results) if self.results is not None else None

    def begin(self) -> None:
        """Remove what a killed run left half written; write what is already known."""
        busy = {job.place for job in self.plan.jobs}
        busy |= {name for _, names in self.plan.missing.values() for name in names}
        for folder in self.plan.folders:
            if self.results is not None:
                sweep(self.results.joinpath(*folder))
            if folder in self.plan.failed:
                self._fail(folder, None, self.plan.failed[folder])
            elif folder not in busy:
                self._record(folder)

    def keep(self, job: SplitJob, answer: Done | Failure) -> None:
        """Write what became of a job."""
        if isinstance(answer, Failure):
            self._fail(job.place, job.split, answer)
            return
        if self._folder is not None and answer.result is not None:
            self._folder.write(answer.result)
        if self.records:
            self._record(job.place)

    def _fail(self, key: SubmissionName, split: str | None, failure: Failure) -> None:
        folder = self.plan.folders[key]
        digest = sha256_file(predictions_path(folder, split)) if split else None
        self._failed.setdefault(key, []).append(FailedSplit(
            split=split, predictions=digest, code=failure.code, exit_code=failure.exit_code,
            message=without_paths(failure.message, folder)))
        if self.log is not None and failure.log:
            _log(self.log, f"{key} {split or ''}: {failure.message}", failure.log)
        if not self.records:
            return
        self._record(key)
        for name in [split] if split else splits_in(folder):
            self._forget_others(key, name, sha256_file(predictions_path(folder, name)))

    def _record(self, name: SubmissionName) -> None:
        """Bring ``error.json`` up to date."""
        if self.results is not None:
            failures.write(self.results.joinpath(*name), *name, self._failed.get(name, []))

    def _forget_others(self, name: SubmissionName, split: str, digest: str) -> None:
        """Remove a result of other predictions than those that failed now.

        It would be read as a result of these. A result of the same predictions is still true and
        stays, whatever went wrong this time.
        """
        if self.results is None:
            return
        path = results.result_path(self.results, *name, split)
        with suppress(DataError):
            if results.read(path).predictions.sha256 != digest:
                results.remove(path)


def _log(path: Path, what: str, traceback: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{when} {what}\n{traceback.rstrip()}\n\n")


def perform(
    plan: RunPlan, scoring: RunScoring, engine: Engine, files: RunFiles
) -> Iterator[tuple[SplitJob, Done | Failure]]:
    """Do every job of a plan; each is written before it is given."""
    files.begin()
    for job, answer in engine(scoring, plan.jobs):
        files.keep(job, answer)
        yield job, answer
