"""A judge's card: shares with intervals, the gate, and how it lies on disk."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scorer.core.errors import DataError
from scorer.core.records import Share, TextPair
from scorer.lab.training.evaluate import evaluation, stopping_score
from scorer.lab.training.examples import SECA, Example
from scorer.models import judge_card as cards
from scorer.models.judge_card import (
    DEV_GOLD,
    GOLD,
    NATURAL,
    NEGATED,
    NULL_SETS,
    OTHER,
    SHUFFLED,
    Bin,
    Card,
    Evaluation,
    Fitness,
    Margin,
    Preference,
)
from tests import case_files

STANCES = ("support", "counter")


def answers(name: str, right: int, n: int) -> Evaluation:
    """A set of ``n`` graphs; so many are called what they are, or what they look like."""
    label = {GOLD: "support", DEV_GOLD: "support", NATURAL: "incorrect"}.get(name, "counter")
    other = "support" if label == "incorrect" else "incorrect"
    return Evaluation(name, "", {label: {label: right, other: n - right}} if n else {})


def margin(low: float) -> Margin:
    return Margin(0.75, 0.7, low, 0.09, {"support": (284, 68), "counter": (188, 155)}, 370, 1000, 1)


GOOD = {one.name: one for one in (
    answers(GOLD, 300, 500), answers(DEV_GOLD, 240, 398), answers(NATURAL, 140, 240),
    answers(SHUFFLED, 40, 398), answers(OTHER, 40, 398), answers(NEGATED, 60, 398),
    *(answers(name, 20, 398) for name in NULL_SETS))}


def card(*changed: Evaluation, rearranged: Preference | None = Preference(600, 420, 0),  # noqa: B008
         beats: Margin | None = margin(0.001)) -> Card:  # noqa: B008
    """A card that is fit but for the evaluations given."""
    sets = GOOD | {one.name: one for one in changed}
    return Card("seca", "made-up", "ab" * 32, SECA, 128, {"source": "folder", "weights": "cd" * 32},
                {"files": {}}, {"settings": {"seed": 5}}, tuple(sets.values()), rearranged, beats)


def fitness(judge: Card) -> Fitness:
    assert judge.fitness is not None
    return judge.fitness


def test_an_interval_is_wilsons_and_there_is_none_of_nothing() -> None:
    # 8 of 10 at 95 %, by hand: (p + z2/2n -+ z sqrt(p(1-p)/n + z2/4n2)) / (1 + z2/n), z = 1.959964
    z = 1.959963984540054
    middle, spread = 0.8 + z**2 / 20, z * (0.16 / 10 + z**2 / 400) ** 0.5
    assert Share(8, 10).interval == pytest.approx(
        ((middle - spread) / (1 + z**2 / 10), (middle + spread) / (1 + z**2 / 10)))
    assert str(Share(8, 10)) == ".800 (.490 to .943; 8 of 10)"
    assert Share(0, 0).value is Share(0, 0).interval is None
    assert str(Share(0, 0)) == "not measured (no items)"


GATE = case_files.read("gate.yaml")


@pytest.mark.claim("A judge that fails any one condition of the gate orders no rows.")
@pytest.mark.parametrize(("broken", "condition"), [
    *((card(answers(name, right, n)), condition) for sets, right, n, condition in GATE["sets"]
      for name in (NULL_SETS if sets == "NULLS" else (sets,))),
    *((card(rearranged=pairs and Preference(*pairs)), "rearranged")
      for pairs in GATE["rearranged"]),
    (card(beats=margin(0.0)), "AUC over counting"), (card(beats=None), "AUC over counting"),
])
def test_each_condition_alone_keeps_a_judge_from_ranking(broken: Card, condition: str) -> None:
    assert not fitness(broken).fit
    assert [check.short for check in fitness(broken).checks if not check.passed] == [condition]


def test_of_many_null_shapes_the_worst_is_named() -> None:
    checks = fitness(card(answers(NULL_SETS[2], 30, 398), answers(NULL_SETS[5], 60, 398))).checks
    [nulls] = [check for check in checks if check.short == "nulls"]
    assert (nulls.worst, nulls.found) == (NULL_SETS[5], Share(60, 398))


def test_a_set_that_expects_what_is_no_label_counts_as_not_measured() -> None:
    padded = Evaluation(NATURAL, "", {"incorrect": {"incorrect": 1}, "any": {"any": 1000}})
    assert [check.found for check in fitness(card(padded)).checks if not check.passed] == [
        Share(0, 0)]


def test_a_judge_that_meets_every_condition_is_fit_with_what_remains_in_doubt() -> None:
    assert len(fitness(card()).checks) == 7
    known = replace(card(), data={"examples": {"train": {"gold": 9}, "held out": {"gold": 3}}})
    assert fitness(known).verdict == "fit to rank"
    for examples in ({}, {"train": {"gold": 9}}, {"held out": {"gold": 3}}, [], "all"):
        unknown = fitness(replace(card(), data={"examples": examples}))
        assert unknown.fit
        assert unknown.verdict == "fit to rank, but it may have seen its test graphs"


def test_the_ea_judge_has_no_gate() -> None:
    assert replace(card(), judge="ea", labels=STANCES).fitness is None


def test_a_card_comes_back_as_it_was_written(tmp_path: Path) -> None:
    written = card(answers(GOLD, 3, 5), replace(
        answers(NATURAL, 2, 4), brier=0.25, bins=(Bin(4, 0.75, 3),),
        counts={"incorrect": {"incorrect": 1, "support": 3}}))
    cards.write(written, tmp_path / "made-up")
    assert cards.find([tmp_path]) == [written]


def test_a_card_that_contradicts_itself_is_none() -> None:
    document = cards.to_json(card())
    first, *others = document["evaluations"]
    for changed, fault in (
            ({"evaluations": [{**first, "n": first["n"] + 1}, *others]},
             "answers to 500 graphs and another n"),
            ({"evaluations": [{**first, "bins": [{"n": 1, "sure": 0.5, "right": 2}]}, *others]},
             "2 of 1 answers right"),
            ({"evaluations": [first, *others, first]}, "sets of one name"),
            ({"rearranged": document["rearranged"] | {"ties": 200}}, "420 preferred and 200 tied"),
            ({"margin": document["margin"] | {"low": 0.5}}, "an interval from 0.5 to 0.09"),
            ({"margin": document["margin"] | {"resamples": 0}}, "resamples")):
        with pytest.raises(DataError, match=fault):
            cards.from_json(document | changed)


@pytest.mark.parametrize("content", ["", "[]", '{"schema": 1}', '{"schema": 2}', '{"schema": 3}'])
def test_a_broken_card_is_told_with_its_path(content: str, tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text(content)
    with pytest.raises(DataError, match="card"):
        cards.read(tmp_path)


def test_figures_of_answers_that_one_can_count() -> None:
    rows = np.array([[0.75, 0.25, 0], [0.25, 0.75, 0], [0, 0.25, 0.75], [0.5, 0, 0.5]], np.float32)
    made = evaluation("made up", "", SECA, ["support", "support", "incorrect", "incorrect"], rows)
    assert made.confusion == {"support": {"support": 1, "counter": 1},
                              "incorrect": {"incorrect": 1, "support": 1}}  # a tie: the first
    assert (made.right, made.recall("incorrect"), made.called("support")) == (
        Share(2, 4), Share(1, 2), Share(2, 4))
    # squared distances: .0625 + .0625; .5625 + .5625; .0625 + .0625; .25 + .25
    assert made.brier == pytest.approx((0.125 + 1.125 + 0.125 + 0.5) / 4)
    assert made.bins == (Bin(1, 0.5, 0), Bin(3, 0.75, 2))
    assert made.calibration_error == pytest.approx((abs(0 - 0.5) + abs(2 - 3 * 0.75)) / 4)


def example(kind: str, *prior: float) -> Example:
    return Example(TextPair("b", "g"), prior, kind, "support", "b")


def test_the_logit_of_incorrect_moves_to_where_the_lesser_recall_is_greatest() -> None:
    stopping = [example("gold", 1, 0, 0)] * 3 + [example("natural", 0, 0.4, 0.6)] * 3
    rows = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.6, 0.1, 0.3],
                     [0.5, 0.1, 0.4], [0.5, 0.05, 0.45], [0.8, 0.15, 0.05]])
    score, shift = stopping_score(SECA, stopping, rows)
    # as it stands nothing is called incorrect; moved between .3/.6 and .4/.5 two of three are, and
    # gold keeps two of three (the second has the wrong stance)
    assert score == pytest.approx(2 / 3)
    assert 0.4 / 0.5 * np.exp(shift) > 1 > 0.3 / 0.6 * np.exp(shift)


GOLD_ONE, REJECTED = example("gold", 1, 0, 0), example("natural", 0, 0.1, 0.9)


@pytest.mark.parametrize(("labels", "stopping", "rows", "score"), [
    # The logit stays where no threshold finds more than half of both: the rejected looks better.
    (SECA, [GOLD_ONE, REJECTED], [[0.5, 0.1, 0.4], [0.6, 0.1, 0.3]], 1 / 2),
    # How many meaningless graphs are accepted counts as much as both recalls.
    (SECA, [GOLD_ONE, REJECTED, example("other belief", 0, 0, 1), example("null", 0, 0, 1)],
     [[0.9, 0.05, 0.05], [0.1, 0.1, 0.8], [0.8, 0.1, 0.1], [0.1, 0.1, 0.8]], (1 + 1 + 1 / 2) / 3),
    # A judge of two labels has its accuracy.
    (STANCES, [example("gold", 1, 0)] * 4, [[0.9, 0.1], [0.6, 0.4], [0.4, 0.6], [0.8, 0.2]], 3 / 4),
])
def test_early_stopping_goes_by_gold_rejected_and_meaningless_graphs(
    labels: tuple[str, ...], stopping: list[Example], rows: list[list[float]], score: float
) -> None:
    assert stopping_score(labels, stopping, np.array(rows)) == (pytest.approx(score), 0)
