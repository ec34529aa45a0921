"""Abductive inference: what a board says about it, and an answer; how items are divided by words
and by what the form gives away; a split in numbers; reference rows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, NamedTuple

from scorer.core.reading.values import Items, Slug, Text
from scorer.tasks.base import ColumnName
from scorer.tasks.baselines import (
    SEED,
    TRAINED,
    Baseline,
    answered,
    learned_from,
    most_frequent,
)
from scorer.tasks.labelled import RIGHT
from scorer.tasks.partitions import Partition, Statistic, numbers, spread
from scorer.tasks.text_items import (
    CUE_WORDS,
    CUES,
    GIVEN,
    LABELS,
    Gold,
    by_label,
    choice_partitions,
    cues_of,
    words,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scorer.models.known import Encoder


@dataclass(frozen=True)
class Slice:
    """A named list of words; items of which a text has one of them are looked at apart."""

    name: Annotated[Slug, "The slice's name."]
    words: Annotated[tuple[Annotated[str, Text(40, r"[a-z0-9'-]+", "a lower-case word")], ...],
                     Items(1, 400), "An item is in the slice if one of its four texts has one of "
                     "these words."]


@dataclass(frozen=True)
class Settings:
    """What a board says about this task."""

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
class Prediction:
    """Which hypothesis a system takes."""

    label: str


def slices_of(settings: Settings, gold: Gold) -> list[str]:
    """The names of the slices that an item is in; none without texts."""
    if not gold.choices[0]:
        return []
    every = {word for text in (*gold.given, *gold.choices) for word in words(text)}
    named = [name for name, listed in settings.sets if not listed.isdisjoint(every)]
    return [*named, *cues_of(gold)]


NO_SLICE = "none of these"


def partitions(settings: Settings, golds: Sequence[Gold]) -> Iterator[Partition[Gold]]:
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


class CountedSlice(NamedTuple):
    """One slice as a result counts it."""

    name: str
    items: int
    right: int


def counted(slices: Mapping[str, Mapping[str, int]]) -> tuple[CountedSlice, ...]:
    """The slices of a result that have items; it has them even where no item may be shown."""
    return tuple(CountedSlice(name, counts["items"], counts[RIGHT])
                 for name, counts in slices.items() if counts["items"])


def describe(golds: Sequence[Gold]) -> list[Statistic]:
    """Some items in numbers, of which there is one at least."""
    pairs = [[len(words(text)) for text in gold.hypotheses] for gold in golds]
    return [
        Statistic("items", len(golds)),
        Statistic("different pairs of observations", len({gold.given for gold in golds})),
        *by_label(golds),
        Statistic("words of an observation", spread(
            [len(words(text)) for gold in golds for text in gold.given])),
        Statistic("words of a hypothesis", spread([count for pair in pairs for count in pair])),
        Statistic("of the right one, mean", fmean(right for right, _ in pairs)),
        Statistic("of the other one, mean", fmean(other for _, other in pairs)),
    ]


def by_slice(settings: Settings, golds: Sequence[Gold]) -> list[Statistic]:
    """Items by slice, cues included."""
    matches = [slices_of(settings, gold) for gold in golds]
    return [Statistic(CUE_WORDS.get(name, name), sum(name in slices for slices in matches),
                      len(golds)) for name in settings.slice_names]


# ---- reference rows --------------------------------------------------------------------------

# The inputs are those of the paper's Table 6, once more in the form that the released code gives
# them. Where the paper tunes BERT, a logistic regression weighs the mean vector that a small fixed
# encoder gives each input, which runs anywhere in seconds.

Golds = Sequence[Gold]
Predictions = list[Prediction]
Row = Baseline[Settings, Gold, Prediction]


Form = Callable[[Gold, str], tuple[str, ...]]
"""An item and one of its hypotheses -> the inputs that are encoded, ``[SEP]`` between segments."""

STRENGTH = 10.0
"""Inverse of the regression's regularisation; not tuned."""
DIGITS = 5
"""Vectors are rounded, so that a machine's last digits decide nothing."""


def drawn(settings: Settings, train: Golds, items: Golds) -> Predictions:
    """One of the two labels, by chance."""
    chance = random.Random(SEED)  # noqa: S311 a fixed draw, no secret
    return [Prediction(chance.choice(LABELS)) for _ in items]


def majority(settings: Settings, train: Golds, items: Golds) -> Predictions:
    """The most frequent label; 1 on ties."""
    labels = [item.label for item in (*train, *items)]
    return [Prediction(label)
            for label in most_frequent(labels, len(train), len(items), LABELS)]


