"""A leaderboard as its page shows it: the document's rows in groups, cells and drawings. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from scorer.boards import Board
from scorer.boards.published import PublishedSource
from scorer.boards.submission import CONSTRAINED, OWN, REFERENCE, TAGS
from scorer.core.errors import counted
from scorer.core.reading.values import Link
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.scoring.judging import Standing, standing
from scorer.scoring.leaderboard.about import official
from scorer.scoring.leaderboard.columns import metric_of
from scorer.scoring.leaderboard.make import SHOWN
from scorer.scoring.leaderboard.numbers import number, signed
from scorer.scoring.results.leaderboard import Column, LeaderboardDocument, Row, Value
from scorer.scoring.results.signature import short
from scorer.site.boards.compare_pages import compare_path
from scorer.site.page import Page
from scorer.site.people.figures import SureSplit
from scorer.site.people.pages import METRICS as PEOPLE_METRICS
from scorer.site.people.pages import SURENESS
from scorer.site.records import BoardView, Entry, SplitView
from scorer.site.render import NOTHING, interval
from scorer.site.text import for_readers, slug
from scorer.statistics import TIE
from scorer.statistics.intervals import METHODS, of_value

SCALES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
"""Where the scale of drawings may end."""
OPENED = 100
"""So many rows open in place; of the others there is a page."""
PREVIEW_TAG, OWN_TAG, SAW_GOLD = "local preview", "made by this site", "saw dev gold"
KIND_TAGS = {"scored": "submitted", "third-party": "by others", "reference": "reference",
             "preview": PREVIEW_TAG}


class Cell(NamedTuple):
    """One number of a row."""

    text: str
    key: str = ""
    """What a script sorts by, in few bytes; full precision is in the downloads."""
    hint: str = ""
    note: str = ""
    """What to know before it is compared."""


class ShownRow(NamedTuple):
    """One row as it is shown: of the document, of a paper, or of people."""

    title: str
    by: tuple[str, ...]
    values: Mapping[str, Value]
    tags: tuple[str, ...]
    row: Row | None = None
    """In the document; None of rows that are not scored here."""
    entry: Entry | None = None
    opened: bool = False
    """Whether it opens in place."""

    @property
    def trust(self) -> str:
        """Where its numbers come from."""
        return self.row.trust if self.row else "published"


class Group(NamedTuple):
    """Rows below a heading of their own; the systems have none."""

    title: str
    lines: tuple[ShownRow, ...]
    muted: bool = False
    note: str = ""
    source: PublishedSource | None = None
    link: Link | None = None


@dataclass(frozen=True)
class LeaderboardTable:
    """The table of a leaderboard."""

    view: SplitView

    @property
    def document(self) -> LeaderboardDocument:
        """What it shows."""
        return self.view.document

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """Those shown at first, what orders the rows coming first."""
        shown = [column for column in self.document.columns if column.shown]
        if not shown:
            printed = {name for row in self.document.published for name in row.values}
            board = self.view.board
            names = [self.document.order.by, *board.columns, *board.metrics]
            drawn = printed or {board.label_metric or ""}  # by which people's answers are measured
            chosen = [name for name in dict.fromkeys(names) if name in drawn]
            return tuple(self.document.by_id[name] for name in chosen[:SHOWN] if name)
        return tuple(sorted(shown, key=lambda column: column.shown or 0))

    @cached_property
    def others(self) -> tuple[Column, ...]:
        """Columns that can be added: measured, and not shown."""
        return tuple(column for column in self.document.columns
                     if column not in self.columns and not column.unmeasured)

    @property
    def order(self) -> Column | None:
        """The column that is drawn: what orders the rows, else the first."""
        by = self.document.ordering
        return by if by in self.columns else next(iter(self.columns), None)

    def drawn(self, values: Mapping[str, Value]) -> Value | None:
        """The value that is drawn, if it was measured."""
        value = values.get(self.order.id) if self.order else None
        return value if value and value.v is not None else None

    @cached_property
    def ceiling(self) -> tuple[str, float] | None:
        """The best reference row that answers with gold, or as a person, on the drawn column."""
        rows = [(value.v, row.key) for row in self.document.rows if row.role == "ceiling"
                and (value := self.drawn(row.values)) and value.v is not None]
        if not rows or self.order is None:
            return None
        best = max if self.order.better == "higher" else min
        first, name = best(rows, key=lambda row: row[0])
        return ("gold" if name == f"{REFERENCE}/gold" else self.view.title(name)), first

    @cached_property
    def axis(self) -> tuple[float, float]:
        """The ends of the common scale of the drawings: as wide as the values need."""
        name = self.order.id if self.order else ""
        values = [value for row in self.document.rows if (cell := row.values.get(name))
                  for value in (cell.v, cell.null, *(cell.ci or ())) if value is not None]
        values += [row.values[name] for row in self.document.published if name in row.values]
        low = min([0.0, *map(float, values)])
        top = max([0.0, *map(float, values)])
        return low, next((step for step in SCALES if step >= top), top * 1.05)

    @cached_property
    def basis(self) -> Mapping[str, tuple[str, str]]:
        """By column: the method of its intervals and its signature, of the first row that has one.
        """
        bases: dict[str, tuple[str, str]] = {}
        for row in self.document.rows:
            for name, value in row.values.items():
                if value.sig is not None and name not in bases:
                    bases[name] = (METHODS.get(value.method or "", ""),
                                   short(self.document.signatures[value.sig]))
        return bases

    @property
    def bold(self) -> bool:
        """Whether any value is set in bold."""
        return any(value.top for row in self.document.rows for value in row.values.values())

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Systems, those that do not compare, withdrawn ones, reference points, people, papers."""
        rows = self.document.rows
        apart: dict[str, list[Row]] = {"": []}
        for row in rows:
            if row.kind != "reference" and not row.withdrawn:
                value = self.drawn(row.values)
                apart.setdefault(value.apart or "" if value else "", []).append(row)
        blocks = [Group("Not comparable with the rows above" if why else "", self._lines(systems),
                        note=why) for why, systems in apart.items()]
        answers = self.view.split.answers
        blocks += [
            Group("Withdrawn", self._lines([row for row in rows if row.withdrawn]), muted=True),
            Group("Reference points", self._lines([row for row in rows if row.kind == "reference"]),
                  muted=True, note="made by this program, never ranked"),
            Group("People", tuple(self._people()), muted=True,
                  note=f"never ranked. {answers.licence}" if answers else "",
                  link=answers.source if answers else None),
            *self._published()]
        return tuple(block for block in blocks if block.lines)

    @property
    def every_line(self) -> list[ShownRow]:
        """The rows of all groups."""
        return [line for group in self.groups for line in group.lines]

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of some of the cells."""
        cells = (self.cell(line, column) for line in self.every_line for column in self.columns)
        return tuple(dict.fromkeys(cell.note for cell in cells if cell.note))

    @cached_property
    def tags(self) -> dict[str, int]:
        """Tags that divide the rows, with how many have each."""
        lines = self.every_line
        counts = Counter(tag for line in lines for tag in line.tags)
        known = ["submitted", "by others", "reference", "published", PREVIEW_TAG, OWN_TAG, SAW_GOLD,
                 *TAGS]
        return {tag: counts[tag] for tag in known if 0 < counts[tag] < len(lines)}

    # ---- rows ------------------------------------------------------------------------------

    def _lines(self, rows: Sequence[Row]) -> tuple[ShownRow, ...]:
        """Rows with who made them, when, and how large they are."""
        lines = []
        for at, row in enumerate(rows):
            entry = self.view.by_key[row.key]
            size = entry.facts.get("parameters", "").partition(",")[0]
            folder = "" if slug(entry.by) == entry.folder_name else entry.folder_name
            parts = (size,) if row.kind == "reference" else (entry.by, folder, row.date, size)
            own = [OWN_TAG] if row.key.startswith(f"{OWN}/") else []
            saw = [SAW_GOLD] if row.saw_dev_gold else []
            lines.append(ShownRow(
                self.view.title(row.key), tuple(filter(None, parts)), row.values,
                (KIND_TAGS[row.kind], *(row.tags or ()), *own, *saw), row, entry,
                at < OPENED and row.kind != "reference"))
        return tuple(lines)

    def _people(self) -> Iterator[ShownRow]:
        """One person and majorities of several, where a split's items have their answers."""
        view = self.view
        if not view.sure or not view.split.answers:
            return
        for title, rate, _ in SureSplit(view, view.sure).people:
            value = Value(v=rate.value, ci=[*rate.ci] if rate.ci else None)
            yield ShownRow(title, (view.split.answers.by,),
                           {view.board.label_metric or "": value}, ("human",))

    def _published(self) -> Iterator[Group]:
        """The rows of each source, which nothing here can compare item by item."""
        split, items = self.view.split, self.document.items
        for at, source in enumerate(self.view.sources):
            n = items if source.test_set in (None, split.test_set) else 0
            lines = tuple(
                ShownRow(row.system, tuple(filter(None, (row.by, row.date, row.what))),
                         {name: _printed(value, METRICS[name], n)
                          for name, value in row.values.items()},
                         ("human" if row.human else "published",))
                for row in self.document.published if row.source == source.id)
            title = "" if at else "Published elsewhere, not comparable item by item"
            yield Group(title or source.title, lines, muted=True, source=source)

    def compared(self, row: Row) -> str:
        """The page that compares a row with the first system; empty where there is none."""
        systems = self.document.systems
        if row.key not in self.document.compared or not systems or row.key == systems[0]:
            return ""
        return compare_path(self.view, systems[0], row.key)

    def cell(self, line: ShownRow, column: Column) -> Cell:
        """A row's number in a column."""
        value, other = line.values.get(column.id), instead(self.document, line.row, column.id)
        if value is None or value.v is None:
            why = (value.why if value else None) or "not measured"
            why = for_readers(why) if line.row else ""
            if other is None:
                return Cell(NOTHING, hint=why)
            return Cell(signed(other[0], column), hint=why, note=(
                f"not measured; shown is {other[1]}, which orders nothing"))
        sure = f"95 % interval {interval(value.ci, column)}" if value.ci else ""
        doubt = other is not None and value.v > other[0] + TIE and (
            f"{column.id} relies on what this row reports of itself; {other[1]} is smaller: "
            f"{signed(other[0], column)}")
        return Cell(number(value.v, column), f"{value.v:.6g}",
                    "; ".join(filter(None, (sure, by_people(value)))),
                    doubt or apart(value))


