"""Which rows of a metric are compared, and why a metric of the whole split has no places."""

import pytest

from scorer.metrics.catalogue import METRICS
from scorer.records import ItemResult, ItemScore, MetricValue, Result, Verdict
from scorer.results.ranks import ComparedRow, ComparisonGroup, comparison_groups, item_scores
from scorer.scoring.summary import WHOLE_SPLIT
from scorer.statistics.ranks import Candidate

N = 400
CORPUS = tuple(name for name, info in METRICS.items() if info.total is not None)


def rows(metric: str, right: dict[str, int], items: bool = True) -> list[ComparedRow]:
    """Rows of one signature, each with its first so many of ``N`` items right."""
    return [ComparedRow(Candidate(key, key, count / N),
                MetricValue(metric, count / N, signature=f"{metric}|scorer:1"),
                (1.0,) * count + (0.0,) * (N - count) if items else ())
            for key, count in right.items()]


def only(metric: str, right: dict[str, int], items: bool = True) -> ComparisonGroup:
    [group] = comparison_groups(rows(metric, right, items), METRICS[metric])
    return group


def test_the_metrics_of_a_whole_split_are_the_four_of_bleu() -> None:
    assert CORPUS == ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4")


@pytest.mark.parametrize("metric", CORPUS)
def test_rows_are_in_order_of_a_number_of_the_whole_split_and_not_tested_on_it(metric: str) -> None:
    # 60 items apart: any test of single items would tell these two from each other.
    found = only(metric, {"b": 100, "a": 160})
    assert found.keys == found.eligible == ("a", "b")
    assert (found.scores, found.pairs, found.untested) == ({}, None, WHOLE_SPLIT)
    assert (found.ranks.plain, found.ranks.holm, found.ranks.why_not) == ({}, {}, WHOLE_SPLIT)


def test_the_same_rows_are_tested_and_have_places_on_a_mean_over_items() -> None:
    found = only("accuracy", {"b": 100, "a": 160})
    assert found.untested == found.ranks.why_not == ""
    assert {key: (one.first, one.last) for key, one in found.ranks.plain.items()} == {
        "a": (1, 1), "b": (2, 2)}


def test_what_is_missing_is_told_apart_from_what_cannot_be() -> None:
    missing = "some rows lack per-item scores"
    assert only("accuracy", {"a": 9, "b": 8}, items=False).ranks.why_not == missing
    assert only("BLEU-4", {"a": 9, "b": 8}, items=False).ranks.why_not == WHOLE_SPLIT


@pytest.mark.parametrize("metric", ["accuracy", "BLEU-4"])
def test_a_row_alone_is_told_to_be_alone_whatever_the_metric(metric: str) -> None:
    found = only(metric, {"a": 9})
    assert found.ranks.why_not == "only one system here is eligible"


def test_scores_of_single_items_are_all_there_or_none() -> None:
    items = tuple(ItemResult(number, Verdict("right"), {"accuracy": ItemScore(float(number % 2))})
                  for number in (1, 2, 3))
    bare = ItemResult(4, Verdict("right"), {})
    result = Result("anli", "1.0", "anli", "dev", {"items": 3}, {}, items, {}, "a", "b")
    assert list(item_scores(result, "accuracy", 3)) == [1.0, 0.0, 1.0]
    assert item_scores(result, "accuracy", 4) == ()
    more = Result("anli", "1.0", "anli", "dev", {"items": 4}, {}, (*items, bare), {}, "a", "b")
    assert item_scores(more, "accuracy", 4) == ()
