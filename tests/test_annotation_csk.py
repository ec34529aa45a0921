"""Recall and precision of commonsense knowledge: the recorded case, and what it leaves open."""

import json
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from scorer.core.records import Edge
from scorer.people import organisers
from scorer.people.answered import AnsweredItem
from scorer.people.figures import (
    F1,
    agreement_on_outcome,
    by_relation,
    csk_figures,
    csk_votes,
    question_figures,
    ratings,
    topic,
)
from scorer.people.records import Answers, Batch, Item, Topic
from tests.people_world import recorded_answers

NAMES = {
    "plausible": "plausible", "implicit": "implicit", "recall_full": "recall_full",
    "recall_any": "recall_any", "recall_full_neg": "recall_full_negated",
    "recall_any_neg": "recall_any_negated", "prec_micro": "precision_micro",
    "ctx_micro": "in_context_micro", "unrel_micro": "unrelated_micro",
    "neg_micro": "contradicting_micro", "prec_neg_micro": "precision_micro_negated",
    "prec_macro": "precision_macro", "ctx_macro": "in_context_macro",
    "prec_neg_macro": "precision_macro_negated",
}
"""What the recorded case calls our metrics."""


@pytest.fixture(scope="module")
def case(vectors: Path) -> Any:
    return json.loads((vectors / "human" / "csk_aggregate.json").read_text("utf-8"))


FORM = organisers.forms_of()["csk"]
BATCH = Batch("b", "csk", "csk-1", 3, (), topics=(Topic("1", "Cats"), Topic("4", "Dogs")))


def items_of(case: Any) -> list[AnsweredItem]:
    """The answers of the case as we hold them: a value for each triplet, in order."""
    items: dict[str, dict[str, Answers]] = {}
    for item, annotator, own in recorded_answers(case):
        items.setdefault(item, {})[annotator] = own
    return [AnsweredItem(FORM, BATCH, Item(name, {}, tuple(
        Edge("a", "r", triplet) for triplet in case["triplets"].get(name, ()))), answers=answers)
        for name, answers in items.items()]


@pytest.mark.claim("Recall and precision of commonsense knowledge equal the recorded case to "
                   "1e-12.")
def test_every_number_of_the_recorded_case_is_equal(case: Any) -> None:
    items, expected = items_of(case), case["expected"]
    metrics, votes = csk_figures(items), csk_votes(items)
    assert votes.records == expected["n_records"]
    for name, ours in NAMES.items():
        assert metrics[ours].value == pytest.approx(float(Fraction(expected[name])), abs=1e-12)
    for question in ("q2", "q3", "q4", "q5"):
        assert votes.answers[question] == dict(sorted(expected[question].items()))
    every = [answers for item in items for answers in item.answers.values()]
    negated = [ratings(answers, negated=True) for answers in every]
    for value, count in expected["q5_neg"].items():
        assert sum(rated.count(value) for rated in negated) == count
    again = [answers.get("q7") or answers.get("q4") for answers in every]
    assert {value: again.count(value) for value in "12"} == expected["q4_neg"]


def test_agreement_on_every_question_of_the_case_is_equal(case: Any) -> None:
    found = question_figures(FORM, items_of(case))
    for question, exact in case["alpha"].items():
        name, _, scale = question.partition("_")
        if name != "outcome":
            ours = found[name].agreement
            value = ours.alpha_ordinal if scale == "ordinal" else ours.alpha
            assert value.value == (None if exact is None else pytest.approx(float(
                Fraction(exact)), abs=1e-12)), question
    assert agreement_on_outcome(items_of(case)).alpha.value == pytest.approx(
        float(Fraction(case["alpha"]["outcome"])), abs=1e-12)
    assert [found[name].unsure for name in ("q1", "q2", "q3", "q5")] == [1, 1, 1, 1]
    assert found["q4"].counts == {"1": 2, "2": 3, "3": 0, "x": 0}


def answered(q4: str, q5: str, q6: str = "", q7: str = "") -> Answers:
    """What somebody says of an item to whom its argument is connected."""
    more = {name: value for name, value in (("q6", tuple(q6)), ("q7", q7)) if value}
    return {"q1": "1", "q2": "y", "q3": "y", "q4": q4, "q5": tuple(q5), **more}


def items(*answers: Answers, relations: str = "") -> list[AnsweredItem]:
    """An item for each of some answers."""
    return [AnsweredItem(FORM, BATCH, Item(f"i{place}", {}, tuple(
        Edge("a", relation, "b") for relation in relations.split())), answers={"ann": given})
        for place, given in enumerate(answers)]


@pytest.mark.parametrize(("answers", "metrics"), [
    pytest.param([answered("x", "1x"), answered("1", "xx")],
                 {"recall_full": 1, "precision_micro": 1, "precision_macro": 1},
                 id="an answer that cannot tell is in no quotient"),
    pytest.param([answered("2", "4", "1", "x"), answered("1", "1")],
                 {"recall_full": 1 / 2, "recall_full_negated": 1},
                 id="Q7 that cannot tell counts as that and not as Q4"),
    pytest.param([answered("1", "144", "-41", "1")],
                 {"contradicting_micro": 2 / 3, "contradicting_micro_negated": 1 / 3,
                  "precision_micro_negated": 2 / 3},
                 id="a negation that is negative too still contradicts"),
    # F1 is 2 * 1 * (1 / 2) / (1 + 1 / 2).
    pytest.param([answered("1", "1111"), answered("2", "2")],
                 {"precision_micro": 4 / 5, "precision_macro": (1 + 0) / 2, F1: 2 / 3},
                 id="micro counts triplets and macro counts records"),
])
def test_a_metric_is_a_quotient_of_counts(
    answers: list[Answers], metrics: dict[str, float]
) -> None:
    found = csk_figures(items(*answers))
    assert {name: found[name].value for name in metrics} == metrics


def test_who_handed_in_first_moves_no_bit() -> None:
    rng = Random(22)
    answers: list[dict[str, Answers]] = [{
        name: answered(rng.choice("12"), "".join(rng.choices("123", k=7)))
        | ({"q2": "n"} if rng.random() < 0.3 else {})
        for name in "abcdefgh" if rng.random() < 0.8} for _ in range(9)]
    here, there = ([AnsweredItem(FORM, BATCH, Item(f"i{place}", {}), answers={
        name: given[name] for name in sorted(given, reverse=turned)})
        for place, given in enumerate(answers)] for turned in (False, True))
    assert csk_figures(here) == csk_figures(there)
    assert agreement_on_outcome(here) == agreement_on_outcome(there)


def test_nothing_to_count_is_undefined_and_never_zero() -> None:
    found = csk_figures(items({"q1": "1", "q2": "n"}))
    assert found["plausible"].value == 0
    for name in ("implicit", "recall_full", "precision_micro", "precision_macro_negated", F1):
        assert (found[name].value, found[name].note) == (None, "nothing to count"), name
    assert csk_figures([])[F1].value is None


def test_precision_by_relation_and_items_by_the_topic_of_most_annotators() -> None:
    [first] = items(answered("1", "12x"), relations="IsA UsedFor IsA")
    first = first._replace(answers={**first.answers, "ben": answered("1", "221")})
    [other] = items({"q1": "x"})
    other = other._replace(answers={**other.answers, "ben": {"q1": "4"}})
    assert {name: (one.value, one.n) for name, one in by_relation([first, other]).items()} == {
        "IsA": (2 / 3, 3), "UsedFor": (0, 2)}
    assert [topic(item) for item in (first, other)] == ["Cats", "Dogs"]
