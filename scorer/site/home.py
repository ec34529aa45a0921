"""What hand-written pages show of this site: the front page what each board's leaderboard says, one
example and news; the page on submitting its repository and commands. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from scorer.scoring.leaderboard.about import NO_SYSTEM
from scorer.scoring.leaderboard.numbers import number, rank_text
from scorer.scoring.results.leaderboard import Column, Row
from scorer.site.boards.leaderboards import Leaderboard, Leaderboards
from scorer.site.outputs import FEED, inputs_path, newest, row_news
from scorer.site.people.known import METRICS as METRICS_PAGE
from scorer.site.people.rated import front_finding, largest, rated_splits
from scorer.site.reading.repository import SiteRepository
from scorer.site.records import BoardView, SiteView, SplitView
from scorer.site.views.registry import view_of

NEWS_SHOWN = 6


def home_context(site: SiteView, leaderboards: Leaderboards) -> dict[str, Any]:
    """What the fragments of the front page show."""
    groups: dict[str, list[Any]] = {"main": [], "guest": [], "practice": []}
    for summary in summaries(site, leaderboards):
        groups[summary.board.group].append(summary)
    if not groups["main"]:
        groups |= {"main": groups["practice"], "practice": []}
    return {
        "site": site, "groups": groups, "main": next(iter(groups["main"]), None),
        "finding": null_finding([leaderboard for leaderboard in leaderboards.values()
                                 if not leaderboard.document.practice]),
        "agreement": [(split, finding) for split in largest(rated_splits(site))
                      if (finding := front_finding(split))],
        "people_page": METRICS_PAGE, "showcase": _showcase(site), "feed": FEED,
        "news": newest(row_news("", site, leaderboards), NEWS_SHOWN),
    }


def null_finding(leaderboards: Sequence[Leaderboard],
                 ) -> tuple[SplitView, list[tuple[str, int, int]]] | None:
    """Which columns tell systems from their nulls, those that do most first: column, systems that
    are significantly better than their nulls, systems tested.

    Of the leaderboard in which most systems were tested; None where fewer than two were in all.
    """
    findings = [(board.view, list(_separations(board))) for board in leaderboards]
    most = max(findings, key=lambda finding: _most_tested(finding[1]), default=None)
    if most is None or _most_tested(most[1]) < 2:
        return None
    view, columns = most
    return view, sorted(columns, key=lambda column: -column[1] / column[2])


def _most_tested(columns: Sequence[tuple[str, int, int]]) -> int:
    return max((systems for *_, systems in columns), default=0)


def _separations(known: Leaderboard) -> Iterator[tuple[str, int, int]]:
    """Leaves out columns whose judge is not fit: they say more of the judge than of systems."""
    rows = [row for row in known.document.rows if row.kind in SYSTEMS and row.withdrawn is None]
    for column in known.document.columns:
        if column.why_not_rank:
            continue
        tests = [value.vs_null.verdict for row in rows
                 if (value := row.values.get(column.id)) and value.vs_null]
        verdicts = [verdict for verdict in tests if verdict != "untested"]
        if any(verdict != "equal" for verdict in verdicts):  # all equal: a null keeps the labels
            yield column.id, verdicts.count("better"), len(verdicts)


def _showcase(site: SiteView) -> tuple[SplitView, int, Mapping[str, Any]] | None:
    """One item whose data are our own, else any: its split, its row, and what its page shows."""
    views = [view for board in site.boards for view in board.splits
             if view.golds and view_of(view.board).front_page]
    views.sort(key=lambda view: (not view.committed, view.name != "dev"))
    for view in views:
        example_view = view_of(view.board)
        row = example_view.front_page_row(view.golds)
        example = example_view.examples(replace(view, entries=()))(view.golds[row], row + 1)
        return view, row + 1, example.context()
    return None


SYSTEMS = ("scored", "third-party")
PODIUM = 3
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
        return ranked or [row for row in self._rows if row.kind in SYSTEMS and row.withdrawn is None
                          and row.unranked != NO_SYSTEM]

    @cached_property
    def verdict(self) -> tuple[str, str]:
        """What the leaderboard says: its first clause, and the rest."""
        if self.known is None or not self.systems:
            return "", ""
        if len(self.systems) == 1:
            only, *others = self.podium
            beside = "; ".join(f"{other.title} gets {other.value}" for other in others)
            name = self.column.id if self.column else ""
            return (f"One system so far: {only.title}, {name} {only.value}.",
                    f"{beside}." if beside else "")
        first, *rest = [sentence.text for sentence in self.known.document.verdict.sentences]
        lead, more = clause(first)
        words, fitting = len(first.split()), []
        for sentence in rest:
            if words + len(sentence.split()) <= WORDS:
                words += len(sentence.split())
                fitting.append(sentence)
        return lead, " ".join(filter(None, (more, *fitting)))

    @cached_property
    def podium(self) -> list[PodiumRow]:
        """The first systems by what orders the rows, then what to hold them against: what one
        person scores, where there is a single system, and what says nothing."""
        if not self.systems:
            return []
        person = [row for row in self._rows if row.key.startswith(_ONE_PERSON)]
        return [*map(self._shown, self.systems[:PODIUM]),
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
    column = next((candidate for candidate in (known.order, *known.document.columns)
                   if candidate and any(candidate.id in row.values for row in rows)), None)
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
    candidates = [leaderboards[view.path] for view in board.splits if view.path in leaderboards]
    return max(candidates, default=None, key=lambda known: (
        any(row.rank for row in known.document.rows),
        sum(row.kind in SYSTEMS for row in known.document.rows), len(known.document.published)))


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


PARTS = ("commands", "line")
"""Slots of pages, each a part of ``submit.html``."""


def inputs_of(board: BoardView) -> list[tuple[SplitView, str, str]]:
    """Where a submitter finds the inputs of every split: on this site, relative to its root, and
    the address of their owner's file; each empty where there is none."""
    urls = {file.path: file.url for file in board.board.downloads}
    return [(view, inputs_path(view), urls.get(view.split.file or "") or "")
            for view in board.splits]


def submit_context(site: SiteView, repository: SiteRepository) -> dict[str, Any]:
    """What ``submit.html`` shows.

    The commands enter a split whose gold lies in the repository, so that they work in a fresh
    clone: of a practice board if there is one, dev if it has that.
    """
    views: Sequence[SplitView] = [view for board in site.boards for view in board.splits
                                  if view.golds and view.committed]
    view = min(views, key=lambda view: (not view.board.practice, view.name != "dev"), default=None)
    board = view.board.id if view else "BOARD"
    line = view_of(view.board).references(view.golds[0])[0] if view else ""
    return {
        "repository": repository, "view": view, "board": board, "boards": site.boards,
        "split": view.name if view else "dev", "line": line,
    }