def instead(document: LeaderboardDocument, row: Row | None, column: str,
            ) -> tuple[float, str] | None:
    """What stands beside a row's own value of a column, or for it: a difference of two rows, and
    what it is."""
    name, system = metric_of(column).instead or ("", "")
    other = document.by_key.get(f"{REFERENCE}/{system}")
    values = [entry.values[name].v for entry in (row, other) if entry and name in entry.values]
    if other is None or len(values) < 2 or values[0] is None or values[1] is None:
        return None
    return values[0] - values[1], f"{name} less that of the row {other.title}"


def apart(value: Value) -> str:
    """Why a value cannot be compared with most of its column."""
    return f"not comparable with most of the column: {value.apart}" if value.apart else ""


def by_people(value: Value) -> str:
    """What people read for a value."""
    panel = value.people
    if panel is None:
        return ""
    what = (f"{counted(panel.graphs, 'graph')}, {counted(panel.votes, 'vote')}" if panel.votes else
            f"{panel.graphs} of {counted(value.n_passed or 0, 'graph')} verified")
    return f"{what}, simulated" if panel.simulated else what


def _printed(value: float, metric: MetricInfo, n: int) -> Value:
    """A published value, with the interval of the nearest count of ``n`` items if it is a share."""
    bounds = of_value(value, n, binary=metric.binary, source="the published value")
    return Value.model_validate({
        "v": value, **({"ci": [bounds.low, bounds.high]} if n and bounds.given else {})})


