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
from typing import Any, Literal

from scorer.boards import Board
from scorer.boards.submission import REFERENCE, THIRD_PARTY
from scorer.people.aggregation import votes_on_systems
from scorer.people.documents import Estimate, Powered, VerdictDocument
from scorer.people.powered import Verdicts, compared
from scorer.people.validate import Workplace
from scorer.people.verdicts import (
    SplitVotes,
    SystemVotes,
    agreement_of,
    judged,
    shares,
    why_not_ranked,
)
from scorer.scoring.leaderboard.about import ScoredRow
from scorer.scoring.leaderboard.columns import (
    PEOPLE,
    ColumnValues,
    PeopleColumns,
    PeopleOf,
    corrected,
    nobody,
)
from scorer.scoring.results.leaderboard import ByPeople, Value, nine
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
        results = {row.key: row.result for row in rows if row.result.items}
        name = f"{board.id}-{split}"
        votes = votes_on_systems(
            opened(), lambda of, system: judged(results[system])
            if of == name and system in results else None).get(name)
        return people_columns(board, split, rows, votes) if votes else None

    return found


def people_columns(board: Board, split: str, rows: Sequence[ScoredRow], votes: SplitVotes,
                   ) -> PeopleColumns | None:
    """The columns of a split; None where people read none of these rows."""
    return _Columns(board, split, rows, votes).made()


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
        columns = [ColumnValues(PEOPLE, "votes",
                                {row.key: self._votes(row) for row in self.rows}, {})]
        if self.corrects:
            columns.append(ColumnValues(
                corrected(self.corrects), "corrected",
                {row.key: self._corrected(row) for row in self.rows},
                {key: self._signature(key) for key in self.powered}, self.groups))
        return PeopleColumns(tuple(columns), self.asked.agreement.kappa,
                             bool(self.asked.simulated), self.corrects,
                             self.why_not if self.corrects else ())

    @cached_property
    def votes(self) -> Mapping[str, SystemVotes]:
        """What people said of the rows that they read."""
        keys = {row.key for row in self.rows}
        return {key: one for key, one in self.asked.votes.items() if key in keys}

    @cached_property
    def verdicts(self) -> Mapping[str, VerdictDocument]:
        """People's verdicts on these rows."""
        return {key: self.asked.systems[key] for key in self.votes}

    @cached_property
    def corrects(self) -> str:
        """The judge's metric that people corrected; empty if none."""
        judges = [verdict.judge for verdict in self.verdicts.values() if verdict.judge]
        return max(dict.fromkeys(judges), key=judges.count, default="")

    @cached_property
    def powered(self) -> Mapping[str, Powered]:
        """What people and a judge say together of the rows with a corrected judge."""
        return {row.key: one.powered for row in self.rows
                if (one := self.verdicts.get(row.key)) and one.powered and one.powered.passed
                and one.judge == self.corrects}

    def _signature(self, key: str) -> str:
        return self.verdicts[key].signature or ""

    def _votes(self, row: ScoredRow) -> Value:
        found = self.verdicts[row.key].votes if row.key in self.verdicts else None
        if found is None or found.value is None:
            return Value(v=None, why=self._why_unread(row))
        return Value(v=nine(found.value), **_interval(found), people=ByPeople(
            graphs=len(self.votes[row.key].read), votes=found.n,
            simulated=self._simulated(row.key)))

    def _why_unread(self, row: ScoredRow) -> str:
        votes = self.votes.get(row.key)
        return (CHOSEN if votes and votes.chosen else OUTDATED if votes and votes.outdated
                else NOBODY_READ)

    def _corrected(self, row: ScoredRow) -> Value:
        if row.key not in self.powered:
            return Value(v=None, why="no judge's verdicts on its graphs are at hand"
                         if row.key in self.votes else NOBODY_READ)
        found = self.powered[row.key]
        if found.value is None:
            return Value(v=None, why=found.note if found.verified else self._why_unread(row))
        return Value(
            v=nine(found.value), **_interval(found), n=found.items, n_passed=found.passed,
            people=ByPeople(graphs=found.verified, weight=nine(found.weight),
                            simulated=self._simulated(row.key)))

    def _simulated(self, key: str) -> Literal[True] | None:
        return True if self.asked.simulated_of(key) else None

    @cached_property
    def contenders(self) -> Mapping[str, Powered]:
        """The rows that would be ranked by the corrected value: the best of each team that has a
        judged row, of those with enough verdicts if there are any."""
        best: dict[str, tuple[tuple[bool, float, int], str, Powered]] = {}
        for row in sorted(self.rows, key=lambda entry: entry.key):
            value = row.result.metrics.get(self.corrects)
            if (row.result.team == REFERENCE or row.never_ranked
                    or value is None or value.value is None):
                continue
            found = self.powered.get(row.key) or Powered(
                value=None, ci=None, method="none", note=NOBODY_READ, weight=0.0, verified=0,
                passed=value.passed.n or value.n, items=value.n)
            enough = (found.value is not None
                      and found.verified >= min(self.board.people.verified, found.passed))
            standing = (enough, found.value or 0.0, found.verified)
            if _team(row) not in best or standing > best[_team(row)][0]:
                best[_team(row)] = standing, row.key, found
        return {key: found for _, key, found in best.values()}

    @cached_property
    def why_not(self) -> tuple[str, ...]:
        """Why the corrected column may not order rows; nothing if it may."""
        names = {row.key: row.document_key for row in self.rows}
        read = {key: self.asked.votes[key] for key in self.contenders if key in self.asked.votes}
        together = agreement_of([graph for votes in read.values() for graph in votes.read])
        found = why_not_ranked({names[key]: powered for key, powered in self.contenders.items()},
                               together, self.board.people, self.asked.simulated,
                               {names[key]: votes.unfinished for key, votes in read.items()})
        signatures = {self._signature(key) for key in self.contenders if key in self.powered}
        return (*found, *(["different judges scored the rows"] if len(signatures) > 1 else []))

    @property
    def groups(self) -> tuple[ComparisonGroup, ...]:
        """The rows with a corrected value by signature, the largest group first."""
        valued = sorted((key for key, powered in self.powered.items() if powered.value is not None),
                        key=self._signature)
        groups = [self._group({key: self.powered[key].value or 0.0 for key in keys})
                  for _, keys in groupby(valued, key=self._signature)]
        preview = {row.key for row in self.rows if row.kind == "preview"}
        return tuple(sorted(groups, key=lambda group: -len(set(group.keys) - preview)))

    def _group(self, values: Mapping[str, float]) -> ComparisonGroup:
        keys = sorted(values, key=lambda key: (-values[key], key))
        items = range(1, self.board.splits[self.split].rows + 1)
        teams = {row.key: _team(row) for row in self.rows}
        read = {key: Verdicts.of(shares(self.votes[key].read), one.verdicts, items)
                for key in keys if (one := self.votes[key].judged) and one.verdicts}
        return ComparisonGroup(
            tuple(keys), {key: verdicts.known for key, verdicts in read.items()},
            compared(read, values) if len(keys) > 1 else None,
            tuple(eligible([Candidate(key, teams[key], values[key]) for key in keys
                            if key in self.contenders], better="higher")))


def _team(row: ScoredRow) -> str:
    """Whose it is; every row by others counts as a team's own."""
    return row.key if row.result.team == THIRD_PARTY else row.result.team


def _interval(found: Estimate | Powered) -> dict[str, Any]:
    return {"ci": [*map(nine, found.ci)] if found.ci else None, "method": found.method,
            "note": found.note or None}
