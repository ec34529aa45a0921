"""What a system is, what it is given, one training run, and what a trained one leaves on disk.

A trained system is a folder: weights, and ``system.json`` that says what they were made of. A
system is a module with ``fit(name, data, request)``, unless it needs no training, and
``predict(folder, trained, question)``; it is of one task, whose Settings, Gold and Prediction it is
given and gives. One that comes with the program has a ``card.json`` too: what it can do, measured
with several seeds, and its limits.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import Field

from scorer.boards import Board
from scorer.boards.golds import needed_golds
from scorer.boards.prompts import learned_from
from scorer.core.errors import DataError, NotMeasured, UsageError, excerpt
from scorer.core.files import holding, json_bytes, sha256, sha256_file, write_atomically
from scorer.core.graph import Graph
from scorer.core.reading.schema import Count, Document, Number, One, Sha256
from scorer.lab.systems.registry import SYSTEMS, System
from scorer.models.sources import FOR_TRAINED, locate, weights_digest
from scorer.tasks.graphs.graph_items import Settings as GraphSettings
from scorer.tasks.graphs.graph_items import folded

FILE, WEIGHTS, CARD = "system.json", "weights.safetensors", "card.json"
STATE = "state"
"""The folder of what a run keeps until it is over."""
MADE_WITH = {"torch": "torch", "transformers": "transformers", "peft": "peft",
             "tokenizers": "tokenizers", "safetensors": "safetensors", "sklearn": "scikit-learn"}
"""Libraries that decide weights, by the module that each is."""
HELD_OUT = 0.1
"""Share of train that chooses the epoch and is measured."""
SHIPPED = Path(__file__).parent / "embedded"
FOLDERS = {"structured": "structured", "label": "structured/label"}
"""Where each trained system that ships lies below ``SHIPPED``: the structured model has its own
label model inside."""
MOST_WORDS, MOST_EDGES = 3, 8
"""Of a concept and of a graph, where the board names no limit."""


class Base(Document):
    """The pretrained model."""

    source: str
    weights: Sha256


class Trained(Document):
    """What a trained system was made of, and how well it does."""

    schema_: One = Field(alias="schema")
    system: str
    board: str
    data: Mapping[str, Sha256]
    """SHA-256 of the files it was trained on, by split."""
    items: Count
    held_out: Count
    """Items of train that only chose the epoch and were measured."""
    base: Base | None
    """None where nothing pretrained is used."""
    weights: Sha256
    trained_parameters: Count
    parameters: Count
    settings: Mapping[str, Any]
    seed: int
    epochs: tuple[Mapping[str, Any], ...]
    figures: Mapping[str, Number]
    """Of held-out items."""
    seconds: Count
    machine: str
    versions: Mapping[str, str]
    part_of: str | None = None
    """Of a run of a learning curve: the split that it learned some items of."""
    labels: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    """Those of the board, where the system makes graphs."""
    shift: Number = 0
    """What is added to a concept's logarithm of odds; 0 where there are none."""
    edge_shift: Number = 0
    """What is added to an edge's, where no constraint asks for edges."""


class Data(NamedTuple):
    """The train split of one board."""

    board: str
    settings: Any
    golds: Sequence[Any]
    sha256: str
    first: int = 0
    """Where an item's first text stands among its input columns; ids stand before it."""

    def parts(self, seed: int) -> tuple[list[Any], list[Any]]:
        """Items to learn from, and held-out ones; no first text is in both parts.

        Raises UsageError if there are not two first texts.
        """
        names = {self.group(gold) for gold in self.golds}
        order = sorted(names, key=lambda name: hashlib.sha256(f"{seed}\n{name}".encode()).digest())
        if len(order) < 2:
            raise UsageError(f"train of {self.board} has {len(self.golds)} items that share their "
                             "first text; a system is trained on some and measured on others")
        out = {*order[: max(1, round(HELD_OUT * len(order)))]}
        parts: tuple[list[Any], list[Any]] = ([], [])
        for gold in self.golds:
            parts[self.group(gold) in out].append(gold)
        return parts

    def group(self, gold: Any) -> str:
        """What items have in common that must not be in different parts: their first text."""
        return folded(gold.texts[self.first])


