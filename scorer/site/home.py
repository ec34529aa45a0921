"""What hand-written pages show of this site: the front page what each board's leaderboard says, one
example and news; the page on submitting its repository and commands. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scorer.scoring.leaderboard.about import NO_SYSTEM
from scorer.scoring.results.leaderboard import Column, LeaderboardDocument, Published, Row
from scorer.site.outputs import FEED, inputs_path, newest, row_news
from scorer.site.reading.repository import SiteRepository
from scorer.site.records import BoardView, SiteView, SplitView
from scorer.site.views.registry import view_of


def home_context(site: SiteView) -> dict[str, Any]:
    """What the fragments of the front page show."""
    groups: dict[str, list[BoardSummary]] = {"main": [], "guest": [], "practice": []}
    for board in site.boards:
        groups[board.group].append(BoardSummary(board))
    if not groups["main"]:
        groups |= {"main": groups["practice"], "practice": []}
    return {
        "site": site, "groups": groups, "main": next(iter(groups["main"]), None),
        "finding": null_finding([view for view in site.leaderboards if not view.board.practice]),
        "showcase": _showcase(site), "feed": FEED,
        "news": newest(row_news("", site), most=6),
    }


def null_finding(leaderboards: Sequence[SplitView],
                 ) -> tuple[SplitView, list[tuple[str, int, int]]] | None:
    """Which columns tell systems from their nulls, those that do most first: column, systems that
    are significantly better than their nulls, systems tested.

    Of the leaderboard in which most systems were tested; None where fewer than two were in all.
    """
    findings = [(max(systems for *_, systems in columns), view, columns) for view in leaderboards
                if (columns := list(_separations(view.document)))]
    tested, view, columns = max(findings, key=lambda finding: finding[0], default=(0, None, []))
    if view is None or tested < 2:
        return None
    return view, sorted(columns, key=lambda column: -column[1] / column[2])


def _separations(document: LeaderboardDocument) -> Iterator[tuple[str, int, int]]:
    """Leaves out columns whose judge is not fit: they say more of the judge than of systems."""
    rows = [row for row in document.rows if row.kind in SYSTEMS and row.withdrawn is None]
    for column in document.columns:
        if column.why_not_rank:
            continue
        tests = [value.vs_null.verdict for row in rows
                 if (value := row.values.get(column.id)) and value.vs_null]
        verdicts = [verdict for verdict in tests if verdict != "untested"]
        if any(verdict != "equal" for verdict in verdicts):  # all equal: a null keeps the labels
            yield column.id, verdicts.count("better"), len(verdicts)


def _showcase(site: SiteView) -> tuple[SplitView, int, Mapping[str, Any]] | None:
    """One item whose data are our own, else any: its split, its row, and what its page shows."""
    views = [view for view in site.splits if view.golds and view_of(view.board).front_page]
    view = min(views, key=lambda view: (not view.committed, view.name != "dev"), default=None)
    if view is None:
        return None
    example_view = view_of(view.board)
    row = example_view.front_page_row(view.golds)
    example = example_view.example(view.board.settings, view.golds[row], row + 1)
    return view, row + 1, example.context()


SYSTEMS = ("scored", "third-party")
WORDS = 60
"""Of a verdict: its first sentence, and of the others those that fit."""
_ONE_PERSON = "reference/held-out-"
"""Rows in which one person's answer is scored against the others'."""


@dataclass(frozen=True)
class BoardSummary:
    """A board, and the leaderboard that stands for it."""

    board: BoardView

    @cached_property
    def view(self) -> SplitView | None:
        """The leaderboard: one with ranks, else that of the most systems, else of the most
        published rows; of equal ones the first. None where the board has no row at all."""
        candidates = [view for view in self.board.splits if view.has_rows]
        return max(candidates, default=None, key=lambda view: (
            any(row.rank for row in view.document.rows),
            sum(row.kind in SYSTEMS for row in view.document.rows), len(view.document.published)))

    @property
    def column(self) -> Column | None:
        """What orders the rows."""
        return self.view.document.ordering if self.view else None

    @cached_property
    def systems(self) -> list[Row]:
        """Systems that may be compared, best first: the ranked ones, else those with a value."""
        ranked = [row for row in self._rows if row.rank]
        return ranked or [row for row in self._rows if row.kind in SYSTEMS and row.withdrawn is None
                          and row.unranked != NO_SYSTEM]

    @cached_property
    def verdict(self) -> tuple[str, str]:
        """What the leaderboard says of several systems: its first clause, and the rest."""
        if self.view is None or len(self.systems) < 2:
            return "", ""
        first, *rest = [sentence.text for sentence in self.view.document.verdict.sentences]
        lead, more = clause(first)
        words, fitting = len(first.split()), []
        for sentence in rest:
            if words + len(sentence.split()) <= WORDS:
                words += len(sentence.split())
                fitting.append(sentence)
        return lead, " ".join(filter(None, (more, *fitting)))

    @cached_property
    def beside(self) -> list[Row]:
        """What to hold the systems against: what one person scores, where there is a single system,
        and what says nothing: the leader's own null, else the best null or baseline."""
        if self.column is None or not self.systems:
            return []
        first, own = self.systems[0], self._null
        person = [row for row in self._rows if row.key.startswith(_ONE_PERSON)]
        floor = [row for row in self._rows if row.role in ("null", "baseline") and (
            own is None or row.key == first.null or (
                row.values[self.column.id].v == own and "/null-of-" not in row.key))]
        return [*(person[:1] if len(self.systems) == 1 else ()), *floor[:1]]

    @property
    def null(self) -> float | None:
        """The value of the leader's own null, where no row has it."""
        there = any(row.role in ("null", "baseline") for row in self.beside)
        return None if there else self._null

    @property
    def published(self) -> tuple[Published, Column] | None:
        """The best published row of a machine, on what orders the rows, else on the first column
        that was published."""
        if self.view is None:
            return None
        rows = [row for row in self.view.document.published if not row.human]
        for column in (self.column, *self.view.document.columns):
            measured = [row for row in rows if column and column.id in row.values]
            if column and measured:
                best = max if column.better == "higher" else min
                return best(measured, key=lambda row: row.values[column.id]), column
        return None

    @cached_property
    def _rows(self) -> list[Row]:
        """Rows with a value of the ordering column, in their order."""
        by = self.column.id if self.column else ""
        return [row for row in self.view.document.rows if by in row.values
                and row.values[by].v is not None] if self.view else []

    @property
    def _null(self) -> float | None:
        by = self.column.id if self.column else ""
        return self.systems[0].values[by].null if self.systems else None


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


def inputs_of(board: BoardView) -> list[tuple[SplitView, str, str]]:
    """Where a submitter finds the inputs of every split: on this site, relative to its root, and
    the address of their owner's file; each empty where there is none."""
    urls = {file.path: file.url for file in board.board.downloads}
    return [(view, inputs_path(view), urls.get(view.split.file or "") or "")
            for view in board.splits]


def submit_context(site: SiteView, repository: SiteRepository) -> dict[str, Any]:
    """What ``submit.html`` shows, a part of it in each of two slots.

    The commands enter a split whose gold lies in the repository, so that they work in a fresh
    clone: of a practice board if there is one, dev if it has that.
    """
    views = [view for view in site.splits if view.golds and view.committed]
    view = min(views, key=lambda view: (not view.board.practice, view.name != "dev"), default=None)
    board = view.board.id if view else "BOARD"
    line = view_of(view.board).gold_lines(view.board, view.golds[0])[0] if view else ""
    return {
        "repository": repository, "view": view, "board": board, "boards": site.boards,
        "split": view.name if view else "dev", "line": line,
    }
