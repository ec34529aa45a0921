"""Equality with the released evaluation code, on the real dev split.

The vectors' expected numbers were printed by github swarnaHub/ExplaGraphs, commit 67ecab1, with
the library versions named in ``scorer/metrics/catalogue.py``. They lie beside the checkout and are
never part of it; without them these tests skip, and ``test_matching.py``, ``test_ged.py`` and
``test_evaluate.py`` stand on their own.
"""

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scorer import boards
from scorer.boards.golds import gold_files
from scorer.core.errors import NotMeasured
from scorer.core.results import Result
from scorer.models.registry import Models
from scorer.scoring.submissions import Scorer

CASES = ("gold-as-prediction", "heavy-edits", "light-edits", "max-margin", "stance-matched-null",
         "two-gold-graphs")
EXACT = ("SA", "StCA", "G-BLEU", "G-ROUGE-2", "G-ROUGE-L", "GED")
MODELS = Models()

pytestmark = pytest.mark.whole


def files(case: str, vectors: Path, data: Path) -> tuple[Path, Path]:
    """Where the predictions and the gold of a case lie; what its folder lacks is official."""
    folder, official = vectors / "explagraphs" / case, data / "explagraphs"
    predictions, gold = folder / "predictions.tsv", folder / "gold.tsv"
    if not predictions.is_file():
        predictions = official / "third-party" / "max-margin.dev.predictions.tsv"
    return predictions, gold if gold.is_file() else official / "dev.tsv"


@cache
def scored(case: str, vectors: Path, data: Path, metrics: tuple[str, ...] = EXACT) -> Result:
    """The result of a case."""
    predictions, gold = files(case, vectors, data)
    board = boards.load("explagraphs")
    return Scorer(MODELS, Path("no-home"), metrics=metrics).file(
        board, predictions, "dev", gold_files(board, {"gold": gold})).result


@cache
def expected(case: str, vectors: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(
        (vectors / "explagraphs" / case / "expected.json").read_bytes())
    return document


@pytest.mark.claim("Every recorded row gets the annotation that the released ExplaGraphs code "
                   "gives it.")
@pytest.mark.parametrize("case", CASES)
def test_every_row_gets_the_released_annotation(case: str, vectors: Path, data: Path) -> None:
    found = [item.verdict.annotation for item in scored(case, vectors, data).items]
    assert found == expected(case, vectors)["annotation"]


@pytest.mark.claim("Every mean is that of the released ExplaGraphs code.")
@pytest.mark.parametrize("case", CASES)
def test_every_mean_is_the_released_one(case: str, vectors: Path, data: Path) -> None:
    result, wanted = scored(case, vectors, data), expected(case, vectors)
    for metric in EXACT:
        agrees(result, metric, wanted, 1e-6)
    found = [item.scores["GED"].value for item in result.items]
    assert found == pytest.approx(wanted["per_item"]["GED"], abs=5e-10)
    assert result.metrics["GED"].flagged == 0


@pytest.mark.claim("G-BERTScore with MiniLM is what the package bert_score computes.")
@pytest.mark.models
@pytest.mark.parametrize("case", ["max-margin", "two-gold-graphs"])
def test_bertscore_with_minilm_is_bert_scores_own(case: str, vectors: Path, data: Path) -> None:
    pytest.importorskip("torch")
    try:
        MODELS("minilm-l6")
    except NotMeasured as reason:
        pytest.skip(str(reason))
    agrees(scored(case, vectors, data, ("G-BERTScore[minilm-l6]",)), "G-BERTScore[minilm-l6]",
           expected(case, vectors), 1e-4)


def agrees(result: Result, metric: str, wanted: dict[str, Any], tolerance: float) -> None:
    """The mean, its parts and every row of a metric are as expected."""
    name, value = metric.partition("[")[0], result.metrics[metric]
    means = wanted["metrics"][name]
    if isinstance(means, dict):
        assert value.parts["precision"] == pytest.approx(means["precision"], abs=tolerance)
        assert value.parts["recall"] == pytest.approx(means["recall"], abs=tolerance)
        means = means["f1"]
        rows = wanted["per_item"]["struct_correct_rows"]
        found = [result.items[row].scores[metric].value for row in rows]
        assert found == pytest.approx(wanted["per_item"][f"{name} f1"], abs=tolerance)
    assert value.value == pytest.approx(means, abs=tolerance)
    assert value.n == wanted["n"]


@pytest.mark.claim("A graph that says nothing beats a real system on some columns of the published "
                   "metrics.")
def test_a_graph_that_says_nothing_beats_a_real_system_on_some_columns_and_not_on_others(
    vectors: Path, data: Path
) -> None:
    result = scored("max-margin", vectors, data)
    null = scored("stance-matched-null", vectors, data).metrics
    assert {name: value.null for name, value in result.metrics.items()} == {
        name: value.value for name, value in null.items()}
    assert {value.lift for value in null.values()} == {0}
    lift = {name: round(value.lift or 0, 4) for name, value in result.metrics.items()}
    assert lift == {"SA": 0, "StCA": round(197 / 398 - 343 / 398, 4), "G-BLEU": 0.0835,
                    "G-ROUGE-2": 0.0915, "G-ROUGE-L": -0.011, "GED": 0.2006}


def test_the_first_broken_constraint_of_max_margin_is_counted_as_by_the_released_code(
    vectors: Path, data: Path
) -> None:
    """In the order in which that code looks; 146 items in all have the label right only."""
    result = scored("max-margin", vectors, data)
    order = {"edges": "EG-FEW-FACTS", "parts": "EG-PARTS",
             "concept or relation": "EG-EMPTY EG-LONG EG-REL",
             "texts": "EG-BELIEF-CONCEPTS EG-ARGUMENT-CONCEPTS",
             "connected DAG": "EG-DISCONNECTED EG-CYCLE"}
    broken = [{finding.rule for finding in item.verdict.broken} for item in result.items
              if item.verdict.annotation == "struct_incorrect"]
    assert Counter(next(name for name, listed in order.items() if rules & {*listed.split()})
                   for rules in broken) == {"edges": 2, "parts": 5, "concept or relation": 35,
                                            "texts": 49, "connected DAG": 55}
    assert len(broken) == 146 == result.counts["struct_incorrect"]
