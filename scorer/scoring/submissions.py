"""Scoring files: submissions and single predictions files, against a board's gold or any gold.

One process writes: the one that performs the plan of a run. Killed at any moment and run again, it
leaves the same bytes: each file is renamed into place whole, and what is written depends on the
submissions alone, not on what was there.
"""

from __future__ import annotations

import gc
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from scorer import boards
from scorer._version import __version__
from scorer.boards import Board, submission
from scorer.boards.golds import GoldId, Golds, needed_golds
from scorer.boards.submission import REFERENCE, Submission, SubmissionName, place_of
from scorer.core.errors import (
    DataError,
    NotMeasured,
    Problem,
    SubmissionError,
    UsageError,
    WhyboardError,
    excerpt,
    refusal,
    summary,
)
from scorer.core.files import sha256, sha256_file, sweep
from scorer.core.reading.tsv import File, open_file
from scorer.core.results import Errata, MetricValue, PredictionsFile, Result, ScorerVersion
from scorer.metrics.catalogue import METRICS
from scorer.models.registry import Models
from scorer.scoring.checking import check_file
from scorer.scoring.engines.outcomes import (
    Answer,
    Failure,
    Job,
    Make,
    Work,
    failure_of,
    out_of_memory,
)
from scorer.scoring.evaluate import Scored, Session, gold_name, key
from scorer.scoring.results import files as results
from scorer.scoring.results import past


class ScoredFile(NamedTuple):
    """A predictions file with its scores."""

    result: Result
    notes: tuple[Problem, ...]
    """What there is to say of it beside them."""
    reused: int
    """How many values were taken from an earlier result."""


