"""The page about a board's data: the paper's Tables 1 and 3 and Figure 5, and how gold came about.

Everything is counted from the gold files at hand; what is not at hand is not shown. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import islice, pairwise
from typing import Any, NamedTuple

from markupsafe import Markup

from scorer.graph import concepts
from scorer.tasks.graphs.diff import Status, diff
from scorer.tasks.graphs.facts import gold_facts, places, relations_of
from scorer.tasks.graphs.graph_statistics import (
    GraphStatistics,
    RelationUse,
    concept_kinds,
    describe,
    label_counts,
    relation_use,
)
from scorer.tasks.graphs.records import Gold
from scorer.tasks.graphs.refinement import RefinedItem, RefinementHistory, history
from scorer.website.records import BoardView, SplitView
from scorer.website.render import share, trusted
from scorer.website.text import shown
from scorer.website.views.graphs import svg
from scorer.website.views.graphs.geometry import text_width
from scorer.website.views.graphs.layout import lay_out, lay_over

EDGE_WORDS: dict[Status, str] = {
    "kept": "kept", "changed": "another relation", "reversed": "turned round", "extra": "added",
    "missing": "removed",
}
"""What a round did to an edge; in drawings a removed edge is one that only the round before has."""
OF_EACH = 2
"""Items that are drawn for each number of rounds."""


class SplitGraphs(NamedTuple):
    """One split, or all of them together."""

    name: str
    items: int
    labels: dict[str, int]
    """Items by label."""
    graphs: GraphStatistics
    kinds: dict[str, int]
    """Gold concepts by where they come from."""


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
    found = [_described(board, name, golds) for name, golds in board.public_golds()]
    golds = [gold for view in board.splits for gold in view.golds]
    uses = relation_use(board.settings, golds)
    return {
        "described": found, "uses": uses, "chart": _chart(uses) if golds else None,
        "edge_words": EDGE_WORDS, "of_each": OF_EACH,
        "refinements": [_refinement(view) for view in board.splits if view.refined],
    }


def _described(board: BoardView, name: str, golds: Sequence[Gold]) -> SplitGraphs:
    settings = board.settings
    return SplitGraphs(
        name, len(golds), label_counts(settings, golds),
        describe(gold_facts(golds), relations_of(settings, golds)), concept_kinds(settings, golds))


def _chart(uses: Sequence[RelationUse]) -> Markup:
    """Shares of the relations that are used, the commonest first."""
    together, *by_label = uses
    used = sorted((name for name, count in together.relations.items() if count),
                  key=lambda name: -together.relations[name])
    groups = [BarGroup(use.label or "all", [use.share(name) or 0.0 for name in used])
              for use in by_label or [together]]
    return bars("Share of each relation among the edges of gold graphs", used, groups)


_BAR, _GAP, _ROOM, _FONT = 9, 7, 250, 11.0


class BarGroup(NamedTuple):
    """One bar of each row."""

    name: str
    values: Sequence[float]
    """0 to 1, one for each row."""


def bars(title: str, rows: Sequence[str], groups: Sequence[BarGroup]) -> Markup:
    """The chart, longest bar as wide as there is room; the table with its numbers stands elsewhere.

    Groups differ in fill and in outline, so that no reader needs the colour.
    """
    left = max((text_width(shown(row, 40), _FONT) for row in rows), default=0) + 8
    most = max((value for group in groups for value in group.values), default=0) or 1.0
    pitch = len(groups) * _BAR + _GAP
    top = 18
    width, height = round(left + _ROOM + 46), top + pitch * len(rows)
    out = [f'<svg class="wb-bars" viewBox="0 0 {width} {height}" width="{width}" '
           f'height="{height}" role="img"><title>{escape(title)}</title>']
    x = left
    for number, group in enumerate(groups):
        name = escape(shown(group.name, 40))
        out.append(f'<rect class="b{number}" x="{x:.0f}" y="2" width="12" height="8"/>'
                   f'<text class="k" x="{x + 17:.0f}" y="10">{name}</text>')
        x += text_width(group.name, _FONT) + 36
    for place, row in enumerate(rows):
        y = top + place * pitch
        middle = y + len(groups) * _BAR / 2 + 4
        out.append(f'<text class="r" x="{left - 6:.0f}" y="{middle:.0f}">'
                   f'{escape(shown(row, 40))}</text>')
        for number, group in enumerate(groups):
            long = group.values[place] / most * _ROOM
            at = y + number * _BAR
            told = share(round(group.values[place] * 1000), 1000)
            end = left + long + 4
            out.append(f'<rect class="b{number}" x="{left:.0f}" y="{at}" width="{long:.1f}" '
                       f'height="{_BAR - 1}"/><text x="{end:.1f}" y="{at + _BAR - 1.5}">{told}'
                       "</text>")
    out.append("</svg>")
    return trusted("".join(out))


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
    negated = view.board.settings.graph.negated
    layout = lay_out(graphs[0])
    first = svg.GraphDrawing(layout, graphs[0], kinds, "Graph of round 1", negated=negated)
    yield trusted(svg.render(first))
    for number, (before, after) in enumerate(pairwise(graphs), 2):
        made = diff(before, after)
        over = lay_over(layout, after)
        drawing = svg.GraphDrawing(
            over, after, kinds, f"Graph of round {number}, beside round {number - 1}",
            statuses=[mark.status for mark in made.marks], negated=negated,
            ghosts=[(before[i], layout.routes[i]) for i in made.missing])
        yield trusted(svg.render(drawing))
        layout = over
