"""Two results with the same items: which metrics may be compared, and how they differ. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scorer.core.records import ItemResult
from scorer.core.results import Result
from scorer.metrics.catalogue import METRICS
from scorer.scoring.results.ranks import compared_row, comparison_groups, corpus_of
from scorer.scoring.results.signature import difference
from scorer.statistics.comparison import Comparison, compare, compare_corpora
from scorer.statistics.ranks import RankInterval


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
    one, two = corpus_of(a, metric), corpus_of(b, metric)
    if one is not None and two is not None:
        return compare_corpora(one, two, better=METRICS[metric].better)
    return _on_items(metric, a.items, b.items)


def on_both_passed(metric: str, a: Result, b: Result, passed: str) -> Comparison | None:
    """The same on the items where both answers passed every gate; rows in it count those alone.

    ``passed``: the annotation of such an item. None if there is no such item.
    """
    both = [pair for pair in zip(a.items, b.items, strict=True)
            if all(item.verdict.annotation == passed for item in pair)]
    return _on_items(metric, *zip(*both, strict=True)) if both else None


def _on_items(metric: str, a: Sequence[ItemResult], b: Sequence[ItemResult]) -> Comparison:
    scores = ([item.scores[metric].value for item in items] for items in (a, b))
    return compare(*scores, binary=METRICS[metric].binary, better=METRICS[metric].better)


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
    group = next((one for one in groups if key in one.eligible), None)
    if group is None or len(group.eligible) < 2 or key not in group.ranks.holm:
        return None
    around = (None, *group.eligible, None)
    at = around.index(key)
    return Ranked(group.ranks.holm[key], around[at - 1], around[at + 1])
