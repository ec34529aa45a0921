"""Training a judge on torch, transformers and peft: train it, load it as everyone will, measure it,
write its card."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import torch
from peft import TaskType, get_peft_model_state_dict, set_peft_model_state_dict
from safetensors.torch import load_file, save
from transformers import AutoModelForSequenceClassification

from scorer.core.errors import DataError, NotMeasured
from scorer.core.files import json_bytes, sha256_file, write_atomically
from scorer.lab.systems.records import machine, versions
from scorer.lab.training import evaluate, trainer
from scorer.lab.training import examples as known
from scorer.lab.training.examples import Example
from scorer.lab.training.trainer import Course, Epoch, Fraction, Learner, Whole, Width
from scorer.models import judge_card as cards
from scorer.models import sources
from scorer.models.judge_card import Card, JudgeName
from scorer.models.known import JUDGES
from scorer.models.loading import model_of, tokenizer_of
from scorer.models.sources import ADAPTER, ADAPTER_CONFIG, adapter_digest, locate, weights_digest

SHIFT = "shift"
"""What is added to the logit of ``incorrect`` in the weights of an epoch."""
LEAST = 1e-7
"""Probabilities below this are not distinguished from it in the loss."""


class TrainingSettings(Course):
    """Everything that decides a training run, but for data and base."""

    epochs: Whole = 3
    learning_rate: Fraction = 1e-5
    batch_size: Whole = 32
    warmup: Fraction = 0.06
    weight_decay: Fraction = 0.01
    patience: Width | None = 2
    most_tokens: Whole = 128
    rank: Whole | None = None
    """Rank of the low-rank adapters on all linear layers; None trains every weight."""
    alpha: Whole = 16
    most: Mapping[str, int] = {}
    """At most so many examples of a kind an epoch, drawn anew each time; others: all."""
    start: str = ""
    """SHA-256 of the adapter whose matrices training starts from; none: they start at 0."""


class JudgeLearner(Learner[Example]):
    """A judge, and the examples that it learns from and is stopped by."""

    def __init__(self, base: Path, labels: tuple[str, ...], settings: TrainingSettings,
                 learned: Sequence[Example], stopping: Sequence[Example],
                 start: Path | None = None) -> None:
        """``start``: the weights of an adapter of the same base and rank, ``settings.start`` their
        digest. Raises NotMeasured if they do not fit.
        """
        torch.manual_seed(settings.seed)
        self.tokenizer = tokenizer_of(base)
        model, _ = model_of(
            AutoModelForSequenceClassification, base, id2label=dict(enumerate(labels)),
            label2id={label: index for index, label in enumerate(labels)},
            **({"attention_probs_dropout_prob": 0.0} if settings.rank else {}))
        if settings.rank:
            model = trainer.with_adapters(model, settings.rank, settings.alpha,
                                          task_type=TaskType.SEQ_CLS)
        if start is not None:
            _take(model, start)
        super().__init__(model, settings, learned, stopping)
        self._labels = labels

    def fit(self, folder: Path) -> list[Epoch]:
        """Train until the stopping score no longer rises; the best epoch's weights are left."""
        done = trainer.train(self, folder, self.course.to_json())
        best = max(done, key=lambda epoch: epoch.score)
        # The bias of the last linear layer that training changes, for the last label.
        [*_, name] = [name for name, weight in self.model.named_parameters()
                      if weight.requires_grad and name.endswith("bias")
                      and weight.shape == (len(self._labels),)]
        with torch.no_grad():
            self.model.get_parameter(name)[-1] += best.figures[SHIFT]
        return done

    def length(self, item: Example) -> int:
        return len("".join(item.pair))

    def items(self, epoch: int, rng: Random) -> list[Example]:
        chosen: list[Example] = []
        for kind in dict.fromkeys(example.kind for example in self.learned):
            pool = [example for example in self.learned if example.kind == kind]
            most = self.course.most.get(kind, len(pool))
            chosen += rng.sample(pool, most) if most < len(pool) else pool
        # All labels together weigh the same in an epoch.
        counts = Counter(example.expected for example in chosen)
        self._weights = [len(chosen) / (len(counts) * counts[label]) if counts[label] else 0.0
                         for label in range(len(self._labels))]
        return chosen

    def loss(self, batch: Sequence[Example]) -> torch.Tensor:
        """The mean over a batch of minus the logarithm of what the prior allows."""
        chances = torch.softmax(self._logits(batch).float(), dim=-1)
        prior = torch.tensor([example.prior for example in batch], device=chances.device)
        weight = torch.tensor([self._weights[example.expected] for example in batch],
                              device=chances.device)
        return -(weight * (prior * chances).sum(dim=-1).clamp_min(LEAST).log()).mean()

    def score(self) -> tuple[float, Mapping[str, float]]:
        """The stopping score, and what to add to the last logit."""
        batches = [*self.measured(64)]
        chances = [torch.softmax(self._logits(batch).float(), dim=-1) for batch in batches]
        value, shift = evaluate.stopping_score(
            self._labels, [*chain.from_iterable(batches)],
            torch.cat(chances).double().cpu().numpy())
        return value, {SHIFT: shift}

    def save(self, folder: Path, source: str) -> None:
        """Write what was trained: an adapter in half precision, or the whole model."""
        folder.mkdir(parents=True, exist_ok=True)
        if self.course.rank is None:
            self.model.save_pretrained(folder)
            self.tokenizer.save_pretrained(folder)
            return
        weights = get_peft_model_state_dict(self.model, save_embedding_layers=False)
        write_atomically(folder / ADAPTER, save({
            name: value.detach().cpu().half().contiguous() for name, value in weights.items()
        }))
        config = self.model.peft_config["default"].to_dict() | {
            "base_model_name_or_path": source, "inference_mode": True,
        }
        plain = {name: sorted(value) if isinstance(value, set) else value
                 for name, value in config.items()}
        write_atomically(folder / ADAPTER_CONFIG, json_bytes(plain))

    def _logits(self, examples: Sequence[Example]) -> Any:
        inputs = self.tokenizer(
            [item.pair.first for item in examples], [item.pair.second for item in examples],
            padding=True, truncation="longest_first", max_length=self.course.most_tokens,
            return_tensors="pt",
        ).to(self.model.device)
        return self.model(**inputs).logits


