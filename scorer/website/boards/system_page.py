"""The page of a system: numbers, how sure they are, what was remarked, how to repeat. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scorer.integrity import Flag
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.records import MetricValue
from scorer.results import reproduce
from scorer.results.signature import short
from scorer.scoring.judging import JudgeRef
from scorer.scoring.null_finding import lift_verdict
from scorer.statistics import FEWEST
from scorer.website.boards.anatomy import Anatomy
from scorer.website.boards.changes import Recomputation, steps
from scorer.website.boards.comparing import ROWS_SHOWN, SIGNS, WORDS, Rival, rivals
from scorer.website.boards.flags import everybody, integrity_flags
from scorer.website.boards.people_columns import OfSystem
from scorer.website.boards.standings import EntryGroup, RowRanks
from scorer.website.boards.table import Table, Tables, instead, reason_of
from scorer.website.boards.uncertainty import Sure, interval_text, sure
from scorer.website.outputs import Taken, taken
from scorer.website.page import Page
from scorer.website.reading.states import SplitState
from scorer.website.records import BoardView, Entry, SiteView, SplitView
from scorer.website.render import score
from scorer.website.text import isolated
from scorer.website.views.registry import view_of


class MetricNumber(NamedTuple):
    """One metric of one row, with all that is known of it."""

    metric: MetricInfo
    value: MetricValue
    judge: JudgeRef | None
    sure: Sure
    passed: str
    """The interval of the mean over the graphs that passed."""
    short: str
    """The short form of the signature."""
    ranks: RowRanks | None
    group: EntryGroup | None
    lift: str
    """The gain over the null."""
    lift_word: str
    """``lift_verdict``."""
    reason: str
    """Why there is no value, if there is none."""
    without: float | None
    """The value under the gold file as it is, where errata changed the gold."""


class SystemSheet(NamedTuple):
    """One system on one split."""

    view: SplitView
    entry: Entry
    table: Table
    anatomy: Anatomy
    statistics: Any
    """What ``statistics.html`` shows; None if nothing can be told."""
    numbers: tuple[MetricNumber, ...]
    state: SplitState | None
    """What became of it, if anything tells."""
    rivals: tuple[Rival, ...]
    flags: tuple[Flag, ...]
    """Integrity flags that were raised."""
    checks: int
    """How many checks there were."""
    commands: tuple[str, ...]
    errata: Mapping[str, object]
    """What the result says of errata; empty if none changed its gold."""
    steps: tuple[Recomputation, ...]
    """Every time that it was computed again, the newest first."""
    files: tuple[Taken, ...]
    """What can be taken along."""
    people: OfSystem | None
    """What people said of it, if they read any of its graphs."""


def system_pages(board: BoardView, site: SiteView, tables: Tables) -> Iterator[Page]:
    """One page a system of a board, with every split it entered."""
    told = integrity_flags(board, everybody(site.boards))
    systems: dict[str, list[tuple[SplitView, Entry]]] = {}
    example_view = view_of(board.board)
    anatomies = {view.name: example_view.anatomy(view) for view in board.splits}
    for view in board.splits:
        for entry in view.entries:
            systems.setdefault(entry.slug, []).append((view, entry))
    for name, rows in systems.items():
        entry = rows[0][1]
        sheets = [_sheet(view, entry, tables[view.path], site,
                         told.get((view.name, entry.key), ()), anatomies[view.name](entry))
                  for view, entry in rows]
        context = {
            "board": board.board, "entry": entry,
            "entry_links": tuple(dict.fromkeys(link for _, one in rows for link in one.links)),
            "sheets": sheets, "example_view": example_view,
            "states": site.states, "words": WORDS, "signs": SIGNS, "most": ROWS_SHOWN,
            "fewest": FEWEST,
        }
        yield Page(f"boards/{board.board.id}/systems/{name}/",
                   f"{isolated(entry.title)} on {board.board.title}", "system.html", context)


def _sheet(view: SplitView, entry: Entry, table: Table, site: SiteView, flags: tuple[Flag, ...],
           anatomy: Anatomy) -> SystemSheet:
    state = site.states.of(view.board.id, entry.team, entry.system, view.name)
    return SystemSheet(
        view, entry, table, anatomy, view_of(view.board).statistics(view, entry),
        tuple(_number(view, entry, METRICS[name], table) for name in METRICS
              if name in entry.result.metrics),
        state, rivals(table, entry), tuple(flag for flag in flags if flag.raised), len(flags),
        _commands(view, entry, state), entry.result.provenance.get("errata", {}),
        steps(entry, table), taken(view, entry),
        table.people.of_system(entry) if table.people else None,
    )


def _number(view: SplitView, entry: Entry, metric: MetricInfo, table: Table) -> MetricNumber:
    value = entry.result.metrics[metric.id]
    judge = view.judges.behind(entry.result, metric.id)
    groups = table.groups_by_metric.get(metric.id)
    group = groups.group_of(entry.key) if groups else None
    other = instead(view, entry, metric)
    without = entry.result.provenance.get("errata", {}).get("without", {})
    return MetricNumber(
        metric, value, judge, sure(entry, metric, judge, view),
        interval_text(value.passed_interval, metric),
        short(value.signature) if value.signature else "",
        group.row_ranks.get(entry.key) if group else None, group,
        score(metric.lift(value), metric, signed=True), lift_verdict(value, metric),
        reason_of(entry, metric.id) + (f"; {other.what}: {other.text}" if other else ""),
        without.get(metric.id),
    )


def _commands(view: SplitView, entry: Entry, state: SplitState | None) -> tuple[str, ...]:
    """With the commit that brought the result, if anything tells it; no other one need have it."""
    told = state.published.commit if state and state.published else entry.commit
    return reproduce.commands(view.board, entry.result, told)
