"""The encoder on torch and transformers: safetensors only, no remote code, each sentence once.

Equal to what bert_score 0.3.13 feeds its greedy matching: the tokenizer's own special tokens,
truncation at the model's length, the hidden states of one layer, each vector of length 1.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from scorer.core.errors import NotMeasured
from scorer.models import bert
from scorer.models.batches import Runner, Tokens
from scorer.models.known import Machine
from scorer.models.loading import encoder_of
from scorer.models.sources import ModelFiles

REMEMBERED_BYTES = 256 * 1024**2
"""Of vectors, above which the next call begins anew: some 16,000 sentences of the small encoder."""


class TransformersEncoder:
    """One model, loaded from a folder; remembers the sentences it has encoded."""

    def __init__(self, files: ModelFiles, layer: int, machine: Machine) -> None:
        """Load the files. ``layer`` is the number of hidden layers to run, from 1.

        Raises NotMeasured if the weights lack a part of those layers.
        """
        self._tokenizer = Tokenizer.from_file(str(files.folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        path = files.folder / "tokenizer_config.json"
        config = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        self._tokenizer.enable_truncation(min(int(config.get("model_max_length", 512)), 512))
        model: Any = bert.load(files.folder, layer)
        if model is None:
            model, missing = encoder_of(files.folder)
            if missing:
                raise NotMeasured(f"its weights lack {missing[0]}")
            model.encoder.layer = model.encoder.layer[:layer]
        self._width = model.config.hidden_size
        self._runner = Runner(model, machine, padding=model.config.pad_token_id or 0)
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, sentences: Sequence[str]) -> list[NDArray[np.float32]]:
        """Token vectors of each sentence, shape (tokens, width); new ones are encoded."""
        if sum(vectors.nbytes for vectors in self._known.values()) > REMEMBERED_BYTES:
            self._known = {}
        new = [text for text in dict.fromkeys(sentences) if text not in self._known]
        texts = [Tokens(tokens.ids, tokens.type_ids) for tokens in self._encoded(new)]
        for batch, vectors in self._runner.run(texts, _unit_vectors):
            self._known |= {new[index]: rows[: len(texts[index].ids)].copy()
                            for index, rows in zip(batch, vectors, strict=True)}
        return [self._known[text] for text in sentences]

    def means(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """One vector of length 1 for each sentence: the mean of its tokens' hidden states.

        That is what sentence-transformers gives for a model with mean pooling. Nothing is
        remembered.
        """
        texts = [Tokens(encoding.ids, encoding.type_ids) for encoding in self._encoded(sentences)]
        vectors = np.zeros((len(texts), self._width), np.float32)
        for batch, states in self._runner.run(texts, _states):
            for index, rows in zip(batch, states, strict=True):
                vectors[index] = rows[: len(texts[index].ids)].mean(axis=0)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors

    def tokens(self, sentences: Sequence[str]) -> list[list[int]]:
        """The numbers of each sentence's tokens, special ones included."""
        return [list(encoding.ids) for encoding in self._encoded(sentences)]

    def _encoded(self, sentences: Sequence[str]) -> list[Encoding]:
        return list(self._tokenizer.encode_batch([text.strip() for text in sentences]))


def _states(output: tuple[torch.Tensor, ...]) -> NDArray[np.float32]:
    """Shape (texts, tokens, width); padding has states too."""
    return np.asarray(output[0].cpu().numpy(), np.float32)


def _unit_vectors(output: tuple[torch.Tensor, ...]) -> NDArray[np.float32]:
    """Shape (texts, tokens, width); padding has vectors too."""
    vectors = torch.nn.functional.normalize(output[0], dim=-1)
    return np.asarray(vectors.cpu().numpy(), np.float32)
