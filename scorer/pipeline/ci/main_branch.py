"""The main branch at one commit: submissions, results, what became of each, and what comes next.

Git is queue and ledger: nothing is remembered elsewhere, and whatever is scored, published or shown
is derived from this. The same commit and day always give the same queue, so planner, scorer and
publisher derive it each for itself, nothing travels between them but the commit's name, and a
cancelled or failed run is healed by the next one. The queue is oldest first, fair to teams.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from scorer import boards
from scorer._version import __version__
from scorer.boards import Board, errata
from scorer.boards.submission import FILE_NAME, RESERVED, Meta, SubmissionName
from scorer.core.files import sha256
from scorer.core.reading import schema
from scorer.core.reading.strict import LARGEST
from scorer.core.results import Result
from scorer.models.registry import Models
from scorer.pipeline.ci import owners
from scorer.pipeline.ci.git import FILE, SUBMODULE, Repository, Touch, TreeEntry
from scorer.pipeline.ci.pull import TOP, answered, described, team_of
from scorer.pipeline.ci.runner import CODES
from scorer.pipeline.hidden.scoring import Turn, release
from scorer.scoring.evaluate import gold_name
from scorer.scoring.results.files import Unscored

RESULTS = "results"
RESULT, ITEMS, PAST, ERROR = ".json", ".items.tsv", ".past.jsonl", ".error.json"
"""How files of a split's result end: itself, the scores of its items if its gold is public, the
values that it had before it was scored again, and why there is none."""
SECONDS_PER_ITEM = 0.25
"""What a run reckons with; the scorer's own limits are what holds."""
BUDGET = 60 * 60
"""Seconds of work in one run; what is left over comes next."""
MOST_JOBS = 150
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
        return f"{self.submission.path}/predictions.{self.split}.tsv"

    def result(self, end: str = RESULT) -> str:
        """A file of its result in the repository."""
        return f"{RESULTS}/{self.submission}/{self.split}{end}"

    @property
    def leaderboard(self) -> str:
        """The document of its split in the repository."""
        return f"{RESULTS}/{self.board}/leaderboard.{self.split}.json"

    def unscored(self, **reason: str) -> Unscored:
        """Why it has no result: a ``rule``, a ``code``, or neither where the machine failed."""
        return Unscored.first(self.key, **reason)

    def __str__(self) -> str:
        """Submission and split, for a log."""
        return f"{self.submission.path} {self.split}"


Name = Literal["received", "valid", "queued", "scored", "published", "rejected", "error",
               "withdrawn"]


@dataclass(frozen=True)
class State:
    """One split of one submission and what became of it."""

    job: CiJob
    name: Name
    reason: str = ""
    """The rule, the code, or what it waits for."""
    attempts: int = 0
    """Runs that tried it under its key and left no result."""