def standings(view: SplitView) -> dict[str, Standing]:
    """Who judged the columns that judges give, and whether these may order rows."""
    counting = [entry.result for entry in official(view.entries)]
    every = [entry.result for entry in view.entries]
    states = {name: standing(name, counting, view.judges) or standing(name, every, view.judges)
              for name in view.board.metrics}
    return {name: how for name, how in states.items() if how is not None}


def leaderboard_page(board: BoardView, view: SplitView, notes: Mapping[str, str]) -> Page:
    """The page of a split's leaderboard; ``notes``: what people said of columns."""
    context = {
        "people_said": notes, "people_page": PEOPLE_METRICS,
        "board": board.board, "view": view, "document": view.document,
        "table": LeaderboardTable(view),
        "apart_of": apart, "by_people": by_people, "metric_of": metric_of,
        "enforced": CONSTRAINED, "own": f"{OWN}/", "standings": standings(view),
        "gates": gate_scores(board.board), "ungated": ungated(board.board),
        "sure": f"{SURENESS}#{board.board.id}-{view.name}" if view.sure else "",
    }
    title = f"{board.board.title}: {view.name} leaderboard"
    return Page(view.path, title, "leaderboard.html", context)


def gate_scores(board: Board) -> list[str]:
    """Metrics for which an item stopped at a gate does not count 0."""
    return [f"{name}: {otherwise:g}" for name in board.metrics
            if (otherwise := board.task.use(name).otherwise)]


def ungated(board: Board) -> list[str]:
    """Metrics that look at more than labels and know no gate."""
    return [name for name in board.metrics if METRICS[name].function is not None
            and (use := board.task.use(name)).gate is None and not use.label_only]
