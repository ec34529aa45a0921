"""What lies on the main branch at one commit: submissions, what they say of themselves, results.

Git is queue and ledger: nothing is remembered elsewhere, and whatever is scored, published or shown
is derived from this.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from scorer import boards
from scorer._version import __version__
from scorer.boards import Board
from scorer.boards.submission import (
    FILE_NAME,
    RESERVED,
    Meta,
    SubmissionName,
    predictions_path,
)
from scorer.core.reading import schema
from scorer.core.reading.strict import LARGEST
from scorer.core.results import Result
from scorer.models.registry import Models
from scorer.pipeline.ci import gold, owners
from scorer.pipeline.ci.git import FILE, SUBMODULE, Repository, Touch, TreeEntry
from scorer.pipeline.ci.scope import TOP, answered, described, team_of
from scorer.pipeline.hidden.release import Turn, release
from scorer.scoring.results.files import Unscored

RESULTS = "results"
_MODELS = Models(allowed=False)
"""Digests of pinned models and of those that come with the program."""


@dataclass(frozen=True)
class CiJob:
    """One split of one submission, and all that its numbers depend on but the models."""

    board: str
    team: str
    system: str
    split: str
    key: str
    """Digest of the submission, its predictions' bytes, board, split, gold and scorer version."""
    predictions: str
    """SHA-256 of the predictions file."""
    commit: str
    """The commit that last wrote the file on the main branch."""
    date: str
    """The date of that commit."""

    @property
    def submission(self) -> SubmissionName:
        """Whose split it is."""
        return SubmissionName(self.board, self.team, self.system)

    @property
    def path(self) -> str:
        """Its predictions in the repository."""
        return predictions_path(Path(self.submission.path), self.split).as_posix()

    @property
    def result_path(self) -> str:
        """Its result in the repository."""
        return f"{RESULTS}/{self.board}/{self.team}/{self.system}/{self.split}.json"

    @property
    def items_path(self) -> str:
        """Its scores of items if its gold is public."""
        return self.result_path.removesuffix(".json") + ".items.tsv"

    @property
    def past_path(self) -> str:
        """The values that it had before it was scored again."""
        return self.result_path.removesuffix(".json") + ".past.jsonl"

    @property
    def error_path(self) -> str:
        """Why it has no result."""
        return self.result_path.removesuffix(".json") + ".error.json"

    def __str__(self) -> str:
        """Submission and split, for a log."""
        return f"{self.submission.path} {self.split}"


