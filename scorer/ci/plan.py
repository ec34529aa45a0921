"""What is to be scored now: merged submissions without a result, oldest first, fair to teams."""

from __future__ import annotations

import datetime
import json
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter

from scorer.ci import gold, owners, reading
from scorer.ci.github import GitHub
from scorer.ci.main_branch import CiJob, Main, Oid, Slug
from scorer.ci.owners import Settled
from scorer.ci.scope import described
from scorer.ci.states import State, states
from scorer.errors import DataError
from scorer.reading.documents import STRICT

SECONDS_PER_ITEM = 0.25
"""What planning reckons with; the scorer's own limits are what holds."""
BUDGET = 60 * 60
"""Seconds of work in one run; what is left over comes next."""
MOST_JOBS = 150
"""With those rejected: a plan travels as one output."""
MOST_SETTLED = 100
"""Of other files of which the ledger may speak; what is left over comes next."""


def _day(text: str) -> str:
    if datetime.date.fromisoformat(text).isoformat() != text:
        raise ValueError("no day as YYYY-MM-DD")
    return text


def _of_submission(one: Settled) -> Settled:
    if described(one.path) is None:
        raise ValueError("no file of a submission")
    return one


@dataclass(frozen=True)
class CiPlan:
    """One run's work, and what it found that cannot be scored.

    Its limits hold for one that came through a workflow.
    """

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    commit: Oid
    """The commit of the main branch it was made from."""
    jobs: tuple[CiJob, ...]
    rejected: tuple[tuple[CiJob, Annotated[str, Field(pattern="^[A-Z0-9-]{3,40}$")]], ...] = ()
    """With the rule that each breaks."""
    left: int = 0
    """Submissions left for the next run."""
    day: Annotated[str, AfterValidator(_day)] = "1970-01-01"
    """The day it was made: until when values of hidden splits are released."""
    owners: Mapping[Slug, int] = field(default_factory=dict, hash=False)
    """Accounts of teams it names or with files for hidden splits, where the ledger has none."""
    settled: tuple[Annotated[Settled, AfterValidator(_of_submission)], ...] = ()
    """What else the ledger may tell now: it is known who made it."""
    schema: Literal[2] = 2

    def to_json(self) -> dict[str, Any]:
        """As it travels between the jobs of a workflow."""
        found: dict[str, Any] = TypeAdapter(CiPlan).dump_python(self, mode="json")
        return found


def make(main: Main, home: Path, *, retry_errors: bool = False, budget: float = BUDGET,
         day: str = "1970-01-01", github: GitHub | None = None) -> CiPlan:
    """Plan from the main branch. Judges again, by trusted code, what a pull request check judged.

    What waits for gold is judged too, and only rejected. ``home``: fetched data. ``day``: today.
    ``github``: tells who brought what; where it gives no answer, submissions are left. The same
    branch, day and answers always give the same plan.
    """
    asked = [state.job for state in in_turn(list(states(main, day))) if state.job.key]
    known = owners.ask(main, asked, github)
    main.vouch({one.path for one in known.settled if one.kind == "described"})
    found = in_turn(list(states(main, day)))
    queue = [state for state in found
             if state.name == "queued" or (retry_errors and state.name == "error")]
    waiting = [state for state in found if state.name == "valid"][:MOST_JOBS]

    def rule_of(job: CiJob) -> str | None:
        return known.refused.get(job) or broken_rule(main, job, home)

    jobs: list[CiJob] = []
    judged = [(state.job, rule_of(state.job)) for state in waiting
              if state.job not in known.unknown]
    rejected = [(job, rule) for job, rule in judged if rule is not None]
    known_bad = len(rejected)
    spent = 0.0
    for state in queue:
        if state.job in known.unknown:
            continue
        cost = main.boards[state.job.board].splits[state.job.split].rows * SECONDS_PER_ITEM
        if (jobs and spent + cost > budget) or len(jobs) + len(rejected) == MOST_JOBS:
            break
        rule = rule_of(state.job)
        if rule is not None:
            rejected.append((state.job, rule))
        else:
            jobs.append(state.job)
            spent += cost
    done = len(jobs) + len(rejected) - known_bad
    named = {job.team for job in (*jobs, *(job for job, _ in rejected))}
    named |= {job.team for job in main.jobs() if gold.is_hidden(main.board(job), job.split)}
    accounts = {team: known.owners[team] for team in sorted(named) if team in known.owners}
    planned = {job.path for job in (*jobs, *(job for job, _ in rejected))}
    settled = [one for one in known.settled if one.path not in planned][:MOST_SETTLED]
    return CiPlan(main.commit, tuple(jobs), tuple(rejected), len(queue) - done, day, accounts,
                  tuple(settled))


def in_turn(found: Sequence[State]) -> list[State]:
    """Untried ones first, every team's oldest before any team's second, the oldest merge first."""
    oldest = sorted(found, key=lambda state: (state.job.date, state.job.result_path))
    seen: Counter[str] = Counter()
    ranked = []
    for state in oldest:
        ranked.append((state.attempts, seen[state.job.team], state.job.date, state))
        seen[state.job.team] += 1
    return [entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:3])]


def broken_rule(main: Main, job: CiJob, home: Path) -> str | None:
    """The rule that a merged submission breaks, or None if it can be scored."""
    with tempfile.TemporaryDirectory() as folder:
        found = reading.read(main.repository, main.paths_of(job), job.place,
                             main.boards[job.board], home, Path(folder), [job.split],
                             scoped=True)
    return None if found.ok else found.rule()


def from_json(document: Any) -> CiPlan:
    """A plan as it came through a workflow. Raises DataError if it is none."""
    try:
        if set(document) != {one.name for one in fields(CiPlan)}:
            raise ValueError("a key is missing, or one too many")
        return TypeAdapter(CiPlan).validate_json(json.dumps(document))
    except (TypeError, ValueError) as fault:
        raise DataError("no plan; make one with: scorer ci plan") from fault
