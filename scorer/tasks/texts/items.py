"""Items of texts, as aNLI, aNLG and explained choices have them: what a board says about each task,
an item and an answer; how items are divided, by words and by what the form of two hypotheses gives
away; a split in numbers.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from statistics import fmean
from typing import Annotated

from scorer.core.reading.values import Integer, Items, Slug, Text, plain
from scorer.tasks.answers import with_article
from scorer.tasks.base import ColumnName
from scorer.tasks.partitions import (
    Partition,
    Statistic,
    are_kinds,
    by_value,
    divisions,
    numbers,
    spread,
)

GIVEN = ("obs1", "obs2")
"""The columns of what is given, where a board does not name others."""
LABELS = ("1", "2")
MOST_LETTERS, MOST_WORDS = 1000, 200
"""METEOR and ROUGE-L take time with the square of a text's length."""


@dataclass(frozen=True)
class Slice:
    """A named list of words; items of which a text has one of them are looked at apart."""

    name: Annotated[Slug, "The slice's name."]
    words: Annotated[tuple[Annotated[str, Text(40, r"[a-z0-9'-]+", "a lower-case word")], ...],
                     Items(1, 400), "An item is in the slice if one of its four texts has one of "
                     "these words."]


@dataclass(frozen=True)
class ChoiceSettings:
    """What a board says about a choice of two hypotheses."""

    slices: Annotated[tuple[Slice, ...], Items(0, 20), "Named parts of a split, reported beside "
                      "its score."] = ()
    given: Annotated[tuple[ColumnName, ...], Items(1, 5), "The columns of what is given, behind "
                     "the id."] = GIVEN
    choices: Annotated[tuple[ColumnName, ...], Items(2, 2), "The columns of the two texts of which "
                       "one is right, behind those."] = ("hyp1", "hyp2")

    @cached_property
    def sets(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """The slices by name, their words as sets."""
        return tuple((part.name, frozenset(part.words)) for part in self.slices)

    @property
    def slice_names(self) -> tuple[str, ...]:
        """The board's own slices, then those of every board."""
        return (*(part.name for part in self.slices), *CUES)


@dataclass(frozen=True)
class TextSettings:
    """What a board says about texts."""

    most_references: Annotated[int, Integer(1, 100), "References that a context may have, at most."]
    null: Annotated[ColumnName, "The text that says nothing: a copy of this one of those given."]
    given: Annotated[tuple[ColumnName, ...], Items(1, 5), "The columns of what is given."] = GIVEN


@dataclass(frozen=True, kw_only=True)
class ExplainedSettings:
    """What a board says about choices with a text that says why."""

    given: Annotated[tuple[ColumnName, ...], Items(1, 5), "The columns of what is given."]
    choices: Annotated[tuple[ColumnName, ...], Items(2, 2), "The columns of the two texts of which "
                       "one is right, behind those."]
    null: Annotated[ColumnName, "The explanation that says nothing: a copy of this one of the "
                    "given texts."]
    most_references: Annotated[int, Integer(1, 100), "Explanations that an item may have in gold, "
                               "at most; left out: 1."] = 1


@dataclass(frozen=True)
class Gold:
    """One item. Of a file of labels alone the texts are empty."""

    given: tuple[str, ...]
    """The texts that are given: two observations, where a board does not have others."""
    choices: tuple[str, ...] = ()
    """The two hypotheses of which one is right; none where nothing is chosen."""
    label: str = ""
    """Which one is right."""
    references: tuple[str, ...] = ()
    """What people wrote; none where nothing is written."""
    ids: tuple[str, ...] = ()
    """The item's id, where files have one."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The input columns."""
        return (*self.ids, *self.given, *self.choices)

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """The right one, then the other."""
        return self.choices if self.label == LABELS[0] else self.choices[::-1]


@dataclass(frozen=True)
class Prediction:
    """What a system says about one item."""

    label: str = ""
    """Which hypothesis it takes; empty where nothing is chosen."""
    text: str = ""
    """What it writes; empty where nothing is written, too."""


def words(text: str) -> list[str]:
    """Lower-cased words without the punctuation around them.

    >>> words("Ann's dog ran -- home!")
    ["ann's", 'dog', 'ran', 'home']
    """
    tokens = (word.strip(".,;:!?\"'()-") for word in text.lower().split())
    return [word for word in tokens if word]


def word_pairs(text: str) -> tuple[Hashable, ...]:
    """Pairs of neighbouring words in lower case; of one word, that.

    >>> word_pairs("It rained hard")
    (('it', 'rained'), ('rained', 'hard'))
    """
    words = text.lower().split()
    return tuple(pairwise(words)) if len(words) > 1 else tuple(words)


def too_long(text: str) -> str:
    """Why a text cannot be scored, in words; empty if it can."""
    if len(text) <= MOST_LETTERS and len(text.split()) <= MOST_WORDS:
        return ""
    return f"has more than {MOST_LETTERS} characters or {MOST_WORDS} words"


# ---- what the form of the hypotheses gives away ----------------------------------------------

CUE_WORDS = {
    "right-is-longer": "the right one is longer", "right-is-shorter": "the right one is shorter",
    "as-long": "both are as long", "right-shares-more": "the right one shares more",
    "right-shares-less": "the right one shares less", "shares-as-much": "both share as much",
}
"""Slices of every board, and how people read them: the number of words of the right hypothesis
against the other's, and the share of them that is given. A system that goes by such signs shows it
here."""
CUES = tuple(CUE_WORDS)


def cues_of(gold: Gold) -> list[str]:
    """Two of CUES; none without texts."""
    if not gold.choices[0]:
        return []
    right, other = map(words, gold.hypotheses)
    known = {word for text in gold.given for word in words(text)}
    differences = len(right) - len(other), shares(right, known) - shares(other, known)
    return [names[0 if difference > 0 else 1 if difference < 0 else 2]
            for difference, names in zip(differences, (CUES[:3], CUES[3:]), strict=True)]


def shares(hypothesis: Sequence[str], context: Collection[str]) -> float:
    """The share of a hypothesis' words that are given; 0 without words."""
    return sum(word in context for word in hypothesis) / max(1, len(hypothesis))


def choice_partitions(given: str, are_given: str) -> Iterator[Partition[Gold]]:
    """By label and by cues.

    ``given``: what a board calls what is given; ``are_given``: how it says that words are in it.
    """
    yield Partition("label", "Right hypothesis", LABELS, lambda gold: [gold.label],
                    tag="right: {}", heading="which hypothesis is right")
    yield Partition("length", "Words of the hypotheses",
                    tuple(CUE_WORDS[cue] for cue in CUES[:3]),
                    lambda gold: [CUE_WORDS[cue] for cue in cues_of(gold)[:1]],
                    heading="words of the right hypothesis and the other", last=True)
    yield Partition("shared", f"Words shared with {given}",
                    tuple(CUE_WORDS[cue] for cue in CUES[3:]),
                    lambda gold: [CUE_WORDS[cue] for cue in cues_of(gold)[1:]],
                    heading=f"share of the hypothesis' words that {are_given}", last=True)


# ---- choices ---------------------------------------------------------------------------------


def slices_of(settings: ChoiceSettings, gold: Gold) -> list[str]:
    """The names of the slices that an item is in; none without texts."""
    if not gold.choices[0]:
        return []
    every = {word for text in (*gold.given, *gold.choices) for word in words(text)}
    named = [name for name, listed in settings.sets if not listed.isdisjoint(every)]
    return [*named, *cues_of(gold)]


NO_SLICE = "none of these"


def partitions_of_choices(settings: ChoiceSettings, golds: Sequence[Gold],
                          ) -> Iterator[Partition[Gold]]:
    """The label, what the form of the hypotheses gives away, length, the board's own slices.

    Of an item without texts only the label is known.
    """
    def length(gold: Gold) -> str:
        return str(len(words(gold.hypotheses[0])))

    yield from choice_partitions("the observations", "the observations have")
    yield Partition(
        "words", "Words of the right hypothesis",
        numbers(int(length(gold)) for gold in golds if gold.choices[0]),
        lambda gold: [length(gold)] if gold.choices[0] else [], number=True)
    slices = [part.name for part in settings.slices]
    if slices:
        yield Partition(
            "slice", "Has words that are (our lists)", (*slices, NO_SLICE),
            lambda gold: [name for name in slices_of(settings, gold) if name in slices]
            or [NO_SLICE] * bool(gold.choices[0]),
            several=True, heading="words of our own lists, in any of the texts",
            parts={name: (name,) for name in slices})


def describe_choices(golds: Sequence[Gold]) -> list[Statistic]:
    """Some items in numbers, of which there is one at least."""
    pairs = [[len(words(text)) for text in gold.hypotheses] for gold in golds]
    return [
        Statistic("items", len(golds)),
        Statistic("different pairs of observations", len({gold.given for gold in golds})),
        *by_value([gold.label for gold in golds], LABELS, "hypothesis {} is right"),
        Statistic("words of an observation", spread(
            [len(words(text)) for gold in golds for text in gold.given])),
        Statistic("words of a hypothesis", spread([count for pair in pairs for count in pair])),
        Statistic("of the right one, mean", fmean(right for right, _ in pairs)),
        Statistic("of the other one, mean", fmean(other for _, other in pairs)),
    ]


def by_slice(settings: ChoiceSettings, golds: Sequence[Gold]) -> list[Statistic]:
    """Items by slice, cues included."""
    counts = Counter(name for gold in golds for name in slices_of(settings, gold))
    return [Statistic(CUE_WORDS.get(name, name), counts[name], len(golds))
            for name in settings.slice_names]


# ---- texts -----------------------------------------------------------------------------------

MANY = 5
"""Contexts with so many references or more are one part."""
_NUMBERS = (*map(str, range(1, MANY)), f"{MANY} or more")
_OVERLAPS = (0.25, 0.5)
"""Where classes of a share begin."""
_SHARES = ("less than a quarter", "a quarter to a half", "half or more")


REFERENCES: Partition[Gold] = Partition(
    "references", "References", _NUMBERS,
    lambda gold: [_NUMBERS[min(len(gold.references), MANY) - 1]],
    heading="references of the context")
"""With more references, every metric of this task is easier."""


def partitions_of_texts(golds: Sequence[Gold]) -> Iterator[Partition[Gold]]:
    """By how much the references and the observations leave open."""
    def shared(gold: Gold) -> float:
        first, *others = ({*words(text)} for text in gold.given)
        last = others[-1] if others else set()
        return len(first & last) / max(1, len(last))

    yield REFERENCES
    yield _by_length("Words of a reference, on average", golds)
    yield Partition("overlap", "Words of the second observation that the first has", _SHARES,
                    lambda gold: [_SHARES[bisect_right(_OVERLAPS, shared(gold))]])


def _by_length(name: str, golds: Sequence[Gold]) -> Partition[Gold]:
    """By the mean number of words of an item's references."""
    def length(gold: Gold) -> int:
        return round(fmean(len(words(text)) for text in gold.references))

    return Partition("words", name, numbers(map(length, golds)),
                     lambda gold: [str(length(gold))], number=True)


def against_references(golds: Sequence[Gold], texts: Sequence[str]
                       ) -> dict[str, list[Statistic]]:
    """The texts of a system, one an item, beside all that people wrote."""
    return {"references": of_texts(golds, [gold.references for gold in golds], "text"),
            "its texts": of_texts(golds, [[text] for text in texts], "text")}


def describe_texts(golds: Sequence[Gold]) -> list[Statistic]:
    """Some contexts in numbers."""
    [by_number] = divisions([REFERENCES], golds)
    return [
        Statistic("contexts", len(golds)),
        Statistic("references of a context", spread([len(gold.references) for gold in golds])),
        *(Statistic(f"contexts with {part}", len(rows), len(golds))
          for part, rows in by_number.rows.items()),
        Statistic("words of an observation",
                  spread([len(words(text)) for gold in golds for text in gold.texts])),
        *of_texts(golds, [gold.references for gold in golds], "reference"),
    ]


# ---- choices with a text ---------------------------------------------------------------------


def partitions_of_explained(settings: ExplainedSettings, golds: Sequence[Gold],
                            ) -> Iterator[Partition[Gold]]:
    """The label, kinds of items, what the form gives away, and the explanation's length."""
    def value(index: int, gold: Gold) -> list[str]:
        return [gold.given[index]]

    label, *cues = choice_partitions("what is given", "are given")
    yield label
    for name, values in kinds(settings, golds).items():
        title = plain(name)
        yield Partition(name.replace("_", "-"), title, values,
                        partial(value, settings.given.index(name)), tag="{}", heading=title)
    yield from cues
    yield _by_length("Words of the explanation", golds)


def kinds(settings: ExplainedSettings, golds: Sequence[Gold]) -> dict[str, tuple[str, ...]]:
    """Given columns that say of which kind an item is, such as cause or effect: their values."""
    columns = ((name, {gold.given[index] for gold in golds})
               for index, name in enumerate(settings.given))
    return {name: tuple(sorted(values)) for name, values in columns
            if len(values) > 1 and are_kinds(len(values), len(golds))}


def describe_explained(settings: ExplainedSettings, golds: Sequence[Gold],
                       values: Mapping[str, Sequence[str]]) -> list[Statistic]:
    """Some items in numbers, of which there is one at least; ``values``: ``kinds``."""
    columns = dict(zip(settings.given, zip(*(gold.given for gold in golds), strict=True),
                       strict=True))
    cues = Counter(cue for gold in golds for cue in cues_of(gold))
    return [
        Statistic("items", len(golds)),
        *by_value([gold.label for gold in golds], LABELS, "hypothesis {} is right"),
        *(count for column, known in values.items()
          for count in by_value(columns[column], known, f"{plain(column)} {{}}")),
        *(Statistic(f"words of {plain(column)}", spread([len(words(text)) for text in texts]))
          for column, texts in columns.items() if column not in values),
        Statistic("words of a hypothesis",
                  spread([len(words(text)) for gold in golds for text in gold.choices])),
        *of_texts(golds, [gold.references for gold in golds], "explanation"),
        *(Statistic(text, cues[cue], len(golds)) for cue, text in CUE_WORDS.items()),
    ]


# ---- numbers of all ------------------------------------------------------------------------------


def of_texts(golds: Sequence[Gold], texts: Sequence[Sequence[str]], noun: str) -> list[Statistic]:
    """The texts of each item, none or several, as a whole; ``noun``: what one of them is called."""
    used: Counter[str] = Counter()
    lengths, overlap, copies = [], 0, 0
    different = set()
    for gold, group in zip(golds, texts, strict=True):
        inputs = [tuple(words(text)) for text in gold.texts]
        known = {word for text in inputs for word in text}
        for text in group:
            tokens = tuple(words(text))
            used.update(tokens)
            lengths.append(len(tokens))
            overlap += sum(token in known for token in tokens)
            copies += tokens in inputs
            different.add(tokens)
    return [
        Statistic(f"{noun}s", len(lengths)),
        Statistic(f"words of {with_article(noun)}", spread(lengths)),
        Statistic(f"different {noun}s", len(different), len(lengths)),
        Statistic("different words", len(used)),
        Statistic("words that are given", overlap, used.total()),
        Statistic(f"{noun}s that copy a given text", copies, len(lengths)),
    ]
