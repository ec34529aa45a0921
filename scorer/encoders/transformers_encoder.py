"""The encoder on torch and transformers: safetensors only, no remote code, each sentence once.

Equal to what bert_score 0.3.13 feeds its greedy matching: the tokenizer's own special tokens,
truncation at the model's length, the hidden states of one layer, each vector of length 1.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from transformers import AutoModel
from transformers.utils import logging

TOKENS_A_BATCH = 4096
"""Sentences of one length are encoded together, up to this many tokens; none is ever padded."""


class TransformersEncoder:
    """One model, loaded from a folder; remembers every sentence it has encoded."""

    def __init__(self, folder: Path, layer: int) -> None:
        """Load the files. ``layer`` is the number of hidden layers to run, from 1."""
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_longest(folder))
        model = AutoModel.from_pretrained(
            folder, local_files_only=True, use_safetensors=True, trust_remote_code=False,
            dtype=torch.float32,
        )
        model.encoder.layer = model.encoder.layer[:layer]
        self._model = model.eval()
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, sentences: Sequence[str]) -> list[NDArray[np.float32]]:
        """Token vectors of each sentence; those not seen before are encoded, shortest first."""
        new = [text for text in dict.fromkeys(sentences) if text not in self._known]
        encoded = self._tokenizer.encode_batch([text.strip() for text in new])
        by_length: dict[int, list[tuple[str, list[int]]]] = {}
        for text, encoding in zip(new, encoded, strict=True):
            by_length.setdefault(len(encoding.ids), []).append((text, encoding.ids))
        for length, group in sorted(by_length.items()):
            step = max(1, TOKENS_A_BATCH // length)
            for start in range(0, len(group), step):
                self._encode(group[start : start + step])
        return [self._known[text] for text in sentences]

    def _encode(self, batch: Sequence[tuple[str, list[int]]]) -> None:
        with torch.inference_mode():
            ids = torch.tensor([ids for _, ids in batch])
            hidden = self._model(input_ids=ids, attention_mask=torch.ones_like(ids))[0]
            hidden = torch.nn.functional.normalize(hidden, dim=-1)
        for (text, _), vectors in zip(batch, hidden.numpy(), strict=True):
            self._known[text] = vectors


def _longest(folder: Path) -> int:
    """The model's greatest number of tokens, special ones included."""
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return min(int(config.get("model_max_length", 512)), 512)