def encoded(settings: Settings, train: Golds, items: Golds, *, encoder: Encoder,
            form: Form) -> Predictions:
    """The hypothesis that a regression over encoded inputs prefers."""
    return list(map(Prediction, preferred(train, items, encoder=encoder, form=form)))


def preferred(train: Golds, items: Golds, *, encoder: Encoder, form: Form) -> list[str]:
    """The label of the hypothesis that a regression over encoded inputs prefers, for each item.

    Needs scikit-learn.
    """
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    train = learned_from(train)
    every = [*train, *items]
    vectors = [_vectors(encoder, [form(item, item.choices[index]) for item in every])
               for index in range(len(LABELS))]
    difference = vectors[0] - vectors[1]
    first = np.array([item.label == LABELS[0] for item in every])

    def fit(known: Sequence[int]) -> Callable[[Sequence[int]], list[str]]:
        model = LogisticRegression(C=STRENGTH, fit_intercept=False, max_iter=1000)
        # An item and the same with its hypotheses exchanged: neither place is preferred.
        model.fit(np.concatenate([difference[known], -difference[known]]),
                  np.concatenate([first[known], ~first[known]]))
        weights = model.coef_[0]
        return lambda targets: [LABELS[0 if value > 0 else 1]
                                for value in difference[list(targets)] @ weights]

    return answered(fit, len(train), len(items))


def _vectors(encoder: Encoder, inputs: Sequence[tuple[str, ...]]) -> NDArray[np.float64]:
    """Shape (items, width of all inputs): the mean of each input's token vectors."""
    import numpy as np

    texts = list(dict.fromkeys(text for row in inputs for text in row))
    means: dict[str, NDArray[np.float64]] = {}
    for start in range(0, len(texts), 256):
        some = texts[start : start + 256]
        means |= {text: vectors.mean(axis=0, dtype=np.float64).round(DIGITS)
                  for text, vectors in zip(some, encoder.embed(some), strict=True)}
    return np.array([np.concatenate([means[text] for text in row]) for row in inputs])


def hypothesis_only(item: Gold, text: str) -> tuple[str, ...]:
    """The form that shows nothing else."""
    return (text,)


FORMS: dict[str, tuple[str, str, Form]] = {
    "hypothesis-only": ("Hypothesis only", "the hypothesis alone",
                        hypothesis_only),
    "first-observation": ("First observation only", "the first observation [SEP] the hypothesis",
                          lambda item, text: (f"{item.given[0]} [SEP] {text}",)),
    "second-observation": ("Second observation only", "the hypothesis [SEP] the second observation",
                           lambda item, text: (f"{text} [SEP] {item.given[1]}",)),
    "linear-chain": ("Linear chain", "the first observation [SEP] the hypothesis, and the "
                     "hypothesis [SEP] the second observation, each with its own weights",
                     lambda item, text: (f"{item.given[0]} [SEP] {text}",
                                         f"{text} [SEP] {item.given[1]}")),
    "fully-connected": ("Fully connected", "both observations [SEP] the hypothesis, as the paper "
                        "says",
                        lambda item, text: (f"{' '.join(item.given)} [SEP] {text}",)),
    "fully-connected-released": (
        "Fully connected, as released", "the first observation and the hypothesis [SEP] the second "
        "observation, as the released code does",
        lambda item, text: (f"{item.given[0]} {text} [SEP] {item.given[1]}",)),
}
"""What is encoded, by the names of rows: title, description, form."""

OF_ANY_TEXTS = ("hypothesis-only", "fully-connected")
"""The forms that make sense whatever is given."""


def _fits(name: str, settings: Settings) -> bool:
    return name in OF_ANY_TEXTS or len(settings.given) == len(GIVEN)


_ROWS: tuple[Row, ...] = (
    Row("random", "Random", "One of the two labels by chance, with a fixed seed.", "None.",
        False, drawn),
    Row("majority", "Majority", "The most frequent label.", TRAINED, False, majority,
        trains=True),
    *(Row(name, title, f"A logistic regression over the mean MiniLM vector of {inputs}.",
          TRAINED, False, partial(encoded, form=form), encoder="minilm-l6", trains=True,
          fits=partial(_fits, name))
      for name, (title, inputs, form) in FORMS.items()),
)
BASELINES = {row.name: row for row in _ROWS}
"""Every baseline by its name."""
