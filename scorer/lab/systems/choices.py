"""The tuned encoder and the bag of words: which of two hypotheses lies between two observations.

After Bhagavatula et al., Abductive Commonsense Reasoning, ICLR 2020, sections 3.1 and 5.1. The six
forms of input are those of its Table 6: what a model sees of an item. An input is one segment, or
two with a separator between. A hypothesis has one score an input, and they are added: so in the
linear chain neither observation is seen together with the other. Both models learn by the softmax
over the scores of an item's two hypotheses, and are asked one item at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import torch
from pydantic import Field
from torch.nn import functional
from tqdm import tqdm

from scorer.core.errors import UsageError
from scorer.lab.systems import networks, records
from scorer.lab.systems.networks import EncoderCourse, EncoderLearner, EncoderNetwork
from scorer.lab.systems.records import Data, Predicted, Question, Run, Trained, TrainingRequest
from scorer.lab.systems.svm import as_four
from scorer.lab.training.trainer import Fraction, Whole, Width, fitted, train
from scorer.models.loading import tokenizer_of
from scorer.models.sources import FOR_ENCODER, locate
from scorer.tasks.texts.items import LABELS, Gold, Prediction

if TYPE_CHECKING:
    from scorer.lab.systems.filtering import Adversary, Hypothesis, Places, Values


Inputs = tuple[tuple[str, ...], ...]
"""What is read of one hypothesis: inputs of one segment, or of two."""
DIGITS = 5
"""Of a score."""
ENCODER, BAG = "encoder", "bag-of-words"
WORDS = "words"
"""The form of the bag of words: each text by itself."""
FULLY_CONNECTED = "fully-connected"
FORMS: dict[str, Callable[[str, str, str], Inputs]] = {
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


class ChoiceCourse(EncoderCourse):
    """Everything that decides a run, but for data and base."""

    form: Annotated[str, Field(pattern=f"^({'|'.join(FORMS)})$")]
    epochs: Whole = 3
    learning_rate: Fraction = 5e-4
    batch_size: Whole = 16
    warmup: Fraction = 0.1
    most_tokens: Annotated[int, Field(ge=8, le=512)] = 68
    hidden: Width = 0
    """Width of the layer that reads averaged vectors."""


WORDS_COURSE = {"epochs": 10, "batch_size": 32, "rank": None, "alpha": 0, "hidden": 128}
"""Of the bag of words."""
PAPER = {"rank": None, "learning_rate": 5e-5, "head_rate": 5e-5, "batch_size": 4, "epochs": 10,
         "warmup": 0.2}
"""Where every weight is trained: appendix A.3."""


class TrainingChoice(NamedTuple):
    """An item to learn from."""

    inputs: tuple[Inputs, Inputs]
    expected: int
    """The index of the right hypothesis."""


class ChoiceNetwork(EncoderNetwork):
    """The mean of an input's vectors gives its score, by weights of its own place."""

    def __init__(self, base: Path, course: ChoiceCourse) -> None:
        super().__init__(base, course)
        self.dropout = torch.nn.Dropout(course.dropout)
        self.heads = torch.nn.ModuleList(
            torch.nn.Linear(self.width, 1) for _ in FORMS[course.form]("", "", ""))

    def scores(self, hypotheses: Sequence[Inputs]) -> torch.Tensor:
        """The sum over a hypothesis' inputs."""
        total = torch.zeros(len(hypotheses), device=self.device)
        for head, inputs in zip(self.heads, zip(*hypotheses, strict=True), strict=True):
            means = self.means(*zip(*inputs, strict=True))
            total = total + head(self.dropout(means)).squeeze(-1).float()
        return total


class AveragedVectors(torch.nn.Module):
    """The mean of each text's word vectors, all of them to layers that give a score.

    The vectors are those that an encoder looks up before it reads: one a word piece, in whatever
    context it stands. They are not trained here.
    """

    def __init__(self, base: Path, course: ChoiceCourse) -> None:
        super().__init__()
        torch.manual_seed(course.seed)
        encoder = networks.encoder_of(base, None, 0)
        self.vectors = encoder.get_input_embeddings().requires_grad_(False)
        self.tokenizer: Any = tokenizer_of(base)
        self.course = course
        width = self.vectors.embedding_dim * len(FORMS[course.form]("", "", ""))
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(width, course.hidden), torch.nn.ReLU(),
            torch.nn.Dropout(course.dropout), torch.nn.Linear(course.hidden, 1))

    def scores(self, hypotheses: Sequence[Inputs]) -> torch.Tensor:
        """One a hypothesis."""
        device = self.vectors.weight.device
        means = torch.stack([torch.cat([
            self.vectors(torch.tensor(self._ids(text) or [0], device=device)).mean(dim=0)
            for [text] in inputs]) for inputs in hypotheses])
        outputs: torch.Tensor = self.layers(means).squeeze(-1)
        return outputs

    def _ids(self, text: str) -> list[int]:
        return list(self.tokenizer(text, truncation=True, max_length=self.course.most_tokens,
                                   add_special_tokens=False)["input_ids"])


AnyNetwork = ChoiceNetwork | AveragedVectors


