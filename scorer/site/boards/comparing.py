"""Two systems of a split side by side, and which pairs have a page: from the document. Pure.

Counts of items and their lists come from the scores of items; every difference, interval and
p-value is the document's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from scorer.boards.submission import ANONYMOUS, CONSTRAINED
from scorer.metrics.catalogue import METRICS
from scorer.scoring.leaderboard.about import PREVIEW
from scorer.scoring.leaderboard.numbers import name_text, p_text, signed
from scorer.scoring.results.leaderboard import Column
from scorer.scoring.results.ranks import item_scores
from scorer.site.boards.leaderboards import Leaderboard
from scorer.site.page import Page
from scorer.site.records import BoardView
from scorer.site.render import interval, score
from scorer.site.text import isolated
from scorer.site.views.registry import view_of
from scorer.statistics import ALPHA, FEWEST, TIE
from scorer.statistics.comparison import differing

FOLDER = "compare/"
IN_MATRIX = 30
LISTED = 100
"""Items of one list on a page; the others are a search of the example browser."""
MOST_APART = 5
"""Items of each side in the list of those that differ most."""


class Difference(NamedTuple):
    """One row less another on one column; None: not in the document."""

    d: float
    low: float | None = None
    high: float | None = None
    p: float | None = None

    @property
    def reversed(self) -> Difference:
        """The other row less this one."""
        low, high = (None if bound is None else -bound for bound in (self.high, self.low))
        return Difference(-self.d, low, high, self.p)

    def bounds(self, column: Column) -> str:
        """The interval in brackets; empty where there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"[{interval((self.low, self.high), column, ', ')}]"


# ---- addresses ----------------------------------------------------------------------------------


def compare_path(known: Leaderboard, a: str, b: str) -> str:
    """The address of two rows side by side, relative to the site's root; keys of the document.

    A page of its own where ``has_page``, one for both orders, and the same whoever is ahead; else
    the page that draws any pair.
    """
    folder = f"{known.view.path}{FOLDER}"
    if has_page(known, a, b):
        return folder + "--vs--".join(key.replace("/", "--") for key in sorted((a, b))) + "/"
    return f"{folder}?{urlencode({'a': a, 'b': b}, safe='/')}"


def has_page(known: Leaderboard, a: str, b: str) -> bool:
    """Whether two rows have a page of their own."""
    if (a, b) not in known.pairs and (b, a) not in known.pairs:
        return False
    lead = known.leading
    return (a in lead and (b in lead or _meets(known, a, b))) or (
        b in lead and _meets(known, b, a))


def _meets(known: Leaderboard, system: str, key: str) -> bool:
    """Whether a row is what a leading system is measured by: a null, a baseline; or a preview."""
    row = known.rows[key]
    own = known.rows[system].null == key
    return own or row.role == "baseline" or row.kind == PREVIEW or (
        row.role == "null" and key not in known.nulls)


# ---- what is known of a difference --------------------------------------------------------------


def difference(known: Leaderboard, column: str, a: str, b: str) -> Difference | None:
    """One row less another; None where one has no value, or their signatures differ."""
    one, two = known.rows[a].values.get(column), known.rows[b].values.get(column)
    if one is None or two is None or one.v is None or two.v is None or one.sig != two.sig:
        return None
    close = known.close.get(column, {})
    if (a, b) in close or (b, a) in close:
        d, low, high, p, *_ = close.get((a, b)) or close[b, a]
        found = Difference(d or 0, low, high, p)
        return found if (a, b) in close else found.reversed
    cell = pair_cell(known, a, b) if known.document.order.by == column else None
    return Difference(one.v - two.v, p=cell[2] if cell else None)


def pair_cell(known: Leaderboard, a: str, b: str) -> tuple[float | None, ...] | None:
    """A pair of the document from the first row's side: its wins, its losses, p, p by Holm."""
    if (a, b) in known.pairs:
        return tuple(known.pairs[a, b])
    wins, losses, *p = known.pairs.get((b, a), (None, None, None, None))
    return (losses, wins, *p) if (b, a) in known.pairs else None


def is_binary(column: str) -> bool:
    """Whether items are right or wrong on a column, as far as they are at hand."""
    return column in METRICS and METRICS[column].binary


def scores(known: Leaderboard, key: str, column: str) -> Sequence[float]:
    """One score an item; empty if they are not at hand. Kept, since a row is in many pairs."""
    if (key, column) not in known.scores:
        known.scores[key, column] = item_scores(
            known.entries[key].result, column, known.document.items)
    return known.scores[key, column]


# ---- two rows -----------------------------------------------------------------------------------


