"""The page about a board's data: the paper's Tables 1 and 3 and Figure 5, and how gold came about.

Everything is counted from the gold files at hand; what is not at hand is not shown. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from markupsafe import Markup

from scorer.core.graph import concepts
from scorer.core.reading.values import plain
from scorer.site.records import BoardView, SplitView
from scorer.site.render import trusted
from scorer.site.views.graphs import svg
from scorer.site.views.graphs.example import beside
from scorer.site.views.graphs.layout import lay_out
from scorer.tasks.graphs.diff import RefinedItem, RefinementHistory, Status, history
from scorer.tasks.graphs.facts import BOTH, EXTERNAL, gold_facts, places
from scorer.tasks.graphs.graph_items import Gold, Settings
from scorer.tasks.graphs.graph_statistics import (
    concept_kinds,
    describe,
    label_counts,
    relation_use,
)
from scorer.tasks.partitions import Statistic

EDGE_WORDS: dict[Status, str] = {
    "kept": "kept", "changed": "another relation", "reversed": "turned round", "extra": "added",
    "missing": "removed",
}
"""What a round did to an edge; in drawings a removed edge is one that only the round before has."""
OF_EACH = 2
"""Items that are drawn for each number of rounds."""


KIND_WORDS = {EXTERNAL: "concepts from no text", BOTH: "concepts from several texts"}
"""Where concepts come from, if not from one text."""


class Story(NamedTuple):
    """One item and the graphs of its rounds."""

    item: RefinedItem
    link: bool
    """Whether the gold file has the same item in the same row."""
    rounds: tuple[Markup, ...]
    """The drawing of each round."""


class Refinement(NamedTuple):
    """How the gold of a split came about."""

    view: SplitView
    history: RefinementHistory
    stories: tuple[Story, ...]


def described(board: BoardView) -> Mapping[str, Any]:
    """What the page shows; of a board whose data are not at hand, nothing is counted."""
    public = dict(board.public_golds())
    golds = [gold for view in board.splits for gold in view.golds]
    uses = relation_use(board.settings, golds)
    return {
        "described": {name: _sizes(board.settings, golds) for name, golds in public.items()},
        "graphs": {name: _graphs(board.settings, golds) for name, golds in public.items()},
        "uses": uses,
        "relations": sorted(uses[0].relations, key=lambda name: -uses[0].relations[name]),
        "edge_words": EDGE_WORDS, "of_each": OF_EACH,
        "refinements": [_refinement(view) for view in board.splits if view.refined],
    }


def _sizes(settings: Settings, golds: Sequence[Gold]) -> list[Statistic]:
    return [Statistic("items", len(golds)), *(
        Statistic(label, count, len(golds))
        for label, count in label_counts(settings, golds).items())]


def _graphs(settings: Settings, golds: Sequence[Gold]) -> list[Statistic]:
    kinds = concept_kinds(settings, golds)
    return [*describe(gold_facts(golds)), *(
        Statistic(KIND_WORDS.get(kind) or f"concepts from the {plain(kind.partition('-')[2])}",
                  count, sum(kinds.values())) for kind, count in kinds.items())]


# ---- refinement ----------------------------------------------------------------------------------


def _refinement(view: SplitView) -> Refinement:
    found = history(view.refined)
    stories = tuple(_story(view, item) for number in found.rows_by_graphs if number > 1
                    for item in islice(_telling(view.refined, number), OF_EACH))
    return Refinement(view, found, stories)


def _telling(items: Sequence[RefinedItem], number: int) -> Iterator[RefinedItem]:
    """The items with so many graphs in which every round changed an edge, in order."""
    for item in items:
        if len(item.graphs) == number and all(
            made.missing or any(mark.status != "kept" for mark in made.marks)
            for made in item.diffs
        ):
            yield item


def _story(view: SplitView, item: RefinedItem) -> Story:
    same = 0 < item.row <= len(view.golds) and view.golds[item.row - 1].texts == item.texts
    return Story(item, same, tuple(_drawn(view, item)))


def _drawn(view: SplitView, item: RefinedItem) -> Iterator[Markup]:
    """Every graph in one layout, with what became of the edges of the one before."""
    graphs = [graph.edges for graph in item.graphs]
    kinds = {name: svg.kind(places(name, item.texts))
             for graph in graphs for name in concepts(graph)}
    drawing = svg.GraphDrawing(lay_out(graphs[0]), graphs[0], kinds, "Graph of round 1",
                               negated=view.board.settings.graph.negated)
    yield trusted(svg.render(drawing))
    for number, graph in enumerate(graphs[1:], 2):
        title = f"Graph of round {number}, beside round {number - 1}"
        drawing = beside(drawing, graph, title)
        yield trusted(svg.render(drawing))
