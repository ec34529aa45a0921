"""Worked examples on the pages of metrics: drawn, and computed by the metric itself."""

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("jinja2")

from scorer import score
from scorer.boards import load
from scorer.core.errors import DataError
from scorer.metrics import judged
from scorer.metrics.base import Arithmetic
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.site.pages import worked
from scorer.site.render import environment
from scorer.site.views.base import WorkedItem, practice
from scorer.site.views.graphs.view import GOLD, PREDICTION
from tests.browser.tiny_site import ROOT

GRAPHS = [name for name in load("explagraphs").metrics if METRICS[name].model is None]
TEXT = "Birds came and ate it."


def of(metric: str) -> tuple[WorkedItem, Arithmetic]:
    found = worked(METRICS[metric])
    assert found is not None
    return found


def steps(metric: str) -> tuple[str, ...]:
    return of(metric)[1].steps


def page(metric: str) -> str:
    template = environment(ROOT / "templates").get_template("worked.html")
    return template.render(worked=lambda: of(metric))


@pytest.mark.parametrize("info", METRICS.values(), ids=METRICS)
def test_every_metric_that_is_computed_has_an_example_and_says_if_its_numbers_were_made(
    info: MetricInfo
) -> None:
    assert info.function is None or info.encoder or worked(info) is not None, (
        f"{info.id} has no worked example for its page: write explain(items, score, **options) "
        f"beside {info.function.__name__}, as scorer/metrics/accuracy.py and ged.py do, and pass "
        "it to MetricInfo as explain=")
    if info.explain:
        assert ("made for this page" in page(info.id)) == bool(info.judge)


@pytest.mark.parametrize("metric", GRAPHS)
def test_an_example_says_what_the_scorer_says(metric: str) -> None:
    item, arithmetic = of(metric)
    gold = (*GOLD.texts, GOLD.label, *(graph.text for graph in GOLD.graphs))
    answer = (PREDICTION.label, PREDICTION.graph.text)
    result = score([answer], [gold], board="explagraphs-practice")
    assert arithmetic.value is not None
    assert result.metrics[metric].value == float(f"{arithmetic.value:.9g}")
    (_, drawn), (_, predicted) = item.drawings
    assert "<svg" in drawn
    assert "missing" in predicted  # the edge of gold that it lacks is drawn


# ---- what a model would say is made ----------------------------------------------------------


def test_a_judge_s_greatest_probability_decides_what_seca_counts() -> None:
    _, unsure, sure = steps("SeCA")[1:]
    assert "incorrect 0.45: the greatest is that of incorrect, not the gold label" in unsure
    assert unsure.endswith("the item would count 0")
    assert sure.startswith("it says support 0.70, counter 0.20, incorrect 0.10: the greatest is")
    assert sure.endswith("the gold label, so the item counts 1")


def test_edges_count_for_ea_as_far_as_they_make_the_judge_surer() -> None:
    lines, drops = steps("EA"), [judged.WHOLE - without for without in judged.WITHOUT]
    assert sum(drop > 0 for drop in drops) == 3, "the fourth edge makes it less sure"
    assert sum(drop >= 1e-4 for drop in drops) == 2
    assert lines[2] == (
        "without “cats; is a; pets”: 0.60000, a drop of 0.30000, so the edge is important")
    assert "a drop of 0.00005, so the edge is important, but not decided" in lines[4]
    assert lines[5].endswith("a rise of 0.03000, so the edge is not important")
    assert lines[-2:] == (f"decided = 2 / 4 = {2 / 4:.3f}",
                         f"EA = 3 important edges / 4 edges = {3 / 4:.3f}")


# ---- texts -----------------------------------------------------------------------------------


def session_value(metric: str, lexicon: Any = None) -> float:
    """What the metric gives the text among the contexts of the practice board."""
    items = [(TEXT, gold.references) for gold in practice("anlg-practice")[1]]
    options = {"lexicon": lexicon} if lexicon else {}
    return METRICS[metric].compute(items, **options)[0].value


@pytest.mark.parametrize("metric", ["BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "ROUGE-L", "CIDEr"])
def test_the_example_of_a_text_has_the_value_that_it_has_on_the_practice_board(metric: str) -> None:
    assert of(metric)[1].value == session_value(metric)


def test_wordnet_finds_no_synonym_that_the_example_of_meteor_leaves_out(lexicon: Any) -> None:
    assert of("METEOR")[1].value == session_value("METEOR", lexicon)


def test_a_wrong_choice_counts_nothing() -> None:
    gold = practice("anli-practice")[1][0]
    other = {"1": "2", "2": "1"}[gold.label]
    assert steps("accuracy") == (f"label: gold {gold.label}, predicted {other}",
                                 "not equal, so the item counts 0")
    assert [text for _, text in of("accuracy")[0].texts] == [*gold.given, *gold.choices]


def test_an_example_that_says_something_else_than_the_metric_stops_the_build() -> None:
    real = METRICS["BLEU-2"]
    halved = replace(real, function=lambda items: [
        score._replace(value=score.value / 2) for score in real.compute(items)])
    with pytest.raises(DataError, match=r"the worked example of BLEU-2 gives 0\.\d+, the metric 0"):
        worked(halved)
