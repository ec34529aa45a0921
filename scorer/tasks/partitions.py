"""Ways to divide the items of a split by their gold, such as by label or by depth; spreads.

Each task defines its own, once: the facets of the example browser, the breakdown of a system's
numbers and the links from one to the other are all made of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Generic, NamedTuple, TypeVar

Gold = TypeVar("Gold")

Values = Sequence[str]
"""The values that one item has; none where nothing is known of it."""


MOST_KINDS, LEAST_TIMES = 5, 10


def are_kinds(different: int, items: int) -> bool:
    """Whether a column says of which kind an item is, such as cause or effect, and is no text.

    It has at most MOST_KINDS different values, each LEAST_TIMES on average.

    >>> are_kinds(2, 24), are_kinds(2, 12), are_kinds(24, 240)
    (True, False, False)
    """
    return different <= MOST_KINDS and items >= LEAST_TIMES * different


@dataclass(frozen=True)
class Partition(Generic[Gold]):
    """One question about a gold item, and the answers there are."""

    id: str
    """Its name in addresses of the example browser."""
    name: str
    """What the example browser calls it."""
    values: tuple[str, ...]
    """In the order they are shown; as they stand in addresses."""
    of: Callable[[Gold], Values]
    several: bool = False
    """Whether an item may have more than one value."""
    long: bool = False
    """Whether only the commonest values are shown at first."""
    tag: str = ""
    """How a list of examples says the value, with ``{}`` in its place; empty where it does not."""
    heading: str = ""
    """What breakdowns call it; empty where they leave it out."""
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Parts of a breakdown by name, each with its values; empty where each value is a part."""
    last: bool = False
    """Whether breakdowns show it after the others."""
    number: bool = False
    """Whether values are whole numbers, of which the example browser takes a range."""

    def values_of(self, part: str) -> tuple[str, ...]:
        """The values that one part of a breakdown stands for."""
        return self.parts[part] if self.parts else (part,)


class Division(NamedTuple):
    """The items of one split, divided."""

    by: Partition[Any]
    rows: Mapping[str, tuple[int, ...]]
    """One-based rows by part, in the order to show them; a part without items is kept."""

    @property
    def overlapping(self) -> bool:
        """Whether an item is in several parts."""
        rows = [row for part in self.rows.values() for row in part]
        return len(set(rows)) < len(rows)


def values_of(partitions: Sequence[Partition[Gold]], golds: Sequence[Gold]
              ) -> list[list[Values]]:
    """For each partition, the values of every item. Each item is looked at once."""
    columns: list[list[Values]] = [[] for _ in partitions]
    for gold in golds:
        for column, partition in zip(columns, partitions, strict=True):
            column.append(partition.of(gold))
    return columns


def divisions(partitions: Sequence[Partition[Gold]], golds: Sequence[Gold]
              ) -> tuple[Division, ...]:
    """The parts of every partition that breakdowns have, in their order."""
    shown = sorted((axis for axis in partitions if axis.heading), key=lambda axis: axis.last)
    return tuple(Division(by, _rows(by, column))
                 for by, column in zip(shown, values_of(shown, golds), strict=True))


def _rows(by: Partition[Any], column: Sequence[Values]) -> dict[str, tuple[int, ...]]:
    wanted = {part: {*by.values_of(part)} for part in by.parts or by.values}
    return {part: tuple(row for row, values in enumerate(column, start=1)
                        if not members.isdisjoint(values)) for part, members in wanted.items()}


def numbers(values: Iterable[int]) -> tuple[str, ...]:
    """The values of a partition by number: the numbers that occur, in order.

    >>> numbers([12, 3, 3])
    ('3', '12')
    """
    return tuple(map(str, sorted({*values})))


class Spread(NamedTuple):
    """Minimum, maximum and mean, as the paper's tables print them."""

    least: int
    most: int
    mean: float


def spread(values: Sequence[int]) -> Spread | None:
    """The spread of some numbers; None if there are none.

    >>> spread([1, 2, 6])
    Spread(least=1, most=6, mean=3.0)
    """
    return Spread(min(values), max(values), fmean(values)) if values else None


class Statistic(NamedTuple):
    """One row of a table of numbers."""

    name: str
    """What is counted."""
    value: float | Spread | None
    of: int | None = None
    """All of which ``value`` are some; None where no share is shown."""


def by_value(values: Sequence[str | None], shown: Iterable[str], name: str = "{}",
             ) -> list[Statistic]:
    """How many of some values are each of those ``shown``; ``name``: with ``{}`` for the value."""
    counts = Counter(values)
    return [Statistic(name.format(value), counts[value], len(values)) for value in shown]
