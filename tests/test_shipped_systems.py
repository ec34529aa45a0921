"""The systems that come with the program: small, whole, and as good as their cards say."""

import json
from pathlib import Path
from statistics import fmean

import pytest

from scorer.boards.submission import OWN
from scorer.cli import main
from scorer.core.files import sha256_file
from scorer.lab.systems import records
from scorer.models.known import ENCODERS

PRACTICE = "explagraphs-practice"
SHIPPED = records.shipped()


def card(name):
    """The conditions of a card by name; its weights are those of the system."""
    document = json.loads((SHIPPED[name] / records.CARD).read_bytes())
    assert document["weights"] == records.read(SHIPPED[name]).weights
    return {condition["name"]: condition for condition in document["conditions"]}


@pytest.mark.claim("The trained systems that come with the program have at most 3 MB together.")
def test_all_shipped_systems_together_have_at_most_three_megabytes():
    files = [path for path in records.SHIPPED.rglob("*") if path.is_file()]
    assert 0 < sum(path.stat().st_size for path in files) <= 3 * 10**6


def test_shipped_systems_are_of_the_pinned_base_a_board_that_is_here_and_have_their_weights():
    assert [*SHIPPED] == ["structured", "label"]
    for name, folder in SHIPPED.items():
        trained = records.read(folder)
        assert (trained.system, trained.board) == (name, "explagraphs")
        assert trained.base.weights == ENCODERS["minilm-l6"].weights
        assert sha256_file(folder / "weights.safetensors") == trained.weights


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.claim("The weights that come with the program predict the committed practice rows "
                   "byte for byte.")
@pytest.mark.parametrize("name", ["structured", "label"])
def test_shipped_weights_predict_the_committed_rows(name, tmp_path):
    place = f"submissions/{PRACTICE}/{OWN}/{name}"
    assert main(["predict", name, "--board", PRACTICE, "--split", "dev",
                 "--out", str(tmp_path / place)]) == 0
    answers = f"{place}/predictions.dev.tsv"
    assert (tmp_path / answers).read_bytes() == Path(answers).read_bytes()


@pytest.mark.claim("The structured model keeps its bars on official dev as a mean of five seeds.")
def test_the_structured_model_keeps_its_bars_over_five_seeds():
    given, own = (card("structured")[name] for name in ("given", "own"))
    assert given["seeds"][0] == records.read(SHIPPED["structured"]).seed
    assert len(given["seeds"]) == 5
    for condition in (given, own):
        assert {len(values) for values in condition["figures"].values()} == {5}
        assert fmean(condition["figures"]["seconds an item"]) <= 0.3
    means = {name: fmean(values) for name, values in given["figures"].items()}
    assert means["StCA"] >= means["SA"] - 0.005
    assert means["G-ROUGE-2"] >= 0.21
    assert means["GED"] <= 0.45
    assert fmean(own["figures"]["SA"]) >= 0.6


@pytest.mark.models
def test_the_label_model_is_that_of_the_default_command_and_has_a_card_of_five_seeds():
    from scorer.lab.systems.labels import LabelCourse

    trained = records.read(SHIPPED["label"])
    assert trained.settings == LabelCourse().to_json()
    [alone] = card("label").values()
    assert alone["seeds"][0] == trained.seed == 5
    assert len(alone["seeds"]) == 5
    assert alone["figures"]["SA"] == card("structured")["own"]["figures"]["SA"]
    assert alone["figures"]["SA on held-out beliefs"][0] == trained.figures["labels right"]
