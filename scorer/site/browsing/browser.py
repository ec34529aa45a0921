"""What the example browser knows: one column a facet, one file a split, one a system. Pure.

The page (``site/assets/browse.js``) reads the facets of every example once and then filters by a
plain scan. Files are columns, not rows: they are smaller, and a scan runs along them. Texts are
nine tenths of it all and come in files of some hundred examples, when the list or a search needs
them.

Addresses are stable: ``boards/<board>/examples/?split=dev`` and any of

- ``systems=disagree``: some systems are right and some are not; reference rows do not count,
- ``right=0``: so many systems are right; ``right=1+to+3``, ``right=2+or+fewer``, ``5+or+more``,
- ``a=KEY&b=KEY&pair=a|b|both|none``: only A is right, only B, both, none,
- ``a=KEY&b=KEY&ahead=a|b|equal&by=METRIC``: who has the better score of the example,
- ``a=KEY&got=ANNOTATION&broke=RULE``: what became of A's answer, with blanks for underscores,
- ``find=WORDS``, and the facets of gold by their ids, such as ``label=counter&negated=yes``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from scorer.site.browsing.facets import Facet, PairFacet, SystemFacet, browser_path, item_scores
from scorer.site.page import Page
from scorer.site.records import BoardView, Entry, SplitView
from scorer.site.views.registry import view_of

TEXTS = 500
"""Examples in one file of texts, at most."""
WEIGHT = 120_000
"""Characters in one file of texts, about: a board of long texts has fewer examples in each."""


def page(board: BoardView, boards: Sequence[BoardView] = ()) -> Page:
    """The browser of a board; where none of its examples can be shown, the way to those of our own
    making: of the practice board of its task, from ``boards``."""
    splits = shown_splits(board)
    path, title = browser_path(board.board.id), f"{board.board.title}: examples"
    if not splits:
        practice = next((other.board for other in boards if other.board.practice
                         and other.board.task_name == board.board.task_name), None)
        return Page(path, title, "examples-none.html",
                    {"board": board.board, "boardview": board, "practice": practice})
    total = sum(len(view.texts) for view in splits)
    context = {"board": board.board, "splits": splits, "total": total}
    folder = f"data/{board.board.id}/"
    first = ["index.json", *(["systems.json"] if splits[0].comparable else []), "texts-1.json"]
    return Page(
        path, title, "browser.html", context,
        modules=("assets/browse.js", "assets/filter.js", "assets/files.js"),
        script="assets/browse.js",
        fetched=(f"{folder}examples.json",
                 *(f"{folder}{splits[0].name}/{name}" for name in first)))


def shown_splits(board: BoardView) -> list[SplitView]:
    """The splits whose inputs are at hand; those with systems first, as they are looked at most."""
    views = [view for view in board.splits if view.texts]
    return sorted(views, key=lambda view: (not view.comparable, not view.golds))


def files(board: BoardView) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every file that the browser fetches: its path below the site's root, and what is in it."""
    splits = shown_splits(board)
    if not splits:
        return
    folder = f"data/{board.board.id}/"
    example_view = view_of(board.board)
    gold_facets = example_view.gold_facets(board)
    compared = any(view.comparable for view in splits)
    outcomes = example_view.system_facets(board) if compared else ()
    pairs = example_view.pair_facets(board) if compared else ()
    metrics = [metric for pair in pairs for metric, _ in pair.facet.metrics]
    prefixes = example_view.text_prefixes(board.board)
    facets = [*(gold.facet for gold in gold_facets), *(outcome.facet for outcome in outcomes),
              *(pair.facet for pair in pairs)]
    yield f"{folder}examples.json", known(splits, prefixes, facets)
    for view in splits:
        base = f"{folder}{view.name}/"
        yield f"{base}index.json", {
            gold_facet.facet.id: gold_facet.facet.column(gold_facet.answers[view.name])
            for gold_facet in gold_facets if view.name in gold_facet.answers}
        for number, texts in enumerate(parts(view, portion(splits)), start=1):
            yield f"{base}texts-{number}.json", texts
        if view.comparable:
            yield f"{base}systems.json", systems(view, pairs)
        for entry in view.comparable:
            yield f"{base}{entry.slug}/outcomes.json", made(entry, outcomes, pairs)
            if metrics:
                yield f"{base}{entry.slug}/scores.json", item_scores(entry, metrics)


def known(splits: Sequence[SplitView], prefixes: Sequence[str | None], facets: Sequence[Facet],
          ) -> dict[str, Any]:
    """What is said once for a board: its facets, and its splits in the order they are shown in."""
    return {
        "texts": portion(splits),
        "marks": list(prefixes),
        "facets": [facet.known() for facet in facets],
        "splits": [{"name": view.name, "rows": len(view.texts), "pages": bool(view.golds),
                    "systems": len(view.comparable)} for view in splits],
    }


def portion(splits: Sequence[SplitView]) -> int:
    """How many examples of a board have their texts in one file."""
    weights = [sum(map(len, texts)) for view in splits for texts in view.texts]
    return max(1, min(TEXTS, WEIGHT * len(weights) // max(1, sum(weights))))


def parts(view: SplitView, size: int) -> Iterator[dict[str, list[list[str]]]]:
    """The texts of a split, ``size`` examples at a time: a list for each input column."""
    rows = view.texts
    for start in range(0, len(rows), size):
        yield {"texts": [list(column) for column in zip(*rows[start : start + size], strict=True)]}


def systems(view: SplitView, pairs: Sequence[PairFacet]) -> dict[str, Any]:
    """The systems of a split, each with its null, and what the ways from one example to the next
    are called: the usual one, with what its words mean, and by scores where a system stands beside
    its null."""
    keys = view.comparable_keys
    ahead = [(*pair.facet.metrics[0], pair.next) for pair in pairs if pair.facet.metrics]
    return {
        "systems": [{"key": entry.key, "title": entry.title, "kind": entry.kind,
                     **({"null": null} if (null := entry.null_key(view.board)) in keys - {entry.key}
                        else {})}
                    for entry in view.comparable],
        **({"next": pairs[0].next, "note": pairs[0].facet.note} if pairs else {}),
        **({"ahead": ahead[0]} if ahead else {}),
    }


def made(entry: Entry, outcomes: Sequence[SystemFacet], pairs: Sequence[PairFacet]
         ) -> dict[str, Any]:
    """What a system made of each example: a column a facet, and how it stands against others."""
    items = entry.result.items
    cells: dict[str, Any] = {one.facet.id: one.facet.column(one.answers(items)) for one in outcomes}
    standing = {"standing": list(map(pairs[0].score, items))} if pairs else {}
    return {"columns": cells, **standing}
