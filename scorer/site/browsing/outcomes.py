"""Facets about what systems made of the examples: gates they passed, or scores. Pure.

Where a task has gates, right is: every gate passed. Where it has none, examples have scores only,
and systems are compared by the first metric of the ranking that every item of a result has.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from statistics import fmean

from scorer.core.reading.values import plain
from scorer.core.records import ItemResult
from scorer.metrics.catalogue import METRICS
from scorer.site.browsing.facets import Answers, Facet, GoldFacet, PairFacet, SystemFacet
from scorer.site.records import BoardView, Entry, SplitView, official

DISAGREE = "disagree"
QUARTERS = ("lowest quarter", "second quarter", "third quarter", "highest quarter")
DIGITS = 9
"""Scores that are equal when rounded to so many decimals are equal: what summing in another order
may change."""
SHOWN_DIGITS = 6
"""Decimals of the scores that the browser compares."""


def counted(view: SplitView) -> list[Entry]:
    """The systems that tell how hard an example is: every row that is no reference row. A null is
    right wherever its system is, so it tells nothing."""
    return [entry for entry in view.comparable if entry.kind != "reference"]


# ---- gates -----------------------------------------------------------------------------------


def agreement(board: BoardView, right: str = "") -> list[GoldFacet]:
    """Whether systems disagree, and how many of them are right; no facet where no system counts.

    ``right`` says what that means.
    """
    passed = board.board.task.passed
    counts = {view.name: [sum(item.verdict.annotation == passed for item in items)
                          for items in zip(*(entry.result.items for entry in entries), strict=True)]
              for view in board.splits if (entries := counted(view))}
    if not counts:
        return []
    sizes = {view.name: len(counted(view)) for view in board.splits if view.name in counts}
    several = {name: [(DISAGREE,) if 0 < count < sizes[name] else () for count in counts[name]]
               for name in counts if sizes[name] > 1}
    first = Facet("systems", "Systems", (DISAGREE,), first="Only where systems disagree")
    return [*([GoldFacet(first, several)] if several else []),
            GoldFacet(_how_many(sizes, right),
                      {name: [(str(count),) for count in found] for name, found in counts.items()})]


def _how_many(sizes: Mapping[str, int], right: str) -> Facet:
    """How many of the systems of each split are right, which is a number in addresses."""
    values = tuple(map(str, range(max(sizes.values()) + 1)))
    of = ", ".join(f"{size} in {name}" for name, size in sizes.items())
    return Facet("right", "Systems that are right", values, number=True,
                 first="Only where no system is right",
                 note=" ".join(filter(None, (_right(right), f"Systems: {of}."))))


def _right(meaning: str) -> str:
    return f"Right: {meaning}." if meaning else ""


def verdicts(board: BoardView, labels: Mapping[str, str], name: str = "A got"
             ) -> list[SystemFacet]:
    """The gate at which system A stopped, and the rules that it broke, if any system broke one.

    ``labels``: how people read annotations.
    """
    annotations = tuple(map(plain, board.board.task.annotations))
    got = Facet("got", name, annotations, tuple(labels.get(one, plain(one))
                                                for one in board.board.task.annotations),
                system="a")
    found = [SystemFacet(got, lambda items: [
        (plain(item.verdict.annotation),) for item in items])]
    rules = {finding.rule for view in board.splits for entry in view.comparable
             for item in entry.result.items for finding in item.verdict.broken}
    if rules:
        broke = Facet("broke", "A broke", tuple(sorted(rules)), several=True, long=True, system="a")
        found.append(SystemFacet(broke, _broken))
    return found


def _broken(items: Sequence[ItemResult]) -> Answers:
    return [sorted({finding.rule for finding in item.verdict.broken}) for item in items]


def gate_pair(board: BoardView, right: str, own_null: str = "") -> PairFacet:
    """Which of two systems passes every gate; ``right`` says what that means."""
    facet = Facet(
        "pair", "Right are", ("a", "b", "both", "none"), ("only A", "only B", "both", "none"),
        note=_right(right), system="b", own_null=own_null)
    passed = board.board.task.passed
    return PairFacet(facet, lambda item: int(item.verdict.annotation == passed),
                     "Next where the first is right and the second wrong")


# ---- scores ----------------------------------------------------------------------------------


def metric_of_items(board: BoardView) -> str | None:
    """The first ranking metric that some system was given item by item."""
    return next((metric for metric in board.board.ranking for view in board.splits
                 for entry in official(view.comparable) if _measured(entry, metric)), None)


def _measured(entry: Entry, metric: str) -> bool:
    return all(metric in item.scores for item in entry.result.items)


def difficulty(board: BoardView) -> list[GoldFacet]:
    """In which quarter of its split an example's mean score is, over the systems that count."""
    metric = metric_of_items(board)
    if metric is None:
        return []
    answers = {}
    for view in board.splits:
        entries = [entry for entry in counted(view) if _measured(entry, metric)]
        if entries:
            scores = zip(*([item.scores[metric].value for item in entry.result.items]
                           for entry in entries), strict=True)
            answers[view.name] = quarters([fmean(values) for values in scores])
    facet = Facet("mean", f"{metric}, mean over systems", QUARTERS)
    return [GoldFacet(facet, answers)] if answers else []


