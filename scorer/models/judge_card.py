"""The card of a judge: what it was made from, how well it judges, and whether it is fit to rank.

A card is ``card.json`` beside a judge's weights. Figures are counts; shares and intervals are made
from them here, so that nobody has to believe a rounded number. Every interval is Wilson's at 95 %.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from scorer.codec import STRICT, Count, Sha256, problems
from scorer.errors import DataError
from scorer.files import json_bytes, write_atomically
from scorer.share import Share

SCHEMA = 1
FILE = "card.json"
INCORRECT = "incorrect"

GOLD = "held-out gold"
NATURAL = "held-out natural negatives"
REFUSED = f"{NATURAL}, by stance"
"""The same graphs, counted by whether the judge gives them their own label."""
NULL = "stance-matched null"
"""The three sets that decide whether a judge is fit."""

LEAST_RECALL = 0.5
"""A lower bound at or below this is what a coin gives between two answers."""
MOST_NULLS, MOST_NULLS_BOUND = 0.10, 0.15


@dataclass(frozen=True)
class Bin:
    """Answers whose greatest probability lies in one tenth: how sure, how often right."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    n: Count
    sure: Annotated[float, Field(ge=0, le=1)]
    """Mean of the greatest probability."""
    right: Count

    def __post_init__(self) -> None:
        if self.right > self.n:
            raise ValueError(f"{self.right} of {self.n} answers right")


@dataclass(frozen=True)
class Evaluation:
    """A judge's answers on one set of graphs."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    name: str
    about: str
    """One sentence: which graphs these are."""
    confusion: Mapping[str, Mapping[str, Count]]
    """expected label -> label given -> number of graphs."""
    brier: float | None = None
    """Mean over graphs of the squared distance between probabilities and the expected label, 0 to
    2; None where what is right is not known."""
    bins: tuple[Bin, ...] = ()

    @property
    def n(self) -> int:
        """How many graphs."""
        return sum(sum(row.values()) for row in self.confusion.values())

    @property
    def right(self) -> Share:
        """Graphs given the expected label."""
        return Share(sum(row.get(label, 0) for label, row in self.confusion.items()), self.n)

    def recall(self, label: str) -> Share:
        """Of the graphs that are ``label``, those called so."""
        row = self.confusion.get(label, {})
        return Share(row.get(label, 0), sum(row.values()))

    def called(self, label: str) -> Share:
        """Graphs called ``label``, whatever they are."""
        return Share(sum(row.get(label, 0) for row in self.confusion.values()), self.n)

    @property
    def calibration_error(self) -> float | None:
        """Expected calibration error over the bins, 0 to 1."""
        total = sum(part.n for part in self.bins)
        if not total:
            return None
        return sum(abs(part.right - part.n * part.sure) for part in self.bins) / total


@dataclass(frozen=True)
class Check:
    """One condition of the gate."""

    name: str
    """A verb and its object, such as ``accepts meaningless graphs``."""
    demand: str
    found: Share
    passed: bool


@dataclass(frozen=True)
class Fitness:
    """Whether SeCA by this judge may order rows, and why."""

    checks: tuple[Check, ...]

    @property
    def fit(self) -> bool:
        """Every condition holds."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    @property
    def figures(self) -> str:
        """The figures in one line."""
        return "; ".join(f"{check.name} {check.found}" for check in self.checks)


