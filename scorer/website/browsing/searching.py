"""Searches of the example browser: what ``site/assets/filter.js`` reads from its query. Pure."""

from __future__ import annotations

from urllib.parse import urlencode

from scorer.reading.values import plain
from scorer.website.records import Entry, SplitView


def browser(board: str) -> str:
    """Where the example browser of a board is, relative to the site's root."""
    return f"boards/{board}/examples/"


def search(view: SplitView, *chosen: tuple[str, str], entry: Entry | None = None) -> str:
    """Where the browser shows the chosen examples of a split, relative to the site's root.

    ``chosen`` are facets with a value each; ``entry`` is the system that *got* and *broke* speak
    of. Empty where the browser cannot show them: no public gold, or no predictions at hand.
    """
    if not view.golds or (entry is not None and entry not in view.comparable):
        return ""
    system = [("a", entry.key)] if entry else []
    query = urlencode([*system, ("split", view.name), *chosen])
    return f"{browser(view.board.id)}?{query}"


def annotated(view: SplitView, entry: Entry, annotation: str, rule: str = "") -> str:
    """Where the browser shows what got an annotation, and broke a rule."""
    broke = [("broke", rule)] if rule else []
    return search(view, ("got", plain(annotation)), *broke, entry=entry)
