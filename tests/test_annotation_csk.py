"""Recall and precision of commonsense knowledge: the recorded case, and what it leaves open."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from scorer.people import organisers
from scorer.people.figures import (
    F1,
    CskRecord,
    agreement_on_outcome,
    by_relation,
    csk_figures,
    question_figures,
    topics,
)
from scorer.people.records import NOT_ASKED, Annotation, Answers

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


def records_of(case: Any) -> list[CskRecord]:
    """The answers of the case as we hold them: a value for each triplet, in order."""
    return [CskRecord(one["item"], one["annotator"], {
        question: answer if isinstance(answer, str) else tuple(
            answer.get(triplet, NOT_ASKED) for triplet in case["triplets"][one["item"]])
        for question, answer in one["answers"].items()}) for one in case["records"]]


@pytest.mark.claim("Recall and precision of commonsense knowledge equal the recorded case to "
                   "1e-12.")
def test_every_number_of_the_recorded_case_is_equal(case: Any) -> None:
    (metrics, votes), expected = csk_figures(records_of(case)), case["expected"]
    assert votes.records == expected["n_records"]
    for name, ours in NAMES.items():
        assert metrics[ours].value == pytest.approx(float(Fraction(expected[name])), abs=1e-12)
    for question in ("q2", "q3", "q4", "q5"):
        assert votes.answers[question] == dict(sorted(expected[question].items()))
    records = records_of(case)
    negated = [one.ratings(negated=True) for one in records]
    for value, count in expected["q5_neg"].items():
        assert sum(ratings.count(value) for ratings in negated) == count
    again = [one.one("q7") or one.one("q4") for one in records]
    assert {value: again.count(value) for value in "12"} == expected["q4_neg"]


def test_agreement_on_every_question_of_the_case_is_equal(case: Any) -> None:
    by_name: dict[str, dict[str, Answers]] = {}
    for one in records_of(case):
        by_name.setdefault(one.annotator, {})[one.item] = one.answers
    form = organisers.forms_of()["csk"]
    given = [Annotation("b", "csk", name, "", answers) for name, answers in by_name.items()]
    found = question_figures(form, given)
    for question, exact in case["alpha"].items():
        name, _, scale = question.partition("_")
        if name != "outcome":
            ours = found[name].agreement
            value = ours.alpha_ordinal if scale == "ordinal" else ours.alpha
            assert value.value == (None if exact is None else pytest.approx(float(
                Fraction(exact)), abs=1e-12)), question
    assert agreement_on_outcome(records_of(case)).alpha.value == pytest.approx(
        float(Fraction(case["alpha"]["outcome"])), abs=1e-12)
    assert [found[name].unsure for name in ("q1", "q2", "q3", "q5")] == [1, 1, 1, 1]
    assert found["q4"].counts == {"1": 2, "2": 3, "3": 0, "x": 0}


def record(item: str, q4: str, q5: str, q6: str = "", q7: str = "", who: str = "ann",
           relations: str = "") -> CskRecord:
    answers: dict[str, str | tuple[str, ...]] = {
        "q1": "1", "q2": "y", "q3": "y", "q4": q4, "q5": tuple(q5)}
    answers |= {name: value for name, value in (("q6", tuple(q6)), ("q7", q7)) if value}
    return CskRecord(item, who, answers, tuple(relations.split()))


@pytest.mark.parametrize(("records", "metrics"), [
    pytest.param([record("a", "x", "1x"), record("b", "1", "xx")],
                 {"recall_full": 1, "precision_micro": 1, "precision_macro": 1},
                 id="an answer that cannot tell is in no quotient"),
    pytest.param([record("a", "2", "4", "1", "x"), record("b", "1", "1")],
                 {"recall_full": 1 / 2, "recall_full_negated": 1},
                 id="Q7 that cannot tell counts as that and not as Q4"),
    pytest.param([record("a", "1", "144", "-41", "1")],
                 {"contradicting_micro": 2 / 3, "contradicting_micro_negated": 1 / 3,
                  "precision_micro_negated": 2 / 3},
                 id="a negation that is negative too still contradicts"),
    # F1 is 2 * 1 * (1 / 2) / (1 + 1 / 2).
    pytest.param([record("a", "1", "1111"), record("b", "2", "2")],
                 {"precision_micro": 4 / 5, "precision_macro": (1 + 0) / 2, F1: 2 / 3},
                 id="micro counts triplets and macro counts records"),
])
def test_a_metric_is_a_quotient_of_counts(
    records: list[CskRecord], metrics: dict[str, float]
) -> None:
    found, _ = csk_figures(records)
    assert {name: found[name].value for name in metrics} == metrics


def test_nothing_to_count_is_undefined_and_never_zero() -> None:
    found, _ = csk_figures([CskRecord("a", "ann", {"q1": "1", "q2": "n"})])
    assert found["plausible"].value == 0
    for name in ("implicit", "recall_full", "precision_micro", "precision_macro_negated", F1):
        assert (found[name].value, found[name].note) == (None, "nothing to count"), name
    assert csk_figures([])[0][F1].value is None


def test_precision_by_relation_and_items_by_the_topic_of_most_annotators() -> None:
    records = [record("a", "1", "12x", relations="IsA UsedFor IsA"),
               record("a", "1", "221", who="ben", relations="IsA UsedFor IsA"),
               CskRecord("b", "ann", {"q1": "x"}), CskRecord("b", "ben", {"q1": "4"})]
    assert {name: (one.value, one.n) for name, one in by_relation(records).items()} == {
        "IsA": (2 / 3, 3), "UsedFor": (0, 2)}
    assert topics(records) == {"a": "1", "b": "4"}
