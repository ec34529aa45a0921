"""The label model: a classifier that reads the texts, and perhaps a graph, and gives a label.

One small encoder with adapters reads two texts apart: a text's vector is the mean of its tokens'
vectors, and of two of them, a and b, ``[a, b, |a - b|, a * b]`` says the label, as sentence
encoders are tuned on pairs of sentences (Reimers and Gurevych, EMNLP 2019, section 3). That learns
more from two thousand items than the classifiers of Saha et al., ExplaGraphs, EMNLP 2021, section
7, which read the texts together; these are the recipe where every weight is trained.

``label`` reads the texts. ``label-with-graph`` also reads a graph: gold graphs in training, any
system's graphs in prediction (the paper's reasoning family).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import torch
from pydantic import Field
from torch.nn import functional

from scorer.core.errors import UsageError
from scorer.core.graph import Graph
from scorer.core.records import TextPair
from scorer.lab.systems import networks, records
from scorer.lab.systems.networks import EncoderCourse, EncoderLearner, EncoderNetwork
from scorer.lab.systems.records import Data, Predicted, Question, Run, Trained, TrainingRequest
from scorer.lab.training.trainer import Fraction, Whole, fitted
from scorer.models.sources import FOR_ENCODER
from scorer.tasks.graphs.baselines import null_of
from scorer.tasks.graphs.graph_items import Gold, Prediction

PAPER = {"together": True, "rank": None, "epochs": 10, "learning_rate": 1e-5}
"""What differs in the released script."""
LABEL, WITH_GRAPH = "label", "label-with-graph"
"""The systems' names; the second reads a graph too. The first is also the folder of a label model
inside another system's."""


class LabelCourse(EncoderCourse):
    """Everything that decides a run, but for data and base."""

    epochs: Whole = 5
    learning_rate: Fraction = 1e-3
    batch_size: Whole = 32
    most_tokens: Annotated[int, Field(ge=8, le=512)] = 128
    """Of a text; of both where they are read together."""
    together: bool = False
    """Read the texts as one, as the paper's classifiers do."""


class LabelledPair(NamedTuple):
    """Two texts and the index of their label."""

    pair: TextPair
    label: int


class LabelNetwork(EncoderNetwork):
    """The encoder, and the head that gives each label a logit."""

    def __init__(self, base: Path, labels: int, course: LabelCourse) -> None:
        super().__init__(base, course)
        width = self.width * (1 if course.together else 4)
        self.head = torch.nn.Sequential(
            torch.nn.Linear(width, course.hidden), torch.nn.GELU(),
            torch.nn.Dropout(course.dropout), torch.nn.Linear(course.hidden, labels))

    def forward(self, pairs: Sequence[TextPair]) -> torch.Tensor:
        """Logits, shape (pairs, labels)."""
        firsts, seconds = [pair.first for pair in pairs], [pair.second for pair in pairs]
        if self.course.together:
            vectors = self.means(firsts, seconds)
        else:
            a, b = self.means(firsts), self.means(seconds)
            vectors = torch.cat([a, b, (a - b).abs(), a * b], dim=-1)
        logits: torch.Tensor = self.head(vectors.float())
        return logits


class LabelLearner(EncoderLearner[LabelledPair]):
    """Items, their loss, and how many held-out ones are answered right."""

    def __init__(self, model: LabelNetwork, labels: int, course: LabelCourse,
                 learned: Sequence[LabelledPair], held_out: Sequence[LabelledPair]) -> None:
        """``labels``: how many there are; all of a label's items together weigh the same."""
        super().__init__(model, course, learned, held_out)
        counts = torch.bincount(torch.tensor([item.label for item in learned]), minlength=labels)
        self._weight = len(learned) / counts.clamp_min(1) / labels

    def length(self, item: LabelledPair) -> int:
        return len("".join(item.pair))

    def loss(self, batch: Sequence[LabelledPair]) -> torch.Tensor:
        logits = self.model([item.pair for item in batch])
        wanted = torch.tensor([item.label for item in batch], device=logits.device)
        return functional.cross_entropy(logits, wanted, self._weight.to(logits.device))

    def score(self) -> tuple[float, Mapping[str, float]]:
        """The share of held-out items that are answered right."""
        indices = answered(self.model, [item.pair for item in self.held_out])
        right = sum(item.label == index for item, index in zip(self.held_out, indices, strict=True))
        share = round(right / len(self.held_out), 6)
        return share, {"labels right": share}


