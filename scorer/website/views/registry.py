"""The only table of example views. ``base.py`` says what a view takes."""

from __future__ import annotations

from scorer.board import Board
from scorer.website.views.base import ExampleKind, Listed, Stage
from scorer.website.views.choices.view import KIND as CHOICES
from scorer.website.views.graphs.view import KIND as GRAPHS
from scorer.website.views.texts.view import KIND as TEXTS

KINDS: dict[str, ExampleKind] = {
    "explanation_graphs": GRAPHS, "anli": CHOICES, "anlg": TEXTS,
}
"""By the name of the task."""


def kind_of(board: Board) -> ExampleKind:
    """The kind of a board's examples."""
    return KINDS[board.task_name]


__all__ = ["GRAPHS", "KINDS", "ExampleKind", "Listed", "Stage", "kind_of"]
