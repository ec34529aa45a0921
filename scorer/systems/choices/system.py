"""The tuned encoder and the bag of words: trained by one loop, asked one item at a time.

After Bhagavatula et al., Abductive Commonsense Reasoning, ICLR 2020, sections 3.1 and 5.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from scorer.errors import UsageError
from scorer.models.sources import FOR_ENCODER, locate
from scorer.systems import records
from scorer.systems.choices.forms import FORMS, FULLY_CONNECTED, Input, as_four
from scorer.systems.records import Answers, Data, Question, Request, Trained
from scorer.systems.training_run import TrainingRun, base_from, counts_of
from scorer.tasks.anli.records import LABELS, Gold, Prediction, Settings
from scorer.training import surroundings

if TYPE_CHECKING:
    from scorer.systems.adversaries import Candidate
    from scorer.systems.choices.model import (
        AveragedVectors,
        Choice,
        ChoiceCourse,
        Inputs,
        Reader,
        TunedEncoder,
    )
    from scorer.systems.filtering import Adversary, Places, Values

ENCODER, BAG = "encoder", "bag-of-words"
WORDS = "words"
"""The form of the bag of words: each text by itself."""


def train(data: Data[Settings, Gold], request: Request, system: str) -> Trained:
    """Train on pairs of hypotheses. Raises UsageError for an unknown form."""
    from scorer.systems.choices.model import ChoiceLearner

    versions, (base, named) = surroundings.versions(), base_from(request.base, FOR_ENCODER)
    course = _course(request, system)
    run = TrainingRun(Trained, system, data, request, course.to_json(), named, versions)
    done = run.finished()
    if done is not None:
        return done
    parts = data.parts(request.seed)
    reader = _reader(base, course)
    model = _network(base, course)
    known, asked = ([_choice(reader, gold, course) for gold in part] for part in parts)
    learner = ChoiceLearner(model, course, known, asked)
    epochs, weights = run.learn(learner, course, learner.groups())
    best = max(epochs, key=lambda epoch: epoch.score)
    return run.end(run.made(parts, weights, counts_of(model),
                            {**best.figures, "best epoch": best.number},
                            [epoch.to_json() for epoch in epochs]))


def predict(folder: Path, trained: Trained, question: Question[Settings]) -> Answers[Prediction]:
    """The hypothesis that each item's higher score is of."""
    from scorer.systems import networks
    from scorer.systems.choices.model import ChoiceCourse, chosen

    base, content = records.base_of(trained), records.weights_of(folder, trained)
    course = records.course_of(ChoiceCourse, trained.settings, form=(WORDS, *FORMS))
    model, reader = _network(base, course), _reader(base, course)
    networks.load_weights(model, content)
    items = [_both(reader, texts[1:], course) for texts in question.texts]
    return Answers([Prediction(LABELS[place]) for place in chosen(model, question.progress(items))],
                   f"The hypothesis of the higher score; form of input: {course.form}.", (trained,))


def _course(request: Request, system: str) -> ChoiceCourse:
    from scorer.systems.choices.model import ChoiceCourse

    if system == BAG:
        course = ChoiceCourse(form=WORDS, epochs=10, batch_size=32, rank=None, alpha=0, hidden=128)
    else:
        form = request.options.get("form") or FULLY_CONNECTED
        if form not in FORMS:
            raise UsageError(f"no form {form}; choose one of: {', '.join(FORMS)}")
        course = ChoiceCourse(form=form)
        if request.every_weight:  # those of the paper, appendix A.3
            course = replace(course, rank=None, learning_rate=5e-5, head_rate=5e-5, batch_size=4,
                             epochs=10, warmup=0.2)
    course = replace(course, seed=request.seed, bfloat16=request.bfloat16)
    return replace(course, epochs=request.epochs) if request.epochs else course


def _network(base: Path, course: ChoiceCourse) -> TunedEncoder | AveragedVectors:
    from scorer.systems.choices.model import AveragedVectors, TunedEncoder

    made = AveragedVectors if course.form == WORDS else TunedEncoder
    return made(base, len(_texts(course, "", "", "")), course)


def _reader(base: Path, course: ChoiceCourse) -> Reader:
    from scorer.systems.choices.model import Reader

    return Reader(base, course.most_tokens, special=course.form != WORDS)


def _texts(course: ChoiceCourse, obs1: str, obs2: str, text: str) -> Sequence[Input]:
    if course.form == WORDS:
        return (obs1,), (obs2,), (text,)
    return FORMS[course.form].inputs(obs1, obs2, text)


def _both(reader: Reader, texts: Sequence[str], course: ChoiceCourse) -> tuple[Inputs, Inputs]:
    """The inputs of an item's two hypotheses; ``texts``: observations, then hypotheses."""
    obs1, obs2, first, second = as_four(texts)
    return (reader.inputs(_texts(course, obs1, obs2, first)),
            reader.inputs(_texts(course, obs1, obs2, second)))


def _choice(reader: Reader, gold: Gold, course: ChoiceCourse) -> Choice:
    from scorer.systems.choices.model import Choice

    return Choice(_both(reader, gold.texts[1:], course), LABELS.index(gold.label))


def adversary(candidates: Sequence[Candidate], request: Request) -> Adversary:
    """The tuned encoder as an adversary of the filter: a new one for every set of pairs.

    A tenth of the pairs chooses the epoch. ``request``: its folder is not used. Raises NotMeasured
    for an encoder that cannot be had.
    """
    import numpy as np

    from scorer.systems.choices.model import Choice, ChoiceLearner, TunedEncoder, scored
    from scorer.training.loop import Loop

    base, course = locate(request.base, advice=FOR_ENCODER), _course(request, ENCODER)
    reader = _reader(base, course)
    inputs = [reader.inputs(_texts(course, one.context[0], one.context[1], one.text))
              for one in candidates]

    def learned(plausible: Places, implausible: Places) -> Values:
        choices = [Choice((inputs[one], inputs[other]), 0)
                   for one, other in zip(plausible, implausible, strict=True)]
        known = [one for place, one in enumerate(choices) if place % 10]
        if not known:
            return np.zeros(len(inputs))
        model = TunedEncoder(base, len(inputs[0]), course)
        learner = ChoiceLearner(model, course, known, choices[::10])
        with TemporaryDirectory() as folder:
            loop: Loop[Choice] = Loop(learner, course, Path(folder), {})
            loop.run(learner.groups(), request.bar)
        return np.array(scored(model, inputs))

    return learned


train_encoder: Any = partial(train, system=ENCODER)
train_bag: Any = partial(train, system=BAG)
