"""Integrity flags of every submitted file of a board; they change no number and no rank. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from scorer.integrity import Flag, survey
from scorer.metrics.catalogue import METRICS
from scorer.statistics import FEWEST
from scorer.statistics.paired import marked
from scorer.website.views import BoardView, Entry, SplitView

Remarks = Mapping[tuple[str, str], tuple[Flag, ...]]
"""By split and key; reference rows have none."""


def remarks(board: BoardView) -> dict[tuple[str, str], tuple[Flag, ...]]:
    """The flags of every row that was not made by this software and whose file is at hand."""
    golds = {view.name: view.golds for view in board.splits if view.golds}
    found: dict[tuple[str, str], tuple[Flag, ...]] = {}
    for view in board.splits:
        names = _names(view)
        told = survey(
            board.board, view.name, {name: entry.predictions for name, entry in names.items()},
            golds, {name: _better(entry) for name, entry in names.items()},
        )
        found |= {(view.name, entry.key): told[name] for name, entry in names.items()}
    return found


def _names(view: SplitView) -> dict[str, Entry]:
    """Rows by the name that flags of others may call them; equal names are numbered."""
    found: dict[str, Entry] = {}
    for entry in view.comparable:
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
