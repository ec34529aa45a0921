"""Leaderboards as pages see them: the document, beside the entries that its rows are; and two rows
of it against each other. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import nsmallest
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from scorer.boards.submission import ANONYMOUS, CONSTRAINED, REFERENCE
from scorer.metrics.catalogue import METRICS
from scorer.scoring.leaderboard.about import PREVIEW
from scorer.scoring.leaderboard.make import leaderboard as document_of
from scorer.scoring.leaderboard.numbers import name_text
from scorer.scoring.leaderboard.order import metric_of
from scorer.scoring.leaderboard.verdict import verdict
from scorer.scoring.results import leaderboard as documents
from scorer.scoring.results.leaderboard import (
    ClosePair,
    Column,
    LeaderboardDocument,
    LinkDocument,
    Pair,
    Row,
)
from scorer.scoring.results.ranks import item_scores
from scorer.site.page import Page
from scorer.site.records import BoardView, Entry, SiteView, SplitView
from scorer.site.text import isolated
from scorer.site.views.registry import view_of
from scorer.statistics import ALPHA, FEWEST, TIE

COMPARE = "compare/"
IN_MATRIX = 30
MOST_APART = 5
"""Items of each side in the list of those on which two rows differ most."""


@dataclass(frozen=True)
class Leaderboard:
    """One split's document with what a page needs beside it."""

    view: SplitView
    document: LeaderboardDocument

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """Entries by the keys of their rows in the document."""
        return {entry.document_key: entry for entry in self.view.entries}

    @cached_property
    def rows(self) -> Mapping[str, Row]:
        """Rows of the document by their keys."""
        return {row.key: row for row in self.document.rows}

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """Columns of the document by their ids."""
        return {column.id: column for column in self.document.columns}

    @property
    def order(self) -> Column | None:
        """The column that orders the rows."""
        return self.columns.get(self.document.order.by or "")

    def row(self, entry: Entry) -> Row:
        """The row that an entry is."""
        return self.rows[entry.document_key]

    def title(self, key: str) -> str:
        """What a row is called today: an anonymous team is named once its day has come."""
        entry = self.entries.get(key)
        return entry.title if entry else self.rows[key].title or "an anonymous system"

    def instead(self, row: Row | None, column: str) -> tuple[float, str] | None:
        """What stands beside a row's own value of a column, or for it: a difference of two rows,
        and what it is."""
        name, system = metric_of(column).instead or ("", "")
        other = self.rows.get(f"{REFERENCE}/{system}")
        values = [entry.values[name].v for entry in (row, other) if entry and name in entry.values]
        if other is None or len(values) < 2 or values[0] is None or values[1] is None:
            return None
        return values[0] - values[1], f"{name} less that of the row {other.title}"

    @cached_property
    def pairs(self) -> Mapping[tuple[str, str], Pair]:
        """Pairs of rows on the column that orders them, the better row first."""
        pairs = self.document.pairs
        if pairs is None:
            return {}
        more = {(str(a), str(b)): [int(wins), int(losses), float(p), None]
                for a, b, wins, losses, p in pairs.more or ()}
        return {**dict(zip(combinations(pairs.rows, 2), pairs.tri, strict=True)), **more}

    def pair(self, a: str, b: str) -> Sequence[float | None] | None:
        """A pair from the first row's side: its wins, its losses, p, p by Holm."""
        if (b, a) in self.pairs:
            wins, losses, *p = self.pairs[b, a]
            return (losses, wins, *p)
        return self.pairs.get((a, b))

    @cached_property
    def close(self) -> Mapping[str, Mapping[tuple[str, str], ClosePair]]:
        """By column: the pairs of the few rows that the document compares on every column."""
        return {name: dict(zip(combinations(column.rows, 2), column.tri, strict=True))
                for name, column in self.document.close.items()}

    def difference(self, column: str, a: str, b: str) -> Sequence[float | None] | None:
        """A close pair from the first row's side: difference, its interval, p, wins, losses."""
        pairs = self.close.get(column, {})
        if (b, a) in pairs:
            d, low, high, p, wins, losses = pairs[b, a]
            return (*(None if value is None else -value for value in (d, high, low)),
                    p, losses, wins)
        return pairs.get((a, b))

    @cached_property
    def leading(self) -> Sequence[tuple[str, str]]:
        """The pairs with a page of their own, the better row first: of those few rows, where one of
        the two is a system."""
        close = self.close.get(self.document.order.by or "", {})
        return [(a, b) for a, b in self.pairs if ((a, b) in close or (b, a) in close)
                and (self.rows[a].kind != "reference" or self.rows[b].kind != "reference")]

    @cached_property
    def compared(self) -> tuple[str, ...]:
        """The rows that have pairs, best value first."""
        there = {key for both in self.pairs for key in both}
        return tuple(key for key in self.rows if key in there)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Those of them that are systems and were not withdrawn."""
        return tuple(key for key in self.compared
                     if self.rows[key].kind != "reference" and not self.rows[key].withdrawn)

    @cached_property
    def tags(self) -> frozenset[str]:
        """What is to know of some of its rows."""
        return frozenset(tag for row in self.document.rows for tag in row.tags or ())


Leaderboards = Mapping[str, Leaderboard]
"""By the path of their split."""


def leaderboard_of(view: SplitView, results: Path | None = None) -> Leaderboard:
    """The leaderboard of a split: the committed document where it has just the rows of the view,
    else what the same function makes of these rows (previews, or results by hand).

    ``results``: the repository's folder of results. Raises DataError if a document there cannot be
    read.
    """
    return Leaderboard(view, _named(_document(view, results), view.entries))


def _document(view: SplitView, results: Path | None) -> LeaderboardDocument:
    if view.document and _fits(view.document, view.entries):
        return view.document
    path = documents.path_of(results, view.board.id, view.name) if results else None
    if path and path.is_file() and all(entry.kind != PREVIEW for entry in view.entries):
        document = documents.read(path)
        if _fits(document, view.entries):
            return document
    people = None
    if view.people is not None:
        from scorer.people.leaderboard import people_columns

        people = people_columns(view.board, view.name, view.entries, view.people)
    return document_of(view.board, view.name, view.entries, view.judges, view.published, people)


def _fits(document: LeaderboardDocument, entries: Sequence[Entry]) -> bool:
    """Whether a document has just the rows of the entries, and their values: one that was not
    written again has not."""
    known = {entry.document_key: entry for entry in entries}
    if len(document.rows) != len(known) or any(row.key not in known for row in document.rows):
        return False
    for row in document.rows:
        entry = known[row.key]
        if (row.kind, row.withdrawn or "") != (entry.kind, entry.about.withdrawn):
            return False
        metrics = entry.result.metrics
        if any(value.v != metrics[name].value
               for name, value in row.values.items() if name in metrics):
            return False
    return True


def _named(document: LeaderboardDocument, entries: Sequence[Entry]) -> LeaderboardDocument:
    """The document with the names of anonymous teams whose day has come; keys stay."""
    known = {entry.document_key: entry for entry in entries
             if entry.about.anonymous_until and not entry.anonymous}
    rows = []
    for row in document.rows:
        if entry := known.get(row.key):
            links = [LinkDocument(title=link.title, url=link.url) for link in entry.links] or None
            row = row.model_copy(update={"title": entry.title, "by": entry.by, "links": links,
                                         "anonymous_until": None})
        rows.append(row)
    if rows == document.rows:
        return document
    updated = document.model_copy(update={"rows": rows})
    return updated.model_copy(update={"verdict": verdict(updated, document.verdict.stable)})


def ordered(view: SplitView, results: Path | None = None) -> SplitView:
    """The split with its document, and its entries in the order of the document's rows."""
    if not view.has_rows:
        return view
    board = leaderboard_of(view, results)
    entries = tuple(board.entries[key] for key in board.rows)
    return replace(view, entries=entries, document=board.document)


