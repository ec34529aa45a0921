"""What a run has to do: the jobs of some submissions, or of one of N disjoint parts of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scorer.boards.submission import SubmissionName, place_of
from scorer.core.errors import DataError, SubmissionError, UsageError, excerpt
from scorer.metrics.catalogue import METRICS
from scorer.scoring.engines.outcomes import Failure, failure_of
from scorer.scoring.submissions import Scorer, ScorerRecipe, open_submission


@dataclass(frozen=True)
class Shard:
    """One of ``count`` disjoint parts of a run; ``number`` begins with 1."""

    number: int
    count: int

    def has(self, name: SubmissionName) -> bool:
        """Whether a submission is of this part; decided by its name alone, so anywhere the same."""
        digest = hashlib.sha256(str(name).encode()).digest()
        return int.from_bytes(digest) % self.count == self.number - 1


def shard(text: str) -> Shard:
    """Read ``I/N``. Raises UsageError.

    >>> shard("2/4")
    Shard(number=2, count=4)
    """
    numbers = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    number, count = (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)
    if not 1 <= number <= count:
        raise UsageError(f"--shard {excerpt(text)}: write I/N, part I of N, such as 1/4 ... 4/4")
    return Shard(number, count)


@dataclass(frozen=True)
class SplitJob:
    """One split of one submission."""

    folder: Path
    split: str

    @property
    def place(self) -> SubmissionName:
        """Which submission it is of."""
        return place_of(self.folder)


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

    def miss(self, failure: Failure, name: SubmissionName) -> None:
        """Note what a submission lacks here."""
        self.missing.setdefault(failure.message, (failure, []))[1].append(name)


def plan(recipe: ScorerRecipe, folders: Sequence[Path], part: Shard | None = None) -> RunPlan:
    """The jobs of some submissions' folders; where two have one place, the first is taken.

    Raises UsageError for metrics that one of the boards does not have.
    """
    made, scorer = RunPlan(), recipe.scorer()
    for folder in folders:
        name = place_of(folder)
        if name not in made.folders and (part is None or part.has(name)):
            made.folders[name] = folder
            _plan_one(made, scorer, folder, name)
    return made


def _plan_one(made: RunPlan, scorer: Scorer, folder: Path, key: SubmissionName) -> None:
    try:
        sent = open_submission(folder)
    except (SubmissionError, UsageError) as fault:
        made.failed[key] = failure_of(fault)
        return
    try:
        splits = scorer.splits(sent)
    except (SubmissionError, UsageError) as fault:  # of board.yaml
        made.miss(failure_of(fault), key)
        return
    board = scorer.board(sent)
    models = {METRICS[name].model for name in scorer.session(board).metrics or board.metrics}
    made.models = tuple(sorted({*made.models, *filter(None, models)}))
    for split in splits:
        try:
            scorer.gold_for(sent, split)
        except DataError as fault:
            made.miss(failure_of(fault), key)
        else:
            made.jobs.append(SplitJob(folder, split))
