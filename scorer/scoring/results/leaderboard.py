"""The leaderboard document, ``results/<board>/leaderboard.<split>.json``: schema 2.

All that pages, tables and programs say of the systems of one split. Fractions, never percent;
``lift`` is positive where the system is better, for distances too. A key without a value is left
out. Nothing in it depends on the day, or on data that a clone does not have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BeforeValidator, Field, ValidationError, ValidationInfo
from pydantic.json_schema import SkipJsonSchema

from scorer.boards.submission import ANONYMOUS
from scorer.core.errors import DataError
from scorer.core.files import sha256
from scorer.core.reading.schema import Count, Document, Number, Positive, problems
from scorer.core.reading.values import fault

SCHEMA: Literal[2] = 2
Bounds = Annotated[list[Number], Field(min_length=2, max_length=2)]
RankBounds = Annotated[list[Positive], Field(min_length=2, max_length=2)]
Probability = Annotated[float, Field(ge=0, le=1)]


def _two(value: Any) -> Any:
    if type(value) is not int:
        raise ValueError("expected the number 2")
    return value


def _no_null(value: Any, info: ValidationInfo) -> Any:
    if value is None and info.mode == "json":
        raise fault("null", "write a value, or leave out the key", "a value")
    return value


Part = TypeVar("Part")
Optional = Annotated[Part | SkipJsonSchema[None], BeforeValidator(_no_null)]
"""None where there is nothing to say: no file has the key then."""


def nine(value: float) -> float:
    """A value as scores of items are written."""
    return float(f"{value:.9g}")


def six(value: float) -> float:
    """A p-value as results write it."""
    return float(f"{value:.6g}")


def row_key(team: str, system: str, *, anonymous: bool) -> str:
    """What the document calls a row: its folders, of which an anonymous team's is not named."""
    key = f"{team}/{system}"
    return f"{ANONYMOUS}/{system}-{sha256(key.encode())[:6]}" if anonymous else key


class Column(Document):
    """One metric of the board, in the board's order; what people gave follows what it corrects."""

    id: str
    people: Optional[Literal["votes", "corrected"]] = Field(
        default=None,
        description="What people gave: their votes, or a judge's metric corrected by them.")
    better: Literal["higher", "lower"]
    range: Bounds = Field(description="The least and the greatest value there can be.")
    shown: Optional[Positive] = Field(
        default=None, description="Its place among the columns that a page shows at first.")
    judge: Optional[str] = Field(default=None, description="The judge's part of the signatures.")
    why_not_rank: Optional[str] = Field(
        default=None, description="Why its judge may not order rows.")
    no_ranks: Optional[str] = Field(default=None, description="Why no row has a rank in it.")
    gap: Optional[Number] = Field(
        default=None,
        description="The smallest gap between ranked rows that its test calls significant.")
    unmeasured: Optional[list[str]] = Field(
        default=None, description="Why no row has a value, where none has.")


class PassedOver(Document):
    """A metric that would order the rows and does not."""

    id: str
    code: Literal["judge-unfit", "judge-no-card", "judges-differ", "never-ranked", "people",
                  "unmeasured"]
    text: str


class Order(Document):
    """What orders the rows."""

    by: str | None = Field(description="A metric; null where nothing may order them.")
    passed_over: list[PassedOver]


Lift = Literal["better", "worse", "same", "equal", "untested"]


class VersusNull(Document):
    """A value against that of the row's own null, item by item."""

    p: Optional[Probability] = None
    verdict: Lift = Field(
        description="same: no significant difference; equal: the same value; untested: no test, "
                    "or fewer than 100 items.")


class ByPeople(Document):
    """What people read for a value."""

    graphs: Count
    votes: Optional[Count] = None
    weight: Optional[Probability] = Field(
        default=None, description="Of the judge that they correct.")
    simulated: Optional[Literal[True]] = Field(
        default=None, description="A program wrote some of the votes.")


