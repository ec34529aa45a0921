"""What was merged to a hidden split, out of the main branch: the history its release depends on.

Planner, scorer and publisher derive it alike: every well-formed file in the order of the merges,
with the account that owns its team. What was accepted once stays in it, whatever lies there now.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scorer.board import Board
from scorer.board.policy import chosen
from scorer.ci.ledger import SCORED
from scorer.ci.main_branch import CiJob, Main
from scorer.ci.plan import CiPlan, broken_rule
from scorer.hidden.release.decisions import Decision, query_ledger
from scorer.hidden.release.history import HistoryEntry, to_bytes
from scorer.hidden.release.rules import release_days
from scorer.results import past


@dataclass(frozen=True)
class HiddenHistory:
    """One hidden split: its jobs and their entries, in the order of the merges."""

    board: Board
    split: str
    entries: Mapping[CiJob, HistoryEntry]
    main: Main
    """The branch that it is of, for the values it gave before."""

    @property
    def days(self) -> dict[CiJob, str]:
        """The day on which each one's values may be released."""
        days = release_days(list(self.entries.values()), self.board.release.wait)
        return dict(zip(self.entries, map(str, days), strict=True))

    @property
    def grid(self) -> str | None:
        """The grid of its values; None if none hides single items."""
        return chosen(self.board.release, self.board.splits[self.split].rows)

    def files(self, documents: Mapping[str, Any]) -> dict[str, bytes]:
        """The history and the query ledger, from the published results of the split."""
        grid, named = self.grid, f"{self.board.id}.{self.split}.jsonl"
        told = [(entry, documents[job.result_path]) for job, entry in self.entries.items()
                if documents.get(job.result_path)]
        if grid is None or not told:
            return {}
        measured = [sum(value["value"] is not None for value in document["metrics"].values())
                    for _, document in told]
        lines = query_ledger(
            [entry for entry, _ in told],
            [Decision(document["release"]["answer"], day_of(document)) for _, document in told],
            grid=grid, items=self.board.splits[self.split].rows, metrics=max(measured),
            before=self._before(documents))
        return {f"ledger/history.{named}": to_bytes(list(self.entries.values())),
                f"ledger/queries.{named}": lines}

    def _before(self, documents: Mapping[str, Any]) -> dict[str, int]:
        """How many times each one's values were released before those that are published now."""
        found = {}
        for job, entry in self.entries.items():
            given = past.parse(self.main.result_bytes(job.past_path))
            last = self.main.result_bytes(job.result_path)
            if last and documents.get(job.result_path):
                old = past.of(json.loads(last))
                given += [old] if old.key != documents[job.result_path]["key"] else []
            found[entry.name] = past.releases(given)
        return found


def day_of(document: Any) -> datetime.date:
    """The day of release that a published result names."""
    return datetime.date.fromisoformat(document["release"]["day"])


def of_split(main: Main, board: Board, split: str, plan: CiPlan, home: Path) -> HiddenHistory:
    """The history of a split. ``plan``: has accounts and refusals that the ledger has not yet."""
    told = main.ledger.by_key()
    accounts = {**plan.owners, **main.ledger.owners()}
    refused = {job for job, _ in plan.rejected}
    found: dict[CiJob, HistoryEntry] = {}
    day = "1970-01-01"

    def when(job: CiJob) -> tuple[float, str]:
        touch = main.order.get(job.commit)
        return touch.number if touch is not None else math.inf, job.result_path

    for job in sorted(main.accepted_jobs(board, split), key=when):
        events = {line["event"] for line in told.get(job.key, ())}
        sound = not events.isdisjoint(SCORED) or broken_rule(main, job, home) is None
        if not main.is_rejected(job) and job not in refused and sound:
            owner = accounts.get(job.team, nobody(job.team))
            day = max(day, job.date[:10])  # the clock of who merges may be wrong, the order is not
            found[job] = HistoryEntry(job.team, job.system, owner, day, job.predictions)
    return HiddenHistory(board, split, found, main)


def nobody(team: str) -> int:
    """A number for a team without an account: a maintainer committed its files by hand."""
    return -1 - int(hashlib.sha256(team.encode()).hexdigest()[:12], 16)
