"""The page of a system: numbers, how sure they are, integrity flags, how to repeat. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.boards.integrity import Flag
from scorer.boards.submission import CONSTRAINED
from scorer.core.results import MetricValue
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.scoring.judging import JudgeRef
from scorer.scoring.leaderboard.about import PREVIEW
from scorer.scoring.results import reproduce
from scorer.scoring.results.leaderboard import Value
from scorer.scoring.results.signature import short
from scorer.site.boards.anatomy import Anatomy
from scorer.site.boards.board_pages import Recomputation, steps
from scorer.site.boards.comparing import RowDifference, against, neighbours
from scorer.site.boards.leaderboards import Leaderboard, Leaderboards
from scorer.site.outputs import Taken, taken
from scorer.site.page import Page
from scorer.site.reading.states import SplitState
from scorer.site.records import BoardView, Entry, ReadGraph, SiteView, SplitView
from scorer.site.render import score
from scorer.site.text import for_readers, isolated
from scorer.site.views.registry import view_of
from scorer.statistics import FEWEST
from scorer.statistics.intervals import METHODS

if TYPE_CHECKING:
    from scorer.people.documents import VerdictDocument
from collections.abc import Mapping

from scorer.boards.integrity import Golds, same_file, survey
from scorer.boards.integrity.names import Name, name_flag, reserved
from scorer.boards.submission import OWN
from scorer.statistics.paired import marked

ROWS_SHOWN = 8
"""Items linked in one list; the rest is counted."""
NEAR = 5
"""Systems above and below that a system is compared with."""
WORDS = {"better": "better", "worse": "worse", "same": "no significant difference",
         "": "no verdict"}


class MetricNumber(NamedTuple):
    """One metric of one row, with all that is known of it."""

    metric: MetricInfo
    value: MetricValue
    known: Value
    """What the leaderboard's document has of it."""
    judge: JudgeRef | None
    about: str
    """How the interval was made."""
    ranked: int
    """How many rows have a rank in it."""
    reason: str
    """Why there is no value, if there is none."""


class PeopleOfSystem(NamedTuple):
    """What people said of one system."""

    verdict: VerdictDocument
    graphs: tuple[ReadGraph, ...]
    """By row."""
    voters: int
    simulated: bool
    column: str
    """The column of the judge that they correct."""
    rank: Sequence[int] | None
    ranked: int
    """How many rows have ranks beside it."""


class SystemSheet(NamedTuple):
    """One system on one split."""

    view: SplitView
    entry: Entry
    known: Leaderboard
    anatomy: Anatomy
    statistics: Any
    """What ``statistics.html`` shows; None without its items."""
    numbers: tuple[MetricNumber, ...]
    state: SplitState | None
    """What became of it, if anything tells."""
    rivals: tuple[RowDifference, ...]
    flags: tuple[Flag, ...]
    """Integrity flags that were raised."""
    checks: int
    """How many checks there were."""
    commands: tuple[str, ...]
    steps: tuple[Recomputation, ...]
    """Every time that it was computed again, the newest first."""
    files: tuple[Taken, ...]
    """What can be taken along."""
    people: PeopleOfSystem | None
    """What people said of it, if they read any of its graphs."""


def system_pages(board: BoardView, site: SiteView, leaderboards: Leaderboards) -> Iterator[Page]:
    """One page a system of a board, with every split it entered."""
    flags = integrity_flags(board, everybody(site.boards))
    systems: dict[str, list[tuple[SplitView, Entry]]] = {}
    example_view = view_of(board.board)
    anatomies = {view.name: example_view.anatomy(view) for view in board.splits}
    for view in board.splits:
        for entry in view.entries:
            systems.setdefault(entry.slug, []).append((view, entry))
    for name, rows in systems.items():
        entry = rows[0][1]
        sheets = [_sheet(entry, leaderboards[view.path], site,
                         flags.get((view.name, entry.key), ()), anatomies[view.name](entry))
                  for view, entry in rows]
        context = {
            "board": board.board, "entry": entry,
            "entry_links": tuple(dict.fromkeys(link for _, item in rows for link in item.links)),
            "sheets": sheets, "example_view": example_view,
            "states": site.states, "words": WORDS, "most": ROWS_SHOWN, "fewest": FEWEST,
            "enforced": CONSTRAINED, "short": short,
        }
        yield Page(f"boards/{board.board.id}/systems/{name}/",
                   f"{isolated(entry.title)} on {board.board.title}", "system.html", context)


def _sheet(entry: Entry, known: Leaderboard, site: SiteView,
           flags: tuple[Flag, ...], anatomy: Anatomy) -> SystemSheet:
    view = known.view
    state = site.states.of(view.board.id, entry.team, entry.system, view.name)
    key = entry.document_key
    return SystemSheet(
        view, entry, known, anatomy, view_of(view.board).statistics(view, entry),
        tuple(_number(known, entry, METRICS[name]) for name in entry.result.metrics),
        state, tuple(pair for other in neighbours(known, key, NEAR)
                     if (pair := against(known, key, other))),
        tuple(flag for flag in flags if flag.raised), len(flags),
        _commands(view, entry, state), steps(entry, known), taken(view, entry),
        _people(known, entry),
    )