class TrainingRequest(NamedTuple):
    """How a system is to be trained."""

    encoder: str
    """Its source."""
    out: Path
    seed: int
    epochs: int | None = None
    every_weight: bool = False
    """Instead of adapters."""
    bfloat16: bool = False
    """Train in that precision."""
    options: Mapping[str, Any] = {}
    """Those of ``System.options`` that have a value."""


@dataclass(frozen=True)
class Question:
    """What a system is to answer, and how."""

    settings: Any
    texts: Sequence[Sequence[str]]
    """The input columns of every item."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Those of ``System.asked`` that have a value; ``external`` has the concepts of every item in
    place of a file."""
    labels: Sequence[str | None] | None = None
    """Of a system that makes graphs: where they come from elsewhere."""
    graphs: Sequence[Graph] | None = None
    """Those of another system, for a model that reads one."""
    train: Sequence[Any] = ()
    """Where concepts from outside are looked for."""


class Predicted(NamedTuple):
    """Predictions, and how they were made."""

    predictions: list[Any]
    decoding: str
    used: tuple[Trained, ...]
    """Every trained model that was asked."""
    remark: str = ""
    """What became of these predictions, in words."""
    source: str = ""
    """What a system without training answers from, in words."""
    models: tuple[tuple[str, str], ...] = ()
    """The source and the digest of every pretrained model that such a system asked."""
    files: Mapping[Path, bytes] = {}
    """What else was asked for, and where it goes."""


def shipped() -> dict[str, Path]:
    """The folders of the systems that this installation has weights of, by name."""
    return {name: SHIPPED / below for name, below in FOLDERS.items()
            if (SHIPPED / below / FILE).is_file()}


def read(folder: Path) -> Trained:
    """What is said of a trained system. Raises UsageError or DataError if the folder has none."""
    try:
        return Trained.read((folder / FILE).read_bytes())
    except OSError as fault:
        raise UsageError(f"{folder}: no trained system ({FILE}: {fault.strerror}); make one with "
                         "scorer train") from fault
    except ValueError as fault:
        raise DataError(f"{folder / FILE}: {fault}; train the system again") from fault


def write(folder: Path, trained: Trained) -> None:
    """Write what is said of it; last, so that a folder without it is not finished."""
    write_atomically(folder / FILE, json_bytes(json.loads(trained.model_dump_json())))


AnyCourse = TypeVar("AnyCourse", bound=Document)


def course_of(kind: type[AnyCourse], trained: Trained) -> AnyCourse:
    """The settings of a trained system as those of its kind.

    Raises DataError for an unknown or absurd one: a system's file may be a stranger's.
    """
    try:
        return kind.read(json.dumps({**trained.settings}).encode())
    except ValueError as fault:
        raise DataError(f"the settings in {FILE}: {fault}; train the system again") from fault


def machine() -> str:
    """The machine's kind in words, such as ``2 CPU cores, x86_64``: no name, no path."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return str(torch.cuda.get_device_name())
    return f"{len(os.sched_getaffinity(0))} CPU cores, {platform.machine()}"


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that are used."""
    return {"python": platform.python_version(), **{
        name: version(name) for module, name in MADE_WITH.items() if module in sys.modules}}


