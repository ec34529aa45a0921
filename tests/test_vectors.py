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
from scorer.core.errors import NotMeasured
from scorer.core.results import Result
from scorer.models.registry import Models
from scorer.scoring.checking import check_file
from scorer.scoring.evaluate import Session
from scorer.scoring.submissions import gold_files

CASES = ("gold-as-prediction", "heavy-edits", "light-edits", "max-margin", "stance-matched-null",
         "two-gold-graphs")
PUBLISHED = {"SA": "SA", "StCA": "StCA", "GED": "GED", "G-BLEU": "G-BLEU",
             "G-ROUGE-2": "G-ROUGE-2", "G-ROUGE-L": "G-ROUGE-L",
             "G-BERTScore[minilm-l6]": "G-BERTScore"}


def files(case: str, vectors: Path, data: Path) -> tuple[Path, Path]:
    """Where the predictions and the gold of a case lie."""
    folder = vectors / "explagraphs" / case
    predictions, gold = folder / "predictions.tsv", folder / "gold.tsv"
    official = data / "explagraphs"
    if not predictions.is_file():
        predictions = official / "third-party" / "max-margin.dev.predictions.tsv"
    return predictions, gold if gold.is_file() else official / "dev.tsv"


@cache
def scored(case: str, vectors: Path, data: Path, metrics: tuple[str, ...]) -> Result:
    """The result of a case; golds and models are read once a run."""
    predictions, gold_path = files(case, vectors, data)
    board = boards.load("explagraphs")
    gold = gold_files(board, {"gold": gold_path})
    report, answers = check_file(board, predictions, texts=[item.texts for item in gold.items])
    assert report.ok, str(report)
    session = Session(board, *encoders(), metrics)
    return session.evaluate(gold.items, answers, split="dev", gold_id=gold.id)


@cache
def encoders() -> tuple[Any, Any]:
    loaded = Models()
    return loaded, loaded.tag


@cache
def expected(case: str, vectors: Path) -> dict[str, Any]:
    text = (vectors / "explagraphs" / case / "expected.json").read_text("utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


EXACT = ("SA", "StCA", "G-BLEU", "G-ROUGE-2", "G-ROUGE-L", "GED")


@pytest.mark.claim("Every recorded row gets the annotation that the released ExplaGraphs code "
                   "gives it.")
@pytest.mark.parametrize("case", CASES)
def test_every_row_gets_the_released_annotation(case: str, vectors: Path, data: Path) -> None:
    result = scored(case, vectors, data, EXACT)
    found = [item.verdict.annotation for item in result.items]
    assert found == expected(case, vectors)["annotation"]


@pytest.mark.parametrize("case", CASES)
def test_every_edit_distance_is_the_released_one(case: str, vectors: Path, data: Path) -> None:
    result = scored(case, vectors, data, EXACT)
    found = [item.scores["GED"].value for item in result.items]
    assert found == pytest.approx(expected(case, vectors)["per_item"]["GED"], abs=5e-10)
    assert result.metrics["GED"].flagged == 0


@pytest.mark.claim("Every mean is that of the released ExplaGraphs code.")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("metric", EXACT)
def test_every_mean_is_the_released_one(case: str, metric: str, vectors: Path, data: Path) -> None:
    agrees(scored(case, vectors, data, EXACT), metric, expected(case, vectors), 1e-6)


@pytest.mark.claim("G-BERTScore with MiniLM is what the package bert_score computes.")
@pytest.mark.models
@pytest.mark.parametrize("case", CASES)
def test_bertscore_with_minilm_is_bert_scores_own(case: str, vectors: Path, data: Path) -> None:
    pytest.importorskip("torch")
    try:
        encoders()[0]("minilm-l6")
    except NotMeasured as reason:
        pytest.skip(str(reason))
    agrees(scored(case, vectors, data, ("G-BERTScore[minilm-l6]",)), "G-BERTScore[minilm-l6]",
           expected(case, vectors), 1e-4)


def agrees(result: Result, metric: str, wanted: dict[str, Any], tolerance: float) -> None:
    """The mean, its parts and every row of a metric are as expected."""
    name = PUBLISHED[metric]
    value, means = result.metrics[metric], wanted["metrics"][name]
    if isinstance(means, dict):
        assert value.parts["precision"] == pytest.approx(means["precision"], abs=tolerance)
        assert value.parts["recall"] == pytest.approx(means["recall"], abs=tolerance)
        means = means["f1"]
        rows = wanted["per_item"]["struct_correct_rows"]
        found = [result.items[row].scores[metric].value for row in rows]
        assert found == pytest.approx(wanted["per_item"][f"{name} f1"], abs=tolerance)
    assert value.value == pytest.approx(means, abs=tolerance)
    assert value.n == wanted["n"]


def test_the_null_we_make_of_max_margin_is_the_null_of_the_vectors(
    vectors: Path, data: Path
) -> None:
    by_us = scored("max-margin", vectors, data, EXACT)
    given = scored("stance-matched-null", vectors, data, EXACT)
    for metric in EXACT:
        assert by_us.metrics[metric].null == given.metrics[metric].value
        assert given.metrics[metric].lift == 0


@pytest.mark.claim("A graph that says nothing beats a real system on some columns of the published "
                   "metrics.")
def test_a_graph_that_says_nothing_beats_a_real_system_on_some_columns_and_not_on_others(
    vectors: Path, data: Path
) -> None:
    result = scored("max-margin", vectors, data, EXACT)
    lift = {name: round(value.lift or 0, 4) for name, value in result.metrics.items()}
    assert lift == {"SA": 0, "StCA": round(197 / 398 - 343 / 398, 4), "G-BLEU": 0.0835,
                    "G-ROUGE-2": 0.0915, "G-ROUGE-L": -0.011, "GED": 0.2006}


def test_the_first_broken_constraint_of_max_margin_is_counted_as_by_the_released_code(
    vectors: Path, data: Path
) -> None:
    """In the order in which that code looks; 146 items in all have the label right only."""
    result = scored("max-margin", vectors, data, EXACT)
    order = {
        "EG-FEW-FACTS": "edges", "EG-PARTS": "parts", "EG-EMPTY": "concept or relation",
        "EG-LONG": "concept or relation", "EG-REL": "concept or relation",
        "EG-BELIEF-CONCEPTS": "texts", "EG-ARGUMENT-CONCEPTS": "texts",
        "EG-DISCONNECTED": "connected DAG", "EG-CYCLE": "connected DAG",
    }
    first: Counter[str] = Counter()
    for item in result.items:
        if item.verdict.annotation == "struct_incorrect":
            rules = {finding.rule for finding in item.verdict.broken}
            first[next(name for rule, name in order.items() if rule in rules)] += 1
    assert first == {
        "edges": 2, "parts": 5, "concept or relation": 35, "texts": 49, "connected DAG": 55,
    }
    assert first.total() == 146 == result.counts["struct_incorrect"]
