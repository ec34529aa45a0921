"""What a system is, what it is given, and what a trained one leaves on disk.

A trained system is a folder: weights, and ``system.json`` that says what they were made of. A
system is of one task, whose Settings, Gold and Prediction it is given and gives.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from scorer.errors import DataError, NotMeasured, UsageError, excerpt
from scorer.files import json_bytes, sha256, write_atomically
from scorer.models.sources import FOR_TRAINED, locate, weights_digest
from scorer.reading.documents import Count, Document, Number, One, Sha256, problems
from scorer.tasks.base import Gold, Prediction, Settings
from scorer.tasks.graphs.records import folded

FILE, WEIGHTS = "system.json", "weights.safetensors"
HELD_OUT = 0.1
"""Share of train that chooses the epoch and is measured."""

Bar = Callable[..., Any]
"""``bar(epoch from 0, steps)`` -> something with ``update`` and ``close``."""


class Base(Document):
    """The pretrained encoder."""

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


AnyTrained = TypeVar("AnyTrained", bound=Trained)
Course = TypeVar("Course")
LEAST = {"alpha": 0, "hidden": 0, "width": 0, "patience": 0, "seed": 0, "most_tokens": 8}
"""Of settings that are whole numbers; 1 of all others."""
MOST = {"seed": 2**32 - 1, "most_tokens": 512}
"""The same; 4096 of all others. Of other numbers least and most are 0 and 1."""


class Data(NamedTuple, Generic[Settings, Gold]):
    """The train split of one board."""

    board: str
    settings: Settings
    golds: Sequence[Gold]
    sha256: str
    first: int = 0
    """Where an item's first text stands among its input columns; ids stand before it."""

    def parts(self, seed: int) -> tuple[list[Gold], list[Gold]]:
        """Items to learn from, and held-out ones; no first text is in both parts.

        Raises UsageError if there are not two first texts.
        """
        names = {self.group(gold) for gold in self.golds}
        order = sorted(names, key=lambda name: hashlib.sha256(f"{seed}\n{name}".encode()).digest())
        if len(order) < 2:
            raise UsageError(f"train of {self.board} has {len(self.golds)} items that share their "
                             "first text; a system is trained on some and measured on others")
        out = {*order[: max(1, round(HELD_OUT * len(order)))]}
        parts: tuple[list[Gold], list[Gold]] = ([], [])
        for gold in self.golds:
            parts[self.group(gold) in out].append(gold)
        return parts

    def group(self, gold: Gold) -> str:
        """What items have in common that must not be in different parts: their first text."""
        return folded(gold.texts[self.first])


class Request(NamedTuple):
    """How a system is to be trained."""

    base: str
    """The encoder's source."""
    out: Path
    seed: int
    bar: Bar
    epochs: int | None = None
    every_weight: bool = False
    """Instead of adapters."""
    bfloat16: bool = False
    """Train in that precision."""
    options: Mapping[str, Any] = {}
    """Those of ``System.options`` that were given."""


@dataclass(frozen=True)
class Question(Generic[Settings]):
    """What a trained system is to answer, and how."""

    settings: Settings
    texts: Sequence[Sequence[str]]
    """The input columns of every item."""
    progress: Callable[[Sequence[Any]], Any] = iter
    """Shows how far the items are."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Those of ``System.asked`` that were given."""


class Made(NamedTuple):
    """What predictions of a system without training were made from."""

    source: str
    models: tuple[tuple[str, str], ...]
    """The source and the digest of every pretrained model."""


class Answers(NamedTuple, Generic[Prediction]):
    """Predictions, and how they were made."""

    predictions: list[Prediction]
    decoding: str
    used: tuple[Trained, ...]
    """Every trained model that was asked."""
    remark: str = ""
    """What became of these predictions, in words."""
    made: Made | None = None
    """Of a system that is not trained."""
    files: Mapping[Path, bytes] = {}
    """What else was asked for, and where it goes."""


def _fits(trained: Any, board: str, settings: Any) -> None:
    """A system that fits every board of its task."""


