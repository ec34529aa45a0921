"""Reference rows of the task ``explained_choices``: what a choice is worth without a reason, and a
reason without a choice.

Every row takes its explanation from other items, so none of them explains anything. Rows differ
in how they choose; the last two are always right, and show what no content at all scores.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING

from scorer.tasks.anli.anli_items import LABELS, shares, words
from scorer.tasks.anli.baselines import Form, hypothesis_only, preferred
from scorer.tasks.anli.baselines import majority as most_frequent
from scorer.tasks.baselines import SEED, Baseline, answered, nearest
from scorer.tasks.explained_choices.explained_items import Gold, Prediction, Settings

if TYPE_CHECKING:
    from scorer.models.known import Encoder

FREQUENT = 8
"""Words of the text that says nothing but what most explanations say: about as many as one has."""

Items = Sequence[Gold]
Predictions = list[Prediction]
Row = Baseline[Settings, Gold, Prediction]


def majority(settings: Settings, train: Items, items: Items) -> Predictions:
    """The most frequent label and the most frequent explanation; of equals the first."""
    texts = [item.references[0] for item in (*train, *items)]

    def fit(known: Sequence[int]) -> Callable[[Sequence[int]], list[str]]:
        [(text, _)] = Counter(texts[place] for place in known).most_common(1)
        return lambda asked: [text] * len(asked)

    found = answered(fit, len(train), len(items))
    return [Prediction(one.label, text) for one, text in zip(
        most_frequent(settings, train, items), found, strict=True)]


def word_overlap(settings: Settings, train: Items, items: Items) -> Predictions:
    """The hypothesis of which more words are given; the first on ties."""
    labels = []
    for item in items:
        given = {word for text in item.given for word in words(text)}
        first, second = (shares(words(text), given) for text in item.choices)
        labels.append(LABELS[second > first])
    return explained(labels, train, items)


def encoded(settings: Settings, train: Items, items: Items, *, encoder: Encoder,
            form: Form[Gold]) -> Predictions:
    """The hypothesis that a regression over encoded inputs prefers."""
    return explained(preferred(train, items, encoder=encoder, form=form), train, items)


def explained(labels: Sequence[str], train: Items, items: Items) -> Predictions:
    """Choices with the explanation of the most similar known item: by TF-IDF of what is given and
    the hypothesis that is taken, of known items the right one. Needs scikit-learn."""
    every = [*train, *items]
    right = [" ".join((*item.given, item.hypotheses[0])) for item in every]
    taken = [" ".join((*item.given, item.choices[LABELS.index(label)]))
             for label, item in zip(labels, items, strict=True)]

    def fit(known: Sequence[int]) -> Callable[[Sequence[int]], list[str]]:
        def answer(asked: Sequence[int]) -> list[str]:
            found = nearest([right[place] for place in known],
                            [taken[place - len(train)] for place in asked])
            return [every[known[place]].references[0] for place in found]

        return answer

    texts = answered(fit, len(train), len(items))
    return [Prediction(*pair) for pair in zip(labels, texts, strict=True)]


def other_explanation(settings: Settings, train: Items, items: Items) -> Predictions:
    """The right label with the explanation of another item, as a fixed shuffle."""
    order = list(range(len(items)))
    random.Random(SEED).shuffle(order)  # noqa: S311 a fixed shuffle, no secret
    texts = {place: items[other].references[0]
             for place, other in zip(order, [*order[1:], *order[:1]], strict=True)}
    return [Prediction(item.label, texts[place]) for place, item in enumerate(items)]


def frequent_words(settings: Settings, train: Items, items: Items) -> Predictions:
    """The right label with one text for all: the words that stand in most known explanations, in
    the order in which they stand there. What ROUGE-L gives it, it gives for no content at all."""
    texts = [item.references[0].split() for item in (*train, *items)]

    def fit(known: Sequence[int]) -> Callable[[Sequence[int]], list[str]]:
        places: dict[str, list[float]] = {}
        for text in map(texts.__getitem__, known):
            for word in dict.fromkeys(text):
                places.setdefault(word, []).append(text.index(word) / len(text))
        often = sorted(places, key=lambda word: -len(places[word]))[:FREQUENT]
        answer = " ".join(sorted(often, key=lambda word: fmean(places[word])))
        return lambda asked: [answer] * len(asked)

    found = answered(fit, len(train), len(items))
    return [Prediction(item.label, text) for item, text in zip(items, found, strict=True)]


_TRAINED = ("The train split, at most 5,000 of its items; where that is not at hand, nine tenths "
            "of the scored split for each other tenth.")
_NEAREST = "The explanation is that of the most similar other item by TF-IDF."
_FORMS: tuple[tuple[str, str, str, Form[Gold]], ...] = (
    ("hypothesis-only", "Hypothesis only", "the hypothesis alone", hypothesis_only),
    ("all-texts", "All texts", "what is given [SEP] the hypothesis",
     lambda item, text: (f"{' '.join(item.given)} [SEP] {text}",)),
)

_ROWS: tuple[Row, ...] = (
    Row("majority", "Majority", "The most frequent label and the most frequent explanation.",
        _TRAINED, False, majority, trains=True),
    Row("word-overlap", "Word overlap",
        f"The hypothesis of which more words are given. {_NEAREST}", _TRAINED, False, word_overlap,
        trains=True),
    *(Row(name, title, f"A logistic regression over the mean MiniLM vector of {inputs}. {_NEAREST}",
          _TRAINED, False, partial(encoded, form=form), encoder="minilm-l6", trains=True)
      for name, title, inputs, form in _FORMS),
    Row("other-explanation", "Another item's explanation",
        "The right label with the explanation of another item.", "None; gold of the scored split.",
        True, other_explanation, role="null"),
    Row("frequent-words", "Frequent words",
        f"The right label with one text for all items: the {FREQUENT} words that stand in most "
        "explanations, in the order in which they stand there.",
        f"Gold labels of the scored split. {_TRAINED}", True, frequent_words, trains=True,
        role="null"),
)
BASELINES = {one.name: one for one in _ROWS}
"""Every baseline by its name."""