class Value(Document):
    """One row's value of one column."""

    v: Number | None = Field(description="null: not measured, for the reason in `why`.")
    why: Optional[str] = None
    ci: Optional[Bounds] = Field(default=None, description="95 % interval.")
    method: Optional[str] = Field(default=None, description="Of the interval; `none`: see `note`.")
    note: Optional[str] = None
    null: Optional[Number] = None
    lift: Optional[Number] = Field(default=None, description="Over the null; positive is better.")
    vs_null: Optional[VersusNull] = None
    passed: Optional[Number] = Field(
        default=None, description="Mean over the items that passed the gates.")
    n: Optional[Count] = None
    n_passed: Optional[Count] = None
    parts: Optional[dict[str, Number]] = None
    clustered_se: Optional[Number] = None
    sig: Optional[Count] = Field(
        default=None, description="Place of its signature in `signatures`.")
    apart: Optional[str] = Field(
        default=None,
        description="What of its signature keeps it from being compared with most systems.")
    rank: Optional[RankBounds] = Field(default=None, description="First and last rank it may have.")
    top: Optional[Literal[True]] = Field(
        default=None, description="Not significantly worse than the best ranked row.")
    band: Optional[Bounds] = Field(
        default=None, description="What people would give, if the judge errs as its card says.")
    no_band: Optional[str] = None
    people: Optional[ByPeople] = None


class LinkDocument(Document):
    """A title and where it leads."""

    title: str
    url: str


Kind = Literal["scored", "third-party", "reference", "preview"]


class Row(Document):
    """One system. Of an anonymous one there are neither names nor links."""

    key: str = Field(
        description="<team>/<system>, the folders below results/<board>; of an anonymous team "
                    "anonymous/<system>-<six digits of the SHA-256 of that>.")
    kind: Kind
    role: Optional[Literal["ceiling", "null", "baseline"]] = Field(
        default=None, description="Of a reference row.")
    title: Optional[str] = None
    by: Optional[str] = None
    date: Optional[str] = None
    description: Optional[str] = None
    facts: Optional[dict[str, str | list[str]]] = Field(
        default=None,
        description="Fields of submission.yaml: models, parameters, training_data ...")
    saw_dev_gold: Optional[Literal[True]] = None
    tags: Optional[list[str]] = None
    links: Optional[list[LinkDocument]] = None
    trust: Literal["scored-here", "predictions-by-others", "reference"] = Field(
        description="Who made the predictions; all values are scored by this program.")
    anonymous_until: Optional[str] = None
    withdrawn: Optional[str] = Field(default=None, description="Why it was withdrawn.")
    null: Optional[str] = Field(
        default=None, description="Key of the row that is its null, if it is here.")
    rank: Optional[RankBounds] = Field(default=None, description="By `order.by`.")
    unranked: Optional[str] = Field(default=None, description="Why a system has no rank.")
    values: dict[str, Value]


Pair = Annotated[list[Number | None], Field(min_length=4, max_length=4)]
Test = Literal["mcnemar", "permutation", "prediction-powered"]
ClosePair = Annotated[list[Number | None], Field(min_length=6, max_length=6)]


NamedPair = Annotated[list[str | Number], Field(min_length=5, max_length=5)]


class Pairs(Document):
    """Every two rows on the column that orders them."""

    by: str
    test: Test
    rows: list[str] = Field(description="Keys, best value first; at most 200.")
    tri: list[Pair] = Field(
        description="Upper triangle, row by row: items on which only the first is better, items on "
                    "which only the second is, two-sided p, and p by Holm among the lower row's "
                    "comparisons with the ranked rows above it (null: one of them has no rank).")
    more: Optional[list[NamedPair]] = Field(
        default=None,
        description="Of each row beyond those: with the row above it, and with its null. "
                    "Two keys, the better first, then items on which only the first is better, "
                    "only the second, and two-sided p.")


class CloseColumn(Document):
    """The same few rows on one column."""

    test: Test
    rows: list[str]
    tri: list[ClosePair] = Field(
        description="Upper triangle: difference first less second, its interval (two bounds), "
                    "two-sided p, items on which only the first is better, only the second.")


class BothPassed(Document):
    """Two rows on the items of which both answers passed every gate."""

    a: str
    b: str
    column: str
    n: Count
    d: Number = Field(description="a less b.")
    p: Probability
    better: str | None = Field(description="The key of the significantly better row.")


