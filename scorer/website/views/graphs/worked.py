"""The item of worked examples: one small gold graph, one prediction, and both drawn."""

from __future__ import annotations

from markupsafe import Markup

from scorer.board import boards_folder, load
from scorer.graph import Graph, concepts
from scorer.tasks.graphs.diff import diff
from scorer.tasks.graphs.records import Gold, Prediction, Settings
from scorer.website.render import trusted
from scorer.website.views.graphs import svg
from scorer.website.views.graphs.example import GraphExample
from scorer.website.views.graphs.layout import lay_over
from scorer.website.views.worked import WorkedItem

BOARD = "explagraphs-practice"
"""Whose constraints and constants the example follows; it comes with the program."""
GOLD = Gold(("cats are good pets", "cats purr at home"), "support",
            (Graph("(cats; is a; pets)(cats; capable of; purr)(purr; at location; home)"),))
PREDICTION = Prediction("support", Graph(
    "(cats; is a; pets)(cats; capable of; purr)(purr; at location; warm home)"
    "(pets; desires; warm home)"))


def worked_item() -> WorkedItem:
    """The item, with the right label and a graph that keeps every constraint."""
    board = load(BOARD, boards_folder())
    settings: Settings = board.settings
    assert settings.labels is not None
    names = [text.name for text in settings.texts]
    label = f"{settings.labels.name}: gold {GOLD.label}, predicted {PREDICTION.label}"
    return WorkedItem(board, [GOLD], [PREDICTION], tuple(zip(names, GOLD.texts, strict=True)),
                      (label,), _gates(settings), _drawings(settings))


def _gates(settings: Settings) -> tuple[str, ...]:
    edges = PREDICTION.graph.edges
    lines = [f"{len(edges)} edges; at least {settings.graph.least_edges} are asked for"]
    for text, content in zip(settings.texts, GOLD.texts, strict=True):
        named = [name for name in concepts(edges) if name in content]
        lines.append(f"concepts in the {text.name}: {', '.join(named)}; at least {text.concepts} "
                     "are asked for")
    return *lines, "connected, without a cycle, every relation known"


def _drawings(settings: Settings) -> tuple[tuple[str, Markup], ...]:
    example = GraphExample(settings, GOLD, 1)
    edges = PREDICTION.graph.edges
    found = diff(example.golds[0], edges)
    drawing = svg.Drawing(
        lay_over(example.layouts[0], edges), edges,
        example.kinds_of(concepts([*example.golds[0], *edges])), "The prediction of the example",
        statuses=[mark.status for mark in found.marks], negated=settings.graph.negated,
        ghosts=[(example.golds[0][i], example.layouts[0].routes[i]) for i in found.missing],
    )
    return (("Gold", example.gold_cards[0].drawing),
            ("Prediction", trusted(svg.render(drawing))))
