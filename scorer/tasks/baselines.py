"""What a reference row is, whatever its task; and training that never sees what it answers."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, TypeVar

from scorer.core.errors import NotMeasured

SEED = 20210911
"""Seed of everything drawn here."""
FOLDS = 10
MOST_TRAINED_ON = 5000
"""Items of train that are used, evenly spaced; more change little and take long."""
TRAINED = ("The train split, at most 5,000 of its items; where that is not at hand, nine tenths "
           "of the scored split for each other tenth.")
"""What rows say that they learned from."""

Settings = TypeVar("Settings")
Gold = TypeVar("Gold")
Prediction = TypeVar("Prediction")
Fit = Callable[[Sequence[int]], Callable[[Sequence[int]], Sequence[Prediction]]]
"""Is given the places of items to learn from; what it returns answers the items at others."""


class Against(NamedTuple, Generic[Gold]):
    """What a row that answers with gold itself is scored against."""

    name: str
    """One word for signatures; empty where the number of golds an item has says it."""
    gold: Callable[[Gold], Gold | None]
    """``(item)`` -> the item with the gold that remains, or None if none does."""
    least: int = 2
    """Golds that some item must have; with fewer on a board there is no such row."""


@dataclass(frozen=True)
class Baseline(Generic[Settings, Gold, Prediction]):
    """One reference row."""

    name: str
    title: str
    description: str
    training_data: str
    saw_gold: bool
    """Whether it looks at the gold of the items it answers."""
    predict: Callable[..., list[Prediction]]
    """``(settings, train items, items)`` -> one prediction an item, in order; a row that needs an
    encoder takes it as ``encoder``."""
    encoder: str | None = None
    """Name of the encoder it needs, if any."""
    trains: bool = False
    """Whether it learns from train, or, where there is none, from the split it answers."""
    needs_train: bool = False
    """Whether it knows train alone, so that without one there is no such row."""
    fits: Callable[[Settings], bool] = lambda settings: True
    """Whether it makes sense with a board's settings."""
    against: Against[Gold] | None = None
    """The gold it is scored against, if not all of it; items without any are left out."""
    in_words: Callable[[Settings, str, str], tuple[str, str]] = lambda settings, *words: words
    """``(settings, title, description)`` -> both as they are true of a board."""
    role: Literal["", "ceiling", "null"] = ""
    """Whether it shows how high scores can be, or what an answer without meaning scores."""

    def said_of(self, settings: Settings) -> tuple[str, str]:
        """Its title and description on a board with these settings."""
        return self.in_words(settings, self.title, self.description)


def nearest(known: Sequence[str], queries: Sequence[str]) -> list[int]:
    """For each text asked about, the place of the most similar known one, by TF-IDF cosine.

    Words and pairs of words count; of equally similar ones the first. Needs scikit-learn. Raises
    NotMeasured where no text asked about shares a word with any known one, as ids do not.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    learned = vectorizer.fit_transform(known)
    alike = (vectorizer.transform(queries) @ learned.T).toarray()
    if not alike.any():
        raise NotMeasured("no text shares a word with one of train")
    indexes: list[int] = alike.argmax(axis=1).tolist()
    return indexes


Item = TypeVar("Item")


def learned_from(train: Sequence[Item]) -> Sequence[Item]:
    """The items of train that are used: at most MOST_TRAINED_ON, evenly spaced."""
    return train[::-(-len(train) // MOST_TRAINED_ON) or 1]


def answered(fit: Fit[Prediction], train: int, items: int) -> list[Prediction]:
    """An answer for each item. Items of train have the places before those of the others.

    Without train, each tenth is answered by what was fitted on the other nine; an item's tenth is
    the rest of its place divided by ten, so that neighbours fall apart.

    >>> answered(lambda known: lambda asked: [(place, len(known)) for place in asked], 0, 3)
    [(0, 2), (1, 2), (2, 2)]
    """
    if train:
        return list(fit(learned_from(range(train)))(range(train, train + items)))
    answers: dict[int, Prediction] = {}
    for fold in range(min(FOLDS, items)):
        targets = range(fold, items, FOLDS)
        known = [index for index in range(items) if index not in targets]
        answers.update(zip(targets, fit(known)(targets), strict=True))
    return [answers[index] for index in range(items)]


def most_frequent(values: Sequence[Item], train: int, items: int,
                  among: Sequence[Item] | None = None) -> list[Item]:
    """For each item the most frequent value of those it learns from, train's before the items'.

    Of equally frequent ones the first of ``among``, or the first there is.

    >>> most_frequent(["b", "a", "a"], 2, 1), most_frequent(["b", "a", "a"], 2, 1, "ab")
    (['b'], ['a'])
    """
    def fit(known: Sequence[int]) -> Callable[[Sequence[int]], list[Item]]:
        counts = Counter(values[index] for index in known)
        value = max(among or counts, key=lambda option: counts[option])
        return lambda targets: [value] * len(targets)

    return answered(fit, train, items)


def nearest_answers(known: Sequence[str], queries: Sequence[str], answers: Sequence[Item],
                    ) -> list[Item]:
    """For each text asked about, the answer of the most similar one that is learned from.

    ``known`` and ``answers``: of train, then of the items themselves; ``queries``: of the items.
    Needs scikit-learn.
    """
    train = len(known) - len(queries)

    def fit(indexes: Sequence[int]) -> Callable[[Sequence[int]], list[Item]]:
        def answer(others: Sequence[int]) -> list[Item]:
            matches = nearest([known[index] for index in indexes],
                              [queries[other - train] for other in others])
            return [answers[indexes[match]] for match in matches]

        return answer

    return answered(fit, train, len(queries))


def others(count: int) -> list[int]:
    """For each of so many items another one, as a fixed shuffle; a lone item is its own."""
    order = list(range(count))
    random.Random(SEED).shuffle(order)  # noqa: S311 a fixed shuffle, no secret
    partners = dict(zip(order, [*order[1:], *order[:1]], strict=True))
    return [partners[index] for index in range(count)]
