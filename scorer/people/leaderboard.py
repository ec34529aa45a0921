"""What people said of systems, as columns of a leaderboard.

Everything comes from closed batches and from scores of items, so that a clone of the repository
gives the same as the pipeline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import Any

from scorer.boards import Board
from scorer.boards.submission import REFERENCE, THIRD_PARTY
from scorer.people.aggregation import votes_on_systems
from scorer.people.documents import Estimate, Powered
from scorer.people.powered import Verdicts, compared
from scorer.people.validate import Workplace
from scorer.people.verdicts import SplitVotes, agreement_of, why_not_ranked
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
        results = {row.key: row.result for row in rows}
        name = f"{board.id}-{split}"
        votes = votes_on_systems(
            opened(), lambda of, system: results.get(system) if of == name else None).get(name)
        return people_columns(board, split, rows, votes) if votes else None

    return found


def people_columns(board: Board, split: str, rows: Sequence[ScoredRow], people: SplitVotes,
                   ) -> PeopleColumns | None:
    """Both columns of a split, or that of the votes alone where no judge's verdicts are at hand;
    None where people read none of these rows."""
    keys = {row.key for row in rows}.intersection(people.votes)
    if not keys:
        return None
    votes = ColumnValues(PEOPLE, "votes", {row.key: _voted(people, row.key) for row in rows}, {})
    judges = Counter(verdict.judge for key, verdict in people.systems.items()
                     if key in keys and verdict.judge)
    kappa, simulated = people.agreement.kappa, bool(people.simulated)
    if not judges:
        return PeopleColumns((votes,), kappa, simulated, "", ())
    [(metric, _)] = judges.most_common(1)
    column = _Corrected(board, split, rows, people, metric)
    return PeopleColumns((votes, column.values), kappa, simulated, metric, column.why_not)


def _voted(people: SplitVotes, key: str) -> Value:
    """How often people found a row's graphs right."""
    votes = people.systems[key].votes if key in people.votes else None
    if votes is None or votes.value is None:
        return Value(v=None, why=_why_unread(people, key))
    return Value(v=nine(votes.value), **_interval(votes), people=ByPeople(
        graphs=len(people.votes[key].read), votes=votes.n,
        simulated=people.simulated_of(key) or None))


def _why_unread(people: SplitVotes, key: str) -> str:
    votes = people.votes.get(key)
    return (CHOSEN if votes and votes.chosen else OUTDATED if votes and votes.outdated
            else NOBODY_READ)


def _interval(found: Estimate | Powered) -> dict[str, Any]:
    return {"ci": [*map(nine, found.ci)] if found.ci else None, "method": found.method,
            "note": found.note or None}


def _team(row: ScoredRow) -> str:
    """Whose it is; every row by others counts as a team's own."""
    return row.key if row.result.team == THIRD_PARTY else row.result.team


@dataclass(frozen=True)
class _Corrected:
    """A judge's metric over all items of a split, corrected by people."""

    board: Board
    split: str
    rows: Sequence[ScoredRow]
    people: SplitVotes
    metric: str

    @cached_property
    def powered(self) -> Mapping[str, Powered]:
        """What people and the judge say together of the rows that both read."""
        systems = {row.key: self.people.systems[row.key] for row in self.rows
                   if row.key in self.people.votes}
        return {key: verdict.powered for key, verdict in systems.items()
                if verdict.judge == self.metric and verdict.powered and verdict.powered.passed}

    @property
    def values(self) -> ColumnValues:
        """The column."""
        signatures = {key: self._signature(key) for key in self.powered}
        return ColumnValues(corrected(self.metric), "corrected",
                            {row.key: self._value(row.key) for row in self.rows}, signatures,
                            self._groups())

    def _signature(self, key: str) -> str:
        return self.people.systems[key].signature or ""

    def _value(self, key: str) -> Value:
        found = self.powered.get(key)
        if found is None:
            return Value(v=None, why="no judge's verdicts on its graphs are at hand"
                         if key in self.people.votes else NOBODY_READ)
        if found.value is None:
            return Value(v=None,
                         why=found.note if found.verified else _why_unread(self.people, key))
        return Value(
            v=nine(found.value), **_interval(found), n=found.items, n_passed=found.passed,
            people=ByPeople(graphs=found.verified, weight=nine(found.weight),
                            simulated=self.people.simulated_of(key) or None))

    @cached_property
    def contenders(self) -> Mapping[str, Powered]:
        """The rows that would be ranked by the corrected value: the best of each team that has a
        judged row, of those with enough verdicts if there are any."""
        teams: dict[str, list[tuple[str, Powered]]] = {}
        for row in sorted(self.rows, key=lambda entry: entry.key):
            value = row.result.metrics.get(self.metric)
            if (row.result.team == REFERENCE or row.never_ranked
                    or value is None or value.value is None):
                continue
            found = self.powered.get(row.key) or Powered(
                value=None, ci=None, method="none", note=NOBODY_READ, weight=0.0, verified=0,
                passed=value.passed.n or value.n, items=value.n)
            teams.setdefault(_team(row), []).append((row.key, found))

        def standing(entry: tuple[str, Powered]) -> tuple[bool, float, int]:
            value, verified = entry[1].value, entry[1].verified
            enough = min(self.board.people.verified, entry[1].passed)
            return value is not None and verified >= enough, value or 0.0, verified

        return dict(max(rows, key=standing) for rows in teams.values())

    @property
    def why_not(self) -> tuple[str, ...]:
        """Why the column may not order rows; nothing if it may."""
        names = {row.key: row.document_key for row in self.rows}
        read = {key: self.people.votes[key] for key in self.contenders if key in self.people.votes}
        found = why_not_ranked({names[key]: powered for key, powered in self.contenders.items()},
                               agreement_of(read.values()), self.board.people,
                               self.people.simulated,
                               {names[key]: votes.unfinished for key, votes in read.items()})
        signatures = {self._signature(key) for key in self.contenders if key in self.powered}
        return (*found, *(["different judges scored the rows"] if len(signatures) > 1 else []))

    def _groups(self) -> tuple[ComparisonGroup, ...]:
        """The rows with a value by signature, the largest group first."""
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
        votes = [self.people.votes[key] for key in keys]
        read = {key: Verdicts.of(one.shares, one.judged.scores(self.metric), items)
                for key, one in zip(keys, votes, strict=True) if one.judged}
        return ComparisonGroup(
            tuple(keys), {key: verdicts.known for key, verdicts in read.items()},
            compared(read, values) if len(keys) > 1 else None,
            tuple(eligible([Candidate(key, teams[key], values[key]) for key in keys
                            if key in self.contenders], better="higher")))
