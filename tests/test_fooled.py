"""What fools a metric is said with the figures of committed results."""

import re
from functools import cache
from pathlib import Path

import pytest

from scorer.metrics.catalogue import FOOLED_BY, METRICS
from scorer.scoring.results import files as results
from tests import case_files

ROOT = Path(__file__).parent.parent
FIGURES = case_files.read("fooled.yaml")


read = cache(results.read)


def figure(metric: str, board: str, row: str, mean: str) -> str:
    value = read(ROOT / f"results/{board}/reference/{row}/dev.json").metrics[metric]
    number = value.passed.value if mean == "passed" else value.value
    return (f"{number:.3f}".removeprefix("0") if METRICS[metric].better == "lower"
            else f"{100 * number:.1f}")


def test_every_sentence_is_about_a_metric_and_has_figures() -> None:
    assert set(FOOLED_BY) == set(FIGURES) <= set(METRICS)


@pytest.mark.parametrize("metric", FIGURES)
def test_what_fools_a_metric_is_what_committed_results_say(metric: str) -> None:
    assert re.findall(r"(?<![\w.-])\d*\.\d+", FOOLED_BY[metric]) == [
        figure(metric, *place.split()) for place in FIGURES[metric]]
