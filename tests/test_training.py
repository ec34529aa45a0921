"""Training a tiny judge for real: it learns, and leaves a card."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorer.cli import main
from scorer.core.errors import DataError, NotMeasured
from scorer.core.files import sha256_file
from scorer.core.records import TextPair
from scorer.models import judge_card as cards
from scorer.models.registry import Models
from tests.tiny_judges import tiny_encoder, tiny_judge
from tests.training_data import made_up_data

load_file = pytest.importorskip("safetensors.torch").load_file
pytestmark = [pytest.mark.models, pytest.mark.slow]
SECA, EA = ("support", "counter", "incorrect"), ("support", "counter")


def train(judge: str, base: Path, data: Path, out: Path, start: Path | None = None,
          **changed: Any) -> cards.Card:
    from scorer.lab.training import make
    from scorer.lab.training.train import TrainingSettings

    settings = TrainingSettings(**{"epochs": 3, "learning_rate": 1e-2, "batch_size": 8, "rank": 2,
                                   "most": {"scrambled": 5}, **changed})
    return make.train(judge, str(base), data, out, settings, command="scorer judge train",
                      start=start)


def test_an_adapter_is_trained_loaded_and_carries_its_card(tmp_path: Path) -> None:
    base, data = tiny_judge(tmp_path / "base", SECA), made_up_data(tmp_path / "data")
    out = tmp_path / "seca-tiny"
    card = train("seca", base, data, out)
    assert sorted(path.name for path in out.iterdir()) == [
        "adapter_config.json", "adapter_model.safetensors", "card.json"]
    assert cards.read(out) == card
    assert card.data["examples"]["train"]["gold"] > 20
    assert [epoch["number"] for epoch in card.training["epochs"]] == [1, 2, 3]
    names = [one.name for one in card.evaluations]
    assert names[0] == cards.GOLD
    assert {cards.NATURAL, cards.NULL, "dev gold", "dev shuffled gold"} <= set(names)
    judge = Models({"seca": f"adapter:{out}"})("seca")
    rows = judge.probabilities([TextPair("trains", "(trains; is a; good)")])
    assert rows.shape == (1, 3)
    assert np.isfinite(rows).all()


def test_an_adapter_may_start_from_another_judge_of_the_same_rank(tmp_path: Path) -> None:
    base, data = tiny_encoder(tmp_path / "base"), made_up_data(tmp_path / "data")
    train("ea", base, data, tmp_path / "ea", epochs=1)
    first = tmp_path / "ea" / "adapter_model.safetensors"
    card = train("seca", base, data, tmp_path / "seca", start=tmp_path / "ea", epochs=1,
                 learning_rate=1e-9)
    assert card.training["settings"]["start"] == sha256_file(first)
    found, given = load_file(tmp_path / "seca" / first.name), load_file(first)
    matrices = [name for name in given if "lora_B" in name]
    assert matrices
    for name in matrices:
        assert given[name].any()
        assert (found[name] - given[name]).abs().max() < 1e-3
    with pytest.raises(NotMeasured, match="other matrices"):
        train("seca", base, data, tmp_path / "other", start=tmp_path / "ea", rank=3)
    with pytest.raises(DataError, match="--start names an adapter's folder"):
        train("seca", base, data, tmp_path / "none", start=tmp_path / "base")


def test_every_weight_can_be_trained_and_the_folder_is_a_judge(tmp_path: Path) -> None:
    base, data = tiny_judge(tmp_path / "base", EA), made_up_data(tmp_path / "data")
    card = train("ea", base, data, tmp_path / "ea-full", rank=None, learning_rate=1e-3)
    assert Models({"ea": str(tmp_path / "ea-full")}).tag("ea").endswith(card.weights[:12])
    assert card.fitness is None


def test_the_command_measures_a_judge_that_was_not_trained_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, data = tiny_judge(tmp_path / "given", SECA), made_up_data(tmp_path / "data")
    assert main(["judge", "evaluate", "seca", "--judge", str(folder), "--data", str(data),
                 "--out", str(tmp_path / "card")]) == 0
    said = capsys.readouterr().out
    assert "not fit to rank" in said
    document = json.loads((tmp_path / "card" / "card.json").read_text())
    assert "may have seen" in document["training"]["note"]


def test_a_card_of_other_weights_or_data_is_not_measured_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = made_up_data(tmp_path / "data")
    for name in ("one", "other"):
        base = tiny_judge(tmp_path / f"base-{name}", EA)
        train("ea", base, data, tmp_path / name, rank=None, epochs=1,
              learning_rate=1e-3 if name == "one" else 1e-2)
    measure = ["judge", "evaluate", "ea", "--judge", str(tmp_path / "one"), "--data", str(data),
               "--out", str(tmp_path / "again"), "--home", str(tmp_path / "home")]
    assert main(measure) == 0
    again = (tmp_path / "again" / "card.json").read_bytes()
    assert main(measure) == 0
    assert (tmp_path / "again" / "card.json").read_bytes() == again, "twice the same bytes"
    own = (tmp_path / "one" / "card.json").read_bytes()
    (tmp_path / "one" / "card.json").write_bytes(
        (tmp_path / "other" / "card.json").read_bytes())
    assert main(measure) == 3
    assert "its card.json is of other weights" in capsys.readouterr().err
    (tmp_path / "one" / "card.json").write_bytes(own)
    with (data / "train.tsv").open("a") as file:
        file.write("\n")
    assert main(measure) == 3
    assert "train.tsv is not the file that" in capsys.readouterr().err


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    base = tiny_judge(tmp_path / "base", SECA)
    with pytest.raises(DataError, match=r"train\.tsv: cannot be read"):
        train("seca", base, tmp_path, tmp_path / "out")
