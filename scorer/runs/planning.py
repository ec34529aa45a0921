"""What a run has to do: the jobs of some submissions, or of one of N disjoint parts of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from scorer.engines.outcomes import Failure, failure_of
from scorer.errors import DataError, Problem, SubmissionError, UsageError, excerpt
from scorer.files import sha256_file
from scorer.metrics.catalogue import METRICS
from scorer.records import Result
from scorer.scoring.submissions import Scorer, ScorerRecipe, open_submission
from scorer.submission import SubmissionName


def place_of(folder: Path) -> SubmissionName:
    """The place of a submission's folder. Raises UsageError for one that has none."""
    path = folder.resolve()
    if not path.parent.parent.name:
        raise UsageError(f"{folder} is no submission's folder; name "
                         "submissions/<board>/<team>/<system>")
    return SubmissionName(path.parent.parent.name, path.parent.name, path.name)


@dataclass(frozen=True)
class Shard:
    """One of ``count`` disjoint parts of a run; ``number`` begins with 1."""

    number: int
    count: int

    def has(self, place: SubmissionName) -> bool:
        """Whether a submission is of this part; decided by its name alone, so anywhere the same."""
        digest = hashlib.sha256(str(place).encode()).digest()
        return int.from_bytes(digest) % self.count == self.number - 1


def shard(text: str) -> Shard:
    """Read ``I/N``. Raises UsageError.

    >>> shard("2/4")
    Shard(number=2, count=4)
    """
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    number, count = (int(found[1]), int(found[2])) if found else (0, 0)
    if not 1 <= number <= count:
        raise UsageError(f"--shard {excerpt(text)}: write I/N, part I of N, such as 1/4 ... 4/4")
    return Shard(number, count)


@dataclass(frozen=True)
class SplitJob:
    """One split of one submission."""

    folder: Path
    split: str
    sha256: str
    """Digest of the predictions."""

    @property
    def place(self) -> SubmissionName:
        """Which submission it is of."""
        return place_of(self.folder)


class JobOutcome(NamedTuple):
    """What became of a job that went well."""

    result: Result | None
    """None: the result that was already there is the one that scoring would give."""
    reused: int = 0
    """How many values were taken from earlier results."""
    notes: tuple[Problem, ...] = ()
    """What there is to say of its file beside the score."""


@dataclass
class RunPlan:
    """What a run has to do, and what it already knows it cannot do."""

    folders: dict[SubmissionName, Path] = field(default_factory=dict)
    jobs: list[SplitJob] = field(default_factory=list)
    failed: dict[SubmissionName, Failure] = field(default_factory=dict)
    """Submissions whose folder or metadata are at fault."""
    missing: dict[str, tuple[Failure, list[SubmissionName]]] = field(default_factory=dict)
    """Boards and gold that are not to be had here, and the submissions that need them."""
    models: tuple[str, ...] = ()
    """The models that the boards' metrics ask for."""

    def miss(self, failure: Failure, place: SubmissionName) -> None:
        """Note what a submission lacks here."""
        self.missing.setdefault(failure.message, (failure, []))[1].append(place)


def plan(recipe: ScorerRecipe, folders: Sequence[Path], part: Shard | None = None) -> RunPlan:
    """The jobs of some submissions' folders; where two have one place, the first is taken.

    Raises UsageError for metrics that one of the boards does not have.
    """
    found, scorer = RunPlan(), recipe.scorer()
    for folder in folders:
        place = place_of(folder)
        if place not in found.folders and (part is None or part.has(place)):
            found.folders[place] = folder
            _plan_one(found, scorer, folder, place)
    wanted = [name for board in scorer.boards_read()
              for name in scorer.session(board).metrics or board.metrics]
    models = (METRICS[name].model for name in wanted)
    found.models = tuple(sorted({model for model in models if model is not None}))
    return found


def _plan_one(found: RunPlan, scorer: Scorer, folder: Path, place: SubmissionName) -> None:
    try:
        sent = open_submission(folder)
    except (SubmissionError, UsageError) as fault:
        found.failed[place] = failure_of(fault)
        return
    try:
        splits = scorer.splits(sent)
    except (SubmissionError, UsageError) as fault:  # of board.yaml
        found.miss(failure_of(fault), place)
        return
    scorer.session(scorer.board(sent))
    for split in splits:
        try:
            scorer.gold_for(sent, split)
        except DataError as fault:
            found.miss(failure_of(fault), place)
        else:
            digest = sha256_file(sent.predictions(split))
            found.jobs.append(SplitJob(folder, split, digest))
