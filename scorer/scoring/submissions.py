"""Scoring files: submissions and single predictions files, against a board's gold or any gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scorer import boards
from scorer._version import __version__
from scorer.boards import LARGEST_GOLD, Board, golds, submission
from scorer.boards.submission import REFERENCE, Submission, SubmissionName
from scorer.core.errors import (
    DataError,
    NotMeasured,
    Problem,
    SubmissionError,
    WhyboardError,
    refusal,
    summary,
)
from scorer.core.files import sha256, sha256_file
from scorer.core.reading.tsv import File, open_file
from scorer.core.results import Errata, MetricValue, PredictionsFile, Result, ScorerVersion
from scorer.metrics.catalogue import METRICS
from scorer.models.registry import Models
from scorer.scoring.checking import check_file, raise_if_wrong
from scorer.scoring.evaluate import GoldId, Scored, Session, gold_name, key
from scorer.scoring.results import files as results
from scorer.tasks.baselines import Against


@dataclass(frozen=True)
class SplitGold:
    """The items of a split, and which file they are."""

    items: tuple[Any, ...]
    """Those that are scored."""
    id: GoldId
    texts: tuple[Sequence[str], ...] = ()
    """The input columns of every item of the split."""
    rows: tuple[int, ...] = ()
    """One-based: which of them the scored items are."""
    errata: tuple[str, ...] = ()
    """Ids of the errata that changed it."""
    before: SplitGold | None = None
    """The same without any erratum, if there is one."""

    @classmethod
    def of(cls, items: Sequence[Any], identity: GoldId) -> SplitGold:
        """Gold of which every item is scored."""
        return cls(tuple(items), identity, tuple(item.texts for item in items),
                   tuple(range(1, len(items) + 1)))

    def left_by(self, board: Board, against: Against[Any]) -> SplitGold:
        """The gold that a row which answers with gold itself is scored against."""
        left = [(row, item) for row, item in zip(self.rows, map(against.gold, self.items),
                                                 strict=True) if item is not None]
        items = tuple(item for _, item in left)
        most = max(map(board.task.gold_count, items))
        identity = replace(self.id, golds=most, against=against.name)
        before = self.before.left_by(board, against) if self.before else None
        return replace(self, items=items, id=identity, rows=tuple(row for row, _ in left),
                       before=before)


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
    reused: int = 0
    """How many values were taken from there."""
    notes: tuple[Problem, ...] = ()
    """What there is to say of the file that was scored last, beside its score."""
    _boards: dict[str, Board] = field(default_factory=dict, init=False)
    _sessions: dict[str, Session] = field(default_factory=dict, init=False)
    _golds: dict[tuple[str, str], SplitGold] = field(default_factory=dict, init=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_boards": {}, "_sessions": {}, "_golds": {}}

    def session(self, board: Board) -> Session:
        """The session of a board."""
        if board.id not in self._sessions:
            self._sessions[board.id] = Session(board, self.models, self.models.tag, self.metrics)
        return self._sessions[board.id]

    def gold(self, board: Board, split: str) -> SplitGold:
        """The gold of a split. Raises DataError if not at hand."""
        described = board.split(split)
        if described.gold != "public":
            raise DataError(f"{board.id} {split}: gold is {described.gold}, not public; "
                            "its rows cannot be scored here")
        if (board.id, split) not in self._golds:
            read = golds.needed_golds(board, split, self.home)
            whole = golds.public_golds(
                board, split, self.home, with_errata=False) if read.errata else None
            before = _trimmed(board, split, whole) if whole else None
            self._golds[board.id, split] = replace(
                _trimmed(board, split, read), before=before,
                errata=tuple(entry.id for entry in read.errata))
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

    def score(self, folder: Path) -> list[Result]:
        """The result of every split of a submission's folder whose gold is public."""
        sent = open_submission(folder)
        return [self.split(sent, split) for split in self.splits(sent)]

    def attempts(self, folder: Path) -> Iterator[tuple[str, Result | WhyboardError]]:
        """The same, split by split, with what is wrong in place of a result."""
        try:
            sent = open_submission(folder)
            splits = self.splits(sent)
        except WhyboardError as fault:
            yield "", fault
            return
        for split in splits:
            try:
                yield split, self.split(sent, split)
            except WhyboardError as fault:
                yield split, fault

    def split(self, sent: Submission, split: str) -> Result:
        """Score one split of a submission. Raises SubmissionError with every fault of its file."""
        gold = self.gold_for(sent, split)
        return self.file(self.board(sent), sent.predictions(split), split, gold, sent)

    def gold_for(self, sent: Submission, split: str) -> SplitGold:
        """The gold that a submission is scored against. Raises DataError if not at hand."""
        board = self.board(sent)
        gold = self.gold(board, split)
        baseline = board.task.baselines.get(sent.system) if sent.team == REFERENCE else None
        if baseline is None or baseline.against is None:
            return gold
        return gold.left_by(board, baseline.against)

    def file(
        self, board: Board, path: Path | File, split: str, gold: SplitGold,
        sent: Submission | None = None,
    ) -> Result:
        """Score one predictions file. Raises SubmissionError with every fault of the file."""
        file = path if isinstance(path, File) else open_file(path)
        report, answers = check_file(board, file, texts=gold.texts)
        raise_if_wrong(report)
        self.notes = report.notes
        session = self.session(board)
        digest = sha256(file.content)
        earlier = self.earlier(session, gold, sent, split, digest)
        self.reused += len(earlier)
        result = session.evaluate(
            gold.items, [answers[row - 1] for row in gold.rows], split=split, gold_id=gold.id,
            findings=[report.findings[row - 1] for row in gold.rows], with_null=self.with_null,
            reuse=earlier, rows=gold.rows,
        )
        known: dict[str, Any] = {"predictions": PredictionsFile(sha256=digest, rows=report.rows)}
        if sent is not None:
            known |= {"team": sent.team, "system": sent.system}
            if sent.meta.tags:
                known["tags"] = list(sent.meta.tags)
        if gold.before is not None:
            # What the errata changed: the values that the gold file as it is would give. Items
            # that no erratum touches were just scored and are not scored again.
            before = session.evaluate(
                gold.before.items, [answers[row - 1] for row in gold.before.rows], split=split,
                gold_id=gold.before.id, with_null=False, rows=gold.before.rows)
            known["errata"] = Errata(
                applied=list(gold.errata), gold=before.gold.id,
                without={name: value.value for name, value in before.metrics.items()})
        result = result.replace(**known)
        return result.replace(key=key(result))

    def is_scored(self, sent: Submission, split: str, folder: Path) -> bool:
        """Whether a folder has the result of these bytes, this gold, these metrics and models.

        Raises WhyboardError where scoring would too.
        """
        path = results.result_path(folder, sent.board, sent.team, sent.system, split)
        try:
            known = results.read(path)
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
                and known.metrics.keys() == set(session.metrics or board.metrics)
                and (task.null_answered or with_null == (self.with_null and bool(task.null_words)))
                and all(_was_made_so(session, name, value, gold.id)
                        for name, value in known.metrics.items()))

    def earlier(
        self, session: Session, gold: SplitGold, sent: Submission | None, split: str, digest: str
    ) -> Mapping[str, Scored]:
        """Model-based metrics of an earlier result of the same bytes, gold and signature, where it
        has its items.
        """
        if self.reuse is None or sent is None:
            return {}
        path = results.result_path(self.reuse, sent.board, sent.team, sent.system, split)
        if not path.is_file():
            return {}
        known = results.read(path)
        same = known.predictions.sha256 == digest and known.gold.digest == gold.id.sha256
        return {
            name: Scored(value, tuple(item.scores[name] for item in known.items))
            for name, value in known.metrics.items()
            if same and known.items and METRICS[name].model and value.value is not None
            and _was_made_so(session, name, value, gold.id)
        }


