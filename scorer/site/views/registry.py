"""The only table of example views. ``base.py`` says what a view is."""

from __future__ import annotations

from scorer.boards import Board
from scorer.site.views.answers.view import ChoiceView, ExplainedView, TextView
from scorer.site.views.base import ExampleView
from scorer.site.views.graph_labels.view import GraphLabelView
from scorer.site.views.graphs.view import GraphView

VIEWS: dict[str, ExampleView] = {
    "explanation_graphs": GraphView(), "anli": ChoiceView(), "anlg": TextView(),
    "graph_labels": GraphLabelView(), "explained_choices": ExplainedView(),
}
"""By the name of the task."""


def view_of(board: Board) -> ExampleView:
    """How a board's examples are shown."""
    return VIEWS[board.task_name]
