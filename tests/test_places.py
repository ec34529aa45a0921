"""Which rows of a metric are compared, also where it is a number of the whole split."""

from collections.abc import Mapping

import pytest

from scorer.core.records import ItemResult, ItemScore, Verdict
from scorer.metrics.catalogue import METRICS
from scorer.scoring.results.ranks import ComparisonGroup, comparison_groups, item_scores
from scorer.statistics.comparison import smallest_gap
from scorer.statistics.resampling import Scores, corpus
from tests.values import made_result, metric_value

N = 400


def groups(metric: str, right: Mapping[str, int], *, bare: Mapping[str, int] | None = None,
           barred: str = "") -> list[ComparisonGroup]:
    """Rows of one signature, by their teams, each with its first so many of ``N`` items right;
    ``bare``: without scores of items."""
    rows = {key: made_result("b", "1.0", "t", "dev", {}, {
        metric: metric_value(count / N, signature=f"{metric}|scorer:1")}, team=key.split("/")[0])
        for key, count in {**right, **(bare or {})}.items()}
    scores = {key: counted(metric, count) for key, count in right.items()}
    return [*comparison_groups(rows, METRICS[metric], scores, barred=barred.split())]


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
    [found] = groups("BLEU-4", {"c": 100, "b": 157, "a": 160})
    assert found.keys == found.eligible == ("a", "b", "c")
    assert found.pairs is not None
    assert list(found.pairs.means) == pytest.approx([160 / N, 157 / N, 100 / N])
    assert found.pairs.p[0, 1] == 2 / 2**3, "three items, and all swaps of them"
    assert ranks(found) == {"a": (1, 2), "b": (1, 2), "c": (3, 3)}
    gap = smallest_gap([*found.scores.values()], binary=False)
    assert gap is not None
    assert 3 / N < gap < 57 / N


@pytest.mark.parametrize("metric", ["accuracy", "BLEU-4"])
def test_ranks_do_not_wait_for_a_row_without_scores_of_items(metric: str) -> None:
    [group] = groups(metric, {"b": 100, "a": 160}, bare={"best": 170})
    assert group.keys == ("best", "a", "b")
    assert (group.eligible, group.unscored) == (("a", "b"), ("best",))
    assert ranks(group) == {"a": (1, 1), "b": (2, 2)}
    [alone] = groups(metric, {}, bare={"best": 170})
    assert alone.ranks.why_not == "no system here has scores of items"


@pytest.mark.parametrize(("bare", "barred", "unscored"), [
    ("b/best", "", ("b/best",)),  # of its team, one row has scores of items
    ("reference/r", "", ()), ("w/w", "w/w", ()),
])
def test_a_row_that_may_not_rank_lacks_nothing_to_be_ranked(
    bare: str, barred: str, unscored: tuple[str, ...]
) -> None:
    [group] = groups("accuracy", {"b": 100, "a": 160}, bare={bare: 170}, barred=barred)
    assert (group.eligible, group.unscored) == (("a", "b"), unscored)
    [alone] = groups("accuracy", {"b": 100}, bare={bare: 170}, barred=barred)
    assert alone.ranks.why_not == (
        f"only one system here {'has scores of items' if unscored else 'can be ranked'}, "
        "and ranks take two")


def test_scores_of_single_items_are_all_there_or_none() -> None:
    items = tuple(ItemResult(number, Verdict("right"), {"accuracy": ItemScore(float(number % 2))})
                  for number in (1, 2, 3))
    result = made_result("anli", "1.0", "anli", "dev", {"items": 3}, {}, items)
    assert list(item_scores(result, "accuracy", 3)) == [1.0, 0.0, 1.0]
    assert item_scores(result, "accuracy", 4) == ()
    bare = ItemResult(4, Verdict("right"), {})
    assert item_scores(result.replace(items=(*items, bare)), "accuracy", 4) == ()
