"""Scoring files with hidden gold, each in a confined process, and what of it is released when.

Workers that may see gold are silent, without keys or network, killed when late, one at a time. The
work reaches the worker through a pipe; it lives on from one job to the next, so that models load
once. A result is made ready for publication where it is computed, so that scores of single items
never leave that process.

The rule of release is one value an owner a period, on its day, rounded; turns in merge order. Days
are a function of what was merged and nothing else, so whoever reads the main branch computes the
same ones, and a later merge never changes an earlier day. A file that is withdrawn, removed or
cannot be scored keeps its turn: its owner could know what became of it. The days are what protects
labels; the grid keeps two files that differ in a row or two from showing those rows by accident.
"""

from __future__ import annotations

import datetime
import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from scorer import boards
from scorer.boards import Board
from scorer.boards.golds import GoldId, Golds
from scorer.boards.policy import chosen, shown
from scorer.core.errors import DataError, UsageError
from scorer.core.results import MetricValue, Release, Released, Result, Unmeasured
from scorer.metrics.catalogue import METRICS, WHOLE_SPLIT
from scorer.models.endpoint import key_variables
from scorer.models.registry import Models
from scorer.pipeline.hidden.sealed import Envelope, GoldError, read_items
from scorer.scoring.checking import check_file
from scorer.scoring.engines import local
from scorer.scoring.engines.outcomes import Answer, Failure, Job, Make, Quiet
from scorer.scoring.engines.process import can_leave_network
from scorer.scoring.submissions import Scorer, open_submission

NETWORK_KEPT = "| metrics keep the network: this system lets no process of ours leave it"
"""What the log says where the workers cannot be taken off the network."""
_CODES = {"timeout": "GOLD-TIME", "memory": "GOLD-MEMORY"}


# ---- whose turn is when --------------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """A predictions file of one split, when it first came to the main branch."""

    path: str
    oid: str
    """The object that git keeps of its bytes."""
    merged: datetime.date
    owners: frozenset[str | int]
    """Its team's name, and the id of every account that owned the team up to then."""


def release(turns: Sequence[Turn], wait: int) -> list[datetime.date]:
    """For each file the day on which its value may be released.

    That is the day of its merge, or ``wait`` days after the last of its group: all teams that are
    connected by owners, up to then. ``turns``: those of one split, in the order of the merges.
    """
    groups: dict[str | int, tuple[frozenset[str | int], datetime.date]] = {}
    days = []
    for turn in turns:
        linked = {groups[owner] for owner in turn.owners if owner in groups}
        day = max([turn.merged, *(last + datetime.timedelta(wait) for _, last in linked)])
        owners = turn.owners.union(*(others for others, _ in linked))
        groups |= dict.fromkeys(owners, (owners, day))
        days.append(day)
    return days


# ---- what is released ----------------------------------------------------------------------------


def _width(grid: str, highest: float) -> Fraction:
    """The step of a grid, which is in hundredths of a metric's greatest value."""
    return Fraction(grid) / 100 * Fraction(highest)


def step(grid: str, highest: float = 1.0) -> float:
    """A grid in the unit of a metric whose greatest value is ``highest``.

    >>> step("0.5"), step("0.5", 10.0)
    (0.005, 0.05)
    """
    return float(_width(grid, highest))


def rounded(value: float, grid: str, highest: float = 1.0) -> float:
    """The multiple of the grid nearest to ``value``, ties upwards, as the float nearest to it.

    ``value``: in the metric's unit, finite; taken as the simple fraction it stands for, so that
    261 / 400 is a tie. Raises ValueError for no finite number.

    >>> rounded(261 / 400, "0.5"), rounded(0.6524, "0.5"), rounded(1 / 3, "2.5")
    (0.655, 0.65, 0.325)
    >>> rounded(6.524, "0.5", 10.0)
    6.5
    """
    if not math.isfinite(value):
        raise ValueError("only a finite number can be rounded")
    width, exact = _width(grid, highest), Fraction(value).limit_denominator(10**9)
    return float(math.floor(exact / width + Fraction(1, 2)) * width)


def unmeasured(name: str) -> str:
    """Why a released result has no value of a metric that the scoring machine did not measure, or
    that is no mean over items. The same on every machine."""
    info = METRICS[name]
    if info.total is not None:
        return f"not released: {WHOLE_SPLIT}"
    return f"not measured: {info.model} was not at hand" if info.model else "not measured"


def released(result: Result, board: Board, day: datetime.date) -> Result:
    """What may be published of a result: values on the grid or the reason for none.

    As many metrics have a value as the board releases, those that are ranked by first. Precision
    and recall, means over what passed, counts of annotations and broken rules, the null, and
    everything about single items stay behind. What is released already stays as it is, and
    nothing else does: so the publisher, who has no gold, tells the released form from any other.
    Raises DataError where no metric that is ranked by was measured: another would take its turn.
    """
    rows = result.counts["items"]
    grid = chosen(board.release, rows)
    measured = [name for name in board.metrics
                if name in result.metrics and METRICS[name].total is None
                and (result.metrics[name].value is not None
                     or result.metrics[name].reason == board.release.withheld)]
    public = {name: result.metrics[name].value
              for name in shown(board.ranking, measured, board.release.values)}
    if grid is None or public.keys().isdisjoint(board.ranking) or None in public.values():
        raise DataError(f"{board.id} {result.split}: nothing that may be released was measured")

    def value(name: str) -> MetricValue:
        exact, highest = public.get(name), METRICS[name].highest
        if exact is not None:
            return Released(value=rounded(exact, grid, highest), n=rows,
                            grid=step(grid, highest), signature=result.metrics[name].signature)
        reason = board.release.withheld if name in measured else unmeasured(name)
        return Unmeasured(value=None, reason=reason, n=rows)

    return result.replace(
        counts={"items": rows, "broken": {}, "strict": {}},
        metrics={name: value(name) for name in result.metrics}, items=(),
        release=Release(day=str(day)))


# ---- the confined process ------------------------------------------------------------------------


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
