"""Integrity flags of every submission to a board; they change no number and no rank. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from scorer.boards.integrity import Flag, same_file, survey
from scorer.boards.integrity.checks import Golds
from scorer.boards.integrity.names import Name, name_flag, reserved
from scorer.boards.submission import OWN
from scorer.metrics.catalogue import METRICS
from scorer.scoring.leaderboard.about import PREVIEW
from scorer.site.records import BoardView, Entry, SplitView
from scorer.statistics import FEWEST
from scorer.statistics.paired import marked


def integrity_flags(
    board: BoardView, known: Sequence[Name] = (),
) -> dict[tuple[str, str], tuple[Flag, ...]]:
    """The flags of every row that was not made by this software; those of its answers if its file
    is at hand. ``known``: the names of everybody on the site. A preview is compared with all other
    rows, and no other row with a preview.
    """
    golds = {view.name: view.golds for view in board.splits if view.golds}
    found: dict[tuple[str, str], tuple[Flag, ...]] = {}
    for view in board.splits:
        rows = _names(view.entries)
        counting = {name: entry for name, entry in rows.items() if entry.kind != PREVIEW}
        for among in (rows, counting) if len(counting) < len(rows) else (rows,):
            for name, flags in _compared(board, view, among, golds).items():
                found[view.name, rows[name].key] = (*flags, *_of_name(rows[name], known))
    return found


def _compared(board: BoardView, view: SplitView, rows: Mapping[str, Entry], golds: Golds
              ) -> dict[str, tuple[Flag, ...]]:
    """The flags of rows compared with each other, by the rows' names."""
    read = {name: entry for name, entry in rows.items()
            if entry.predictions and entry.result.items}
    of_answers = survey(
        board.board, view.name, {name: entry.predictions for name, entry in read.items()},
        golds, {name: _better(entry) for name, entry in read.items()},
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


def _names(entries: Sequence[Entry]) -> dict[str, Entry]:
    """Rows by the name that flags of others may call them; equal names are numbered."""
    found: dict[str, Entry] = {}
    for entry in sorted(entries, key=lambda entry: entry.kind == PREVIEW):
        if entry.kind != "reference":
            twice = sum(other.name == entry.name for other in found.values())
            found[f"{entry.name} ({twice + 1})" if twice else entry.name] = entry
    return found


def _better(entry: Entry) -> dict[str, bool]:
    """For each metric that grades graphs: whether the value is better than its null's."""
    return {
        name: not marked(value, graded=True)
        for name, value in entry.result.metrics.items()
        if METRICS[name].graded and value.versus_null is not None and value.n >= FEWEST
    }