def quarters(scores: Sequence[float]) -> Answers:
    """The quarter of each score, by the share of scores that are lower; equal ones stay together.

    >>> quarters([0.0, 0.0, 0.3, 0.7])
    [('lowest quarter',), ('lowest quarter',), ('third quarter',), ('highest quarter',)]
    """
    rounded = [round(score, DIGITS) for score in scores]
    order = sorted(rounded)
    return [(QUARTERS[4 * bisect_left(order, score) // len(order)],) for score in rounded]


def scored(board: BoardView) -> list[SystemFacet]:
    """In which quarter of system A's own scores an example is."""
    metric = metric_of_items(board)
    if metric is None:
        return []

    def answers(items: Sequence[ItemResult]) -> Answers:
        if not all(metric in item.scores for item in items):
            return [()] * len(items)
        return quarters([item.scores[metric].value for item in items])

    facet = Facet("score", f"A's {metric}, among its own", QUARTERS, system="a")
    return [SystemFacet(facet, answers)]


def metrics_of_items(board: BoardView) -> list[str]:
    """Metrics with more than two values that some system was given item by item.

    The first that may order rows comes first, then the others in the order of the board.
    """
    first = metric_of_items(board)
    found = [metric for metric in board.board.metrics
             if not METRICS[metric].binary and any(
                 _measured(entry, metric) for view in board.splits for entry in view.comparable)]
    return sorted(found, key=lambda metric: metric != first)


def score_pair(board: BoardView) -> PairFacet | None:
    """Which of two systems has the better score, on a metric that a reader chooses."""
    metrics = metrics_of_items(board)
    if not metrics:
        return None
    first = metrics[0]

    def score(item: ItemResult) -> float | None:
        found = item.scores.get(first)
        return None if found is None else _sign(first) * round(found.value, DIGITS)

    facet = Facet("ahead", "By score of the example", ("a", "b", "equal"),
                  ("A ahead", "B ahead", "equal"), system="b",
                  metrics=tuple((metric, _sign(metric)) for metric in metrics))
    return PairFacet(facet, score, f"Next where the first is ahead on {first}")


def _sign(metric: str) -> int:
    return 1 if METRICS[metric].better == "higher" else -1


def item_scores(entry: Entry, metrics: Sequence[str]) -> dict[str, list[float]]:
    """A column for each of the metrics that every item of a result has."""
    items = entry.result.items
    return {metric: [round(item.scores[metric].value, SHOWN_DIGITS) for item in items]
            for metric in metrics if _measured(entry, metric)}
