"""Judge models: text pairs in, probabilities of labels out.

SeCA asks a judge which label a graph makes it infer; EA asks how sure of the gold label it is with
and without each edge. Two small judges come with the program; others are named by a source, as
encoders are (``scorer/models/sources.py``). Only ``transformers_judge.py`` and ``lora.py``
import torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scorer.core.records import TextPair

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scorer.models.machine import Machine
    from scorer.models.sources import ModelFiles
    from scorer.models.text_cache import TextCache


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
    source: str | None = None
    """Where it is looked for unless told otherwise."""
    weights: str | None = None
    """SHA-256 of the weights, where they are pinned."""
    graded: bool = False
    """Whether probabilities are compared, so that a label alone is no answer."""

    def tag(self, digest: str, machine: Machine) -> str:
        """The judge's part of a signature: name, longest input, precision and rule of batches,
        weights digest."""
        words = "-".join(machine.words)
        return f"judge:{self.name}-T{self.most_tokens}-{words}-{digest[:12]}"

    def load(self, files: ModelFiles, machine: Machine, cache: TextCache | None) -> Judge:
        """Load the files. Raises ImportError without the models extra."""
        from scorer.models.transformers_judge import TransformersJudge

        return TransformersJudge(files, self.labels, self.most_tokens, machine, cache)


KNOWN = {
    info.name: info
    for info in (
        JudgeInfo("seca", ("support", "counter", "incorrect"), 128, "adapter:seca-minilm"),
        JudgeInfo("ea", ("support", "counter"), 128, "adapter:ea-minilm",
                  graded=True),
    )
}
"""The two judges of ExplaGraphs; label order and length as in the released code (run_seca.py,
run_ea.py and utils_seqa.py of github swarnaHub/ExplaGraphs, commit 67ecab1)."""
