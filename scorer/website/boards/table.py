"""Leaderboards as rows and cells. Pure. As files: ``exports.tables``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from scorer.board import Answers
from scorer.board.published import PublishedRow, PublishedSource
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.reading.fields import Link
from scorer.records import Interval
from scorer.scoring.judging import JudgeRef, Standing, standing
from scorer.scoring.leaderboard.order import Ordering
from scorer.scoring.null_finding import lift_verdict
from scorer.statistics import TIE
from scorer.submission import CONSTRAINED, TAGS
from scorer.website.boards.people_columns import PeopleColumns, Said, people_columns
from scorer.website.boards.ranking import ordering
from scorer.website.boards.standings import (
    EntryGroup,
    GroupsByMetric,
    MetricGroups,
    RowRanks,
    apart,
    metric_groups,
)
from scorer.website.boards.uncertainty import Sure, about, interval_text, published, sure
from scorer.website.records import PREVIEW, Entry, SiteView, SplitView, official
from scorer.website.render import NOTHING, score
from scorer.website.text import for_readers, shown

if TYPE_CHECKING:
    from scorer.annotations.documents import EstimateDocument


class Cell(NamedTuple):
    """One number in its three readings; ``note`` is the number of a reason below the table."""

    value: float | None
    text: str
    passed: float | None = None
    passed_text: str = NOTHING
    n_passed: int | None = None
    null_text: str = NOTHING
    lift: float | None = None
    lift_text: str = NOTHING
    lift_word: str = ""
    """``lift_verdict``; empty without a null."""
    note: int = 0
    parts: str = ""
    judge: JudgeRef | None = None
    """Who judged it, where a column has more judges than one."""
    sure: Sure = Sure()
    counts: tuple[str, ...] = ()
    """What people read for it, in words."""


class TableRow(NamedTuple):
    """One system."""

    entry: Entry | None
    title: str
    by: str
    kind: str
    rank: RowRanks | None
    """Its rank intervals by what orders the rows."""
    cells: tuple[Cell, ...]
    date: str = ""
    """When it was published."""
    what: str = ""
    """What a row published elsewhere is, if not what its source says."""
    said: tuple[Cell, ...] = ()
    """What people said, by the columns of ``Table.people``."""
    unranked: str = ""
    """Why it is not ranked among the others, where it could be."""

    @property
    def links(self) -> tuple[Link, ...]:
        """The first of its paper, code and whatever else it links to."""
        return self.entry.links[:LINKS_SHOWN] if self.entry else ()

    @property
    def parameters(self) -> str:
        """How large its models are, in its own words."""
        return dict(self.entry.facts).get("parameters", "") if self.entry else ""

    @property
    def tags(self) -> tuple[str, ...]:
        """Words that rows can be chosen by."""
        entry = self.entry
        told = [("saw dev gold", entry.kind != "reference" and entry.saw_dev_gold),
                ("withdrawn", bool(entry.withdrawn)),
                *((tag, True) for tag in entry.tags)] if entry else []
        return (KIND_TAGS[self.kind], *(tag for tag, holds in told if holds))

    @property
    def words(self) -> str:
        """What a search looks in besides what the row shows."""
        facts = dict(self.entry.facts) if self.entry else {}
        return shown(" ".join(facts[name] for name in _SEARCHED if name in facts), 300)


KIND_TAGS = {"scored": "submitted", "third-party": "by others", "reference": "reference",
             "reported": "published", "human": "human", PREVIEW: "local preview"}
"""The tag of each kind of row."""
LINKS_SHOWN = 3
_SEARCHED = ("models", "training data", "parameters", "decoding")


def tags_of(table: Table) -> dict[str, int]:
    """The tags of a table with their rows, those of kinds first; none if they divide nothing."""
    rows = [row for block in table.blocks for row in block.rows]
    counts = Counter(tag for row in rows for tag in row.tags)
    known = [*KIND_TAGS.values(), "saw dev gold", "withdrawn", *TAGS]
    return {tag: counts[tag] for tag in known if 0 < counts[tag] < len(rows)}


@dataclass(frozen=True)
class Block:
    """Rows that are sorted among themselves: scored here, or published in one place."""

    rows: tuple[TableRow, ...]
    source: PublishedSource | None = None
    """Where the rows were published, if elsewhere."""
    apart: str = ""
    """What keeps these rows from being compared with those of the first block."""
    withdrawn: bool = False
    judged: tuple[str, ...] = ()
    """Columns of a published table that judges gave."""
    answered: Answers | None = None
    """The people's answers that these rows are."""

    @property
    def link(self) -> Link | PublishedSource | None:
        """Where rows come from that were not scored here."""
        return self.answered.source if self.answered else self.source


