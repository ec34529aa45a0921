"""Numbers published elsewhere, ``boards/<board>/published.yaml``: what they are, how they are read.

No score depends on them: they are outside the board's version and every result's key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations
from typing import Any, NamedTuple

from scorer.board.records import Board
from scorer.errors import Problem, SubmissionError, excerpt
from scorer.metrics.catalogue import METRICS, MetricInfo
from scorer.reading import fields
from scorer.reading.fields import (
    Choice,
    Complain,
    Field,
    Integer,
    ListOf,
    MapOf,
    Record,
    Text,
    YesNo,
    https,
    slug,
)
from scorer.reading.strict_yaml import Node
from scorer.records import SPLITS

FILE_NAME = "published.yaml"
_UNSIGNED = r"(?:[0-9]{1,9}(?:\.[0-9]{1,12})?|\.[0-9]{1,12})"
_PRINTED = re.compile(rf"(-?{_UNSIGNED})(?: ?(?:\+-|±) ?({_UNSIGNED}))?")
_DATE = Text(10, r"[0-9]{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?",
             "a date, YYYY, YYYY-MM or YYYY-MM-DD")
_BY, _WHAT = Text(120), Text(120)


@dataclass(frozen=True)
class Printed:
    """A number as its source prints it, and where it stands in our file."""

    text: str
    number: Decimal
    """In the unit of the source."""
    deviation: Decimal | None = None
    """What follows ``+-``."""
    line: int = field(default=1, compare=False)
    column: int = field(default=1, compare=False)

    @property
    def half(self) -> Decimal:
        """Half a unit of the last printed digit: as far off the exact number can be.

        >>> Printed("58.76", Decimal("58.76")).half, Printed("87", Decimal("87")).half
        (Decimal('0.005'), Decimal('0.5'))
        """
        return Decimal("0.5").scaleb(int(self.number.as_tuple().exponent))


@dataclass(frozen=True, kw_only=True)
class PublishedRow:
    """What one source prints of one system."""

    system: str
    printed: Mapping[str, Printed]
    """By metric, or by metric and part: ``G-BLEU precision``."""
    by: str | None = None
    date: str | None = None
    what: str | None = None
    human: bool = False


@dataclass(frozen=True, kw_only=True)
class PublishedSource:
    """One place where numbers for one split were read."""

    id: str
    title: str
    url: str
    place: str
    split: str
    by: str
    what: str
    values: tuple[PublishedRow, ...]
    scale: int
    date: str | None = None
    test_set: str | None = None
    second_hand: str | None = None
    """Whose numbers it quotes; None where they are its own."""
    unscaled: tuple[str, ...] = ()
    note: str | None = None

    @property
    def columns(self) -> frozenset[str]:
        """Every metric, or metric and part, that any row has."""
        return frozenset(name for row in self.values for name in row.printed)

    def divisor(self, column: str) -> int:
        """What its numbers of a column are divided by."""
        return 1 if column in self.unscaled else self.scale

    def value(self, row: PublishedRow, column: str) -> float:
        """A row's number in the metric's own unit."""
        return float(row.printed[column].number) / self.divisor(column)


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A work whose numbers nobody has entered yet."""

    title: str
    by: str
    url: str
    date: str | None = None
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Published:
    """A whole ``published.yaml``."""

    schema: int = 1
    finding: str | None = None
    """What the numbers say together, in a sentence or two."""
    sources: tuple[PublishedSource, ...] = ()
    listed: tuple[Listed, ...] = ()


NOTHING = Published()


@dataclass(frozen=True)
class _Number:
    """The text of a printed number."""

    def read(self, node: Node, complain: Complain) -> Printed | None:
        found = _PRINTED.fullmatch(node.value) if isinstance(node.value, str) else None
        if found is None:
            shown = excerpt(node.value) if isinstance(node.value, str) else "a list or mapping"
            complain(node, "META-VALUE", shown, self.describe(), "write what the source prints")
            return None
        deviation = Decimal(found[2]) if found[2] else None
        return Printed(found[0], Decimal(found[1]), deviation, node.line, node.column)

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{_PRINTED.pattern}$"}

    def describe(self) -> str:
        return 'a number in quotes, such as "87.2" or "58.76 +- .32"'


