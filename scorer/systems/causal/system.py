"""GPT-2 and its kin: trained on contexts and hypotheses, or asked as they are.

After Bhagavatula et al., Abductive Commonsense Reasoning, ICLR 2020, section 5.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scorer.errors import UsageError
from scorer.files import sha256
from scorer.models.sources import FOR_BASE
from scorer.reading.characters import UNWELCOME
from scorer.systems import records
from scorer.systems.causal.inputs import (
    FIXED,
    INPUTS,
    OBSERVATIONS,
    Context,
    Inferences,
    prompt,
    read,
)
from scorer.systems.records import Answers, Data, Question, Request, Trained
from scorer.systems.training_run import TrainingRun, base_from, counts_of
from scorer.tasks.anlg.records import Gold, Prediction, Settings
from scorer.tasks.written import MOST_LETTERS
from scorer.training import surroundings

if TYPE_CHECKING:
    from scorer.systems.causal.model import CausalCourse, Network, Written

NAME = "gpt2"
REPLACED = "\ufffd"
"""Stands for a character that a file of predictions may not hold."""
OPTIONS = ("base", "inputs", "inferences", "learning_rate")
"""Of ``scorer train``."""


def train(data: Data[Settings, Gold], request: Request) -> Trained:
    """Train a causal language model on every reference. ``--inputs fixed`` trains nothing."""
    versions = surroundings.versions()
    inputs = request.options.get("inputs", OBSERVATIONS)
    source = request.options.get("base")
    if inputs not in INPUTS:
        raise UsageError(f"no inputs {inputs}; choose one of: {', '.join(INPUTS)}")
    if not source:
        raise UsageError(f"{NAME} needs a causal language model: --base hub:NAME@COMMIT or a "
                         "folder (scorer handbook art)")
    inferences, digest = read(inputs, request.options.get("inferences"),
                              [(gold.obs1, gold.obs2) for gold in data.golds])
    width = next((row.shape[-1] for row in inferences.values() if hasattr(row, "shape")), 0)
    base, named = base_from(source, FOR_BASE)
    course = _course(request, inputs, width)
    if digest:
        data = data._replace(sha256=sha256(f"{data.sha256} {digest}".encode()))
    run = TrainingRun(Trained, NAME, data, request, course.to_json(), named, versions)
    return run.finished() or _trained(run, base, course, inferences)


def _trained(run: TrainingRun[Trained], base: Path, course: CausalCourse, inferences: Inferences
             ) -> Trained:
    from scorer.systems.causal import model as torch_model

    model = torch_model.Network(base, course)
    if course.inputs == FIXED and run.base is not None:
        return run.end(run.made(((), ()), run.base.weights, (0, records.count_of(model)), {}))
    parts = run.data.parts(run.request.seed)
    known, asked = ([_read(model, course, (gold.obs1, gold.obs2), inferences, text)
                     for gold in part for text in gold.references] for part in parts)
    learner = torch_model.CausalLearner(model, course, known, asked)
    epochs, weights = run.learn(learner, course, learner.groups())
    return run.end(run.made(parts, weights, counts_of(model),
                            {"held-out loss": -max(epoch.score for epoch in epochs)},
                            [epoch.to_json() for epoch in epochs]))


def predict(folder: Path, trained: Trained, question: Question[Settings]) -> Answers[Prediction]:
    """A text for each context, on one line."""
    from scorer.systems import networks
    from scorer.systems.causal import model as torch_model

    course = records.course_of(torch_model.CausalCourse, trained.settings, inputs=INPUTS)
    contexts: Sequence[Context] = [(texts[0], texts[1]) for texts in question.texts]
    inferences, _ = read(course.inputs, question.options.get("inferences"), contexts)
    model = torch_model.Network(records.base_of(trained), course)
    if course.inputs != FIXED:
        networks.load_weights(model, records.weights_of(folder, trained))
    model = model.eval().to(surroundings.device())
    texts = [UNWELCOME.sub(REPLACED, model.write(_read(model, course, context, inferences),
                                                 course.beams))[:MOST_LETTERS]
             for context in question.progress(contexts)]
    return Answers([Prediction(text) for text in texts],
                   f"Beam search, {course.beams} beams, at most {torch_model.MOST_WRITTEN} tokens; "
                   f"input: {course.inputs}.", (trained,))


def _course(request: Request, inputs: str, width: int) -> CausalCourse:
    from scorer.systems.causal.model import CausalCourse

    course = CausalCourse(inputs=inputs, width=width, seed=request.seed, bfloat16=request.bfloat16)
    return replace(course, epochs=request.epochs or course.epochs,
                   learning_rate=request.options.get("learning_rate", course.learning_rate))


def _read(model: Network, course: CausalCourse, context: Context,
          inferences: Inferences, text: str = "") -> Written:
    found = inferences.get(context)
    if course.width:
        return model.written(prompt(course.inputs, context), text, found)
    return model.written(prompt(course.inputs, context, found or ()), text)
