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
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
import torch
from pydantic import Field
from torch.nn import functional
from tqdm import tqdm

from scorer.core.errors import DataError, NotMeasured, UsageError
from scorer.lab.systems import networks, records
from scorer.lab.systems.networks import EncoderCourse, EncoderLearner
from scorer.lab.systems.records import Data, Predicted, Question, Trained, TrainingRequest
from scorer.lab.systems.runs import Run, base_from
from scorer.lab.systems.svm import as_four
from scorer.lab.training.trainer import Fraction, Whole, Width, train
from scorer.models.loading import tokenizer_of
from scorer.models.sources import FOR_ENCODER, locate
from scorer.tasks.anli.anli_items import Prediction
from scorer.tasks.text_items import LABELS, Gold

if TYPE_CHECKING:
    from scorer.lab.systems.filtering import Adversary, Hypothesis, Places, Values


Tokens = tuple[tuple[int, int], ...]
"""The ids of an input, each with the number of its segment."""
Inputs = tuple[Tokens, ...]
"""What is read of one hypothesis."""
DIGITS = 5
"""Of a score."""


class ChoiceCourse(EncoderCourse):
    """Everything that decides a run, but for data and base."""

    form: str
    epochs: Whole = 3
    learning_rate: Fraction = 5e-4
    batch_size: Whole = 16
    warmup: Fraction = 0.1
    most_tokens: Annotated[int, Field(ge=8, le=512)] = 68
    hidden: Width = 0
    """Width of the layer that reads averaged vectors."""


class TrainingChoice(NamedTuple):
    """An item to learn from."""

    inputs: tuple[Inputs, Inputs]
    expected: int
    """The index of the right hypothesis."""


class TunedEncoder(torch.nn.Module):
    """An encoder; the mean of an input's vectors gives its score, by weights of its own place."""

    def __init__(self, base: Path, inputs: int, course: ChoiceCourse) -> None:
        """``inputs``: of a hypothesis. Raises NotMeasured for incomplete weights."""
        super().__init__()
        torch.manual_seed(course.seed)
        self.encoder = networks.encoder_of(base, course.rank, course.alpha)
        self.dropout = torch.nn.Dropout(course.dropout)
        width = self.encoder.config.hidden_size
        self.heads = torch.nn.ModuleList(torch.nn.Linear(width, 1) for _ in range(inputs))

    def scores(self, hypotheses: Sequence[Inputs]) -> torch.Tensor:
        """The sum over a hypothesis' inputs."""
        total = torch.zeros(len(hypotheses), device=next(self.parameters()).device)
        for index, head in enumerate(self.heads):
            total = total + self._read([inputs[index] for inputs in hypotheses], head)
        return total

    def _read(self, inputs: Sequence[Tokens], head: torch.nn.Module) -> torch.Tensor:
        device = next(self.parameters()).device
        most = max(map(len, inputs))
        ids, segments = (
            torch.tensor([[pair[part] for pair in tokens] + [0] * (most - len(tokens))
                          for tokens in inputs], device=device) for part in (0, 1))
        lengths = torch.tensor([len(tokens) for tokens in inputs], device=device)
        mask = (torch.arange(most, device=device) < lengths.unsqueeze(1)).long()
        hidden = self.encoder(input_ids=ids, attention_mask=mask,
                              token_type_ids=segments).last_hidden_state
        mean = (hidden * mask.unsqueeze(-1)).sum(dim=1) / lengths.unsqueeze(1)
        scores: torch.Tensor = head(self.dropout(mean)).squeeze(-1).float()
        return scores


class AveragedVectors(torch.nn.Module):
    """The mean of each text's word vectors, all of them to layers that give a score.

    The vectors are those that an encoder looks up before it reads: one a word piece, in whatever
    context it stands. They are not trained here.
    """

    def __init__(self, base: Path, inputs: int, course: ChoiceCourse) -> None:
        """``inputs``: texts of a hypothesis, itself among them."""
        super().__init__()
        torch.manual_seed(course.seed)
        below = networks.encoder_of(base, None, 0)
        self.vectors = below.get_input_embeddings().requires_grad_(False)
        width = self.vectors.embedding_dim
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(inputs * width, course.hidden), torch.nn.ReLU(),
            torch.nn.Dropout(course.dropout), torch.nn.Linear(course.hidden, 1))

    def scores(self, hypotheses: Sequence[Inputs]) -> torch.Tensor:
        """One a hypothesis."""
        device = self.vectors.weight.device
        means = torch.stack([
            torch.cat([self.vectors(torch.tensor([word for word, _ in tokens] or [0], device=device)
                                    ).mean(dim=0) for tokens in inputs])
            for inputs in hypotheses])
        outputs: torch.Tensor = self.layers(means).squeeze(-1)
        return outputs


