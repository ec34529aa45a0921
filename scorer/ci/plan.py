"""What is to be scored now: merged submissions without a result, oldest first, fair to teams."""

from __future__ import annotations

import datetime
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from scorer.ci import gold, owners, reading
from scorer.ci.git import is_oid
from scorer.ci.github import GitHub
from scorer.ci.main_branch import Job, Main
from scorer.ci.owners import Settled
from scorer.ci.scope import described
from scorer.ci.states import State, states
from scorer.errors import DataError

SECONDS_PER_ITEM = 0.25
"""What planning reckons with; the scorer's own limits are what holds."""
BUDGET = 60 * 60
"""Seconds of work in one run; what is left over comes next."""
MOST_JOBS = 150
"""With those rejected: a plan travels as one output."""
MOST_SETTLED = 100
"""Of other files of which the ledger may speak; what is left over comes next."""
SCHEMA = 2
_HEX = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[a-z0-9-]{1,40}")


@dataclass(frozen=True)
class Plan:
    """One run's work, and what it found that cannot be scored."""

    commit: str
    """The commit of the main branch it was made from."""
    jobs: tuple[Job, ...]
    rejected: tuple[tuple[Job, str], ...] = ()
    """With the rule that each breaks."""
    left: int = 0
    """Submissions left for the next run."""
    day: str = "1970-01-01"
    """The day it was made: until when values of hidden splits are released."""
    owners: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Accounts of teams it names or with files for hidden splits, where the ledger has none."""
    settled: tuple[Settled, ...] = ()
    """What else the ledger may tell now: it is known who made it."""

    def to_json(self) -> dict[str, Any]:
        """As it travels between the jobs of a workflow."""
        return {
            "schema": SCHEMA, "commit": self.commit, "left": self.left,
            "day": self.day, "owners": dict(self.owners),
            "jobs": [asdict(job) for job in self.jobs],
            "rejected": [{"job": asdict(job), "rule": rule} for job, rule in self.rejected],
            "settled": [list(one) for one in self.settled],
        }


def make(main: Main, home: Path, *, retry_errors: bool = False, budget: float = BUDGET,
         day: str = "1970-01-01", github: GitHub | None = None) -> Plan:
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

    def rule_of(job: Job) -> str | None:
        return known.refused.get(job) or broken_rule(main, job, home)

    jobs: list[Job] = []
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
    return Plan(main.commit, tuple(jobs), tuple(rejected), len(queue) - done, day, accounts,
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


def broken_rule(main: Main, job: Job, home: Path) -> str | None:
    """The rule that a merged submission breaks, or None if it can be scored."""
    with tempfile.TemporaryDirectory() as folder:
        found = reading.read(main.repository, main.paths_of(job), job.place,
                             main.boards[job.board], home, Path(folder), [job.split],
                             scoped=True)
    return None if found.ok else found.rule()


def from_json(document: Any) -> Plan:
    """A plan as it came through a workflow. Raises DataError if it is none."""
    try:
        if document["schema"] != SCHEMA or not is_oid(document["commit"]):
            raise ValueError("schema or commit")
        return Plan(
            document["commit"], tuple(_job(entry) for entry in document["jobs"]),
            tuple((_job(entry["job"]), _rule(entry["rule"])) for entry in document["rejected"]),
            int(document["left"]), _day(document["day"]), _accounts(document["owners"]),
            tuple(_settled(*entry) for entry in document["settled"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        said = f"no plan ({type(fault).__name__}); make one with: scorer ci plan"
        raise DataError(said) from fault


def _settled(path: Any, commit: Any, kind: Any) -> Settled:
    kinds = ("accepted", "described", "disowned", "removed")
    if described(str(path)) is None or not is_oid(commit) or kind not in kinds:
        raise ValueError("settled")
    return Settled(path, commit, kind)


def _day(text: Any) -> str:
    if datetime.date.fromisoformat(text).isoformat() != text:
        raise ValueError("day")
    return str(text)


def _accounts(found: Any) -> dict[str, int]:
    if not all(_NAME.fullmatch(team) and type(number) is int for team, number in found.items()):
        raise ValueError("owners")
    return dict(found)


def _rule(text: Any) -> str:
    if not isinstance(text, str) or not re.fullmatch(r"[A-Z0-9-]{3,40}", text):
        raise ValueError("rule")
    return text


def _job(entry: Any) -> Job:
    values = {field.name: entry[field.name] for field in fields(Job)}
    if not all(isinstance(value, str) for value in values.values()):
        raise ValueError("job")
    job = Job(**values)
    sound = (all(_NAME.fullmatch(name) for name in (*job.place, job.split))
             and _HEX.fullmatch(job.key) and _HEX.fullmatch(job.predictions)
             and is_oid(job.commit) and re.fullmatch(r"[0-9TZ:-]{0,20}", job.date))
    if not sound:
        raise ValueError("job")
    return job
