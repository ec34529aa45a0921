"""Which rows of a metric are compared, also where it is a number of the whole split."""

import pytest

from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.metrics.catalogue import METRICS
from scorer.scoring.results.ranks import (
    ComparedRow,
    ComparisonGroup,
    comparison_groups,
    item_scores,
)
from scorer.statistics.corpus import Corpus, corpus
from scorer.statistics.ranks import Candidate
from tests.values import made_result, metric_value

N = 400
CORPUS = tuple(name for name, info in METRICS.items() if info.total is not None)


def rows(metric: str, right: dict[str, int], items: bool = True) -> list[ComparedRow]:
    """Rows of one signature, each with its first so many of ``N`` items right."""
    return [ComparedRow(Candidate(key, key, count / N),
                metric_value(count / N, signature=f"{metric}|scorer:1"),
                (1.0,) * count + (0.0,) * (N - count) if items else (),
                counted(metric, count) if items else None)
            for key, count in right.items()]


def counted(metric: str, right: int) -> Corpus | None:
    """Texts of eight words, of which as many as are right are the reference."""
    total = METRICS[metric].total
    if total is None:
        return None
    orders = range(1, int(metric[-1]) + 1)
    parts = [{"reference words": 8, **{f"{n}-grams": 9 - n for n in orders},
              **{f"matched {n}-grams": 9 - n if place < right else 0 for n in orders}}
             for place in range(N)]
    return corpus([ItemScore(float(total(part)), part) for part in parts], total)


def only(metric: str, right: dict[str, int], items: bool = True) -> ComparisonGroup:
    [group] = comparison_groups(rows(metric, right, items), METRICS[metric])
    return group


def test_the_metrics_of_a_whole_split_are_the_four_of_bleu() -> None:
    assert CORPUS == ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4")


@pytest.mark.parametrize("metric", CORPUS)
def test_rows_are_tested_and_ranked_on_a_number_of_the_whole_split(metric: str) -> None:
    found = only(metric, {"c": 100, "b": 157, "a": 160})
    assert found.keys == found.eligible == ("a", "b", "c")
    assert found.pairs is not None
    assert list(found.pairs.means) == pytest.approx([160 / N, 157 / N, 100 / N])
    assert found.pairs.p[0, 1] == 2 / 2**3, "three items, and all swaps of them"
    assert {key: (one.first, one.last) for key, one in found.ranks.plain.items()} == {
        "a": (1, 2), "b": (1, 2), "c": (3, 3)}
    gap = found.smallest_gap(METRICS[metric])
    assert gap is not None
    assert 3 / N < gap.value < 57 / N


def test_the_same_rows_are_tested_and_have_places_on_a_mean_over_items() -> None:
    found = only("accuracy", {"b": 100, "a": 160})
    assert found.ranks.why_not == ""
    assert {key: (one.first, one.last) for key, one in found.ranks.plain.items()} == {
        "a": (1, 1), "b": (2, 2)}


@pytest.mark.parametrize("metric", ["accuracy", "BLEU-4"])
def test_no_row_is_ranked_where_none_has_scores_of_items(metric: str) -> None:
    found = only(metric, {"a": 9, "b": 8}, items=False)
    assert (found.eligible, found.unscored) == ((), ("a", "b"))
    assert found.ranks.why_not == "no system here has scores of items"


@pytest.mark.parametrize("metric", ["accuracy", "BLEU-4"])
def test_ranks_do_not_wait_for_a_row_without_scores_of_items(metric: str) -> None:
    scored = rows(metric, {"b": 100, "a": 160})
    [group] = comparison_groups([*scored, *rows(metric, {"best": 170}, items=False)],
                                METRICS[metric])
    assert group.keys == ("best", "a", "b")
    assert (group.eligible, group.unscored) == (("a", "b"), ("best",))
    assert {key: (one.first, one.last) for key, one in group.ranks.plain.items()} == {
        "a": (1, 1), "b": (2, 2)}


def test_a_team_is_ranked_by_its_best_row_with_scores_of_items() -> None:
    [without] = rows("accuracy", {"best": 170}, items=False)
    ours = without._replace(candidate=Candidate("best", "b", 170 / N))
    [group] = comparison_groups([ours, *rows("accuracy", {"b": 100, "a": 160})],
                                METRICS["accuracy"])
    assert group.eligible == ("a", "b")


@pytest.mark.parametrize("reference", [True, False])
def test_a_reference_or_withdrawn_row_lacks_nothing_to_be_ranked(reference: bool) -> None:
    [bare] = rows("accuracy", {"a": 9}, items=False)
    bare = bare._replace(candidate=Candidate("a", "a", 9 / N, reference, not reference))
    [group] = comparison_groups([bare, *rows("accuracy", {"b": 8})], METRICS["accuracy"])
    assert group.unscored == ()
    assert group.ranks.why_not == "only one system here can be ranked, and ranks take two"


@pytest.mark.parametrize("metric", ["accuracy", "BLEU-4"])
def test_a_row_alone_is_told_to_be_alone_whatever_the_metric(metric: str) -> None:
    found = only(metric, {"a": 9})
    assert found.ranks.why_not == "only one system here can be ranked, and ranks take two"


def test_scores_of_single_items_are_all_there_or_none() -> None:
    items = tuple(ItemResult(number, Verdict("right"), {"accuracy": ItemScore(float(number % 2))})
                  for number in (1, 2, 3))
    bare = ItemResult(4, Verdict("right"), {})
    result = made_result("anli", "1.0", "anli", "dev", {"items": 3}, {}, items)
    assert list(item_scores(result, "accuracy", 3)) == [1.0, 0.0, 1.0]
    assert item_scores(result, "accuracy", 4) == ()
    more = made_result("anli", "1.0", "anli", "dev", {"items": 4}, {}, (*items, bare))
    assert item_scores(more, "accuracy", 4) == ()