class ChoiceLearner(EncoderLearner[TrainingChoice]):
    """Choices, their loss, and how well held-out ones are made."""

    def length(self, item: TrainingChoice) -> int:
        return sum(len(text) for own in item.inputs for segments in own for text in segments)

    def loss(self, batch: Sequence[TrainingChoice]) -> torch.Tensor:
        """The cross entropy of the softmax over the two scores."""
        return functional.cross_entropy(*self._scores(batch))

    def score(self) -> tuple[float, Mapping[str, float]]:
        """Minus the loss of held-out choices, which says more than how many are right."""
        total = right = 0.0
        for batch in self.measured():
            scores, expected = self._scores(batch)
            total += functional.cross_entropy(scores, expected, reduction="sum").item()
            right += (scores.argmax(dim=1) == expected).sum().item()
        count = max(1, len(self.held_out))
        return -round(total / count, 6), {"accuracy": round(right / count, 6)}

    def _scores(self, batch: Sequence[TrainingChoice]) -> tuple[torch.Tensor, torch.Tensor]:
        """Shape (choices, 2), and which are right."""
        scores = self.model.scores([inputs for choice in batch for inputs in choice.inputs])
        return scores.float().reshape(-1, 2), torch.tensor([choice.expected for choice in batch],
                                                           device=scores.device)


def chosen(model: AnyNetwork, pairs: Iterable[tuple[Inputs, Inputs]]) -> list[int]:
    """The index of the hypothesis of the higher score, the first on ties, one item at a time."""
    with torch.inference_mode():
        return [int(model.scores(pair).argmax()) for pair in pairs]


def scored(model: AnyNetwork, hypotheses: Sequence[Inputs]) -> list[float]:
    """The score of each hypothesis, rounded so that the company it is read in decides nothing."""
    model.eval()
    lengths = [len("".join(inputs[0])) for inputs in hypotheses]
    order = sorted(range(len(hypotheses)), key=lengths.__getitem__)
    values = [0.0] * len(hypotheses)
    with torch.inference_mode():
        for start in range(0, len(order), 64):
            indices = order[start : start + 64]
            scores = model.scores([hypotheses[position] for position in indices]).tolist()
            for index, score in zip(indices, scores, strict=True):
                values[index] = round(score, DIGITS)
    return values


def fit(name: str, data: Data, request: TrainingRequest) -> Trained:
    """Train on pairs of hypotheses. Raises UsageError for an unknown form."""
    base, named = records.base_from(request.encoder, FOR_ENCODER)
    course = _course(request, name)
    run = Run(name, data, request, course.to_json(), named)

    def learner(*parts: Sequence[Gold]) -> ChoiceLearner:
        return ChoiceLearner(_network(base, course), course, *(
            [TrainingChoice(_both(gold.texts[1:], course), LABELS.index(gold.label))
             for gold in part] for part in parts))

    return run.finished() or run.end(fitted(run, learner))


def predict(folder: Path, trained: Trained, question: Question) -> Predicted:
    """The hypothesis that each item's higher score is of."""
    course, base = records.course_of(ChoiceCourse, trained), records.base_of(trained)
    model = networks.loaded(folder, trained, _network(base, course))
    items = [_both(texts[1:], course) for texts in question.texts]
    answers = chosen(model, tqdm(items, unit="item", disable=None))
    return Predicted([Prediction(LABELS[answer]) for answer in answers],
                     f"The hypothesis of the higher score; form of input: {course.form}.",
                     (trained,))


def _course(request: TrainingRequest, name: str) -> ChoiceCourse:
    if name == BAG:
        return ChoiceCourse.of(request, form=WORDS, **WORDS_COURSE)
    form = request.options.get("form") or FULLY_CONNECTED
    if form not in FORMS or form == WORDS:
        raise UsageError(f"no form {form}; choose one of: {', '.join([*FORMS][:-1])}")
    return ChoiceCourse.of(request, form=form, **(PAPER if request.every_weight else {}))


def _network(base: Path, course: ChoiceCourse) -> AnyNetwork:
    return (AveragedVectors if course.form == WORDS else ChoiceNetwork)(base, course)


def _both(texts: Sequence[str], course: ChoiceCourse) -> tuple[Inputs, Inputs]:
    """The inputs of an item's two hypotheses; ``texts``: observations, then hypotheses."""
    obs1, obs2, first, second = as_four(texts)
    form = FORMS[course.form]
    return form(obs1, obs2, first), form(obs1, obs2, second)


def adversary(candidates: Sequence[Hypothesis], request: TrainingRequest) -> Adversary:
    """The tuned encoder as an adversary of the filter: a new one for every set of pairs.

    A tenth of the pairs chooses the epoch. ``request``: its folder is not used. Raises NotMeasured
    for an encoder that cannot be had.
    """
    base, course = locate(request.encoder, advice=FOR_ENCODER), _course(request, ENCODER)
    inputs = [FORMS[course.form](*item.context, item.text) for item in candidates]

    def learned(plausible: Places, implausible: Places) -> Values:
        if len(plausible) < 2:
            return np.zeros(len(inputs))
        model = _network(base, course)
        choices = [TrainingChoice((inputs[first], inputs[other]), 0)
                   for first, other in zip(plausible, implausible, strict=True)]
        known = [item for index, item in enumerate(choices) if index % 10]
        with TemporaryDirectory() as folder:
            train(ChoiceLearner(model, course, known, choices[::10]), Path(folder), {})
        return np.array(scored(model, inputs))

    return learned
