"""What lies on the main branch at one commit: submissions, what they say of themselves, results.

Nothing is remembered elsewhere: whatever is planned, published or told is derived from this.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from scorer import board as boards
from scorer._version import __version__
from scorer.board import Board
from scorer.ci import gold, ledger
from scorer.ci.git import FILE, OID, Added, Repository, Touch, TreeEntry
from scorer.ci.ledger import Line
from scorer.ci.scope import TOP, answered, described
from scorer.files import sha256
from scorer.models.registry import Models
from scorer.reading import schema
from scorer.reading.documents import Sha256
from scorer.reading.strict_yaml import LARGEST
from scorer.submission import FILE_NAME, Meta, SubmissionName, predictions_path

RESULTS = "results"
Slug = Annotated[str, Field(pattern="^[a-z0-9-]{1,40}$")]
Oid = Annotated[str, Field(pattern=f"^{OID}$")]
LARGEST_RESULT = 64 * 1024
_MODELS = Models(allowed=False)
"""Digests of pinned models and of those that come with the program."""


@dataclass(frozen=True)
class CiJob:
    """One split of one submission, and all that its numbers depend on but the models.

    The limits are those of a job that travels in a plan.
    """

    board: Slug
    team: Slug
    system: Slug
    split: Slug
    key: Sha256
    """Digest of the submission, its predictions' bytes, board, split, gold and scorer version."""
    predictions: Sha256
    """SHA-256 of the predictions file."""
    commit: Oid
    """The commit that last wrote the file on the main branch."""
    date: Annotated[str, Field(pattern="^[0-9TZ:-]{0,20}$")]

    @property
    def place(self) -> SubmissionName:
        """The submission's folder."""
        return SubmissionName(self.board, self.team, self.system)

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
        return self.result_path.removesuffix(".json") + ".items.tsv"

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


class Description(NamedTuple):
    """A submission's description as it is now."""

    place: SubmissionName
    meta: Meta
    commit: str
    """The last commit that wrote it."""
    sha256: str
    """Digest of its bytes."""

    @property
    def path(self) -> str:
        """Where it lies."""
        return f"{self.place.path}/{FILE_NAME}"


def _descriptions(repository: Repository, entries: Sequence[TreeEntry], boards: Collection[str],
                 latest: Mapping[str, Added]) -> Iterator[Description]:
    """Those of some boards that can be read, in the order of their paths.

    ``latest``: the commit that last wrote each path.
    """
    found = [(entry, place) for entry in entries
             if (place := _place_of(entry)) is not None and place.board in boards]
    contents = repository.blobs([entry.oid for entry, _ in found])
    for entry, place in found:
        content = contents[entry.oid]
        meta, problems = schema.load(Meta, content[:LARGEST + 1], FILE_NAME)
        if not problems:
            yield Description(place, meta, latest[entry.path].commit, sha256(content))


def _place_of(entry: TreeEntry) -> SubmissionName | None:
    is_one = entry.mode == FILE and entry.path.endswith(f"/{FILE_NAME}")
    return described(entry.path) if is_one else None


