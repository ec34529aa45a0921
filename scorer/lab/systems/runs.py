"""One training run of a system in its folder: what lies there already, and what is left in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from scorer.core.errors import DataError, UsageError
from scorer.core.files import sha256, write_atomically
from scorer.lab.systems import records
from scorer.lab.systems.records import FILE, WEIGHTS, Base, Data, Trained, TrainingRequest
from scorer.lab.training import provenance
from scorer.lab.training.provenance import check_same
from scorer.models.sources import Advice, locate, weights_digest


class RunOutput(NamedTuple):
    """What a run has made before it is written."""

    learned: Sequence[Any]
    held_out: Sequence[Any]
    learner: Any
    figures: Mapping[str, float]
    """Of the best epoch."""
    epochs: Sequence[Any]


@dataclass(frozen=True)
class Run:
    """One run in one folder."""

    system: str
    data: Data
    request: TrainingRequest
    settings: Mapping[str, Any]
    base: Base | None
    versions: Mapping[str, str] = field(default_factory=provenance.versions)
    machine: Callable[[], str] = provenance.machine

    @property
    def state(self) -> Path:
        """The folder of what a run keeps until it is over."""
        return self.request.out / "state"

    @property
    def key(self) -> dict[str, Any]:
        """What decides the weights."""
        return {"system": self.system, "settings": {**self.settings},
                "training data": self.data.sha256,
                "base": self.base.weights if self.base else None}

    def finished(self) -> Trained | None:
        """What lies there already. Raises UsageError if that is another system, or of others."""
        out = self.request.out
        if not (out / FILE).is_file():
            return None
        try:
            trained = records.read(out)
        except DataError as fault:
            raise UsageError(f"{out}: its {FILE} cannot be read; choose another folder with --out, "
                             "or remove that one") from fault
        what = f"a trained {trained.system}"
        check_same(out, what, {"system": trained.system}, {"system": self.system})
        check_same(out, what, {
            "system": trained.system, "settings": trained.settings,
            "training data": trained.data.get("train"),
            "base": trained.base.weights if trained.base else None}, self.key)
        return trained

    def fit(self, make: Callable[[Sequence[Any], Sequence[Any]], Any]) -> RunOutput:
        """Train what is made of items to learn from and held-out ones, or go on where a run was
        stopped."""
        from scorer.lab.training.trainer import train

        learned, held_out = self.data.parts(self.request.seed)
        learner = make(learned, held_out)
        epochs = train(learner, self.state, self.key)
        best = max(epochs, key=lambda epoch: epoch.score)
        return RunOutput(learned, held_out, learner,
                         {**best.figures, "best epoch": best.number}, epochs)

    def keep(self, weights: bytes, name: str = WEIGHTS) -> str:
        """Write the weights; returns their digest."""
        write_atomically(self.request.out / name, weights)
        return sha256(weights)

    def trained(self, learned: Sequence[Any], held_out: Sequence[Any], weights: str,
                counts: tuple[int, int], figures: Mapping[str, float], epochs: Sequence[Any] = (),
                ) -> Trained:
        """What is said of the system; ``counts``: of trained and all parameters."""
        kinds: dict[str, Any] = {**records.kinds_of(self.data.settings)}
        return Trained(
            schema=1, system=self.system, board=self.data.board, data={"train": self.data.sha256},
            items=len(learned), held_out=len(held_out), base=self.base, weights=weights,
            trained_parameters=counts[0], parameters=counts[1], settings=self.settings,
            seed=self.request.seed, epochs=tuple(one.to_json() for one in epochs), figures=figures,
            seconds=round(sum(epoch.seconds for epoch in epochs)), machine=self.machine(),
            versions=self.versions, **kinds)

    def end(self, trained: Trained) -> Trained:
        """Write it, and remove the state."""
        records.write(self.request.out, trained)
        shutil.rmtree(self.state, ignore_errors=True)
        return trained


def base_from(source: str, advice: Advice) -> tuple[Path, Base]:
    """The folder of a base, and what is said of it. Raises NotMeasured if it cannot be had."""
    folder = locate(source, advice=advice)
    return folder, Base(source=source, weights=weights_digest(folder))


def counts_of(model: Any) -> tuple[int, int]:
    """How many parameters training changes, and how many a model has."""
    sizes = [(parameter.numel(), parameter.requires_grad) for parameter in model.parameters()]
    return sum(size for size, trains in sizes if trains), sum(size for size, _ in sizes)
