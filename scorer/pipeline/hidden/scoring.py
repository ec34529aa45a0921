"""Scoring files with hidden gold, each in a confined process: released results come back, or codes.

Workers that may see gold are silent, without keys or network, killed when late, one at a time. The
work reaches the worker through a pipe; it lives on from one job to the next, so that models load
once. A result is made ready for publication where it is computed, so that scores of single items
never leave that process.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import GoldId, Golds
from scorer.core.errors import UsageError
from scorer.core.results import Result
from scorer.models.endpoint import key_variables
from scorer.models.registry import Models
from scorer.pipeline.hidden.release import released
from scorer.pipeline.hidden.sealed import Envelope, GoldError, read_items
from scorer.scoring.checking import check_file
from scorer.scoring.engines import local
from scorer.scoring.engines.outcomes import Answer, Failure, Job, Make, Quiet
from scorer.scoring.engines.process import can_leave_network
from scorer.scoring.submissions import Scorer, open_submission

NETWORK_KEPT = "| metrics keep the network: this system lets no process of ours leave it"
"""What the log says where the workers cannot be taken off the network."""
_CODES = {"timeout": "GOLD-TIME", "memory": "GOLD-MEMORY"}


def confined(
    make: Make[Job, Answer], jobs: Sequence[Job], seconds: float, *, memory: float | None = None,
    network: bool = False,
) -> Iterator[tuple[Job, Answer | GoldError]]:
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
    for job, answer in local.run(Quiet[Job, Answer | None](make, _nothing), jobs, seconds=seconds,
                                 memory=memory, network=not cut):
        if answer is None or isinstance(answer, Failure):
            code = _CODES.get(answer.code, "") if answer else ""
            yield job, GoldError(code or "GOLD-SCORE", str(job))
        else:
            yield job, answer


def _nothing(_: BaseException) -> None:
    return None


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

    def __call__(self) -> Callable[[HiddenJob], Result]:
        """The function that a worker runs; it makes the result that may be published."""
        board, scorer = boards.load(self.board), Scorer(self.model_store(), self.home)
        identity = GoldId(self.gold.hmac, board.split(self.gold.split).golds, public=False)
        gold = Golds.of(read_items(board, self.gold), identity)
        return lambda job: self.answer(scorer, board, gold, job)

    def answer(self, scorer: Scorer, board: Board, gold: Golds, job: HiddenJob) -> Result:
        """What may be published of one file."""
        scored = scorer.file(board, Path(job.predictions), self.gold.split, gold)
        named = scored.result.replace(team=job.team, system=job.system)
        return released(named, board, datetime.date.fromisoformat(job.day))

    def model_store(self) -> Models:
        """The models that it scores with; none is loaded yet.

        Raises UsageError for an endpoint: hidden items leave this machine for no judge.
        """
        if key_variables(self.sources):
            raise UsageError("hidden items leave this machine for no judge: name no endpoint")
        return Models(self.sources, **{**self.models, "cache": None})


def score_folder(work: HiddenScoring, folder: Path, seconds: float, memory: float | None) -> Result:
    """What would be published of a submission whose turn were today.

    Raises SubmissionError for its faults, UsageError for an endpoint, GoldError for anything else.
    """
    work.model_store()
    sent, split = open_submission(folder), work.gold.split
    path = sent.predictions(split)
    board = boards.load(work.board)
    check_file(board, path, rows=board.split(split).rows).accepted()
    today = datetime.datetime.now(datetime.UTC).date()
    job = HiddenJob(sent.team, sent.system, str(path.resolve()), str(today))
    [(_, answer)] = confined(work, [job], seconds, memory=memory,
                             network=bool(work.models.get("network")))
    if isinstance(answer, GoldError):
        raise answer
    return answer