@dataclass(frozen=True)
class Table:
    """A leaderboard."""

    view: SplitView
    columns: tuple[MetricInfo, ...]
    ordering: Ordering
    blocks: tuple[Block, ...]
    reasons: tuple[str, ...]
    """Why numbers are missing, in the order of the notes."""
    standings: Mapping[str, Standing]
    """Who judged the columns that judges give, and whether these may order rows."""
    groups_by_metric: GroupsByMetric
    unmeasured: Mapping[str, tuple[str, ...]]
    """Columns in which no row has a value, and why."""
    people: PeopleColumns | None = None
    """The columns that people gave; None where they read no row."""

    @property
    def constrained(self) -> bool:
        """Whether any row's system enforces constraints in decoding."""
        return any(CONSTRAINED in row.tags for block in self.blocks for row in block.rows)

    @property
    def measured(self) -> tuple[int, ...]:
        """The places of the other columns: those that pages show."""
        return tuple(at for at, metric in enumerate(self.columns)
                     if metric.id not in self.unmeasured)

    @property
    def lacking(self) -> list[tuple[list[str], tuple[str, ...]]]:
        """The columns in which no row has a value, together where the reasons are the same."""
        found: dict[tuple[str, ...], list[str]] = {}
        for name, reasons in self.unmeasured.items():
            uncomputed = METRICS[name].uncomputed("them")
            found.setdefault((uncomputed,) if uncomputed else reasons, []).append(name)
        return [(names, together if len(names) > 1 else self.unmeasured[names[0]])
                for together, names in found.items()]

    @property
    def said(self) -> tuple[MetricInfo, ...]:
        """The columns that people gave."""
        return self.people.columns if self.people else ()

    @cached_property
    def shown(self) -> tuple[MetricInfo, ...]:
        """The columns that pages show: those measured, and after the judge's the people's."""
        found = [self.columns[at] for at in self.measured]
        if self.people:
            names = [one.id for one in found]
            at = (names.index(self.people.corrects) + 1 if self.people.corrects in names
                  else len(found))
            found[at:at] = self.said
        return tuple(found)

    def cell(self, row: TableRow, column: MetricInfo) -> Cell:
        """What stands in a row below a column."""
        if column in self.said:
            return row.said[self.said.index(column)] if row.said else Cell(None, NOTHING)
        return row.cells[self.columns.index(column)]

    @property
    def ordered_by(self) -> str | None:
        """The metric that rows are ordered by, if anything may order them."""
        return self.ordering.metric

    @property
    def ordering_groups(self) -> MetricGroups | None:
        """That of the metric that rows are ordered by."""
        if self.people and self.people.powered and self.ordered_by == self.people.powered.id:
            return self.people.groups
        return self.groups_by_metric[self.ordered_by] if self.ordered_by else None

    @property
    def group(self) -> EntryGroup | None:
        """The rows that are ranked among each other in the first block."""
        return self.ordering_groups.main if self.ordering_groups else None


Tables = Mapping[str, Table]
"""By the path of their split."""


def tables_of(site: SiteView) -> dict[str, Table]:
    """The table of every split."""
    return {view.path: leaderboard(view) for board in site.boards for view in board.splits}


def leaderboard(view: SplitView) -> Table:
    """The table of one split: scored rows first, then each published table."""
    standings = _standings(view)
    columns = tuple(METRICS[name] for name in _columns(view, standings))
    people = people_columns(view)
    order = ordering(view, people)
    found = metric_groups(view, standings)
    unmeasured = _unmeasured(view, columns)
    reasons: dict[str, int] = {}

    def cell(entry: Entry, metric: MetricInfo) -> Cell:
        if metric.id in unmeasured:
            return Cell(None, NOTHING)
        return _judged(view, entry, metric, standings.get(metric.id), found[metric.id], reasons)

    ordered = found.get(order.metric or "")
    if people and people.powered and order.metric == people.powered.id:
        ordered = people.groups
    rows = {entry.key: TableRow(entry, entry.title, entry.by, entry.kind,
                                ordered.ranks_of(entry.key) if ordered else None,
                                tuple(cell(entry, metric) for metric in columns), entry.date,
                                said=_said(people, entry, reasons) if people else (),
                                unranked=ordered.unranked(entry.key) if ordered else "")
            for entry in view.entries}
    blocks = list(_scored_blocks(view, rows, ordered or found[view.board.metrics[0]]))
    blocks += _answered(view, columns)
    blocks += [_published(source, columns, view) for source in view.sources]
    return Table(view, columns, order, tuple(blocks), tuple(reasons), standings, found,
                 unmeasured, people)


