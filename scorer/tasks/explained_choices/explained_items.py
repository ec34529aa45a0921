"""Explained choices: what a board says about them, and an answer; how items are divided by a given
word such as cause or effect and by the length of the explanation; a split in numbers;
reference rows: what a choice is worth without a reason, and a reason without a choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Annotated

from scorer.core.reading.values import Integer, Items, plain
from scorer.tasks.anli.anli_items import Form, hypothesis_only, preferred
from scorer.tasks.base import ColumnName
from scorer.tasks.baselines import (
    TRAINED,
    Baseline,
    answered,
    most_frequent,
    nearest_answers,
    others,
)
from scorer.tasks.partitions import Partition, Statistic, are_kinds, numbers, spread
from scorer.tasks.text_items import (
    CUE_WORDS,
    LABELS,
    Gold,
    by_label,
    choice_partitions,
    cues_of,
    of_texts,
    shares,
    words,
)

if TYPE_CHECKING:
    from scorer.models.known import Encoder


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


# ---- reference rows --------------------------------------------------------------------------

# Every row takes its explanation from other items, so none of them explains anything. Rows differ
# in how they choose; the last two are always right, and show what no content at all scores.

FREQUENT = 8
"""Words of the text that says nothing but what most explanations say: about as many as one has."""

Golds = Sequence[Gold]
Predictions = list[Prediction]
Row = Baseline[Settings, Gold, Prediction]


def majority(settings: Settings, train: Golds, items: Golds) -> Predictions:
    """The most frequent label and the most frequent explanation; of equals the first."""
    every, sizes = (*train, *items), (len(train), len(items))
    labels = most_frequent([item.label for item in every], *sizes, LABELS)
    texts = most_frequent([item.references[0] for item in every], *sizes)
    return [Prediction(*pair) for pair in zip(labels, texts, strict=True)]


def word_overlap(settings: Settings, train: Golds, items: Golds) -> Predictions:
    """The hypothesis of which more words are given; the first on ties."""
    labels = []
    for item in items:
        context = {word for text in item.given for word in words(text)}
        first, second = (shares(words(text), context) for text in item.choices)
        labels.append(LABELS[second > first])
    return explained(labels, train, items)


def encoded(settings: Settings, train: Golds, items: Golds, *, encoder: Encoder,
            form: Form) -> Predictions:
    """The hypothesis that a regression over encoded inputs prefers."""
    return explained(preferred(train, items, encoder=encoder, form=form), train, items)


def explained(labels: Sequence[str], train: Golds, items: Golds) -> Predictions:
    """Choices with the explanation of the most similar known item: by TF-IDF of what is given and
    the hypothesis that is taken, of known items the right one. Needs scikit-learn."""
    every = [*train, *items]
    right = [" ".join((*item.given, item.hypotheses[0])) for item in every]
    taken = [" ".join((*item.given, item.choices[LABELS.index(label)]))
             for label, item in zip(labels, items, strict=True)]
    texts = nearest_answers(right, taken, [item.references[0] for item in every])
    return [Prediction(*pair) for pair in zip(labels, texts, strict=True)]


def other_explanation(settings: Settings, train: Golds, items: Golds) -> Predictions:
    """The right label with the explanation of another item, as a fixed shuffle."""
    return [Prediction(item.label, items[other].references[0])
            for item, other in zip(items, others(len(items)), strict=True)]


def frequent_words(settings: Settings, train: Golds, items: Golds) -> Predictions:
    """The right label with one text for all: the words that stand in most known explanations, in
    the order in which they stand there. What ROUGE-L gives it, it gives for no content at all."""
    texts = [item.references[0].split() for item in (*train, *items)]

    def fit(known: Sequence[int]) -> Callable[[Sequence[int]], list[str]]:
        positions: dict[str, list[float]] = {}
        for text in map(texts.__getitem__, known):
            for word in dict.fromkeys(text):
                positions.setdefault(word, []).append(text.index(word) / len(text))
        often = sorted(positions, key=lambda word: -len(positions[word]))[:FREQUENT]
        answer = " ".join(sorted(often, key=lambda word: fmean(positions[word])))
        return lambda targets: [answer] * len(targets)

    answers = answered(fit, len(train), len(items))
    return [Prediction(item.label, text) for item, text in zip(items, answers, strict=True)]


_NEAREST = "The explanation is that of the most similar other item by TF-IDF."
_FORMS: tuple[tuple[str, str, str, Form], ...] = (
    ("hypothesis-only", "Hypothesis only", "the hypothesis alone", hypothesis_only),
    ("all-texts", "All texts", "what is given [SEP] the hypothesis",
     lambda item, text: (f"{' '.join(item.given)} [SEP] {text}",)),
)

_ROWS: tuple[Row, ...] = (
    Row("majority", "Majority", "The most frequent label and the most frequent explanation.",
        TRAINED, False, majority, trains=True),
    Row("word-overlap", "Word overlap",
        f"The hypothesis of which more words are given. {_NEAREST}", TRAINED, False, word_overlap,
        trains=True),
    *(Row(name, title, f"A logistic regression over the mean MiniLM vector of {inputs}. {_NEAREST}",
          TRAINED, False, partial(encoded, form=form), encoder="minilm-l6", trains=True)
      for name, title, inputs, form in _FORMS),
    Row("other-explanation", "Another item's explanation",
        "The right label with the explanation of another item.", "None; gold of the scored split.",
        True, other_explanation, role="null"),
    Row("frequent-words", "Frequent words",
        f"The right label with one text for all items: the {FREQUENT} words that stand in most "
        "explanations, in the order in which they stand there.",
        f"Gold labels of the scored split. {TRAINED}", True, frequent_words, trains=True,
        role="null"),
)
BASELINES = {row.name: row for row in _ROWS}
"""Every baseline by its name."""