class Published(Document):
    """A row that was published elsewhere."""

    source: str = Field(description="Id of the source in published.yaml.")
    title: str
    url: str
    system: str
    by: str
    date: Optional[str] = None
    what: str
    human: Optional[Literal[True]] = None
    values: dict[str, Number]


class People(Document):
    """How far people's votes go."""

    kappa: Optional[Number] = Field(
        default=None, description="Fleiss's, of all votes on the split.")
    simulated: bool = Field(description="Whether a program wrote some of the votes.")
    why_not: list[str] = Field(
        description="Why their corrected column may not order the rows; empty if it may.")


class Stability(Document):
    """How often the first row is first in random halves of the items."""

    first: Count
    of: Positive
    seed: Count


class Tiebreak(Document):
    """A second column that separates rows which are tied on the first."""

    column: str
    best: str


class Sentence(Document):
    """One sentence of the verdict, to be shown with a link to what it rests on."""

    code: Literal["no-lift", "winner", "lead", "tie", "no-ranks", "cannot-lose", "ties", "scope"]
    text: str
    evidence: str = Field(description="Relative to the split's page.")


class Verdict(Document):
    """What the rows say together."""

    outcome: Literal["winner", "tie", "not enough signal"]
    best: list[str] = Field(description="Keys; empty where nobody is called best.")
    tied: list[str] = Field(description="Keys of rows no pair of which differs significantly.")
    tiebreak: Optional[Tiebreak] = None
    stable: Optional[Stability] = None
    sentences: list[Sentence]


class Condition(Document):
    """A reason to trust the ranks or not, stated either way."""

    code: Literal["items", "item-scores", "judge", "null", "public-gold", "own-rows"]
    holds: bool
    text: str