class ChoiceReader:
    """Makes tokens of texts."""

    def __init__(self, base: Path, most_tokens: int, *, special: bool = True) -> None:
        """``special``: with the tokens for start and separation. Raises NotMeasured without a
        fast tokenizer."""
        tokenizer = tokenizer_of(base)
        if not tokenizer.is_fast:
            raise NotMeasured(f"{base} has no tokenizer.json")
        self._backend = tokenizer.backend_tokenizer
        self._backend.no_padding()
        self._backend.enable_truncation(most_tokens, strategy="longest_first")
        self._special = special

    def inputs(self, texts: Sequence[Sequence[str]]) -> Inputs:
        """The tokens of some inputs of one segment or two."""
        tokens = []
        for segments in texts:
            read = self._backend.encode(segments[0], segments[1] if segments[1:] else None,
                                        add_special_tokens=self._special)
            tokens.append(tuple(zip(read.ids, read.type_ids, strict=True)))
        return tuple(tokens)


class ChoiceLearner(EncoderLearner[TrainingChoice]):
    """Choices, their loss, and how well held-out ones are made."""

    def length(self, item: TrainingChoice) -> int:
        return sum(len(tokens) for inputs in item.inputs for tokens in inputs)

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


def chosen(model: TunedEncoder | AveragedVectors, pairs: Iterable[tuple[Inputs, Inputs]]
           ) -> list[int]:
    """The index of the hypothesis of the higher score, the first on ties, one item at a time."""
    with torch.inference_mode():
        return [int(model.scores(pair).argmax()) for pair in pairs]


def scored(model: TunedEncoder, hypotheses: Sequence[Inputs]) -> list[float]:
    """The score of each hypothesis, rounded so that the company it is read in decides nothing."""
    model.eval()
    order = sorted(range(len(hypotheses)), key=lambda position: len(hypotheses[position][0]))
    values = [0.0] * len(hypotheses)
    with torch.inference_mode():
        for start in range(0, len(order), 64):
            indices = order[start : start + 64]
            scores = model.scores([hypotheses[position] for position in indices]).tolist()
            for index, score in zip(indices, scores, strict=True):
                values[index] = round(score, DIGITS)
    return values


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


def fit(name: str, data: Data, request: TrainingRequest) -> Trained:
    """Train on pairs of hypotheses. Raises UsageError for an unknown form."""
    base, named = base_from(request.encoder, FOR_ENCODER)
    course = _course(request, name)
    run = Run(name, data, request, course.to_json(), named)

    def learner(learned: Sequence[Gold], held_out: Sequence[Gold]) -> ChoiceLearner:
        reader, model = _reader(base, course), _network(base, course)
        choices = [[TrainingChoice(_both(reader, gold.texts[1:], course), LABELS.index(gold.label))
                    for gold in part] for part in (learned, held_out)]
        return ChoiceLearner(model, course, *choices)

    return run.finished() or run.end(networks.kept(run, run.fit(learner)))


def predict(folder: Path, trained: Trained, question: Question) -> Predicted:
    """The hypothesis that each item's higher score is of."""
    course, base = records.course_of(ChoiceCourse, trained), records.base_of(trained)
    if course.form not in FORMS:
        raise DataError(f"the settings in {records.FILE}: no form {course.form}; train the system "
                        "again")
    model = networks.loaded(folder, trained, _network(base, course))
    reader = _reader(base, course)
    items = [_both(reader, texts[1:], course) for texts in question.texts]
    answers = chosen(model, tqdm(items, unit="item", disable=None))
    return Predicted([Prediction(LABELS[answer]) for answer in answers],
                     f"The hypothesis of the higher score; form of input: {course.form}.",
                     (trained,))


def _course(request: TrainingRequest, name: str) -> ChoiceCourse:
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


def _reader(base: Path, course: ChoiceCourse) -> ChoiceReader:
    return ChoiceReader(base, course.most_tokens, special=course.form != WORDS)


def _both(reader: ChoiceReader, texts: Sequence[str],
          course: ChoiceCourse) -> tuple[Inputs, Inputs]:
    """The inputs of an item's two hypotheses; ``texts``: observations, then hypotheses."""
    obs1, obs2, first, second = as_four(texts)
    form = FORMS[course.form]
    return reader.inputs(form(obs1, obs2, first)), reader.inputs(form(obs1, obs2, second))


def adversary(candidates: Sequence[Hypothesis], request: TrainingRequest) -> Adversary:
    """The tuned encoder as an adversary of the filter: a new one for every set of pairs.

    A tenth of the pairs chooses the epoch. ``request``: its folder is not used. Raises NotMeasured
    for an encoder that cannot be had.
    """
    base, course = locate(request.encoder, advice=FOR_ENCODER), _course(request, ENCODER)
    reader = _reader(base, course)
    inputs = [reader.inputs(FORMS[course.form](*item.context, item.text)) for item in candidates]

    def learned(plausible: Places, implausible: Places) -> Values:
        choices = [TrainingChoice((inputs[first], inputs[other]), 0)
                   for first, other in zip(plausible, implausible, strict=True)]
        known = [choice for index, choice in enumerate(choices) if index % 10]
        if not known:
            return np.zeros(len(inputs))
        model = TunedEncoder(base, len(inputs[0]), course)
        with TemporaryDirectory() as folder:
            train(ChoiceLearner(model, course, known, choices[::10]), Path(folder), {})
        return np.array(scored(model, inputs))

    return learned
