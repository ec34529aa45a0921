"""Systems that write graphs as strings: trained end to end on tiny models of random weights."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from scorer.boards import load
from scorer.cli import main
from scorer.core.records import Edge
from scorer.lab.systems.records import Question, TrainingRequest, data_of
from scorer.tasks.graphs.constraints import findings
from tests import tiny_systems
from tests.tiny_systems import BOARDS, ByHeart, board_encoder, in_small_world

pytest.importorskip("transformers")
from scorer.lab.systems import seq2seq
from scorer.lab.systems.seq2seq import RATIONALIZING, depth_first, ordered

BOARD = "explagraphs-practice"
models = pytest.mark.models
slow = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def world(tmp_path_factory):
    """A small board, and two epochs of three steps: too few for anything but nonsense."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(seq2seq.TINY_COURSE, "epochs", 2)
        patch.setattr(seq2seq, "TINY_EPOCH", 24)
        yield from in_small_world(tmp_path_factory.mktemp("world"), BOARD, 8)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A writer of nonsense."""
    out = tmp_path_factory.mktemp("seq2seq") / "rationalizing"
    assert main(train(out)) == 0
    return out


def train(out: Path, *more: str, base: str = "tiny-t5") -> list[str]:
    return tiny_systems.train(RATIONALIZING, BOARD, out, "--base", base, "--graphs-only", *more)


def predicted(folder: Path, out: Path, *, labelled: bool = True) -> tuple[list[list[str]], str]:
    """The rows of a submission in ``out``, perhaps with gold's labels, and submission.yaml."""
    gold = Path("submissions") / BOARD / "reference" / "gold" / "predictions.dev.tsv"
    words = tiny_systems.predict(folder, out, *(["--labels", str(gold)] if labelled else []))
    assert main(words) == 0
    rows = [line.split("\t") for line in (out / "predictions.dev.tsv").read_text().splitlines()]
    return rows, (out / "submission.yaml").read_text().replace("\n  ", " ")


def submission(folder: Path) -> Path:
    return tiny_systems.submission(folder, BOARD)


def request(out: Path, base: str = "tiny-t5") -> TrainingRequest:
    return TrainingRequest("no encoder", out, 5, options={"base": base, "graphs_only": True})