class LeaderboardDocument(Document):
    """One split of one board."""

    schema_: Annotated[Literal[2], BeforeValidator(_two)] = Field(alias="schema")
    board: str
    board_version: str
    split: str
    items: Positive
    gold: Literal["public", "hidden", "reported"]
    practice: bool
    null: Optional[str] = Field(default=None, description="What a null is here, to follow *beats*.")
    signatures: list[str]
    columns: list[Column]
    order: Order
    rows: list[Row] = Field(description="By what orders them, the unmeasured last.")
    pairs: Optional[Pairs] = None
    close: dict[str, CloseColumn] = Field(
        description="By column: the ten first systems, ranked ones before others, with their "
                    "nulls, baselines and previews.")
    both_passed: list[BothPassed] = Field(
        description="A leader whose decoding enforces the constraints, against others.")
    published: list[Published]
    people: Optional[People] = Field(default=None, description="Absent where people read no row.")
    verdict: Verdict
    trust: list[Condition]

    @cached_property
    def by_key(self) -> Mapping[str, Row]:
        """Rows by their keys."""
        return {row.key: row for row in self.rows}

    @cached_property
    def by_id(self) -> Mapping[str, Column]:
        """Columns by their ids."""
        return {column.id: column for column in self.columns}

    @property
    def ordering(self) -> Column | None:
        """The column that orders the rows."""
        return self.by_id.get(self.order.by or "")

    @cached_property
    def every_pair(self) -> Mapping[tuple[str, str], Pair]:
        """Pairs of rows on the column that orders them, the better row first."""
        if self.pairs is None:
            return {}
        more = {(str(a), str(b)): [int(wins), int(losses), float(p), None]
                for a, b, wins, losses, p in self.pairs.more or ()}
        return {**dict(zip(combinations(self.pairs.rows, 2), self.pairs.tri, strict=True)), **more}

    def pair(self, a: str, b: str) -> Sequence[float | None] | None:
        """A pair from the first row's side: its wins, its losses, p, p by Holm."""
        if (b, a) in self.every_pair:
            wins, losses, *p = self.every_pair[b, a]
            return (losses, wins, *p)
        return self.every_pair.get((a, b))

    @cached_property
    def close_pairs(self) -> Mapping[str, Mapping[tuple[str, str], ClosePair]]:
        """By column: the pairs of the few rows that are compared on every column."""
        return {name: dict(zip(combinations(column.rows, 2), column.tri, strict=True))
                for name, column in self.close.items()}

    def difference(self, column: str, a: str, b: str) -> Sequence[float | None] | None:
        """A close pair from the first row's side: difference, its interval, p, wins, losses."""
        pairs = self.close_pairs.get(column, {})
        if (b, a) in pairs:
            d, low, high, p, wins, losses = pairs[b, a]
            return (*(None if value is None else -value for value in (d, high, low)),
                    p, losses, wins)
        return pairs.get((a, b))

    @cached_property
    def leading(self) -> Sequence[tuple[str, str]]:
        """Pairs of those few rows on the ordering column, the better row first, where one of the
        two is a system."""
        close = self.close_pairs.get(self.order.by or "", {})
        return [(a, b) for a, b in self.every_pair if ((a, b) in close or (b, a) in close)
                and not self.by_key[a].kind == self.by_key[b].kind == "reference"]

    @cached_property
    def compared(self) -> tuple[str, ...]:
        """The keys of rows that have pairs, best value first."""
        there = {key for both in self.every_pair for key in both}
        return tuple(key for key in self.by_key if key in there)

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Those of them that are systems and were not withdrawn."""
        return tuple(key for key in self.compared if self.by_key[key].kind != "reference"
                     and not self.by_key[key].withdrawn)

    def row_of(self, team: str, system: str) -> Row | None:
        """The row of a system, whether its team is named or not; None if it has none."""
        keys = (row_key(team, system, anonymous=hidden) for hidden in (False, True))
        return next((self.by_key[key] for key in keys if key in self.by_key), None)

    def replace(self, **changes: Any) -> Self:
        """A copy with other values, which are not checked; what was looked up before is not."""
        return self.model_construct(
            **{name: getattr(self, name) for name in type(self).model_fields
               if name in self.__dict__} | changes)

    def to_json(self) -> dict[str, Any]:
        """The document, without keys that have no value."""
        return {**_clean(self.model_dump()), "order": self.order.model_dump()}


def _clean(value: Any) -> Any:
    """Without keys that have no value; a null where it says something stays."""
    if isinstance(value, dict):
        return {name: _clean(entry) for name, entry in value.items()
                if entry is not None or name == "v" or (name == "better" and "d" in value)}
    return [_clean(item) for item in value] if isinstance(value, list) else value


def path_of(folder: Path, board: str, split: str) -> Path:
    """Where the document lies below a folder of results."""
    return folder / board / f"leaderboard.{split}.json"


def is_path(path: str) -> bool:
    """Whether a path of the repository is a document's.

    >>> is_path("results/a-board/leaderboard.dev.json"), is_path("results/a-board/dev.json")
    (True, False)
    """
    return re.fullmatch(r"results/[a-z0-9-]+/leaderboard\.[a-z]+\.json", path) is not None


def to_bytes(document: LeaderboardDocument) -> bytes:
    """The file: a line for each row, column and pair, so that changes can be read."""
    parts = (f"{json.dumps(name)}: {_part(value)}" for name, value in document.to_json().items())
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def _part(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n " + ",\n ".join(map(_line, value)) + "\n]"
    if isinstance(value, dict) and any(isinstance(entry, dict) for entry in value.values()):
        return "{\n " + ",\n ".join(f"{json.dumps(name)}: {_line(entry)}"
                                    for name, entry in value.items()) + "\n}"
    return _line(value)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def read(path: Path) -> LeaderboardDocument:
    """The document of a file. Raises DataError if it is none."""
    try:
        return from_bytes(path.read_bytes(), str(path))
    except OSError as fault:
        raise _none(str(path), fault) from fault


def from_bytes(content: bytes, path: str) -> LeaderboardDocument:
    """The document of a file's content. Raises DataError if it is none."""
    try:
        return LeaderboardDocument.model_validate_json(content)
    except ValidationError as fault:
        raise _none(path, problems(fault, content)) from fault


def _none(path: str, what: object) -> DataError:
    return DataError(f"{path}: no leaderboard document ({what}); write it with: "
                     "scorer rescore --leaderboards")
