"""Batches, and that an answer does not depend on what else is asked."""

import json
import random
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
from scorer.models.text_cache import TextCache
from tests.test_architecture import loaded
from tests.tiny_judges import LABELS, made_up_pairs, tiny_encoder, tiny_judge

pytest.importorskip("torch")
import torch

from scorer.models import loading
from scorer.models.sources import WEIGHTS
from scorer.models.transformers_encoder import plain_bert

pytestmark = pytest.mark.models


@dataclass(frozen=True)
class PaddedCpu(Machine):
    """The rule of a GPU, where there is none."""

    padded = True


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_judge(tmp_path_factory.mktemp("judges") / "seca", LABELS)


def judge(folder: Path, **options: Any) -> Any:
    return Models({"seca": str(folder)}, **options)("seca")


def encoder(cache: Path | None = None) -> Any:
    try:
        return Models(cache=cache)("minilm-l6")
    except NotMeasured as reason:
        pytest.skip(str(reason))


@pytest.fixture(params=[1, 4])
def threads(request):
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def test_batches_hold_every_text_once_and_are_of_one_length_or_have_little_padding():
    rng = random.Random(1)
    lengths = [rng.randint(2, 128) for _ in range(3000)] + [5000]
    equal = loading.of_one_length(lengths)
    padded = loading.of_similar_length(lengths[:-1], most=4096)
    for groups, count in ((equal, 3001), (padded, 3000)):
        assert sorted(index for batch in groups for index in batch) == [*range(count)]
    for batch in equal:
        assert len({lengths[index] for index in batch}) == 1
        assert sum(lengths[index] for index in batch) <= loading.TOKENS_A_BATCH or len(batch) == 1
    for batch in padded:
        full = len(batch) * max(lengths[index] for index in batch)
        assert full <= 4096
        assert sum(lengths[index] for index in batch) >= 0.95 * full
    assert loading.of_one_length([]) == []


@pytest.mark.claim("A judge's answer is the same to the bit whatever texts share its batch.")
def test_a_judges_answer_is_the_same_bits_in_any_company(folder, threads):
    pairs = made_up_pairs()
    together = judge(folder).probabilities(pairs)
    backwards = judge(folder).probabilities(pairs[::-1])[::-1]
    alone = judge(folder)
    apart = np.concatenate([alone.probabilities([pair]) for pair in pairs])
    assert together.tobytes() == backwards.tobytes() == apart.tobytes()
    assert torch.get_num_threads() == threads


@pytest.mark.claim("An encoder's vectors are the same to the bit whatever texts share their batch.")
def test_an_encoders_vectors_are_the_same_bits_in_any_company(threads, tmp_path):
    sentences = [pair.second for pair in made_up_pairs()[1::3]]
    together, again = (encoder(tmp_path / "texts.sqlite").embed(sentences) for _ in range(2))
    lone = encoder()
    apart = [lone.embed([sentence])[0] for sentence in sentences[::-1]][::-1]
    for one, other, third in zip(together, again, apart, strict=True):
        assert one.tobytes() == other.tobytes() == third.tobytes()


@pytest.mark.claim("A cache of models' answers changes no bit of a result.")
def test_cold_warm_and_no_cache_give_the_same_bits(folder, tmp_path):
    pairs, cache = made_up_pairs(), tmp_path / "texts.sqlite"
    none = judge(folder).probabilities(pairs)
    half = judge(folder, cache=cache).probabilities(pairs[::2])
    cold = judge(folder, cache=cache).probabilities(pairs)
    warm = judge(folder, cache=cache)
    warm._runner._model = None  # nothing is left to compute
    for answers in (cold, warm.probabilities(pairs)):
        assert answers.tobytes() == none.tobytes()
    assert half.tobytes() == none[::2].tobytes()


def test_another_tokenizer_is_another_key(folder):
    before, tokenizer = find(str(folder)).fingerprint, folder / "tokenizer.json"
    content = tokenizer.read_bytes()
    tokenizer.write_bytes(content + b"\n")
    assert find(str(folder)).fingerprint != before
    tokenizer.write_bytes(content)
    assert find(str(folder)).fingerprint == before


