"""The page of a system: numbers, how sure they are, what was remarked, how to repeat. Pure."""

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
from scorer.site.boards.changes import Recomputation, steps
from scorer.site.boards.comparing import Against, against, neighbours
from scorer.site.boards.flags import everybody, integrity_flags
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
    rivals: tuple[Against, ...]
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
            "entry_links": tuple(dict.fromkeys(link for _, one in rows for link in one.links)),
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
        state, tuple(one for other in neighbours(known, key, NEAR)
                     if (one := against(known, key, other))),
        tuple(flag for flag in flags if flag.raised), len(flags),
        _commands(view, entry, state), steps(entry, known), taken(view, entry),
        _people(known, entry),
    )


def _number(known: Leaderboard, entry: Entry, metric: MetricInfo) -> MetricNumber:
    value = entry.result.metrics[metric.id]
    found = known.row(entry).values.get(metric.id) or Value.model_validate({"v": None})
    beside = known.instead(known.row(entry), metric.id)
    instead = f"{beside[1]}: {score(beside[0], metric, signed=True)}" if beside else ""
    return MetricNumber(
        metric, value, found, known.view.judges.behind(entry.result, metric.id),
        _about(found, value, metric), _ranked(known, metric.id),
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
    column = next((one.id for one in known.document.columns if one.people == "corrected"), "")
    return PeopleOfSystem(
        people.verdicts.systems[entry.key], tuple(graphs[row] for row in sorted(graphs)),
        len(people.votes[entry.key].voters), people.simulated_of(entry.key), column,
        known.row(entry).values[column].rank if column else None,
        _ranked(known, column))


def _about(found: Value, value: MetricValue, metric: MetricInfo) -> str:
    """How the interval was made, as clauses."""
    clustered = "" if value.clustered_se is None else (
        f"clustered SE {score(value.clustered_se, metric)} over {value.clusters} clusters")
    method = METHODS.get(found.method or "", found.method or "") if found.ci else ""
    return "; ".join(filter(None, (method, found.note, clustered)))


def _commands(view: SplitView, entry: Entry, state: SplitState | None) -> tuple[str, ...]:
    """With the commit that brought the result, if anything tells it; no other one need have it."""
    commit = state.published.commit if state and state.published else entry.commit
    return reproduce.commands(view.board, entry.result, commit)
