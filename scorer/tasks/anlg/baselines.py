"""Reference rows of the task ``anlg``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from scorer.tasks.anlg.records import Gold, Prediction, Settings
from scorer.tasks.baselines import Against, Baseline, answered

Items = Sequence[Gold]
Predictions = list[Prediction]
Row = Baseline[Settings, Gold, Prediction]


def first_observation(settings: Settings, train: Items, items: Items) -> Predictions:
    """The first observation, once more."""
    return [Prediction(item.obs1) for item in items]


def second_observation(settings: Settings, train: Items, items: Items) -> Predictions:
    """The second observation, once more."""
    return [Prediction(item.obs2) for item in items]


def nearest_neighbour(settings: Settings, train: Items, items: Items) -> Predictions:
    """The first reference of the most similar context (TF-IDF cosine). Needs scikit-learn."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    every = [*train, *items]
    texts = [f"{item.obs1} {item.obs2}" for item in every]

    def fit(known: Sequence[int]) -> Callable[[Sequence[int]], Predictions]:
        vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
        learned = vectorizer.fit_transform(texts[place] for place in known)

        def answer(asked: Sequence[int]) -> Predictions:
            vectors = vectorizer.transform(texts[place] for place in asked)
            nearest = (vectors @ learned.T).toarray().argmax(axis=1)
            return [Prediction(every[known[place]].references[0]) for place in nearest.tolist()]

        return answer

    return answered(fit, len(train), len(items))


def held_out(settings: Settings, train: Items, items: Items) -> Predictions:
    """What one person wrote, to be scored against what the others did: how well people do."""
    return [Prediction(item.references[0]) for item in items]


def _others(item: Gold) -> Gold | None:
    """A context without the reference that ``held_out`` answers with."""
    rest = item.references[1:]
    return replace(item, references=rest) if rest else None


_ROWS: tuple[Row, ...] = (
    Row("copy-first", "Copy of the first observation",
        "The first observation: a text that explains nothing.", "None.", False,
        first_observation),
    Row("copy-second", "Copy of the second observation",
        "The second observation: a text that explains nothing.", "None.", False,
        second_observation),
    Row("nearest-neighbour", "Nearest neighbour",
        "The first reference of the most similar other context by TF-IDF.",
        "The train split; where that is not at hand, nine tenths of the scored split for "
        "each other tenth.", False, nearest_neighbour, trains=True),
    Row("held-out-reference", "One person against the others",
        "The first reference of each context, scored against its other references; "
        "contexts with one reference are left out.",
        "None; references of the scored split.", True, held_out,
        against=Against("others", _others)),
)
BASELINES = {one.name: one for one in _ROWS}
"""Every baseline by its name."""
