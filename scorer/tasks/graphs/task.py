"""The task: for some texts, give a label and a graph of commonsense facts that explains it.

Gates, in order: the label must equal gold (``stance_incorrect``), then the graph must satisfy the
board's constraints (``struct_incorrect``), else ``struct_correct``. They equal
``metrics/eval.py`` of github swarnaHub/ExplaGraphs at commit 67ecab1, which stops at the first
broken constraint while every one is named here. Where the paper is stricter than that code (at
most 8 edges, no repeats, whole words), the code is followed for the score and the paper is
reported as *strict findings*. Every number of a benchmark comes from its board.yaml
(``graph_items.py``); the constraints stand in ``constraints.py``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from scorer.core.errors import Problem, counted, excerpt
from scorer.core.graph import EDGE_SEPARATOR, Graph
from scorer.core.reading.tsv import Problems, Row, note
from scorer.core.records import BEST, FIRST, Edge, Finding, Findings
from scorer.core.rules import lookup
from scorer.tasks.answers import CODE, LINES, NO_ANSWER, AnswerColumn, Answered, read
from scorer.tasks.base import Answer, Content, MetricUse, Misfit
from scorer.tasks.graphs import answers
from scorer.tasks.graphs.baselines import BASELINES, null_fault, null_of
from scorer.tasks.graphs.constraints import findings
from scorer.tasks.graphs.facts import partitions
from scorer.tasks.graphs.graph_items import (
    Gold,
    InputText,
    Labels,
    Prediction,
    Settings,
    fitted,
    folded,
)
from scorer.tasks.labelled import LabelTask, both_labels
from scorer.tasks.partitions import Partition

STANCE_INCORRECT, STRUCT_INCORRECT, STRUCT_CORRECT = (
    "stance_incorrect", "struct_incorrect", "struct_correct",
)
NEED_LABELS = ("SA", "SeCA", "EA")
"""The metrics that mean nothing without labels."""
NOTATION = ("EG-PARTS", "EG-SYNTAX")
"""Rules that are reported before others where nearly all graphs break them: the rest follows."""
FEWEST_GRAPHS = 5
"""Graphs from which on a rule that nearly all break is reported as one fault of the file."""

Edges = tuple[Edge, ...]
Sentences = tuple[str, ...]


def listed(labels: Labels) -> str:
    """The labels as a message lists them.

    >>> listed(Labels("stance", ("support", "counter")))
    "'support' or 'counter'"
    """
    return " or ".join(map(repr, labels.values))


def check_label(labels: Labels, row: Row, index: int, problems: Problems, name: str = "") -> bool:
    """Whether a field is one of the labels; the fault is recorded, under the column's ``name``."""
    value = row.fields[index]
    if value in labels.values:
        return True
    near = [label for label in labels.values if label == value.strip().lower()]
    problems.say(row.line, row.column(index), "TSV-LABEL", "near" if near else "",
                 name=name or labels.name, value=excerpt(value), labels=listed(labels),
                 near=repr(near[0]) if near else "")
    return False


def check_gold_graph(graph: Graph, row: Row, index: int, problems: Problems) -> bool:
    """Whether every edge of a gold graph has three parts; records the first fault."""
    odd = [piece for piece in graph.pieces if len(piece) != 3]
    if odd:
        problems.add(row.line, row.column(index), "TSV-GOLD",
                     f"a gold edge of {counted(len(odd[0]), 'part')}",
                     "(concept; relation; concept)")
    return not odd


def label_misfits(labels: Labels) -> list[Misfit]:
    """A label that means no answer."""
    return [Misfit(f"the label {NO_ANSWER}", "another, for it means no answer", "rename the label")
            ] if NO_ANSWER in labels.values else []


def relation_misfits(relations: Sequence[str]) -> list[Misfit]:
    """Relations with upper-case letters."""
    return [Misfit(f"relation {excerpt(relation)}", "lower-case letters", "graphs are lower-cased")
            for relation in relations if relation != relation.lower()]


