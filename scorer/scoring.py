"""Scoring files: submissions and single predictions files, against a board's gold or any gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scorer import board as boards
from scorer import golds, results, submission
from scorer.baselines import BASELINES
from scorer.board import Board
from scorer.checking import check_file, raise_if_wrong
from scorer.engines.answers import out_of_memory
from scorer.errors import DataError, NotMeasured, SubmissionError
from scorer.evaluate import GoldId, Scored, Session, key
from scorer.files import sha256_file
from scorer.metrics.catalogue import METRICS
from scorer.models import Models
from scorer.records import ItemScore, Result
from scorer.submission import REFERENCE, Submission
from scorer.tsv import read_file


@dataclass(frozen=True)
class Gold:
    """The items of a split, and which file they are."""

    items: tuple[Any, ...]
    id: GoldId
    errata: tuple[str, ...] = ()
    """Ids of the errata that changed it."""
    before: Gold | None = None
    """The same without any erratum, if there is one."""


@dataclass(frozen=True)
class Recipe:
    """Everything that makes a Scorer, as values that travel to another process."""

    home: Path
    boards_folder: Path | None = None
    metrics: tuple[str, ...] = ()
    with_null: bool = True
    reuse: Path | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    """Where models are looked for, by their names."""
    models: Mapping[str, Any] = field(default_factory=dict)
    """Further options of Models, such as ``allowed``."""

    def scorer(self) -> Scorer:
        """A new Scorer; nothing is loaded yet. Raises UsageError for an unknown model."""
        return Scorer(Models(self.sources, **self.models), self.home, self.boards_folder,
                      self.metrics, self.with_null, self.reuse)


@dataclass
class Scorer:
    """One run over any number of submissions: one session a board, each gold read once."""

    models: Models
    home: Path
    boards_folder: Path | None = None
    metrics: tuple[str, ...] = ()
    with_null: bool = True
    reuse: Path | None = None
    """A folder of earlier results whose model-based metrics are taken where their digests fit."""
    reused: int = 0
    """How many values were taken from there."""
    _boards: dict[str, Board] = field(default_factory=dict)
    _sessions: dict[str, Session] = field(default_factory=dict)
    _golds: dict[tuple[str, str, int], Gold] = field(default_factory=dict)

    def session(self, board: Board) -> Session:
        """The session of a board."""
        if board.id not in self._sessions:
            self._sessions[board.id] = Session(
                board, self.model, self.models.tag, self.metrics
            )
        return self._sessions[board.id]

    def model(self, name: str) -> Any:
        """A loaded model. Raises NotMeasured, or MemoryError where only memory was missing.

        What is not measured is published; what a larger machine would measure must not be.
        """
        try:
            return self.models(name)
        except NotMeasured as reason:
            if out_of_memory(reason):
                raise MemoryError(f"no room for model {name}") from reason
            raise

    def gold(self, board: Board, split: str, most: int | None = None) -> Gold:
        """The gold of a split, at most ``most`` golds an item. Raises DataError if not at hand."""
        described = board.split(split)
        if described.gold != "public":
            raise DataError(f"{board.id} {split}: gold is {described.gold}, not public; "
                            "its rows cannot be scored here")
        count = min(described.golds, most or described.golds)
        if (board.id, split, count) not in self._golds:
            path = board.data_file(split, self.home)
            if path is None:
                raise DataError(f"{board.id} {split}: {described.file} is not at hand; "
                                f"run: scorer data fetch {board.id}")
            self._golds[board.id, split, count] = _gold(board, split, path, count)
        return self._golds[board.id, split, count]

    def board(self, sent: Submission) -> Board:
        """The board that a submission names by its folder, read once."""
        if sent.board not in self._boards:
            self._boards[sent.board] = boards.load(sent.board, self.boards_folder)
        return self._boards[sent.board]

    def boards_read(self) -> list[Board]:
        """The boards of the submissions seen so far."""
        return list(self._boards.values())

    def splits(self, sent: Submission) -> list[str]:
        """The splits of a submission whose gold is public."""
        board = self.board(sent)
        return [split for split in sent.splits if board.split(split).gold == "public"]

    def submission(self, sent: Submission) -> list[Result]:
        """Score every split of a submission whose gold is public."""
        return [self.split(sent, split) for split in self.splits(sent)]

    def split(self, sent: Submission, split: str) -> Result:
        """Score one split of a submission. Raises SubmissionError with every fault of its file."""
        gold = self.gold_for(sent, split)
        return self.file(self.board(sent), sent.predictions(split), split, gold, sent)

    def gold_for(self, sent: Submission, split: str) -> Gold:
        """The gold that a submission is scored against. Raises DataError if not at hand."""
        baseline = BASELINES.get(sent.system) if sent.team == REFERENCE else None
        most = 1 if baseline is not None and baseline.first_gold_alone else None
        return self.gold(self.board(sent), split, most)

    def file(
        self, board: Board, path: Path, split: str, gold: Gold, sent: Submission | None = None
    ) -> Result:
        """Score one predictions file. Raises SubmissionError with every fault of the file."""
        texts = [item.texts for item in gold.items]
        report, answers = check_file(board, path, texts=texts)
        raise_if_wrong(report)
        session = self.session(board)
        digest = sha256_file(path)
        earlier = self.earlier(session, gold, sent, split, digest)
        self.reused += len(earlier)
        result = session.evaluate(
            gold.items, answers, split=split, gold_id=gold.id, with_null=self.with_null,
            reuse=earlier,
        )
        predictions = {"sha256": digest, "rows": report.rows}
        provenance = {**result.provenance, "predictions": predictions}
        if gold.before is not None:
            provenance["errata"] = self._without_errata(session, gold, answers, split)
        result = replace(
            result, provenance=provenance, team=sent.team if sent else "",
            system=sent.system if sent else "",
        )
        return replace(result, provenance={**provenance, "key": key(result)})

    def _without_errata(self, session: Session, gold: Gold, answers: Sequence[Any], split: str,
                        ) -> Mapping[str, Any]:
        """What the errata changed: the values that the gold file as it is would give.

        Items that no erratum touches were just scored and are not scored again.
        """
        assert gold.before is not None
        result = session.evaluate(gold.before.items, answers, split=split, gold_id=gold.before.id,
                                  with_null=False)
        return {"applied": list(gold.errata), "gold": result.provenance["gold"]["id"],
                "without": {name: value.value for name, value in result.metrics.items()}}

    def earlier(
        self, session: Session, gold: Gold, sent: Submission | None, split: str, digest: str
    ) -> Mapping[str, Scored]:
        """Model-based metrics of an earlier result of the same bytes, gold and signature.

        Without scores of items where the earlier result came without them.
        """
        if self.reuse is None or sent is None:
            return {}
        path = results.result_path(self.reuse, sent.board, sent.team, sent.system, split)
        if not path.is_file():
            return {}
        known = results.read(path)
        same = (known.provenance["predictions"]["sha256"] == digest
                and known.provenance["gold"].get("sha256") == gold.id.sha256)
        return {
            name: Scored(value, _of_items(known, name))
            for name, value in known.metrics.items()
            if same and METRICS[name].model and value.value is not None
            and value.signature == _signature(session, name, gold.id)
        }


def _of_items(known: Result, metric: str) -> tuple[ItemScore, ...] | None:
    """One metric's scores of all items, or None if the result came without them."""
    scores = tuple(item.scores[metric] for item in known.items if metric in item.scores)
    return scores if scores and len(scores) == len(known.items) else None


