"""The structured system: a label first, then the best graph that keeps the board's constraints.

After RE-SP of Saha et al., ExplaGraphs, EMNLP 2021, section 7.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from tqdm import tqdm

from scorer.core.errors import UsageError
from scorer.core.graph import Graph
from scorer.core.records import Edge
from scorer.lab.systems import labels, networks, records
from scorer.lab.systems.records import Data, Predicted, Question, Run, Trained, TrainingRequest
from scorer.lab.systems.structured import alignment
from scorer.lab.systems.structured.alignment import AlignedText, outside
from scorer.lab.systems.structured.decoding import EdgeLimits, Need, best_graph, free_edges
from scorer.lab.systems.structured.model import (
    GraphCourse,
    GraphLearner,
    Lesson,
    LessonReader,
    Retrieval,
    StructuredNetwork,
    Teacher,
)
from scorer.lab.training.trainer import fitted
from scorer.models.sources import FOR_ENCODER
from scorer.tasks.graphs.baselines import null_of
from scorer.tasks.graphs.graph_items import Gold, GraphRules, Prediction, Settings, folded

MOST_EXTERNAL = 5
"""Concepts from outside offered for one item."""
SHIFTS = (-6.0, 6.0)
"""Between these the logarithm of the odds of a concept, or of an edge, is moved."""
MEASURED = 100
"""Held-out items that decide by how much."""


class ModelScores(NamedTuple):
    """What a model says about one item, before a graph is chosen."""

    concepts: list[str]
    worth: NDArray[np.float64]
    """The logarithm of each concept's odds."""
    inside: NDArray[np.bool_]
    """Whether a concept stands in a text."""
    edges: NDArray[np.float64]
    """The logarithm of the odds of the best relation against none, of ordered pairs."""
    relations: NDArray[np.intp]
    """The best relation, from 0."""


NO_SCORES = ModelScores([], np.zeros(0), np.zeros(0, dtype=np.bool_), np.zeros((0, 0)),
                        np.zeros((0, 0), dtype=np.intp))


