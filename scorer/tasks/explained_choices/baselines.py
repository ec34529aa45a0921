"""Reference rows of the task ``explained_choices``: what a choice is worth without a reason, and a
reason without a choice.

Every row takes its explanation from other items, so none of them explains anything. Rows differ
in how they choose; the last two are always right, and show what no content at all scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from scorer.tasks.anli.baselines import Form, hypothesis_only, preferred
from scorer.tasks.baselines import (
    TRAINED,
    Baseline,
    answered,
    most_frequent,
    nearest_answers,
    others,
)
from scorer.tasks.explained_choices.explained_items import Prediction, Settings
from scorer.tasks.text_items import LABELS, Gold, shares, words

if TYPE_CHECKING:
    from scorer.models.known import Encoder

FREQUENT = 8
"""Words of the text that says nothing but what most explanations say: about as many as one has."""

Items = Sequence[Gold]
Predictions = list[Prediction]
Row = Baseline[Settings, Gold, Prediction]


def majority(settings: Settings, train: Items, items: Items) -> Predictions:
    """The most frequent label and the most frequent explanation; of equals the first."""
    every, sizes = (*train, *items), (len(train), len(items))
    labels = most_frequent([item.label for item in every], *sizes, LABELS)
    texts = most_frequent([item.references[0] for item in every], *sizes)
    return [Prediction(*pair) for pair in zip(labels, texts, strict=True)]


def word_overlap(settings: Settings, train: Items, items: Items) -> Predictions:
    """The hypothesis of which more words are given; the first on ties."""
    labels = []
    for item in items:
        context = {word for text in item.given for word in words(text)}
        first, second = (shares(words(text), context) for text in item.choices)
        labels.append(LABELS[second > first])
    return explained(labels, train, items)


def encoded(settings: Settings, train: Items, items: Items, *, encoder: Encoder,
            form: Form) -> Predictions:
    """The hypothesis that a regression over encoded inputs prefers."""
    return explained(preferred(train, items, encoder=encoder, form=form), train, items)


def explained(labels: Sequence[str], train: Items, items: Items) -> Predictions:
    """Choices with the explanation of the most similar known item: by TF-IDF of what is given and
    the hypothesis that is taken, of known items the right one. Needs scikit-learn."""
    every = [*train, *items]
    right = [" ".join((*item.given, item.hypotheses[0])) for item in every]
    taken = [" ".join((*item.given, item.choices[LABELS.index(label)]))
             for label, item in zip(labels, items, strict=True)]
    texts = nearest_answers(right, taken, [item.references[0] for item in every])
    return [Prediction(*pair) for pair in zip(labels, texts, strict=True)]


def other_explanation(settings: Settings, train: Items, items: Items) -> Predictions:
    """The right label with the explanation of another item, as a fixed shuffle."""
    return [Prediction(item.label, items[other].references[0])
            for item, other in zip(items, others(len(items)), strict=True)]


def frequent_words(settings: Settings, train: Items, items: Items) -> Predictions:
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
