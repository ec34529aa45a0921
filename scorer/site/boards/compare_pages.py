"""Two rows of a leaderboard against each other, from its document. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nsmallest
from typing import Any
from urllib.parse import urlencode

from scorer.boards.submission import ANONYMOUS, CONSTRAINED
from scorer.metrics.catalogue import METRICS
from scorer.scoring.leaderboard.numbers import name_text
from scorer.scoring.results.leaderboard import Column, LeaderboardDocument, Row
from scorer.scoring.results.ranks import item_scores
from scorer.site.page import Page
from scorer.site.records import BoardView, SplitView
from scorer.site.text import isolated
from scorer.site.views.registry import view_of
from scorer.statistics import ALPHA, FEWEST, TIE

COMPARE = "compare/"
IN_MATRIX = 30
MOST_APART = 5
"""Items of each side in the list of those on which two rows differ most."""


def compare_path(view: SplitView, a: str, b: str) -> str:
    """The address of two rows side by side, relative to the site's root; keys of the document.

    A page of their own, one for both orders, or the page that draws any two.
    """
    folder, leading = f"{view.path}{COMPARE}", view.document.leading
    if (a, b) in leading or (b, a) in leading:
        return folder + "--vs--".join(key.replace("/", "--") for key in sorted((a, b))) + "/"
    return f"{folder}?{urlencode({'a': a, 'b': b}, safe='/')}"


def _difference(view: SplitView, key: str, other: str) -> dict[str, Any] | None:
    """A row less another on the column that orders them, with the page of the two; None if they are
    not compared. ``verdict``: ``better``, ``worse``, ``same``; empty with too few items."""
    document = view.document
    cell, column = document.pair(key, other), document.ordering
    if cell is None or column is None:
        return None
    p = cell[2] if cell[3] is None else cell[3]
    one, two = (document.by_key[row].values[column.id].v or 0.0 for row in (key, other))
    verdict = "same"
    if p is not None and p <= ALPHA and one != two:
        verdict = "better" if (one > two) == (column.better == "higher") else "worse"
    return {"path": compare_path(view, key, other), "d": one - two, "p": p or 0.0,
            "verdict": "" if document.items < FEWEST else verdict}


def compare_pages(board: BoardView, view: SplitView) -> Iterator[Page]:
    """The page that compares any two rows, with the matrix of the first systems; and a page of each
    leading pair, for which no script is needed."""
    document, order = view.document, view.document.ordering
    if not document.every_pair or order is None:
        return
    shared = {"board": board.board, "view": view, "document": document,
              "column": order, "fewest": FEWEST}
    gate = view.board.task.gate_metric
    listed = view.comparable_keys if view.golds else frozenset[str]()
    first = document.systems[:IN_MATRIX]
    measured = [row for row in document.rows
                if order.id in row.values and row.values[order.id].v is not None]
    measured.sort(key=lambda row: row.kind == "reference")
    title = f"{board.board.title}: {view.name}, "
    yield Page(f"{view.path}{COMPARE}", f"{title}compare two systems", "compare.html", {
        **shared, "binary": _binary(order.id), "enforced": _constrained(document.rows),
        # What is right in the browser's lists is what passed the gate.
        "listed": listed if not _binary(order.id) or gate in (None, order.id) else (),
        "matrix": [(key, [_difference(view, key, other) for other in first[:at]])
                   for at, key in enumerate(first)],
        "choices": [(row.key, view.by_key[row.key]) for row in measured],
        "others": [(compare_path(view, *both), *map(view.title, both)) for both in document.leading
                   if any(document.by_key[key].kind == "reference" for key in both)]})
    graded = next((column for column in sorted(
        document.columns, key=lambda column: column.shown or len(document.columns) + 1)
        if column.id in document.close.keys() & METRICS.keys() and not _binary(column.id)), None)
    scores = {key: item_scores(view.by_key[key].result, graded.id, document.items)
              for key in {key for both in document.leading for key in both}} if graded else {}
    for a, b in document.leading:
        names = {key: name_text(view.title(key)) for key in (a, b)}
        apart = _most_apart(view, graded, scores[a], scores[b]) if graded else ()
        both = " against ".join(isolated(view.title(key)) for key in (a, b))
        yield Page(compare_path(view, a, b), f"{title}{both}", "pair.html", {
            **shared, "a": a, "b": b, "names": names, "cell": _difference(view, a, b),
            "passed": [test for test in document.both_passed if {test.a, test.b} == {a, b}],
            "counts": _counts(view, a, b), "lines": dict(_lines(document, a, b)),
            "graded": graded, "apart": list(apart),
            "enforced": _constrained([document.by_key[key] for key in (a, b)]),
            "listed": {view.by_key[key].key for key in (a, b)} <= listed,
            "named": not any(key.startswith(f"{ANONYMOUS}/") for key in (a, b))})


def _constrained(rows: Sequence[Row]) -> bool:
    """Whether decoding of one of them enforces the constraints."""
    return any(CONSTRAINED in (row.tags or ()) for row in rows)


def _binary(column: str) -> bool:
    """Whether items are right or wrong on a column."""
    return column in METRICS and METRICS[column].binary


def _counts(view: SplitView, a: str, b: str) -> dict[str, Any]:
    """The items by what two rows made of them: the column, how many of each kind, and the query of
    the example browser that lists them; by the gate where there is one, as the browser has them."""
    document, gate = view.document, view.board.task.gate_metric or ""
    column = gate if document.difference(gate, a, b) else document.order.by or ""
    *_, wins, losses = (int(value or 0) for value in document.difference(column, a, b) or (0, 0))
    items, systems = document.items, {"a": view.by_key[a].key, "b": view.by_key[b].key}
    facets = {"split": view.name, **systems}
    if _binary(column):
        right = round((document.by_key[a].values[column].v or 0.0) * items)
        counts = {"both": right - wins, "a": wins, "b": losses, "none": items - right - losses}
        queries = [{**facets, "pair": kind} for kind in counts]
    else:
        counts = {"a": wins, "b": losses, "equal": items - wins - losses}
        queries = [{**facets, "ahead": kind, "by": column} for kind in counts]
    return {"column": column, "binary": _binary(column), "systems": urlencode(systems, safe="/"),
            "kinds": [(kind, count, urlencode(query, safe="/"))
                      for (kind, count), query in zip(counts.items(), queries, strict=True)]}


def _lines(document: LeaderboardDocument, a: str, b: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each column that one of two rows has a value of: both values, their difference with interval
    and p, and which of the two is significantly better by this test alone."""
    for column in document.columns:
        one, two = (document.by_key[key].values[column.id] for key in (a, b))
        if one.v is None and two.v is None:
            continue
        d, low, high, p, *_ = document.difference(column.id, a, b) or (None,) * 4
        if d is None and one.v is not None and two.v is not None and one.sig == two.sig:
            d = one.v - two.v
        ahead = None
        if d and p is not None and p <= ALPHA and document.items >= FEWEST and (
                not column.why_not_rank):
            ahead = a if (d > 0) == (column.better == "higher") else b
        yield column.id, {"both": {a: one.v, b: two.v}, "d": d, "p": p, "ahead": ahead,
                          "bounds": None if low is None else (low, high)}


def _most_apart(view: SplitView, column: Column, one: Sequence[float], two: Sequence[float],
                ) -> Iterator[tuple[int, Sequence[str], float, float]]:
    """The items on which two rows differ most, those on which the first is better before the
    others: their rows, their texts and both scores; nothing without scores of items."""
    sign = 1 if column.better == "higher" else -1
    gains = [sign * (x - y) for x, y in zip(one, two, strict=True)] if one and two else []
    for side in (1, -1):
        for at in nsmallest(MOST_APART, range(len(gains)), key=lambda at: -side * gains[at]):
            if side * gains[at] > TIE:
                texts = view_of(view.board).listed(view.golds[at]).texts if view.golds else ()
                yield at + 1, texts, one[at], two[at]