@dataclass
class Main:
    """The main branch at one commit."""

    repository: Repository
    commit: str
    folder: Path
    """The boards of that commit."""
    boards: dict[str, Board]
    entries: list[TreeEntry]
    """Every path below ``submissions``."""
    results: dict[str, str]
    """The object of each path below ``results``."""

    @classmethod
    def read(cls, repository: Repository, commit: str, folder: Path) -> Main:
        """Read a commit."""
        by_id = {board.id: board for board in boards.load_all(folder)}
        results = {entry.path: entry.oid for entry in repository.tree(commit, RESULTS)
                   if entry.mode == FILE}
        return cls(repository, commit, folder, by_id, repository.tree(commit, TOP), results)

    def board(self, job: CiJob) -> Board:
        """The board of a job."""
        return self.boards[job.board]

    @cached_property
    def touches(self) -> dict[str, list[Touch]]:
        """What the branch did to each path that ever was below ``submissions``, in its order."""
        return self.repository.touches(self.commit, TOP)

    @cached_property
    def release_days(self) -> dict[str, datetime.date]:
        """The day on which each predictions file of a hidden split may be scored, by its path.

        Other bytes that a path had before have a day of their own.
        """
        present = {(entry.path, entry.oid) for entry in self.entries}
        dates: dict[str, datetime.date] = {}
        for board in self.boards.values():
            for split in board.splits:
                if gold.is_hidden(board, split):
                    merged = self.turns(board, split)
                    days = release(merged, board.release.wait)
                    dates |= {turn.path: day for turn, day in zip(merged, days, strict=True)
                              if (turn.path, turn.oid) in present}
        return dates

    def turns(self, board: Board, split: str) -> list[Turn]:
        """Every file that came to a split, in merge order; the same bytes at the same path once.

        A team's owners are all that it ever had up to then: whoever is taken out of its file still
        shares its budget.
        """
        written = [(path, touch) for path, each in self.touches.items() for touch in each
                   if touch.mode == FILE]
        # in the branch's order; owners come first in each commit
        merged = sorted(written, key=lambda entry: (
            entry[1].number, answered(entry[0]) is not None, entry[0]))
        files = self.repository.blobs([touch.oid for path, touch in merged if team_of(path)])
        known: dict[str, frozenset[str | int]] = {}
        entries: dict[tuple[str, str], Turn] = {}
        for path, touch in merged:
            if team := team_of(path):
                accounts = owners.accounts(files[touch.oid])
                known[team] = known.get(team, frozenset((team,))) | accounts
            elif (answer := answered(path)) and (answer[0].board, answer[1]) == (board.id, split):
                name = answer[0].team
                turn = Turn(path, touch.oid, datetime.date.fromisoformat(touch.date[:10]),
                            known.get(name, frozenset((name,))))
                entries.setdefault((path, touch.oid), turn)
        return list(entries.values())

    @cached_property
    def description_files(self) -> dict[SubmissionName, bytes]:
        """The description of every submission of a known board, as it lies there."""
        files = {name: entry.oid for entry in self.entries
                 if entry.mode == FILE and entry.path.endswith(f"/{FILE_NAME}")
                 and (name := described(entry.path)) is not None and name.board in self.boards}
        contents = self.repository.blobs(list(files.values()))
        return {name: contents[oid] for name, oid in files.items()}

    @cached_property
    def descriptions(self) -> dict[SubmissionName, Meta]:
        """What each submission says of itself, where that can be read."""
        loaded = {name: schema.load(Meta, content[:LARGEST + 1], FILE_NAME)
                  for name, content in self.description_files.items()}
        return {name: meta for name, (meta, problems) in loaded.items() if not problems}

    @property
    def withdrawn(self) -> dict[SubmissionName, str]:
        """Why each withdrawn submission was withdrawn."""
        return {name: meta.withdrawn for name, meta in self.descriptions.items() if meta.withdrawn}

    @cached_property
    def jobs(self) -> list[CiJob]:
        """Every predictions file of every known board and split, sorted by path."""
        files = [(entry, *answer) for entry in self.entries if entry.mode != SUBMODULE
                 and (answer := answered(entry.path)) is not None
                 and self.asks_for(*answer)]
        digests = self.repository.digests([entry.oid for entry, _, _ in files])
        jobs = []
        for entry, name, split in files:
            digest = digests[entry.oid]
            written = [touch for touch in self.touches.get(entry.path, ()) if not touch.removed]
            commit, date = (written[-1].commit, written[-1].date) if written else (self.commit, "")
            jobs.append(CiJob(*name, split, key(self.boards[name.board], name, split, digest),
                              digest, commit, date))
        return jobs

    def asks_for(self, name: SubmissionName, split: str) -> bool:
        """Whether a submission's board is there and has a split."""
        return name.board in self.boards and split in self.boards[name.board].splits

    def is_rewritten(self, job: CiJob) -> bool:
        """Whether merged predictions were changed; those of reserved teams are maintainers'."""
        touches = self.touches.get(job.path, ())
        return (job.team not in RESERVED and len(touches) > 1 and not touches[-1].removed
                and not touches[-2].removed)

    def result_bytes(self, path: str) -> bytes:
        """A file below ``results``; nothing if it is not there."""
        return self.results_bytes([path]).get(path, b"")

    def results_bytes(self, paths: Iterable[str]) -> dict[str, bytes]:
        """Those of some files below ``results`` that are there, read by one process."""
        oids = {path: self.results[path] for path in paths if path in self.results}
        contents = self.repository.blobs(list(oids.values()))
        return {path: contents[oid] for path, oid in oids.items()}

    @cached_property
    def documents(self) -> dict[str, Any]:
        """Every result and error file of a system as JSON, by path; None for what is none."""
        paths = [path for path in self.results if is_of_system(path) and path.endswith(".json")]
        documents: dict[str, Any] = dict.fromkeys(paths)
        for path, content in self.results_bytes(paths).items():
            with suppress(ValueError, RecursionError):
                documents[path] = json.loads(content)
        return documents

    def unscored(self, job: CiJob) -> Unscored | None:
        """Why a job has no result, if that was recorded of this very key."""
        try:
            unscored = Unscored.model_validate(self.documents.get(job.error_path))
        except ValueError:
            return None
        return unscored if unscored.key == job.key else None

    def is_scored(self, job: CiJob) -> bool:
        """Whether its committed result is of these bytes, this board, gold, scorer, models, tags.

        On any machine: it is not known here on which one it was computed.
        """
        try:
            return self.is_current(Result.model_validate(self.documents.get(job.result_path)), job)
        except ValueError:
            return False

    def is_current(self, result: Result, job: CiJob) -> bool:
        """Whether a result is of a job as it is now; one on hidden gold has no tags."""
        board, meta = self.board(job), self.descriptions.get(job.submission)
        return (result.predictions.sha256 == job.predictions
                and result.board_version == board.version
                and (meta is None or board.splits[job.split].gold != "public"
                     or tuple(result.tags or ()) == meta.tags)
                and result.scorer.version == __version__
                and gold.identity(board, job.split) in (None, result.gold.id)
                and all(_MODELS.fits(name, tag) for name, tag in result.models.items()))


def key(board: Board, name: SubmissionName, split: str, predictions: str) -> str:
    """The key under which a submission is tried and recorded.

    Names the submission too: two of the same bytes are two rows.
    """
    parts = {"board": [board.id, board.version, split], "gold": gold.identity(board, split),
             "predictions": predictions, "scorer": __version__,
             "submission": [name.team, name.system]}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def is_of_system(path: str) -> bool:
    """Whether a path below ``results`` is of one system; what people said lies there too.

    >>> is_of_system("results/b/t/s/dev.json"), is_of_system("results/b/metric-agreement.json")
    (True, False)
    """
    return path.count("/") == 4
