"""Numbers published elsewhere, ``boards/<board>/published.yaml``: what they are, how they are read.

No score depends on them: they are outside the board's version and every result's key.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

from scorer.boards.records import Board
from scorer.core.errors import Problem, SubmissionError, excerpt
from scorer.core.reading import schema
from scorer.core.reading.schema import Misfit
from scorer.core.reading.values import (
    EXPECTED,
    Choice,
    Https,
    Integer,
    Items,
    Kind,
    Optional,
    Slug,
    Text,
    YesNo,
    fault,
    shown,
)
from scorer.core.records import SPLITS
from scorer.metrics.catalogue import METRICS

FILE_NAME = "published.yaml"
_UNSIGNED = r"(?:[0-9]{1,9}(?:\.[0-9]{1,12})?|\.[0-9]{1,12})"
_PRINTED = re.compile(rf"(-?{_UNSIGNED})(?: ?(?:\+-|±) ?{_UNSIGNED})?")
_Date = Annotated[str, Text(
    10, r"[0-9]{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12][0-9]|3[01]))?)?",
    "a date, YYYY, YYYY-MM or YYYY-MM-DD")]
_Words = Annotated[str, Text(120)]


class Printed(NamedTuple):
    """A number as its source prints it."""

    text: str
    """With what follows ``+-``."""
    number: Decimal
    """In the unit of the source."""


class _AsPrinted(Kind):
    """The text of a printed number."""

    def read(self, value: Any) -> Printed:
        match = _PRINTED.fullmatch(value) if isinstance(value, str) else None
        if match is None:
            raise fault(shown(value), "write what the source prints")
        return Printed(match[0], Decimal(match[1]))

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{_PRINTED.pattern}$",
                EXPECTED: 'a number in quotes, such as "87.2" or "58.76 +- .32"'}


def columns_of(metrics: Iterable[str]) -> tuple[str, ...]:
    """What numbers of some metrics can be called: ``G-BLEU``, ``G-BLEU precision``."""
    return tuple(name for metric in metrics
                 for name in (metric, *(f"{metric} {part}" for part in METRICS[metric].parts)))


_Column = Annotated[str, Choice(columns_of(METRICS), "columns")]


@dataclass(frozen=True, kw_only=True)
class PublishedRow:
    """What one source prints of one system."""

    system: Annotated[str, Text(80), "The system's name; the same name in all sources."]
    printed: Annotated[Mapping[_Column, Annotated[Printed, _AsPrinted()]], Items(1),
                       "Each metric of the board, or `<metric> precision` and `<metric> recall`, "
                       "with the number as the source prints it: all its digits, in quotes, and "
                       "behind `+-` its deviation."]
    by: Annotated[Optional[_Words], "Who published it, if not who published the rest."] = None
    date: Annotated[Optional[_Date], "When it was published, if not with the source."] = None
    what: Annotated[Optional[_Words], "What it is, if not what the source says."] = None
    human: Annotated[bool, YesNo(), "Whether people did it."] = False


@dataclass(frozen=True, kw_only=True)
class PublishedSource:
    """One place where numbers for one split were read."""

    id: Annotated[Slug, "A name for the source, different from the others'."]
    title: Annotated[_Words, "What was read."]
    url: Annotated[Https, "Where it is; a repository at its commit."]
    place: Annotated[_Words, "Where in it: table, figure, section or page."]
    split: Annotated[str, Choice(SPLITS, "splits"), "The split that the numbers are for."]
    test_set: Annotated[Optional[Slug], "The items they are for, if not those of the split."] = None
    by: Annotated[_Words, "Who published the numbers: authors and year."]
    date: Annotated[Optional[_Date], "When they were published."] = None
    what: Annotated[_Words, "What the systems are: fine-tuned, zero-shot, ..."]
    second_hand: Annotated[str | None, Text(160), "Only where the source quotes numbers of others: "
                           "whose, and where those printed them."] = None
    scale: Annotated[int, Integer(1, 1000), "Printed numbers are divided by this: 100 for "
                     "percentages."]
    unscaled: Annotated[tuple[_Column, ...], Items(0, 40), "Metrics printed in their own "
                        "unit."] = ()
    note: Annotated[str | None, Text(300, lines=True), "What else to know about them."] = None
    values: Annotated[tuple[PublishedRow, ...], Items(1, 100), "A row for each system."]

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

    title: Annotated[str, Text(160), "The work."]
    by: Annotated[_Words, "Its authors and year."]
    url: Annotated[Https, "Where it is."]
    date: Annotated[Optional[_Date], "When it was published."] = None
    note: Annotated[str | None, Text(160), "What to know about it."] = None


@dataclass(frozen=True, kw_only=True)
class Published:
    """A whole ``published.yaml``."""

    schema: Annotated[int, Integer(1, 1), "Version of this format."]
    finding: Annotated[str | None, Text(600, lines=True), "What the numbers say together, in a "
                       "sentence or two; shown above them."] = None
    sources: Annotated[tuple[PublishedSource, ...], Items(0, 100), "The places where numbers were "
                       "read."] = ()
    listed: Annotated[tuple[Listed, ...], Items(), "Works whose numbers nobody has entered."] = ()


NOTHING = Published(schema=1)


def read(board: Board) -> tuple[Published | None, list[Problem]]:
    """A board's published.yaml and every problem of it; NOTHING if it has no such file."""
    path = board.folder / FILE_NAME
    if not path.is_file():
        return NOTHING, []
    content = path.read_bytes()
    published, problems = schema.load(Published, content, str(path), splits=tuple(board.splits),
                                      columns=columns_of(board.metrics))
    if published is not None:
        problems = schema.at_places([*_misfits(published)], content, str(path))
    return (None if problems else published), problems


def _misfits(published: Published) -> Iterator[Misfit]:
    """Numbers that no metric has: mistyped, or of another scale."""
    for number, source in enumerate(published.sources):
        for at, row in enumerate(source.values):
            for column, printed in row.printed.items():
                metric = METRICS[column if column in METRICS else column.rpartition(" ")[0]]
                value = source.value(row, column)
                if not metric.lowest <= value <= metric.highest:
                    yield (("sources", number, "values", at, "printed", column),
                           f"{column} of {excerpt(row.system)}: {printed.text} / "
                           f"{source.divisor(column)} = {value:g}",
                           f"{metric.lowest:g} to {metric.highest:g}", "mend the number or the "
                           "scale")


def load(board: Board) -> Published:
    """The same. Raises SubmissionError with every problem."""
    published, problems = read(board)
    if published is None:
        raise SubmissionError(problems)
    return published
