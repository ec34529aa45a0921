"""The tuned encoder and the bag of words, asked one item at a time.

After Bhagavatula et al., Abductive Commonsense Reasoning, ICLR 2020, sections 3.1 and 5.1. The six
forms of input are those of its Table 6: what a model sees of an item. An input is one segment, or
two with a separator between. A hypothesis has one score an input, and they are added: so in the
linear chain neither observation is seen together with the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
from tqdm import tqdm

from scorer.core.errors import DataError, UsageError
from scorer.lab.systems import networks, records
from scorer.lab.systems.choices import as_four
from scorer.lab.systems.choices.model import (
    AveragedVectors,
    Choice,
    ChoiceCourse,
    ChoiceLearner,
    Inputs,
    Reader,
    TunedEncoder,
    chosen,
    scored,
)
from scorer.lab.systems.records import Answers, Data, Question, Request, Trained
from scorer.lab.systems.runs import Run, base_from
from scorer.lab.training.trainer import train
from scorer.models.sources import FOR_ENCODER, locate
from scorer.tasks.anli.anli_items import LABELS, Gold, Prediction

if TYPE_CHECKING:
    from scorer.lab.systems.filtering import Adversary, Candidate, Places, Values

ENCODER, BAG = "encoder", "bag-of-words"
WORDS = "words"
"""The form of the bag of words: each text by itself."""
FULLY_CONNECTED = "fully-connected"
Input = tuple[str, ...]
"""One segment, or two."""
FORMS: dict[str, Callable[[str, str, str], tuple[Input, ...]]] = {
    "hypothesis-only": lambda obs1, obs2, text: ((text,),),
    "first-observation": lambda obs1, obs2, text: ((obs1, text),),
    "second-observation": lambda obs1, obs2, text: ((text, obs2),),
    "linear-chain": lambda obs1, obs2, text: ((obs1, text), (text, obs2)),
    FULLY_CONNECTED: lambda obs1, obs2, text: ((f"{obs1} {obs2}", text),),
    "narrative-order": lambda obs1, obs2, text: ((f"{obs1} {text}", obs2),),
    WORDS: lambda obs1, obs2, text: ((obs1,), (obs2,), (text,)),
}
"""By the names that ``--form`` takes, but for the last. ``narrative-order`` is the paper's form of
GPT, and that in which the released code gives BERT its fully connected input."""


def fit(name: str, data: Data, request: Request) -> Trained:
    """Train on pairs of hypotheses. Raises UsageError for an unknown form."""
    base, named = base_from(request.encoder, FOR_ENCODER)
    course = _course(request, name)
    run = Run(name, data, request, course.to_json(), named)

    def learner(learned: Sequence[Gold], held_out: Sequence[Gold]) -> ChoiceLearner:
        reader, model = _reader(base, course), _network(base, course)
        choices = [[Choice(_both(reader, gold.texts[1:], course), LABELS.index(gold.label))
                    for gold in part] for part in (learned, held_out)]
        return ChoiceLearner(model, course, *choices)

    return run.finished() or run.end(networks.kept(run, run.fit(learner)))


def predict(folder: Path, trained: Trained, question: Question) -> Answers:
    """The hypothesis that each item's higher score is of."""
    course, base = records.course_of(ChoiceCourse, trained), records.base_of(trained)
    if course.form not in FORMS:
        raise DataError(f"the settings in {records.FILE}: no form {course.form}; train the system "
                        "again")
    model = networks.loaded(folder, trained, _network(base, course))
    reader = _reader(base, course)
    items = [_both(reader, texts[1:], course) for texts in question.texts]
    answers = chosen(model, tqdm(items, unit="item", disable=None))
    return Answers([Prediction(LABELS[place]) for place in answers],
                   f"The hypothesis of the higher score; form of input: {course.form}.", (trained,))


def _course(request: Request, name: str) -> ChoiceCourse:
    if name == BAG:
        course = ChoiceCourse(form=WORDS, epochs=10, batch_size=32, rank=None, alpha=0, hidden=128)
    else:
        form = request.options.get("form") or FULLY_CONNECTED
        if form not in FORMS or form == WORDS:
            raise UsageError(f"no form {form}; choose one of: {', '.join([*FORMS][:-1])}")
        course = ChoiceCourse(form=form)
        if request.every_weight:  # those of the paper, appendix A.3
            course = course.model_copy(update={
                "rank": None, "learning_rate": 5e-5, "head_rate": 5e-5, "batch_size": 4,
                "epochs": 10, "warmup": 0.2})
    return course.model_copy(update={"seed": request.seed, "bfloat16": request.bfloat16,
                                     "epochs": request.epochs or course.epochs})


def _network(base: Path, course: ChoiceCourse) -> TunedEncoder | AveragedVectors:
    made = AveragedVectors if course.form == WORDS else TunedEncoder
    return made(base, len(FORMS[course.form]("", "", "")), course)


def _reader(base: Path, course: ChoiceCourse) -> Reader:
    return Reader(base, course.most_tokens, special=course.form != WORDS)


def _both(reader: Reader, texts: Sequence[str], course: ChoiceCourse) -> tuple[Inputs, Inputs]:
    """The inputs of an item's two hypotheses; ``texts``: observations, then hypotheses."""
    obs1, obs2, first, second = as_four(texts)
    form = FORMS[course.form]
    return reader.inputs(form(obs1, obs2, first)), reader.inputs(form(obs1, obs2, second))


def adversary(candidates: Sequence[Candidate], request: Request) -> Adversary:
    """The tuned encoder as an adversary of the filter: a new one for every set of pairs.

    A tenth of the pairs chooses the epoch. ``request``: its folder is not used. Raises NotMeasured
    for an encoder that cannot be had.
    """
    base, course = locate(request.encoder, advice=FOR_ENCODER), _course(request, ENCODER)
    reader = _reader(base, course)
    inputs = [reader.inputs(FORMS[course.form](*one.context, one.text)) for one in candidates]

    def learned(plausible: Places, implausible: Places) -> Values:
        choices = [Choice((inputs[one], inputs[other]), 0)
                   for one, other in zip(plausible, implausible, strict=True)]
        known = [one for place, one in enumerate(choices) if place % 10]
        if not known:
            return np.zeros(len(inputs))
        model = TunedEncoder(base, len(inputs[0]), course)
        with TemporaryDirectory() as folder:
            train(ChoiceLearner(model, course, known, choices[::10]), Path(folder), {})
        return np.array(scored(model, inputs))

    return learned
