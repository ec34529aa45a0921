"""A causal language model that writes hypotheses: end to end, with a tiny random GPT-2."""

from dataclasses import replace

import numpy as np
import pytest

from scorer.boards import load
from scorer.cli import main
from scorer.lab.systems.records import Question, TrainingRequest, train_of
from tests import tiny_systems
from tests.tiny_systems import BOARDS, predict, submission

pytest.importorskip("transformers")
from scorer.lab.systems import causal
from scorer.lab.systems.causal import COUNT, prompt

pytestmark = [pytest.mark.models, pytest.mark.slow]

BOARD = "anlg-practice"
GOLD = BOARDS / BOARD / "data" / "dev.tsv"
ROWS = 8


@pytest.fixture(scope="module", autouse=True)
def world(tmp_path_factory):
    yield from tiny_systems.in_small_world(tmp_path_factory.mktemp("world"), BOARD, ROWS)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return tiny_systems.tiny_gpt2(tmp_path_factory.mktemp("gpt2"), [GOLD.read_text()], 800,
                                  n_embd=64, n_layer=2, n_head=4, n_positions=512)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """A file of other items than the board's."""
    path = tmp_path_factory.mktemp("other") / "train.tsv"
    path.write_text("".join(f"Once {line}" for line in GOLD.read_text().splitlines(True)))
    return path


@pytest.fixture
def train(base, other):
    return lambda out, *more: tiny_systems.train(
        "gpt2", BOARD, out, "--learn-from", str(other), "--base", str(base), "--epochs", "1", *more)


@pytest.mark.parametrize("inputs", ["observations", "comet-text", "comet-vectors", "fixed"])
def test_every_input_of_the_paper_gives_a_sound_submission(inputs, train, tmp_path, monkeypatch):
    monkeypatch.setattr(causal, "MOST_WRITTEN", 8)
    text, vectors = tmp_path / "inferences.tsv", tmp_path / "inferences.npy"
    text.write_text(("\t".join(f"to be {n}" for n in range(COUNT)) + "\n") * ROWS)
    np.save(vectors, np.random.default_rng(5).normal(size=(ROWS, COUNT, 12)))
    more = {"comet-text": ["--inferences", str(text)],
            "comet-vectors": ["--inferences", str(vectors)]}.get(inputs, [])
    contents = []
    for name in ("one", "two") if inputs == "comet-vectors" else ("one",):
        system, out = tmp_path / name / "system", submission(tmp_path / name, BOARD)
        assert main([*train(system, "--inputs", inputs), *more]) == 0
        assert main(predict(system, out, *more)) == 0
        assert main(["check", str(out)]) == 0
        contents.append([path.read_bytes() for path in sorted(out.iterdir())])
    assert contents[0] == contents[-1], "twice the same bytes"
    learned = inputs != "fixed"
    assert (b"A file of items for" in contents[0][1]) == learned
    assert (b"trained here" in contents[0][1].replace(b"were trained here", b"")) == learned


def test_a_handful_of_hypotheses_is_learned_by_heart(base, other, tmp_path, monkeypatch):
    tiny_systems.fixed(monkeypatch, causal.CausalCourse, epochs=60, learning_rate=3e-3)
    data = train_of(load(BOARD, BOARDS), tmp_path, other)
    few = [replace(gold, references=gold.references[:1]) for gold in data.golds[:4]]
    done = causal.fit("gpt2", tiny_systems.ByHeart(*data._replace(golds=few)), TrainingRequest(
        "", tmp_path, 5, options={"base": str(base)}))
    found = causal.predict(tmp_path, done, Question(
        data.settings, [gold.texts for gold in few])).predictions
    assert [one.text for one in found] == [gold.references[0] for gold in few]


def test_inferences_stand_before_the_observations_between_the_names_of_their_relations():
    text = prompt("comet-text", ("A.", "B."), [f"t{n}" for n in range(COUNT)])
    assert text.startswith("<xIntent-1>t0</xIntent-1><xNeed-1>t1</xNeed-1>")
    assert text.endswith("<oEffect-2>t17</oEffect-2><o1>A.</o1><o2>B.</o2><h>")


def test_missing_and_odd_files_are_reported(train, tmp_path, fails):
    out, odd = tmp_path / "out", tmp_path / "odd"
    odd.write_text("one\ttwo\n")
    fails(2, "has no train split", *tiny_systems.train("gpt2", BOARD, out))
    fails(2, "has items of dev, which a model that is measured there must not see",
          *train(out, "--learn-from", str(GOLD)))
    fails(2, "needs --inferences FILE", *train(out, "--inputs", "comet-text"))
    fails(2, "no inputs gpt3", *train(out, "--inputs", "gpt3"))
    for words, more in (
            ("odd:1: 2 columns; expected 18", ("--inputs", "comet-text")),
            ("one array of floats that numpy saved", ("--inputs", "comet-vectors")),
            ("reads no inferences", ())):
        fails(2, words, *train(out, *more, "--inferences", str(odd)))