def leaderboards_of(site: SiteView) -> dict[str, Leaderboard]:
    """The leaderboard of every split with rows: scored, published, or what people answered."""
    return {view.path: leaderboard_of(view)
            for board in site.boards for view in board.splits if view.has_rows}


# ---- two rows ------------------------------------------------------------------------------------


def compare_path(known: Leaderboard, a: str, b: str) -> str:
    """The address of two rows side by side, relative to the site's root; keys of the document.

    A page of their own, one for both orders, or the page that draws any two.
    """
    folder = f"{known.view.path}{COMPARE}"
    if (a, b) in known.leading or (b, a) in known.leading:
        return folder + "--vs--".join(key.replace("/", "--") for key in sorted((a, b))) + "/"
    return f"{folder}?{urlencode({'a': a, 'b': b}, safe='/')}"


def _difference(known: Leaderboard, key: str, other: str) -> dict[str, Any] | None:
    """A row less another on the column that orders them, with the page of the two; None if they are
    not compared. ``verdict``: ``better``, ``worse``, ``same``; empty with too few items."""
    cell, column = known.pair(key, other), known.order
    if cell is None or column is None:
        return None
    p = cell[2] if cell[3] is None else cell[3]
    one, two = (known.rows[row].values[column.id].v or 0.0 for row in (key, other))
    verdict = "same"
    if p is not None and p <= ALPHA and one != two:
        verdict = "better" if (one > two) == (column.better == "higher") else "worse"
    return {"path": compare_path(known, key, other), "d": one - two, "p": p or 0.0,
            "verdict": "" if known.document.items < FEWEST else verdict}


