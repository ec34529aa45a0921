"""What became of every submission on the main branch, derived from its files and the ledger.

Nothing is remembered elsewhere: a cancelled or failed run is healed by the next one, because the
state after it is computed again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from scorer import board as boards
from scorer._version import __version__
from scorer.board import Board
from scorer.ci import gold, ledger
from scorer.ci.git import FILE, Added, Entry, Repository, Touch
from scorer.ci.ledger import SCORED, Line
from scorer.ci.metadata import Description, descriptions
from scorer.ci.scope import TOP, Place, answered
from scorer.models.registry import Models
from scorer.submission import predictions_path

Name = Literal["received", "valid", "queued", "scored", "published", "rejected", "error",
               "withdrawn"]
RESULTS = "results"
MOST_ATTEMPTS = 3
LARGEST_RESULT = 64 * 1024
_MODELS = Models(allowed=False)
"""Digests of pinned models and of those that come with the program."""


@dataclass(frozen=True)
class Job:
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

    @property
    def place(self) -> Place:
        """The submission's folder."""
        return Place(self.board, self.team, self.system)

    @property
    def path(self) -> str:
        """Where its predictions lie in the repository."""
        return predictions_path(Path(self.place.path), self.split).as_posix()

    @property
    def name(self) -> tuple[str, ...]:
        """Board, team, system and split."""
        return (*self.place, self.split)

    @property
    def result_path(self) -> str:
        """Where its result lies in the repository."""
        return f"{RESULTS}/{self.board}/{self.team}/{self.system}/{self.split}.json"

    @property
    def items_path(self) -> str:
        """Where its rows lie if its gold is public."""
        return self.result_path.removesuffix(".json") + ".items.jsonl"

    @property
    def past_path(self) -> str:
        """Where the values lie that it had before it was scored again."""
        return self.result_path.removesuffix(".json") + ".past.jsonl"

    @property
    def sealed_path(self) -> str:
        """Where its exact scores lie, sealed, if its gold is hidden."""
        return self.result_path.removesuffix(".json") + ".exact.age"

    def line(self, event: str, **more: Any) -> Line:
        """A line of the ledger about it."""
        return {"event": event, **asdict(self), **more}


@dataclass(frozen=True)
class State:
    """One split of one submission and what became of it."""

    job: Job
    name: Name
    reason: str = ""
    """The rule, the code, or what it waits for."""
    attempts: int = 0
    published: Added | None = None