def tiny_bart(folder: Path) -> Path:
    """A tiny BART without dropout, and the tokenizer of ``tiny-t5``."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    data = data_of(load(BOARD, BOARDS), folder)
    seq2seq.make_tiny(folder, seq2seq.texts_of(data), 5)
    words = json.loads((folder / "config.json").read_text())["vocab_size"]
    torch.manual_seed(5)
    BartForConditionalGeneration(BartConfig(
        vocab_size=words, d_model=64, encoder_layers=2, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=128,
        decoder_ffn_dim=128, max_position_embeddings=160, dropout=0.0, init_std=0.1,
        bos_token_id=0, forced_eos_token_id=None, pad_token_id=0, eos_token_id=1,
        decoder_start_token_id=0)).save_pretrained(folder)
    return folder


@models
@slow
def test_four_items_are_learned_by_heart(tmp_path, monkeypatch):
    tiny_systems.fixed(monkeypatch, seq2seq.WritingCourse, epochs=2, learning_rate=2e-3, repeats=70)
    data = data_of(load(BOARD, BOARDS), tmp_path)
    golds, out = data.golds[:4], tmp_path / "out"
    done = seq2seq.fit(RATIONALIZING, ByHeart(*data._replace(golds=golds)),
                       request(out, str(tiny_bart(tmp_path / "base"))))
    answers = seq2seq.predict(out, done, Question(
        data.settings, [gold.texts for gold in golds], labels=[gold.label for gold in golds]))
    for gold, answer in zip(golds, answers.predictions, strict=True):
        assert not findings(data.settings, gold.texts, answer.graph).broken


@models
@slow
def test_nonsense_is_submitted_as_it_was_written_and_passes_the_check(trained, tmp_path, capsys):
    rows, meta = predicted(trained, submission(tmp_path))
    assert len(rows) == 8
    assert main(["check", str(submission(tmp_path))]) == 0
    assert "0 graphs keep every constraint" in capsys.readouterr().out
    for words in ("dev: of 8 strings", "4 beams", "tiny-t5 (SHA-256 ", "No graph is repaired"):
        assert words in meta
    assert sorted(path.name for path in trained.iterdir()) == [
        "config.json", "generation_config.json", "model.safetensors", "system.json",
        "tokenizer.json", "tokenizer_config.json"]


@models
@slow
def test_a_reasoning_model_reads_its_graph_for_the_label(tmp_path, tmp_path_factory, monkeypatch):
    encoder, folder = board_encoder(tmp_path_factory, BOARD), tmp_path / "reasoning"
    assert main(["train", "reasoning", "--board", BOARD, "--out", str(folder), "--base", "tiny-t5",
                 "--encoder", str(encoder), "--epochs", "1", "--edge-order", "random"]) == 0
    assert json.loads((folder / "system.json").read_text())["settings"]["edge_order"] == "random"
    assert json.loads((folder / "label" / "system.json").read_text())["system"] == (
        "label-with-graph")
    graphs: list[Any] = []
    labels = seq2seq.labels.labels
    monkeypatch.setattr(seq2seq.labels, "labels", lambda *read: (
        graphs.extend(read[3]), labels(*read))[1])
    rows, meta = predicted(folder, submission(tmp_path), labelled=False)
    assert main(["check", str(submission(tmp_path))]) == 0
    assert [graph.text for graph in graphs] == [graph for _, graph in rows]
    for words in ("weights of label-with-graph, trained here", "tiny-t5 (SHA-256 ",
                  f"{encoder.name} (SHA-256 "):
        assert words in meta
    # What is read does not depend on the label: with gold's labels it writes the same graphs.
    labelled, _ = predicted(folder, submission(tmp_path / "labelled"))
    assert [graph for _, graph in labelled] == [graph for _, graph in rows]


@models
@slow
def test_faults_of_the_user_are_reported(trained, tmp_path, fails):
    out, base = tmp_path / "out", shutil.copytree(trained, tmp_path / "base")
    fails(2, "rationalizing needs an encoder-decoder: --base",
          *tiny_systems.train(RATIONALIZING, BOARD, out))
    fails(3, f"no model.safetensors in {tmp_path}; name another source with --base\n",
          *train(out, base=str(tmp_path)))
    fails(2, "give labels with --labels", *tiny_systems.predict(base, submission(tmp_path)))
    config = json.loads((base / "config.json").read_text())
    for code, words, changed in (
            (3, "has no weights for", config | {"num_decoder_layers": 3}),
            (2, "is no encoder-decoder but bert", {"model_type": "bert"})):
        (base / "config.json").write_text(json.dumps(changed))
        fails(code, words, *train(out, base=str(base)))
    (base / "config.json").write_text(json.dumps(config))
    (base / "model.safetensors").write_bytes(b"odd")
    fails(3, "cannot be loaded", *train(out, base=str(base)))
    fails(3, "train the system again", *tiny_systems.predict(
        base, submission(tmp_path), "--labels", str(
            Path("submissions") / BOARD / "reference" / "gold" / "predictions.dev.tsv")))


def edges(text: str) -> list[Edge]:
    return [Edge(one[0], "causes", one[1]) for one in text.split()]


@pytest.mark.parametrize(("given", "wanted"), [
    ("cd bc ab", "ab bc cd"),  # a chain
    ("ad bc ab", "ad ab bc"),  # a's edges come first; d stood first, and is followed first
    ("xc ac cy", "xc ac cy"),  # two beginnings, in order of appearance
    ("ab ba", "ba ab"),  # a cycle has an order too
    ("ab ab", "ab ab")])  # a repeated edge stays
def test_edges_in_depth_first_order_follow_the_concepts(given, wanted):
    assert depth_first(edges(given)) == edges(wanted)


def test_a_random_order_is_one_for_each_seed():
    chain = edges("ab bc cd de ef")
    orders = {tuple(ordered(chain, "random", f"5 0 {number}")) for number in range(20)}
    assert len(orders) > 10
    assert {frozenset(order) for order in orders} == {frozenset(chain)}
    assert ordered(chain, "random", "5 0 1") == ordered(chain, "random", "5 0 1")
    assert ordered(chain, "depth-first", "any") == chain


@pytest.mark.parametrize(("text", "held"), [
    ("(a; is a; b)", "(a; is a; b)"),
    ("(a; is a; b", "(a; is a; b"),  # cut: it stays so
    ("", "()"),
    ("(a;\tis a; b)\n", "(a;\ufffdis a; b)\ufffd"),
    ("(a\u200b; is a; b)", "(a\ufffd; is a; b)")])
def test_a_string_that_no_file_may_hold_becomes_one_that_is_no_better(text, held):
    assert seq2seq._held(text) == held
