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
from scorer.statistics.ranks import Candidate
from scorer.statistics.resampling import Scores, corpus
from tests.values import made_result, metric_value

N = 400


def rows(metric: str, right: dict[str, int], items: bool = True) -> list[ComparedRow]:
    """Rows of one signature, each with its first so many of ``N`` items right."""
    return [ComparedRow(Candidate(key, key, count / N),
                metric_value(count / N, signature=f"{metric}|scorer:1"),
                counted(metric, count) if items else ())
            for key, count in right.items()]


def counted(metric: str, right: int) -> Scores:
    """Of BLEU texts of eight words, of which as many as are right are the reference."""
    total = METRICS[metric].total
    if total is None:
        return (1.0,) * right + (0.0,) * (N - right)
    orders = range(1, int(metric[-1]) + 1)
    parts = [{"reference words": 8, **{f"{n}-grams": 9 - n for n in orders},
              **{f"matched {n}-grams": 9 - n if place < right else 0 for n in orders}}
             for place in range(N)]
    return corpus([ItemScore(float(total(part)), part) for part in parts], total)


def ranks(group: ComparisonGroup) -> dict[str, tuple[int, int]]:
    return {key: (one.first, one.last) for key, one in group.ranks.holm.items()}


def test_rows_are_tested_and_ranked_on_a_number_of_the_whole_split() -> None:
    metric = METRICS["BLEU-4"]
    [found] = comparison_groups(rows("BLEU-4", {"c": 100, "b": 157, "a": 160}), metric)
    assert found.keys == found.eligible == ("a", "b", "c")
    assert found.pairs is not None
    assert list(found.pairs.means) == pytest.approx([160 / N, 157 / N, 100 / N])
    assert found.pairs.p[0, 1] == 2 / 2**3, "three items, and all swaps of them"
    assert ranks(found) == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}
    gap = found.smallest_gap(metric)
    assert gap is not None
    assert 3 / N < gap < 57 / N


@pytest.mark.parametrize("metric", ["accuracy", "BLEU-4"])
def test_ranks_do_not_wait_for_a_row_without_scores_of_items(metric: str) -> None:
    scored, bare = rows(metric, {"b": 100, "a": 160}), rows(metric, {"best": 170}, items=False)
    [group] = comparison_groups([*scored, *bare], METRICS[metric])
    assert group.keys == ("best", "a", "b")
    assert (group.eligible, group.unscored) == (("a", "b"), ("best",))
    assert ranks(group) == {"a": (1, 1), "b": (2, 2)}
    [alone] = comparison_groups(bare, METRICS[metric])
    assert (alone.eligible, alone.unscored) == ((), ("best",))
    assert alone.ranks.why_not == "no system here has scores of items"


@pytest.mark.parametrize(("bare", "eligible"), [
    (Candidate("best", "b", 170 / N), ("a", "b")),  # of its team, one row has scores of items
    (Candidate("r", "r", 170 / N, reference=True), ("a", "b")),
    (Candidate("w", "w", 170 / N, withdrawn=True), ("a", "b")),
])
def test_a_row_that_may_not_rank_lacks_nothing_to_be_ranked(
    bare: Candidate, eligible: tuple[str, ...]
) -> None:
    [row] = rows("accuracy", {"bare": 170}, items=False)
    scored = rows("accuracy", {"b": 100, "a": 160})
    [group] = comparison_groups([row._replace(candidate=bare), *scored], METRICS["accuracy"])
    assert group.eligible == eligible
    assert group.unscored == (("best",) if bare.may_rank else ())
    [alone] = comparison_groups([row._replace(candidate=bare), scored[0]], METRICS["accuracy"])
    assert alone.ranks.why_not == (
        "only one system here has scores of items, and ranks take two" if bare.may_rank
        else "only one system here can be ranked, and ranks take two")


def test_scores_of_single_items_are_all_there_or_none() -> None:
    items = tuple(ItemResult(number, Verdict("right"), {"accuracy": ItemScore(float(number % 2))})
                  for number in (1, 2, 3))
    bare = ItemResult(4, Verdict("right"), {})
    result = made_result("anli", "1.0", "anli", "dev", {"items": 3}, {}, items)
    assert list(item_scores(result, "accuracy", 3)) == [1.0, 0.0, 1.0]
    assert item_scores(result, "accuracy", 4) == ()
    more = made_result("anli", "1.0", "anli", "dev", {"items": 4}, {}, (*items, bare))
    assert item_scores(more, "accuracy", 4) == ()
