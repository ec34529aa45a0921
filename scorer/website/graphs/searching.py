"""Addresses in the example browser: what ``site/assets/filter.js`` reads from its query. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from scorer.analyses.breakdown import depth_classes
from scorer.analyses.facts import gold_facts
from scorer.website import browser
from scorer.website.views import Entry, SplitView

_SHAPES = {"linear": "one chain", "non-linear": "branching"}
_EXTERNAL = {"0": "none", "1": "1", "2": "2", "3 or more": "3 or more"}
"""What the browser calls the parts of a breakdown."""


def search(view: SplitView, *chosen: tuple[str, str], entry: Entry | None = None) -> str:
    """Where the browser shows the chosen examples of a split, relative to the site's root.

    ``chosen`` are facets with a value each; ``entry`` is the system that *got* and *broke* speak
    of. Empty where the browser cannot show them: no public gold, or no predictions at hand.
    """
    if not view.golds or (entry is not None and entry not in view.comparable):
        return ""
    system = [("a", entry.key)] if entry else []
    query = urlencode([*system, ("split", view.name), *chosen])
    return f"{browser.address(view.board.id)}?{query}"


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


def annotated(view: SplitView, entry: Entry, annotation: str, rule: str = "") -> str:
    """Where the browser shows what got an annotation, and broke a rule."""
    broke = [("broke", rule)] if rule else []
    return search(view, ("got", annotation.replace("_", " ")), *broke, entry=entry)
