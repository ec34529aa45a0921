"""Results on one metric: which may be compared, two or all, and the ranks they may have. Pure.

One rule says what may be compared: values of equal signatures. So scorer, board, gold, number of
golds, encoder and judge are the same within a ``ComparisonGroup``, and nothing is said across two.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from scorer.boards.submission import REFERENCE, THIRD_PARTY
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.scoring.results.signature import comparable_groups, difference
from scorer.statistics.comparison import Comparison, compare
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


@dataclass(frozen=True)
class ComparisonGroup:
    """The rows of one metric whose values have one signature, by their keys."""

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


def comparison_groups(results: Mapping[str, Result], metric: MetricInfo,
                      scores: Mapping[str, Scores], *, barred: Collection[str] = (),
                      no_ranks: str = "") -> Iterator[ComparisonGroup]:
    """Results that have a value, by their keys, in groups of equal signatures, the largest first.

    ``scores``: of the metric, for those whose items are at hand. ``barred``: never ranked.
    Predictions by others are each of a team of their own.
    """
    sign = -1 if metric.better == "higher" else 1
    values = {key: value for key, result in results.items()
              if (value := result.metrics.get(metric.id)) and value.value is not None}
    for _, members in comparable_groups(values):
        rows = sorted((Candidate(
            key, key if (team := results[key].team) == THIRD_PARTY else team,
            values[key].value or 0.0, team == REFERENCE, key in barred) for key in members),
            key=lambda row: (sign * row.value, row.key))
        known = {row.key: scores[row.key] for row in rows if row.key in scores}
        yield ComparisonGroup(
            tuple(row.key for row in rows), known,
            pairwise(known, binary=metric.binary, better=metric.better) if len(known) > 1 else None,
            tuple(eligible([row for row in rows if row.key in known], better=metric.better)),
            tuple(row.key for row in rows if row.may_rank and row.key not in known), no_ranks)


def scores_of(result: Result, metric: str, n: int) -> Scores:
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


# ---- two results -----------------------------------------------------------------------------


def why_not(metric: str, a: Result, b: Result) -> str:
    """Why a metric of two results may not be compared; empty if it may."""
    if any(metric not in result.metrics or result.metrics[metric].value is None
           or not all(metric in item.scores for item in result.items) for result in (a, b)):
        return ("not measured for one of them or both; score them again, with --models fetch if it "
                "needs a model")
    differing = difference(a.metrics[metric].signature, b.metrics[metric].signature)
    return (f"different signatures ({'; '.join(differing)}); score both with the same"
            if differing else "")


def same_items(a: Result, b: Result) -> bool:
    """Whether two results have the same items in the same order."""
    return [item.row for item in a.items] == [item.row for item in b.items]


def compared(metric: str, a: Result, b: Result) -> Comparison:
    """Two results with the same items on a metric of which ``why_not`` has nothing to say."""
    return _compared(metric, *(scores_of(result, metric, len(result.items)) for result in (a, b)))


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
    rows = {name: row.replace(team=THIRD_PARTY)  # each counts as a team's own
            for name, row in {**others, key: result}.items()}
    scores = {name: found for name, row in rows.items()
              if (found := scores_of(row, metric, len(result.items)))}
    for group in comparison_groups(rows, METRICS[metric], scores):
        if key in group.ranks.holm:
            around = (None, *group.eligible, None)
            at = around.index(key)
            return Ranked(group.ranks.holm[key], around[at - 1], around[at + 1])
    return None
