"""SeCA and EA with a made-up judge, and the real judge code with a tiny random model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scorer.errors import NotMeasured
from scorer.metrics.ea import ea
from scorer.metrics.seca import seca
from scorer.models import Models
from scorer.records import TextPair
from tests.fakes import WordJudge

LABELS = ("support", "counter", "incorrect")
CHAIN = (("trains", "causes", "support"), ("support", "is a", "goal"), ("goal", "desires", "x"))


def test_seca_asks_whether_the_judge_infers_the_gold_label() -> None:
    judge = WordJudge(LABELS)
    right, wrong = seca([("b", CHAIN, "support"), ("b", CHAIN, "counter")], judge=judge)
    assert (right.value, wrong.value) == (1, 0)
    assert right.parts["p support"] == pytest.approx(3 / 5, abs=1e-6)  # 1 + 2 of 3 + 2


def test_a_tie_goes_to_the_first_label() -> None:
    [score] = seca([("b", (("a", "r", "c"),), "support")], judge=WordJudge(LABELS))
    assert score.value == 1


def test_ea_is_the_share_of_edges_without_which_the_judge_is_less_sure() -> None:
    [score] = ea([("b", "a", CHAIN, "support")], judge=WordJudge(LABELS[:2]))
    # support occurs in two edges; without either the share falls from 3/4 to 2/3
    assert score.value == score.parts["decided"] == 2 / 3
    assert score.parts["smallest difference"] == 0


def test_a_difference_within_float_noise_is_counted_but_not_decided() -> None:
    class Wavering(WordJudge):
        def probabilities(self, pairs: Any) -> Any:
            sure = np.linspace(0.5, 0.49996, len(pairs), dtype=np.float32)
            return np.stack([sure, 1 - sure], axis=1)

    [score] = ea([("b", "a", CHAIN, "support")], judge=Wavering(LABELS[:2]))
    assert (score.value, score.parts["decided"]) == (1, 0)
    assert 0 < score.parts["smallest difference"] < 1e-4


def test_no_items_give_no_scores() -> None:
    assert seca([], judge=NoPairs(LABELS)) == ea([], judge=NoPairs(LABELS[:2])) == []


class NoPairs(WordJudge):
    """Like the real judge, for no pairs: an empty table."""

    def probabilities(self, pairs: Any) -> Any:
        assert not pairs
        return np.zeros((0, len(self.labels)), np.float32)


def test_without_a_judge_the_reason_names_the_option() -> None:
    with pytest.raises(NotMeasured, match="no seca judge is named; score with --model seca=SOURCE"):
        Models()("seca")


# ---- the real judge code ---------------------------------------------------------------------


def tiny_model(folder: Path, labels: tuple[str, ...]) -> Path:
    """A random classifier of two small layers with the tokenizer of the embedded encoder."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from scorer.encoders import KNOWN
    from scorer.sources import locate

    try:
        files = locate(KNOWN["minilm-l6"].source)
    except NotMeasured as reason:
        pytest.skip(str(reason))
    torch.manual_seed(5)
    config = transformers.BertConfig(
        vocab_size=30522, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=64, id2label=dict(enumerate(labels)), initializer_range=0.5,
        label2id={label: place for place, label in enumerate(labels)},
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    names = ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt")
    for name in names:
        (folder / name).write_bytes((files / name).read_bytes())
    return folder


def plain_loop(folder: Path, pairs: list[TextPair]) -> Any:
    """As the released scripts: batches of 8, padded to 128."""
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = BertForSequenceClassification.from_pretrained(folder).eval()
    rows = []
    for start in range(0, len(pairs), 8):
        batch = pairs[start : start + 8]
        inputs = tokenizer(
            [pair.first for pair in batch], [pair.second for pair in batch], padding="max_length",
            truncation="longest_first", max_length=128, return_tensors="pt",
        )
        with torch.inference_mode():
            rows.append(torch.softmax(model(**inputs).logits, dim=-1).numpy())
    return np.concatenate(rows)


def made_up_pairs() -> list[TextPair]:
    words = ["trains", "flights", "smoke", "cities", "quiet", "people", "cost", "time", "health",
             "sleep"]
    pairs = []
    for n in range(40):
        facts = [f"({words[(n + i) % 10]}; causes; {words[(3 * n + i) % 10]})"
                 for i in range(1 + n % 9)]
        pairs.append(TextPair(f"{words[n % 10]} matter", "".join(facts)))
    return [*pairs, TextPair("long " * 200, "text " * 200), pairs[0]]


@pytest.mark.models
def test_the_batched_judge_decides_as_the_plain_padded_loop(tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "judge", LABELS)
    judge = Models({"seca": str(folder)})("seca")
    pairs = made_up_pairs()
    ours, plain = judge.probabilities(pairs), plain_loop(folder, pairs)
    assert np.abs(ours - plain).max() < 1e-5
    assert (ours.argmax(axis=1) == plain.argmax(axis=1)).all()
    assert (ours == judge.probabilities(pairs)).all()
    assert len(set(plain.argmax(axis=1))) > 1  # the comparison is about something


@pytest.mark.models
@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (("support", "counter"), "has 2 labels; expected 3"),
        (("counter", "support", "incorrect"), "labels are counter, support, incorrect; expected"),
    ],
)
def test_a_judge_with_other_labels_is_not_measured(
    labels: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    folder = tiny_model(tmp_path / "judge", labels)
    with pytest.raises(NotMeasured, match=said):
        Models({"seca": str(folder)})("seca")


@pytest.mark.models
def test_broken_weights_are_a_reason_and_no_traceback(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(NotMeasured, match="model ea cannot be loaded from"):
        Models({"ea": str(tmp_path)})("ea")