@dataclass
class Main:
    """The main branch at one commit."""

    repository: Repository
    commit: str
    folder: Path
    """The boards of that commit."""
    boards: dict[str, Board] = field(default_factory=dict)
    entries: list[TreeEntry] = field(default_factory=list)
    ledger: ledger.Ledger = field(default_factory=ledger.Ledger)
    vouched: Collection[SubmissionName] | None = None
    """Submissions whose description is known to be their owner's, though the ledger does not tell
    it yet; None if nobody asked."""

    @classmethod
    def read(cls, repository: Repository, commit: str, folder: Path) -> Main:
        """Read what states are derived from."""
        known = {board.id: board for board in boards.load_all(folder)}
        return cls(repository, commit, folder, known, repository.tree(commit, TOP),
                   ledger.read(repository, commit))

    def of(self, place: SubmissionName) -> list[TreeEntry]:
        """The paths of one submission."""
        return [entry for entry in self.entries if entry.path.startswith(f"{place.path}/")]

    def board(self, job: CiJob) -> Board:
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
        return list(_descriptions(self.repository, self.entries, self.boards, self.latest))

    def vouch(self, paths: Collection[str]) -> None:
        """Let the descriptions at some paths count, and no others that the ledger does not tell."""
        self.vouched = {one.place for one in self.descriptions if one.path in paths}

    @property
    def withdrawn(self) -> dict[SubmissionName, str]:
        """Why each withdrawn submission was withdrawn.

        As the ledger tells it, for anybody may have written the description that lies there now;
        as that says where the ledger tells nothing yet, or it is known who wrote it.
        """
        told, disowned = self.ledger.described(), self.disowned
        found = {SubmissionName(*place): line["withdrawn"] for place, line in told.items()}
        for one in self.descriptions:
            new = one.place not in told and one not in disowned
            if new if self.vouched is None else one.place in self.vouched:
                found[one.place] = one.meta.withdrawn
        return {place: reason for place, reason in found.items() if reason}

    @property
    def tags(self) -> dict[SubmissionName, tuple[str, ...]]:
        """The tags of submissions whose description, as it lies there now, is their owner's.

        As the ledger tells it; where nobody asked yet, those that it does not tell count too.
        """
        told, disowned = self.ledger.described(), self.disowned
        found = {}
        for one in self.descriptions:
            line = told.get(one.place)
            new = self.vouched is None and line is None and one not in disowned
            known = line is not None and line["commit"] == one.commit and one not in disowned
            if new or known or one.place in (self.vouched or ()):
                found[one.place] = one.meta.tags
        return found

    @property
    def disowned(self) -> list[Description]:
        """Descriptions that lie there and were written by another account than their team's."""
        known = self.ledger.disowned()
        return [one for one in self.descriptions if (*one.place, one.commit) in known]

    @cached_property
    def results(self) -> dict[str, str]:
        """The object of each path below ``results``."""
        return {entry.path: entry.oid for entry in self.repository.tree(self.commit, RESULTS)}

    def result_bytes(self, path: str) -> bytes:
        """A file below ``results``; nothing if it is not there."""
        oid = self.results.get(path)
        return self.repository.blobs([oid])[oid] if oid else b""

    def jobs(self) -> list[CiJob]:
        """Every predictions file of every known board, sorted by path."""
        return list(self._jobs)

    @cached_property
    def _jobs(self) -> list[CiJob]:
        files = [(entry, found) for entry in self.entries
                 if entry.mode == FILE and (found := answered(entry.path)) is not None]
        digests = self.repository.digests([entry.oid for entry, _ in files])
        jobs = []
        for entry, (place, split) in files:
            board = self.boards.get(place.board)
            if board is not None and split in board.splits:
                jobs.append(_job(board, place, split, digests[entry.oid], self.latest[entry.path]))
        return jobs

    def accepted_jobs(self, board: Board, split: str) -> list[CiJob]:
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
                place = SubmissionName(*name[:3])
                present[name] = _job(board, place, split, line["predictions"], came)
        return [job for _, job in sorted(present.items())]

    @cached_property
    def order(self) -> dict[str, Touch]:
        """Every commit that touched ``submissions``, with its number and its date."""
        return {touch.commit: touch for touches in self.touches.values() for touch in touches}

    def seen(self, place: SubmissionName) -> str:
        """The last commit that touched anything of a submission."""
        touches = [touch[-1] for path, touch in self.touches.items()
                   if path.startswith(f"{place.path}/")]
        return max(touches, key=lambda touch: touch.number).commit if touches else self.commit

    def is_rejected(self, job: CiJob) -> bool:
        """Whether a submission was rejected as it is now, brought as it was and beside the same
        files.
        """
        return any(line["event"] == "rejected" and line["commit"] == job.commit
                   and line.get("seen", "") in ("", self.seen(job.place))
                   for line in self._by_key.get(job.key, ()))

    @cached_property
    def _by_key(self) -> dict[str, list[Line]]:
        return self.ledger.by_key()

    def paths_of(self, job: CiJob) -> list[TreeEntry]:
        """The paths of the submission of a job, as they were when its predictions were written."""
        if self.latest.get(job.path, Added("", "")).commit == job.commit:
            return self.of(job.place)
        return self.repository.tree(job.commit, job.place.path)


def _last_written(touches: Sequence[Touch], otherwise: str) -> Added:
    written = [touch for touch in touches if not touch.removed]
    return written[-1].added if written else Added(otherwise, "")


def _job(board: Board, place: SubmissionName, split: str, digest: str, came: Added) -> CiJob:
    return CiJob(*place, split, key(board, place, split, digest), digest, *came)


def key(board: Board, place: SubmissionName, split: str, predictions: str) -> str:
    """The key under which a submission is planned, tried and recorded.

    Names the submission too: two of the same bytes are two rows.
    """
    parts = {"board": [board.id, board.version, split], "gold": gold.identity(board, split),
             "predictions": predictions, "scorer": __version__,
             "submission": [place.team, place.system]}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def is_current(document: Any, board: Board, job: CiJob, tags: Sequence[str] | None = None) -> bool:
    """Whether a committed result is of these bytes, this board, gold, scorer, models and tags.

    On any machine: planning does not know on which one it was computed. ``tags``: those of the
    submission, None if they are not known. Results on hidden gold have none.
    """
    try:
        same = (document["predictions"]["sha256"] == job.predictions
                and document["board_version"] == board.version
                and (tags is None or board.splits[job.split].gold != "public"
                     or document.get("tags", []) == [*tags])
                and document["scorer"]["version"] == __version__
                and gold.identity(board, job.split) in (None, document["gold"]["id"]))
        return same and all(_MODELS.fits(name, tag) for name, tag in document["models"].items())
    except (KeyError, TypeError, AttributeError):
        return False


def is_of_system(path: str) -> bool:
    """Whether a path below ``results`` is of one system; what people said lies there too.

    >>> is_of_system("results/b/t/s/dev.json"), is_of_system("results/b/metric-agreement.json")
    (True, False)
    """
    return path.count("/") == 4


def result_documents(main: Main) -> dict[str, Any]:
    """Every committed result by its path, as JSON; None for what cannot be read."""
    paths = {entry.path: entry.oid for entry in main.repository.tree(main.commit, RESULTS)
             if is_of_system(entry.path) and entry.path.endswith(".json") and entry.mode == FILE}
    contents = main.repository.blobs(list(paths.values()))
    return {path: _json(contents[oid]) for path, oid in paths.items()}


def _json(content: bytes) -> Any:
    try:
        return json.loads(content) if len(content) <= LARGEST_RESULT else None
    except (ValueError, RecursionError):
        return None