@dataclass
class Main:
    """The main branch at one commit."""

    repository: Repository
    commit: str
    folder: Path
    """The boards of that commit."""
    boards: dict[str, Board] = field(default_factory=dict)
    entries: list[Entry] = field(default_factory=list)
    ledger: ledger.Ledger = field(default_factory=ledger.Ledger)
    vouched: Collection[Place] | None = None
    """Submissions whose description is known to be their owner's, though the ledger does not tell
    it yet; None if nobody asked."""

    @classmethod
    def read(cls, repository: Repository, commit: str, folder: Path) -> Main:
        """Read what states are derived from."""
        known = {name: boards.load(name, folder) for name in boards.known_boards(folder)}
        return cls(repository, commit, folder, known, repository.tree(commit, TOP),
                   ledger.read(repository, commit))

    def of(self, place: Place) -> list[Entry]:
        """The paths of one submission."""
        return [entry for entry in self.entries if entry.path.startswith(f"{place.path}/")]

    def board(self, job: Job) -> Board:
        """The board of a job."""
        return self.boards[job.board]

    @cached_property
    def touches(self) -> dict[str, list[Touch]]:
        """For each path that ever was below ``submissions``: what the branch did to it."""
        return self.repository.touches(self.commit, TOP)

    @cached_property
    def latest(self) -> dict[str, Added]:
        """The commit that last wrote each path below ``submissions``."""
        return {entry.path: _last_written(self.touches.get(entry.path, ()), self.commit)
                for entry in self.entries}

    @cached_property
    def descriptions(self) -> list[Description]:
        """What every submission says of itself."""
        return list(descriptions(self.repository, self.entries, self.boards, self.latest))

    def vouch(self, paths: Collection[str]) -> None:
        """Let the descriptions at some paths count, and no others that the ledger does not tell."""
        self.vouched = {one.place for one in self.descriptions if one.path in paths}

    @property
    def withdrawn(self) -> dict[Place, str]:
        """Why each withdrawn submission was withdrawn.

        As the ledger tells it, for anybody may have written the description that lies there now;
        as that says where the ledger tells nothing yet, or it is known who wrote it.
        """
        told, disowned = self.ledger.described(), self.disowned
        found = {Place(*place): line["withdrawn"] for place, line in told.items()}
        for one in self.descriptions:
            new = one.place not in told and one not in disowned
            if new if self.vouched is None else one.place in self.vouched:
                found[one.place] = one.meta.withdrawn
        return {place: reason for place, reason in found.items() if reason}

    @property
    def disowned(self) -> list[Description]:
        """Descriptions that lie there and were written by another account than their team's."""
        known = self.ledger.disowned()
        return [one for one in self.descriptions if (*one.place, one.commit) in known]

    def jobs(self) -> list[Job]:
        """Every predictions file of every known board, sorted by path."""
        return list(self._jobs)

    @cached_property
    def _jobs(self) -> list[Job]:
        files = [(entry, found) for entry in self.entries
                 if entry.mode == FILE and (found := answered(entry.path)) is not None]
        digests = self.repository.digests([entry.oid for entry, _ in files])
        jobs = []
        for entry, (place, split) in files:
            board = self.boards.get(place.board)
            if board is not None and split in board.splits:
                jobs.append(_job(board, place, split, digests[entry.oid], self.latest[entry.path]))
        return jobs

    def accepted_jobs(self, board: Board, split: str) -> list[Job]:
        """The files of a split that count: those in the ledger, though others lie there now or
        none, and those that the ledger does not tell yet.
        """
        told = {name: line for name, line in self.ledger.accepted().items()
                if (name[0], name[-1]) == (board.id, split)}
        present = {job.name: job for job in self.jobs() if (job.board, job.split)
                   == (board.id, split)}
        for name, line in told.items():
            if name not in present or present[name].predictions != line["predictions"]:
                known = self.order.get(line["commit"])
                came = known.added if known is not None else Added(line["commit"], "")
                present[name] = _job(board, Place(*name[:3]), split, line["predictions"], came)
        return [job for _, job in sorted(present.items())]

    @cached_property
    def order(self) -> dict[str, Touch]:
        """Every commit that touched ``submissions``, with its number and its date."""
        return {touch.commit: touch for touches in self.touches.values() for touch in touches}

    def seen(self, place: Place) -> str:
        """The last commit that touched anything of a submission."""
        touches = [touch[-1] for path, touch in self.touches.items()
                   if path.startswith(f"{place.path}/")]
        return max(touches, key=lambda touch: touch.number).commit if touches else self.commit

    def is_rejected(self, job: Job) -> bool:
        """Whether a submission was rejected as it is now, brought as it was and beside the same
        files.
        """
        return any(line["event"] == "rejected" and line["commit"] == job.commit
                   and line.get("seen", "") in ("", self.seen(job.place))
                   for line in self._by_key.get(job.key, ()))

    @cached_property
    def _by_key(self) -> dict[str, list[Line]]:
        return self.ledger.by_key()

    def paths_of(self, job: Job) -> list[Entry]:
        """The paths of the submission of a job, as they were when its predictions were written."""
        if self.latest.get(job.path, Added("", "")).commit == job.commit:
            return self.of(job.place)
        return self.repository.tree(job.commit, job.place.path)


def _last_written(touches: Sequence[Touch], otherwise: str) -> Added:
    written = [touch for touch in touches if not touch.removed]
    return written[-1].added if written else Added(otherwise, "")


def _job(board: Board, place: Place, split: str, digest: str, came: Added) -> Job:
    return Job(*place, split, key(board, place, split, digest), digest, *came)


def key(board: Board, place: Place, split: str, predictions: str) -> str:
    """The key under which a submission is planned, tried and recorded.

    Names the submission too: two of the same bytes are two rows.
    """
    parts = {"board": [board.id, board.version, split], "gold": gold.identity(board, split),
             "predictions": predictions, "scorer": __version__,
             "submission": [place.team, place.system]}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def is_current(document: Any, board: Board, job: Job) -> bool:
    """Whether a committed result is of these bytes, this board, gold, scorer and models.

    On any machine: planning does not know on which one it was computed.
    """
    try:
        same = (document["predictions"]["sha256"] == job.predictions
                and document["board_version"] == board.version
                and document["scorer"]["version"] == __version__
                and gold.identity(board, job.split) in (None, document["gold"]["id"]))
        return same and all(_MODELS.fits(name, tag) for name, tag in document["models"].items())
    except (KeyError, TypeError, AttributeError):
        return False


