"""The systems that come with the program: small, whole, and as good as their cards say."""

import json
from pathlib import Path

import pytest

from scorer.boards.submission import OWN
from scorer.cli import main
from scorer.core.errors import DataError
from scorer.core.files import sha256_file
from scorer.lab.systems import records, registry
from scorer.models.known import ENCODERS

PRACTICE = "explagraphs-practice"
SHIPPED = records.shipped()
STRUCTURED = SHIPPED["structured"]
MOST = 3 * 10**6
"""Bytes of all of them."""


@pytest.mark.claim("The trained systems that come with the program have at most 3 MB together.")
def test_all_shipped_systems_together_have_at_most_three_megabytes():
    files = [path for path in records.SHIPPED.rglob("*") if path.is_file()]
    assert 0 < sum(path.stat().st_size for path in files) <= MOST


def test_shipped_systems_are_of_the_pinned_base_a_board_that_is_here_and_have_their_weights():
    assert [*SHIPPED] == ["structured", "label"]
    for name, folder in SHIPPED.items():
        _, trained = registry.read(folder)
        assert trained.system == name
        assert trained.base.weights == ENCODERS["minilm-l6"].weights
        assert trained.board == "explagraphs"
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
    card = records.read_card(STRUCTURED)
    given = card.condition("given")
    assert given.seeds[0] == registry.read(STRUCTURED)[1].seed
    assert {len(figures) for figures in given.figures.values()} == {len(given.seeds)} == {5}
    assert given.mean("StCA") >= given.mean("SA") - 0.005
    assert given.mean("G-ROUGE-2") >= 0.21
    assert given.mean("GED") <= 0.45
    assert given.mean("seconds an item") <= 0.3
    own = card.condition("own")
    assert {len(figures) for figures in own.figures.values()} == {5}
    assert own.mean("SA") >= 0.6
    assert own.mean("seconds an item") <= 0.3


def test_the_label_model_is_that_of_the_default_command_and_has_a_card_of_five_seeds():
    pytest.importorskip("transformers")
    from scorer.lab.systems.labels import LabelCourse

    folder = SHIPPED["label"]
    _, trained = registry.read(folder)
    assert trained.settings == LabelCourse().to_json()
    [alone] = records.read_card(folder).conditions
    assert alone.seeds[0] == trained.seed == 5
    assert len(alone.seeds) == 5
    assert alone.figures["SA"] == records.read_card(STRUCTURED).condition("own").figures["SA"]
    assert alone.figures["SA on held-out beliefs"][0] == trained.figures["labels right"]


def test_a_card_of_other_weights_is_refused(tmp_path):
    for name in (records.FILE, records.CARD):
        document = json.loads((STRUCTURED / name).read_bytes())
        (tmp_path / name).write_text(json.dumps(document))
    assert records.read_card(tmp_path) == records.read_card(STRUCTURED)
    (tmp_path / records.CARD).write_text(json.dumps(document | {"weights": "0" * 64}))
    with pytest.raises(DataError, match="the card of other weights"):
        records.read_card(tmp_path)