def on_both(known: Leaderboard, a: str, b: str) -> str:
    """A sentence on the items that two rows both passed; empty where the document has none."""
    tests = [test for test in known.document.both_passed if {test.a, test.b} == {a, b}]
    parts = [f"{one.column} {signed(one.d if one.a == a else -one.d, known.columns[one.column])} "
             f"({p_text(one.p)})" for one in tests]
    return f"On the {tests[0].n} items that both passed: {', '.join(parts)}." if tests else ""


def sentence(known: Leaderboard, a: str, b: str) -> str:
    """Which of two rows is better on the column that orders rows; as ``compare.js`` says it."""
    column, cell = known.order, pair_cell(known, a, b)
    margin = difference(known, column.id, a, b) if column else None
    if column is None or cell is None or margin is None:
        return "The two are not compared: they lack scores of the same items, or were scored apart."
    if verdict(column, margin.d, cell) == "worse":
        return sentence(known, b, a)
    names = [f"{name_text(known.title(key))} ({score(value_of(known, key, column), column)})"
             for key in (a, b)]
    holm = "" if cell[3] is None else f" ({p_text(cell[3])} by Holm)"
    numbers = " ".join(filter(None, (
        "difference", signed(margin.d, column), margin.bounds(column))))
    numbers += f", {p_text(cell[2] or 0)}{holm}"
    if known.document.items < FEWEST:
        return (f"No verdict on {column.id}: {known.document.items} items are fewer than {FEWEST}. "
                f"{names[0]} against {names[1]}, {numbers}.")
    if verdict(column, margin.d, cell) == "same":
        return (f"No significant difference on {column.id} between {names[0]} and {names[1]}: "
                f"{numbers}.")
    return f"{names[0]} is better than {names[1]} on {column.id}: {numbers}."


def verdict(column: Column, d: float, cell: Sequence[float | None]) -> str:
    """The first row is better, worse or the same: by Holm where both are ranked."""
    p = cell[2] if cell[3] is None else cell[3]
    if p is None or p > ALPHA or not d:
        return "same"
    return "better" if (d > 0) == (column.better == "higher") else "worse"


def columns(known: Leaderboard, a: str, b: str) -> Iterator[tuple[Column, Difference | None, str]]:
    """Every column that one of two rows has a value of, their difference, and which of them (``a``
    or ``b``) is significantly better by this test alone."""
    for column in known.document.columns:
        if all(value_of(known, key, column) is None for key in (a, b)):
            continue
        margin = difference(known, column.id, a, b)
        if (margin is None or margin.p is None or margin.p > ALPHA
                or known.document.items < FEWEST or column.why_not_rank):
            yield column, margin, ""
        else:
            better = (margin.d > 0) == (column.better == "higher")
            yield column, margin, "a" if better else "b"


def value_of(known: Leaderboard, key: str, column: Column) -> float | None:
    """A row's value of a column."""
    value = known.rows[key].values.get(column.id)
    return value.v if value else None


def counted_by(known: Leaderboard) -> Column | None:
    """The column by which items are right or wrong: what orders rows, the gate, or the first that
    knows no more; else what orders rows."""
    names = [known.document.order.by or "", known.view.board.task.gate_metric or "",
             *known.columns]
    return next((known.columns[name] for name in names if name in known.columns
                 and is_binary(name) and not known.columns[name].unmeasured), known.order)


def graded_by(known: Leaderboard, a: str, b: str) -> Column | None:
    """The column by which items differ more or less: what orders rows, else the first such."""
    names = sorted(known.columns, key=lambda name: (
        name != known.document.order.by, known.columns[name].shown or len(known.columns) + 1))
    return next((known.columns[name] for name in names if not is_binary(name)
                 and scores(known, a, name) and scores(known, b, name)), None)


def item_lists(known: Leaderboard, column: Column, a: str, b: str,
               ) -> list[tuple[str, list[int], str]]:
    """Items by what two rows made of them: in words, their rows, and the query of the example
    browser that finds them; nothing without scores of items."""
    one, two = scores(known, a, column.id), scores(known, b, column.id)
    if not one or not two:
        return []
    names = [name_text(known.title(key)) for key in (a, b)]
    sign = 1 if column.better == "higher" else -1
    if is_binary(column.id):
        facets = [("both right", {"pair": "both"}, (1, 1)),
                  (f"only {names[0]} right", {"pair": "a"}, (1, 0)),
                  (f"only {names[1]} right", {"pair": "b"}, (0, 1)),
                  ("none right", {"pair": "none"}, (0, 0))]
        kinds = [(round(x), round(y)) for x, y in zip(one, two, strict=True)]
    else:
        by = {"by": column.id}
        facets = [(f"{names[0]} better", {"ahead": "a", **by}, (1, 0)),
                  (f"{names[1]} better", {"ahead": "b", **by}, (0, 1)),
                  ("equal", {"ahead": "equal", **by}, (0, 0))]
        gains = [sign * (x - y) for x, y in zip(one, two, strict=True)]
        kinds = [(int(gain > TIE), int(gain < -TIE)) for gain in gains]
    query = _query(known, a, b)
    return [(name, [row for row, own in enumerate(kinds, 1) if own == kind],
             f"split={known.view.name}&{query}&{urlencode(facet)}")
            for name, facet, kind in facets]


