"""Worked examples on the pages of metrics: drawn, and computed by the metric itself."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("jinja2")

from scorer import score
from scorer.metrics.catalogue import METRICS
from scorer.website.worked import BOARD, GOLD, PREDICTION, worked

WITH = ("SA", "StCA", "G-BLEU", "G-ROUGE-2", "G-ROUGE-L", "GED")


def last(metric: str) -> str:
    found = worked(METRICS[metric])
    assert found is not None
    return found.steps[-1]


def test_the_metrics_that_ask_no_model_have_an_example() -> None:
    assert tuple(name for name, info in METRICS.items() if worked(info) is not None) == WITH


@pytest.mark.parametrize("metric", WITH)
def test_an_example_says_what_the_scorer_says(metric: str) -> None:
    found = worked(METRICS[metric])
    assert found is not None
    gold = (*GOLD.texts, GOLD.label, *GOLD.graphs)
    result = score([(PREDICTION.label, PREDICTION.graph)], [gold], board=BOARD)
    assert result.metrics[metric].value == pytest.approx(found.value, abs=1e-12)
    assert "<svg" in found.gold
    assert "missing" in found.prediction  # the edge of gold that it lacks is drawn


def test_the_arithmetic_is_that_of_the_definitions() -> None:
    # Bigrams of "purr; at location; warm home" that gold has: 2 of 4 tokens' 4.
    similarity = 2 / 4
    p, r = (1 + 1 + similarity) / 4, (1 + 1 + similarity) / 3
    assert last("G-ROUGE-2").endswith(f"= {2 * p * r / (p + r):.3f}")
    # Tokens purr ; at location ; warm home, precisions 6/7 4/6 3/5 2/4 of 1- to 4-grams.
    similarity = math.prod((6 / 7, 4 / 6, 3 / 5, 2 / 4)) ** (1 / 4)
    found = worked(METRICS["G-BLEU"])
    assert found is not None
    assert found.steps[3].endswith(f"“purr; at location; home”: {similarity:.3f}")
    # One concept is renamed and one edge removed; 4 concepts, 3 edges, constant 17.
    assert last("GED") == f"distance = 2 / 24 = {2 / (4 + 3 + 17):.3f}"
    assert last("StCA").endswith("no constraint is broken, so the item counts 1")