def _common_fault(shown: str, answers: Sequence[Answer[Prediction]]) -> Iterator[Problem]:
    """The rule that more than 90 % of the graphs break, where there is one."""
    answers = [answer for answer in answers if answer.row.fields[-1] != NO_ANSWER]
    flaws = [(*answer.found.broken, *(finding for finding in answer.found.strict
                                      if finding.rule == "EG-SYNTAX")) for answer in answers]
    counts = Counter(rule for graph in flaws for rule in {finding.rule for finding in graph})
    firsts = Counter(answer.found.broken[0].rule for answer in answers if answer.found.broken)
    common = [rule for rule, count in counts.items() if count * 10 > len(answers) * 9]
    if not common or len(answers) < FEWEST_GRAPHS:
        return
    rule = min(common, key=lambda name: (
        name not in NOTATION, -firsts[name], -counts[name], name))
    row, detail = next((answer.row, finding.detail)
                       for answer, graph in zip(answers, flaws, strict=True)
                       for finding in graph if finding.rule == rule)
    yield note(shown, row.line, "EG-SLIP", row.column(len(row.fields) - 1), "rule", rule=rule,
               count=counts[rule], graphs=counted(len(answers), "graph"),
               detail=detail.removesuffix("."), advice=lookup(rule).advice)


# ---- what the metrics see ------------------------------------------------------------------


def _edges(gold: Gold, prediction: Prediction) -> tuple[Edges, tuple[Edges, ...]]:
    """Predicted edges, and the edges of each gold graph, lower-cased."""
    return prediction.graph.edges, tuple(graph.edges for graph in gold.graphs)


def _sentences(gold: Gold, prediction: Prediction) -> tuple[Sentences, tuple[Sentences, ...]]:
    """Predicted edge sentences, and those of each gold graph, as the matching metrics read them."""
    return prediction.graph.sentences, tuple(graph.sentences for graph in gold.graphs)


_LEAVES = (("leaves", "leaves"),)


