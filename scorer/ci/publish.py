"""Publishing: checked results and ledger lines onto the main branch, as often as it moves on.

A commit is made of objects, on the newest main branch, and pushed; if another push came first,
everything is derived again on the new one. Nothing is rebased and nothing is half done: until the
push there is nothing to see, after it there is all of it.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from scorer.ci import artifact, generated, gold, ledger
from scorer.ci.artifact import Outcome
from scorer.ci.errors import TryAgain
from scorer.ci.events import events
from scorer.ci.git import Repository
from scorer.ci.history import HiddenHistory, of_split
from scorer.ci.leaderboards import leaderboards, outdated
from scorer.ci.main_branch import CiJob, Main, result_documents
from scorer.ci.plan import CiPlan
from scorer.ci.recomputed import Recomputed
from scorer.ci.released import Expected
from scorer.errors import DataError
from scorer.records import Result
from scorer.results import files as results
from scorer.results import past
from scorer.runs.rescoring import Ranks, key_of, ranks, replaced
from scorer.submission import RESERVED

BRANCH = "main"
MOST_PUSHES = 12
MOST_ATTEMPTS = 3
"""Runs in which the machine may fail on a job."""
PAUSE = 0.5
"""Seconds within which the second attempt comes; each further one may wait twice as long."""
LONGEST_PAUSE = 20.0


@dataclass
class Publication:
    """What a plan and its artifact become on one commit of the main branch."""

    files: dict[str, bytes] = field(default_factory=dict)
    outcomes: dict[CiJob, Outcome] = field(default_factory=dict)

    def message(self) -> str:
        """The commit's message: counts only."""
        kinds = [outcome.kind for outcome in self.outcomes.values()]
        said = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        return f"Publish results: {said or ('leaderboards' if self.files else 'nothing')}\n"


def publish(repository: Repository, plan: CiPlan, handed: Path, boards: Path,
            *, failed: bool = False, pause: float = PAUSE, home: Path = Path(),
            own: Recomputed | None = None) -> tuple[str, Publication]:
    """Push what a plan became; returns the commit that holds it.

    ``handed``: the folder of outcomes. ``home``: fetched data. ``failed``: whether the scoring
    machine was there and failed. ``own``: scores that need not be computed again.
    Raises TryAgain if twelve attempts were overtaken.
    """
    own = own or Recomputed(home)
    for attempt in range(MOST_PUSHES):
        repository.fetch(f"+refs/heads/{BRANCH}:refs/remotes/origin/{BRANCH}")
        tip = repository.commit(f"refs/remotes/origin/{BRANCH}")
        if generated.changed_by_others(repository, tip, plan.commit):
            raise TryAgain("others changed results or the ledger since the plan was made; the next "
                           "run plans again")
        found = derive(Main.read(repository, tip, boards), plan, handed, failed, home, own)
        commit = repository.committed(tip, found.files, found.message())
        if commit == tip or repository.push(commit, BRANCH):
            return commit, found
        time.sleep(random.uniform(0, min(LONGEST_PAUSE, pause * 2**attempt)))  # noqa: S311
    raise TryAgain(f"the main branch moved on {MOST_PUSHES} times; the next run publishes")


@dataclass
class Before:
    """The results of the branch as they are, of which those that are replaced are kept."""

    main: Main

    @cached_property
    def documents(self) -> dict[str, Any]:
        """Every result by its path, as JSON."""
        return result_documents(self.main)

    @cached_property
    def ranks(self) -> Ranks:
        """Every row's rank intervals."""
        items = {path: oid for path in self.documents
                 if (oid := self.main.results.get(path.removesuffix(".json") + ".items.tsv"))}
        contents = self.main.repository.blobs(list(items.values()))
        found = (_result(document, contents.get(items.get(path, ""), b""))
                 for path, document in self.documents.items())
        return ranks([result for result in found if result is not None], self.main.withdrawn)

    def keep(self, found: Publication, job: CiJob, new: Result) -> bool:
        """Keep what a result says that is replaced; returns whether one of the same bytes was."""
        old = replaced(self.documents.get(job.result_path), new)
        if old is None:
            return False
        kept = past.ranked(old, self.ranks.get(key_of(new), {}))
        found.files[job.past_path] = past.extended(
            self.main.result_bytes(job.past_path), kept)
        return True