@dataclass
class Main:
    """The main branch at one commit; what it holds is read when it is asked for."""

    repository: Repository
    commit: str
    folder: Path
    """The boards of that commit."""

    @cached_property
    def boards(self) -> dict[str, Board]:
        """Every board by its id."""
        return {board.id: board for board in boards.load_all(self.folder)}

    @cached_property
    def entries(self) -> list[TreeEntry]:
        """Every path below ``submissions``."""
        return self.repository.tree(self.commit, TOP)

    @cached_property
    def results(self) -> dict[str, str]:
        """The object of each file below ``results``."""
        return {entry.path: entry.oid for entry in self.repository.tree(self.commit, RESULTS)
                if entry.mode == FILE}

    @cached_property
    def touches(self) -> dict[str, list[Touch]]:
        """What the branch did to each path that ever was below ``submissions``, in its order."""
        return self.repository.touches(self.commit, TOP)

    def board(self, job: CiJob) -> Board:
        """The board of a job."""
        return self.boards[job.board]

    def is_public(self, job: CiJob) -> bool:
        """Whether anybody can score a job."""
        return self.board(job).splits[job.split].gold == "public"

    # ---- submissions -----------------------------------------------------------------------------

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

    @cached_property
    def jobs(self) -> list[CiJob]:
        """Every predictions file of every known board and split, sorted by path."""
        files = [(entry, *answer) for entry in self.entries if entry.mode != SUBMODULE
                 and (answer := answered(entry.path)) is not None and self._asks_for(*answer)]
        digests = {oid: sha256(content) for oid, content in
                   self.repository.each([entry.oid for entry, _, _ in files])}
        jobs = []
        for entry, name, split in files:
            digest = digests[entry.oid]
            written = [touch for touch in self.touches.get(entry.path, ()) if not touch.removed]
            commit, date = (written[-1].commit, written[-1].date) if written else (self.commit, "")
            jobs.append(CiJob(*name, split, key(self.boards[name.board], name, split, digest),
                              digest, commit, date))
        return jobs

    def _asks_for(self, name: SubmissionName, split: str) -> bool:
        """Whether a submission's board is there and has a split."""
        return name.board in self.boards and split in self.boards[name.board].splits

    def is_rewritten(self, job: CiJob) -> bool:
        """Whether merged predictions were changed; those of reserved teams are maintainers'."""
        touches = self.touches.get(job.path, ())
        return (job.team not in RESERVED and len(touches) > 1 and not touches[-1].removed
                and not touches[-2].removed)

    # ---- turns on hidden gold --------------------------------------------------------------------

    @cached_property
    def release_days(self) -> dict[str, datetime.date]:
        """The day on which each predictions file of a hidden split may be scored, by its path.

        Other bytes that a path had before have a day of their own.
        """
        present = {(entry.path, entry.oid) for entry in self.entries}
        dates: dict[str, datetime.date] = {}
        for (name, split), turns in self.turns.items():
            board = self.boards.get(name)
            if board is not None and split in board.splits and is_hidden(board, split):
                dates |= {turn.path: day for turn, day in
                          zip(turns, release(turns, board.release.wait), strict=True)
                          if (turn.path, turn.oid) in present}
        return dates

    @cached_property
    def turns(self) -> dict[tuple[str, str], list[Turn]]:
        """By board and split every file that came to it, in merge order; the same bytes at the same
        path once.

        A team's owners are all that it ever had up to then: whoever is taken out of its file still
        shares its budget.
        """
        # in the branch's order; owners come first in each commit
        written = sorted((touch.number, answered(path) is not None, path, touch)
                         for path, each in self.touches.items() for touch in each
                         if touch.mode == FILE)
        files = self.repository.blobs([touch.oid for _, _, path, touch in written if team_of(path)])
        known: dict[str, frozenset[str | int]] = {}
        turns: dict[tuple[str, str], dict[tuple[str, str], Turn]] = {}
        for _, _, path, touch in written:
            if team := team_of(path):
                accounts = owners.accounts(files[touch.oid])
                known[team] = known.get(team, frozenset((team,))) | accounts
            elif answer := answered(path):
                (board, team, _), split = answer
                turn = Turn(path, touch.oid, datetime.date.fromisoformat(touch.date[:10]),
                            known.get(team, frozenset((team,))))
                turns.setdefault((board, split), {}).setdefault((path, touch.oid), turn)
        return {place: [*each.values()] for place, each in turns.items()}

    # ---- results ---------------------------------------------------------------------------------

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
        paths = [path for path in self.results if is_of_system(path) and path.endswith(RESULT)]
        documents: dict[str, Any] = dict.fromkeys(paths)
        for path, content in self.results_bytes(paths).items():
            with suppress(ValueError, RecursionError):
                documents[path] = json.loads(content)
        return documents

    def unscored(self, job: CiJob) -> Unscored | None:
        """Why a job has no result, if that was recorded of this very key."""
        try:
            unscored = Unscored.model_validate(self.documents.get(job.result(ERROR)))
        except ValueError:
            return None
        return unscored if unscored.key == job.key else None

    def is_scored(self, job: CiJob) -> bool:
        """Whether its committed result is of these bytes, this board, gold, scorer, models, tags.

        On any machine: it is not known here on which one it was computed.
        """
        try:
            return self.is_current(Result.model_validate(self.documents.get(job.result())), job)
        except ValueError:
            return False

    def is_current(self, result: Result, job: CiJob) -> bool:
        """Whether a result is of a job as it is now; one on hidden gold has no tags."""
        board, meta = self.board(job), self.descriptions.get(job.submission)
        return (result.predictions.sha256 == job.predictions
                and result.board_version == board.version
                and (meta is None or not self.is_public(job)
                     or tuple(result.tags or ()) == meta.tags)
                and result.scorer.version == __version__
                and gold_id(board, job.split) in (None, result.gold.id)
                and all(_MODELS.fits(name, tag) for name, tag in result.models.items()))

    # ---- states and the queue --------------------------------------------------------------------

    def states(self, day: str) -> Iterator[State]:
        """The state of every split of every submission. ``day``: today, for the turns of hidden
        gold."""
        for entry in self.entries:
            name, split = answered(entry.path) or (None, "")
            if name is not None and not self._asks_for(name, split):
                yield State(CiJob(*name, split, "", "", self.commit, ""), "received",
                            "no such board or split")
        for job in self.jobs:
            yield self._state(job, day)

    def _state(self, job: CiJob, day: str) -> State:
        unscored, scored, public = self.unscored(job), self.is_scored(job), self.is_public(job)
        attempts, ended = (unscored.attempts, unscored.kind) if unscored else (0, "started")
        meta = self.descriptions.get(job.submission)
        # A withdrawn row is scored again, else it would stand under old gold; not what never was
        # scored, nor hidden gold, of which every score tells something.
        keeps_up = public and self.documents.get(job.result()) is not None
        if meta and meta.withdrawn and (scored or ended != "started" or not keeps_up):
            return State(job, "withdrawn", meta.withdrawn, attempts)
        if scored:
            return State(job, "scored" if job.team in RESERVED else "published")
        if unscored is not None and unscored.kind != "started":
            return State(job, unscored.kind, unscored.rule or unscored.code or "", attempts)
        if not public and not is_hidden(self.board(job), job.split):
            return State(job, "valid", "waiting for gold", attempts)
        turn = self.release_days.get(job.path)
        if turn is not None and str(turn) > day:
            return State(job, "valid", f"its turn is on {turn}", attempts)
        return State(job, "queued", "", attempts)

    def pending(self, day: str, *, retry_errors: bool = False) -> list[CiJob]:
        """Every job without a result, in turn. ``retry_errors``: final failures too, by hand."""
        names = ("queued", "rejected", "error") if retry_errors else ("queued",)
        return in_turn([state for state in self.states(day) if state.name in names])

    def batch(self, waiting: Sequence[CiJob]) -> list[CiJob]:
        """Those that one run scores: the first hour's worth."""
        jobs: list[CiJob] = []
        seconds = 0.0
        for job in waiting[:MOST_JOBS]:
            seconds += self.board(job).splits[job.split].rows * SECONDS_PER_ITEM
            if jobs and seconds > BUDGET:
                break
            jobs.append(job)
        return jobs

    def status_json(self, day: str) -> dict[str, Any]:
        """The document of ``status.json``."""
        touches = self.repository.touches(self.commit, RESULTS)
        return {"schema": 1, "commit": self.commit, "codes": CODES,
                "submissions": [row_json(state, touches) for state in self.states(day)]}


