"""The label model: a classifier that reads the texts, and perhaps a graph, and gives a label.

Two texts are read apart by a small encoder with adapters, and compared by a small head: that learns
more from two thousand items than the classifiers of Saha et al., ExplaGraphs, EMNLP 2021, section
7, which read them together. These are the recipe where every weight is trained.

There are two. ``label`` reads the texts. ``label-with-graph`` also reads a graph: gold graphs in
training, any system's graphs in prediction. With it a system draws the graph first and takes the
label from texts and graph (the paper's reasoning family)::

    trained = labels.train_with_graph(data, request)
    answers = labels.labels(request.out, trained, texts, graphs=graphs)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scorer.errors import UsageError
from scorer.graph import Graph
from scorer.models.sources import FOR_ENCODER
from scorer.records import TextPair
from scorer.systems import records
from scorer.systems.graph_records import Answers, Data, Question, Trained
from scorer.systems.records import Request
from scorer.systems.training_run import TrainingRun, base_from, counts_of
from scorer.tasks.graphs.null import null_of
from scorer.tasks.graphs.records import Gold, Prediction, Settings
from scorer.training import surroundings

if TYPE_CHECKING:
    from scorer.systems.label_model import Asked, LabelCourse

PAPER_EPOCHS, PAPER_RATE = 10, 1e-5
"""Those of the released script."""
LABEL, WITH_GRAPH = "label", "label-with-graph"
"""The systems' names; the second reads a graph too."""


def train(data: Data, request: Request) -> Trained:
    """Train on the texts of a board's items. Raises UsageError for a board without labels."""
    return _train(LABEL, data, request)


def train_with_graph(data: Data, request: Request) -> Trained:
    """Train on the texts and the first gold graph of a board's items.

    Raises UsageError for a board without labels.
    """
    return _train(WITH_GRAPH, data, request)


def _train(system: str, data: Data, request: Request) -> Trained:
    from scorer.systems.label_model import LabelLearner, Network

    labels = labels_of(data.settings)
    if not labels:
        raise UsageError(f"{data.board} has no labels to predict")
    versions, (base, named) = surroundings.versions(), base_from(request.base, FOR_ENCODER)
    course = _course(request)
    run = TrainingRun(Trained, system, data, request, course.to_json(), named, versions)
    done = run.finished()
    if done is not None:
        return done
    parts = data.parts(request.seed)
    learned, held_out = ([_asked(gold, labels, with_graph=system == WITH_GRAPH) for gold in part]
                         for part in parts)
    model = Network(base, len(labels), course)
    learner = LabelLearner(model, len(labels), course, learned, held_out)
    epochs, weights = run.learn(learner, course, learner.groups())
    return run.end(run.made(
        parts, weights, counts_of(model), {"labels right": max(epoch.score for epoch in epochs)},
        [epoch.to_json() for epoch in epochs], **facts(data)))


def predict(folder: Path, trained: Trained, question: Question) -> Answers:
    """A label for each item, with the graph it was read from, else with the null graph.

    Raises UsageError if the model reads graphs and none are given, or the reverse.
    """
    graphs = question.graphs
    given = labels(folder, trained, question.texts, graphs)
    if graphs is None:
        nulls = [null_of(question.settings, texts) for texts in question.texts]
        how = "The graph is the board's null graph, which says nothing."
    else:
        how = "The graph was given, and read with the texts."
    answers = map(Prediction, given, nulls if graphs is None else graphs)
    return Answers([*answers], f"The likeliest label. {how}", (trained,))


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
    from scorer.systems import networks
    from scorer.systems.label_model import LabelCourse, Network, answered

    base, content = records.base_of(trained), records.weights_of(folder, trained)
    course = records.course_of(LabelCourse, trained.settings)
    model = Network(base, len(trained.labels), course)
    networks.load_weights(model, content)
    model.to(surroundings.device())
    read = [None] * len(texts) if graphs is None else graphs
    pairs = [_pair(own, graph) for own, graph in zip(texts, read, strict=True)]
    return [trained.labels[place] for place in answered(model, pairs)]


def labels_of(settings: Settings) -> tuple[str, ...]:
    """The labels of a board; none if it has none."""
    return settings.labels.values if settings.labels else ()


def facts(data: Data) -> dict[str, Any]:
    """What is said of every system that makes graphs; what is fitted later stands at 0."""
    return {"labels": labels_of(data.settings), "relations": data.settings.graph.relations,
            "shift": 0}


def _course(request: Request) -> LabelCourse:
    from scorer.systems.label_model import LabelCourse

    course = LabelCourse(seed=request.seed, bfloat16=request.bfloat16)
    if request.every_weight:
        course = replace(course, together=True, rank=None, epochs=PAPER_EPOCHS,
                         learning_rate=PAPER_RATE)
    return replace(course, epochs=request.epochs) if request.epochs else course


def _pair(texts: Sequence[str], graph: Graph | None = None) -> TextPair:
    """The first text; the others, and the graph's edges in their order, each as a sentence.

    >>> _pair(["Pets are good.", "Cats purr."], Graph("(cats; is a; pets)(pets; desires; food)"))
    TextPair(first='Pets are good.', second='Cats purr. cats is a pets. pets desires food.')
    """
    edges = [f"{' '.join(edge)}." for edge in graph.edges] if graph else []
    return TextPair(texts[0], " ".join([*texts[1:], *edges]))


def _asked(gold: Gold, labels: Sequence[str], *, with_graph: bool) -> Asked:
    from scorer.systems.label_model import Asked

    pair = _pair(gold.texts, gold.graphs[0] if with_graph else None)
    return Asked(pair, labels.index(gold.label or ""))
