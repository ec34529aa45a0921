"""The one trainer: transformers' Trainer over anything that has batches, a loss and a score.

An epoch's batches are a function of the seed and its number, and a checkpoint is kept after each
epoch, so a run that was killed and started again ends with the same weights as one that was not.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Generic, Self, TypeVar

import torch
import transformers
from pydantic import Field
from safetensors import SafetensorError
from safetensors.torch import load_file, save, save_file

from scorer.core.errors import DataError, NotMeasured
from scorer.core.files import json_bytes, write_atomically
from scorer.core.reading.schema import Document
from scorer.lab.systems.records import (
    STATE,
    Run,
    Trained,
    TrainingRequest,
    check_same,
    counts_of,
)
from scorer.models.loading import quietly

RUN, WEIGHTS = "run.json", "model.safetensors"
"""In every checkpoint: what the run is made of, written last, so only a whole checkpoint has it."""

Item = TypeVar("Item")
Whole = Annotated[int, Field(ge=1, le=4096)]
Width = Annotated[int, Field(ge=0, le=4096)]
Fraction = Annotated[float, Field(ge=0, le=1)]


class Course(Document):
    """Everything that decides a run, but for data and base."""

    epochs: Whole
    learning_rate: Fraction
    batch_size: Whole
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 5
    bfloat16: bool = False
    """Train in bfloat16; weights stay float32, and answers are computed in it."""
    warmup: Fraction = 0.0
    """Share of the steps in which the rate rises; afterwards it falls to 0, both linearly."""
    weight_decay: Fraction = 0.0
    patience: Width | None = None
    """Epochs without a better score after which training ends; None: it runs to its end."""

    @classmethod
    def of(cls, request: TrainingRequest, **changes: Any) -> Self:
        """That of a system: the defaults, some changed, and what the request says."""
        if request.epochs:
            changes["epochs"] = request.epochs
        return cls(seed=request.seed, bfloat16=request.bfloat16, **changes)

    def to_json(self) -> dict[str, Any]:
        """As a record keeps it, every default included."""
        return json.loads(self.model_dump_json())  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Epoch:
    """What is known after one epoch."""

    number: int
    """From 1."""
    loss: float
    score: float
    """Higher is better."""
    seconds: float
    figures: Mapping[str, float] = field(default_factory=dict)
    """Whatever else the score's function found."""

    def to_json(self) -> dict[str, Any]:
        """As a record keeps it: the figures beside the rest."""
        return {"number": self.number, "loss": self.loss, "score": self.score,
                "seconds": self.seconds, **self.figures}


class Learner(Generic[Item]):
    """What is trained, and on what; each model says how long an item is, its loss, its score."""

    def __init__(self, model: torch.nn.Module, course: Course, learned: Sequence[Item],
                 held_out: Sequence[Item]) -> None:
        self.model: Any = model
        self.course: Any = course
        self.learned = learned
        self.held_out = held_out

    def length(self, item: Item) -> int:
        """Items of like length share a batch."""
        raise NotImplementedError

    def loss(self, batch: Sequence[Item]) -> torch.Tensor:
        """The mean loss of a batch."""
        raise NotImplementedError

    def score(self) -> tuple[float, Mapping[str, float]]:
        """What decides which epoch is the best, higher is better, and further figures."""
        raise NotImplementedError

    def groups(self) -> list[dict[str, Any]]:
        """The optimizer's parameters and their rates."""
        return [{"params": [weight for weight in self.model.parameters() if weight.requires_grad],
                 "lr": self.course.learning_rate}]

    def items(self, epoch: int, rng: random.Random) -> Sequence[Item]:
        """What an epoch, from 0, shows."""
        return self.learned

    def batches(self, epoch: int) -> list[list[Item]]:
        """An epoch's items, shuffled into batches, alike in length within, in random order."""
        rng = random.Random(f"{self.course.seed} epoch {epoch}")  # noqa: S311 no secret
        order, size = [*self.items(epoch, rng)], self.course.batch_size
        rng.shuffle(order)
        chunks = []
        for start in range(0, len(order), size * 50):
            part = sorted(order[start : start + size * 50], key=self.length)
            chunks += [part[n : n + size] for n in range(0, len(part), size)]
        rng.shuffle(chunks)
        return chunks

    def measured(self, size: int = 32) -> Iterator[list[Item]]:
        """The held-out items in batches, shortest first; the model is set to answer."""
        self.model.eval()
        order = sorted(self.held_out, key=self.length)
        for start in range(0, len(order), size):
            yield order[start : start + size]


def train(learner: Learner[Any], folder: Path, key: Mapping[str, Any]) -> list[Epoch]:
    """Train until the score no longer rises; the best epoch's weights are left in the model.

    ``folder``: for checkpoints; those there are taken up if they have this ``key``. Raises
    UsageError if they are of another run, NotMeasured for a GPU that is too small.
    """
    folder = folder.resolve()
    last = _last(folder, key)
    with quietly():
        trainer = _Trainer(learner, folder, key)
        try:
            trainer.train(resume_from_checkpoint=last)
        except torch.cuda.OutOfMemoryError as fault:
            raise NotMeasured(f"the GPU's memory is too small ({first_line(fault)}); take a "
                              "smaller base, or try --bf16") from fault
        except (RuntimeError, SafetensorError) as fault:
            if not any(words in str(fault) for words in NO_ROOM):
                raise
            raise DataError(f"{folder}: cannot be written ({first_line(fault)}); make room and "
                            "start again: training goes on after the last whole epoch") from fault
    return trainer.epochs


NO_ROOM = "PytorchStreamWriter", "unexpected pos", "os error"
"""How libraries say that a file cannot be written whole."""