def _result(document: Any, items: bytes) -> Result | None:
    """A committed result with its items; None for any other document, or one of another schema."""
    if not isinstance(document, dict) or "metrics" not in document:
        return None
    try:
        return results.from_json(document, items)
    except DataError:
        return None


def derive(main: Main, plan: CiPlan, handed: Path, failed: bool = False,
           home: Path = Path(), own: Recomputed | None = None) -> Publication:
    """What to write on this commit of the main branch. Does not depend on what was tried before.

    ``own``: scores that need not be computed again.
    """
    main.vouch({one.path for one in plan.settled if one.kind == "described"})
    for line in events(main, plan.settled, plan.jobs):
        _record(main, line)
    found, before = Publication(), Before(main)
    known = {job.key: job for job in main.jobs()}
    told, tags = main.ledger.by_key(), main.tags
    hidden = histories(main, plan, home)
    lost = failed and not (handed.is_dir() and any(handed.iterdir()))
    # The branch may no longer hold these bytes, this board or this scorer.
    jobs = [job for job in plan.jobs if known.get(job.key) == job]
    own = own or Recomputed(home)
    own.add(main, [job for job in jobs if artifact.says(handed, job) == "scored"])
    for job in jobs:
        mine = hidden.get((job.board, job.split))
        outcome = artifact.read(handed, job, main.board(job),
                                Expected(mine, plan.day) if mine is not None else None,
                                own.known.get(job.key), tags.get(job.place))
        if lost and job == plan.jobs[0]:
            outcome = Outcome("started")  # the machine is gone, and this is where it began
        if outcome.kind == "started":
            outcome = _tried(main, job, told.get(job.key, ()), plan.commit)
        _write(main, before, found, job, outcome)
    for job, rule in plan.rejected:
        if known.get(job.key) == job:
            _write(main, before, found, job, Outcome("rejected", rule))
    _owners(main, found, plan.owners)
    _releases(main, found, hidden)
    found.files |= leaderboards(main, found.files, outdated(main, found.files))
    for path, lines in main.ledger.files.items():
        if lines:
            found.files[path] = main.ledger.content(path)
    return found


def _tried(main: Main, job: CiJob, told: Sequence[ledger.Line], run: str) -> Outcome:
    """Record that the machine failed on a job in this run; the third time is an error."""
    earlier = [line for line in told if line["event"] == "attempt" and line["run"] != run]
    number = len(earlier) + 1
    _record(main, job.line("attempt", number=number, run=run))
    return Outcome("error", "SCORER-GAVE-UP") if number >= MOST_ATTEMPTS else Outcome("started")


def _write(main: Main, before: Before, found: Publication, job: CiJob, outcome: Outcome) -> None:
    if outcome.kind == "untried":
        return
    found.outcomes[job] = outcome
    found.files.update(outcome.files)
    if outcome.result is not None:
        kept = before.keep(found, job, outcome.result)
        _record(main, job.line("rescored" if kept else "published",
                               result=outcome.result.provenance["key"]))
    elif outcome.kind == "rejected":
        _record(main, job.line("rejected", rule=outcome.reason, seen=main.seen(job.place)))
    elif outcome.kind == "error":
        _record(main, job.line("error", code=outcome.reason))


def histories(main: Main, plan: CiPlan, home: Path) -> dict[tuple[str, str], HiddenHistory]:
    """The history of every hidden split that a plan speaks of."""
    named = {(job.board, job.split): main.board(job) for job in plan.jobs
             if job.board in main.boards and gold.is_hidden(main.board(job), job.split)}
    return {(name, split): of_split(main, board, split, plan, home)
            for (name, split), board in named.items()}


def _releases(
    main: Main, found: Publication, hidden: Mapping[tuple[str, str], HiddenHistory]
) -> None:
    """Write history and query ledger of each hidden split anew, from all its results."""
    documents = result_documents(main) if hidden else {}
    documents |= {path: json.loads(content) for path, content in found.files.items()
                  if path.endswith(".json")}
    for history in hidden.values():
        found.files |= history.files(documents)


def _record(main: Main, line: ledger.Line) -> None:
    main.ledger.add(ledger.board_file(line["board"]), line)


def _owners(main: Main, found: Publication, owners: Mapping[str, int]) -> None:
    """Record the account of each team that has none yet."""
    told = main.ledger.owners()
    for team in dict.fromkeys(job.team for job in found.outcomes):
        if team not in told and team in owners and team not in RESERVED:
            main.ledger.add(ledger.OWNERS, {"team": team, "id": owners[team]})
