"""What systems on a small encoder share: the network, how it reads, and weights as a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch
from safetensors.torch import load

from scorer.core.errors import NotMeasured
from scorer.lab.systems import records
from scorer.lab.systems.records import Trained
from scorer.lab.training import trainer
from scorer.lab.training.trainer import Course, Fraction, Item, Learner, Whole, Width
from scorer.models import loading

AnyModel = TypeVar("AnyModel", bound=torch.nn.Module)


class EncoderCourse(Course):
    """Of an encoder with something put on it; the learning rate is that of its adapters, or of all
    its weights where there are none."""

    warmup: Fraction = 0.06
    weight_decay: Fraction = 0.01
    patience: Width | None = 3
    head_rate: Fraction = 1e-3
    """Of what is put on the encoder."""
    rank: Whole | None = 8
    """Rank of the low-rank adapters on all linear layers; None trains every weight."""
    alpha: Width = 16
    dropout: Fraction = 0.1
    hidden: Width = 128
    """Width of the layer that is put on it; 0 where there is none."""


def encoder_of(base: Path, rank: int | None, alpha: int) -> Any:
    """An encoder; ``rank``: of low-rank adapters on all its linear layers, None trains them all.

    Raises NotMeasured for incomplete weights.
    """
    encoder, missing = loading.encoder_of(
        base, **({"attention_probs_dropout_prob": 0.0} if rank else {}))
    if missing:
        raise NotMeasured(f"the base's weights lack {missing[0]}")
    if getattr(encoder, "pooler", None) is not None:
        encoder.pooler = None  # reads the first token alone, and is not used
    return encoder if rank is None else trainer.with_adapters(encoder, rank, alpha)


class EncoderNetwork(torch.nn.Module):
    """An encoder with its tokenizer; systems put their own heads on it."""

    def __init__(self, base: Path, course: EncoderCourse) -> None:
        """The seed draws adapters, and heads that are added next. Raises NotMeasured for incomplete
        weights."""
        super().__init__()
        torch.manual_seed(course.seed)
        self.encoder = encoder_of(base, course.rank, course.alpha)
        self.tokenizer: Any = loading.tokenizer_of(base)
        self.course: Any = course
        self.width: int = self.encoder.config.hidden_size

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return next(self.parameters()).device

    def means(self, *texts: Sequence[str]) -> torch.Tensor:
        """The mean of a text's token vectors, shape (texts, width).

        ``texts``: some to be read by themselves, or two lists to be read in pairs; what is behind
        ``course.most_tokens`` is cut.
        """
        inputs = self.tokenizer(*map(list, texts), padding=True, truncation=True,
                                return_tensors="pt", max_length=self.course.most_tokens)
        inputs = inputs.to(self.device)
        mask = inputs["attention_mask"].unsqueeze(-1)
        hidden = self.encoder(**inputs).last_hidden_state
        means: torch.Tensor = (hidden * mask).sum(dim=1) / mask.sum(dim=1).clamp_min(1)
        return means


class EncoderLearner(Learner[Item]):
    """Trains ``model.encoder`` at one rate, and all else at another."""

    def groups(self) -> list[dict[str, Any]]:
        """Of the encoder, and of what is put on it."""
        named = [pair for pair in self.model.named_parameters() if pair[1].requires_grad]
        return [{"params": [item for name, item in named if name.startswith("encoder.") == inside],
                 "lr": self.course.learning_rate if inside else self.course.head_rate}
                for inside in (True, False)]


def loaded(folder: Path, made_of: Trained, model: AnyModel) -> AnyModel:
    """A new network with a system's weights, ready to answer.

    Raises UsageError or DataError without them, or if they are others than its file names;
    NotMeasured if they are none, or their names or shapes are not the network's.
    """
    content = records.weights_of(folder, made_of)
    try:
        weights = load(content)
    except Exception as fault:  # foreign bytes can break a reader in any way
        raise NotMeasured("the weights are no safetensors file; train the system again") from fault
    shapes, wanted = ({name: value.shape for name, value in tensors.items()}
                      for tensors in (weights, trainer.trained(model)))
    if shapes != wanted:
        raise NotMeasured("the weights do not fit the board and the base as these versions of "
                          "transformers and peft load it; train the system again")
    model.load_state_dict({name: value.float() for name, value in weights.items()}, strict=False)
    return model.eval().to(loading.device())
