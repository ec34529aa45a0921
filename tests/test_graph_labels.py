"""Labels for texts and a graph: the lift, reference rows, the board on official splits."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import scorer
from scorer import boards
from scorer.cli import main
from scorer.core.graph import Graph
from scorer.scoring.results.files import read
from scorer.tasks.graph_labels import baselines
from scorer.tasks.graph_labels.graph_label_items import Gold, Opposites, Settings
from scorer.tasks.graphs.graph_items import Labels

ROOT = Path(__file__).resolve().parent.parent
PRACTICE = boards.load("graph-stance-practice", ROOT / "boards")
SETTINGS = Settings(texts=("claim",), labels=Labels("label", ("yes", "no")),
                    opposites=(Opposites("is a", "is not a"),))


def scored(rows: list[list[str]], labels: list[str]) -> Any:
    """The metrics of rows against items with these labels."""
    golds = [["a belief", "an argument", "(a; causes; b)", label] for label in labels]
    return scorer.score(rows, golds, board=PRACTICE, null=True).metrics


def test_lift_is_accuracy_less_the_same_system_s_accuracy_without_the_graph() -> None:
    labels = ["support"] * 6 + ["counter"] * 4
    rows = [["support", "counter"]] * 5 + [["counter", "support"]] + [["counter", "counter"]] * 4
    found = scored(rows, labels)
    assert (found["accuracy"].value, found["accuracy"].null) == (9 / 10, 5 / 10)
    lift = found["graph-lift"]
    assert lift.value == pytest.approx(9 / 10 - 5 / 10)
    # Five items are gained and one is lost: 2 * (C(6, 0) + C(6, 1)) / 2^6.
    assert lift.versus_null.p == found["accuracy"].versus_null.p == 2 * 7 / 64
    # Bonett and Price: d = (5 - 1) / 12, s = (5 + 1 + 2) / 12, reach = z sqrt((s - d^2) / 12)
    reach = 1.959963984540054 * ((8 / 12 - (4 / 12) ** 2) / 12) ** 0.5
    assert (lift.interval.low, lift.interval.high) == pytest.approx(
        (4 / 12 - reach, 4 / 12 + reach), abs=1e-6)
    assert lift.interval.method == "bonett-price"


def test_a_file_with_one_column_has_no_lift_and_no_null() -> None:
    found = scored([["support"], ["counter"]], ["support", "support"])
    assert found["graph-lift"].value is None
    assert found["graph-lift"].reason == (
        "the predictions do not tell the label without the graph")
    assert (found["accuracy"].value, found["accuracy"].null) == (0.5, None)


def test_no_answer_is_wrong_with_the_graph_and_without_it() -> None:
    found = scored([["-", "support"], ["support", "-"]], ["support", "support"])
    assert found["graph-lift"].value == 0.0
    assert found["accuracy"].value == found["accuracy"].null == 0.5


# ---- reference rows ------------------------------------------------------------------------------


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
    train, asked = ([cued(("yes", "no")[n % 2], first + n // 2) for n in range(count)]
                    for first, count in ((0, 20), (100, 10)))
    answers = baselines.BASELINES[row].predict(SETTINGS, train, asked)
    pairs = [*zip(answers, asked, strict=True)]
    assert sum(one.label == item.label for one, item in pairs) == right * len(asked)
    assert sum(one.without == item.label for one, item in pairs) == without * len(asked)


@pytest.mark.parametrize("row", ["majority", "texts-and-graph"])
def test_without_train_no_row_sees_the_items_that_it_answers(row: str) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    golds = [cued("yes", n) for n in range(4)] + [cued("no", n) for n in range(4)]
    turned = [replace(gold, label="no") if place == 3 else gold
              for place, gold in enumerate(golds)]
    one, other = (baselines.BASELINES[row].predict(SETTINGS, [], items)
                  for items in (golds, turned))
    assert len(one) == len(golds)
    assert one[3].label == other[3].label


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
