"""What stands on the front page: top rows, the finding about nulls, one example, news. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from scorer.records import Result
from scorer.scoring.null_finding import AgainstNull, NullFinding
from scorer.scoring.null_finding import null_finding as against_null
from scorer.website.boards.table import Block, Table, Tables, tables_of
from scorer.website.exports.feed import newest, row_news
from scorer.website.outputs import FEED
from scorer.website.records import Entry, SiteView, SplitView
from scorer.website.render import score
from scorer.website.text import isolated
from scorer.website.views.registry import view_of

NEWS_SHOWN = 6


class HomeFinding(NamedTuple):
    """How one submission fares against its null, and that in three lines."""

    view: SplitView
    entry: Entry
    found: NullFinding
    lines: tuple[str, str, str]


def null_finding(site: SiteView) -> HomeFinding | None:
    """Of the first board of graphs that has rows: of predictions made by others, else of a
    submission, else of any row."""
    rows = [(view, entry) for board in site.boards if view_of(board.board).front_page
            for view in board.splits for entry in view.entries
            if not entry.withdrawn and entry.kind != "preview"]
    plain = [row for kind in ("third-party", "scored") for row in rows if row[1].kind == kind]
    others = [row for row in rows if row[1].system not in ("gold", "null", "second-gold")
              and not row[1].system.startswith("null-of-")]
    for view, entry in [*plain, *others]:
        found = against_null(entry.result, [
            name for name in view.board.metrics
            if not view.board.task.use(name).label_only
            and _trusted(view, entry.result, name)])
        if found is not None:
            return HomeFinding(view, entry, found, null_lines(found, isolated(entry.title)))
    return None


def null_lines(finding: NullFinding, title: str) -> tuple[str, str, str]:
    """The finding in three lines, both halves of it."""
    return (
        f"The null of {title} keeps its labels and replaces every one of its {finding.items} "
        "graphs by a chain of the texts' first words.",
        f"It is better on {_listed(finding.ahead)}.",
        f"It is worse on {_listed(finding.behind)}"
        + (f", and equal on {_listed(finding.equal)}." if finding.equal else "."),
    )


def _listed(found: Sequence[AgainstNull]) -> str:
    """Metrics with the null's value and the submission's, written as in the tables."""
    told = [f"{one.metric} ({score(one.null, one.metric)} against {score(one.value, one.metric)})"
            for one in found]
    if len(told) < 2:
        return told[0] if told else "no metric"
    return f"{', '.join(told[:-1])} and {told[-1]}"


def _trusted(view: SplitView, result: Result, metric: str) -> bool:
    """Whether no judge gave a number, or a fit one: others say more of the judge than of graphs."""
    judge = view.judges.behind(result, metric)
    return judge is None or (judge.known is not None and judge.known.fit)


def home_context(site: SiteView, tables: Tables | None = None) -> dict[str, Any]:
    """What the fragments of the front page show."""
    known = tables or tables_of(site)
    tops = []
    practice = [board for board in site.boards if board.board.practice]
    shown = [board for board in site.boards if not board.board.practice] or practice
    for board in shown:
        views = [view for view in board.splits if view.entries or view.reported]
        measured = [view for view in views if view.entries]
        dev = [v for v in measured if v.name == "dev"]
        chosen: Sequence[SplitView] = (dev or measured or views)[:1]
        tops += [(board, view, _top_rows(known[view.path])) for view in chosen]
    return {
        "site": site, "tops": tops, "practice": [] if shown is practice else practice,
        "finding": null_finding(site), "showcase": _showcase(site), "feed": FEED,
        "news": newest(row_news("", site, known), NEWS_SHOWN),
    }


def _top_rows(table: Table, most: int = 5) -> tuple[Table, Sequence[int], Block]:
    """The first rows of the first block, and the columns worth showing on the front page."""
    block = table.blocks[0]
    filled = [i for i in range(len(table.columns))
              if any(row.cells[i].value is not None for row in block.rows)]
    rows = [row for row in block.rows if row.entry is None or row.entry.system != "gold"]
    return table, filled, Block(tuple(rows[:most]), block.reported)


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