def fit(name: str, data: Data, request: TrainingRequest) -> Trained:
    """Train the model of graphs, and one of labels in a folder inside."""
    base, named = records.base_from(request.encoder, FOR_ENCODER)
    labels.fit_inside(labels.LABEL, data, request)
    course = GraphCourse.of(request, **({"rank": None, "learning_rate": 1e-4}
                                        if request.every_weight else {}))
    run = Run(name, data, request, course.to_json(), named)
    done = run.finished()
    if done is not None:
        return done
    rules = data.settings.graph
    if not rules.relations:
        raise UsageError(f"board {data.board} allows any relation, and this system chooses among "
                         "given ones; train another one")
    teacher = Teacher(LessonReader(base), rules.relations, _most_words(rules), request.seed)

    def learner(learned: Sequence[Gold], held_out: Sequence[Gold]) -> GraphLearner:
        lessons, measured = _lessons(teacher, learned, held_out, course.epochs)
        return GraphLearner(StructuredNetwork(base, len(rules.relations), course), course,
                            lessons, measured)

    trained = fitted(run, learner)
    some = data.parts(request.seed)[1][:: max(1, trained.held_out // MEASURED)]
    shift, edge_shift = StructuredModel(request.out, trained, data.settings).fitting_shifts(some)
    return run.end(trained.model_copy(update={"shift": shift, "edge_shift": edge_shift}))


def _lessons(teacher: Teacher, learned: Sequence[Gold], held_out: Sequence[Gold], epochs: int
             ) -> tuple[list[list[Lesson]], list[Lesson]]:
    """The lessons of each epoch, and those that measure."""
    source = Retrieval(learned)
    same: dict[str, list[int]] = defaultdict(list)
    for index, gold in enumerate(learned):
        same[folded(gold.texts[0])].append(index)
    lent = source.concepts([gold.texts for gold in learned], MOST_EXTERNAL,
                           never=[same[folded(gold.texts[0])] for gold in learned])
    extras = source.concepts([gold.texts for gold in held_out], MOST_EXTERNAL)
    lessons = [
        [teacher.lesson(gold, extra, f"{epoch} {position}")
         for position, (gold, extra) in enumerate(zip(learned, lent, strict=True))]
        for epoch in range(epochs)]
    return lessons, [teacher.lesson(gold, extra, f"held out {position}")
                     for position, (gold, extra) in enumerate(zip(held_out, extras, strict=True))]


def predict(folder: Path, trained: Trained, question: Question) -> Predicted:
    """A label and a graph for each item; labels.inside says what it raises."""
    own = labels.inside(folder, trained, question)
    answers: Sequence[str | None] = question.labels or [None] * len(question.texts)
    if own is not None:
        answers = labels.labels(folder / labels.LABEL, own, question.texts)
    model = StructuredModel(folder, trained, question.settings)
    foreign: Sequence[Sequence[str]] = [()] * len(question.texts)
    external = question.options.get("external", "none")
    constrained = not question.options.get("no_constraints")
    if external == "retrieved":
        foreign = Retrieval(question.train).concepts(question.texts, MOST_EXTERNAL)
    elif external != "none":
        foreign = [outside(texts, list(dict.fromkeys(concepts)))[:MOST_EXTERNAL]
                   for texts, concepts in zip(question.texts, external, strict=True)]
        external = "from a file"
    items = [*zip(answers, question.texts, foreign, strict=True)]
    return Predicted(
        [Prediction(label, model.graph(label, texts, extra, constrained=constrained))
         for label, texts, extra in tqdm(items, unit="item", disable=None)],
        f"{model.decoding(constrained=constrained)} Concepts from outside the texts: {external}.",
        (trained,) if own is None else (trained, own))


class StructuredModel:
    """A trained model of graphs, asked about one item at a time, so that no item changes another.
    """

    def __init__(self, folder: Path, trained: Trained, settings: Settings) -> None:
        """Load it. Raises NotMeasured, UsageError or DataError if it is not what its file says."""
        course, base = records.course_of(GraphCourse, trained), records.base_of(trained)
        network = networks.loaded(folder, trained,
                                  StructuredNetwork(base, len(trained.relations), course))
        if course.rank is not None:
            network.encoder = network.encoder.merge_and_unload(progressbar=False)
        self._network = network
        self._reader = LessonReader(base)
        self._relations = trained.relations
        self._settings = settings
        self._shift, self._edge_shift = float(trained.shift), float(trained.edge_shift)
        rules = settings.graph
        most = min((limit for limit in (rules.most_edges, rules.strict_most_edges)
                    if limit is not None), default=records.MOST_EDGES)
        self._limits = EdgeLimits(rules.least_edges, max(rules.least_edges, most))

    def graph(self, label: str | None, texts: Sequence[str], external: Sequence[str] = (), *,
              constrained: bool = True) -> Graph:
        """The best graph for an item: among those that keep the constraints, or of all.

        If the texts have too few words for the constraints, those about texts are given up. Where
        there is no graph at all, it is the board's null graph. Without constraints, an edge is
        worth more by what was fitted on held-out items, as nothing else asks for edges then.
        """
        scores = self.scores(label, texts, external)
        result = (self._best(scores, texts, self._shift) if constrained
                  else self._worded(scores, _free(scores, self._shift, self._edge_shift)))
        return result if result and result.text else null_of(self._settings, texts)

    def decoding(self, *, constrained: bool) -> str:
        """How graphs are chosen, in words."""
        return (f"Exact: integer program, {self._limits.least} to {self._limits.most} edges, "
                "connected, no cycle, concepts of each text as the board asks." if constrained else
                "The edges and concepts of greatest total, with the threshold at which held-out "
                "items have as many edges as gold; no constraint.")

    @torch.inference_mode()
    def scores(self, label: str | None, texts: Sequence[str],
               external: Sequence[str]) -> ModelScores:
        """What the model says about an item's concepts and edges."""
        own = [AlignedText(text) for text in texts]
        short = [name for name in external if name.count(" ") < _most_words(self._settings.graph)]
        read = self._reader.read(label, own, short)
        inputs = torch.tensor([read.ids], device=self._network.device)
        hidden = self._network.read(inputs, torch.ones_like(inputs))[0]
        tags = torch.softmax(self._network.tagger(hidden), dim=-1).double().cpu().numpy()
        chances = [np.array([tags[word[0]] if word else (1.0, 0.0, 0.0) for word in words]
                            ).reshape(-1, 3) for words in read.words]
        choices = alignment.candidates(own, chances, _most_words(self._settings.graph),
                                       [text.concepts for text in self._settings.texts])
        tokens: Mapping[str, list[int]] = {
            item.concept: [token for index, run in item.places for token in read.tokens(index, run)]
            for item in choices
        }
        worth = {item.concept: item.worth for item in choices if tokens[item.concept]}
        names = [*worth]
        tokens = {**tokens, **{name: [*span] for name, span in
                               zip(short, read.external, strict=False)}}
        names += [name for name in short[: len(read.external)] if name not in worth]
        if len(names) < 2:
            return NO_SCORES
        vectors = torch.stack([hidden[tokens[name]].mean(dim=0) for name in names])
        relations = torch.log_softmax(self._network.relations(vectors.unsqueeze(0))[0], dim=-1
                                      ).double().cpu().numpy()
        usage = self._network.usage(vectors).squeeze(-1).double().cpu().numpy()
        return ModelScores(
            names, np.array([worth.get(name, round(float(usage[index]), alignment.DIGITS))
                             for index, name in enumerate(names)]),
            np.array([name in worth for name in names]),
            (relations[:, :, 1:].max(axis=2) - relations[:, :, 0]).round(alignment.DIGITS),
            relations[:, :, 1:].argmax(axis=2))

    def fitting_shifts(self, golds: Sequence[Gold]) -> tuple[float, float]:
        """What to add to every concept's worth, and without constraints to every edge's.

        The first so that graphs have as many concepts that stand in the texts as gold graphs, the
        second so that they have as many edges.
        """
        pairs = [(self.scores(gold.label, gold.texts, ()), gold.texts) for gold in golds]
        concepts = sum(len(gold.graphs[0].concepts)
                       - len(outside(gold.texts, gold.graphs[0].concepts)) for gold in golds)
        edges = sum(len(gold.graphs[0].edges) for gold in golds)
        shift = _halved(lambda tried: sum(
            len(graph.concepts) for scores, texts in pairs
            if (graph := self._best(scores, texts, tried))), concepts)
        return shift, _halved(lambda tried: sum(
            len(_free(scores, shift, tried)) for scores, _ in pairs), edges)

    def _best(self, scores: ModelScores, texts: Sequence[str], shift: float) -> Graph | None:
        """The best graph that keeps the constraints; None if none does."""
        if len(scores.concepts) < 2:
            return None
        lowered = [text.lower() for text in texts]
        needs = [
            Need(frozenset(index for index, concept in enumerate(scores.concepts)
                           if concept in text), setting.concepts)
            for setting, text in zip(self._settings.texts, lowered, strict=True) if setting.concepts
        ]
        worth = scores.worth + shift * scores.inside
        for subset in (needs, []):
            try:
                return self._worded(scores, best_graph(scores.edges, self._limits, worth, subset))
            except ValueError:
                continue
        return None

    def _worded(self, scores: ModelScores, edges: Sequence[tuple[int, int]]) -> Graph:
        return Graph.of(
            Edge(scores.concepts[a], self._relations[scores.relations[a, b]], scores.concepts[b])
            for a, b in edges)


def _free(scores: ModelScores, shift: float, edge_shift: float) -> list[tuple[int, int]]:
    """The edges of greatest total, whatever graph they make."""
    return free_edges(scores.edges + edge_shift, scores.worth + shift * scores.inside)


def _halved(count: Callable[[float], int], wanted: int) -> float:
    """The shift at which a count that rises with it is the wanted one."""
    low, high = SHIFTS
    while high - low > 0.2:
        middle = (low + high) / 2
        if count(middle) < wanted:
            low = middle
        else:
            high = middle
    return round((low + high) / 2, 2)


def _most_words(rules: GraphRules) -> int:
    return rules.concept_words or records.MOST_WORDS