@dataclass(frozen=True)
class Card:
    """Everything known of one trained judge."""

    __pydantic_config__: ClassVar[ConfigDict] = STRICT

    judge: str
    """Which judge of ``KNOWN``: seca or ea."""
    name: str
    weights: Sha256
    """The digest that stands in signatures (SHA-256, 64 digits)."""
    labels: Annotated[tuple[str, ...], Field(min_length=1)]
    most_tokens: Count
    """0: not known, since the judge is behind an endpoint."""
    base: Mapping[str, str]
    """``source`` and ``weights`` (SHA-256) of the model it was made from; of a judge behind an
    endpoint its model, server, prompt and request."""
    data: Mapping[str, Any]
    """``files``: name -> SHA-256; ``licence``; ``examples``: part -> kind -> number."""
    training: Mapping[str, Any]
    """``settings``, ``epochs``, ``best``, ``seconds``, ``machine``, ``versions``, ``command``."""
    evaluations: tuple[Evaluation, ...] = ()

    def evaluation(self, name: str) -> Evaluation | None:
        """The evaluation of that name, if there is one."""
        return next((one for one in self.evaluations if one.name == name), None)

    @property
    def fitness(self) -> Fitness | None:
        """The gate's verdict; None for a judge that does not know incorrect graphs."""
        if INCORRECT not in self.labels:
            return None
        natural, gold, null = (
            self.evaluation(name) or Evaluation(name, "", {}) for name in (NATURAL, GOLD, NULL)
        )
        checks = [
            _at_least("rejects incorrect graphs", natural.recall(INCORRECT)),
            _at_least("recognises unseen gold graphs", gold.right),
            _nulls(null.right),
        ]
        return Fitness(tuple(checks))


def _at_least(name: str, found: Share) -> Check:
    low = found.interval[0] if found.interval else 0.0
    return Check(name, "95 % lower bound above 50 %", found, low > LEAST_RECALL)


def _nulls(found: Share) -> Check:
    passed = (
        found.value is not None and found.interval is not None
        and found.value <= MOST_NULLS and found.interval[1] <= MOST_NULLS_BOUND
    )
    return Check("accepts meaningless graphs", "at most 10 %, upper bound at most 15 %", found,
                 passed)


def to_json(card: Card) -> dict[str, Any]:
    """The document of ``card.json``: the card, and how many graphs each evaluation has."""
    document: dict[str, Any] = {"schema": SCHEMA, **_codec().dump_python(card, mode="json")}
    for written, one in zip(document["evaluations"], card.evaluations, strict=True):
        written["n"] = one.n
    return document


def from_json(document: Any) -> Card:
    """The Card of a document. Raises DataError if it is none, or of another schema."""
    if isinstance(document, dict) and document.get("schema") != SCHEMA:
        raise DataError(f"a judge's card of schema {document.get('schema')!r}; this program reads "
                        f"schema {SCHEMA}: run scorer judge evaluate again")
    try:
        return _codec().validate_json(json.dumps(_stored(document)))
    except ValidationError as fault:
        raise DataError(f"not a judge's card ({problems(fault)}); "
                        "make it with scorer judge evaluate") from fault


@cache
def _codec() -> TypeAdapter[Card]:
    return TypeAdapter(Card)


def _stored(document: Any) -> Any:
    """A document without what is computed from the rest of it."""
    if isinstance(document, list):
        return [_stored(one) for one in document]
    if not isinstance(document, dict):
        return document
    if "evaluations" in document:
        return {name: _stored(value) if name == "evaluations" else value
                for name, value in document.items() if name != "schema"}
    return {name: value for name, value in document.items() if name != "n"}


def read(folder: Path) -> Card:
    """The card in a judge's folder. Raises DataError if there is none or it is broken."""
    path = folder / FILE
    try:
        return from_json(json.loads(path.read_bytes()))
    except (OSError, ValueError, RecursionError) as fault:
        raise DataError(f"{path}: not a judge's card ({type(fault).__name__}); "
                        "make it with scorer judge evaluate") from fault
    except DataError as fault:
        raise DataError(f"{path}: {fault}") from fault


def write(card: Card, folder: Path) -> Path:
    """Write ``card.json`` into a judge's folder."""
    path = folder / FILE
    write_atomically(path, json_bytes(to_json(card)))
    return path


def embedded() -> Path:
    """The folder of the judges that come with the program."""
    return Path(__file__).resolve().parent / "embedded"


def find(folders: Sequence[Path]) -> list[Card]:
    """The cards in the folders below some folders, in order of path."""
    return [read(path.parent) for folder in folders for path in sorted(folder.glob(f"*/{FILE}"))]
