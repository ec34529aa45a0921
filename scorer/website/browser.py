"""What the example browser knows: one column a fact, one file a split, one a system. Pure.

The page (``site/assets/browse.js``) reads every fact of every example once and then filters by a
plain scan. Files are columns, not rows: they are smaller, and a scan runs along them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scorer.analyses.agreement import agreement
from scorer.analyses.facts import gold_facts
from scorer.website import searching
from scorer.website.kinds import GRAPHS, kind_of
from scorer.website.page import Page
from scorer.website.views import BoardView, Entry, SplitView

CEILINGS = ("gold", "second-gold")
"""Reference rows that are gold itself: they say nothing about how hard an example is."""


def page(board: BoardView) -> Page | None:
    """The browser of a board; None for a board of which no example can be shown."""
    splits = shown_splits(board)
    if not splits:
        return None
    total = sum(_rows(view) for view in splits)
    context = {"board": board.board, "boardview": board, "splits": splits, "total": total}
    folder = f"data/{board.board.id}/"
    return Page(
        searching.browser(board.board.id), f"{board.board.title}: examples", "browser.html",
        context,
        modules=("assets/browse.js", "assets/filter.js", "assets/files.js"),
        fetched=(f"{folder}examples.json", f"{folder}{splits[0].name}/index.json"))


def shown_splits(board: BoardView) -> list[SplitView]:
    """The splits whose inputs are at hand; those with systems first, as they are looked at most."""
    found = [view for view in board.splits
             if kind_of(board.board) is GRAPHS and (view.golds or view.inputs)]
    return sorted(found, key=lambda view: (not view.comparable, not view.golds))


def _rows(view: SplitView) -> int:
    return len(view.golds) or len(view.inputs)


def known(board: BoardView) -> dict[str, Any]:
    """What is said once for a board: its words, and its splits in the order they are shown in."""
    settings = board.settings
    return {
        "board": board.board.id,
        "texts": [text.name for text in settings.texts],
        "label": settings.labels and {"name": settings.labels.name,
                                      "values": list(settings.labels.values)},
        "relations": list(settings.graph.relations),
        "annotations": list(board.board.task.annotations),
        "splits": [{"name": view.name, "rows": _rows(view), "pages": bool(view.golds),
                    "systems": len(view.comparable)} for view in shown_splits(board)],
    }


def columns(view: SplitView) -> dict[str, Any]:
    """The facts of a split's examples; the texts alone where there is no gold."""
    rows = [gold.texts for gold in view.golds] or list(view.inputs)
    texts = [list(column) for column in zip(*rows, strict=True)]
    if not view.golds:
        return {"texts": texts}
    settings = view.board.settings
    number = {relation: i for i, relation in enumerate(settings.graph.relations)}
    labels = settings.labels.values if settings.labels else ()
    facts = gold_facts(view.golds)
    return {
        "texts": texts,
        "label": [labels.index(gold.label) for gold in view.golds] if labels else None,
        "relations": [sorted({number[e.relation] for e in one.edges if e.relation in number})
                      for one in facts],
        "depth": [one.depth for one in facts],
        "linear": [int(one.linear) for one in facts],
        "external": [len(one.external) for one in facts],
    }


def systems(view: SplitView) -> dict[str, Any]:
    """The systems of a split, and how many of those that count are right on each example.

    Right is: every gate passed. Submissions and predictions by others count; where there are fewer
    than two of them, every row that is not gold itself.
    """
    entries = view.comparable
    counted = [entry for entry in entries if entry.kind != "reference"]
    if len(counted) < 2:
        counted = [entry for entry in entries
                   if entry.kind != "reference" or entry.system not in CEILINGS]
    found = agreement("structure", {entry.key: entry.result.items for entry in counted})
    return {
        "systems": [{"key": entry.key, "title": entry.title, "kind": entry.kind}
                    for entry in entries],
        "agree": {"of": list(found.systems), "right": [len(names) for names in found.right]},
    }


def outcomes(view: SplitView, entry: Entry) -> dict[str, Any]:
    """What a system got on each example, a digit each, and where it broke which rule."""
    annotations = view.board.task.annotations
    broken: dict[str, list[int]] = {}
    for item in entry.result.items:
        for rule in sorted({finding.rule for finding in item.verdict.broken}):
            broken.setdefault(rule, []).append(item.row)
    got = "".join(str(annotations.index(item.verdict.annotation)) for item in entry.result.items)
    return {"annotation": got, "broken": dict(sorted(broken.items()))}


def files(board: BoardView) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every file that the browser fetches: its path below the site's root, and what is in it."""
    splits = shown_splits(board)
    folder = f"data/{board.board.id}/"
    if splits:
        yield f"{folder}examples.json", known(board)
    for view in splits:
        yield f"{folder}{view.name}/index.json", columns(view)
        if view.comparable:
            yield f"{folder}{view.name}/systems.json", systems(view)
        for entry in view.comparable:
            yield f"{folder}{view.name}/{entry.slug}/outcomes.json", outcomes(view, entry)
