"""The task: for some texts, give a label and a graph of commonsense facts that explains it.

Gates, in order: the label must equal gold (``stance_incorrect``), then the graph must satisfy the
board's constraints (``struct_incorrect``), else ``struct_correct``. They equal
``metrics/eval.py`` of github swarnaHub/ExplaGraphs at commit 67ecab1, which stops at the first
broken constraint while every one is named here. Where the paper is stricter than that code (at
most 8 edges, no repeats, whole words), the code is followed for the score and the paper is
reported as *strict* diagnostics. Every number of a benchmark comes from its board.yaml
(``graph_settings.py``); the constraints stand in ``graph_findings.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from scorer import graph as notation
from scorer.errors import excerpt
from scorer.reading.tsv import Problems, Row
from scorer.records import Edge, Finding, Verdict
from scorer.tasks.base import Content, MetricUse, Task
from scorer.tasks.graphs.constraints import findings
from scorer.tasks.graphs.fitting import fitted
from scorer.tasks.graphs.settings import SETTINGS, Labels, Settings, contradictions

STANCE_INCORRECT, STRUCT_INCORRECT, STRUCT_CORRECT = (
    "stance_incorrect", "struct_incorrect", "struct_correct",
)


@dataclass(frozen=True)
class Gold:
    """One item as in the file: texts, label (None if the board has none), gold graphs."""

    texts: tuple[str, ...]
    label: str | None
    graphs: tuple[str, ...]


@dataclass(frozen=True)
class Prediction:
    """What a system says about one item."""

    label: str | None
    graph: str


# ---- reading -------------------------------------------------------------------------------


def input_columns(settings: Settings) -> Sequence[str]:
    """The texts."""
    return [text.name for text in settings.texts]


def gold_columns(settings: Settings) -> tuple[Sequence[str], int]:
    """Texts, the label if there is one, a graph, and perhaps a second graph."""
    label = [settings.labels.name] if settings.labels else []
    return [*input_columns(settings), *label, "graph", "second graph"], 1


def prediction_columns(settings: Settings) -> Sequence[str]:
    """The label if there is one, and a graph."""
    return [settings.labels.name, "graph"] if settings.labels else ["graph"]


def read_gold(settings: Settings, row: Row, problems: Problems) -> Gold | None:
    """An item; its gold graphs must be edges of three parts each."""
    width = len(settings.texts)
    label = row.fields[width] if settings.labels else None
    first = width + (1 if settings.labels else 0)
    before = problems.total
    if settings.labels:
        _check_label(settings.labels, row, width, problems)
    for index in range(first, len(row.fields)):
        odd = [piece for piece in notation.pieces(row.fields[index]) if len(piece) != 3]
        if odd:
            problems.add(row.line, row.column(index), "TSV-GOLD",
                         f"a gold edge of {len(odd[0])} parts", "(concept; relation; concept)")
    if problems.total > before:
        return None
    return Gold(row.fields[:width], label, row.fields[first:])


def read_prediction(settings: Settings, row: Row, problems: Problems) -> Prediction | None:
    """A prediction; a wrong label is a fault, nothing the graph says is."""
    if settings.labels is None:
        return Prediction(None, row.fields[0])
    if not _check_label(settings.labels, row, 0, problems):
        return None
    return Prediction(row.fields[0], row.fields[1])


def listed(labels: Labels) -> str:
    """The labels as a message lists them.

    >>> listed(Labels("stance", ("support", "counter")))
    "'support' or 'counter'"
    """
    return " or ".join(map(repr, labels.values))


def _check_label(labels: Labels, row: Row, index: int, problems: Problems) -> bool:
    value = row.fields[index]
    if value in labels.values:
        return True
    near = [label for label in labels.values if label == value.strip().lower()]
    problems.say(row.line, row.column(index), "TSV-LABEL", "near" if near else "",
                 name=labels.name, value=excerpt(value), labels=listed(labels),
                 near=repr(near[0]) if near else "")
    return False


def first_golds(gold: Gold, most: int) -> Gold:
    """The item with its first gold graphs alone."""
    return replace(gold, graphs=gold.graphs[:most])


def write_prediction(settings: Settings, prediction: Prediction) -> Sequence[str]:
    """The columns of a predicted row."""
    label = [prediction.label or ""] if settings.labels else []
    return [*label, prediction.graph]


# ---- gates ---------------------------------------------------------------------------------


def judge(settings: Settings, gold: Gold, prediction: Prediction) -> Verdict:
    """The annotation of one item, every broken constraint, and the strict diagnostics."""
    broken, strict = findings(settings, gold.texts, prediction.graph)
    if prediction.label != gold.label:
        return Verdict(STANCE_INCORRECT, broken, strict)
    return Verdict(STRUCT_INCORRECT if broken else STRUCT_CORRECT, broken, strict)


def diagnose(
    settings: Settings, texts: Sequence[str], prediction: Prediction
) -> tuple[Sequence[Finding], Sequence[Finding]]:
    """Broken constraints and strict diagnostics of a predicted graph; needs no gold."""
    return findings(settings, texts, prediction.graph)


# ---- the null ------------------------------------------------------------------------------


def null(settings: Settings, gold: Gold, prediction: Prediction) -> Prediction:
    """The stance-matched null: the same label, and a chain of the texts' first words.

    Words of the lower-cased texts, split at white space, ``.`` and ``,`` stripped, kept if longer
    than 2 characters. Concepts: the distinct ones, in order, of the first two words of each text,
    then the third of each; if fewer than 4, the first distinct of all words.
    """
    texts = [_content_words(text.lower()) for text in gold.texts]
    leading = [word for words in texts for word in words[:2]]
    leading += [word for words in texts for word in words[2:3]]
    chain = list(dict.fromkeys(leading))[: settings.null.most]
    if len(chain) < 4:
        every = (word for words in texts for word in words)
        chain = list(dict.fromkeys(every))[: settings.null.most]
    relation = settings.null.relation
    edges = [Edge(a, relation, b) for a, b in pairwise(chain)]
    return Prediction(prediction.label, notation.format_graph(edges))


def _content_words(text: str) -> list[str]:
    words = (word.strip(".,") for word in text.split())
    return [word for word in words if len(word) > 2]


def cluster(settings: Settings, gold: Gold) -> str:
    """The belief, lower-cased: its items share most of what makes a graph hard to find."""
    return gold.texts[0].lower()


# ---- what integrity flags compare ------------------------------------------------------------


def content(settings: Settings, prediction: Prediction) -> Content:
    """The label, and the readable edges and concepts of the lower-cased graph."""
    return _content(prediction.label, prediction.graph)


def gold_contents(settings: Settings, gold: Gold) -> tuple[Content, ...]:
    """The same of each gold graph."""
    return tuple(_content(gold.label, graph) for graph in gold.graphs)


def _content(label: str | None, graph: str) -> Content:
    edges = tuple(notation.read_edges(graph.lower()))
    return Content(label, edges, tuple(notation.concepts(edges)))


# ---- what the metrics see ------------------------------------------------------------------


def _labels(settings: Settings, gold: Gold, prediction: Prediction) -> tuple[Any, Any]:
    return gold.label, prediction.label


def _nothing(settings: Settings, gold: Gold, prediction: Prediction) -> tuple[()]:
    return ()


def _edges(settings: Settings, gold: Gold, prediction: Prediction) -> tuple[Any, ...]:
    """Predicted edges, and the edges of each gold graph, as GED reads them."""
    return (
        tuple(notation.read_edges(prediction.graph.lower())),
        tuple(tuple(notation.read_edges(graph.lower())) for graph in gold.graphs),
    )


def _belief_and_graph(settings: Settings, gold: Gold, prediction: Prediction) -> tuple[Any, ...]:
    """The first text, the predicted edges and the gold label, as the SeCA judge needs them."""
    return gold.texts[0], tuple(notation.read_edges(prediction.graph.lower())), gold.label


def _texts_and_graph(settings: Settings, gold: Gold, prediction: Prediction) -> tuple[Any, ...]:
    """Both texts, the predicted edges and the gold label, as the EA judge needs them."""
    edges = tuple(notation.read_edges(prediction.graph.lower()))
    return gold.texts[0], gold.texts[-1], edges, gold.label


def _sentences(settings: Settings, gold: Gold, prediction: Prediction) -> tuple[Any, ...]:
    """Predicted edge sentences, and those of each gold graph, as the matching metrics read them."""
    return (
        tuple(notation.edge_sentences(prediction.graph.lower())),
        tuple(tuple(notation.edge_sentences(graph.lower())) for graph in gold.graphs),
    )


def _ged_options(settings: Settings) -> Mapping[str, Any]:
    return {"constant": settings.ged_constant}


def _matched(metric: str) -> MetricUse:
    return MetricUse(metric, _sentences, gate=STRUCT_CORRECT)


TASK = Task(
    name="explanation_graphs",
    title="Explanation graphs",
    settings=SETTINGS,
    contradictions=contradictions,
    annotations=(STANCE_INCORRECT, STRUCT_INCORRECT, STRUCT_CORRECT),
    input_columns=input_columns,
    gold_columns=gold_columns,
    prediction_columns=prediction_columns,
    read_gold=read_gold,
    golds=lambda gold: len(gold.graphs),
    first_golds=first_golds,
    read_prediction=read_prediction,
    judge=judge,
    diagnose=diagnose,
    write_prediction=write_prediction,
    null=null,
    cluster=cluster,
    constrained="graph",
    gate_metric="StCA",
    needs_inputs="concepts in the texts",
    metrics=(
        MetricUse("SA", _labels, label_only=True),
        MetricUse("StCA", _nothing, gate=STRUCT_CORRECT),
        MetricUse("SeCA", _belief_and_graph, gate=STRUCT_CORRECT),
        _matched("G-BLEU"),
        _matched("G-ROUGE-2"),
        _matched("G-ROUGE-L"),
        _matched("G-BERTScore"),
        _matched("G-BERTScore[minilm-l6]"),
        MetricUse("GED", _edges, gate=STRUCT_CORRECT, otherwise=1.0, options=_ged_options),
        MetricUse("EA", _texts_and_graph, gate=STRUCT_CORRECT),
    ),
    content=content,
    gold_contents=gold_contents,
    fitted=fitted,
)
