"""Leaves and steps of entailment trees, by hand and as EntailmentBank's own evaluator has them."""

import json
import time
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest

from scorer import boards, score
from scorer.boards.golds import read_golds
from scorer.cli import main
from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.core.results import MetricValue
from scorer.metrics.catalogue import METRICS
from scorer.metrics.entailment import aligned, tree
from scorer.tasks.graphs.baselines import null_of
from tests import case_files

TREES = ("Leaves-F1", "Leaves-AC", "Steps-F1", "Steps-AC")
GOLD = "(s1; so; i1)(s2; so; i1)(i1; so; end)(s3; so; end)"


def edges(text: str) -> tuple[Edge, ...]:
    return Graph(text, by_id=True).edges


def values(predicted: str, *golds: str, **options: Any) -> tuple[float, ...]:
    """Leaves-F1, Leaves-AC, Steps-F1 and Steps-AC of one item."""
    pair = (edges(predicted), tuple(map(edges, golds)))
    return tuple(METRICS[name].compute([pair], **options)[0].value for name in TREES)


# ---- by hand -----------------------------------------------------------------------------------

CASES = case_files.read("trees.yaml")


@pytest.mark.parametrize("case", CASES, ids=[case["it"] for case in CASES])
def test_leaves_and_steps_are_those_that_one_can_count(case: Mapping[str, Any]) -> None:
    options = {name: case[name] for name in ("leaves", "over") if name in case}
    assert values(case["predicted"], *case.get("golds", [GOLD]), **options) == pytest.approx(
        tuple(float(Fraction(value)) for value in case["values"]))


def test_a_conclusion_takes_the_name_of_the_gold_conclusion_with_the_likest_leaves() -> None:
    ours = tree(edges("(s1; so; i5)(s2; so; i5)(s2; so; i6)(s3; so; i6)(s9; so; i7)"))
    # i5 {1, 2}: i1 2/2, end 2/3. i6 {2, 3}: i1 1/3, end 2/3. i7 {9}: none.
    assert aligned(ours, tree(edges(GOLD))) == {"i5": "i1", "i6": "end", "i7": ""}


def test_no_order_of_edges_changes_anything_even_with_a_cycle() -> None:
    written = list(edges(GOLD) + edges("(i2; so; i3)(i3; so; i2)(s1; so; i3)(i3; so; end)"))
    for seed in range(20):
        Random(seed).shuffle(written)
        # {1} of the cycle is 1/2 of {1, 2} and 1/3 of {1, 2, 3}
        assert aligned(tree(written), tree(edges(GOLD)))["i3"] == "i1"
        assert values(str(Graph.of(written).text), GOLD)[0] == 1


def test_a_graph_as_long_as_a_field_allows_is_scored_in_no_time() -> None:
    long = "".join(f"(i{place}; so; i{place + 1})(s{place}; so; i{place + 1})"
                   for place in range(2000))
    began = time.process_time()
    assert values(long, GOLD)[0] < 0.01
    assert time.process_time() - began < 60


# ---- the board ---------------------------------------------------------------------------------

ITEM = ("Why is it warm?", "The sun shines.", "the sun makes it warm",
        "sent1: the sun shines | sent2: light warms | sent3: cats purr")
TREE = "(sent1; entails; hypothesis)(sent2; entails; hypothesis)"


def measured(*predicted: str) -> dict[str, MetricValue]:
    return dict(score([(one,) for one in predicted], [(*ITEM, TREE)] * len(predicted),
                      board="entailment-bank").metrics)


def test_what_needs_bleurt_is_not_measured_and_says_why() -> None:
    metrics = measured(TREE)
    for name in ("Intermediates-F1", "Intermediates-AC", "Overall-AC"):
        assert (metrics[name].value, metrics[name].reason) == (None, (
            f"this version of the scorer does not compute {name}: BLEURT (bleurt-large-512) "
            "compares the texts of conclusions, and is no part of it"))


def test_trees_count_whatever_rules_they_break() -> None:
    # The second answer also has a part of its own, which breaks a rule of the board.
    metrics = measured(TREE, TREE + "(sent3; entails; int1)")
    assert metrics["StCA"].value == metrics["Steps-AC"].value == 1 / 2
    assert metrics["Leaves-F1"].value == pytest.approx((1 + 2 * 2 / (3 + 2)) / 2)
    assert metrics["Steps-AC"].interval is not None
    assert "|leaves:sent|" in metrics["Steps-AC"].signature


def test_the_null_of_a_board_with_ids_is_a_chain_of_the_ids_that_an_item_lists() -> None:
    settings = boards.load("entailment-bank").settings
    assert null_of(settings, ITEM).text == "(sent1; entails; sent2)(sent2; entails; sent3)"


# ---- as the released evaluator has them --------------------------------------------------------

# Leaves F1, all correct, steps F1, all correct, for dev.
# Made by `python -m tests.entailment_evaluator FOLDER`, which runs the evaluator itself.
RELEASED = {
    "t5-11b": (0.8935240010950681, 99 / 187, 0.465857842294401, 66 / 187),
    "t5-large": (0.8621626790989633, 82 / 187, 0.40592645072661976, 53 / 187),
    "gold": (1, 1, 0.9945505474917239, 184 / 187),
}


@pytest.fixture(scope="module")
def home(outside: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of the board, with the predictions that its source published."""
    home = tmp_path_factory.mktemp("home")
    assert main(["data", "fetch", "entailment-bank", "--from", str(outside / "entailment-bank"),
                 "--home", str(home)]) == 0
    assert main(["baseline", "gold", "--board", "entailment-bank", "--split", "dev",
                 "--home", str(home)]) == 0
    return home


@pytest.mark.whole
@pytest.mark.claim("Leaves and steps of entailment trees are scored as EntailmentBank's released "
                   "evaluator scores them.")
@pytest.mark.parametrize("system", RELEASED)
def test_published_predictions_have_the_values_of_the_released_evaluator(
    home: Path, tmp_path: Path, system: str,
) -> None:
    team = "reference" if system == "gold" else "third-party"
    assert main(["score", str(home / "submissions" / "entailment-bank" / team / system), "--home",
                 str(home), "--results", str(tmp_path), "--models", "no", "--quiet"]) == 0
    metrics = json.loads((tmp_path / "entailment-bank" / team / system / "dev.json").read_text()
                         )["metrics"]
    assert [metrics[name]["value"] for name in TREES] == pytest.approx(RELEASED[system], abs=1e-9)
    # The null says that sent1 entails sent2, and so on to sent5: leaves by chance, no step.
    leaves, *others = (metrics[name]["null"] for name in TREES)
    assert 0.1 < leaves < 0.25
    assert others == [0, 0, 0]


def test_the_distance_of_graphs_is_normalised_by_the_longest_gold_graph(home: Path) -> None:
    board = boards.load("entailment-bank")
    golds = read_golds(board, "dev", home / "data" / board.id / "dev.tsv").items
    longest = max(len(gold.graphs[0].edges) for gold in golds)
    assert board.settings.ged_constant == longest + (longest + 1)
