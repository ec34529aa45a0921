"""Labels for texts and a graph: the lift, reference rows, the board on official splits."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from scorer.cli import main
from scorer.core.graph import Graph
from scorer.scoring.results.files import read
from scorer.tasks.graph_labels import task as baselines
from scorer.tasks.graph_labels.task import Gold, Opposites, Settings
from scorer.tasks.graphs.graph_items import Labels

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = Settings(texts=("claim",), labels=Labels("label", ("yes", "no")),
                    opposites=(Opposites("is a", "is not a"),))


def cued(label: str, number: int) -> Gold:
    """An item whose stance only the relation tells, and whose text tells nothing."""
    relation = "is a" if label == "yes" else "is not a"
    return Gold((f"thing {number}",), Graph(f"(a{number}; {relation}; b)"), label)


@pytest.mark.parametrize(("row", "right", "without"), [
    ("texts-and-graph", 1, .5), ("relations-only", 1, .5), ("flipped-negations", 0, .5),
    ("majority", .5, .5), ("text-only", .5, .5)])
def test_a_cue_in_the_relations_is_found_lifted_and_turned_round(
    row: str, right: float, without: float
) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    train, items = ([cued(("yes", "no")[n % 2], first + n // 2) for n in range(count)]
                    for first, count in ((0, 20), (100, 10)))
    answers = baselines.GraphLabels.baselines[row].predict(SETTINGS, train, items)
    pairs = [*zip(answers, items, strict=True)]
    assert sum(one.label == item.label for one, item in pairs) == right * len(items)
    assert sum(one.without == item.label for one, item in pairs) == without * len(items)


@pytest.mark.parametrize("row", ["majority", "texts-and-graph"])
def test_without_train_no_row_sees_the_items_that_it_answers(row: str) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    golds = [cued("yes", n) for n in range(4)] + [cued("no", n) for n in range(4)]
    turned = [replace(gold, label="no") if at == 3 else gold for at, gold in enumerate(golds)]
    one, other = (baselines.GraphLabels.baselines[row].predict(SETTINGS, [], items)
                  for items in (golds, turned))
    assert len(one) == len(golds)
    assert one[3].label == other[3].label


@pytest.mark.whole
def test_the_board_on_official_splits_is_made_of_the_official_files_and_scores_as_committed(
    tmp_path: Path, data: Path
) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    (tmp_path / "source" / "official").mkdir(parents=True)
    for split in ("train", "dev"):
        shutil.copy(data / "explagraphs" / f"{split}.tsv", tmp_path / "source" / "official")
    board, where = "graphqa-explagraphs", ["--home", str(tmp_path)]
    assert main(["data", "fetch", board, "--from", str(tmp_path / "source"), *where]) == 0
    assert main(["baseline", "relations-only", "--board", board, *where]) == 0
    row = Path(board, "reference", "relations-only")
    assert main(["score", str(tmp_path / "submissions" / row), "--results",
                 str(tmp_path / "results"), *where]) == 0
    made, known = (read(root / "results" / row / "dev.json") for root in (tmp_path, ROOT))
    assert made.metrics == known.metrics