def held_until(document: Any) -> str:
    """The day until which a published result holds its values back; empty if it does not."""
    release = document.get("release", {})
    return release["day"] if release.get("answer") == "held" else ""


def states(main: Main, day: str = "") -> Iterator[State]:
    """The state of every split of every submission.

    ``day``: values that are held back until then, or an earlier day, are queued again.
    """
    told = main.ledger.by_key()
    repository = main.repository
    results = result_documents(main)
    when, gone = repository.added(main.commit, RESULTS), main.withdrawn
    yield from _received(main)
    for job in main.jobs():
        board = main.boards[job.board]
        lines = told.get(job.key, [])
        attempts = sum(line["event"] == "attempt" for line in lines)
        document = results.get(job.result_path)
        current = is_current(document, board, job)
        final = [line for line in lines if line["event"] == "error"
                 or (line["event"] == "rejected" and main.is_rejected(job))]
        if job.place in gone and (current or final or not _keeps_up(document, board, job)):
            yield State(job, "withdrawn", gone[job.place], attempts, when.get(job.result_path))
        elif current:
            known = any(line["event"] in SCORED for line in lines)
            held = held_until(document)
            if held and held <= day:
                yield State(job, "queued", "to be released", attempts)
            else:
                yield State(job, "published" if known else "scored",
                            held and f"held until {held}", attempts, when.get(job.result_path))
        elif final:
            last = final[-1]
            rejected = last["event"] == "rejected"
            yield State(job, "rejected" if rejected else "error",
                        last["rule" if rejected else "code"], attempts)
        elif not gold.scorable(board, job.split):
            yield State(job, "valid", "waiting for gold", attempts)
        else:
            yield State(job, "queued", "", attempts)


def _keeps_up(document: Any, board: Board, job: Job) -> bool:
    """Whether a row is scored again though it was withdrawn: else it would stand under old gold.

    What was never scored is left, and so is hidden gold, of which every score tells something.
    """
    return document is not None and board.splits[job.split].gold == "public"


def _received(main: Main) -> Iterator[State]:
    """Predictions that no board of this commit asks for."""
    for entry in main.entries:
        found = answered(entry.path)
        if found is not None:
            (place, split), board = found, main.boards.get(found[0].board)
            if board is None or split not in board.splits:
                yield State(Job(*place, split, "", "", main.commit, ""), "received",
                            "no such board or split")


def result_documents(main: Main) -> dict[str, Any]:
    """Every committed result by its path, as JSON; None for what cannot be read."""
    paths = {entry.path: entry.oid for entry in main.repository.tree(main.commit, RESULTS)
             if entry.path.endswith(".json") and entry.mode == FILE}
    contents = main.repository.blobs(list(paths.values()))
    return {path: _json(contents[oid]) for path, oid in paths.items()}


def _json(content: bytes) -> Any:
    try:
        return json.loads(content) if len(content) <= LARGEST_RESULT else None
    except (ValueError, RecursionError):
        return None


def status_json(found: Sequence[State], commit: str,
                disowned: Mapping[str, Mapping[str, str]] = {}) -> dict[str, Any]:
    """The document of ``status.json``; ``disowned`` as ``disowned_json`` gives it."""
    rows = []
    for state in found:
        row = {**asdict(state.job), "state": state.name, "attempts": state.attempts}
        if state.reason:
            row["reason"] = state.reason
        if state.published is not None:
            row["published"] = state.published._asdict()
        rows.append(row)
    return {"schema": 1, "commit": commit, "submissions": rows, "disowned": dict(disowned)}


def disowned_json(main: Main) -> dict[str, dict[str, str]]:
    """Descriptions that are not their owners', by board, team and system: the digest of what lies
    there, and why the system is withdrawn, if it is.
    """
    gone = main.withdrawn
    return {"/".join(one.place): {"sha256": one.sha256, "withdrawn": gone.get(one.place, "")}
            for one in main.disowned}
