"""Explained choices in numbers, and how items are divided: by label, by a given word such as cause
or effect, by what the form of the hypotheses gives away, and by the length of the explanation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from scorer.core.reading.values import plain
from scorer.tasks.anlg.analysis import Texts
from scorer.tasks.anlg.analysis import describe as describe_texts
from scorer.tasks.anli.analysis import CUE_WORDS
from scorer.tasks.anli.anli_items import LABELS
from scorer.tasks.anli.task import CUES, cues_of, words
from scorer.tasks.explained_choices.explained_items import Gold, Settings
from scorer.tasks.partitions import Partition, Spread, are_kinds, numbers, spread


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
    columns = ((name, {gold.given[place] for gold in golds})
               for place, name in enumerate(settings.given))
    return {name: tuple(sorted(values)) for name, values in columns
            if len(values) > 1 and are_kinds(len(values), len(golds))}


def _given(place: int) -> Callable[[Gold], Sequence[str]]:
    return lambda gold: [gold.given[place]]


def _cued(cues: Sequence[str]) -> Callable[[Gold], Sequence[str]]:
    return lambda gold: [CUE_WORDS[cue] for cue in cues_of(gold.given, gold.hypotheses)
                         if cue in cues]


def _length(gold: Gold) -> int:
    """Words of an explanation, on average."""
    return round(fmean(len(words(text)) for text in gold.references))


class ItemStatistics(NamedTuple):
    """The items of a split, or of all of them together."""

    name: str
    items: int
    labels: Mapping[str, int]
    """Items by label."""
    kinds: Mapping[str, Mapping[str, int]]
    """Items by the values of each given column that says of which kind they are."""
    given: Mapping[str, Spread | None]
    """Words of each other given text."""
    hypotheses: Spread | None
    """Words of a hypothesis."""
    cues: Mapping[str, int]
    """Items by what the form gives away."""
    references: Texts
    """The explanations."""


def describe(name: str, settings: Settings, golds: Sequence[Gold],
             values: Mapping[str, Sequence[str]]) -> ItemStatistics:
    """The statistics of some items, of which there is one at least; ``values``: ``kinds``."""
    columns = dict(zip(settings.given, zip(*(gold.given for gold in golds), strict=True),
                       strict=True))
    found = [cues_of(gold.given, gold.hypotheses) for gold in golds]
    return ItemStatistics(
        name, len(golds), {label: sum(gold.label == label for gold in golds) for label in LABELS},
        {column: {one: columns[column].count(one) for one in known}
         for column, known in values.items()},
        {column: spread([len(words(text)) for text in texts])
         for column, texts in columns.items() if column not in values},
        spread([len(words(text)) for gold in golds for text in gold.choices]),
        {CUE_WORDS[cue]: sum(cue in cues for cues in found) for cue in CUES},
        describe_texts(golds, [gold.references for gold in golds]))
