"""One run over many submissions: who scores them, and every file as soon as it is known.

The process that runs this is the only one that writes. Killed at any moment and run again, it
leaves the same bytes: each file is renamed into place whole, and what is written depends on the
submissions alone, not on what was there.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from scorer._version import __version__
from scorer.engines.outcomes import Failure, Make, Work
from scorer.errors import DataError, NotMeasured
from scorer.files import sha256_file, sweep
from scorer.results import files as results
from scorer.runs import error_records
from scorer.runs.error_records import Tried
from scorer.runs.planning import JobOutcome, RunPlan, SplitJob
from scorer.runs.rescoring import Keeper
from scorer.runs.resuming import is_done
from scorer.scoring.submissions import Scorer, ScorerRecipe, open_submission
from scorer.submission import SubmissionName, predictions_path, splits_in


@dataclass(frozen=True)
class RunScoring:
    """The recipe of a worker: a Scorer, with the models of some boards loaded beforehand."""

    recipe: ScorerRecipe
    models: tuple[str, ...] = ()
    resume: Path | None = None
    """A folder of results; those that are what scoring would give are left."""

    def __call__(self) -> Work[SplitJob, JobOutcome]:
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
            self._scorer.model(model)
        except NotMeasured as reason:
            return f"{model}: {reason}"
        except MemoryError as fault:
            raise DataError(f"there is not enough memory to load the model {model}; give more, "
                            "or score with --models no") from fault
        return f"{model} loaded"

    def __call__(self, job: SplitJob) -> JobOutcome:
        if sha256_file(predictions_path(job.folder, job.split)) != job.sha256:
            raise DataError(f"{predictions_path(job.folder, job.split)} is not the file that was "
                            "to be scored; it was changed, or differs between machines")
        sent = open_submission(job.folder)
        if self._resume is not None and is_done(self._scorer, sent, job.split, self._resume):
            return JobOutcome(None)
        before = self._scorer.reused
        result = self._scorer.split(sent, job.split)
        return JobOutcome(result, self._scorer.reused - before, self._scorer.notes)


Engine = Callable[[Make[SplitJob, JobOutcome], Sequence[SplitJob]],
                  Iterator[tuple[SplitJob, JobOutcome | Failure]]]


@dataclass
class RunFiles:
    """Writes what a run finds out."""

    found: RunPlan
    results: Path | None
    log: Path | None = None
    """Where tracebacks go; never published."""
    records: bool = True
    """Whether failures are written as ``error.json``."""
    _failed: dict[SubmissionName, dict[str | None, Tried]] = field(default_factory=dict)
    _open: dict[SubmissionName, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Keep past values in the folder that is written to."""
        self._keeper = Keeper(self.results) if self.results is not None else None

    def begin(self) -> None:
        """Remove what a killed run left half written; write what is already known."""
        for job in self.found.jobs:
            self._open.setdefault(job.place, set()).add(job.split)
        for place in self.found.folders:
            if self.results is not None:
                sweep(self.results.joinpath(*place))
            if place in self.found.failed:
                self._fail(place, None, Tried(None, self.found.failed[place]))
            elif place not in self._open and not self._lacks(place):
                self._record(place)

    def keep(self, job: SplitJob, answer: JobOutcome | Failure) -> None:
        """Write what became of a job."""
        self._open[job.place].discard(job.split)
        if isinstance(answer, Failure):
            self._fail(job.place, job.split, Tried(job.sha256, answer))
            return
        if self._keeper is not None and answer.result is not None:
            self._keeper.keep(answer.result)
            results.write(answer.result, self._keeper.folder)
        if not self._open[job.place] and not self._failed.get(job.place):
            self._record(job.place)

    def _lacks(self, place: SubmissionName) -> bool:
        return any(place in places for _, places in self.found.missing.values())

    def _fail(self, place: SubmissionName, split: str | None, tried: Tried) -> None:
        self._failed.setdefault(place, {})[split] = tried
        self._log(place, split, tried.failure)
        if self.records:
            self._record(place)
            self._forget_others(place)

    def _record(self, place: SubmissionName) -> None:
        """Bring ``error.json`` up to date."""
        if self.results is not None:
            error_records.write(self.results.joinpath(*place), *place,
                                self._failed.get(place, {}), self.found.folders[place])

    def _forget_others(self, place: SubmissionName) -> None:
        """Remove results of other predictions than those that failed now.

        They would be read as results of these. A result of the same predictions is still true and
        stays, whatever went wrong this time.
        """
        if self.results is None:
            return
        folder = self.found.folders[place]
        for split in splits_in(folder):
            path = results.result_path(self.results, *place, split)
            if (None in self._failed[place] or split in self._failed[place]) and path.is_file():
                digest = _predictions_digest(path)
                if digest not in (None, sha256_file(predictions_path(folder, split))):
                    results.remove(path)

    def _log(self, place: SubmissionName, split: str | None, failure: Failure) -> None:
        if self.log is None or not failure.log:
            return
        self.log.parent.mkdir(parents=True, exist_ok=True)
        when = datetime.now(UTC).isoformat(timespec="seconds")
        with self.log.open("a", encoding="utf-8") as file:
            file.write(f"{when} {place} {split or ''}: {failure.message}\n"
                       f"{failure.log.rstrip()}\n\n")


def _predictions_digest(path: Path) -> str | None:
    try:
        digest = results.read(path).provenance["predictions"]["sha256"]
    except (DataError, KeyError, TypeError):
        return None
    return str(digest)


def perform(
    found: RunPlan, scoring: RunScoring, engine: Engine, files: RunFiles
) -> Iterator[tuple[SplitJob, JobOutcome | Failure]]:
    """Do every job of a plan; each is written before it is told."""
    files.begin()
    for job, answer in engine(scoring, found.jobs):
        files.keep(job, answer)
        yield job, answer