def _query(known: Leaderboard, a: str, b: str) -> str:
    """The two systems as example pages know them."""
    keys = {name: known.entries[key].key for name, key in (("a", a), ("b", b))}
    return urlencode(keys, safe="/")


def apart(known: Leaderboard, column: Column, a: str, b: str,
          ) -> Iterator[tuple[int, tuple[str, ...], float, float]]:
    """The items that differ most, with their texts and both scores; those on which the first row is
    better come first."""
    one, two = scores(known, a, column.id), scores(known, b, column.id)
    view = known.view
    listed = view_of(view.board).listed
    for rows in differing(one, two, better=column.better, most=MOST_APART):
        for row in rows:
            texts = listed(view.golds[row - 1]).texts if view.golds else ()
            yield row, tuple(texts), float(one[row - 1]), float(two[row - 1])


# ---- pages --------------------------------------------------------------------------------------


def against(known: Leaderboard, key: str, other: str) -> dict[str, Any] | None:
    """A row against another on the column that orders them, with the page of the two; None if they
    are not compared. ``verdict``: ``better``, ``worse``, ``same``; empty with too few items."""
    cell, column = pair_cell(known, key, other), known.order
    if cell is None or column is None:
        return None
    wins, losses, p, holm = cell
    d = (value_of(known, key, column) or 0.0) - (value_of(known, other, column) or 0.0)
    few = known.document.items < FEWEST
    return {"other": other, "path": compare_path(known, key, other), "d": d, "p": p or 0.0,
            "holm": holm, "wins": int(wins or 0), "losses": int(losses or 0),
            "verdict": "" if few else verdict(column, d, cell)}


def compare_pages(board: BoardView, known: Leaderboard) -> Iterator[Page]:
    """The matrix of pairs with a choice of any two, and a page for each pair that has one."""
    if not known.pairs:
        return
    shared = {"board": board.board, "boardview": board, "view": known.view, "known": known,
              "column": known.order}
    title = f"{board.board.title}: {known.view.name}, "
    pairs = [both for both in known.pairs if has_page(known, *both)]
    first_systems = known.systems[:IN_MATRIX]
    measured = [row for row in known.rows.values()
                if known.order and value_of(known, row.key, known.order) is not None]
    measured.sort(key=lambda row: row.kind == "reference")
    yield Page(f"{known.view.path}{FOLDER}", f"{title}compare two systems", "compare.html", {
        **shared, "matrix": [(key, [against(known, key, other) for other in first_systems[:at]])
                             for at, key in enumerate(first_systems)],
        "fewest": FEWEST, "choices": [(row.key, known.entries[row.key]) for row in measured],
        "others": [(compare_path(known, *both), *map(known.title, both)) for both in pairs
                   if any(known.rows[key].kind == "reference" for key in both)],
        "binary": [name for name in known.columns if is_binary(name)]})
    for a, b in pairs:
        first, second = isolated(known.title(a)), isolated(known.title(b))
        counted, graded = counted_by(known), graded_by(known, a, b)
        compared = list(columns(known, a, b))
        yield Page(compare_path(known, a, b), f"{title}{first} against {second}", "pair.html", {
            **shared, "a": a, "b": b, "sentence": sentence(known, a, b),
            "on_both": on_both(known, a, b), "columns": compared,
            "untested": any(margin is None or margin.p is None for _, margin, _ in compared),
            "named": not any(key.startswith(f"{ANONYMOUS}/") for key in (a, b)),
            "value_of": value_of, "counted": counted, "enforced": CONSTRAINED,
            "lists": item_lists(known, counted, a, b) if counted else [], "graded": graded,
            "apart": list(apart(known, graded, a, b)) if graded else [],
            "most": LISTED, "query": _query(known, a, b)})


def neighbours(known: Leaderboard, key: str, radius: int) -> list[str]:
    """The rows to compare a row with: the first, its null, and those around it; best first."""
    if key not in known.compared:
        return []
    systems = [other for other in known.compared if other in known.systems or other == key]
    index = systems.index(key)
    null = next((other for other in known.compared if known.rows[other].role == "null"
                 and _meets(known, key, other)), None)
    wanted = {*systems[:1], null,
              *systems[max(0, index - radius):index + radius + 1]} - {key}
    return [other for other in known.compared if other in wanted and pair_cell(known, key, other)]
