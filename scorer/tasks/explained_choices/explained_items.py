"""The records of explained choices: what a board says about them, an item, and an answer; how items
are divided: by label, by a given word such as cause or effect, by what the form of the hypotheses
gives away, and by the length of the explanation; a split in numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated

from scorer.core.reading.values import Integer, Items, plain
from scorer.tasks.anlg.anlg_items import of_texts
from scorer.tasks.anli.anli_items import CUE_WORDS, CUES, LABELS, by_label, cues_of, words
from scorer.tasks.art_files import ColumnName
from scorer.tasks.partitions import Partition, Statistic, are_kinds, numbers, spread


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
class Gold:
    """One item: what is given, what to choose from, which is right, and why, by people."""

    given: tuple[str, ...]
    choices: tuple[str, ...]
    label: str
    references: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The input columns."""
        return (*self.given, *self.choices)

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """The right one, then the other."""
        return self.choices if self.label == LABELS[0] else self.choices[::-1]


@dataclass(frozen=True)
class Prediction:
    """Which hypothesis a system takes, and why."""

    label: str
    text: str


def partitions(settings: Settings, golds: Sequence[Gold]) -> Iterator[Partition[Gold]]:
    """The label, kinds of items, what the form gives away, and the explanation's length."""
    yield Partition("label", "Right hypothesis", LABELS, lambda gold: [gold.label],
                    tag="right: {}", heading="which hypothesis is right")
    for name, values in kinds(settings, golds).items():
        title = plain(name)
        yield Partition(name.replace("_", "-"), title, values,
                        _given(settings.given.index(name)), tag="{}", heading=title)
    for part, title, heading, cues in (
        ("length", "Words of the hypotheses", "words of the right hypothesis and the other",
         CUES[:3]),
        ("shared", "Words shared with what is given",
         "share of the hypothesis' words that are given", CUES[3:]),
    ):
        yield Partition(part, title, tuple(CUE_WORDS[cue] for cue in cues), _cued(cues),
                        heading=heading, last=True)
    yield Partition("words", "Words of the explanation", numbers(map(_length, golds)),
                    lambda gold: [str(_length(gold))], number=True)


def kinds(settings: Settings, golds: Sequence[Gold]) -> dict[str, tuple[str, ...]]:
    """Given columns that say of which kind an item is, such as cause or effect: their values."""
    columns = ((name, {gold.given[index] for gold in golds})
               for index, name in enumerate(settings.given))
    return {name: tuple(sorted(values)) for name, values in columns
            if len(values) > 1 and are_kinds(len(values), len(golds))}


def _given(index: int) -> Callable[[Gold], Sequence[str]]:
    return lambda gold: [gold.given[index]]


def _cued(cues: Sequence[str]) -> Callable[[Gold], Sequence[str]]:
    return lambda gold: [CUE_WORDS[cue] for cue in cues_of(gold.given, gold.hypotheses)
                         if cue in cues]


def _length(gold: Gold) -> int:
    """Words of an explanation, on average."""
    return round(fmean(len(words(text)) for text in gold.references))


def describe(settings: Settings, golds: Sequence[Gold], values: Mapping[str, Sequence[str]],
             ) -> list[Statistic]:
    """Some items in numbers, of which there is one at least; ``values``: ``kinds``."""
    columns = dict(zip(settings.given, zip(*(gold.given for gold in golds), strict=True),
                       strict=True))
    tags = [cues_of(gold.given, gold.hypotheses) for gold in golds]
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
        *(Statistic(CUE_WORDS[cue], sum(cue in cues for cues in tags), len(golds))
          for cue in CUES),
    ]