@dataclass(frozen=True)
class System(Generic[Settings, Gold, Prediction]):
    """A system that can be trained here, or needs no training."""

    name: str
    title: str
    task: str
    """The task whose boards it is for."""
    description: str
    tags: tuple[str, ...]
    """What to know when its row stands beside others."""
    train: Callable[[Data[Settings, Gold], Request], Trained] | None
    """Raises NotMeasured for a base that cannot be had, ImportError without the extras. None for a
    system that needs no training."""
    predict: Callable[[Any, Any, Any], Answers[Prediction]]
    """The same. Takes the folder, what its ``system.json`` says as ``record``, and a Question;
    without training the first two are None."""
    record: type[Trained] = Trained
    """What its ``system.json`` is read as."""
    check_fits: Callable[[Any, str, Settings], None] = _fits
    """Takes such a record, and a board's id and settings; raises UsageError if the system was
    trained for boards of another kind."""
    options: tuple[str, ...] = ()
    """Options of ``scorer train`` that not every system has."""
    asked: tuple[str, ...] = ()
    """Options of ``scorer predict`` that not every system has."""
    unheeded: tuple[str, ...] = ()
    """Options of ``scorer train`` that most systems have, and this one does not."""


AnySystem: TypeAlias = System[Any, Any, Any]
"""One of them, where only its name is known."""


def system_of(folder: Path) -> str:
    """The name of the system that a folder holds. Raises UsageError if it holds none."""
    try:
        found = json.loads(_content(folder))["system"]
    except (ValueError, TypeError, KeyError, RecursionError):
        found = None
    if not isinstance(found, str):
        raise DataError(f"{folder / FILE}: names no system; train the system again")
    return found


def read(folder: Path, kind: type[AnyTrained]) -> AnyTrained:
    """What is said of a trained system. Raises UsageError if the folder is none."""
    content = _content(folder)
    try:
        return kind.model_validate_json(content)
    except ValidationError as fault:
        raise DataError(f"{folder / FILE}: {problems(fault, content)}; "
                        "train the system again") from fault


def course_of(kind: type[Course], settings: Mapping[str, Any], *more: str,
              **choices: Collection[str]) -> Course:
    """The settings of a trained system as those of its kind.

    ``more``: whole numbers that it keeps beside them; ``choices``: what a text among them may be.
    Raises DataError for an unknown, missing or absurd setting.
    """
    names = {one.name for one in fields(kind)}  # type: ignore[arg-type]
    faults = [f"{'unknown' if name in settings else 'no'} setting {excerpt(name)}"
              for name in sorted({*settings} ^ {*names, *more})]
    faults += [f"{excerpt(name)} is out of range" for name, value in settings.items()
               if not _sane(name, value, choices.get(name))]
    faults += [f"{name} is no whole number" for name in more
               if type(settings.get(name, 0)) is not int]
    own = {name: value for name, value in settings.items() if name in names}
    try:
        if not faults:
            return TypeAdapter(kind).validate_json(json.dumps(own), strict=True)
    except ValidationError as fault:
        faults = [problems(fault)]
    raise DataError(f"the settings in {FILE}: {'; '.join(faults[:5])}; train the system again")


def _sane(name: str, value: Any, choices: Collection[str] | None) -> bool:
    """Whether a setting is of a size that training could have written."""
    if choices is not None:
        return value in choices
    if type(value) is int:
        return LEAST.get(name, 1) <= value <= MOST.get(name, 4096)
    return type(value) is not float or 0 <= value <= 1


def _content(folder: Path) -> bytes:
    try:
        return (folder / FILE).read_bytes()
    except OSError as fault:
        raise UsageError(f"{folder}: no trained system ({FILE}: {fault.strerror}); make one with "
                         "scorer train") from fault


def write(folder: Path, trained: Trained) -> None:
    """Write what is said of it; last, so that a folder without it is not finished."""
    write_atomically(folder / FILE, json_bytes(json.loads(trained.model_dump_json())))


def base_of(trained: Trained) -> Path:
    """The folder of the encoder it was made from. Raises NotMeasured if that cannot be had."""
    if trained.base is None:
        raise DataError(f"the {FILE} of {trained.system} names no base; train the system again")
    folder = locate(trained.base.source, advice=FOR_TRAINED)
    found = weights_digest(folder)
    if found != trained.base.weights:
        raise NotMeasured(f"the system was made from weights with SHA-256 "
                          f"{trained.base.weights[:12]}..., but {trained.base.source} has "
                          f"{found[:12]}...; install the base it names, or train it again")
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


def count_of(model: Any, *, trained: bool = False) -> int:
    """How many parameters a model has; or how many of them training changes."""
    return sum(one.numel() for one in model.parameters() if one.requires_grad or not trained)
