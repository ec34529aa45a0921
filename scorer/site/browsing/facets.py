"""Facets: by what examples can be told apart in the browser, as data. Pure.

A facet is a question with a fixed list of answers. What the questions of gold are is known to the
task (``Partition``, of each task); those about what systems made of the examples are here. Where a
task has gates, right is: every gate passed. Where it has none, examples have scores only, and
systems are compared by the first metric of the ranking that every item of a result has. Files and
scripts of the browser know facets only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, Literal
from urllib.parse import urlencode

from scorer.core.reading.values import plain
from scorer.core.records import ItemResult
from scorer.metrics.catalogue import METRICS
from scorer.scoring.leaderboard.about import official
from scorer.site.records import BoardView, Entry, SplitView
from scorer.tasks.partitions import Partition, values_of

Answers = Sequence[Sequence[str]]
"""For each example in order, the values of a facet that it has; none where nothing is known."""

UNKNOWN = "-"
"""Stands in a column for an example of which a facet says nothing."""
_FIRST = ord("0")
"""The character of a facet's first value; those of the others follow."""


@dataclass(frozen=True)
class Facet:
    """One question, and the answers there are."""

    id: str
    """Its name in addresses."""
    name: str
    """What pages call it."""
    values: tuple[str, ...]
    """In the order they are shown; as they stand in addresses."""
    labels: tuple[str, ...] = ()
    """How people read the values, where addresses say it otherwise."""
    number: bool = False
    """Whether values are whole numbers, of which a range is chosen."""
    note: str = ""
    """What its words mean."""
    first: str = ""
    """The words of its first value in a check box above the list; a facet of one value stands only
    there."""
    several: bool = False
    """Whether an example may have more than one value."""
    long: bool = False
    """Whether only the commonest values are shown at first."""
    tag: str = ""
    """How the list says an example's value, with ``{}`` in its place; empty where it does not."""
    system: Literal["", "a", "b"] = ""
    """The chosen system that it is about, if it is about one; ``b`` is about both."""
    metrics: tuple[tuple[str, int], ...] = ()
    """Metrics by whose scores of an item A and B are compared, and 1 or, where lower is better, -1;
    the first until another one is chosen."""

    def known(self) -> dict[str, Any]:
        """What the script is told of it; what is false or empty is left out."""
        return {name: value for name, value in asdict(self).items()
                if value or name in ("id", "name", "values")}

    def column(self, answers: Answers) -> str:
        """A character an example, or characters with blanks between them where it is ``several``.

        >>> Facet("depth", "Depth", ("3", "5")).column([("5",), (), ("3",)])
        '1-0'
        >>> Facet("relation", "Relation", ("is a", "causes"), several=True).column(
        ...     [("is a", "causes"), (), ("causes",)])
        '01  1'
        """
        codes = {value: chr(_FIRST + i) for i, value in enumerate(self.values)}
        if self.several:
            return " ".join("".join(codes[value] for value in answer) for answer in answers)
        return "".join(codes[answer[0]] if answer else UNKNOWN for answer in answers)


@dataclass(frozen=True)
class GoldFacet:
    """A facet that is the same whatever systems are chosen, with its answers."""

    facet: Facet
    answers: Mapping[str, Answers]
    """By the name of the split; a split of which nothing is known is not there."""


def of_gold(board: BoardView, partitions: Iterable[Partition[Any]]) -> list[GoldFacet]:
    """A facet for each partition, in the splits whose gold is there."""
    known = [*partitions]
    answers = {view.name: values_of(known, view.golds) for view in board.splits if view.golds}
    return [GoldFacet(Facet(one.id, one.name, one.values, number=one.number, several=one.several,
                            long=one.long, tag=one.tag),
                      {name: columns[index] for name, columns in answers.items()})
            for index, one in enumerate(known)]


@dataclass(frozen=True)
class SystemFacet:
    """A facet about what system A made of the examples, from the items of its result."""

    facet: Facet
    answers: Callable[[Sequence[ItemResult]], Answers]


@dataclass(frozen=True)
class PairFacet:
    """Two systems, example by example."""

    facet: Facet
    """Its first value: A is better; its second: B is. Then ties; if there are two values of these,
    the last one is for ties at 0. Where it has metrics, their scores decide, else ``score``."""
    score: Callable[[ItemResult], float | None]
    """How well a system does, more is better; None if that was not measured."""
    next: str
    """The button that leads to the next example where the first of two systems is better."""


