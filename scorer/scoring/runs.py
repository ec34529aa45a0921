"""One run over many submissions: what there is to do, who does it, and every result as it comes.

The process that runs this is the only one that writes. Killed at any moment and run again, it
leaves the same bytes: each file is renamed into place whole, and what is written depends on the
submissions alone, not on what was there.
"""

from __future__ import annotations

import gc
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from scorer._version import __version__
from scorer.boards.submission import SubmissionName, place_of, predictions_path, splits_in
from scorer.core.errors import (
    DataError,
    NotMeasured,
    Problem,
    SubmissionError,
    UsageError,
    excerpt,
)
from scorer.core.files import sha256_file, sweep
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.scoring.engines.outcomes import Failure, Make, Work, failure_of, out_of_memory
from scorer.scoring.results import files as results
from scorer.scoring.results import past
from scorer.scoring.submissions import Scorer, open_submission

# ---- what there is to do -----------------------------------------------------------------------


@dataclass(frozen=True)
class Shard:
    """One of ``count`` disjoint parts of a run; ``number`` begins with 1."""

    number: int
    count: int

    def has(self, name: SubmissionName) -> bool:
        """Whether a submission is of this part; decided by its name alone, so anywhere the same."""
        digest = hashlib.sha256(str(name).encode()).digest()
        return int.from_bytes(digest) % self.count == self.number - 1


def shard(text: str) -> Shard:
    """Read ``I/N``. Raises UsageError.

    >>> shard("2/4")
    Shard(number=2, count=4)
    """
    numbers = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    number, count = (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)
    if not 1 <= number <= count:
        raise UsageError(f"--shard {excerpt(text)}: write I/N, part I of N, such as 1/4 ... 4/4")
    return Shard(number, count)


class SplitJob(NamedTuple):
    """One split of one submission."""

    folder: Path
    split: str

    @property
    def name(self) -> SubmissionName:
        """Which submission it is of."""
        return place_of(self.folder)


@dataclass
class RunPlan:
    """What a run has to do, and what it already knows it cannot do."""

    folders: dict[SubmissionName, Path] = field(default_factory=dict)
    jobs: list[SplitJob] = field(default_factory=list)
    failed: dict[SubmissionName, Failure] = field(default_factory=dict)
    """Submissions whose folder or metadata are at fault."""
    missing: dict[Failure, list[SubmissionName]] = field(default_factory=dict)
    """Boards and gold that are not to be had here, and the submissions that need them."""
    models: set[str] = field(default_factory=set)
    """The models that the boards' metrics ask for."""


def plan(scorer: Scorer, folders: Sequence[Path], part: Shard | None = None) -> RunPlan:
    """The jobs of some submissions' folders; where two have one place, the first is taken.

    Raises UsageError for metrics that one of the boards does not have.
    """
    planned = RunPlan()
    for folder in folders:
        name = place_of(folder)
        if name in planned.folders or not (part is None or part.has(name)):
            continue
        planned.folders[name] = folder
        try:
            sent = open_submission(folder)
        except (SubmissionError, UsageError) as fault:
            planned.failed[name] = failure_of(fault)
            continue
        try:
            splits = scorer.splits(sent)
        except (SubmissionError, UsageError) as fault:  # of board.yaml
            planned.missing.setdefault(failure_of(fault), []).append(name)
            continue
        board = scorer.board(sent)
        models = {METRICS[name].model for name in scorer.session(board).metrics or board.metrics}
        planned.models.update(filter(None, models))
        for split in splits:
            try:
                scorer.gold_for(sent, split)
                planned.jobs.append(SplitJob(folder, split))
            except DataError as fault:
                planned.missing.setdefault(failure_of(fault), []).append(name)
    return planned


# ---- doing it ----------------------------------------------------------------------------------


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


Engine = Callable[[Make[SplitJob, Done], Sequence[SplitJob]],
                  Iterator[tuple[SplitJob, Done | Failure]]]


@dataclass(frozen=True)
class RunScoring:
    """The recipe of a worker: a Scorer, with the models of some boards loaded beforehand."""

    scorer: Scorer
    models: frozenset[str] = frozenset()
    resume: Path | None = None
    """A folder of results; those that are what scoring would give are left."""

    def __call__(self) -> Work[SplitJob, Done]:
        """The function that scores one job. Raises DataError where a model has no room."""
        # Scores are many small tuples without cycles: looking for some takes a tenth of the time.
        gc.set_threshold(100_000, 50, 100)
        loaded = []
        for model in sorted(self.models):
            try:
                self.scorer.models(model)
                loaded.append(f"{model} loaded")
            except NotMeasured as reason:
                if out_of_memory(reason):
                    raise DataError(f"there is not enough memory to load the model {model}; give "
                                    "more, or score with --models no") from reason
                loaded.append(f"{model}: {reason}")
        kind = "; ".join([f"whyboard {__version__}", *loaded])
        return _SplitScoring(self.scorer, self.resume, kind)


@dataclass(frozen=True)
class _SplitScoring:
    scorer: Scorer
    resume: Path | None
    kind: str

    def __call__(self, job: SplitJob) -> Done:
        sent = open_submission(job.folder)
        if self.resume is not None and self.scorer.is_scored(sent, job.split, self.resume):
            return Done(*job, None)
        before = self.scorer.reused
        result = self.scorer.split(sent, job.split)
        return Done(*job, result, self.scorer.notes, self.scorer.reused - before)


def perform(
    planned: RunPlan, scoring: RunScoring, engine: Engine, out: Path | None, log: Path,
) -> Iterator[tuple[SplitJob, Done | Failure]]:
    """Do every job of a plan; each result is written below ``out`` before it is given.

    ``log``: where tracebacks go.
    """
    if out is not None:
        for name, path in planned.folders.items():
            sweep(out.joinpath(*name))  # what a killed run left half written
            if name in planned.failed:
                _remove_outdated(out, path, splits_in(path))
    for job, answer in engine(scoring, planned.jobs):
        if isinstance(answer, Failure):
            if answer.log:
                _log(log, f"{job.name} {job.split}: {answer.message}", answer.log)
            if out is not None:
                _remove_outdated(out, job.folder, [job.split])
        elif out is not None and answer.result is not None:
            past.write(answer.result, out)
        yield job, answer


def _remove_outdated(out: Path, folder: Path, splits: Sequence[str]) -> None:
    """Remove results of other predictions than those that failed now.

    They would be read as results of these. A result of the same predictions is still true and
    stays, whatever went wrong this time.
    """
    for split in splits:
        path = results.result_path(out, *place_of(folder), split)
        with suppress(DataError):
            known = results.read(path).predictions.sha256
            if known != sha256_file(predictions_path(folder, split)):
                results.remove(path)


def _log(path: Path, failure: str, traceback: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{when} {failure}\n{traceback.rstrip()}\n\n")