def _unmeasured(view: SplitView, columns: Sequence[MetricInfo]) -> dict[str, tuple[str, ...]]:
    """Columns without any value, each with its reasons; none of a table without rows."""
    printed = {name for source in view.sources for name in source.columns}
    found: dict[str, tuple[str, ...]] = {}
    for metric in columns if view.entries else ():
        values = [entry.result.metrics.get(metric.id) for entry in view.entries]
        if metric.id not in printed and all(one is None or one.value is None for one in values):
            why = (reason_of(entry, metric.id) for entry in view.entries)
            found[metric.id] = tuple(dict.fromkeys(why))
    return found


def reason_of(entry: Entry, metric: str) -> str:
    """Why a row has no value of a metric; what to do about it, in a preview alone."""
    found = entry.result.metrics.get(metric)
    reason = (found.reason if found else None) or "not asked for when this row was scored"
    return reason if entry.kind == PREVIEW else for_readers(reason)


def _scored_blocks(view: SplitView, rows: Mapping[str, TableRow], groups: MetricGroups,
                   ) -> Iterator[Block]:
    """Rows of one signature each, the largest group first, the unmeasured with it; then the
    withdrawn."""
    main = groups.main.signature if groups.main else ""
    by_signature: dict[str, list[TableRow]] = {}
    withdrawn = []
    for entry in view.entries:
        group = groups.group_of(entry.key)
        if entry.withdrawn:
            withdrawn.append(rows[entry.key])
        else:
            by_signature.setdefault(group.signature if group else main, []).append(rows[entry.key])
    for signature in sorted(by_signature, key=lambda one: (one != main, -len(by_signature[one]))):
        yield Block(tuple(by_signature[signature]),
                    apart="" if signature == main else apart(main, signature))
    if withdrawn:
        yield Block(tuple(withdrawn), withdrawn=True)


def golds_of(entry: Entry) -> int:
    """How many golds each item of an entry was scored against, at most."""
    golds: int = entry.result.provenance.get("gold", {}).get("golds", 1)
    return golds


def _standings(view: SplitView) -> dict[str, Standing]:
    """Of the rows that count; of previews where these alone have a number of a judge."""
    counting = [entry.result for entry in official(view.entries)]
    every = [entry.result for entry in view.entries]
    found = {name: standing(name, counting, view.judges) or standing(name, every, view.judges)
             for name in view.board.metrics}
    return {name: how for name, how in found.items() if how is not None}


def _columns(view: SplitView, standings: Mapping[str, Standing]) -> list[str]:
    """The board's metrics that any row of this split could have.

    A judged column that may not order rows stands after the last plausibility column.
    """
    if view.entries:
        names = list(view.board.metrics)
        last = max((i for i, name in enumerate(names) if METRICS[name].group == "plausibility"),
                   default=-1)
        late = [name for name in names[:last] if name in standings and not standings[name].ranks]
        return [name for name in names[:last + 1] if name not in late] + late + names[last + 1:]
    told = {name for source in view.sources for name in source.columns}
    return [name for name in view.board.metrics if name in told] or list(view.board.metrics)


def _judged(
    view: SplitView, entry: Entry, metric: MetricInfo, how: Standing | None, groups: MetricGroups,
    reasons: dict[str, int],
) -> Cell:
    """A cell that names its judge, if not all of its column have the same."""
    judge = view.judges.behind(entry.result, metric.id)
    cell = _cell(view, entry, metric, reasons)
    cell = cell._replace(
        sure=sure(entry, metric, judge, view),
        note=cell.note or _other_signature(entry, groups, reasons),
    )
    return cell if how is None or len(how.judges) == 1 else cell._replace(judge=judge)


def _said(people: PeopleColumns, entry: Entry, reasons: dict[str, int]) -> tuple[Cell, ...]:
    """What people say of a row, a cell for each of their columns."""
    return tuple(_of_people(people, entry, one, reasons) for one in people.said(entry))


def _of_people(people: PeopleColumns, entry: Entry, found: Said, reasons: dict[str, int]) -> Cell:
    metric = found.metric
    if found.value is None:
        reason = f"Not measured. {metric.id}: {found.why_not}"
        return Cell(None, NOTHING, note=reasons.setdefault(reason, len(reasons) + 1))
    sure = Sure(interval_text(found.interval, metric), about(found.interval), found.interval)
    note = _other_signature(entry, people.groups, reasons) if metric == people.powered else 0
    return Cell(found.value, score(found.value, metric), note=note, sure=sure, counts=found.counts)


def _other_signature(entry: Entry, groups: MetricGroups, reasons: dict[str, int]) -> int:
    """The number of the reason why a value cannot be compared with most of its column, or 0."""
    group, main = groups.group_of(entry.key), groups.main
    if group is None or main is None or group is main:
        return 0
    reason = ("Not comparable with the largest part of the column: "
              f"{apart(main.signature, group.signature)}.")
    return reasons.setdefault(reason, len(reasons) + 1)


