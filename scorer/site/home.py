"""What stands on the front page: what each board's leaderboard says, one example, news. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from scorer.scoring.results.leaderboard import Column, Row
from scorer.site.boards.leaderboards import Leaderboard, Leaderboards
from scorer.site.boards.podium import SYSTEMS, summaries
from scorer.site.exports.feed import newest, row_news
from scorer.site.outputs import FEED
from scorer.site.people.known import METRICS as METRICS_PAGE
from scorer.site.people.rated import front_finding, largest, rated_splits
from scorer.site.records import SiteView, SplitView
from scorer.site.views.registry import view_of

NEWS_SHOWN = 6


def home_context(site: SiteView, leaderboards: Leaderboards) -> dict[str, Any]:
    """What the fragments of the front page show."""
    groups: dict[str, list[Any]] = {"main": [], "guest": [], "practice": []}
    for one in summaries(site, leaderboards):
        groups[one.board.group].append(one)
    if not groups["main"]:
        groups |= {"main": groups["practice"], "practice": []}
    return {
        "site": site, "groups": groups, "main": next(iter(groups["main"]), None),
        "finding": null_finding([one for one in leaderboards.values()
                                 if not one.document.practice]),
        "agreement": [(one, said) for one in largest(rated_splits(site))
                      if (said := front_finding(one))],
        "people_page": METRICS_PAGE, "showcase": _showcase(site), "feed": FEED,
        "news": newest(row_news("", site, leaderboards), NEWS_SHOWN),
    }


class Separation(NamedTuple):
    """How many systems a column puts significantly above their nulls."""

    column: str
    better: int
    systems: int
    """Those that were tested against their null."""


class NullFinding(NamedTuple):
    """Which columns of a leaderboard tell systems from their nulls, those that do most first."""

    view: SplitView
    columns: tuple[Separation, ...]


def null_finding(leaderboards: Sequence[Leaderboard]) -> NullFinding | None:
    """That of the leaderboard in which most systems were tested; None where fewer than two were in
    all of them."""
    found = [NullFinding(one.view, _separations(one)) for one in leaderboards]
    most = max(found, key=_tested, default=None)
    return most if most and _tested(most) > 1 else None


def _tested(found: NullFinding) -> int:
    return max((one.systems for one in found.columns), default=0)


def _separations(known: Leaderboard) -> tuple[Separation, ...]:
    """Leaves out columns whose judge is not fit: they say more of the judge than of systems."""
    rows = [row for row in known.document.rows if row.kind in SYSTEMS and row.withdrawn is None]
    found = [_separation(column, rows) for column in known.document.columns
             if not column.why_not_rank]
    return tuple(sorted((one for one in found if one.systems),
                        key=lambda one: -one.better / one.systems))


def _separation(column: Column, rows: Sequence[Row]) -> Separation:
    tests = [value.vs_null.verdict for row in rows
             if (value := row.values.get(column.id)) and value.vs_null]
    known = [verdict for verdict in tests if verdict != "untested"]
    same = all(verdict == "equal" for verdict in known)  # a null keeps the labels
    return Separation(column.id, known.count("better"), 0 if same else len(known))


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