def _signature(session: Session, metric: str, gold: GoldId) -> str | None:
    try:
        return session.signature(metric, gold)
    except NotMeasured:
        return None


def _gold(board: Board, split: str, path: Path, count: int) -> Gold:
    """A split's gold with at most ``count`` golds an item, as it is and as errata leave it."""
    found = golds.read_golds(board, split, path)
    before = None
    if found.errata:
        before = _trimmed(golds.read_golds(board, split, path, with_errata=False), count)
    return replace(_trimmed(found, count), errata=tuple(one.id for one in found.errata),
                   before=before)


def _trimmed(found: golds.Golds, count: int) -> Gold:
    items = tuple(replace(item, graphs=item.graphs[:count]) for item in found.items)
    return Gold(items, GoldId(found.sha256, count))


def gold_file(board: Board, path: Path) -> Gold:
    """Any gold file in a board's columns, with as many rows as it has."""
    columns, optional = board.task.gold_columns(board.settings)
    table = read_file(path, columns, optional=optional)
    items = golds.parse_golds(board, table.rows, table.problems)
    table.problems.raise_if_any()
    most = max(len(item.graphs) for item in items)
    return Gold(items, GoldId(sha256_file(path), most))


def open_submission(path: Path) -> Submission:
    """A submission's folder, reserved teams allowed. Raises SubmissionError with every problem."""
    sent, problems = submission.read(path, reserved=True)
    if sent is None:
        raise SubmissionError(problems)
    return sent


def find_all(folders: Sequence[Path], board: str | None = None) -> list[Path]:
    """Every submission below some ``submissions`` folders."""
    return [path for folder in folders for path in submission.find(folder, board)]


def scored_places(folder: Path, board: str | None = None) -> list[tuple[str, str, str]]:
    """Board, team and system of every submission with a file below a folder of results, sorted."""
    files = folder.glob(f"{board or '*'}/*/*/*.json")
    found = {path.parent.relative_to(folder).parts for path in files}
    return sorted((place[0], place[1], place[2]) for place in found)
