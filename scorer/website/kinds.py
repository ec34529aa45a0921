"""Kinds of examples: for each task, how its items are shown. ``kind.py`` says what that takes."""

from __future__ import annotations

from scorer.board import Board
from scorer.website.graphs.kind import KIND as GRAPHS
from scorer.website.kind import ExampleKind, Listed, Stage
from scorer.website.narratives.kind import CHOICES, STORIES

KINDS: dict[str, ExampleKind] = {
    "explanation_graphs": GRAPHS, "anli": CHOICES, "anlg": STORIES,
}
"""By the name of the task."""


def kind_of(board: Board) -> ExampleKind:
    """The kind of a board's examples."""
    return KINDS[board.task_name]


__all__ = ["GRAPHS", "KINDS", "ExampleKind", "Listed", "Stage", "kind_of"]
