"""The encoder on torch and transformers: safetensors only, no remote code, each sentence once.

Equal to what bert_score 0.3.13 feeds its greedy matching: the tokenizer's own special tokens,
truncation at the model's length, the hidden states of one layer, each vector of length 1.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from tokenizers import Tokenizer
from torch.nn import functional

from scorer.core.errors import NotMeasured
from scorer.models.known import Machine
from scorer.models.loading import Runner, Tokens, encoder_of
from scorer.models.sources import WEIGHTS, ModelFiles

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
        model: Any = plain_bert(files.folder, layer)
        if model is None:
            model, missing = encoder_of(files.folder)
            if missing:
                raise NotMeasured(f"its weights lack {missing[0]}")
            model.encoder.layer = model.encoder.layer[:layer]
        self._width = model.config.hidden_size
        self._runner = Runner(model, machine, padding=getattr(model.config, "pad_token_id", 0) or 0)
        self._known: dict[str, NDArray[np.float32]] = {}

    def embed(self, sentences: Sequence[str]) -> list[NDArray[np.float32]]:
        """Token vectors of each sentence, shape (tokens, width); new ones are encoded."""
        if sum(vectors.nbytes for vectors in self._known.values()) > REMEMBERED_BYTES:
            self._known = {}
        new = [text for text in dict.fromkeys(sentences) if text not in self._known]
        texts = self._encoded(new)
        for batch, vectors in self._runner.run(texts, _unit_vectors):
            self._known |= {new[index]: rows[: len(texts[index].ids)].copy()
                            for index, rows in zip(batch, vectors, strict=True)}
        return [self._known[text] for text in sentences]

    def means(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """One vector of length 1 for each sentence: the mean of its tokens' hidden states.

        That is what sentence-transformers gives for a model with mean pooling. Nothing is
        remembered.
        """
        texts = self._encoded(sentences)
        vectors = np.zeros((len(texts), self._width), np.float32)
        for batch, states in self._runner.run(texts, _states):
            for index, rows in zip(batch, states, strict=True):
                vectors[index] = rows[: len(texts[index].ids)].mean(axis=0)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors

    def tokens(self, sentences: Sequence[str]) -> list[list[int]]:
        """The numbers of each sentence's tokens, special ones included."""
        return [text.ids for text in self._encoded(sentences)]

    def _encoded(self, sentences: Sequence[str]) -> list[Tokens]:
        return [Tokens(encoding.ids, encoding.type_ids) for encoding in
                self._tokenizer.encode_batch([text.strip() for text in sentences])]


def _states(output: tuple[torch.Tensor, ...]) -> NDArray[np.float32]:
    """Shape (texts, tokens, width); padding has states too."""
    return np.asarray(output[0].cpu().numpy(), np.float32)


def _unit_vectors(output: tuple[torch.Tensor, ...]) -> NDArray[np.float32]:
    """Shape (texts, tokens, width); padding has vectors too."""
    vectors = functional.normalize(output[0], dim=-1)
    return np.asarray(vectors.cpu().numpy(), np.float32)


# ---- BERT's encoder on torch alone -------------------------------------------------------------
#
# To the bit what transformers computes, without its import, which takes three seconds, about a
# third of a cold score with the small encoder. What is no plain BERT is left to transformers.

_PLAIN: dict[str, tuple[Any, ...]] = {
    "model_type": ("bert",), "hidden_act": ("gelu",), "position_embedding_type": ("absolute", None),
    "is_decoder": (False, None), "add_cross_attention": (False, None),
    "quantization_config": (None,),
}
"""What a configuration must say, None where it may be silent."""


