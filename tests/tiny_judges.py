"""Tiny random judges for tests, made with the tokenizer of the small encoder."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from scorer.core.errors import NotMeasured
from scorer.core.records import TextPair
from scorer.models.judge_card import SCHEMA
from scorer.models.known import ENCODERS
from scorer.models.sources import adapter_digest, locate, weights_digest

LABELS = ("support", "counter", "incorrect")


def tiny_config(labels: tuple[str, ...]) -> Any:
    """Two small layers."""
    transformers = pytest.importorskip("transformers")
    return transformers.BertConfig(
        vocab_size=30522, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=64, id2label=dict(enumerate(labels)), initializer_range=0.5,
        label2id={label: place for place, label in enumerate(labels)},
    )


def tiny_judge(folder: Path, labels: tuple[str, ...] = LABELS) -> Path:
    """A random classifier of two small layers."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(5)
    transformers.BertForSequenceClassification(tiny_config(labels)).save_pretrained(folder)
    return with_tokenizer(folder)


def tiny_encoder(folder: Path) -> Path:
    """The same without a head."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(6)
    transformers.BertModel(tiny_config(LABELS)).save_pretrained(folder)
    return with_tokenizer(folder)


def with_tokenizer(folder: Path) -> Path:
    """Put the small encoder's tokenizer into a model's folder."""
    try:
        files = locate(ENCODERS["minilm-l6"].source)
    except NotMeasured as reason:
        pytest.skip(str(reason))
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"):
        (folder / name).write_bytes((files / name).read_bytes())
    return folder


def tiny_adapter(folder: Path, base: Path, labels: tuple[str, ...] = LABELS) -> Path:
    """A random adapter on a headless model, with a card."""
    peft = pytest.importorskip("peft")
    torch = pytest.importorskip("torch")
    from transformers import AutoModelForSequenceClassification

    from scorer.models.loading import quietly

    torch.manual_seed(7)
    with quietly(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # libraries of each other
        model = AutoModelForSequenceClassification.from_pretrained(base, num_labels=len(labels))
        adapted = peft.get_peft_model(model, peft.LoraConfig(
            task_type="SEQ_CLS", r=4, lora_alpha=16, lora_dropout=0.1, target_modules="all-linear",
            init_lora_weights=False,
        ))
        adapted.save_pretrained(folder)
    write_card(folder, base, labels)
    return folder


def write_card(folder: Path, below: Path, labels: tuple[str, ...] = LABELS, **other: Any) -> None:
    """A card that fits the files as they are."""
    digest = weights_digest(below)
    card = {
        "schema": SCHEMA, "judge": "seca", "name": "tiny", "data": {}, "training": {},
        "base": {"source": str(below), "weights": digest}, "labels": list(labels),
        "most_tokens": 128, "weights": adapter_digest(digest, folder), "evaluations": [],
    }
    (folder / "card.json").write_text(json.dumps(card | other))


def made_up_pairs() -> list[TextPair]:
    """Pairs of many lengths, one too long, one twice."""
    words = ["trains", "flights", "smoke", "cities", "quiet", "people", "cost", "time", "health",
             "sleep"]
    pairs = [TextPair(f"{words[n % 10]} matter", "".join(
        f"({words[(n + i) % 10]}; causes; {words[(3 * n + i) % 10]})" for i in range(1 + n % 9)))
        for n in range(40)]
    return [*pairs, TextPair("long " * 200, "text " * 200), pairs[0]]
