"""By what explanation graphs can be told apart in the browser. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from scorer.tasks.graphs.dimensions import MANY_EXTERNAL
from scorer.tasks.graphs.facts import GraphFacts, gold_facts
from scorer.tasks.graphs.settings import Settings
from scorer.website.browsing import outcomes
from scorer.website.browsing.facets import Browsing, Facet, Told, of_gold
from scorer.website.records import BoardView

SHAPES = ("one chain", "branching")
EXTERNAL = ("none", *map(str, range(1, MANY_EXTERNAL)), f"{MANY_EXTERNAL} or more")


def marks(settings: Settings) -> Sequence[str | None]:
    """No text needs a word before it."""
    return [""] * len(settings.texts)


def facets(board: BoardView) -> list[Told]:
    """Label, and what the first gold graph is like; then how many systems are right."""
    settings: Settings = board.settings
    found = {view.name: gold_facts(view.golds) for view in board.splits if view.golds}
    depths = {one.depth for graphs in found.values() for one in graphs if one.depth is not None}
    relations = settings.graph.relations

    def told(facet: Facet, of: Callable[[GraphFacts], Sequence[str]]) -> Told:
        return Told(facet, {name: list(map(of, graphs)) for name, graphs in found.items()})

    return [
        *_labels(board),
        told(Facet("relation", "Relation", tuple(relations), several=True, long=True),
             lambda one: sorted({edge.relation for edge in one.edges} & {*relations},
                                key=relations.index)),
        told(Facet("depth", "Depth", tuple(map(str, sorted(depths))), tag="depth {}"),
             lambda one: () if one.depth is None else (str(one.depth),)),
        told(Facet("shape", "Shape", SHAPES), lambda one: (SHAPES[0 if one.linear else 1],)),
        told(Facet("external", _external(settings), EXTERNAL),
             lambda one: (EXTERNAL[min(len(one.external), MANY_EXTERNAL)],)),
        *outcomes.agreement(board),
    ]


def _labels(board: BoardView) -> list[Told]:
    labels = board.settings.labels
    if labels is None:
        return []
    facet = Facet("label", labels.name, tuple(labels.values), tag="{}")
    return [of_gold(board, facet, lambda gold: (gold.label,))]


def _external(settings: Any) -> str:
    few = len(settings.texts) == 1
    return "Concepts not from the text" if few else "Concepts from neither text"


BROWSING = Browsing(marks, facets, outcomes.verdicts, outcomes.gate_duel)