def row_json(state: State, touches: Mapping[str, Sequence[Touch]]) -> dict[str, Any]:
    """A row of ``status.json``. ``touches``: what the branch did to each path below ``results``."""
    row = {**asdict(state.job), "state": state.name, "attempts": state.attempts}
    if state.reason:
        row["reason"] = state.reason
    if state.name in ("scored", "published", "withdrawn") and state.job.result() in touches:
        first = touches[state.job.result()][0]
        row["published"] = {"commit": first.commit, "date": first.date}
    return row


def in_turn(waiting: Iterable[State]) -> list[CiJob]:
    """Untried ones first, every team's oldest before any team's second, the oldest merge first."""
    earlier: Counter[str] = Counter()
    ranked = []
    for state in sorted(waiting, key=lambda state: (state.job.date, state.job.path)):
        ranked.append((state.attempts, earlier[state.job.team], state.job.date, state.job))
        earlier[state.job.team] += 1
    return [entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:3])]


def key(board: Board, name: SubmissionName, split: str, predictions: str) -> str:
    """The key under which a submission is tried and recorded.

    Names the submission too: two of the same bytes are two rows.
    """
    parts = {"board": [board.id, board.version, split], "gold": gold_id(board, split),
             "predictions": predictions, "scorer": __version__,
             "submission": [name.team, name.system]}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def is_hidden(board: Board, split: str) -> bool:
    """Whether a split is scored against hidden gold, which the board names by its digest."""
    return board.splits[split].gold == "hidden" and board.splits[split].gold_hmac is not None


def gold_digest(board: Board, split: str) -> str | None:
    """What the board pins of a split's gold: its HMAC if it is hidden, else the digest of the file
    as its errata leave it; None if it pins nothing."""
    described = board.splits[split]
    if described.gold == "hidden" or described.sha256 is None:
        return described.gold_hmac if described.gold == "hidden" else None
    entries, _ = errata.read(board)  # what cannot be read stops scoring, which says why
    return errata.digest(described.sha256, errata.applied(board, entries, split))


def gold_id(board: Board, split: str) -> str | None:
    """The id of a split's gold as results name it, or None if the board does not pin it."""
    digest = gold_digest(board, split)
    return gold_name(board, split, digest) if digest is not None else None


def is_of_system(path: str) -> bool:
    """Whether a path below ``results`` is of one system; what people said lies there too.

    >>> is_of_system("results/b/t/s/dev.json"), is_of_system("results/b/metric-agreement.json")
    (True, False)
    """
    return path.count("/") == 4
