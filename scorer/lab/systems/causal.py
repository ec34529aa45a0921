"""GPT-2 and its kin: trained on contexts and hypotheses, or asked as they are.

After Bhagavatula et al., Abductive Commonsense Reasoning, ICLR 2020, section 5.2 and appendix A.7,
which says what is read. The model learns what follows a prompt, and writes it by beam search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional
from tqdm import tqdm
from transformers import AutoModelForCausalLM

from scorer.core.errors import NotMeasured, UsageError
from scorer.core.files import sha256
from scorer.core.reading.characters import REPLACED, UNWELCOME
from scorer.core.reading.tsv import open_file
from scorer.lab.systems import networks, records
from scorer.lab.systems.records import Data, Predicted, Question, Run, Trained, TrainingRequest
from scorer.lab.training.trainer import Course, Fraction, Learner, Whole, Width, fitted
from scorer.models import loading
from scorer.models.sources import FOR_BASE
from scorer.tasks.texts.items import MOST_LETTERS, Gold, Prediction

RELATIONS = ("xIntent", "xNeed", "xAttr", "xEffect", "xWant", "xReact", "oReact", "oWant",
             "oEffect")
"""Of ATOMIC, in the order in which a file of inferences has them, for either observation."""
INFERENCES = [f"{name}-{part}" for part in (1, 2) for name in RELATIONS]
COUNT = len(INFERENCES)
OBSERVATIONS, TEXTS, VECTORS, FIXED = "observations", "comet-text", "comet-vectors", "fixed"
INPUTS = (OBSERVATIONS, TEXTS, VECTORS, FIXED)
"""By the names that ``--inputs`` takes."""
HYPOTHESIS = "<h>"
TAGS = ("<o1>", "</o1>", "<o2>", "</o2>", HYPOTHESIS)
LARGEST = 1024 * 1024 * 1024

Context = tuple[str, str]
Inferences = Mapping[Context, Any]
"""Of a context, ``COUNT`` phrases, or an array of shape (COUNT, width)."""


def tags(inputs: str) -> list[str]:
    """The tokens that a tokenizer has to learn."""
    if inputs == FIXED:
        return []
    own = [f"<{end}{name}>" for name in INFERENCES for end in ("", "/")]
    return [*TAGS, *(own if inputs == TEXTS else [])]


def prompt(inputs: str, context: Context, inferences: Sequence[str] = ()) -> str:
    """What stands before the hypothesis.

    >>> prompt("observations", ("Ann left.", "Ann cried."))
    '<o1>Ann left.</o1><o2>Ann cried.</o2><h>'
    >>> prompt("fixed", ("Ann left.", "Ann cried."))
    'Ann left. Ann cried. Because,'
    """
    obs1, obs2 = context
    if inputs == FIXED:
        return f"{obs1} {obs2} Because,"
    pairs = zip(INFERENCES, inferences, strict=True) if inputs == TEXTS else ()
    story = "".join(f"<{name}>{text}</{name}>" for name, text in pairs)
    return f"{story}<o1>{obs1}</o1><o2>{obs2}</o2>{HYPOTHESIS}"


def read(inputs: str, path: Path | None, contexts: Sequence[Context]) -> tuple[Inferences, str]:
    """The inferences of some contexts and the SHA-256 of their file; none if none are used.

    Raises UsageError if a file is missing, not wanted, or of another form or number of rows.
    """
    if inputs not in (TEXTS, VECTORS):
        if path is not None:
            raise UsageError(f"--inputs {inputs} reads no inferences; leave --inferences out")
        return {}, ""
    if path is None:
        raise UsageError(f"--inputs {inputs} needs --inferences FILE: for every context "
                         f"{COUNT} inferences, {', '.join(RELATIONS)} of the first observation, "
                         "then of the second")
    content = open_file(path, largest=LARGEST).content
    rows: Any = (_vectors(path) if inputs == VECTORS else
                 [line.split("\t") for line in content.decode("utf-8", "replace").splitlines()])
    for number, row in enumerate(rows, start=1):
        if len(row) != COUNT:
            raise UsageError(f"{path}:{number}: {len(row)} columns; expected {COUNT} phrases with "
                             "tabs between")
    if len(rows) != len(contexts):
        raise UsageError(f"{path}: {len(rows)} rows; expected {len(contexts)}, one for every "
                         "context in order")
    return dict(zip(contexts, rows, strict=True)), sha256(content)


def _vectors(path: Path) -> NDArray[np.float32]:
    try:
        array = np.load(path, allow_pickle=False)
        if array.ndim == 3 and array.dtype.kind == "f" and array.shape[2]:
            vectors: NDArray[np.float32] = array.astype(np.float32)
            return vectors
    except (OSError, ValueError, AttributeError):  # no array; several
        pass
    raise UsageError(f"{path}: expected one array of floats that numpy saved (.npy), of shape "
                     f"(contexts, {COUNT}, width)")


IGNORED = -100
MOST_WRITTEN = 40
"""Tokens of a hypothesis."""


class CausalCourse(Course):
    """Everything that decides a run, but for data and base. The paper names none of it: ours."""

    inputs: Literal["observations", "comet-text", "comet-vectors", "fixed"]
    width: Width = 0
    """Of the vectors of inferences; 0 where none are read."""
    epochs: Whole = 3
    learning_rate: Fraction = 5e-5
    batch_size: Whole = 8
    warmup: Fraction = 0.06
    weight_decay: Fraction = 0.01
    patience: Width | None = 1
    beams: Whole = 4


class Continuation(NamedTuple):
    """A prompt and what follows it."""

    prompt: tuple[int, ...]
    target: tuple[int, ...]
    """With the end of text; empty where it is to be written."""
    vectors: Any = None
    """Shape (inferences, width), read before the prompt."""


class CausalNetwork(torch.nn.Module):
    """The language model, and what makes its embeddings of an inference's vector."""

    def __init__(self, base: Path, course: CausalCourse) -> None:
        """Raises NotMeasured for what is no causal language model."""
        super().__init__()
        torch.manual_seed(course.seed)
        self.tokenizer: Any
        self.model: Any
        try:
            with loading.quietly():
                self.tokenizer = loading.tokenizer_of(base)
            self.model, _ = loading.model_of(AutoModelForCausalLM, base)
        except (ValueError, KeyError) as fault:
            raise NotMeasured(f"{base.name} is no causal language model; name one such as GPT-2 "
                              "with --base") from fault
        if self.tokenizer.eos_token_id is None:
            raise NotMeasured(f"the tokenizer of {base.name} has no token for the end of a text")
        self._course = course
        new = tags(course.inputs)
        if new:
            self.tokenizer.add_special_tokens({"additional_special_tokens": new})
            self.model.resize_token_embeddings(len(self.tokenizer), mean_resizing=False)
        own = self.model.get_input_embeddings().embedding_dim
        self.project = torch.nn.Linear(course.width, own) if course.width else None

    def written(self, context: Context, inferences: Inferences, text: str = "") -> Continuation:
        """Tokens; without a text it is to be written."""
        entry = inferences.get(context)
        phrases = entry if entry is not None and not self._course.width else ()
        start = prompt(self._course.inputs, context, phrases)
        read = self.tokenizer(start, add_special_tokens=False)["input_ids"]
        target = self.tokenizer(text, add_special_tokens=False)["input_ids"] if text else []
        end = [self.tokenizer.eos_token_id] if text else []
        return Continuation(tuple(read), (*target, *end), entry if self._course.width else None)

    def embedded(self, example: Continuation) -> torch.Tensor:
        """Shape (tokens, width of the model): inferences, prompt, target."""
        device = next(self.parameters()).device
        words = self.model.get_input_embeddings()(
            torch.tensor([*example.prompt, *example.target], device=device))
        if example.vectors is None or self.project is None:
            return words  # type: ignore[no-any-return]
        before = self.project(torch.as_tensor(example.vectors, device=device))
        return torch.cat([before, words])

    def loss(self, batch: Sequence[Continuation]) -> torch.Tensor:
        """The mean cross entropy of the targets' tokens."""
        device = next(self.parameters()).device
        rows = [self.embedded(example) for example in batch]
        most = max(map(len, rows))
        padded = torch.stack([functional.pad(row, (0, 0, 0, most - len(row))) for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (most - len(row)) for row in rows],
                            device=device)
        labels = torch.tensor([
            [IGNORED] * (len(row) - len(one.target)) + [*one.target] + [IGNORED] * (most - len(row))
            for row, one in zip(rows, batch, strict=True)], device=device)
        logits = self.model(inputs_embeds=padded, attention_mask=mask).logits.float()
        return functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(),
                                        ignore_index=IGNORED)

    @torch.inference_mode()
    def write(self, example: Continuation) -> str:
        """The likeliest text, by beam search, on one line."""
        rows = self.embedded(example).unsqueeze(0)
        end = self.tokenizer.eos_token_id
        output = self.model.generate(
            inputs_embeds=rows, attention_mask=torch.ones(rows.shape[:2], device=rows.device,
                                                          dtype=torch.long),
            max_new_tokens=MOST_WRITTEN, num_beams=self._course.beams, do_sample=False,
            eos_token_id=end, pad_token_id=end)
        return " ".join(self.tokenizer.decode(output[0], skip_special_tokens=True).split())


