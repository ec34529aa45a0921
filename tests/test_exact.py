"""Exact scores that are sealed: bytes there and back, and what is no mean over items stays out."""

import datetime
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scorer import board as boards
from scorer.board import Board
from scorer.board.policy import Policy
from scorer.errors import DataError
from scorer.hidden.exact import Exact, from_bytes, of_result, released
from scorer.hidden.release.decisions import HELD, NOT_BETTER, RELEASED, Decision
from scorer.metrics.catalogue import WHOLE_SPLIT
from scorer.records import ItemResult, ItemScore, MetricValue, Result, Verdict

DAY = datetime.date(2026, 11, 20)
ROUGE = (0.25, 0.5, 0.75)


def result(items: int = 3) -> Result:
    """One row: BLEU-4 of the whole split, ROUGE-L a mean over items, METEOR not measured."""
    metrics = {
        "BLEU-4": MetricValue("BLEU-4", 0.4, n=3, signature="BLEU-4|scorer:1"),
        "METEOR": MetricValue("METEOR", None, "no wordnet here", n=3),
        "ROUGE-L": MetricValue("ROUGE-L", 0.5, n=3, signature="ROUGE-L|scorer:1"),
    }
    of_items = tuple(
        ItemResult(number, Verdict("answered"),
                   {"BLEU-4": ItemScore(0.125), "ROUGE-L": ItemScore(one)})
        for number, one in enumerate(ROUGE[:items], start=1))
    return Result("anlg", "1.0", "anlg", "test", {"items": items}, metrics, of_items, {}, "a", "b")


def board(values: int) -> Board:
    """The practice board of texts, which is ranked by METEOR and ROUGE-L."""
    found = boards.load(boards.boards_folder() / "anlg-practice")
    return replace(found, release=Policy(values=values))


def test_a_number_of_the_whole_split_is_left_out_with_the_reason() -> None:
    found = of_result(result())
    assert found.scores == {"ROUGE-L": ROUGE}
    assert found.head["metrics"] == ["BLEU-4", "METEOR", "ROUGE-L"]
    assert found.head["signatures"] == {"ROUGE-L": "ROUGE-L|scorer:1"}
    assert found.head["reasons"] == {
        "BLEU-4": f"not released: {WHOLE_SPLIT}", "METEOR": "no wordnet here"}


def test_what_was_left_out_is_published_without_a_value_and_with_a_reason_of_no_machine() -> None:
    public = released(of_result(result()), Decision(RELEASED, DAY), "5", board(1))
    assert public.metrics["BLEU-4"] == MetricValue(
        "BLEU-4", None, f"not released: {WHOLE_SPLIT}", n=3)
    assert public.metrics["METEOR"].reason == "not measured: wordnet was not at hand"
    mean = public.metrics["ROUGE-L"]
    assert (mean.value, mean.grid) == ((0.25 + 0.5 + 0.75) / 3, 0.05)
    assert public.items == ()


@pytest.mark.parametrize("word", [HELD, NOT_BETTER])
def test_what_has_no_value_says_why_and_nothing_else_of_any_metric(word: str) -> None:
    decision = Decision(word, DAY)
    public = released(of_result(result()), decision, "5", board(1))
    assert {value.reason for value in public.metrics.values()} == {decision.reason}


def test_the_step_of_a_metric_that_exceeds_1_is_as_many_times_wider() -> None:
    exact = of_result(result())
    exact = replace(exact, scores={"CIDEr": (1.0, 2.0, 3.5)}, head={
        **exact.head, "metrics": ["CIDEr"], "signatures": {"CIDEr": "s"}, "reasons": {}})
    found = released(exact, Decision(RELEASED, DAY), "5", board(1)).metrics["CIDEr"]
    assert (found.value, found.grid) == (round((1 + 2 + 3.5) / 3 / 0.5) * 0.5, 0.5)


@pytest.mark.parametrize(("values", "told"), [
    (1, ["METEOR"]), (2, ["METEOR", "ROUGE-L"]), (3, ["CIDEr", "METEOR", "ROUGE-L"])])
def test_as_many_metrics_have_a_value_as_the_board_releases_those_of_its_ranking_first(
    values: int, told: list[str]
) -> None:
    names = ["CIDEr", "METEOR", "ROUGE-L", "BERTScore"]
    exact = of_result(result())
    exact = replace(exact, scores=dict.fromkeys(sorted(names), ROUGE), head={
        **exact.head, "metrics": names, "signatures": dict.fromkeys(names, "s"), "reasons": {}})
    public = released(exact, Decision(RELEASED, DAY), "5", board(values)).metrics
    assert sorted(name for name, value in public.items() if value.value is not None) == told
    assert {value.reason for value in public.values() if value.value is None} == {
        Policy(values=values).withheld}


def test_a_result_without_items_is_refused() -> None:
    with pytest.raises(DataError, match="a result without items has no exact scores"):
        of_result(result(items=0))


@given(some.integers(1, 5).flatmap(lambda n: some.dictionaries(
    some.sampled_from(["SA", "GED", "accuracy", "METEOR"]),
    some.tuples(*[some.floats(allow_nan=False)] * n), min_size=1)))
def test_bytes_give_the_same_scores_back(scores: dict[str, tuple[float, ...]]) -> None:
    items = len(next(iter(scores.values())))
    head = {"schema": 1, "items": items, "signatures": dict.fromkeys(scores, "s")}
    content = Exact(head, scores).to_bytes()
    assert from_bytes(content) == Exact(head, scores)
    assert len(content.partition(b"\n")[2]) == 8 * items * len(scores)


@pytest.mark.parametrize(("change", "said"), [
    ({"schema": 2}, "exact scores of another schema"),
    ({"items": 4}, "exact scores of another length"),
    ({"signatures": {}}, "exact scores of another length"),
])
def test_bytes_of_another_form_are_refused(change: dict[str, object], said: str) -> None:
    head, _, packed = of_result(result()).to_bytes().partition(b"\n")
    changed = json.dumps(json.loads(head) | change).encode() + b"\n" + packed
    with pytest.raises(ValueError, match=said):
        from_bytes(changed)
