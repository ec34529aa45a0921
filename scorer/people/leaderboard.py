"""What people said of systems, as columns of a leaderboard.

Everything comes from closed batches and from scores of items, so that a clone of the repository
gives the same as the pipeline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards import Board
from scorer.boards.submission import REFERENCE, THIRD_PARTY
from scorer.people.aggregation import SplitVotes, SystemVotes, votes_on_systems
from scorer.people.documents import Estimate, Powered
from scorer.people.judged import judged
from scorer.people.powered_pairs import ReadRow, compared, known
from scorer.people.prediction_powered import powered
from scorer.people.validate import Workplace
from scorer.people.verdicts import agreement_of, shares, votes_right, why_not_ranked
from scorer.scoring.leaderboard.about import ScoredRow
from scorer.scoring.leaderboard.people import (
    PEOPLE,
    PeopleColumn,
    PeopleColumns,
    PeopleOf,
    corrected,
    nobody,
)
from scorer.scoring.results.ranks import ComparisonGroup
from scorer.statistics.ranks import Candidate, eligible

NOBODY_READ = "nobody has verified its graphs"
OUTDATED = "people verified graphs of its earlier predictions"
CHOSEN = "people verified chosen graphs, no random sample"


def people_in(folder: Path) -> PeopleOf:
    """What the people of a folder of annotations said; nothing where there is no such folder.

    Raises SubmissionError or DataError, when asked, for what cannot be read there.
    """
    if not folder.is_dir():
        return nobody
    opened = cache(partial(Workplace, folder))

    def found(board: Board, split: str, rows: Sequence[ScoredRow]) -> PeopleColumns | None:
        votes = split_votes(opened(), board, split, rows)
        return people_columns(board, split, rows, votes) if votes else None

    return found


def split_votes(place: Workplace, board: Board, split: str, rows: Sequence[ScoredRow],
                ) -> SplitVotes | None:
    """What people said of the systems of a split; None where they read none."""
    results = {row.key: row.result for row in rows if row.result.items}
    name = f"{board.id}-{split}"
    return votes_on_systems(
        place, lambda of, system: judged(results[system]) if of == name and system in results
        else None).get(name)


def people_columns(board: Board, split: str, rows: Sequence[ScoredRow], asked: SplitVotes,
                   ) -> PeopleColumns | None:
    """The columns of a split; None where people read none of these rows."""
    return _Columns(board, split, rows, asked).made()


class _Powered(NamedTuple):
    """One row whose judge people corrected."""

    row: ScoredRow
    powered: Powered
    read: ReadRow
    signature: str


@dataclass(frozen=True)
class _Columns:
    board: Board
    split: str
    rows: Sequence[ScoredRow]
    asked: SplitVotes

    def made(self) -> PeopleColumns | None:
        """Both columns, or that of the votes alone where no judge's verdicts are at hand."""
        if not self.votes:
            return None
        columns = [PeopleColumn(PEOPLE, "votes",
                                {row.key: self._votes(row) for row in self.rows}, {})]
        if self.corrects:
            columns.append(PeopleColumn(
                corrected(self.corrects), "corrected",
                {row.key: self._corrected(row) for row in self.rows},
                {key: one.signature for key, one in self.powered.items()}, self.groups))
        together = agreement_of([one for votes in self.asked.votes.values() for one in votes.read])
        kappa = None if together.fleiss is None else together.fleiss.value
        return PeopleColumns(tuple(columns), kappa,
                             bool(self.asked.simulated), self.corrects,
                             self.why_not if self.corrects else ())

    @cached_property
    def votes(self) -> Mapping[str, SystemVotes]:
        """What people said of the rows that they read."""
        keys = {row.key for row in self.rows}
        return {key: one for key, one in self.asked.votes.items() if key in keys}

    @cached_property
    def corrects(self) -> str:
        """The judge's metric that people corrected; empty if none."""
        found = [one.judged.metric for one in self.votes.values()
                 if one.judged and one.judged.verdicts is not None]
        return max(dict.fromkeys(found), key=found.count, default="")

    @cached_property
    def powered(self) -> Mapping[str, _Powered]:
        """The rows with a corrected judge."""
        found = {}
        for row in self.rows:
            votes = self.votes.get(row.key)
            judged = votes.judged if votes else None
            if votes and judged and judged.verdicts and judged.metric == self.corrects:
                read = ReadRow(shares(votes.read), judged.verdicts)
                found[row.key] = _Powered(row, powered(*read, judged.items), read,
                                          f"{judged.signature}|people:{self.asked.guideline}")
        return found

    def _votes(self, row: ScoredRow) -> dict[str, Any]:
        votes = self.votes.get(row.key)
        found = votes_right(votes.read) if votes else None
        if votes is None or found is None or found.value is None:
            return {"v": None, "why": self._why_unread(row)}
        return {"v": found.value, **_interval(found),
                "people": {"graphs": len(votes.read), "votes": found.n, **self._mark(row.key)}}

    def _why_unread(self, row: ScoredRow) -> str:
        votes = self.votes.get(row.key)
        return (CHOSEN if votes and votes.chosen else OUTDATED if votes and votes.outdated
                else NOBODY_READ)

    def _corrected(self, row: ScoredRow) -> dict[str, Any]:
        if row.key not in self.powered:
            return {"v": None, "why": "no judge's verdicts on its graphs are at hand"
                    if row.key in self.votes else NOBODY_READ}
        found = self.powered[row.key].powered
        if found.value is None:
            return {"v": None,
                    "why": found.note if found.verified else self._why_unread(row)}
        return {"v": found.value, **_interval(found), "n": found.items,
                "n_passed": found.passed,
                "people": {"graphs": found.verified, "weight": found.weight,
                           **self._mark(row.key)}}

    def _mark(self, key: str) -> dict[str, Any]:
        return {"simulated": True} if self.asked.simulated_of(key) else {}

    @cached_property
    def contenders(self) -> Mapping[str, Powered]:
        """The rows that would be ranked by the corrected value: the best of each team that has a
        judged row, of those with enough verdicts if there are any."""
        best: dict[str, tuple[tuple[bool, float, int], str, Powered]] = {}
        for row in sorted(self.rows, key=lambda one: one.key):
            if self._unranked(row):
                continue
            found = self._powered_of(row)
            place = (self._enough(found), found.value or 0.0, found.verified)
            if _team(row) not in best or place > best[_team(row)][0]:
                best[_team(row)] = place, row.key, found
        return {key: found for _, key, found in best.values()}

    def _unranked(self, row: ScoredRow) -> bool:
        value = row.result.metrics.get(self.corrects)
        return (row.result.team == REFERENCE or bool(row.never_ranked)
                or value is None or value.value is None)

    def _powered_of(self, row: ScoredRow) -> Powered:
        if row.key in self.powered:
            return self.powered[row.key].powered
        value = row.result.metrics[self.corrects]
        return Powered(value=None, ci=None, method="none", note=NOBODY_READ, weight=0.0,
                       verified=0, passed=value.passed.n or value.n, items=value.n)

    def _enough(self, found: Powered) -> bool:
        return (found.value is not None
                and found.verified >= min(self.board.people.verified, found.passed))

    @cached_property
    def why_not(self) -> tuple[str, ...]:
        """Why the corrected column may not order rows; nothing if it may."""
        names = {row.key: row.document_key for row in self.rows}
        read = {key: self.asked.votes[key] for key in self.contenders if key in self.asked.votes}
        together = agreement_of([one for votes in read.values() for one in votes.read])
        found = why_not_ranked({names[key]: one for key, one in self.contenders.items()},
                               together, self.board.people, self.asked.simulated,
                               {names[key]: one.unfinished for key, one in read.items()})
        signatures = {self.powered[key].signature for key in self.contenders
                      if key in self.powered}
        return (*found, *(["different judges scored the rows"] if len(signatures) > 1 else []))

    @property
    def groups(self) -> tuple[ComparisonGroup, ...]:
        """The rows with a corrected value by signature, the largest group first."""
        valued = sorted((one for one in self.powered.values() if one.powered.value is not None),
                        key=lambda one: one.signature)
        groups = [self._group(signature, list(found))
                  for signature, found in groupby(valued, key=lambda one: one.signature)]
        preview = {row.key for row in self.rows if row.kind == "preview"}
        return tuple(sorted(groups, key=lambda one: -len(set(one.keys) - preview)))

    def _group(self, signature: str, rows: Sequence[_Powered]) -> ComparisonGroup:
        rows = sorted(rows, key=lambda one: (-(one.powered.value or 0.0), one.row.key))
        items = range(1, self.board.splits[self.split].rows + 1)
        return ComparisonGroup(
            signature, tuple(one.row.key for one in rows),
            {one.row.key: known(one.read, items) for one in rows}, {},
            compared({one.row.key: one.read for one in rows}, items) if len(rows) > 1 else None,
            tuple(eligible([Candidate(one.row.key, _team(one.row), one.powered.value or 0.0)
                            for one in rows if one.row.key in self.contenders], better="higher")))


def _team(row: ScoredRow) -> str:
    """Whose it is; every row by others counts as a team's own."""
    return row.key if row.result.team == THIRD_PARTY else row.result.team


def _interval(found: Estimate | Powered) -> dict[str, Any]:
    return {**({"ci": found.ci} if found.ci else {}), "method": found.method,
            **({"note": found.note} if found.note else {})}
