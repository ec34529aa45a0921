"""What stands on the front page: top rows, the finding about nulls, one example, news. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.records import Result
from scorer.scoring.null_finding import AgainstNull, NullFinding, Separation, separations
from scorer.scoring.null_finding import null_finding as against_null
from scorer.submission import null_name
from scorer.website.boards.leaderboards import Leaderboards, leaderboards_of
from scorer.website.boards.table import Cell, Table, TableRow, Tables, tables_of
from scorer.website.exports.feed import newest, row_news
from scorer.website.outputs import FEED
from scorer.website.people.known import METRICS as METRICS_PAGE
from scorer.website.people.rated import front_lines, largest, rated_splits
from scorer.website.records import BoardView, Entry, SiteView, SplitView
from scorer.website.render import score
from scorer.website.text import isolated
from scorer.website.views.registry import view_of

NEWS_SHOWN = 6
SYSTEMS = ("scored", "third-party")
"""Kinds of rows that the front page may name as the best scored here."""


class HomeFinding(NamedTuple):
    """How one submission fares against its null, and that in three lines."""

    view: SplitView
    entry: Entry
    found: NullFinding
    lines: tuple[str, ...]
    separations: tuple[Separation, ...] = ()
    """Over the rows of the split, where there are several."""


def null_finding(site: SiteView) -> HomeFinding | None:
    """Of predictions made by others, else of a submission, else of any row: the one that its null
    beats on the most metrics, of equal ones the first."""
    rows = [(view, entry) for board in site.boards if view_of(board.board).front_page
            for view in board.splits for entry in view.entries
            if not entry.unranked]
    kinds = [[row for row in rows if row[1].kind == kind] for kind in ("third-party", "scored")]
    plain = [row for found in kinds for row in found]
    others = [row for row in rows if row[1].system not in ("gold", "null", "second-gold")
              and not row[1].system.startswith("null-of-")]
    for candidates in (*kinds, others):
        found = [(view, entry, against) for view, entry in candidates
                 if (against := against_null(entry.result, _told(view, entry))) is not None]
        if found:
            view, entry, against = max(found, key=lambda one: len(one[2].ahead))
            beside = [one.result for other, one in plain if other is view]
            told = separations(beside, _told(view, entry)) if len(beside) > 1 else ()
            lines = null_lines(against, isolated(entry.title))
            return HomeFinding(view, entry, against, (*lines, *separation_lines(told)), told)
    return None


def _told(view: SplitView, entry: Entry) -> list[str]:
    """The metrics of graphs that may be told of an entry."""
    return [name for name in view.board.metrics if not view.board.task.use(name).label_only
            and _trusted(view, entry.result, name)]


def separation_lines(found: Sequence[Separation]) -> tuple[str, ...]:
    """How many of several rows each metric puts significantly above their nulls."""
    told = [f"{one.metric} {one.better} of {one.rows}" for one in found]
    return (f"Rows significantly better than their own nulls: {', '.join(told)}.",) if told else ()


def null_lines(finding: NullFinding, title: str) -> tuple[str, str, str]:
    """The finding in three lines, both halves of it."""
    return (
        f"The null of {title} replaces each of its {finding.items} graphs by a chain of the texts' "
        "first words, and changes nothing else.",
        f"It is better on {_listed(finding.ahead)}.",
        f"It is worse on {_listed(finding.behind)}"
        + (f", and equal on {_listed(finding.equal)}." if finding.equal else "."),
    )


def _listed(found: Sequence[AgainstNull]) -> str:
    """Metrics with the null's value and the submission's, written as in the tables."""
    return _and([f"{one.metric} ({score(one.null, one.metric)} against "
                 f"{score(one.value, one.metric)})" for one in found])


def _and(told: Sequence[str]) -> str:
    if len(told) < 2:
        return told[0] if told else "no metric"
    return f"{', '.join(told[:-1])} and {told[-1]}"


def _trusted(view: SplitView, result: Result, metric: str) -> bool:
    """Whether no judge gave a number, or a fit one: others say more of the judge than of graphs."""
    judge = view.judges.behind(result, metric)
    return judge is None or (judge.known is not None and judge.known.fit)


def home_context(site: SiteView, tables: Tables | None = None,
                 leaderboards: Leaderboards | None = None) -> dict[str, Any]:
    """What the fragments of the front page show."""
    known = tables or tables_of(site)
    practice = [board for board in site.boards if board.board.practice]
    shown = [board for board in site.boards if not board.board.practice] or practice
    tops = [top for top in (top_of(board, known) for board in shown) if top.lines]
    return {
        "site": site, "tops": tops, "practice": [] if shown is practice else practice,
        "finding": null_finding(site), "agreement": [
            (one, lines) for one in largest(rated_splits(site)) if (lines := front_lines(one))],
        "people_page": METRICS_PAGE, "showcase": _showcase(site), "feed": FEED,
        "news": newest(row_news("", site, leaderboards or leaderboards_of(site)), NEWS_SHOWN),
    }


class Pick(NamedTuple):
    """One row that the front page names."""

    row: TableRow
    cell: Cell
    apart: str = ""
    """Why it is not comparable with the others of its line: other items, or another signature."""


class TopLine(NamedTuple):
    """One leaderboard in a line: its best systems, and between what they stand."""

    view: SplitView
    metric: MetricInfo
    scored: Pick | None
    published: Pick | None
    ceilings: tuple[Pick, ...]
    """Gold or one person where we scored them, and people as published."""
    floor: Pick | None
    """The null of the best system, else a null, else the best baseline."""
    order: Literal["ranked", "not ranked", "none yet"]
    """Whether systems were scored here, and by the metric."""
    by_published: bool
    """Whether the metric is that of published rows, because none may order those scored here."""


class Top(NamedTuple):
    """The leaderboards of one board, those with scored rows first."""

    board: BoardView
    lines: tuple[TopLine, ...]


def top_of(board: BoardView, tables: Tables) -> Top:
    """A board as the front page shows it."""
    found = [_line(tables[view.path]) for view in board.splits if view.entries or view.sources]
    return Top(board, tuple(sorted(found, key=lambda line: not line.view.entries)))


def _line(table: Table) -> TopLine:
    by_published = bool(table.view.entries) and not table.ordered_by
    metric = _leading(table)
    picks = [one for one in _picks(table, metric) if not (by_published and one.row.entry)]
    scored = _best(metric, (one for one in picks if one.row.kind in SYSTEMS))
    people = _best(metric, (one for one in picks if one.row.kind == "human"))
    ceiling = _best(metric, (one for one in picks if _role(table, one) == "ceiling"))
    return TopLine(
        table.view, metric, scored,
        _best(metric, (one for one in picks if one.row.kind == "reported")),
        tuple(one for one in (ceiling, people) if one is not None),
        _floor(table, metric, picks, scored),
        "ranked" if scored else "not ranked" if any(
            row.kind in SYSTEMS for block in table.blocks if not block.withdrawn
            for row in block.rows) else "none yet",
        by_published,
    )


def _leading(table: Table) -> MetricInfo:
    """What orders scored rows; else of published ones the first ranking metric that they have."""
    if table.view.entries and table.ordered_by:
        groups = table.ordering_groups
        return groups.metric if groups else METRICS[table.ordered_by]
    have = [metric for at, metric in enumerate(table.columns)
            if any(row.cells[at].value is not None
                   for block in table.blocks if block.source for row in block.rows)]
    ranking = table.view.board.ranking
    first = [METRICS[name] for name in ranking if METRICS[name] in have]
    return (first or have or list(table.columns))[0]


def _picks(table: Table, metric: MetricInfo) -> Iterator[Pick]:
    """Rows with a value that nobody withdrew."""
    for block in table.blocks:
        items = block.source.test_set if block.source else None
        other = items is not None and items != table.view.split.test_set
        why = f"other items: {items}" if other else "another signature" if block.apart else ""
        yield from (Pick(row, cell, why) for row in block.rows
                    if (cell := table.cell(row, metric)).value is not None
                    and not block.withdrawn)


def _best(metric: MetricInfo, picks: Iterable[Pick]) -> Pick | None:
    """The best value, the first of equal ones; any comparable one before others."""
    sign = 1 if metric.better == "higher" else -1
    return max(picks, key=lambda one: (not one.apart, sign * (one.cell.value or 0.0)),
               default=None)


def _floor(table: Table, metric: MetricInfo, picks: Sequence[Pick], scored: Pick | None
           ) -> Pick | None:
    best = scored.row.entry if scored else None
    own = null_name(best.team, best.system) if best else None
    groups = ([one for one in picks if one.row.kind == "reference"
               and one.row.entry and one.row.entry.system == own],
              *([one for one in picks if _role(table, one) == role]
                for role in ("null", "baseline")))
    return next((found for group in groups if (found := _best(metric, group))), None)


def _role(table: Table, pick: Pick) -> str:
    """``ceiling``, ``null`` or ``baseline`` of a reference row; empty for what answers with gold
    in another way, and for all other rows."""
    entry = pick.row.entry
    if entry is None or entry.kind != "reference":
        return ""
    known = table.view.board.task.baselines.get(entry.system)
    if known is None:
        return ""
    return known.role or ("" if known.saw_gold else "baseline")


class Showcase(NamedTuple):
    """One example for the front page."""

    view: SplitView
    row: int
    shown: Mapping[str, Any]
    """What ``ShownExample.context`` gives."""


def _showcase(site: SiteView) -> Showcase | None:
    """One item whose data are our own, else any."""
    views = [view for board in site.boards for view in board.splits
             if view.golds and view_of(view.board).front_page]
    views.sort(key=lambda view: (not view.committed, view.name != "dev"))
    for view in views:
        example_view = view_of(view.board)
        row = example_view.front_page_row(view.golds)
        example = example_view.examples(replace(view, entries=()))(view.golds[row], row + 1)
        return Showcase(view, row + 1, example.context())
    return None
