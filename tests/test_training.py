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


@pytest.fixture
def data(tmp_path):
    return made_up_data(tmp_path / "data")


def train(judge: str, base: Path, data: Path, out: Path, start: Path | None = None,
          **changed: Any) -> cards.Card:
    from scorer.lab.training.train import TrainingSettings, train_judge

    settings = TrainingSettings(**{"epochs": 2, "learning_rate": 1e-2, "batch_size": 8, "rank": 2,
                                   "most": {"scrambled": 5}, **changed})
    return train_judge(judge, str(base), data, out, settings, command="scorer judge train",
                       start=start)


def test_an_adapter_is_trained_loaded_and_carries_its_card(data, tmp_path):
    out = tmp_path / "seca-tiny"
    card = train("seca", tiny_judge(tmp_path / "base", SECA), data, out)
    assert sorted(path.name for path in out.iterdir()) == [
        "adapter_config.json", "adapter_model.safetensors", "card.json"]
    assert cards.read(out) == card
    assert card.data["examples"]["train"]["gold"] > 20
    assert [epoch["number"] for epoch in card.training["epochs"]] == [1, 2]
    names = [one.name for one in card.evaluations]
    assert names[0] == cards.GOLD
    assert {cards.NATURAL, cards.NULL, "dev gold", "dev shuffled gold"} <= set(names)
    rows = Models({"seca": f"adapter:{out}"})("seca").probabilities([
        TextPair("trains", "(trains; is a; good)")])
    assert rows.shape == (1, 3)
    assert np.isfinite(rows).all()
    with pytest.raises(DataError, match=r"train\.tsv: cannot be read"):
        train("seca", tmp_path / "base", tmp_path, tmp_path / "no data")


def test_an_adapter_may_start_from_another_judge_of_the_same_rank(data, tmp_path):
    base = tiny_encoder(tmp_path / "base")
    train("ea", base, data, tmp_path / "ea", epochs=1)
    first = tmp_path / "ea" / "adapter_model.safetensors"
    card = train("seca", base, data, tmp_path / "seca", start=tmp_path / "ea", epochs=1,
                 learning_rate=1e-9)
    assert card.training["settings"]["start"] == sha256_file(first)
    trained, given = load_file(tmp_path / "seca" / first.name), load_file(first)
    matrices = [name for name in given if "lora_B" in name]
    assert matrices
    for name in matrices:
        assert given[name].any()
        assert (trained[name] - given[name]).abs().max() < 1e-3
    with pytest.raises(NotMeasured, match="other matrices"):
        train("seca", base, data, tmp_path / "other", start=tmp_path / "ea", rank=3)
    with pytest.raises(DataError, match="--start names an adapter's folder"):
        train("seca", base, data, tmp_path / "none", start=tmp_path / "base")


def evaluate(judge: str, folder: Path, data: Path, out: Path) -> list[str]:
    return ["judge", "evaluate", judge, "--judge", str(folder), "--data", str(data), "--out",
            str(out), "--home", str(out.parent / "home")]


def test_the_command_measures_a_judge_that_was_not_trained_here(data, tmp_path, capsys, fails):
    out = tmp_path / "card"
    fails(3, "name another source with --judge", *evaluate("seca", tmp_path / "none", data, out))
    assert main(evaluate("seca", tiny_judge(tmp_path / "given", SECA), data, out)) == 0
    assert "not fit to rank" in capsys.readouterr().out
    assert "may have seen" in json.loads((out / "card.json").read_text())["training"]["note"]


def test_every_weight_is_trained_and_a_card_of_others_is_not_measured_again(data, tmp_path, fails):
    judge = tmp_path / "ea"
    card = train("ea", tiny_judge(tmp_path / "base", EA), data, judge, rank=None, epochs=1,
                 learning_rate=1e-3)
    assert Models({"ea": str(judge)}).tag("ea").endswith(card.weights[:12])
    assert card.fitness is None
    measure = evaluate("ea", judge, data, tmp_path / "again")
    contents = []
    for _ in range(2):
        assert main(measure) == 0
        contents.append((tmp_path / "again" / "card.json").read_bytes())
    assert contents[0] == contents[1], "twice the same bytes"
    own = (judge / "card.json").read_text()
    (judge / "card.json").write_text(own.replace(card.weights, "0" * 64))
    fails(3, "its card.json is of other weights", *measure)
    (judge / "card.json").write_text(own)
    with (data / "train.tsv").open("a") as file:
        file.write("\n")
    fails(3, "train.tsv is not the file that", *measure)