def compare_pages(board: BoardView, known: Leaderboard) -> Iterator[Page]:
    """The page that compares any two rows, with the matrix of the first systems; and a page of each
    leading pair, for which no script is needed."""
    order = known.order
    if not known.pairs or order is None:
        return
    shared = {"board": board.board, "view": known.view, "known": known,
              "column": order, "fewest": FEWEST, "enforced": CONSTRAINED}
    gate = known.view.board.task.gate_metric
    listed = {entry.key for entry in known.view.comparable} if known.view.golds else set[str]()
    first = known.systems[:IN_MATRIX]
    measured = [row for row in known.rows.values()
                if order.id in row.values and row.values[order.id].v is not None]
    measured.sort(key=lambda row: row.kind == "reference")
    title = f"{board.board.title}: {known.view.name}, "
    yield Page(f"{known.view.path}{COMPARE}", f"{title}compare two systems", "compare.html", {
        **shared, "binary": _binary(order.id),
        # What is right in the browser's lists is what passed the gate.
        "listed": listed if not _binary(order.id) or gate in (None, order.id) else (),
        "matrix": [(key, [_difference(known, key, other) for other in first[:at]])
                   for at, key in enumerate(first)],
        "choices": [(row.key, known.entries[row.key]) for row in measured],
        "others": [(compare_path(known, *both), *map(known.title, both)) for both in known.leading
                   if any(known.rows[key].kind == "reference" for key in both)]})
    graded = next((column for column in sorted(
        known.document.columns, key=lambda column: column.shown or len(known.columns) + 1)
        if column.id in known.close.keys() & METRICS.keys() and not _binary(column.id)), None)
    scores = {key: item_scores(known.entries[key].result, graded.id, known.document.items)
              for key in {key for both in known.leading for key in both}} if graded else {}
    for a, b in known.leading:
        names = {key: name_text(known.title(key)) for key in (a, b)}
        apart = _most_apart(known.view, graded, scores[a], scores[b]) if graded else ()
        both = " against ".join(isolated(known.title(key)) for key in (a, b))
        yield Page(compare_path(known, a, b), f"{title}{both}", "pair.html", {
            **shared, "a": a, "b": b, "names": names, "cell": _difference(known, a, b),
            "passed": [test for test in known.document.both_passed if {test.a, test.b} == {a, b}],
            "counts": _counts(known, a, b), "lines": dict(_lines(known, a, b)),
            "graded": graded, "apart": list(apart),
            "listed": {known.entries[key].key for key in (a, b)} <= listed,
            "named": not any(key.startswith(f"{ANONYMOUS}/") for key in (a, b))})


def _binary(column: str) -> bool:
    """Whether items are right or wrong on a column."""
    return column in METRICS and METRICS[column].binary


def _counts(known: Leaderboard, a: str, b: str) -> dict[str, Any]:
    """The items by what two rows made of them: the column, how many of each kind, and the query of
    the example browser that lists them; by the gate where there is one, as the browser has them."""
    gate, order = known.view.board.task.gate_metric or "", known.document.order.by or ""
    column = gate if known.difference(gate, a, b) else order
    *_, wins, losses = (int(value or 0) for value in known.difference(column, a, b) or (0, 0))
    items, systems = known.document.items, {"a": known.entries[a].key, "b": known.entries[b].key}
    facets = {"split": known.view.name, **systems}
    if _binary(column):
        right = round((known.rows[a].values[column].v or 0.0) * items)
        counts = {"both": right - wins, "a": wins, "b": losses, "none": items - right - losses}
        queries = [{**facets, "pair": kind} for kind in counts]
    else:
        counts = {"a": wins, "b": losses, "equal": items - wins - losses}
        queries = [{**facets, "ahead": kind, "by": column} for kind in counts]
    return {"column": column, "binary": _binary(column), "systems": urlencode(systems, safe="/"),
            "kinds": [(kind, count, urlencode(query, safe="/"))
                      for (kind, count), query in zip(counts.items(), queries, strict=True)]}


def _lines(known: Leaderboard, a: str, b: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each column that one of two rows has a value of: both values, their difference with interval
    and p, and which of the two is significantly better by this test alone."""
    for column in known.document.columns:
        one, two = (known.rows[key].values[column.id] for key in (a, b))
        if one.v is None and two.v is None:
            continue
        d, low, high, p, *_ = known.difference(column.id, a, b) or (None,) * 4
        if d is None and one.v is not None and two.v is not None and one.sig == two.sig:
            d = one.v - two.v
        ahead = None
        if d and p is not None and p <= ALPHA and known.document.items >= FEWEST and (
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
