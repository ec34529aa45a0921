"""Explained choices: what a board says about them, and an answer; how items are divided by a given
word such as cause or effect and by the length of the explanation; a split in numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import Annotated

from scorer.core.reading.values import Integer, Items, plain
from scorer.tasks.base import ColumnName
from scorer.tasks.partitions import Partition, Statistic, are_kinds, numbers, spread
from scorer.tasks.text_items import (
    CUE_WORDS,
    Gold,
    by_label,
    choice_partitions,
    cues_of,
    of_texts,
    words,
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a board says about this task."""

    given: Annotated[tuple[ColumnName, ...], Items(1, 5), "The columns of what is given."]
    choices: Annotated[tuple[ColumnName, ...], Items(2, 2), "The columns of the two texts of which "
                       "one is right, behind those."]
    null: Annotated[ColumnName, "The explanation that says nothing: a copy of this one of the "
                    "given texts."]
    most_references: Annotated[int, Integer(1, 100), "Explanations that an item may have in gold, "
                               "at most; left out: 1."] = 1


@dataclass(frozen=True)
class Prediction:
    """Which hypothesis a system takes, and why."""

    label: str
    text: str


def partitions(settings: Settings, golds: Sequence[Gold]) -> Iterator[Partition[Gold]]:
    """The label, kinds of items, what the form gives away, and the explanation's length."""
    def value(index: int, gold: Gold) -> list[str]:
        return [gold.given[index]]

    def length(gold: Gold) -> int:
        return round(fmean(len(words(text)) for text in gold.references))

    label, *cues = choice_partitions("what is given", "are given")
    yield label
    for name, values in kinds(settings, golds).items():
        title = plain(name)
        yield Partition(name.replace("_", "-"), title, values,
                        partial(value, settings.given.index(name)), tag="{}", heading=title)
    yield from cues
    yield Partition("words", "Words of the explanation", numbers(map(length, golds)),
                    lambda gold: [str(length(gold))], number=True)


def kinds(settings: Settings, golds: Sequence[Gold]) -> dict[str, tuple[str, ...]]:
    """Given columns that say of which kind an item is, such as cause or effect: their values."""
    columns = ((name, {gold.given[index] for gold in golds})
               for index, name in enumerate(settings.given))
    return {name: tuple(sorted(values)) for name, values in columns
            if len(values) > 1 and are_kinds(len(values), len(golds))}


def describe(settings: Settings, golds: Sequence[Gold], values: Mapping[str, Sequence[str]],
             ) -> list[Statistic]:
    """Some items in numbers, of which there is one at least; ``values``: ``kinds``."""
    columns = dict(zip(settings.given, zip(*(gold.given for gold in golds), strict=True),
                       strict=True))
    cues = [cues_of(gold) for gold in golds]
    return [
        Statistic("items", len(golds)),
        *by_label(golds),
        *(Statistic(f"{plain(column)} {value}", columns[column].count(value), len(golds))
          for column, known in values.items() for value in known),
        *(Statistic(f"words of {plain(column)}", spread([len(words(text)) for text in texts]))
          for column, texts in columns.items() if column not in values),
        Statistic("words of a hypothesis",
                  spread([len(words(text)) for gold in golds for text in gold.choices])),
        *of_texts(golds, [gold.references for gold in golds], "explanation"),
        *(Statistic(text, sum(cue in pair for pair in cues), len(golds))
          for cue, text in CUE_WORDS.items()),
    ]
