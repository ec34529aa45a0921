"""``tiny-t5``: a T5 of random weights whose tokenizer knows a board's train split.

It needs no download and knows no language: for a first try, and for tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration

from scorer.models.batches import quietly

TOKENS = 1024
"""Of the tokenizer: bytes, and what is frequent in train."""
SIZES: dict[str, Any] = {
    "d_model": 64, "d_kv": 16, "d_ff": 256, "num_layers": 2, "num_heads": 4, "dropout_rate": 0.1,
    "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0,
}
SPECIAL = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}


def make(folder: Path, texts: Sequence[str], seed: int) -> Path:
    """Write the model and its tokenizer; returns the folder."""
    end = SPECIAL["eos_token"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(texts, trainers.BpeTrainer(
        vocab_size=TOKENS, special_tokens=[*SPECIAL.values()], show_progress=False,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())))
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {end}", special_tokens=[(end, tokenizer.token_to_id(end))])
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, clean_up_tokenization_spaces=False, **SPECIAL,
    ).save_pretrained(folder)
    torch.manual_seed(seed)
    with quietly():
        T5ForConditionalGeneration(T5Config(
            vocab_size=tokenizer.get_vocab_size(), **SIZES)).save_pretrained(folder)
    return folder
