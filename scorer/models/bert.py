"""BERT's encoder on torch alone: to the bit what transformers computes, without its import.

Importing transformers' BERT takes three seconds, about a third of a cold score with the small
encoder. What is no plain BERT is left to transformers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors import safe_open
from torch.nn import functional

from scorer.models.sources import WEIGHTS

_PLAIN: dict[str, tuple[Any, ...]] = {
    "model_type": ("bert",), "hidden_act": ("gelu",), "position_embedding_type": ("absolute", None),
    "is_decoder": (False, None), "add_cross_attention": (False, None),
    "quantization_config": (None,),
}
"""What a configuration must say, None where it may be silent."""


class Shape(NamedTuple):
    """The sizes of a model, named as in its configuration."""

    vocab_size: int
    max_position_embeddings: int
    type_vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_attention_heads: int
    num_hidden_layers: int
    layer_norm_eps: float
    pad_token_id: int


def shape_of(folder: Path) -> Shape | None:
    """The sizes of the plain BERT in a folder; None if it is something else."""
    path = folder / "config.json"
    config = json.loads(path.read_bytes()) if path.is_file() else {}
    if any(config.get(name) not in values for name, values in _PLAIN.items()):
        return None
    sizes: list[Any] = [config.get(name) for name in Shape._fields]
    return Shape(*sizes) if all(isinstance(size, int | float) for size in sizes) else None


def load(folder: Path, layers: int) -> Bert | None:
    """The first layers of the plain BERT in a folder, in float32.

    None if it is something else, or if its one safetensors file lacks any of it or names it
    differently: then transformers has to say.
    """
    shape, path = shape_of(folder), folder / WEIGHTS
    if shape is None or not path.is_file():
        return None
    with torch.device("meta"):
        model = Bert(shape._replace(num_hidden_layers=min(layers, shape.num_hidden_layers)))
    wanted = model.state_dict()
    with safe_open(path, framework="pt") as file:
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

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.config = shape
        self.embeddings = _Embeddings(shape)
        self._layers = [_Layer(shape) for _ in range(shape.num_hidden_layers)]
        self.encoder = torch.nn.ModuleDict({"layer": torch.nn.ModuleList(self._layers)})

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor
                ) -> tuple[torch.Tensor]:
        """Shape (texts, tokens) to (texts, tokens, width); the mask is 0 for padding."""
        mask = None if bool(attention_mask.all()) else attention_mask.bool()[:, None, None, :]
        vectors = self.embeddings(input_ids)
        for layer in self._layers:
            vectors = layer(vectors, mask)
        return (vectors,)


class _Embeddings(torch.nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.hidden_size
        self.word_embeddings = torch.nn.Embedding(shape.vocab_size, width)
        self.position_embeddings = torch.nn.Embedding(shape.max_position_embeddings, width)
        self.token_type_embeddings = torch.nn.Embedding(shape.type_vocab_size, width)
        self.LayerNorm = torch.nn.LayerNorm(shape.hidden_size, eps=shape.layer_norm_eps)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        vectors = self.word_embeddings(ids) + self.token_type_embeddings.weight[0]
        output: torch.Tensor = self.LayerNorm(
            vectors + self.position_embeddings.weight[: ids.shape[1]])
        return output


class _Layer(torch.nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.attention = _Attention(shape)
        self.intermediate = torch.nn.ModuleDict({
            "dense": torch.nn.Linear(shape.hidden_size, shape.intermediate_size)})
        self.output = _Output(shape.intermediate_size, shape)

    def forward(self, vectors: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        vectors = self.attention(vectors, mask)
        output: torch.Tensor = self.output(
            functional.gelu(self.intermediate["dense"](vectors)), vectors)
        return output


class _Attention(torch.nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.self = torch.nn.ModuleDict({
            name: torch.nn.Linear(shape.hidden_size, shape.hidden_size)
            for name in ("query", "key", "value")})
        self.output = _Output(shape.hidden_size, shape)
        self._heads = shape.num_attention_heads

    def forward(self, vectors: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        query, key, value = (
            part(vectors).unflatten(-1, (self._heads, -1)).transpose(1, 2)
            for part in self.self.values())
        seen = functional.scaled_dot_product_attention(
            query, key, value, mask, scale=query.shape[-1] ** -0.5)
        output: torch.Tensor = self.output(seen.transpose(1, 2).flatten(2), vectors)
        return output


class _Output(torch.nn.Module):
    def __init__(self, width: int, shape: Shape) -> None:
        super().__init__()
        self.dense = torch.nn.Linear(width, shape.hidden_size)
        self.LayerNorm = torch.nn.LayerNorm(shape.hidden_size, eps=shape.layer_norm_eps)

    def forward(self, vectors: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
        output: torch.Tensor = self.LayerNorm(self.dense(vectors) + before)
        return output
