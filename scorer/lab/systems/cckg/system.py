"""The system: knowledge base, graphs of arguments, and what is written of them.

Nothing is trained. The knowledge base is the gold graphs of train unless a file is named.

For people to annotate, ``--triplets`` writes the graphs as they are cut out: a UTF-8 file of
tab-separated cells, lines ``#key<TAB>value``, a line of the columns' names, then one line a
triplet. ``item`` counts the split's items from 1. ``head_from`` and ``tail_from`` say which text
brought a concept: premise, conclusion, both or neither. A relation is called as on the board, or as
in ConceptNet if the board has none that is called so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tqdm import tqdm

from scorer.core.errors import UsageError, counted
from scorer.core.graph import Graph
from scorer.lab.systems import labels as label_model
from scorer.lab.systems import records
from scorer.lab.systems.cckg import graphs
from scorer.lab.systems.cckg.graphs import Triplet
from scorer.lab.systems.cckg.knowledge import Knowledge, knowledge_of, read
from scorer.lab.systems.records import Predicted, Question, Trained, check_fits
from scorer.lab.systems.registry import SMALL
from scorer.models.known import Machine
from scorer.models.registry import device_here
from scorer.models.sources import FOR_ENCODER, ModelFiles, locate, weights_digest
from scorer.models.transformers_encoder import TransformersEncoder
from scorer.tasks.graphs.baselines import null_of
from scorer.tasks.graphs.graph_items import Prediction

ENCODER = SMALL
BRINGING = 3
"""Triples that bring their concepts into a graph, for each text."""
FOLDER = "cckg"
"""Below the home folder: vectors of knowledge bases."""
FORMAT = "cckg-triplets/1"
COLUMNS = ("item", "head", "relation", "tail", "head_from", "tail_from")


def predict(_folder: None, _trained: None, question: Question) -> Predicted:
    """A graph for each item, cut out of the knowledge base.

    ``question.options``: ``home``, ``board``, ``split``; perhaps ``knowledge`` and ``triplets``.
    Raises UsageError for a knowledge base with faults, NotMeasured without the encoder.
    """
    options = question.options
    knowledge = _knowledge(question)
    folder = locate(ENCODER, advice=FOR_ENCODER)
    files = ModelFiles(folder, weights_digest(folder))
    labels, labels_source, used = _labels(question)
    encoder = TransformersEncoder(files, 1000, Machine(device_here()))  # all layers that there are
    known = graphs.of_triples(knowledge, encoder, files.fingerprint, options["home"] / FOLDER)
    encode = graphs.Remembered(encoder)
    fitter = graphs.Fitter(knowledge, encode, question.settings)
    cutter = graphs.Cutter(knowledge, encode) if options.get("triplets") else None
    fitted, cut = list[Graph | None](), list[list[Triplet]]()
    for texts in tqdm(question.texts, unit="item", disable=None):
        context = graphs.context_of(known, encode, texts, BRINGING)
        fitted.append(fitter.graph(context, texts))
        if cutter is not None:
            cut.append(cutter.graph(context))
    head = {"board": options["board"], "split": options["split"], "knowledge": knowledge.source,
            "encoder": f"SHA-256 {files.digest[:12]}...", "bringing": str(BRINGING)}
    return Predicted(
        [Prediction(label, graph or null_of(question.settings, texts)) for
         label, graph, texts in zip(labels, fitted, question.texts, strict=True)],
        "Shortest paths between concepts that stand in the texts, joined to a tree that keeps the "
        "board's constraints. A triple costs the less the more similar it is to the texts.", used,
        f"{fitted.count(None)} of {counted(len(fitted), 'item')} have the null graph, as the "
        "knowledge base has none that fits",
        f"Nothing was trained. Knowledge base: {knowledge.source}, "
        f"{counted(len(knowledge.triples), 'triple')} of "
        f"{counted(len(knowledge.concepts), 'concept')}.{labels_source}",
        ((ENCODER, files.digest),),
        {options["triplets"]: content(head, cut)} if cutter is not None else {})


def _knowledge(question: Question) -> Knowledge:
    options, rules = question.options, question.settings.graph
    if options.get("knowledge") is not None:
        return read(options["knowledge"], rules.relations)
    if options["split"] == "train":
        raise UsageError("the knowledge base is the gold graphs of train, so train cannot be "
                         "asked for; name another knowledge base with --knowledge FILE")
    edges = [edge for gold in question.train for edge in gold.graphs[0].edges]
    base = knowledge_of((edge for edge in edges if rules.knows(edge.relation)), "")
    return replace(base, source=f"the gold graphs of train of {options['board']} "
                                 f"(SHA-256 of the triples {base.digest[:12]}...)")


def _labels(question: Question) -> tuple[Sequence[str | None], str, tuple[Trained, ...]]:
    """A label for every item: those that were given, else of the label model that ships. Then where
    they come from, and the model that was asked."""
    if question.labels is not None or question.settings.labels is None:
        return question.labels or [None] * len(question.texts), "", ()
    folder = records.SHIPPED / records.FOLDERS["label"]
    own = records.read(folder)
    check_fits(own, question.options["board"], question.settings, "name others with --labels")
    return (label_model.labels(folder, own, question.texts),
            " The labels come from the label model that ships.", (own,))


def content(head: Mapping[str, str], cut: Sequence[Sequence[Triplet]]) -> bytes:
    """The bytes of a file of triplets.

    >>> content({"board": "b"}, []).decode().split(chr(10))[:2]
    ['#format\\tcckg-triplets/1', '#board\\tb']
    """
    lines: list[Iterable[str]] = [(f"#{key}", value)
                                  for key, value in {"format": FORMAT, **head}.items()]
    rows = [(str(number), *triplet.edge, triplet.head_from, triplet.tail_from)
            for number, graph in enumerate(cut, start=1) for triplet in graph]
    return "".join("\t".join(
        text.replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n") for text in line) + "\n"
        for line in (*lines, COLUMNS, *rows)).encode()
