"""The page of a system: numbers, how sure they are, integrity flags, how to repeat. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scorer.boards.integrity import Flag, Golds, same_file, survey
from scorer.boards.names import Name, name_flag, reserved
from scorer.boards.submission import OWN
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.scoring.leaderboard.about import PREVIEW
from scorer.scoring.results import reproduce
from scorer.scoring.results.leaderboard import Value
from scorer.scoring.results.signature import short
from scorer.site.boards.anatomy import part_tables
from scorer.site.boards.leaderboard_page import instead
from scorer.site.outputs import taken
from scorer.site.page import Page
from scorer.site.records import BoardView, Entry, SiteView, SplitView
from scorer.site.render import score
from scorer.site.text import isolated
from scorer.site.views.registry import view_of
from scorer.statistics import FEWEST
from scorer.statistics.comparison import marked
from scorer.statistics.intervals import METHODS


def system_pages(board: BoardView, site: SiteView) -> Iterator[Page]:
    """One page a system of a board, with every split it entered."""
    flags = integrity_flags(board, everybody(site.boards))
    systems: dict[str, list[tuple[SplitView, Entry]]] = {}
    example_view = view_of(board.board)
    for view in board.splits:
        for entry in view.entries:
            systems.setdefault(entry.slug, []).append((view, entry))
    for name, rows in systems.items():
        entry = rows[0][1]
        sheets = [_sheet(entry, view, site, flags.get((view.name, entry.key), ()))
                  for view, entry in rows]
        context = {
            "board": board.board, "entry": entry,
            "entry_links": tuple(dict.fromkeys(
                link for _, item in rows for link in item.about.links or ())),
            "sheets": sheets, "example_view": example_view,
            "states": site.states, "short": short,
        }
        yield Page(f"boards/{board.board.id}/systems/{name}/",
                   f"{isolated(entry.title)} on {board.board.title}", "system.html", context)


def _sheet(entry: Entry, view: SplitView, site: SiteView, flags: tuple[Flag, ...],
           ) -> dict[str, Any]:
    """What the page shows of a system on one split."""
    tables, example_view = part_tables(view, entry), view_of(view.board)
    state = site.states.of(view.board.id, entry.team, entry.system, view.name)
    # With a commit that has the result: the one that brought it; of a row without a state, whose
    # predictions are not in the repository, the one of all states.
    commit = "" if state or entry.preview else site.states.commit
    if state and state.published:
        commit = state.published.commit
    return {
        "view": view, "entry": entry, "order": view.document.ordering, "state": state,
        "gates": [*example_view.gates(view, entry)],
        "broken": [*example_view.broken_rules(view, entry, False)],
        "strict": [*example_view.broken_rules(view, entry, True)],
        "breakdown": tables,
        "columns": [name for name in view.board.metrics if any(
            name in part.metrics for _, parts in tables for part in parts)],
        "statistics": example_view.statistics(view, entry),
        "numbers": [_number(view, entry, METRICS[name]) for name in entry.result.metrics],
        "flags": [flag for flag in flags if flag.raised], "checks": len(flags),
        "commands": reproduce.commands(view.board, entry.result, commit),
        "files": taken(view, entry), "people": _people(view, entry),
    }


def _number(view: SplitView, entry: Entry, metric: MetricInfo) -> dict[str, Any]:
    """One metric of a row, with all that is known of it."""
    value = entry.result.metrics[metric.id]
    row = view.row(entry)
    cell = row.values.get(metric.id) or Value(v=None)
    clustered = "" if value.clustered_se is None else (
        f"clustered SE {score(value.clustered_se, metric)} over {value.clusters} clusters")
    method = METHODS.get(cell.method or "", cell.method or "") if cell.ci else ""
    return {
        "metric": metric, "value": value, "known": cell,
        "judge": view.judges.behind(entry.result, metric.id),
        "about": "; ".join(filter(None, (method, cell.note, clustered))),
        "ranked": _ranked(view, metric.id), "instead": instead(view.document, row, metric.id),
    }


def _ranked(view: SplitView, column: str) -> int:
    """How many rows have a rank in a column."""
    return sum(column in row.values and row.values[column].rank is not None
               for row in view.document.rows)


def _people(view: SplitView, entry: Entry) -> dict[str, Any] | None:
    """Everything that people said of a row; None if they read none of its graphs."""
    people = view.people
    if people is None or entry.key not in people.votes:
        return None
    column = next((item.id for item in view.document.columns if item.people == "corrected"), "")
    return {
        "verdict": people.systems[entry.key],
        "graphs": sorted(graph for graph in people.votes[entry.key].read if graph.votes),
        "voters": len(people.votes[entry.key].voters), "simulated": people.simulated_of(entry.key),
        "column": column, "rank": view.row(entry).values[column].rank if column else None,
        "ranked": _ranked(view, column),
    }


# ---- integrity flags ----------------------------------------------------------------------------


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
                entry = rows[name]
                if entry.submitted and not entry.anonymous and entry.team != OWN:
                    others = [other for other in known if other.whose != f"the team {entry.team}"]
                    flags = (*flags, name_flag((entry.team, entry.by), others))
                by_row[view.name, entry.key] = flags
    return by_row


def _named_rows(entries: Sequence[Entry]) -> dict[str, Entry]:
    """Rows by the name that flags of others may call them; equal names are numbered."""
    rows: dict[str, Entry] = {}
    for entry in sorted(entries, key=lambda entry: entry.kind == PREVIEW):
        if entry.kind != "reference":
            twice = sum(other.name == entry.name for other in rows.values())
            rows[f"{entry.name} ({twice + 1})" if twice else entry.name] = entry
    return rows


def _flags_of(board: BoardView, view: SplitView, rows: Mapping[str, Entry], golds: Golds
              ) -> dict[str, tuple[Flag, ...]]:
    """The flags of rows compared with each other, by the rows' names."""
    read = {name: entry for name, entry in rows.items()
            if entry.predictions and entry.result.items}
    beats_null = {name: {metric: not marked(value, graded=True)
                         for metric, value in entry.result.metrics.items()
                         if METRICS[metric].graded and value.versus_null is not None
                         and value.n >= FEWEST} for name, entry in read.items()}
    of_answers = survey(board.board, view.name,
                        {name: entry.predictions for name, entry in read.items()}, golds,
                        beats_null)
    digests = {name: entry.result.predictions.sha256 for name, entry in rows.items()}
    return {name: (*of_answers.get(name, ()),
                   same_file(name, entry.result.counts["items"], digests))
            for name, entry in rows.items()}


def everybody(boards: Sequence[BoardView]) -> list[Name]:
    """Every name on the site, but those of previews and of teams that are not named yet."""
    names = []
    for board in boards:
        names += [Name(text, f"the board {board.board.id}")
                  for text in (board.board.id, board.board.title)]
        names += [Name(text, f"the team {entry.team}")
                  for view in board.splits for entry in view.entries
                  if entry.kind == "scored" and not entry.anonymous
                  for text in (entry.team, entry.by)]
    return [*reserved(), *dict.fromkeys(names)]
