"""The support vector machine: lengths, overlap and sentiment, which should tell nothing.

After Bhagavatula et al., ICLR 2020, appendix A.4, which names the kinds of features and no list of
words; the lists of feelings here are ours.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scorer.core.errors import DataError
from scorer.core.files import json_bytes
from scorer.lab.systems import records
from scorer.lab.systems.records import Data, Predicted, Question, Run, Trained, TrainingRequest
from scorer.tasks.texts.items import LABELS, Prediction, words


def as_four(texts: Sequence[str]) -> tuple[str, str, str, str]:
    """What is given as two texts, and the two hypotheses; of several given, the others are one.

    >>> as_four(["premise", "cause", "one", "other"]), as_four(["premise", "one", "other"])[:2]
    (('premise', 'cause', 'one', 'other'), ('premise', ''))
    """
    first, *middle, hypothesis, other = texts
    return first, " ".join(middle), hypothesis, other


WEIGHTS = "weights.json"
STRENGTH = 1.0
"""Inverse of the regularisation; not tuned."""


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


PLEASANT = _listed(
    "amazing beautiful best better bought celebrated cheerful cured delicious delighted easy "
    "enjoyed excited fixed found fun funny gift glad good great happily happy healed healthy "
    "helped hoped improved joy kind liked love loved lucky nice perfect pleased praised "
    "promoted proud relieved rescued safe saved smiled solved succeeded success thankful "
    "thanked thrilled well won wonderful")
UNPLEASANT = _listed(
    "accident afraid alone angry annoyed arrested ashamed awful bad bit bored broke broken "
    "burned cried crashed cut dead died dirty disappointed embarrassed failed fear fell fight "
    "fired forgot guilty hate hated hit horrible hurt ill injured late lied lost mad mean "
    "missed mistake nervous pain poor rude ruined sad scared sick slipped spilled stole "
    "stolen stuck terrible tired tripped ugly upset worried worse worst wrong yelled")
DENIALS = _listed(
    "barely cannot didn't don't hardly isn't neither never no nobody none not nothing wasn't "
    "without won't")
FEATURES = (
    "words", "letters a word", "words of both observations", "of the first", "of the second",
    "pleasant", "unpleasant", "denials", "feeling as the first", "feeling as the second",
)


def fit(name: str, data: Data, request: TrainingRequest) -> Trained:
    """Fit a linear support vector machine on differences of two hypotheses' features."""
    from sklearn.svm import LinearSVC

    run = Run(name, data, request, {"strength": STRENGTH, "seed": request.seed}, None)
    done = run.finished()
    if done is not None:
        return done
    learned, held_out = data.parts(request.seed)
    differences = _differences([gold.texts[1:] for gold in learned])
    scale = differences.std(axis=0)
    scale[scale == 0] = 1
    first = np.array([gold.label == LABELS[0] for gold in learned])
    model = LinearSVC(C=STRENGTH, fit_intercept=False, random_state=request.seed)
    # An item and the same with its hypotheses exchanged: neither place is preferred.
    model.fit(np.concatenate([differences, -differences]) / scale, np.concatenate([first, ~first]))
    weights = [round(float(weight), 9) for weight in model.coef_[0] / scale]
    digest = run.keep(json_bytes(dict(zip(FEATURES, weights, strict=True))), WEIGHTS)
    answers = _chosen(weights, [gold.texts[1:] for gold in held_out])
    right = sum(answer == gold.label for answer, gold in zip(answers, held_out, strict=True))
    return run.end(run.trained(learned, held_out, digest, (len(FEATURES), len(FEATURES)),
                               {"accuracy": round(right / len(held_out), 6)}))


def predict(folder: Path, trained: Trained, question: Question) -> Predicted:
    """The hypothesis on the better side of the plane."""
    weights = json.loads(records.weights_of(folder, trained, WEIGHTS))
    if {*weights} != {*FEATURES}:
        raise DataError(f"{folder / WEIGHTS}: other features than this version has; train the "
                        "system again")
    answers = _chosen([weights[name] for name in FEATURES], [texts[1:] for texts in question.texts])
    return Predicted([Prediction(answer) for answer in answers],
                     "The hypothesis on the better side of the plane.", (trained,))


def _chosen(weights: Sequence[float], items: Sequence[Sequence[str]]) -> list[str]:
    return [LABELS[0 if value >= 0 else 1] for value in _differences(items) @ weights]


def _differences(items: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Shape (items, features); ``items``: observations, then hypotheses."""
    return np.array([
        np.subtract(features(obs1, obs2, first), features(obs1, obs2, second))
        for obs1, obs2, first, second in map(as_four, items)]).reshape(-1, len(FEATURES))


def features(obs1: str, obs2: str, text: str) -> tuple[float, ...]:
    """What is counted of a hypothesis.

    >>> dict(zip(FEATURES, features("Ann ran.", "Ann was happy.", "Ann won.")))["words"]
    2.0
    """
    own, before, after = words(text), words(obs1), words(obs2)
    count = max(1, len(own))
    return (
        float(len(own)), sum(map(len, own)) / count,
        *(sum(word in context for word in own) / count
          for context in ({*before, *after}, {*before}, {*after})),
        *(float(sum(word in listed for word in own))
          for listed in (PLEASANT, UNPLEASANT, DENIALS)),
        float(_feeling(own) * _feeling(before)), float(_feeling(own) * _feeling(after)))


def _feeling(text: Sequence[str]) -> int:
    return sum((word in PLEASANT) - (word in UNPLEASANT) for word in text)
