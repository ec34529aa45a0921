"""Batches, and that an answer does not depend on what else is asked."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorer.core.errors import NotMeasured
from scorer.core.records import TextPair
from scorer.models.known import ENCODERS, Machine
from scorer.models.registry import Models
from scorer.models.sources import find, locate
from tests.tiny_judges import LABELS, made_up_pairs, tiny_encoder, tiny_judge

pytestmark = pytest.mark.models
torch = pytest.importorskip("torch")


@dataclass(frozen=True)
class PaddedCpu(Machine):
    """The rule of a GPU, where there is none."""

    padded = True


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_judge(tmp_path_factory.mktemp("judges") / "seca", LABELS)


@pytest.fixture(params=[1, 2, 4])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def test_batches_of_one_length_hold_every_text_once() -> None:
    from scorer.models.batches import TOKENS_A_BATCH, of_one_length

    chance = random.Random(1)
    lengths = [chance.randint(2, 128) for _ in range(3000)] + [5000]
    batches = of_one_length(lengths)
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    assert all(len({lengths[place] for place in batch}) == 1 for batch in batches)
    assert all(sum(lengths[n] for n in batch) <= TOKENS_A_BATCH or len(batch) == 1
               for batch in batches)
    assert of_one_length([]) == []


def test_padded_batches_have_little_padding() -> None:
    from scorer.models.batches import of_similar_length

    chance = random.Random(2)
    lengths = [chance.randint(2, 128) for _ in range(3000)]
    batches = of_similar_length(lengths, most=4096)
    assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
    for batch in batches:
        full = len(batch) * max(lengths[place] for place in batch)
        assert full <= 4096
        assert sum(lengths[place] for place in batch) >= 0.95 * full


def test_a_steady_layer_is_the_layer_it_was() -> None:
    from scorer.models.batches import make_steady

    plain = torch.nn.Sequential(torch.nn.Linear(8, 5))
    few, many = torch.randn(2, 3, 8), torch.randn(70, 8)
    with torch.inference_mode():
        wanted = plain(few), plain(many)
        make_steady(plain)
        assert torch.allclose(plain(few), wanted[0], atol=1e-6)
        assert torch.equal(plain(many), wanted[1])


@pytest.mark.claim("A judge's answer is the same to the bit whatever texts share its batch.")
def test_a_judges_answer_is_the_same_bits_in_any_company(folder: Path, threads: int) -> None:
    pairs = made_up_pairs()
    together = Models({"seca": str(folder)})("seca").probabilities(pairs)
    backwards = Models({"seca": str(folder)})("seca").probabilities(pairs[::-1])[::-1]
    alone = Models({"seca": str(folder)})("seca")
    apart = np.concatenate([alone.probabilities([pair]) for pair in pairs])
    assert together.tobytes() == backwards.tobytes() == apart.tobytes()
    assert torch.get_num_threads() == threads


@pytest.mark.claim("An encoder's vectors are the same to the bit whatever texts share their batch.")
def test_an_encoders_vectors_are_the_same_bits_in_any_company(threads: int, tmp_path: Path) -> None:
    encoder = small_encoder(tmp_path / "texts.sqlite")
    sentences = [pair.second for pair in made_up_pairs()]
    together = encoder.embed(sentences)
    again = small_encoder(tmp_path / "texts.sqlite").embed(sentences)
    lone = small_encoder()
    apart = [lone.embed([sentence])[0] for sentence in sentences[::-1]][::-1]
    for one, other, third in zip(together, again, apart, strict=True):
        assert one.tobytes() == other.tobytes() == third.tobytes()


def small_encoder(cache: Path | None = None) -> Any:
    try:
        return Models(cache=cache)("minilm-l6")
    except NotMeasured as reason:
        pytest.skip(str(reason))


@pytest.mark.claim("A cache of models' answers changes no bit of a result.")
def test_cold_warm_and_no_cache_give_the_same_bits(folder: Path, tmp_path: Path) -> None:
    pairs, cache = made_up_pairs(), tmp_path / "texts.sqlite"
    none = Models({"seca": str(folder)})("seca").probabilities(pairs)
    half = Models({"seca": str(folder)}, cache=cache)("seca").probabilities(pairs[::2])
    cold = Models({"seca": str(folder)}, cache=cache)("seca").probabilities(pairs)
    judge = Models({"seca": str(folder)}, cache=cache)("seca")
    judge._runner._model = None  # nothing is left to compute
    warm = judge.probabilities(pairs)
    assert none.tobytes() == cold.tobytes() == warm.tobytes()
    assert none[::2].tobytes() == half.tobytes()


def test_a_broken_cache_changes_nothing(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = tmp_path / "texts.sqlite"
    cache.write_bytes(b"rubbish " * 1000)
    pairs = made_up_pairs()
    with_it = Models({"seca": str(folder)}, cache=cache)("seca").probabilities(pairs)
    without = Models({"seca": str(folder)})("seca").probabilities(pairs)
    assert with_it.tobytes() == without.tobytes()
    assert len(caplog.records) == 1


def test_another_tokenizer_is_another_key(folder: Path) -> None:
    before = find(str(folder)).fingerprint
    tokenizer = folder / "tokenizer.json"
    content = tokenizer.read_bytes()
    tokenizer.write_bytes(content + b"\n")
    assert find(str(folder)).fingerprint != before
    tokenizer.write_bytes(content)
    assert find(str(folder)).fingerprint == before


def test_each_pair_is_read_once(folder: Path) -> None:
    judge = Models({"seca": str(folder)})("seca")
    pairs = [TextPair(pair.first, pair.second) for pair in made_up_pairs()] * 20
    first = judge.probabilities(pairs)
    judge._runner._model = None  # nothing is left to compute
    assert judge.probabilities(pairs).tobytes() == first.tobytes()


def test_the_padded_rule_agrees_to_the_fifth_digit(folder: Path) -> None:
    from scorer.models.transformers_judge import TransformersJudge

    pairs = made_up_pairs()
    padded = TransformersJudge(find(str(folder)), LABELS, 128, PaddedCpu())
    steady = TransformersJudge(find(str(folder)), LABELS, 128, Machine())
    assert np.abs(padded.probabilities(pairs) - steady.probabilities(pairs)).max() < 1e-5
    try:
        files = find(ENCODERS["minilm-l6"].source)
    except NotMeasured as reason:
        pytest.skip(str(reason))
    from scorer.models.transformers_encoder import TransformersEncoder

    sentences = [pair.second for pair in pairs]
    encoders = [TransformersEncoder(files, 6, machine) for machine in (PaddedCpu(), Machine())]
    for one, other in zip(*(each.embed(sentences) for each in encoders), strict=True):
        assert one.shape == other.shape
        assert np.abs(one - other).max() < 1e-5


@pytest.mark.parametrize("machine", [Machine(), PaddedCpu()], ids=["steady", "padded"])
@pytest.mark.parametrize("layers", [1, 2, 6])
def test_our_bert_is_that_of_transformers_to_the_bit(
    tmp_path: Path, machine: Machine, layers: int
) -> None:
    from transformers import AutoModel

    from scorer.models import bert
    from scorer.models.batches import Runner, Tokens

    folder = tiny_encoder(tmp_path) if layers < 6 else locate(ENCODERS["minilm-l6"].source)
    model = AutoModel.from_pretrained(folder, local_files_only=True)
    model.encoder.layer = model.encoder.layer[:layers]
    ours = bert.load(folder, layers)
    assert ours is not None
    texts = [Tokens([place % 7 + 1 for place in range(length)], []) for length in (1, 2, 2, 5, 30)]
    found, wanted = (
        [*Runner(each, machine).run(texts, lambda output: output[0].numpy().copy())]
        for each in (ours, model))
    for (_, one), (_, other) in zip(found, wanted, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("changed", [
    {"model_type": "roberta"}, {"hidden_act": "relu"}, {"is_decoder": True},
    {"num_hidden_layers": 9}, {"hidden_size": "32"}, {"vocab_size": 9999},
    {"quantization_config": {"bits": 4}},
])
def test_what_is_no_plain_bert_is_left_to_transformers(
    tmp_path: Path, changed: dict[str, object]
) -> None:
    from scorer.models import bert

    folder = tiny_encoder(tmp_path)
    config = folder / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | changed))
    assert bert.load(folder, 9) is None
    (folder / bert.WEIGHTS).unlink()
    assert bert.load(folder, 9) is None


def test_an_encoder_is_loaded_without_importing_transformers(tmp_path: Path) -> None:
    folder = tiny_encoder(tmp_path)
    code = ("import sys\n"
            "from scorer.models.known import Machine\n"
            "from scorer.models.sources import find\n"
            "from scorer.models.transformers_encoder import TransformersEncoder\n"
            f"TransformersEncoder(find({str(folder)!r}), 2, Machine()).embed(['a b'])\n"
            "print('transformers' in sys.modules)\n")
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout == "False\n"


def test_without_a_gpu_the_reason_says_so(folder: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(NotMeasured, match="no GPU is at hand; score with --device cpu"):
        Models({"seca": str(folder)}, device="cuda")("seca")


def test_pairs_are_cut_as_transformers_cuts_them(folder: Path) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    judge = Models({"seca": str(folder)})("seca")
    pairs = [*made_up_pairs(), TextPair("", ""), TextPair("naïve \u200b\U0001f600", "İ ß"),
             TextPair("a " * 63, "b " * 64), TextPair("a " * 500, "b"), TextPair("a", "b " * 500)]
    for pair in pairs:
        wanted = tokenizer([tuple(pair)], truncation="longest_first", max_length=128)
        [found] = judge._tokenizer.encode_batch([tuple(pair)])
        assert [found.ids] == wanted["input_ids"]
        assert [found.type_ids] == wanted["token_type_ids"]


def test_the_share_of_real_tokens_of_a_whole_submission(vectors: Path) -> None:
    """SeCA's, EA's and G-BERTScore's texts of 398 predictions, by their recorded texts."""
    from tokenizers import Tokenizer

    from scorer.models.batches import FEWEST_ROWS, of_one_length

    try:
        path = locate(ENCODERS["minilm-l6"].source) / "tokenizer.json"
    except NotMeasured as reason:
        pytest.skip(str(reason))
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(128)
    case = vectors / "explagraphs" / "gold-as-prediction"
    rows = [line.split("\t") for name in ("ea_initial.tsv", "ea_final.tsv")
            for line in (case / name).read_text("utf-8-sig").splitlines()]
    lengths = [len(one.ids) for one in tokenizer.encode_batch([(row[1], row[2]) for row in rows])]
    real = computed = 0
    for batch in of_one_length(lengths):
        tokens = sum(lengths[place] for place in batch)
        real += tokens
        computed += max(tokens, FEWEST_ROWS)
    assert real / computed >= 0.95


def test_processors_are_those_this_process_may_use() -> None:
    from scorer.models.batches import processors

    assert 1 <= processors() <= (os.cpu_count() or 1)
