"""Where the example browser shows the parts of a breakdown by gold graphs. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from scorer.analyses.dimensions import depth_classes
from scorer.analyses.facts import gold_facts
from scorer.website.searching import search
from scorer.website.views import Entry, SplitView

_SHAPES = {"linear": "one chain", "non-linear": "branching"}
_EXTERNAL = {"0": "none", "1": "1", "2": "2", "3 or more": "3 or more"}
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
        return [("external", _EXTERNAL[part])]
    return [("relation" if dimension == "relation" else "label", part)]
