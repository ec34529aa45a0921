"""Scoring files with hidden gold, each in a confined process: released results come back, or codes.

Workers that may see gold are silent, without keys or network, killed when late, one at a time. The
work reaches the worker through a pipe; it lives on from one job to the next, so that models load
once. A result is made ready for publication where it is computed, so that scores of single items
never leave that process.
"""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import GoldId, Golds
from scorer.core.errors import UsageError
from scorer.core.files import json_bytes
from scorer.models.endpoint import key_variables
from scorer.models.registry import Models
from scorer.pipeline.hidden.release import released
from scorer.pipeline.hidden.sealed import Envelope, GoldError, read_items
from scorer.scoring.checking import check_file, raise_if_wrong
from scorer.scoring.engines import local
from scorer.scoring.engines.outcomes import Failure, Job, Make, Quiet
from scorer.scoring.engines.process import can_leave_network
from scorer.scoring.submissions import Scorer, open_submission

NETWORK_KEPT = "| metrics keep the network: this system lets no process of ours leave it"
"""What the log says where the workers cannot be taken off the network."""
_CODES = {"timeout": "GOLD-TIME", "memory": "GOLD-MEMORY"}


def confined(
    make: Make[Job, bytes], jobs: Sequence[Job], seconds: float, *, memory: float | None = None,
    network: bool = False,
) -> Iterator[tuple[Job, bytes | GoldError]]:
    """Every job with its answer, GOLD-TIME if it was late, GOLD-MEMORY if it took too much,
    or GOLD-SCORE for anything else.

    ``seconds``: how long a job may take when its worker is ready; ``memory``: GiB that the worker
    may have. A job whose worker dies is tried once more. ``network``: whether the work needs it,
    to fetch models. Without, it is taken away where the system allows that; elsewhere one line on
    standard error says so. Raises DataError if no worker can be had.
    """
    cut = bool(jobs) and not network and can_leave_network()
    if jobs and not network and not cut:
        print(NETWORK_KEPT, file=sys.stderr)
    for job, answer in local.run(Quiet(make, _nothing), jobs, seconds=seconds, memory=memory,
                                 network=not cut):
        if isinstance(answer, bytes) and answer:
            yield job, answer
        else:
            code = _CODES.get(answer.code, "") if isinstance(answer, Failure) else ""
            yield job, GoldError(code or "GOLD-SCORE", str(job))


def _nothing(_: BaseException) -> bytes:
    return b""


class HiddenJob(NamedTuple):
    """One file to be scored."""

    team: str
    system: str
    predictions: str
    """The file's path."""
    day: str
    """The day on which its value may be released, YYYY-MM-DD."""

    def __str__(self) -> str:
        return f"{self.team}/{self.system}"


@dataclass(frozen=True)
class HiddenScoring:
    """Makes the work of the confined process. Its text form shows no gold."""

    board: Path
    gold: Envelope = field(repr=False)
    home: Path
    sources: Mapping[str, str] = field(default_factory=dict)
    """Model name -> where it is looked for."""
    models: Mapping[str, Any] = field(default_factory=dict)
    """Further options of Models; no cache: what models are asked may hold gold."""

    def __call__(self) -> Callable[[HiddenJob], bytes]:
        """The function that a worker runs; it makes the document that may be published."""
        board, scorer = boards.load(self.board), Scorer(self.model_store(), self.home)
        identity = GoldId(self.gold.hmac, board.split(self.gold.split).golds, public=False)
        gold = Golds.of(read_items(board, self.gold), identity)
        return lambda job: self.answer(scorer, board, gold, job)

    def answer(self, scorer: Scorer, board: Board, gold: Golds, job: HiddenJob) -> bytes:
        """The bytes of the document of one file."""
        result = scorer.file(board, Path(job.predictions), self.gold.split, gold)
        named = result.replace(team=job.team, system=job.system)
        day = datetime.date.fromisoformat(job.day)
        return json_bytes(released(named, board, day).to_json())

    def model_store(self) -> Models:
        """The models that it scores with; none is loaded yet.

        Raises UsageError for an endpoint: hidden items leave this machine for no judge.
        """
        if key_variables(self.sources):
            raise UsageError("hidden items leave this machine for no judge: name no endpoint")
        return Models(self.sources, **{**self.models, "cache": None})


def score(
    work: HiddenScoring, jobs: Sequence[HiddenJob], seconds: float, memory: float | None = None,
) -> Iterator[tuple[HiddenJob, dict[str, Any] | GoldError]]:
    """Each job with the document that may be published of it, or a code and nothing else.

    ``seconds``: limit for one file; ``memory``: GiB that the process may have. Raises UsageError
    for an endpoint.
    """
    work.model_store()
    fetches = bool(work.models.get("network"))
    for job, answer in confined(work, jobs, seconds, memory=memory, network=fetches):
        yield job, answer if isinstance(answer, GoldError) else json.loads(answer)


def score_folder(
    work: HiddenScoring, folder: Path, seconds: float, memory: float | None,
) -> dict[str, Any]:
    """The document that would be published of a submission whose turn were today.

    Raises SubmissionError for its faults, GoldError for anything else.
    """
    sent, split = open_submission(folder), work.gold.split
    path = sent.predictions(split)
    raise_if_wrong(check_file(boards.load(work.board), path, split=split)[0])
    today = datetime.datetime.now(datetime.UTC).date()
    job = HiddenJob(sent.team, sent.system, str(path.resolve()), str(today))
    [(_, document)] = score(work, [job], seconds, memory)
    if isinstance(document, GoldError):
        raise document
    return document