class ExplanationGraphs(LabelTask[Settings, Gold, Prediction]):
    """A label, and a graph that explains it."""

    name = "explanation_graphs"
    title = "Explanation graphs"
    settings_type = Settings
    annotations = (STANCE_INCORRECT, STRUCT_INCORRECT, STRUCT_CORRECT)
    meanings = MappingProxyType({
        STANCE_INCORRECT: "the label is not gold's",
        STRUCT_INCORRECT: "the label is right, the graph breaks a rule",
        STRUCT_CORRECT: "the label is right and the graph keeps every rule",
    })
    baselines = BASELINES
    constrained = "graph"
    needs_inputs = "concepts in the texts"
    gate_metric = "StCA"
    golds = "graphs"
    units = "edges"
    null_words = "a meaningless graph"
    answer_forms = (LINES, CODE)
    gold_words = MappingProxyType({
        "gold_label": lambda gold: gold.label or "",
        "gold_graph": lambda gold: gold.graphs[0].text,
        "gold_code": answers.as_code,
    })
    metrics = (
        MetricUse("SA", both_labels, over=(), label_only=True),
        MetricUse("StCA", lambda gold, prediction: (), gate=STRUCT_CORRECT, over=()),
        # The judges read the first text, or the first and the last, the edges and the gold label.
        MetricUse("SeCA", lambda gold, prediction: (
            gold.texts[0], prediction.graph.edges, gold.label), gate=STRUCT_CORRECT, over=()),
        *(MetricUse(name, _sentences, gate=STRUCT_CORRECT)
          for name in ("G-BLEU", "G-ROUGE-2", "G-ROUGE-L", "G-BERTScore",
                       "G-BERTScore[minilm-l6]")),
        MetricUse("GED", _edges, gate=STRUCT_CORRECT, otherwise=1.0,
                  arguments=(("constant", "ged_constant"),)),
        MetricUse("EA", lambda gold, prediction: (
            gold.texts[0], gold.texts[-1], prediction.graph.edges, gold.label),
            gate=STRUCT_CORRECT, over=()),
        *(MetricUse(name, _edges, gate=STRUCT_CORRECT) for name in ("R4C-E", "R4C-R", "R4C-ER")),
        *(MetricUse(name, _edges, arguments=_LEAVES)
          for name in ("Leaves-F1", "Steps-F1", "Intermediates-F1")),
        # A mean over golds would be neither 0 nor 1.
        *(MetricUse(name, _edges, arguments=_LEAVES, over=(BEST, FIRST))
          for name in ("Leaves-AC", "Steps-AC", "Intermediates-AC", "Overall-AC")),
    )

    # ---- files --------------------------------------------------------------------------------

    @property
    def label_column(self) -> str:
        return self.settings.labels.name if self.settings.labels else ""

    @property
    def labels(self) -> Sequence[str]:
        return self.settings.labels.values if self.settings.labels else ()

    @property
    def input_columns(self) -> Sequence[str]:
        return [text.name for text in self.settings.texts]

    @property
    def gold_columns(self) -> tuple[Sequence[str], int]:
        """Texts, the label if there is one, a graph, and perhaps further graphs."""
        further = ["second graph", *(f"graph {number}" for number in range(3, 101))]
        further = further[: self.settings.most_graphs - 1]
        return [*self.input_columns, *self.prediction_columns, *further], len(further)

    @property
    def prediction_columns(self) -> Sequence[str]:
        return [*super().prediction_columns, answers.GRAPH]

    def read_gold(self, row: Row, problems: Problems) -> Gold | None:
        """An item; its gold graphs must be edges of three parts each."""
        width, before, label = len(self.settings.texts), problems.total, None
        first = width + bool(self.settings.labels)
        if self.settings.labels:
            label = row.fields[width]
            check_label(self.settings.labels, row, width, problems)
        graphs = tuple(map(self.settings.graph.read, row.fields[first:]))
        for index, graph in enumerate(graphs, start=first):
            check_gold_graph(graph, row, index, problems)
        if problems.total > before:
            return None
        return Gold(row.fields[:width], label, graphs)

    def read_prediction(self, row: Row, problems: Problems) -> Prediction | None:
        """A prediction; a wrong label is a fault, nothing the graph says is.

        A label may be NO_ANSWER, which equals no gold label.
        """
        if self.settings.labels is None:
            return Prediction(None, self.settings.graph.read(row.fields[0]))
        if row.fields[0] != NO_ANSWER and not check_label(self.settings.labels, row, 0, problems):
            return None
        return Prediction(row.fields[0], self.settings.graph.read(row.fields[1]))

    def write_prediction(self, prediction: Prediction) -> Sequence[str]:
        return [*super().write_prediction(prediction), prediction.graph.text]

    # ---- models that answer in words -----------------------------------------------------------

    @property
    def answer_columns(self) -> Sequence[AnswerColumn]:
        return [*super().answer_columns, answers.GRAPH_COLUMN]

    def read_answer(self, form: str, text: str, *, cut: bool = False) -> Answered:
        """A label and a graph as two lines, or as Python code."""
        if form != CODE:
            return super().read_answer(form, text, cut=cut)
        return read(self.answer_columns, answers.assignments, text, cut=cut)

    @property
    def prompt_words(self) -> Mapping[str, str]:
        return {"label": "", "label_title": "", "labels": "", **super().prompt_words,
                **answers.words(self.settings)}

    # ---- settings -----------------------------------------------------------------------------

    def misfits(self, metrics: Sequence[str]) -> list[Misfit]:
        """Metrics without labels, and relations, ranges and the null against each other."""
        faults = [Misfit(f"metric {metric}", "labels in settings", f"add labels or remove {metric}")
                  for metric in metrics if self.settings.labels is None and metric in NEED_LABELS]
        rules = self.settings.graph
        faults += label_misfits(self.settings.labels) if self.settings.labels else []
        named = [("null", self.settings.null.relation), *(("negated", r) for r in rules.negated)]
        faults += [Misfit(f"{name} relation {excerpt(relation)}", "one of the relations",
                          "add it to relations")
                   for name, relation in named if not rules.knows(relation)]
        faults += relation_misfits(rules.relations)
        ranges = [("graph edges", rules.least_edges, rules.most_edges),
                  *((f"depth class {depth_class.name}", depth_class.least, depth_class.most)
                    for depth_class in self.settings.depth_classes)]
        faults += [Misfit(f"{name} from {least} to {most}", "the smaller number first", "swap them")
                   for name, least, most in ranges if most is not None and least > most]
        return faults

    def with_texts(self, names: Sequence[str]) -> Settings:
        """Texts that the like board has too keep their rule; of others no concept is asked."""
        known = {text.name: text for text in self.settings.texts}
        texts = tuple(known.get(name, InputText(name, 0)) for name in names)
        return replace(self.settings, texts=texts)

    def fitted(self, rows: Sequence[Sequence[str]]) -> tuple[Settings, tuple[str, ...]]:
        return fitted(self.settings, rows)

    # ---- gates and the null -------------------------------------------------------------------

    def annotation(self, gold: Gold, prediction: Prediction, flaws: Findings) -> str:
        """The first gate that stops the item, or that it passed both."""
        if prediction.label != gold.label:
            return STANCE_INCORRECT
        return STRUCT_INCORRECT if flaws.broken else STRUCT_CORRECT

    def diagnose(self, texts: Sequence[str], prediction: Prediction) -> Findings:
        """Broken constraints and strict findings of a predicted graph; needs no gold."""
        flaws = findings(self.settings, texts, prediction.graph)
        return Findings(flaws.broken,
                        (*super().diagnose(texts, prediction).strict, *flaws.strict))

    def column(self, row: Row, finding: Finding) -> int:
        """Where the first edge at fault begins, else where the graph does."""
        before = row.fields[-1][1:-1].split(EDGE_SEPARATOR)[: min(finding.edges, default=0)]
        return row.column(len(row.fields) - 1) + sum(
            len(edge) + len(EDGE_SEPARATOR) for edge in before)

    def notes(self, shown: str, answers: Sequence[Answer[Prediction]]) -> Iterator[Problem]:
        """The rows without a label, and what nearly all graphs have wrong in the same way."""
        yield from super().notes(shown, answers)
        yield from _common_fault(shown, answers)

    def edge_count(self, prediction: Prediction) -> int | None:
        """None where the string has no edge that can be read."""
        return len(prediction.graph.edges) or None

    def null(self, gold: Gold, prediction: Prediction) -> Prediction:
        """The stance-matched null: the same label, and a chain of the texts' first words."""
        return Prediction(prediction.label, null_of(self.settings, gold.texts))

    def null_fault(self, texts: Sequence[str]) -> str:
        """Where concepts are ids, the texts must list some."""
        return null_fault(self.settings, texts)

    @property
    def one_null(self) -> bool:
        """Without labels, the texts alone make it."""
        return self.settings.labels is None

    def partitions(self, golds: Sequence[Gold]) -> Iterable[Partition[Gold]]:
        return partitions(self.settings, golds)

    # ---- comparing answers --------------------------------------------------------------------

    def cluster(self, gold: Gold) -> str:
        """The folded belief: its items share most of what makes a graph hard to find."""
        return folded(gold.texts[0])

    def content(self, prediction: Prediction) -> Content:
        """The label, and the readable edges and concepts of the lower-cased graph."""
        return Content(prediction.label, prediction.graph.edges, prediction.graph.concepts)

    def gold_predictions(self, gold: Gold) -> tuple[Prediction, ...]:
        return tuple(Prediction(gold.label, graph) for graph in gold.graphs)

    def gold_lengths(self, gold: Gold) -> dict[str, list[int]]:
        return {"edges of a gold graph": [len(graph.edges) for graph in gold.graphs],
                "concepts of a gold graph": [len(graph.concepts) for graph in gold.graphs]}