def _number(known: Leaderboard, entry: Entry, metric: MetricInfo) -> MetricNumber:
    value = entry.result.metrics[metric.id]
    cell = known.row(entry).values.get(metric.id) or Value.model_validate({"v": None})
    beside = known.instead(known.row(entry), metric.id)
    instead = f"{beside[1]}: {score(beside[0], metric, signed=True)}" if beside else ""
    return MetricNumber(
        metric, value, cell, known.view.judges.behind(entry.result, metric.id),
        _about(cell, value, metric), _ranked(known, metric.id),
        "; ".join(filter(None, (_reason(entry, metric.id), instead))))


def _ranked(known: Leaderboard, column: str) -> int:
    """How many rows have a rank in a column."""
    return sum(column in row.values and row.values[column].rank is not None
               for row in known.document.rows)


def _reason(entry: Entry, metric: str) -> str:
    """Why a row has no value of a metric; what to do about it, in a preview alone."""
    reason = entry.result.metrics[metric].reason or "not asked for when this row was scored"
    return reason if entry.kind == PREVIEW else for_readers(reason)


def _people(known: Leaderboard, entry: Entry) -> PeopleOfSystem | None:
    """Everything that people said of a row; None if they read none of its graphs."""
    people = known.view.people
    if people is None or entry.key not in people.votes:
        return None
    graphs = people.graphs(entry.key)
    column = next((item.id for item in known.document.columns if item.people == "corrected"), "")
    return PeopleOfSystem(
        people.verdicts.systems[entry.key], tuple(graphs[row] for row in sorted(graphs)),
        len(people.votes[entry.key].voters), people.simulated_of(entry.key), column,
        known.row(entry).values[column].rank if column else None,
        _ranked(known, column))


def _about(cell: Value, value: MetricValue, metric: MetricInfo) -> str:
    """How the interval was made, as clauses."""
    clustered = "" if value.clustered_se is None else (
        f"clustered SE {score(value.clustered_se, metric)} over {value.clusters} clusters")
    method = METHODS.get(cell.method or "", cell.method or "") if cell.ci else ""
    return "; ".join(filter(None, (method, cell.note, clustered)))


def _commands(view: SplitView, entry: Entry, state: SplitState | None) -> tuple[str, ...]:
    """With the commit that brought the result, if anything tells it; no other one need have it."""
    commit = state.published.commit if state and state.published else entry.commit
    return reproduce.commands(view.board, entry.result, commit)


def integrity_flags(
    board: BoardView, known: Sequence[Name] = (),
) -> dict[tuple[str, str], tuple[Flag, ...]]:
    """The flags of every row that was not made by this software; those of its answers if its file
    is at hand. ``known``: the names of everybody on the site. A preview is compared with all other
    rows, and no other row with a preview.
    """
    golds = {view.name: view.golds for view in board.splits if view.golds}
    by_row: dict[tuple[str, str], tuple[Flag, ...]] = {}
    for view in board.splits:
        rows = _named_rows(view.entries)
        counting = {name: entry for name, entry in rows.items() if entry.kind != PREVIEW}
        for among in (rows, counting) if len(counting) < len(rows) else (rows,):
            for name, flags in _flags_of(board, view, among, golds).items():
                by_row[view.name, rows[name].key] = (*flags, *_of_name(rows[name], known))
    return by_row


def _flags_of(board: BoardView, view: SplitView, rows: Mapping[str, Entry], golds: Golds
              ) -> dict[str, tuple[Flag, ...]]:
    """The flags of rows compared with each other, by the rows' names."""
    read = {name: entry for name, entry in rows.items()
            if entry.predictions and entry.result.items}
    of_answers = survey(
        board.board, view.name, {name: entry.predictions for name, entry in read.items()},
        golds, {name: _beats_null(entry) for name, entry in read.items()},
    )
    digests = {name: entry.result.predictions.sha256 for name, entry in rows.items()}
    return {name: (*of_answers.get(name, ()),
                   same_file(name, entry.result.counts["items"], digests))
            for name, entry in rows.items()}


def everybody(boards: Sequence[BoardView]) -> list[Name]:
    """Every name on the site, but those of previews and of teams that are not named yet."""
    return [*reserved(), *dict.fromkeys(_everybody(boards))]


def _everybody(boards: Sequence[BoardView]) -> Iterator[Name]:
    for board in boards:
        for text in (board.board.id, board.board.title):
            yield Name(text, f"the board {board.board.id}")
        for entry in (entry for view in board.splits for entry in view.entries):
            if entry.kind == "scored" and not entry.anonymous:
                for text in (entry.team, entry.by):
                    yield Name(text, f"the team {entry.team}")


def _of_name(entry: Entry, known: Sequence[Name]) -> Iterator[Flag]:
    if entry.submitted and not entry.anonymous and entry.team != OWN:
        others = [name for name in known if name.whose != f"the team {entry.team}"]
        yield name_flag((entry.team, entry.by), others)


def _named_rows(entries: Sequence[Entry]) -> dict[str, Entry]:
    """Rows by the name that flags of others may call them; equal names are numbered."""
    rows: dict[str, Entry] = {}
    for entry in sorted(entries, key=lambda entry: entry.kind == PREVIEW):
        if entry.kind != "reference":
            twice = sum(other.name == entry.name for other in rows.values())
            rows[f"{entry.name} ({twice + 1})" if twice else entry.name] = entry
    return rows


def _beats_null(entry: Entry) -> dict[str, bool]:
    """For each metric that grades graphs: whether the value is better than its null's."""
    return {
        name: not marked(value, graded=True)
        for name, value in entry.result.metrics.items()
        if METRICS[name].graded and value.versus_null is not None and value.n >= FEWEST
    }
