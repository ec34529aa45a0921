"""Rows of one metric that may be compared, two or all, and the ranks they may have. Pure.

One rule says what may be compared: values of equal signatures. So scorer, board, gold, number of
golds, encoder and judge are the same within a ``ComparisonGroup``, and nothing is said across two.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from scorer.boards.submission import REFERENCE, THIRD_PARTY
from scorer.core.results import MetricValue, Result
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.scoring.results.signature import comparable_groups, difference
from scorer.statistics.comparison import Comparison, compare, smallest_gap
from scorer.statistics.ranks import (
    Candidate,
    Pairwise,
    RankInterval,
    Ranks,
    eligible,
    pairwise,
    rank_intervals,
)
from scorer.statistics.resampling import Scores, corpus


class ComparedRow(NamedTuple):
    """One row and its value of a metric."""

    candidate: Candidate
    value: MetricValue
    scores: Scores
    """Empty if they are not at hand."""


@dataclass(frozen=True)
class ComparisonGroup:
    """The rows of one metric whose values have one signature; rows by their candidates' keys."""

    signature: str
    keys: tuple[str, ...]
    """Best value first; withdrawn and reference rows too."""
    scores: Mapping[str, Scores]
    """Only of rows whose items are at hand."""
    pairs: Pairwise | None
    """Every two rows with ``scores``, in the order of ``keys``; None with fewer than two."""
    eligible: tuple[str, ...]
    """The rows that may be ranked, best value first; all have scores of items."""
    unscored: tuple[str, ...] = ()
    """The rows that only lack scores of items to be ranked."""
    no_ranks: str = ""
    """Why no row has a rank, whatever the rows are; empty if they may have ranks."""

    @cached_property
    def ranks(self) -> Ranks:
        """Rank intervals of the eligible rows; of all of them or, with the reason, of none."""
        if self.no_ranks:
            return Ranks({}, self.no_ranks)
        if self.pairs is None or len(self.eligible) < 2:
            systems = "only one system" if self.eligible else "no system"
            return Ranks({}, f"{systems} here "
                         + ("has scores of items" if self.unscored else "can be ranked")
                         + (", and ranks take two" if self.eligible else ""))
        return rank_intervals(self.pairs.among(self.eligible))

    def smallest_gap(self, metric: MetricInfo) -> float | None:
        """The smallest gap between eligible rows that could be separated."""
        return smallest_gap([self.scores[key] for key in self.eligible], binary=metric.binary)


def comparison_groups(rows: Sequence[ComparedRow], metric: MetricInfo, no_ranks: str = "",
                      ) -> Iterator[ComparisonGroup]:
    """Rows that have a value, in groups of equal signatures, the largest first."""
    valued = {row.candidate.key: row for row in rows if row.value.value is not None}
    sign = -1 if metric.better == "higher" else 1
    for signature, members in comparable_groups({key: row.value for key, row in valued.items()}):
        keys = sorted(members, key=lambda key: (sign * valued[key].candidate.value, key))
        scores = {key: valued[key].scores for key in keys if valued[key].scores}
        pairs = (pairwise(scores, binary=metric.binary, better=metric.better)
                 if len(scores) > 1 else None)
        candidates = [valued[key].candidate for key in keys]
        ranked = eligible([item for item in candidates if item.key in scores], better=metric.better)
        unscored = tuple(one.key for one in candidates if one.may_rank and one.key not in scores)
        yield ComparisonGroup(signature, tuple(keys), scores, pairs, tuple(ranked), unscored,
                              no_ranks)


def compared_row(key: str, team: str, result: Result, metric: str, items: int, *,
                 withdrawn: bool) -> ComparedRow:
    """A team's result on a metric; predictions by others are each of a team of their own."""
    value = result.metrics[metric]
    candidate = Candidate(key, key if team == THIRD_PARTY else team, value.value or 0.0,
                          team == REFERENCE, withdrawn)
    return ComparedRow(candidate, value, _scores(result, metric, items))


def _scores(result: Result, metric: str, n: int) -> Scores:
    """What ``n`` items of a result score, or add to the sums of a number of the whole split; empty
    if they are not at hand for every item."""
    scores, total = item_scores(result, metric, n), METRICS[metric].total
    return corpus([item.scores[metric] for item in result.items], total) if total and scores else (
        scores)


def item_scores(result: Result, metric: str, n: int) -> Sequence[float]:
    """One score for each of ``n`` items; empty if they are not at hand for every item.

    An array, because a large board has millions of them.
    """
    if len(result.items) != n or not all(metric in item.scores for item in result.items):
        return ()
    return array("d", [item.scores[metric].value for item in result.items])


def why_not(metric: str, a: Result, b: Result) -> str:
    """Why a metric of two results may not be compared; empty if it may."""
    if not (_measured(a, metric) and _measured(b, metric)):
        return ("not measured for one of them or both; score them again, with --models fetch if it "
                "needs a model")
    differing = difference(a.metrics[metric].signature, b.metrics[metric].signature)
    return (f"different signatures ({'; '.join(differing)}); score both with the same"
            if differing else "")


def _measured(result: Result, metric: str) -> bool:
    """Whether there is a score of every item."""
    return (metric in result.metrics and result.metrics[metric].value is not None
            and all(metric in item.scores for item in result.items))


def same_items(a: Result, b: Result) -> bool:
    """Whether two results have the same items in the same order."""
    return [item.row for item in a.items] == [item.row for item in b.items]


def compared(metric: str, a: Result, b: Result) -> Comparison:
    """Two results with the same items on a metric of which ``why_not`` has nothing to say."""
    return _compared(metric, *(_scores(result, metric, len(result.items)) for result in (a, b)))


def on_both_passed(metric: str, a: Result, b: Result, passed: str) -> Comparison | None:
    """The same on the items where both answers passed every gate; rows in it count those alone.

    ``passed``: the annotation of such an item. None if there is no such item.
    """
    both = [pair for pair in zip(a.items, b.items, strict=True)
            if all(item.verdict.annotation == passed for item in pair)]
    return _compared(metric, *([item.scores[metric].value for item in items]
                               for items in zip(*both, strict=True))) if both else None


def _compared(metric: str, a: Scores, b: Scores) -> Comparison:
    info = METRICS[metric]
    return compare(a, b, binary=info.binary, better=info.better, widest=info.highest - info.lowest)


class Ranked(NamedTuple):
    """The rank that a result would have among others, and who stands next to it."""

    rank: RankInterval
    above: str | None
    """The key of the row above; None if it would be the first."""
    below: str | None


def rank_among(metric: str, result: Result, key: str, others: Mapping[str, Result],
               ) -> Ranked | None:
    """Where a result would stand among others, all by their keys; None where it has no rank."""
    rows = {**others, key: result}
    groups = comparison_groups(
        [compared_row(name, name, row, metric, len(result.items), withdrawn=False)
         for name, row in rows.items()], METRICS[metric])
    group = next((candidate for candidate in groups if key in candidate.eligible), None)
    if group is None or len(group.eligible) < 2 or key not in group.ranks.holm:
        return None
    around = (None, *group.eligible, None)
    at = around.index(key)
    return Ranked(group.ranks.holm[key], around[at - 1], around[at + 1])