def _take(model: Any, weights: Path) -> None:
    """Start from another judge's adapter; the head, which knows other labels, starts anew."""
    wanted = get_peft_model_state_dict(model, save_embedding_layers=False)
    tensors = load_file(weights)
    fitting = {name: tensors[name].to(value.dtype) for name, value in wanted.items()
               if name in tensors and tensors[name].shape == value.shape}
    if not all(name in fitting for name in wanted if "lora_" in name):
        raise NotMeasured(f"{weights} has other matrices than this base and rank ask for")
    set_peft_model_state_dict(model, wanted | fitting)


SMALL_EPOCH = {"paraphrase": 75, "unlinked": 75, "incoherent": 150, "scrambled": 100,
               known.PERTURBED: 100, known.FLIPPED: 300, known.OTHER: 300,
               known.NEGATED: 300, known.REARRANGED: 150, known.NULL: 200}
"""Examples of the made kinds in one epoch, so that people's graphs are most of what is seen."""


def train_judge(judge: JudgeName, base: str, data: Path, out: Path, settings: TrainingSettings, *,
                command: str, start: Path | None = None) -> Card:
    """Train a judge into ``out`` and return its card, which is written there too.

    ``base`` is a model's source, ``data`` a folder with the board's files, ``start`` the folder of
    an adapter of the same base that training starts from. A run that was killed
    goes on where it was. Raises DataError for files that are missing, NotMeasured for the base.
    """
    info = JUDGES[judge]
    folder = locate(base, advice=sources.FOR_BASE)
    parts = known.parted(known.examples_of(judge, data, settings.seed), settings.seed)
    weights = start / ADAPTER if start is not None else None
    if weights is not None:
        if not weights.is_file():
            raise DataError(f"{weights}: no such file; --start names an adapter's folder")
        settings = settings.model_copy(update={"start": sha256_file(weights)})
    learner = JudgeLearner(
        folder, info.labels, settings, parts["train"],
        [part for part in parts["stopping"] if part.kind in known.STOPPING], weights)
    epochs = learner.fit(out / "state")
    learner.save(out, base)
    base_digest = weights_digest(folder)
    card = Card(
        judge=judge, name=out.resolve().name,
        weights=adapter_digest(base_digest, out) if settings.rank else weights_digest(out),
        labels=info.labels, most_tokens=settings.most_tokens,
        base={"source": base, "weights": base_digest},
        data={"files": evaluate.digests(judge, data), "licence": evaluate.LICENCE, "examples": {
            part: dict(Counter(example.kind for example in group))
            for part, group in parts.items()}},
        training={
            "settings": settings.to_json(),
            "epochs": [epoch.to_json() for epoch in epochs],
            "best": max(epochs, key=lambda epoch: epoch.score).number,
            "seconds": round(sum(epoch.seconds for epoch in epochs)),
            "machine": machine(), "versions": versions(), "command": command,
        })
    cards.write(card, out)  # a judge is loaded by its card
    card = evaluate.with_figures(card, f"adapter:{out}" if settings.rank else str(out), data)
    cards.write(card, out)
    shutil.rmtree(out / "state", ignore_errors=True)
    return card
