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

from scorer.boards.submission import (
    FILE_NAME,
    OWN,
    RESERVED,
    SUBMISSIONS,
    SubmissionName,
    place_of,
    predictions_path,
    splits_in,
)
from scorer.core.errors import (
    DataError,
    NotMeasured,
    Problem,
    SubmissionError,
    UsageError,
    excerpt,
)
from scorer.core.files import sha256_file, sweep, write_atomically
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
        for model in sorted(self.models):
            try:
                self.scorer.models(model)
            except NotMeasured as reason:
                if out_of_memory(reason):
                    raise DataError(f"there is not enough memory to load the model {model}; give "
                                    "more, or score with --models no") from reason
        return self._score

    def _score(self, job: SplitJob) -> Done:
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


# ---- saving below the home folder --------------------------------------------------------------
#
# There the next site and ``compare`` find the rows. A submission that no site would find where it
# lies is copied there too.


class Saved(NamedTuple):
    """What became of one result."""

    name: SubmissionName
    path: Path | None
    """Where it was written; None if it was not."""
    note: str = ""
    """Why it was not."""


def describe(done: Sequence[Done], out: Path, submissions: Path) -> None:
    """Keep beside its results what a row of ours says of itself, if the repository has it not."""
    for folder in dict.fromkeys(entry.target for entry in done if entry.target.is_dir()):
        name = place_of(folder)
        if name.team == OWN and not submissions.joinpath(*name).is_dir():
            write_atomically(out.joinpath(*name) / FILE_NAME, (folder / FILE_NAME).read_bytes())


def save(done: Sequence[Done], home: Path, submissions: Path) -> list[Saved]:
    """Save results below the home folder; ``submissions``: the checkout's own.

    Nothing is saved of reserved teams, and nothing that the checkout's submission of the same name
    would hide from the site.
    """
    return [_save(entry, home, submissions) for entry in done if entry.target.is_dir()]


def _save(done: Done, home: Path, submissions: Path) -> Saved:
    name = place_of(done.target)
    theirs = submissions.joinpath(*name)
    assert done.result is not None
    if name.team in RESERVED:
        return Saved(name, None, f"not saved: {name.team} is a team that only the maintainers "
                                 "write; add --results DIR to keep its scores")
    own = done.target.resolve() == theirs.resolve()
    others = {} if own else _files(theirs)
    if others and others != _files(done.target):
        return Saved(name, None, f"not saved: {theirs} is another submission of the same name; "
                                 "rename one of them, or add --results DIR")
    try:
        if not (own or others):
            _copy(done.target, home.joinpath(SUBMISSIONS, *name))
        folder = home / "results"
        path = results.result_path(folder, *name, done.split)
        if more := _measured_more(path, done.result):
            return Saved(name, None, f"kept:  {path}: of the same predictions, and it has "
                                     f"{', '.join(more)} too; --results {folder} replaces it")
        return Saved(name, past.write(done.result, folder))
    except (DataError, OSError) as fault:
        return Saved(name, None, f"not saved: {fault}")


def _measured_more(path: Path, new: Result) -> list[str]:
    """The metrics that a saved result of the same predictions has and ``new`` has not, if all that
    both have is of one signature."""
    try:
        old = results.read(path)
    except DataError:
        return []
    was, now = ({name: value.signature for name, value in result.metrics.items()
                 if value.value is not None} for result in (old, new))
    same = old.predictions.sha256 == new.predictions.sha256 and all(
        was[name] == now[name] for name in was.keys() & now.keys())
    return [name for name in was if name not in now] if same else []


def _files(folder: Path) -> dict[str, bytes]:
    paths = [folder / FILE_NAME, *(predictions_path(folder, split) for split in splits_in(folder))]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def _copy(folder: Path, to: Path) -> None:
    """Copy a submission; what it no longer has goes from an older copy."""
    if folder.resolve() == to.resolve():
        return
    wanted, there = _files(folder), _files(to)
    for name in there.keys() - wanted.keys():
        (to / name).unlink()
    for name, content in wanted.items():
        if there.get(name) != content:
            write_atomically(to / name, content)