@dataclass(frozen=True)
class _Checked(Record):
    """A record whose fields, once each is fine, must also fit together."""

    check: Callable[[Any, Any, Complain], None] = lambda *_: None
    """Takes the record, its nodes by field, and complains."""

    def read(self, node: Node, complain: Complain) -> Any:
        faults = []

        def noted(*fault: Any) -> None:
            faults.append(fault)
            complain(*fault)

        found = super().read(node, noted)
        if found is not None and not faults:
            self.check(found, node.value, complain)
        return found


def _check_source(source: PublishedSource, nodes: Mapping[str, Any], complain: Complain) -> None:
    _different((row.value["system"] for row in nodes["values"].value), complain)
    for name in source.unscaled:
        if name not in source.columns:
            complain(nodes["unscaled"], "META-VALUE", f"unscaled {name}",
                     "a metric that a row has", "remove it")
    for row in source.values:
        _within(source, row, complain)


def _check_file(whole: Published, nodes: Mapping[str, Any], complain: Complain) -> None:
    if whole.sources:
        _different((one.value["id"] for one in nodes["sources"].value), complain)


def _different(names: Iterable[Node], complain: Complain) -> None:
    """Complain of the second of two equal names."""
    known = set[str]()
    for node in names:
        name = plain(str(node.value))
        if name in known:
            complain(node, "META-VALUE", f"{excerpt(str(node.value))} a second time",
                     "different names", "put them together, or rename one of them")
        known.add(name)


def plain(name: str) -> str:
    """A name as it is compared: cases and blanks make no other system.

    >>> plain(" Max-Margin  graphGen")
    'max-margin graphgen'
    """
    return " ".join(name.split()).casefold()


def _within(source: PublishedSource, row: PublishedRow, complain: Complain) -> None:
    """Complain of numbers that are no value of their metric."""
    for column, printed in row.printed.items():
        metric, value = _metric(column), source.value(row, column)
        if not metric.lowest <= value <= metric.highest:
            complain(Node(printed.text, printed.line, printed.column), "META-VALUE",
                     f"{column} of {excerpt(row.system)}: {printed.text} / "
                     f"{source.divisor(column)} = {value:g}",
                     f"{metric.lowest:g} to {metric.highest:g}", "mend the number or the scale")


def _metric(column: str) -> MetricInfo:
    return METRICS[column] if column in METRICS else METRICS[column.rpartition(" ")[0]]


def columns_of(metrics: Iterable[str]) -> tuple[str, ...]:
    """What numbers of some metrics can be called: ``G-BLEU``, ``G-BLEU precision``."""
    return tuple(name for metric in metrics
                 for name in (metric, *(f"{metric} {part}" for part in METRICS[metric].parts)))