class CausalLearner(Learner[Continuation]):
    """Pairs of prompt and text, their loss, and that of held-out ones."""

    def length(self, item: Continuation) -> int:
        return len(item.prompt) + len(item.target)

    def loss(self, batch: Sequence[Continuation]) -> torch.Tensor:
        loss: torch.Tensor = self.model.loss(batch)
        return loss

    def score(self) -> tuple[float, Mapping[str, float]]:
        """Minus the mean loss of held-out texts."""
        total = sum(self.model.loss(batch).item() * len(batch) for batch in self.measured(16))
        loss = round(total / max(1, len(self.held_out)), 6)
        return -loss, {"held-out loss": loss}


def fit(name: str, data: Data, request: TrainingRequest) -> Trained:
    """Train a causal language model on every reference. ``--inputs fixed`` trains nothing."""
    inputs = request.options.get("inputs", OBSERVATIONS)
    source = request.options.get("base")
    if inputs not in INPUTS:
        raise UsageError(f"no inputs {inputs}; choose one of: {', '.join(INPUTS)}")
    if not source:
        raise UsageError(f"{name} needs a causal language model: --base hub:NAME@COMMIT or a "
                         "folder (scorer handbook art)")
    inferences, digest = read(inputs, request.options.get("inferences"),
                              [(gold.given[0], gold.given[1]) for gold in data.golds])
    width = next((row.shape[-1] for row in inferences.values() if hasattr(row, "shape")), 0)
    base, named = records.base_from(source, FOR_BASE)
    course = CausalCourse.of(request, inputs=inputs, width=width)
    if digest:
        data = data._replace(sha256=sha256(f"{data.sha256} {digest}".encode()))
    run = Run(name, data, request, course.to_json(), named)
    done = run.finished()
    if done is not None:
        return done
    model = CausalNetwork(base, course)
    if inputs == FIXED:
        return run.end(run.trained((), (), named.weights, (0, records.counts_of(model)[1]), {}))

    def learner(*parts: Sequence[Gold]) -> CausalLearner:
        return CausalLearner(model, course, *(
            [model.written((gold.given[0], gold.given[1]), inferences, text)
             for gold in part for text in gold.references] for part in parts))

    return run.end(fitted(run, learner))


def predict(folder: Path, trained: Trained, question: Question) -> Predicted:
    """A text for each context, on one line."""
    course = records.course_of(CausalCourse, trained)
    contexts: Sequence[Context] = [(texts[0], texts[1]) for texts in question.texts]
    inferences, _ = read(course.inputs, question.options.get("inferences"), contexts)
    model = CausalNetwork(records.base_of(trained), course)
    if course.inputs == FIXED:
        model = model.eval().to(loading.device())
    else:
        model = networks.loaded(folder, trained, model)
    texts = [UNWELCOME.sub(REPLACED, model.write(model.written(context, inferences)))[:MOST_LETTERS]
             for context in tqdm(contexts, unit="item", disable=None)]
    return Predicted([Prediction(text=text) for text in texts],
                     f"Beam search, {course.beams} beams, at most {MOST_WRITTEN} tokens; "
                     f"input: {course.inputs}.", (trained,))
