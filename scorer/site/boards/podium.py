"""A board in short, for the front page and the list of boards: what its leaderboard says. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from scorer.scoring.leaderboard.numbers import number, rank_text
from scorer.scoring.results.leaderboard import Column, Row
from scorer.site.boards.leaderboards import Leaderboard, Leaderboards
from scorer.site.records import BoardView, SiteView, SplitView

SYSTEMS = ("scored", "third-party")
SHOWN = 3
"""Systems of a podium."""
WORDS = 60
"""Of a verdict: its first sentence, and of the others those that fit."""
_ONE_PERSON = "reference/held-out-"
"""Rows in which one person's answer is scored against the others'."""


class PodiumRow(NamedTuple):
    """One row of a podium."""

    title: str
    value: str
    rank: str = ""
    """A rank or an interval of ranks; empty without one."""
    slug: str = ""
    """The system's page; empty if it has none."""
    system: bool = True
    """Whether it is a system, not a reference point."""


class Best(NamedTuple):
    """The best system or published number of a board."""

    title: str
    value: str
    column: str
    published: bool


@dataclass(frozen=True)
class BoardSummary:
    """A board, and the leaderboard that stands for it."""

    board: BoardView
    known: Leaderboard | None
    """None where the board has no row at all."""

    @property
    def view(self) -> SplitView | None:
        """The split of the leaderboard."""
        return self.known.view if self.known else None

    @property
    def column(self) -> Column | None:
        """What orders the rows."""
        return self.known.order if self.known else None

    @cached_property
    def systems(self) -> list[Row]:
        """Systems that may be compared, best first: the ranked ones, else those with a value."""
        ranked = [row for row in self._rows if row.rank]
        return ranked or [row for row in self._rows if row.kind in SYSTEMS and self._plain(row)
                          and row.withdrawn is None]

    @cached_property
    def verdict(self) -> tuple[str, str]:
        """What the leaderboard says: its first clause, and the rest."""
        if self.known is None or not self.systems:
            return "", ""
        if len(self.systems) == 1:
            only, *others = self.podium
            beside = "; ".join(f"{one.title} gets {one.value}" for one in others)
            name = self.column.id if self.column else ""
            return (f"One system so far: {only.title}, {name} {only.value}.",
                    f"{beside}." if beside else "")
        first, *rest = [one.text for one in self.known.document.verdict.sentences]
        lead, more = clause(first)
        return lead, " ".join(filter(None, (more, *_fitting(first, rest))))

    @cached_property
    def podium(self) -> list[PodiumRow]:
        """The first systems by what orders the rows, then what to hold them against: what one
        person scores, where there is a single system, and what says nothing."""
        if not self.systems:
            return []
        person = [row for row in self._rows if row.key.startswith(_ONE_PERSON)]
        return [*map(self._shown, self.systems[:SHOWN]),
                *map(self._shown, person[:1] if len(self.systems) == 1 else ()), *self._floor()]

    @cached_property
    def best(self) -> Best | None:
        """The best system, else the best published number."""
        if self.podium and self.column:
            first = self.podium[0]
            return Best(first.title, first.value, self.column.id, False)
        return _best_published(self.known) if self.known else None

    @cached_property
    def _rows(self) -> list[Row]:
        """Rows with a value of the ordering column, in their order."""
        return [row for row in self.known.document.rows if self._number(row)] if self.known else []

    def _plain(self, row: Row) -> bool:
        """Whether a row is a system of its own, as far as its board says."""
        entry = self.known.entries.get(row.key) if self.known else None
        return entry is None or entry.about.is_system

    def _shown(self, row: Row) -> PodiumRow:
        assert self.known
        entry = self.known.entries.get(row.key)
        return PodiumRow(self.known.title(row.key), self._number(row), rank_text(row.rank),
                         entry.slug if entry else "", row.kind != "reference")

    def _number(self, row: Row) -> str:
        value = row.values.get(self.column.id) if self.column else None
        return number(value.v, self.column) if self.column and value and value.v is not None else ""

    def _floor(self) -> Iterator[PodiumRow]:
        """The leader's own null, else the best null or baseline."""
        first, column = self.systems[0], self.column
        value = first.values[column.id].null if column else None
        rows = [row for row in self._rows if row.role in ("null", "baseline")]
        if value is not None and column is not None:
            rows = [row for row in rows if row.key == first.null or (
                row.values[column.id].v == value and "/null-of-" not in row.key)]
            if not rows:
                yield PodiumRow("The leader's null", number(value, column), system=False)
        yield from map(self._shown, rows[:1])


def _best_published(known: Leaderboard) -> Best | None:
    """Of a machine, on what orders the rows, else on the first column that was published."""
    rows = [row for row in known.document.published if not row.human]
    column = next((one for one in (known.order, *known.document.columns)
                   if one and any(one.id in row.values for row in rows)), None)
    if column is None:
        return None
    sign = 1 if column.better == "higher" else -1
    best = max((row for row in rows if column.id in row.values),
               key=lambda row: sign * row.values[column.id])
    return Best(best.system, number(best.values[column.id], column), column.id, True)


def summaries(site: SiteView, leaderboards: Leaderboards) -> list[BoardSummary]:
    """Every board in the site's order; where there are only practice boards, see ``group``."""
    return [BoardSummary(board, chosen(board, leaderboards)) for board in site.boards]


def chosen(board: BoardView, leaderboards: Leaderboards) -> Leaderboard | None:
    """The leaderboard that stands for a board: one with ranks, else that of the most systems, else
    of the most published rows; of equal ones the first."""
    found = [leaderboards[view.path] for view in board.splits if view.path in leaderboards]
    return max(found, key=_weight, default=None)


def _weight(known: Leaderboard) -> tuple[bool, int, int]:
    rows = known.document.rows
    return (any(row.rank for row in rows), sum(row.kind in SYSTEMS for row in rows),
            len(known.document.published))


def _fitting(first: str, others: Sequence[str]) -> Iterator[str]:
    words = len(first.split())
    for sentence in others:
        if words + len(sentence.split()) <= WORDS:
            words += len(sentence.split())
            yield sentence


def clause(sentence: str) -> tuple[str, str]:
    """A sentence in two: up to its first semicolon or colon, and the rest.

    >>> clause("A is best (90.6); the second, B, is worse.")
    ('A is best (90.6);', 'the second, B, is worse.')
    >>> clause("\u201cX (99) is best; Y\u201d is worse.")[1], clause("No ranks.")
    ('', ('No ranks.', ''))
    """
    cut = _CLAUSE.match(sentence)
    end = cut.end() if cut else len(sentence)
    return sentence[:end], sentence[end:].strip()


_CLAUSE = re.compile("(?:[^\u201c;:]|\u201c[^\u201d]*\u201d|[;:](?! ))+[;:](?= )")
"""Up to the first such sign outside the quotes of a name."""