def check_same(folder: Path, what: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise UsageError unless what lies in a folder was made of the same."""
    changed = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
    if "system" in changed:
        changed = ["system"]  # all else differs with it
    if changed:
        others = ", ".join(f"{name} ({str(then.get(name))[:12]}, now {str(now.get(name))[:12]})"
                           for name in changed)
        raise UsageError(f"{folder}: {what} lies there, of another {others}; choose another "
                         "folder with --out, or remove that one")


def kinds_of(settings: Any) -> dict[str, tuple[str, ...]]:
    """The labels and relations of a board of graphs; nothing of another one."""
    if not isinstance(settings, GraphSettings):
        return {}
    return {"labels": settings.labels.values if settings.labels else (),
            "relations": settings.graph.relations}


def check_fits(trained: Trained, board: str, settings: Any, advice: str = "") -> None:
    """Raise UsageError if a system was trained for other labels or relations than a board's."""
    for what, theirs in kinds_of(settings).items():
        if tuple(getattr(trained, what)) != tuple(theirs):
            raise UsageError(f"the system was trained on {trained.board}, whose {what} are not "
                             f"those of {board}; {advice or f'train one with --board {board}'}")


def base_of(trained: Trained) -> Path:
    """The folder of the model it was made from. Raises NotMeasured if that cannot be had."""
    if trained.base is None:
        raise DataError(f"the {FILE} of {trained.system} names no base; train the system again")
    folder = locate(trained.base.source, advice=FOR_TRAINED)
    digest = weights_digest(folder)
    if digest != trained.base.weights:
        raise NotMeasured(f"the system was made from weights with SHA-256 "
                          f"{trained.base.weights[:12]}..., but {trained.base.source} has "
                          f"{digest[:12]}...; install the base it names, or train it again")
    return folder


def weights_of(folder: Path, trained: Trained, name: str = WEIGHTS) -> bytes:
    """The bytes of its weights. Raises UsageError without them, DataError if they are others."""
    try:
        content = (folder / name).read_bytes()
    except OSError as fault:
        raise UsageError(f"{folder / name}: {fault.strerror}; train the system again") from fault
    check_weights(folder, trained, sha256(content))
    return content


def check_weights(folder: Path, trained: Trained, digest: str) -> None:
    """Raise DataError if the weights are others than those that its file names."""
    if digest != trained.weights:
        raise DataError(f"{folder}: the weights have digest {digest[:12]}..., but {FILE} names "
                        f"{trained.weights[:12]}...; train the system again")


# ---- where systems and data are found ---------------------------------------------------------


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
    ours = shipped()
    folder = ours.get(name, Path(name))
    if not (folder / FILE).is_file():
        ready = ", ".join([*ours, *(one for one, system in SYSTEMS.items() if not system.trains)])
        raise UsageError(f"{excerpt(name)}: no trained system; name {ready}, or a folder that "
                         "scorer train wrote")
    trained = read(folder)
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
    golds = needed_golds(board, split, home)
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


@dataclass(frozen=True)
class Run:
    """One run in one folder."""

    system: str
    data: Data
    request: TrainingRequest
    settings: Mapping[str, Any]
    base: Base | None

    @property
    def key(self) -> dict[str, Any]:
        """What decides the weights."""
        return {"system": self.system, "training data": self.data.sha256,
                "base": self.base.weights if self.base else None, **self.settings}

    def finished(self) -> Trained | None:
        """What lies there already. Raises UsageError if that is another system, or of others."""
        if not (self.request.out / FILE).is_file():
            return None
        trained = read(self.request.out)
        check_same(self.request.out, f"a trained {trained.system}", {
            "system": trained.system, "training data": trained.data.get("train"),
            "base": trained.base.weights if trained.base else None, **trained.settings}, self.key)
        return trained

    def keep(self, weights: bytes, name: str = WEIGHTS) -> str:
        """Write the weights; returns their digest."""
        write_atomically(self.request.out / name, weights)
        return sha256(weights)

    def trained(self, learned: Sequence[Any], held_out: Sequence[Any], weights: str,
                counts: tuple[int, int], figures: Mapping[str, float], epochs: Sequence[Any] = (),
                ) -> Trained:
        """What is said of the system; ``counts``: of trained and all parameters."""
        kinds: dict[str, Any] = {**kinds_of(self.data.settings)}
        return Trained(
            schema=1, system=self.system, board=self.data.board, data={"train": self.data.sha256},
            items=len(learned), held_out=len(held_out), base=self.base, weights=weights,
            trained_parameters=counts[0], parameters=counts[1], settings=self.settings,
            seed=self.request.seed, epochs=tuple(one.to_json() for one in epochs), figures=figures,
            seconds=round(sum(epoch.seconds for epoch in epochs)),
            machine=machine(), versions=versions(), **kinds)

    def end(self, trained: Trained) -> Trained:
        """Write it, and remove the state."""
        write(self.request.out, trained)
        shutil.rmtree(self.request.out / STATE, ignore_errors=True)
        return trained


def base_from(source: str, advice: str) -> tuple[Path, Base]:
    """The folder of a base, and what is said of it. Raises NotMeasured if it cannot be had."""
    folder = locate(source, advice=advice)
    return folder, Base(source=source, weights=weights_digest(folder))


def counts_of(model: Any) -> tuple[int, int]:
    """How many parameters training changes, and how many a model has."""
    sizes = [(parameter.numel(), parameter.requires_grad) for parameter in model.parameters()]
    return sum(size for size, trains in sizes if trains), sum(size for size, _ in sizes)
