"""The card of a judge: what it was made from, how well it judges, and whether it is fit to rank.

A card is ``card.json`` beside a judge's weights. Figures are counts; shares and intervals are made
from them here, so that nobody has to believe a rounded number. Every interval is Wilson's at 95 %.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from scorer.core.errors import DataError
from scorer.core.files import json_bytes, write_atomically
from scorer.core.reading.schema import Count, Sha256, adapter, problems
from scorer.core.records import Share, short

SCHEMA: Literal[2] = 2
FILE = "card.json"
EMBEDDED = Path(__file__).resolve().parent / "embedded"
"""The judges that come with the program, a folder each."""
INCORRECT = "incorrect"
JudgeName = Literal["seca", "ea"]
"""Which judge of ``JUDGES``."""

GOLD = "held-out gold"
DEV_GOLD = "dev gold"
"""No file that judges are trained on has these, so train's graphs learned by heart are no help."""
NATURAL = "held-out natural negatives"
REFUSED = f"{NATURAL}, by stance"
"""The same graphs, counted by whether the judge gives them their own label."""
NULL = "stance-matched null"
NULL_SETS = (NULL, *(f"null graphs: {shape}" for shape in (
    "belief, chain", "both texts, star", "argument, chain", "belief, inward star",
    "negated chain", "mixed relations", "generic", "generic, linked", "shape of gold")))
"""Meaningless graphs in several shapes, one set each."""
SHUFFLED = "dev shuffled gold"
OTHER = "held-out graphs of another belief"
NEGATED = "held-out gold with one relation negated"
"""In these sets right means accepted, given the item's own stance."""

LEAST_RECALL = 0.5
"""A lower bound at or below this is what a coin gives between two answers."""
MOST_NULLS = 0.10, 0.15
"""The share accepted, and its upper bound, at most."""
MOST_FOREIGN = 0.15, 0.20
"""Gold graphs of other items: of all wrong graphs the easiest to refuse for one who reads."""
MOST_NEGATED = 0.20, 0.25
"""One fact in three to eight says the contrary, and must be noticed."""
LEAST_PREFERENCE = 0.6
"""Of pairs whose counts are equal; a judge that answers at random prefers half of the originals."""


@dataclass(frozen=True)
class Bin:
    """Answers whose greatest probability lies in one tenth: how sure, how often right."""

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

    name: str
    about: str
    """One sentence: which graphs these are."""
    confusion: Mapping[str, Mapping[str, Count]]
    """expected label -> label given -> number of graphs."""
    brier: float | None = None
    """Mean over graphs of the squared distance between probabilities and the expected label, 0 to
    2; None where what is right is not known."""
    bins: tuple[Bin, ...] = ()
    counts: Mapping[str, Mapping[str, Count]] = field(default_factory=dict)
    """The confusion of the counts baseline on the same graphs; empty where it was not measured."""
    n: Count | None = None
    """How many graphs; counted where it is not said."""

    def __post_init__(self) -> None:
        total = sum(sum(row.values()) for row in self.confusion.values())
        if self.n not in (None, total):
            raise ValueError(f"answers to {total} graphs and another n")
        object.__setattr__(self, "n", total)

    @property
    def baseline(self) -> Evaluation:
        """The counts baseline on the same graphs."""
        return Evaluation(self.name, self.about, self.counts)

    @property
    def right(self) -> Share:
        """Graphs given the expected label."""
        return Share(sum(row.get(label, 0) for label, row in self.confusion.items()), self.n or 0)

    def recall(self, label: str) -> Share:
        """Of the graphs that are ``label``, those called so."""
        row = self.confusion.get(label, {})
        return Share(row.get(label, 0), sum(row.values()))

    def called(self, label: str) -> Share:
        """Graphs called ``label``, whatever they are."""
        return Share(sum(row.get(label, 0) for row in self.confusion.values()), self.n or 0)

    @property
    def calibration_error(self) -> float | None:
        """Expected calibration error over the bins, 0 to 1."""
        total = sum(part.n for part in self.bins)
        if not total:
            return None
        return sum(abs(part.right - part.n * part.sure) for part in self.bins) / total


