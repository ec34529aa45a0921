"""Reference rows of tasks of texts: of choices, of texts, and of choices with a text.

Choices: the inputs are those of the paper's Table 6, once more in the form that the released code
gives them. Where the paper tunes BERT, a logistic regression weighs the mean vector that a small
fixed encoder gives each input, which runs anywhere in seconds.

Choices with a text: every row takes its explanation from other items, so none of them explains
anything. Rows differ in how they choose; the last two are always right, and show what no content at
all scores.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

from scorer.tasks.baselines import (
    SEED,
    TRAINED,
    Against,
    Baseline,
    answered,
    learned_from,
    most_frequent,
    nearest_answers,
    others,
)
from scorer.tasks.texts.items import GIVEN, LABELS, Gold, Prediction, shares, words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scorer.models.known import Encoder

Golds = Sequence[Gold]
Predictions = list[Prediction]
Row = Baseline[Any, Gold, Prediction]
Form = Callable[[Gold, str], tuple[str, ...]]
"""An item and one of its hypotheses -> the inputs that are encoded, ``[SEP]`` between segments."""

STRENGTH = 10.0
"""Inverse of the regression's regularisation; not tuned."""
DIGITS = 5
"""Vectors are rounded, so that a machine's last digits decide nothing."""

# ---- choices -------------------------------------------------------------------------------------


def drawn(settings: Any, train: Golds, items: Golds) -> Predictions:
    """One of the two labels, by chance."""
    chance = random.Random(SEED)  # noqa: S311 a fixed draw, no secret
    return [Prediction(chance.choice(LABELS)) for _ in items]


def majority(settings: Any, train: Golds, items: Golds) -> Predictions:
    """The most frequent label; 1 on ties."""
    labels = [item.label for item in (*train, *items)]
    return [Prediction(label)
            for label in most_frequent(labels, len(train), len(items), LABELS)]


def encoded(settings: Any, train: Golds, items: Golds, *, encoder: Encoder,
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


FORMS: dict[str, tuple[str, str, Form]] = {
    "hypothesis-only": ("Hypothesis only", "the hypothesis alone",
                        lambda item, text: (text,)),
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


def _fits(name: str, settings: Any) -> bool:
    return name in OF_ANY_TEXTS or len(settings.given) == len(GIVEN)


CHOICES: tuple[Row, ...] = (
    Row("random", "Random", "One of the two labels by chance, with a fixed seed.", "None.",
        False, drawn),
    Row("majority", "Majority", "The most frequent label.", TRAINED, False, majority,
        trains=True),
    *(Row(name, title, f"A logistic regression over the mean MiniLM vector of {inputs}.",
          TRAINED, False, partial(encoded, form=form), encoder="minilm-l6", trains=True,
          fits=partial(_fits, name))
      for name, (title, inputs, form) in FORMS.items()),
)


# ---- texts ---------------------------------------------------------------------------------------


def observation(settings: Any, train: Golds, items: Golds, *, place: int) -> Predictions:
    """One of the two observations, from 0, once more."""
    return [Prediction(text=item.texts[place]) for item in items]


def nearest_neighbour(settings: Any, train: Golds, items: Golds) -> Predictions:
    """The first reference of the most similar context (TF-IDF cosine). Needs scikit-learn."""
    every = [*train, *items]
    texts = [" ".join(item.texts) for item in every]
    answers = [Prediction(text=item.references[0]) for item in every]
    return nearest_answers(texts, texts[len(train):], answers)


def held_out(settings: Any, train: Golds, items: Golds) -> Predictions:
    """What one person wrote, to be scored against what the others did: how well people do."""
    return [Prediction(text=item.references[0]) for item in items]


def _other_references(item: Gold) -> Gold | None:
    """A context without the reference that ``held_out`` answers with."""
    rest = item.references[1:]
    return replace(item, references=rest) if rest else None


TEXTS: tuple[Row, ...] = (
    Row("copy-first", "Copy of the first observation",
        "The first observation: a text that explains nothing.", "None.", False,
        partial(observation, place=0), role="null"),
    Row("copy-second", "Copy of the second observation",
        "The second observation: a text that explains nothing.", "None.", False,
        partial(observation, place=1), role="null", fits=lambda settings: len(settings.given) > 1),
    Row("nearest-neighbour", "Nearest neighbour",
        "The first reference of the most similar other context by TF-IDF.",
        "The train split; where that is not at hand, nine tenths of the scored split for "
        "each other tenth.", False, nearest_neighbour, trains=True),
    Row("held-out-reference", "One person against the others",
        "The first reference of each context, scored against its other references; "
        "contexts with one reference are left out.",
        "None; references of the scored split.", True, held_out,
        against=Against("others", _other_references), role="ceiling"),
)


# ---- choices with a text -------------------------------------------------------------------------

FREQUENT = 8
"""Words of the text that says nothing but what most explanations say: about as many as one has."""


def majority_explained(settings: Any, train: Golds, items: Golds) -> Predictions:
    """The most frequent label and the most frequent explanation; of equals the first."""
    every, sizes = (*train, *items), (len(train), len(items))
    labels = most_frequent([item.label for item in every], *sizes, LABELS)
    texts = most_frequent([item.references[0] for item in every], *sizes)
    return [Prediction(*pair) for pair in zip(labels, texts, strict=True)]


def word_overlap(settings: Any, train: Golds, items: Golds) -> Predictions:
    """The hypothesis of which more words are given; the first on ties."""
    labels = []
    for item in items:
        context = {word for text in item.given for word in words(text)}
        first, second = (shares(words(text), context) for text in item.choices)
        labels.append(LABELS[second > first])
    return explained(labels, train, items)


def encoded_explained(settings: Any, train: Golds, items: Golds, *, encoder: Encoder,
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


def other_explanation(settings: Any, train: Golds, items: Golds) -> Predictions:
    """The right label with the explanation of another item, as a fixed shuffle."""
    return [Prediction(item.label, items[other].references[0])
            for item, other in zip(items, others(len(items)), strict=True)]


def frequent_words(settings: Any, train: Golds, items: Golds) -> Predictions:
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
_FORMS = {
    "hypothesis-only": FORMS["hypothesis-only"],
    "all-texts": ("All texts", "what is given [SEP] the hypothesis", FORMS["fully-connected"][2]),
}

EXPLAINED: tuple[Row, ...] = (
    Row("majority", "Majority", "The most frequent label and the most frequent explanation.",
        TRAINED, False, majority_explained, trains=True),
    Row("word-overlap", "Word overlap",
        f"The hypothesis of which more words are given. {_NEAREST}", TRAINED, False, word_overlap,
        trains=True),
    *(Row(name, title, f"A logistic regression over the mean MiniLM vector of {inputs}. {_NEAREST}",
          TRAINED, False, partial(encoded_explained, form=form), encoder="minilm-l6", trains=True)
      for name, (title, inputs, form) in _FORMS.items()),
    Row("other-explanation", "Another item's explanation",
        "The right label with the explanation of another item.", "None; gold of the scored split.",
        True, other_explanation, role="null"),
    Row("frequent-words", "Frequent words",
        f"The right label with one text for all items: the {FREQUENT} words that stand in most "
        "explanations, in the order in which they stand there.",
        f"Gold labels of the scored split. {TRAINED}", True, frequent_words, trains=True,
        role="null"),
)