def plain_bert(folder: Path, layers: int) -> Bert | None:
    """The first layers of the plain BERT in a folder, in float32.

    None if it is something else, or if its one safetensors file lacks any of it or names it
    differently: then transformers has to say.
    """
    paths = folder / "config.json", folder / WEIGHTS
    if not all(path.is_file() for path in paths):
        return None
    config = json.loads(paths[0].read_bytes())
    if any(config.get(name) not in values for name, values in _PLAIN.items()):
        return None
    # Read first when a text is encoded, long after the rest.
    if any(isinstance(config.get(name), str) for name in ("layer_norm_eps", "num_attention_heads")):
        return None
    try:
        with torch.device("meta"):
            model = Bert(SimpleNamespace(**config), layers)
    except (AttributeError, TypeError):  # a size that is missing, or no number
        return None
    wanted = model.state_dict()
    with safe_open(paths[1], framework="pt") as file:
        stored = {*file.keys()}
        start = "" if "embeddings.word_embeddings.weight" in stored else "bert."
        if any(start + name not in stored for name in wanted):
            return None
        weights = {name: file.get_tensor(start + name).float() for name in wanted}
    if any(weights[name].shape != value.shape for name, value in wanted.items()):
        return None
    model.load_state_dict(weights, assign=True)
    return model


class Bert(torch.nn.Module):
    """Token vectors of a text; modules are named as in the files."""

    def __init__(self, config: SimpleNamespace, layers: int) -> None:
        """``config``: sizes, named as in its file; ``layers``: at most so many."""
        super().__init__()
        self.config = config
        self._heads = config.num_attention_heads
        width, inner = config.hidden_size, config.intermediate_size
        linear, of_attention = torch.nn.Linear, ("query", "key", "value")

        def norm() -> torch.nn.LayerNorm:
            return torch.nn.LayerNorm(width, eps=config.layer_norm_eps)

        self.embeddings = torch.nn.ModuleDict({
            "word_embeddings": torch.nn.Embedding(config.vocab_size, width),
            "position_embeddings": torch.nn.Embedding(config.max_position_embeddings, width),
            "token_type_embeddings": torch.nn.Embedding(config.type_vocab_size, width),
            "LayerNorm": norm()})
        self.encoder = _tree({"layer": [{
            "attention": {"self": {name: linear(width, width) for name in of_attention},
                          "output": {"dense": linear(width, width), "LayerNorm": norm()}},
            "intermediate": {"dense": linear(width, inner)},
            "output": {"dense": linear(inner, width), "LayerNorm": norm()},
        } for _ in range(min(layers, config.num_hidden_layers))]})

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor
                ) -> tuple[torch.Tensor]:
        """Shape (texts, tokens) to (texts, tokens, width); the mask is 0 for padding."""
        mask = None if bool(attention_mask.all()) else attention_mask.bool()[:, None, None, :]
        part: Any = self.embeddings
        vectors = part["word_embeddings"](input_ids) + part["token_type_embeddings"].weight[0]
        vectors = part["LayerNorm"](
            vectors + part["position_embeddings"].weight[: input_ids.shape[1]])
        for layer in self.encoder["layer"]:
            attention = layer["attention"]
            query, key, value = (
                attention["self"][name](vectors)
                .unflatten(-1, (self._heads, -1)).transpose(1, 2)
                for name in ("query", "key", "value"))
            seen = functional.scaled_dot_product_attention(
                query, key, value, mask, scale=query.shape[-1] ** -0.5)
            vectors = _added(attention["output"], seen.transpose(1, 2).flatten(2), vectors)
            inner = functional.gelu(layer["intermediate"]["dense"](vectors))
            vectors = _added(layer["output"], inner, vectors)
        return (vectors,)


def _added(part: Any, vectors: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
    """What a half of a layer gives on top of what it was given."""
    output: torch.Tensor = part["LayerNorm"](part["dense"](vectors) + before)
    return output


def _tree(parts: Any) -> Any:
    """Modules in mappings and lists as one module, which names them by their places."""
    if isinstance(parts, dict):
        return torch.nn.ModuleDict({name: _tree(part) for name, part in parts.items()})
    return torch.nn.ModuleList(map(_tree, parts)) if isinstance(parts, list) else parts