@dataclass(frozen=True)
class Preference:
    """Gold graphs beside copies whose counts are equal but whose meaning is gone."""

    pairs: Count
    original: Count
    """Pairs in which the original gets more of the item's own stance."""
    ties: Count

    def __post_init__(self) -> None:
        if self.original + self.ties > self.pairs:
            raise ValueError(f"{self.original} preferred and {self.ties} tied of {self.pairs}")

    @property
    def share(self) -> Share:
        """Originals preferred, of all pairs; a tie is none."""
        return Share(self.original, self.pairs)


_Area = Annotated[float, Field(ge=0, le=1)]
_Difference = Annotated[float, Field(ge=-1, le=1)]


@dataclass(frozen=True)
class Margin:
    """The judge's area under the curve minus the counts baseline's, on the same graphs.

    Of all pairs of a held-out gold graph and a rejected one of the same stance: the share in which
    the gold graph gets more of that stance, ties counted half.
    """

    judge: _Area
    counts: _Area
    low: _Difference
    high: _Difference
    """A 95 % percentile interval of the difference: bootstrap over folded beliefs."""
    graphs: Mapping[str, tuple[Count, Count]]
    """stance -> (gold graphs, rejected graphs)."""
    beliefs: Count
    resamples: Annotated[int, Field(ge=1)]
    seed: Count

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"an interval from {self.low} to {self.high}")

    @property
    def n(self) -> int:
        """How many graphs."""
        return sum(sum(both) for both in self.graphs.values())

    @property
    def value(self) -> float:
        """The difference, -1 to 1."""
        return self.judge - self.counts

    @property
    def interval(self) -> tuple[float, float]:
        """Its bounds."""
        return self.low, self.high

    def __str__(self) -> str:
        """Such as ``+.052 (+.011 to +.093; .716 against .664)``."""
        value, low, high = map(signed, (self.value, self.low, self.high))
        return f"{value} ({low} to {high}; {short(self.judge)} against {short(self.counts)})"


def signed(number: float) -> str:
    """A difference with its sign, such as ``+.052``."""
    return ("-" if number < 0 else "+") + short(abs(number))


@dataclass(frozen=True)
class Check:
    """One condition of the gate."""

    name: str
    """A verb and its object, such as ``accepts meaningless graphs``."""
    short: str
    """The same in a word or two."""
    demand: str
    found: Share | Margin
    passed: bool
    counts: Share | None = None
    """What the counts baseline reaches on the same graphs; of a Margin it is part."""
    worst: str = ""
    """Of several sets, the one that ``found`` is of."""

    @property
    def figure(self) -> str:
        """The finding in few characters."""
        if self.found.value is None:
            return f"{self.short} not measured"
        if isinstance(self.found, Margin):
            return f"{self.short} {signed(self.found.value)}".replace("-", "\u2212")
        return f"{self.short} {100 * self.found.value:.0f} %"