@torch.inference_mode()
def answered(model: LabelNetwork, pairs: Sequence[TextPair]) -> list[int]:
    """The index of the likeliest label of each pair; each is asked alone, so none changes another.
    """
    model.eval()
    return [int(model([pair]).argmax()) for pair in pairs]


def fit(name: str, data: Data, request: TrainingRequest) -> Trained:
    """Train on the texts of a board's items, with a graph also on their first gold graphs.

    Raises UsageError for a board without labels.
    """
    labels = records.kinds_of(data.settings)["labels"]
    if not labels:
        raise UsageError(f"{data.board} has no labels to predict")
    base, named = records.base_from(request.encoder, FOR_ENCODER)
    course = LabelCourse.of(request, **(PAPER if request.every_weight else {}))
    run = Run(name, data, request, course.to_json(), named)

    def learner(learned: Sequence[Gold], held_out: Sequence[Gold]) -> LabelLearner:
        items = [[LabelledPair(_pair(gold.texts, gold.graphs[0] if name == WITH_GRAPH else None),
                               labels.index(gold.label or "")) for gold in part]
                 for part in (learned, held_out)]
        return LabelLearner(LabelNetwork(base, len(labels), course), len(labels), course, *items)

    return run.finished() or run.end(fitted(run, learner))


def predict(folder: Path, trained: Trained, question: Question) -> Predicted:
    """A label for each item, with the graph it was read from, else with the null graph."""
    graphs = question.graphs
    answers = labels(folder, trained, question.texts, graphs)
    if graphs is None:
        graphs = [null_of(question.settings, texts) for texts in question.texts]
        how = "The graph is the board's null graph, which says nothing."
    else:
        how = "The graph was given, and read with the texts."
    return Predicted([*map(Prediction, answers, graphs)], f"The likeliest label. {how}", (trained,))


def labels(folder: Path, trained: Trained, texts: Sequence[Sequence[str]],
           graphs: Sequence[Graph] | None = None) -> list[str]:
    """The likeliest label of each item; ``graphs``: one for each, if the model reads graphs.

    Raises NotMeasured if the model cannot be loaded, and UsageError if it reads graphs and none
    are given, or the reverse.
    """
    if (trained.system == WITH_GRAPH) != (graphs is not None):
        raise UsageError(f"{folder}: {trained.system} reads "
                         + ("a graph of every item; name them with --graphs" if graphs is None
                            else f"no graphs; train {WITH_GRAPH}"))
    course = records.course_of(LabelCourse, trained)
    model = networks.loaded(folder, trained, LabelNetwork(
        records.base_of(trained), len(trained.labels), course))
    read = [None] * len(texts) if graphs is None else graphs
    pairs = [_pair(own, graph) for own, graph in zip(texts, read, strict=True)]
    return [trained.labels[index] for index in answered(model, pairs)]


def fit_inside(name: str, data: Data, request: TrainingRequest) -> None:
    """Train the label model of another system in a folder inside, unless nobody wants one."""
    if records.kinds_of(data.settings)["labels"] and not request.options.get("graphs_only"):
        fit(name, data, request._replace(out=request.out / LABEL))


def inside(folder: Path, trained: Trained, question: Question) -> Trained | None:
    """The label model inside a system's folder; None where no label is asked of it.

    Raises UsageError if there is none and no labels were given.
    """
    if question.labels is not None or not trained.labels:
        return None
    if not (folder / LABEL / records.FILE).is_file():
        raise UsageError(f"{folder} has no label model; give labels with --labels")
    own = records.read(folder / LABEL)
    records.check_fits(own, trained.board, question.settings)
    return own


def _pair(texts: Sequence[str], graph: Graph | None = None) -> TextPair:
    """The first text; the others, and the graph's edges in their order, each as a sentence.

    >>> _pair(["Pets are good.", "Cats purr."], Graph("(cats; is a; pets)(pets; desires; food)"))
    TextPair(first='Pets are good.', second='Cats purr. cats is a pets. pets desires food.')
    """
    edges = [f"{' '.join(edge)}." for edge in graph.edges] if graph else []
    return TextPair(texts[0], " ".join([*texts[1:], *edges]))