@dataclass
class Scorer:
    """One run over any number of submissions: one session a board, each gold read once.

    It travels to another process as it was made, without what was read or loaded here.
    """

    models: Models
    home: Path
    boards_folder: Path | None = None
    metrics: tuple[str, ...] = ()
    with_null: bool = True
    reuse: Path | None = None
    """A folder of earlier results whose model-based metrics are taken where their digests fit."""
    _boards: dict[str, Board] = field(default_factory=dict, init=False)
    _sessions: dict[str, Session] = field(default_factory=dict, init=False)
    _golds: dict[tuple[str, str], Golds] = field(default_factory=dict, init=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_boards": {}, "_sessions": {}, "_golds": {}}

    def session(self, board: Board) -> Session:
        """The session of a board. Raises UsageError for a metric that the board does not have."""
        if board.id not in self._sessions:
            self._sessions[board.id] = Session(board, self.models, self.models.tag, self.metrics)
        return self._sessions[board.id]

    def gold(self, board: Board, split: str) -> Golds:
        """The gold of a split. Raises DataError if not at hand."""
        described = board.split(split)
        if described.gold != "public":
            raise DataError(f"{board.id} {split}: gold is {described.gold}, not public; "
                            "its rows cannot be scored here")
        if (board.id, split) not in self._golds:
            self._golds[board.id, split] = needed_golds(board, split, self.home).trimmed(board)
        return self._golds[board.id, split]

    def board(self, sent: Submission) -> Board:
        """The board that a submission names by its folder, read once."""
        if sent.board not in self._boards:
            self._boards[sent.board] = boards.load(sent.board, self.boards_folder)
        return self._boards[sent.board]

    def splits(self, sent: Submission) -> list[str]:
        """The splits of a submission whose gold is public."""
        board = self.board(sent)
        return [split for split in sent.splits if board.split(split).gold == "public"]

    def gold_for(self, sent: Submission, split: str) -> Golds:
        """The gold that a submission is scored against. Raises DataError if not at hand."""
        board = self.board(sent)
        gold = self.gold(board, split)
        baseline = board.task.baselines.get(sent.system) if sent.team == REFERENCE else None
        if baseline is None or baseline.against is None:
            return gold
        return gold.left_by(board, baseline.against)

    def score(self, folder: Path) -> list[Result]:
        """The result of every split of a submission's folder whose gold is public."""
        sent = open_submission(folder)
        return [self.split(sent, split).result for split in self.splits(sent)]

    def split(self, sent: Submission, split: str) -> ScoredFile:
        """Score one split of a submission. Raises SubmissionError with every fault of its file."""
        return self.file(self.board(sent), sent.predictions(split), split,
                         self.gold_for(sent, split), sent)

    def file(self, board: Board, path: Path | File, split: str, gold: Golds,
             sent: Submission | None = None) -> ScoredFile:
        """Score one predictions file. Raises SubmissionError with every fault of the file."""
        file = path if isinstance(path, File) else open_file(path)
        report = check_file(board, file, texts=gold.texts)
        predictions, session, digest = report.accepted(), self.session(board), sha256(file.content)
        earlier = self._earlier(session, gold, sent, split, digest) if sent is not None else {}
        result = session.evaluate(
            gold, [predictions[row - 1] for row in gold.rows], split=split,
            findings=[report.answers[row - 1].found for row in gold.rows],
            with_null=self.with_null, reuse=earlier)
        known: dict[str, Any] = {"predictions": PredictionsFile(sha256=digest, rows=report.rows)}
        if sent is not None:
            known |= {"team": sent.team, "system": sent.system}
            if sent.meta.tags:
                known["tags"] = list(sent.meta.tags)
        if gold.before is not None:
            # What the errata changed: the values that the gold file as it is would give. Items
            # that no erratum touches were just scored and are not scored again.
            before = session.evaluate(
                gold.before, [predictions[row - 1] for row in gold.before.rows], split=split,
                with_null=False)
            known["errata"] = Errata(
                applied=[entry.id for entry in gold.errata], gold=before.gold.id,
                without={name: value.value for name, value in before.metrics.items()})
        result = result.replace(**known)
        return ScoredFile(result.replace(key=key(result)), report.notes, len(earlier))

    def is_scored(self, sent: Submission, split: str, folder: Path) -> bool:
        """Whether a folder has the result of these bytes, this gold, these metrics and models.

        Raises WhyboardError where scoring would too.
        """
        try:
            known = results.read(results.result_path(folder, *sent.name, split))
        except DataError:
            return False
        board, gold = self.board(sent), self.gold_for(sent, split)
        session, task = self.session(board), board.task
        with_null = any(value.null is not None for value in known.metrics.values())
        now = known.replace(
            board_version=board.version, split=split, scorer=ScorerVersion(version=__version__),
            gold=known.gold.replace(id=gold_name(board, split, gold.id.sha256)),
            predictions=known.predictions.replace(sha256=sha256_file(sent.predictions(split))))
        return (known.key == key(now)
                and bool(known.items)
                and tuple(known.tags or ()) == sent.meta.tags
                and known.metrics.keys() == {*session.metrics}
                and (task.null_answered or with_null == (self.with_null and bool(task.null_words)))
                and all(_is_made_so(session, name, value, gold.id)
                        for name, value in known.metrics.items()))

    def _earlier(self, session: Session, gold: Golds, sent: Submission, split: str, digest: str
                 ) -> dict[str, Scored]:
        """Model-based metrics of an earlier result of the same bytes, gold and signature, where it
        has its items."""
        path = self.reuse and results.result_path(self.reuse, *sent.name, split)
        if path is None or not path.is_file():
            return {}
        known = results.read(path)
        same = (known.predictions.sha256, known.gold.digest) == (digest, gold.id.sha256)
        return {
            name: Scored(value, tuple(item.scores[name] for item in known.items))
            for name, value in known.metrics.items()
            if same and known.items and METRICS[name].model and value.value is not None
            and _is_made_so(session, name, value, gold.id)
        }


def _is_made_so(session: Session, name: str, value: MetricValue, gold: GoldId) -> bool:
    """Whether a metric would be measured now under the same signature, or be unmeasured again."""
    try:
        if value.value is not None:
            return value.signature == session.signature(name, gold)
        model = METRICS[name].model
        if model is not None:
            session.models(model)
        return model is None
    except NotMeasured as reason:
        return value.reason == str(reason)


def open_submission(path: Path) -> Submission:
    """A submission's folder, reserved teams allowed. Raises SubmissionError with every problem."""
    sent, problems = submission.read(path, reserved=True)
    if sent is None:
        lines = [*map(str, summary(problems, Counter(problem.rule for problem in problems))),
                 refusal(len(problems))]
        if submission.splits_in(path):
            lines.append(f"scorer check {path} lists the faults of its predictions, too")
        raise SubmissionError(problems, len(problems), "\n".join(lines))
    return sent


# ---- many submissions ------------------------------------------------------------------------


def shard(text: str) -> Callable[[SubmissionName], bool]:
    """Whether a submission is of part I of N, as ``I/N`` says.

    Decided by a submission's name alone, so anywhere the same. Raises UsageError for other words.
    """
    numbers = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    number, count = map(int, numbers.groups()) if numbers else (0, 0)
    if not 1 <= number <= count:
        raise UsageError(f"--shard {excerpt(text)}: write I/N, part I of N, such as 1/4 ... 4/4")
    return lambda name: int.from_bytes(
        hashlib.sha256(str(name).encode()).digest()) % count == number - 1


class SplitJob(NamedTuple):
    """One split of one submission."""

    sent: Submission
    split: str


@dataclass
class RunPlan:
    """What a run has to do, and what it already knows it cannot do."""

    folders: dict[SubmissionName, Path] = field(default_factory=dict)
    jobs: list[SplitJob] = field(default_factory=list)
    failed: dict[Path, Failure] = field(default_factory=dict)
    """Folders that are at fault, or their metadata."""
    missing: dict[Failure, dict[Path, None]] = field(default_factory=dict)
    """Boards, metrics and gold that are not to be had here, and the folders that need them."""
    models: set[str] = field(default_factory=set)
    """The models that the boards' metrics ask for."""


def plan(scorer: Scorer, folders: Iterable[Path]) -> RunPlan:
    """The jobs of some submissions' folders; where two have one place, the first is taken."""
    planned = RunPlan()

    def lacks(folder: Path, fault: WhyboardError) -> None:
        planned.missing.setdefault(failure_of(fault), {})[folder] = None

    for folder in folders:
        name = place_of(folder)
        if name in planned.folders:
            continue
        planned.folders[name] = folder
        try:
            sent = open_submission(folder)
        except WhyboardError as fault:
            planned.failed[folder] = failure_of(fault)
            continue
        try:
            splits, session = scorer.splits(sent), scorer.session(scorer.board(sent))
        except WhyboardError as fault:  # of board.yaml, or a metric that the board does not have
            lacks(folder, fault)
            continue
        planned.models |= {model for metric in session.metrics
                           if (model := METRICS[metric].model) is not None}
        for split in splits:
            try:
                scorer.gold_for(sent, split)
                planned.jobs.append(SplitJob(sent, split))
            except WhyboardError as fault:
                lacks(folder, fault)
    return planned


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


Outcomes = Iterator[tuple[SplitJob, Done | Failure]]
Engine = Callable[[Make[SplitJob, Done], Sequence[SplitJob]], Outcomes]


def run_inline(
    make: Make[Job, Answer], jobs: Iterable[Job]
) -> Iterator[tuple[Job, Answer | Failure]]:
    """Every job with its answer, in order, by this process.

    Exceptions that are bugs, and MemoryError, escape.
    """
    work: Work[Job, Answer] | None = None
    for job in jobs:
        work = work or make()
        try:
            yield job, work(job)
        except WhyboardError as fault:
            yield job, failure_of(fault)


def worker(scorer: Scorer, models: Iterable[str] = (), resume: Path | None = None,
           ) -> Work[SplitJob, Done]:
    """The function that scores one job; ``models`` are loaded beforehand.

    ``resume``: a folder of results; those that are what scoring would give are left. Raises
    DataError where a model has no room.
    """
    # Scores are many small tuples without cycles: looking for some takes a tenth of the time.
    gc.set_threshold(100_000, 50, 100)
    for model in sorted(models):
        try:
            scorer.models(model)
        except NotMeasured as reason:
            if out_of_memory(reason):
                raise DataError(f"there is not enough memory to load the model {model}; give "
                                "more, or score with --models no") from reason

    def score(job: SplitJob) -> Done:
        sent, split = job
        if resume is not None and scorer.is_scored(sent, split, resume):
            return Done(sent.folder, split, None)
        return Done(sent.folder, split, *scorer.split(sent, split))

    return score


def perform(
    planned: RunPlan, scorer: Scorer, engine: Engine, out: Path | None, log: Path, *,
    resume: bool = False, preload: bool = True,
) -> Outcomes:
    """Do every job of a plan; each result is written below ``out`` before it is given.

    ``log``: where tracebacks go. ``resume``: leave results there that are up to date. ``preload``:
    load the boards' models before the first job, unless values are taken from earlier results.
    """
    if out is not None:
        for name in planned.folders:
            sweep(out.joinpath(*name))  # what a killed run left half written
        for path in planned.failed:
            _remove_outdated(out, path, submission.splits_in(path))
    models = planned.models if preload and scorer.reuse is None else ()
    make = partial(worker, scorer, models, out if resume else None)
    for job, answer in engine(make, planned.jobs):
        if isinstance(answer, Failure):
            if answer.log:
                _log(log, f"{job.sent.name} {job.split}: {answer.message}", answer.log)
            if out is not None:
                _remove_outdated(out, job.sent.folder, [job.split])
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
            if known != sha256_file(submission.predictions_path(folder, split)):
                results.remove(path)


def _log(path: Path, failure: str, traceback: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{when} {failure}\n{traceback.rstrip()}\n\n")
