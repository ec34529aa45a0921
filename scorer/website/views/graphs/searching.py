"""Where the example browser shows the parts of a breakdown by gold graphs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.tasks.graphs.dimensions import depth_classes
from scorer.tasks.graphs.facts import gold_facts
from scorer.website.browsing.searching import search
from scorer.website.records import Entry, SplitView
from scorer.website.views.graphs.facets import EXTERNAL, SHAPES

_SHAPES = dict(zip(("linear", "non-linear"), SHAPES, strict=True))
"""What the browser calls the parts of a breakdown."""


def part_search(view: SplitView, dimension: str, part: str, entry: Entry) -> str:
    """Where the browser shows one part of a breakdown, beside a system."""
    return search(view, *_facets(view, dimension, part), entry=entry)


def _facets(view: SplitView, dimension: str, part: str) -> Sequence[tuple[str, str]]:
    if dimension == "depth":
        depths = sorted({graph.depth for graph in gold_facts(view.golds)
                         if graph.depth is not None
                         and part in depth_classes(view.board.settings, graph.depth)})
        return [("depth", str(depth)) for depth in depths]
    if dimension == "shape":
        return [("shape", _SHAPES[part])]
    if dimension == "external":
        return [("external", EXTERNAL[0] if part == "0" else part)]
    return [("relation" if dimension == "relation" else "label", part)]