def _was_made_so(session: Session, name: str, value: MetricValue, gold: GoldId) -> bool:
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


def _trimmed(board: Board, split: str, gold: golds.Golds) -> SplitGold:
    """Gold with no more golds an item than the board says."""
    most = board.split(split).golds
    items = [board.task.first_golds(item, most) for item in gold.items]
    return SplitGold.of(items, GoldId(gold.sha256, most))


def gold_files(board: Board, paths: Mapping[str, Path]) -> SplitGold:
    """Gold out of any files, by their roles, with as many rows as they have."""
    shown = " + ".join(map(str, paths.values()))
    files = {role: open_file(path, largest=LARGEST_GOLD) for role, path in paths.items()}
    content = board.task.gold_of({r: file.content for r, file in files.items()})
    items, problems = golds.parsed(board, File(content, shown, LARGEST_GOLD))
    problems.raise_if_any()
    return SplitGold.of(items, GoldId(sha256(content), max(map(board.task.gold_count, items))))


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


def find_all(folders: Sequence[Path], board: str | None = None) -> list[Path]:
    """Every submission below some ``submissions`` folders."""
    return [path for folder in folders for path in submission.find(folder, board)]


def scored_places(folder: Path, board: str | None = None) -> list[SubmissionName]:
    """Every submission with a file below a folder of results, sorted."""
    files = folder.glob(f"{board or '*'}/*/*/*.json")
    return sorted({SubmissionName(*path.parent.relative_to(folder).parts) for path in files})
