"""Reference rows of the task ``anlg``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from scorer.tasks.anlg.anlg_items import Prediction, Settings
from scorer.tasks.baselines import Against, Baseline, nearest_answers
from scorer.tasks.text_items import Gold

Items = Sequence[Gold]
Predictions = list[Prediction]
Row = Baseline[Settings, Gold, Prediction]


def observation(settings: Settings, train: Items, items: Items, *, place: int) -> Predictions:
    """One of the two observations, from 0, once more."""
    return [Prediction(item.texts[place]) for item in items]


def nearest_neighbour(settings: Settings, train: Items, items: Items) -> Predictions:
    """The first reference of the most similar context (TF-IDF cosine). Needs scikit-learn."""
    every = [*train, *items]
    texts = [" ".join(item.texts) for item in every]
    answers = [Prediction(item.references[0]) for item in every]
    return nearest_answers(texts, texts[len(train):], answers)


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
        against=Against("others", _others), role="ceiling"),
)
BASELINES = {row.name: row for row in _ROWS}
"""Every baseline by its name."""
