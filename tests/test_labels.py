"""The label model: with texts alone, and with a graph; on a tiny random encoder."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scorer.boards import load
from scorer.cli import main
from scorer.core.errors import UsageError
from scorer.core.graph import Graph
from scorer.lab.systems import records
from scorer.lab.systems.records import TrainingRequest
from scorer.lab.systems.runs import data_of
from scorer.scoring.checking import check_file
from tests.tiny_systems import (
    BOARDS,
    ByHeart,
    Fails,
    board_encoder,
    in_small_world,
    predict,
    submission,
    train,
)

pytestmark = [pytest.mark.models, pytest.mark.slow]

BOARD = "explagraphs-practice"
REFERENCE = Path("submissions") / BOARD / "reference"


@pytest.fixture(scope="module", autouse=True)
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield from in_small_world(tmp_path_factory.mktemp("world"), BOARD, 8)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return board_encoder(tmp_path_factory, BOARD)


def trained(system: str, encoder: Path, out: Path, *more: str) -> Path:
    """A label model that was trained for one epoch."""
    assert main(train(system, BOARD, out, "--encoder", str(encoder), "--epochs", "1", *more)) == 0
    return out


def graphs(folder: Path) -> list[Any]:
    _, found = check_file(load(BOARD, BOARDS), folder / "predictions.dev.tsv", split="dev")
    return [one.graph for one in found]


def test_the_label_model_alone_answers_with_null_graphs_and_no_other_weights(
    encoder: Path, tmp_path: Path, fails: Fails
) -> None:
    system = trained("label", encoder, tmp_path / "label", "--every-weight")
    assert json.loads((system / "system.json").read_text())["settings"]["together"]
    out = submission(tmp_path, BOARD)
    assert main(predict(system, out)) == 0
    assert main(["check", str(out)]) == 0
    assert graphs(out) == graphs(REFERENCE / "null")
    shutil.rmtree(out)
    (system / records.WEIGHTS).write_bytes(b"odd")
    fails(3, "train the system again", *predict(system, out))
    (system / records.WEIGHTS).unlink()
    fails(2, "train the system again", *predict(system, out))


def test_a_label_model_with_graphs_takes_them_from_a_file_and_submits_them_with_its_labels(
    encoder: Path, tmp_path: Path, fails: Fails
) -> None:
    system = trained("label-with-graph", encoder, tmp_path / "label-with-graph")
    out, gold = submission(tmp_path, BOARD), REFERENCE / "gold" / "predictions.dev.tsv"
    assert main(predict(system, out, "--graphs", str(gold))) == 0
    assert main(["check", str(out)]) == 0
    assert graphs(out) == graphs(gold.parent)
    assert "The graphs come from predictions.dev.tsv (SHA-256 " in (
        out / "submission.yaml").read_text()
    fails(2, "name them with --graphs", *predict(system, submission(tmp_path, BOARD, "none")))


def test_a_label_model_reads_the_graph_it_is_given_and_only_if_it_learned_to(
    encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scorer.lab.systems import labels

    monkeypatch.setattr(labels, "_course", lambda request: labels.LabelCourse(
        epochs=12, learning_rate=2e-3, batch_size=4, patience=12, rank=None))
    data = data_of(load(BOARD, BOARDS), tmp_path)
    drawn = dict(zip(data.settings.labels.values, [
        Graph("(children; is a; school)"), Graph("(paper; is a; home)")], strict=True))
    # Every text comes with either label, so only the graph tells which.
    golds = [replace(gold, label=label, graphs=(graph,))
             for gold in data.golds[:4] for label, graph in drawn.items()]
    done = labels.fit("label-with-graph", ByHeart(*data._replace(golds=golds)),
                      TrainingRequest(str(encoder), tmp_path, 5))
    texts = [gold.texts for gold in golds]
    for label, graph in drawn.items():
        assert labels.labels(tmp_path, done, texts, [graph] * len(texts)) == [label] * len(texts)
    with pytest.raises(UsageError, match="reads a graph of every item"):
        labels.labels(tmp_path, done, texts)