def declaration(metrics: Iterable[str] = tuple(METRICS), splits: Sequence[str] = SPLITS) -> Record:
    """The fields of published.yaml of a board with these metrics and splits."""
    column = Choice(columns_of(metrics))
    row = Record((
        Field("system", Text(80), "The system's name; the same name in all sources."),
        Field("printed", MapOf(_Number(), column, 1), "Each metric of the board, or `<metric> "
              "precision` and `<metric> recall`, with the number as the source prints it: all its "
              "digits, in quotes, and behind `+-` its deviation."),
        Field("by", _BY, "Who published it, if not who published the rest.", False),
        Field("date", _DATE, "When it was published, if not with the source.", False),
        Field("what", _WHAT, "What it is, if not what the source says.", False),
        Field("human", YesNo(), "Whether people did it.", False, False),
    ), PublishedRow)
    source = _Checked((
        Field("id", slug(), "A name for the source, different from the others'."),
        Field("title", Text(120), "What was read."),
        Field("url", https(), "Where it is; a repository at its commit."),
        Field("place", Text(120), "Where in it: table, figure, section or page."),
        Field("split", Choice(tuple(splits)), "The split that the numbers are for."),
        Field("test_set", slug(), "The items they are for, if not those of the split.", False),
        Field("by", _BY, "Who published the numbers: authors and year."),
        Field("date", _DATE, "When they were published.", False),
        Field("what", _WHAT, "What the systems are: fine-tuned, zero-shot, ..."),
        Field("second_hand", Text(160), "Only where the source quotes numbers of others: whose, "
              "and where those printed them.", False),
        Field("scale", Integer(1, 1000), "Printed numbers are divided by this: 100 for "
              "percentages."),
        Field("unscaled", ListOf(column, 0, 40), "Metrics printed in their own unit.", False, ()),
        Field("note", Text(300, lines=True), "What else to know about them.", False),
        Field("values", ListOf(row, 1, 100), "A row for each system."),
    ), PublishedSource, _check_source)
    listed = Record((
        Field("title", Text(160), "The work."),
        Field("by", _BY, "Its authors and year."),
        Field("url", https(), "Where it is."),
        Field("date", _DATE, "When it was published.", False),
        Field("note", Text(160), "What to know about it.", False),
    ), Listed)
    return _Checked((
        Field("schema", Integer(1, 1), "Version of this format."),
        Field("finding", Text(600, lines=True), "What the numbers say together, in a sentence or "
              "two; shown above them.", False),
        Field("sources", ListOf(source, 0, 100), "The places where numbers were read.", False, ()),
        Field("listed", ListOf(listed, 0, 50), "Works whose numbers nobody has entered.", False,
              ()),
    ), Published, _check_file)


def read(board: Board) -> tuple[Published | None, list[Problem]]:
    """A board's published.yaml and every problem of it; NOTHING if it has no such file."""
    path = board.folder / FILE_NAME
    if not path.is_file():
        return NOTHING, []
    return fields.load(declaration(board.metrics, tuple(board.splits)), path.read_bytes(),
                       str(path))


def load(board: Board) -> Published:
    """The same. Raises SubmissionError with every problem."""
    found, problems = read(board)
    if found is None:
        raise SubmissionError(problems)
    return found


class _Value(NamedTuple):
    system: str
    source: PublishedSource
    printed: Printed
    divisor: int

    def contradicts(self, other: _Value) -> bool:
        apart = abs(self.printed.number / self.divisor - other.printed.number / other.divisor)
        return apart > self.printed.half / self.divisor + other.printed.half / other.divisor


def contradictions(board: Board, published: Published) -> Iterator[str]:
    """``path:line:column: note: ...`` for each number of one system that two sources print
    differently, by more than their digits allow. Papers do, so it is no fault.
    """
    for (_, split, _, column), values in _by_system(board, published).items():
        if any(one.contradicts(other) for one, other in combinations(values, 2)):
            first = values[0].printed
            listed = ", ".join(f"{one.printed.text} ({one.source.id})" for one in values)
            yield (f"{board.folder / FILE_NAME}:{first.line}:{first.column}: note: {column} of "
                   f"{excerpt(values[0].system)} on {split} differs between sources: {listed}")


def _by_system(board: Board, published: Published,
               ) -> dict[tuple[str, str, str | None, str], list[_Value]]:
    """The numbers of one metric of one system on the same items, in the order of the file."""
    found: dict[tuple[str, str, str | None, str], list[_Value]] = {}
    for source in published.sources:
        items = source.test_set or board.splits[source.split].test_set
        for row in source.values:
            for column, printed in row.printed.items():
                key = plain(row.system), source.split, items, column
                found.setdefault(key, []).append(
                    _Value(row.system, source, printed, source.divisor(column)))
    return found
