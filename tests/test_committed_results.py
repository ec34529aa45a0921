"""Committed results are what the program computes from the committed predictions."""

import json
from pathlib import Path
from typing import Any

import pytest

from scorer.boards import submission
from scorer.core.errors import NotMeasured
from scorer.core.files import json_bytes
from scorer.core.records import ItemResult
from scorer.metrics.catalogue import METRICS
from scorer.models.registry import Models
from scorer.scoring.results import files as results
from scorer.scoring.submissions import Scorer, open_submission
from scorer.scoring.summary import disagreements
from scorer.tasks.registry import TASKS
from tests.values import near

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parent.parent
RESULTS = [path for path in sorted((ROOT / "results").glob("*/*/*/*.json"))
           if not path.name.endswith(".error.json")]
SUBMISSIONS = submission.find(ROOT / "submissions")


def name(path: Path) -> str:
    return "/".join(path.relative_to(ROOT).parts[1:])


@pytest.mark.claim("Every committed result agrees with its scores of items to 1e-8.")
@pytest.mark.parametrize("path", RESULTS, ids=name)
def test_a_committed_result_fits_its_path_and_its_items_and_is_written_as_it_is(path: Path) -> None:
    result = results.read(path)
    assert path == results.result_path(
        ROOT / "results", result.board, result.team, result.system, result.split)
    assert json_bytes(result.to_json()) == path.read_bytes()
    assert bool(result.items) is result.gold.public
    if result.items:
        assert results.items_bytes(result) == results.items_path(path).read_bytes()
        assert disagreements(result, TASKS[result.task].annotations[-1]) == []


@pytest.mark.claim("No row of data that may not be passed on is in the repository's results.")
def test_no_answer_to_data_that_may_not_be_committed_is_committed() -> None:
    folders = {path.parent.relative_to(ROOT).parts[1] for path in SUBMISSIONS}
    assert "explagraphs-practice" in folders
    assert not folders & {"copa-sse", "entailment-bank", "explagraphs", "graphqa-explagraphs",
                          "graphqa-explagraphs-random", "r4c", "anli", "anlg"}


@pytest.mark.claim("All committed scores of items together take 12 MB at most.")
def test_scores_of_items_stay_small() -> None:
    files = [*(ROOT / "results").rglob("*.items.tsv")]
    assert sum(path.stat().st_size for path in files) <= 12e6


MODELS = Models()


def scored_as_committed(scorer: Scorer, folder: Path) -> bool:
    """Whether every number is within 1e-6 of the committed one, everything else the same."""
    def plain(item: ItemResult) -> list[Any]:
        return [item.row, item.verdict.annotation, item.edges,
                {name: [score.value, score.flag] for name, score in item.scores.items()}]

    for result in scorer.score(folder):
        path = results.result_path(ROOT / "results", result.board, result.team, result.system,
                                   result.split)
        committed = results.read(path)
        assert near(result.to_json(), json.loads(path.read_bytes()), abs_tol=1e-6)
        assert near([*map(plain, result.items)], [*map(plain, committed.items)], abs_tol=1e-6)
    return True


@pytest.mark.parametrize("folder", SUBMISSIONS, ids=name)
def test_scoring_again_without_models_gives_the_committed_result(folder: Path) -> None:
    assert scored_as_committed(
        Scorer(Models(allowed=False), Path("no-home"), reuse=ROOT / "results"), folder)


@pytest.mark.claim("Scoring the committed predictions again gives every committed number.")
@pytest.mark.models
@pytest.mark.parametrize("folder", SUBMISSIONS, ids=name)
def test_scoring_again_with_models_gives_the_committed_result(folder: Path) -> None:
    pytest.importorskip("torch")
    scorer = Scorer(MODELS, Path("no-home"))
    try:
        for metric in scorer.board(open_submission(folder)).metrics:
            model = METRICS[metric].model
            if model is not None:
                MODELS(model)
    except NotMeasured as reason:
        pytest.skip(str(reason))
    assert scored_as_committed(scorer, folder)