def _cell(view: SplitView, entry: Entry, metric: MetricInfo, reasons: dict[str, int]) -> Cell:
    found = entry.result.metrics.get(metric.id)
    if found is None or found.value is None:
        reason = f"Not measured. {metric.id}: {reason_of(entry, metric.id)}"
        other = instead(view, entry, metric)
        if other is not None:
            reason += f"; shown is {other.what}, which orders nothing"
        return Cell(None, other.text if other else NOTHING,
                    note=reasons.setdefault(reason, len(reasons) + 1))
    doubt = _doubt(view, entry, metric)
    return Cell(
        found.value,
        score(found.value, metric),
        found.passed,
        score(found.passed, metric),
        found.n_passed if metric.graded else None,
        score(found.null, metric),
        metric.lift(found),
        score(metric.lift(found), metric, signed=True),
        lift_verdict(found, metric),
        parts=", ".join(f"{name} {score(v, metric)}" for name, v in found.parts.items()),
        note=reasons.setdefault(doubt, len(reasons) + 1) if doubt else 0,
    )


class Instead(NamedTuple):
    """What stands where a metric was not measured."""

    value: float
    text: str
    what: str
    """To follow *shown is*."""


def instead(view: SplitView, entry: Entry, metric: MetricInfo) -> Instead | None:
    """What the metric names for such rows; None if it names nothing, or that is not there."""
    if metric.instead is None:
        return None
    name, system = metric.instead
    row = next((one for one in view.entries if one.kind == "reference" and one.system == system),
               None)
    values = [one.result.metrics[name].value for one in (entry, row)
              if one is not None and name in one.result.metrics]
    if row is None or len(values) < 2 or values[0] is None or values[1] is None:
        return None
    value = values[0] - values[1]
    return Instead(value, score(value, METRICS[name], signed=True),
                   f"{name} less that of the row {row.title}")


def _doubt(view: SplitView, entry: Entry, metric: MetricInfo) -> str:
    """Why a difference may be too great: what it is taken from is the submitter's own word, and
    worse than the reference row that ``instead`` names. Empty if it is not."""
    other, found = instead(view, entry, metric), entry.result.metrics[metric.id].value
    if other is None or found is None or found <= other.value + TIE:
        return ""
    return (f"{metric.id} relies on what this row reports of itself; {other.what} is smaller: "
            f"{other.text}.")


def _answered(view: SplitView, columns: Sequence[MetricInfo]) -> Iterator[Block]:
    """People who gave the split's items labels, as rows: one person, and the majority of some."""
    people, answers = view.sure and view.sure.people, view.split.answers
    metric = view.board.label_metric
    if not people or not answers:
        return
    *some, last = people.majorities
    found = [("One person", people.one),
             *((f"Majority of {one.people} people", one.right) for one in some),
             (f"Majority of {last.people} people", people.majority)]
    yield Block(tuple(TableRow(
        None, f"{title} ({answers.title})", answers.by, "human", None,
        tuple(_people_cell(one, column) if column.id == metric else Cell(None, NOTHING)
              for column in columns)) for title, one in found), answered=answers)


def _people_cell(one: EstimateDocument, metric: MetricInfo) -> Cell:
    low, high = one.ci or (None, None)
    found = Interval(low, high, one.method, one.note)
    return Cell(one.value, score(one.value, metric),
                sure=Sure(interval_text(found, metric), about(found), found))


def _published(source: PublishedSource, columns: Sequence[MetricInfo], view: SplitView) -> Block:
    same = source.test_set in (None, view.split.test_set)

    def of(row: PublishedRow) -> TableRow:
        cells = tuple(_published_cell(source, row, metric, view.split.rows if same else None)
                      for metric in columns)
        return TableRow(None, row.system, row.by or source.by, "human" if row.human else "reported",
                        None, cells, row.date or source.date or "", row.what or "")

    judged = tuple(m.id for m in columns if m.judge and m.id in source.columns)
    return Block(tuple(map(of, source.values)), source, judged=judged)


def _published_cell(source: PublishedSource, row: PublishedRow, metric: MetricInfo,
                    n: int | None) -> Cell:
    """A number as it is printed, with an interval where the number of items is known."""
    printed = row.printed.get(metric.id)
    if printed is None:
        return Cell(None, NOTHING)
    value = source.value(row, metric.id)
    parts = [f"{part} {row.printed[name].number}" for part in metric.parts
             if (name := f"{metric.id} {part}") in row.printed]
    as_shown = source.divisor(metric.id) == (100 if metric.better == "higher" else 1)
    text = str(printed.number) if as_shown else score(value, metric)
    deviation = () if printed.deviation is None else (f"\u00b1 {printed.deviation}",)
    return Cell(value, text, parts=", ".join(parts), counts=deviation,
                sure=Sure() if n is None else published(value, n, metric))