# ---- addresses ---------------------------------------------------------------------------------


def browser_path(board: str) -> str:
    """Where the example browser of a board is, relative to the site's root."""
    return f"boards/{board}/examples/"


def search(view: SplitView, *chosen: tuple[str, str], entry: Entry | None = None) -> str:
    """Where the browser shows the chosen examples of a split, relative to the site's root.

    ``chosen`` are facets with a value each; ``entry`` is the system that *got* and *broke* speak
    of. Empty where the browser cannot show them: no public gold, or no predictions at hand.
    """
    if not view.golds or (entry is not None and entry.key not in view.comparable_keys):
        return ""
    system = [("a", entry.key)] if entry else []
    query = urlencode([*system, ("split", view.name), *chosen])
    return f"{browser_path(view.board.id)}?{query}"


def annotated(view: SplitView, entry: Entry, annotation: str, rule: str = "") -> str:
    """Where the browser shows what got an annotation, and broke a rule."""
    broke = [("broke", rule)] if rule else []
    return search(view, ("got", plain(annotation)), *broke, entry=entry)


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
    counts: dict[str, list[int]] = {}
    for view in board.splits:
        for entry in counted(view):  # one after the other: a large board's do not fit together
            items = entry.result.items
            before = counts.get(view.name, [0] * len(items))
            counts[view.name] = [count + (item.verdict.annotation == passed)
                                 for count, item in zip(before, items, strict=True)]
    if not counts:
        return []
    sizes = {view.name: len(counted(view)) for view in board.splits if view.name in counts}
    several = {name: [(DISAGREE,) if 0 < count < sizes[name] else () for count in counts[name]]
               for name in counts if sizes[name] > 1}
    first = Facet("systems", "Systems", (DISAGREE,), first="Only where systems disagree")
    listed = ", ".join(f"{size} in {name}" for name, size in sizes.items())
    many = Facet("right", "Systems that are right",
                 tuple(map(str, range(max(sizes.values()) + 1))), number=True,
                 first="Only where no system is right",
                 note=f"Right: {right}. Systems: {listed}." if right else f"Systems: {listed}.")
    return [*([GoldFacet(first, several)] if several else []),
            GoldFacet(many, {name: [(str(count),) for count in tally]
                             for name, tally in counts.items()})]


def verdicts(board: BoardView, labels: Mapping[str, str], name: str = "A got"
             ) -> list[SystemFacet]:
    """The gate at which system A stopped, and the rules that it broke, if any system broke one.

    ``labels``: how people read annotations.
    """
    annotations = tuple(map(plain, board.board.task.annotations))
    got = Facet("got", name, annotations, tuple(labels.get(annotation, plain(annotation))
                                                for annotation in board.board.task.annotations),
                system="a")
    facets = [SystemFacet(got, lambda items: [
        (plain(item.verdict.annotation),) for item in items])]
    rules = {finding.rule for view in board.splits for entry in view.comparable
             for item in entry.result.items for finding in item.verdict.broken}
    if rules:
        broke = Facet("broke", "A broke", tuple(sorted(rules)), several=True, long=True, system="a")
        facets.append(SystemFacet(broke, lambda items: [
            sorted({finding.rule for finding in item.verdict.broken}) for item in items]))
    return facets


def gate_pair(board: BoardView, right: str) -> PairFacet:
    """Which of two systems passes every gate; ``right`` says what that means."""
    facet = Facet(
        "pair", "Right are", ("a", "b", "both", "none"), ("only A", "only B", "both", "none"),
        note=f"Right: {right}.", system="b")
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


def score_pair(board: BoardView) -> PairFacet | None:
    """Which of two systems has the better score, on a metric that a reader chooses: one with more
    than two values that some system was given item by item.

    The first that may order rows comes first, then the others in the order of the board.
    """
    ranking = metric_of_items(board)
    metrics = sorted((metric for metric in board.board.metrics
                      if not METRICS[metric].binary and any(
                          _measured(entry, metric)
                          for view in board.splits for entry in view.comparable)),
                     key=lambda metric: metric != ranking)
    if not metrics:
        return None
    first = metrics[0]

    def score(item: ItemResult) -> float | None:
        result = item.scores.get(first)
        return None if result is None else _sign(first) * round(result.value, DIGITS)

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