def test_the_padded_rule_agrees_to_the_fifth_digit(folder):
    from scorer.models.transformers_encoder import TransformersEncoder
    from scorer.models.transformers_judge import TransformersJudge

    pairs = made_up_pairs()
    padded, steady = (TransformersJudge(find(str(folder)), LABELS, 128, machine, TextCache(None))
                      for machine in (PaddedCpu(), Machine()))
    assert np.abs(padded.probabilities(pairs) - steady.probabilities(pairs)).max() < 1e-5
    try:
        files = find(ENCODERS["minilm-l6"].source)
    except NotMeasured as reason:
        pytest.skip(str(reason))
    one, other = (TransformersEncoder(files, 6, machine).embed([pair.second for pair in pairs])
                  for machine in (PaddedCpu(), Machine()))
    for ours, theirs in zip(one, other, strict=True):
        assert ours.shape == theirs.shape
        assert np.abs(ours - theirs).max() < 1e-5


@pytest.mark.parametrize(("machine", "layers"), [
    (Machine(), 1), (PaddedCpu(), 2), (Machine(), 6), (PaddedCpu(), 6)],
    ids=["steady 1", "padded 2", "steady 6", "padded 6"])
def test_our_bert_is_that_of_transformers_to_the_bit(tmp_path, machine, layers):
    from transformers import AutoModel

    folder = tiny_encoder(tmp_path) if layers < 6 else locate(ENCODERS["minilm-l6"].source)
    theirs = AutoModel.from_pretrained(folder, local_files_only=True)
    theirs.encoder.layer = theirs.encoder.layer[:layers]
    ours = plain_bert(folder, layers)
    assert ours is not None
    texts = [loading.Tokens([index % 7 + 1 for index in range(length)], [])
             for length in (1, 2, 2, 5, 30)]
    found, wanted = (
        [vectors for _, vectors in loading.Runner(model, machine).run(
            texts, lambda output: output[0].numpy().copy())] for model in (ours, theirs))
    for one, other in zip(found, wanted, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("changed", [
    {"model_type": "roberta"}, {"hidden_act": "relu"}, {"is_decoder": True},
    {"num_hidden_layers": 9}, {"hidden_size": "32"}, {"vocab_size": 9999},
    {"quantization_config": {"bits": 4}}])
def test_what_is_no_plain_bert_is_left_to_transformers(tmp_path, changed):
    folder = tiny_encoder(tmp_path)
    config = folder / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | changed))
    assert plain_bert(folder, 9) is None
    (folder / WEIGHTS).unlink()
    assert plain_bert(folder, 9) is None


def test_an_encoder_is_loaded_without_importing_transformers(tmp_path):
    modules = loaded(
        "from scorer.models.known import Machine\n"
        "from scorer.models.sources import find\n"
        "from scorer.models.transformers_encoder import TransformersEncoder\n"
        f"TransformersEncoder(find({str(tiny_encoder(tmp_path))!r}), 2, Machine()).embed(['a b'])",
        tmp_path)
    assert "torch" in modules
    assert "transformers" not in modules


def test_without_a_gpu_the_reason_says_so(folder):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(NotMeasured, match="no GPU is at hand; score with --device cpu"):
        judge(folder, device="cuda")


def test_pairs_are_cut_as_transformers_cuts_them(folder):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    ours = judge(folder)._tokenizer
    for pair in [*made_up_pairs(), TextPair("", ""), TextPair("naïve \u200b\U0001f600", "İ ß"),
                 TextPair("a " * 63, "b " * 64), TextPair("a " * 500, "b"),
                 TextPair("a", "b " * 500)]:
        wanted = tokenizer([tuple(pair)], truncation="longest_first", max_length=128)
        [found] = ours.encode_batch([tuple(pair)])
        assert [found.ids] == wanted["input_ids"]
        assert [found.type_ids] == wanted["token_type_ids"]
