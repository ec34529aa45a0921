"""What a system is trained on, and one training run in its folder: what lies there already, and
what is left in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from scorer.boards import Board
from scorer.boards.golds import read_golds
from scorer.boards.prompts.chat import learned_from
from scorer.core.errors import DataError, NotMeasured, UsageError, excerpt
from scorer.core.files import holding, sha256, sha256_file, write_atomically
from scorer.lab.systems import records
from scorer.lab.systems.records import FILE, WEIGHTS, Base, Data, Trained, TrainingRequest
from scorer.lab.systems.registry import SYSTEMS, System
from scorer.models.sources import Advice, locate, weights_digest

EXTRAS = {"sklearn": "baselines", "threadpoolctl": "baselines"}
"""The extra that brings a module, where it is not that of the models."""


class Found(NamedTuple):
    """A system that was named by itself or by its folder."""

    system: System
    folder: Path | None
    """None, as is ``trained``, if it needs no training."""
    trained: Trained | None


def find(name: str) -> Found:
    """A system without training or one that ships, by its name; or one in a folder.

    Raises UsageError, with the choices, or DataError if it is none of these.
    """
    if name in SYSTEMS and not SYSTEMS[name].trains:
        return Found(SYSTEMS[name], None, None)
    ours = records.shipped()
    folder = ours.get(name, Path(name))
    if not (folder / FILE).is_file():
        raise UsageError(f"{excerpt(name)}: no trained system; name {', '.join(ours)}, or a folder "
                         "that scorer train wrote")
    trained = records.read(folder)
    if trained.system not in SYSTEMS:
        raise DataError(f"{folder / FILE}: no system {excerpt(trained.system)} is known; expected "
                        f"one of {', '.join(SYSTEMS)}")
    return Found(SYSTEMS[trained.system], folder, trained)


@contextmanager
def in_words(what: str) -> Iterator[None]:
    """Turn what is missing on this machine into a DataError that says what did not happen."""
    try:
        yield
    except NotMeasured as reason:
        raise DataError(f"{what}: {reason}") from reason
    except ImportError as missing:
        extra = EXTRAS.get((missing.name or "").partition(".")[0], "models")
        raise DataError(f"{what}: it needs the {extra} extra ({missing.name} is missing): "
                        f"pip install 'whyboard[{extra}]'") from missing


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Have a folder to ourselves. Raises UsageError if another process trains there."""
    with holding(out, wait=False) as ours:
        if not ours:
            raise UsageError(f"{out}: another process is training there; wait until it has ended, "
                             "or choose another folder with --out")
        yield


def data_of(board: Board, home: Path, split: str = "train") -> Data:
    """A split of a board with its gold. Raises UsageError or DataError without it."""
    path = board.data_file(split, home) if board.split(split).gold == "public" else None
    if path is None:
        raise DataError(f"{split} of {board.id} is not on this machine; run: {board.how_to_bring}")
    golds = read_golds(board, split, path)
    return Data(board.id, board.settings, golds.items, golds.sha256, len(board.task.id_columns))


def train_of(board: Board, home: Path, file: Path | None) -> Data:
    """What a system learns from: the train split, or a file where a board has none.

    Raises UsageError or DataError without it, and for a file with items of another split.
    """
    if file is not None:
        return Data(board.id, board.settings, learned_from(board, home, file), sha256_file(file),
                    len(board.task.id_columns))
    if "train" in board.splits:
        return data_of(board, home)
    raise UsageError(f"{board.id} has no train split; name a gold file in the board's columns "
                     "with --learn-from")


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

    @property
    def state(self) -> Path:
        """The folder of what a run keeps until it is over."""
        return self.request.out / "state"

    @property
    def key(self) -> dict[str, Any]:
        """What decides the weights."""
        return {"system": self.system, "training data": self.data.sha256,
                "base": self.base.weights if self.base else None, **self.settings}

    def finished(self) -> Trained | None:
        """What lies there already. Raises UsageError if that is another system, or of others."""
        if not (self.request.out / FILE).is_file():
            return None
        trained = records.read(self.request.out)
        records.check_same(self.request.out, f"a trained {trained.system}", {
            "system": trained.system, "training data": trained.data.get("train"),
            "base": trained.base.weights if trained.base else None, **trained.settings}, self.key)
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
            seconds=round(sum(epoch.seconds for epoch in epochs)),
            machine=records.machine(), versions=records.versions(), **kinds)

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