def fitted(run: Run, make: Callable[[Sequence[Any], Sequence[Any]], Learner[Any]],
           keep: Callable[[], str] | None = None) -> Trained:
    """Train what is made of items to learn from and held-out ones; a stopped run goes on.

    ``keep`` writes the weights and gives their digest; else they are written in half precision, as
    a safetensors file.
    """
    learned, held_out = run.data.parts(run.request.seed)
    learner = make(learned, held_out)
    epochs = train(learner, run.request.out / STATE, run.key)
    best = max(epochs, key=lambda epoch: epoch.score)
    weights = keep() if keep else run.keep(save({
        name: value.half() for name, value in trained(learner.model).items()}))
    return run.trained(learned, held_out, weights, counts_of(learner.model),
                       {**best.figures, "best epoch": best.number}, epochs)


def _last(folder: Path, key: Mapping[str, Any]) -> str | None:
    """The last whole checkpoint; what was being written is removed."""
    paths = {}
    for path in folder.glob("checkpoint-*"):
        if (path / RUN).is_file():
            check_same(folder, "a run that was stopped", json.loads((path / RUN).read_bytes()), key)
            paths[int(path.name.rpartition("-")[2])] = str(path)
        else:
            shutil.rmtree(path)
    return paths[max(paths)] if paths else None


class _Batches:
    def __init__(self, learner: Learner[Any]) -> None:
        self._learner = learner
        self._epoch = 0
        self._count = len(learner.batches(0))

    def set_epoch(self, epoch: int) -> None:
        self._epoch = epoch

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[list[Any]]:
        return iter(self._learner.batches(self._epoch))


class _Trainer(transformers.Trainer):
    """Its batches hold any items, and a checkpoint the weights that training changes."""

    def __init__(self, learner: Learner[Any], folder: Path, key: Mapping[str, Any]) -> None:
        course = learner.course
        self._learner, self._folder, self._key = learner, folder, key
        self._batches = _Batches(learner)
        self._begun = time.monotonic()
        super().__init__(
            model=learner.model, eval_dataset=[None],
            callbacks=None if course.patience is None else [
                transformers.EarlyStoppingCallback(course.patience)],
            args=transformers.TrainingArguments(
                output_dir=str(folder), num_train_epochs=course.epochs, seed=course.seed,
                warmup_steps=int(course.warmup * course.epochs * len(self._batches)),
                eval_strategy="epoch", save_strategy="epoch", logging_strategy="epoch",
                save_total_limit=2, load_best_model_at_end=True, greater_is_better=True,
                metric_for_best_model="score", restore_callback_states_from_checkpoint=True,
                use_cpu=not torch.cuda.is_available(), dataloader_pin_memory=False,
                disable_tqdm=not sys.stderr.isatty(), report_to="none"))
        self.remove_callback(transformers.PrinterCallback)

    @property
    def epochs(self) -> list[Epoch]:
        """What is known of each."""
        history: list[dict[str, Any]] = self.state.log_history
        return [Epoch(number, round(entry["loss"], 6), other["eval_score"], other["seconds"],
                      other["figures"])
                for number, (entry, other) in enumerate(zip(
                    (entry for entry in history if "loss" in entry),
                    (entry for entry in history if "eval_score" in entry), strict=True), start=1)]

    def get_train_dataloader(self) -> Any:
        return self._batches

    def create_optimizer(self, model: Any = None) -> Any:
        self.optimizer = torch.optim.AdamW(self._learner.groups(),
                                           weight_decay=self._learner.course.weight_decay)
        return self.optimizer

    def _prepare_inputs(self, inputs: Any) -> Any:
        return inputs

    def compute_loss(self, model: Any, inputs: Any, *_: Any, **__: Any) -> Any:
        with torch.autocast(self.args.device.type, torch.bfloat16,
                            enabled=self._learner.course.bfloat16):
            return self._learner.loss(inputs)

    def evaluate(self, *_: Any, **__: Any) -> dict[str, Any]:
        with torch.inference_mode():
            score, figures = self._learner.score()
        seconds, self._begun = round(time.monotonic() - self._begun, 1), time.monotonic()
        metrics: dict[str, Any] = {
            "eval_score": score, "figures": dict(figures), "seconds": seconds}
        self.log(metrics)
        self.control = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, metrics)
        return metrics

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        folder = Path(output_dir or self._folder)
        folder.mkdir(parents=True, exist_ok=True)
        save_file(trained(self._learner.model), folder / WEIGHTS)

    def _save_checkpoint(self, model: Any, trial: Any) -> None:
        super()._save_checkpoint(model, trial)
        folder = self._folder / f"checkpoint-{self.state.global_step}"
        write_atomically(folder / RUN, json_bytes(self._key))

    def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
        weights = load_file(Path(resume_from_checkpoint) / WEIGHTS)
        self._learner.model.load_state_dict(weights, strict=False)

    def _load_best_model(self) -> None:
        self._load_from_checkpoint(str(self.state.best_model_checkpoint))


def trained(model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """A copy of the weights that training changes, by name."""
    names = {name for name, weight in model.named_parameters() if weight.requires_grad}
    return {name: value.detach().cpu().clone().contiguous()
            for name, value in model.state_dict().items() if name in names}


def with_adapters(model: Any, rank: int, alpha: int, **more: Any) -> Any:
    """A model with low-rank adapters on all its linear layers, which alone are trained."""
    from peft import LoraConfig, get_peft_model

    with warnings.catch_warnings():  # peft asks transformers by an old name
        warnings.simplefilter("ignore", FutureWarning)
        return get_peft_model(model, LoraConfig(
            r=rank, lora_alpha=alpha, target_modules="all-linear", **more))


def first_line(fault: BaseException) -> str:
    """What a library says of a fault, without the rest."""
    return (str(fault).strip().splitlines() or [type(fault).__name__])[0][:200]