@dataclass(frozen=True)
class Fitness:
    """Whether SeCA by this judge may order rows, and why."""

    checks: tuple[Check, ...]
    unknown: bool
    """Whether the judge may have seen what it was measured on."""

    @property
    def fit(self) -> bool:
        """Every condition holds."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    @property
    def verdict(self) -> str:
        """In a few words; never that a judge is fit without the doubt that remains."""
        if not self.fit:
            return "not fit to rank"
        return "fit to rank" + (", but it may have seen its test graphs" if self.unknown else "")

    @property
    def failed(self) -> tuple[Check, ...]:
        """The conditions that do not hold."""
        return tuple(check for check in self.checks if not check.passed)

    @property
    def figures(self) -> str:
        """What fails, in few characters."""
        return ", ".join(check.figure for check in self.failed)


@dataclass(frozen=True)
class Card:
    """Everything known of one trained judge."""

    judge: JudgeName
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
    rearranged: Preference | None = None
    margin: Margin | None = None
    baseline: Mapping[str, Any] = field(default_factory=dict)
    """How the counts baseline was made."""
    schema: Literal[2] = SCHEMA

    def __post_init__(self) -> None:
        if len({evaluation.name for evaluation in self.evaluations}) < len(self.evaluations):
            raise ValueError("several sets of one name")

    @property
    def may_have_seen(self) -> bool:
        """Whether nothing says which graphs it was trained on, and which held out."""
        parts = self.data.get("examples")
        return not (isinstance(parts, Mapping) and parts.get("train") and parts.get("held out"))

    def evaluation(self, name: str) -> Evaluation | None:
        """The evaluation of that name, if there is one."""
        return next((result for result in self.evaluations if result.name == name), None)

    def _set(self, name: str) -> Evaluation:
        """That evaluation; an empty one if there is none, or if it expects what is no label."""
        evaluation = self.evaluation(name)
        sound = evaluation is not None and evaluation.confusion.keys() <= {*self.labels}
        return evaluation if evaluation is not None and sound else Evaluation(name, "", {})

    @property
    def fitness(self) -> Fitness | None:
        """The gate's verdict; None for a judge that does not know incorrect graphs."""
        if INCORRECT not in self.labels:
            return None
        natural = self._set(NATURAL)
        preferred = (self.rearranged or Preference(0, 0, 0)).share
        return Fitness((
            _at_least("rejects incorrect graphs", "negatives", LEAST_RECALL, {
                "": (natural.recall(INCORRECT), natural.baseline.recall(INCORRECT))}),
            _at_least("recognises unseen gold graphs", "gold", LEAST_RECALL, {
                name: (self._set(name).right, self._set(name).baseline.right)
                for name in (GOLD, DEV_GOLD)}, " in both sets"),
            self._at_most("accepts meaningless graphs", "nulls", MOST_NULLS, NULL_SETS),
            self._at_most("accepts graphs of other items", "other items", MOST_FOREIGN,
                          (SHUFFLED, OTHER)),
            self._at_most("accepts graphs with one relation negated", "negated", MOST_NEGATED,
                          (NEGATED,)),
            _at_least("prefers originals over rearranged copies", "rearranged", LEAST_PREFERENCE, {
                "": (preferred, Share(0, preferred.n))}),
            Check("beats counting", "AUC over counting", "95 % lower bound above 0",
                  self.margin or Share(0, 0), self.margin is not None and self.margin.low > 0),
        ), self.may_have_seen)

    def _at_most(self, name: str, short: str, limits: tuple[float, float], sets: Sequence[str],
                 ) -> Check:
        """Every set must hold; shown is one that was not measured, else the one most accepted."""
        most, bound = limits
        results = [self._set(one) for one in sets]
        worst = max(results, key=lambda one: (one.right.value is None, one.right.value or 0.0))
        every, named = (" in every set", worst.name) if len(sets) > 1 else ("", "")
        return Check(
            name, short,
            f"at most {100 * most:.0f} %, upper bound at most {100 * bound:.0f} %{every}",
            worst.right, all((one.right.value or 0.0) <= most and _bounds(one.right)[1] <= bound
                             for one in results), worst.baseline.right, named)


def _at_least(name: str, short: str, least: float, shares: Mapping[str, tuple[Share, Share]],
              every: str = "") -> Check:
    """Every set must hold; shown is the one with the lowest bound. ``shares``: the judge's and the
    counts baseline's, by the set's name."""
    worst = min(shares, key=lambda one: _bounds(shares[one][0]))
    found, counts = shares[worst]
    return Check(name, short, f"95 % lower bound above {100 * least:.0f} %{every}", found,
                 all(_bounds(judge)[0] > least for judge, _ in shares.values()), counts, worst)


def _bounds(share: Share) -> tuple[float, float]:
    """Of what was not measured nothing is known."""
    return share.interval or (-1.0, 2.0)


def to_json(card: Card) -> dict[str, Any]:
    """The document of ``card.json``."""
    document: dict[str, Any] = adapter(Card).dump_python(card, mode="json")
    return document


def from_json(document: Any) -> Card:
    """The Card of a document. Raises DataError if it is none, or of another schema."""
    if isinstance(document, dict) and document.get("schema") != SCHEMA:
        raise DataError(f"a judge's card of schema {document.get('schema')!r}; this program reads "
                        f"schema {SCHEMA}: train the judge again, or remove its card and run "
                        "scorer judge evaluate")
    try:
        card: Card = adapter(Card).validate_json(json.dumps(document))
        return card
    except ValidationError as fault:
        raise DataError(f"not a judge's card ({problems(fault)}); "
                        "make it with scorer judge evaluate") from fault


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


def find(folders: Sequence[Path]) -> list[Card]:
    """The cards in the folders below some folders, in order of path."""
    return [read(path.parent) for folder in folders for path in sorted(folder.glob(f"*/{FILE}"))]
