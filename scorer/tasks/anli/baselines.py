"""Reference rows of the task ``anli``.

The inputs are those of the paper's Table 6, once more in the form that the released code gives
them. Where the paper tunes BERT, a logistic regression weighs the mean vector that a small fixed
encoder gives each input, which runs anywhere in seconds. What one input cannot know is the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from scorer.tasks.anli.anli_items import Prediction, Settings
from scorer.tasks.baselines import (
    SEED,
    TRAINED,
    Baseline,
    answered,
    learned_from,
    most_frequent,
)
from scorer.tasks.text_items import GIVEN, LABELS, Gold

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scorer.models.known import Encoder

Items = Sequence[Gold]
Predictions = list[Prediction]
Row = Baseline[Settings, Gold, Prediction]


Form = Callable[[Gold, str], tuple[str, ...]]
"""An item and one of its hypotheses -> the inputs that are encoded, ``[SEP]`` between segments."""

STRENGTH = 10.0
"""Inverse of the regression's regularisation; not tuned."""
DIGITS = 5
"""Vectors are rounded, so that a machine's last digits decide nothing."""


def drawn(settings: Settings, train: Items, items: Items) -> Predictions:
    """One of the two labels, by chance."""
    chance = random.Random(SEED)  # noqa: S311 a fixed draw, no secret
    return [Prediction(chance.choice(LABELS)) for _ in items]


def majority(settings: Settings, train: Items, items: Items) -> Predictions:
    """The most frequent label; 1 on ties."""
    labels = [item.label for item in (*train, *items)]
    return [Prediction(label)
            for label in most_frequent(labels, len(train), len(items), LABELS)]


def encoded(settings: Settings, train: Items, items: Items, *, encoder: Encoder,
            form: Form) -> Predictions:
    """The hypothesis that a regression over encoded inputs prefers."""
    return list(map(Prediction, preferred(train, items, encoder=encoder, form=form)))


def preferred(train: Items, items: Items, *, encoder: Encoder, form: Form) -> list[str]:
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
