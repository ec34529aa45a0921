"""The task: for some texts, give a label and a graph of commonsense facts that explains it.

Gates, in order: the label must equal gold (``stance_incorrect``), then the graph must satisfy the
board's constraints (``struct_incorrect``), else ``struct_correct``. They equal
``metrics/eval.py`` of github swarnaHub/ExplaGraphs at commit 67ecab1, which stops at the first
broken constraint while every one is named here. Where the paper is stricter than that code (at
most 8 edges, no repeats, whole words), the code is followed for the score and the paper is
reported as *strict* diagnostics. Every number of a benchmark comes from its board.yaml.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from scorer import graph as notation
from scorer.errors import counted, excerpt
from scorer.fields import Field, Flag, Integer, ListOf, Record, Text, slug
from scorer.records import Edge, Finding, Verdict
from scorer.rules import text_rule
from scorer.tasks.base import MetricUse, Task
from scorer.tsv import Problems, Row


@dataclass(frozen=True)
class InputText:
    """One input column, and how many different concepts must occur in it."""

    name: str
    concepts: int


@dataclass(frozen=True)
class Labels:
    """The label column: its name and its values."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class GraphRules:
    """What a graph must be to be structurally correct."""

    relations: tuple[str, ...]
    negated: tuple[str, ...]
    least_edges: int
    most_edges: int | None
    strict_most_edges: int | None
    concept_words: int | None
    acyclic: bool
    connected: bool


@dataclass(frozen=True)
class DepthClass:
    """A named range of reasoning depths, both ends included; no upper end if ``most`` is None."""

    name: str
    least: int
    most: int | None


@dataclass(frozen=True)
class NullTemplate:
    """The chain of words that says nothing: its relation and its greatest number of concepts."""

    relation: str
    most: int


@dataclass(frozen=True)
class Settings:
    """What a board says about this task."""

    texts: tuple[InputText, ...]
    labels: Labels | None
    graph: GraphRules
    ged_constant: int
    depth_classes: tuple[DepthClass, ...]
    null: NullTemplate


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


_WORDS = Text(60)
_COLUMN = Text(30, r"[a-z][a-z0-9_]*", "a lower-case name")
SETTINGS = Record((
    Field("texts", ListOf(Record((
        Field("name", _COLUMN, "The column's name."),
        Field("concepts", Integer(0, 20), "How many different concepts of a graph must occur in "
              "this text (as a substring, lower-cased)."),
    ), InputText), 1, 5), "The input columns, in the order of the files."),
    Field("labels", Record((
        Field("name", _COLUMN, "The label column's name."),
        Field("values", ListOf(Text(40), 2, 20), "The labels, exactly as written in files."),
    ), Labels), "The label to predict. Leave out if items have none.", required=False),
    Field("graph", Record((
        Field("relations", ListOf(_WORDS, 1, 500), "The relations an edge may have."),
        Field("negated", ListOf(_WORDS, 0, 500), "Those relations that negate; marked in "
              "drawings.", required=False, default=()),
        Field("least_edges", Integer(1, 100), "Fewest edges of a correct graph."),
        Field("most_edges", Integer(1, 1000), "Most edges of a correct graph. Leave out for no "
              "limit.", required=False),
        Field("strict_most_edges", Integer(1, 1000), "More edges than this are reported beside "
              "the score and never change it.", required=False),
        Field("concept_words", Integer(1, 100), "Most words of a concept. Leave out for no "
              "limit.", required=False),
        Field("acyclic", Flag(), "Whether a cycle makes a graph incorrect."),
        Field("connected", Flag(), "Whether a graph in several parts is incorrect."),
    ), GraphRules), "What makes a graph structurally correct."),
    Field("ged_constant", Integer(0, 10**6), "Added to gold nodes + gold edges to normalise the "
          "graph edit distance."),
    Field("depth_classes", ListOf(Record((
        Field("name", slug(), "The class's name."),
        Field("least", Integer(0, 1000), "Smallest depth, in edges of the longest path."),
        Field("most", Integer(0, 1000), "Greatest depth. Leave out for no limit.",
              required=False),
    ), DepthClass), 0, 10), "Named ranges of the reasoning depth.", required=False, default=()),
    Field("null", Record((
        Field("relation", _WORDS, "The relation of every edge."),
        Field("most", Integer(2, 20), "Most concepts of the chain."),
    ), NullTemplate), "The null graph: a chain of the first words of the texts."),
), Settings)

def contradictions(
    settings: Settings, metrics: Sequence[str]
) -> list[tuple[str, str, str]]:
    """Settings that are each allowed but do not fit together."""
    found = []
    for metric in metrics:
        if settings.labels is None and metric in ("SA", "SeCA", "EA"):
            found.append((f"metric {metric}", "labels in settings",
                          f"add labels or remove {metric}"))
    rules = settings.graph
    named = [("null", settings.null.relation), *(("negated", r) for r in rules.negated)]
    for name, relation in named:
        if relation not in rules.relations:
            found.append((f"{name} relation {excerpt(relation)}", "one of the relations",
                          "add it to relations"))
    found += [(f"relation {excerpt(relation)}", "lower-case letters", "graphs are lower-cased")
              for relation in rules.relations if relation != relation.lower()]
    ranges = [("graph edges", rules.least_edges, rules.most_edges),
              *((f"depth class {c.name}", c.least, c.most) for c in settings.depth_classes)]
    found += [(f"{name} from {least} to {most}", "the smaller number first", "swap them")
              for name, least, most in ranges if most is not None and least > most]
    return found


STANCE_INCORRECT, STRUCT_INCORRECT, STRUCT_CORRECT = (
    "stance_incorrect", "struct_incorrect", "struct_correct",
)


MOST_OF_A_RULE = 20
"""Findings of one rule kept for one graph; a hostile graph may break a rule thousands of times."""

MOST_CULPRITS = 40
"""Edges and concepts named by one finding."""


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


def _check_label(labels: Labels, row: Row, index: int, problems: Problems) -> bool:
    value = row.fields[index]
    if value in labels.values:
        return True
    near = [label for label in labels.values if label == value.strip().lower()]
    advice = f"write {near[0]!r}, exactly" if near else None
    problems.add(row.line, row.column(index), "TSV-LABEL", f"{labels.name} {excerpt(value)}",
                 " or ".join(map(repr, labels.values)), advice)
    return False


# ---- gates ---------------------------------------------------------------------------------


def judge(settings: Settings, gold: Gold, prediction: Prediction) -> Verdict:
    """The annotation of one item, every broken constraint, and the strict diagnostics."""
    broken, strict = diagnose(settings, gold.texts, prediction)
    if prediction.label != gold.label:
        return Verdict(STANCE_INCORRECT, broken, strict)
    return Verdict(STRUCT_INCORRECT if broken else STRUCT_CORRECT, broken, strict)


def diagnose(
    settings: Settings, texts: Sequence[str], prediction: Prediction
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Broken constraints and strict diagnostics of a predicted graph; needs no gold.

    Without ``texts`` nothing is said about concepts in them. Findings come in
    this order: counts, per edge, repeats, connectedness, cycle, texts.
    """
    graph = prediction.graph.lower()
    lowered = [text.lower() for text in texts]
    parts = notation.pieces(graph)
    numbered = [(i, Edge(*part)) for i, part in enumerate(parts) if len(part) == 3]
    edges = [edge for _, edge in numbered]
    broken = [
        *_count_findings(settings.graph, parts),
        *_edge_findings(settings.graph, parts, numbered),
        *_shape_findings(settings.graph, numbered),
        *(_text_findings(settings.texts, lowered, edges) if lowered else ()),
    ]
    strict = [
        *_strict_edge_findings(settings.graph, len(parts), numbered),
        *(Finding("EG-SYNTAX", f"The string: {fault}.") for fault in _faults(prediction.graph)),
        *(_inside_findings(settings.texts, lowered, edges) if lowered else ()),
    ]
    return _capped(broken), _capped(strict)


def _capped(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """At most MOST_OF_A_RULE findings of one rule; the last says how many more there are."""
    kept: dict[str, list[Finding]] = {}
    for finding in findings:
        kept.setdefault(finding.rule, []).append(finding)
    shown = []
    for rule, found in kept.items():
        shown += found[:MOST_OF_A_RULE]
        if len(found) > MOST_OF_A_RULE:
            shown.append(Finding(rule, f"{len(found) - MOST_OF_A_RULE} more of the same."))
    return tuple(shown)


def _faults(graph: str, most: int = 5) -> list[str]:
    faults = notation.syntax_faults(graph)
    return faults[:most] + ([f"{len(faults) - most} more faults"] if len(faults) > most else [])


def _count_findings(rules: GraphRules, parts: Sequence[tuple[str, ...]]) -> Iterator[Finding]:
    if len(parts) < rules.least_edges:
        yield Finding("EG-FEW-FACTS",
                      f"The graph has {counted(len(parts), 'edge')}; at least "
                      f"{rules.least_edges} are needed.")
    if rules.most_edges is not None and len(parts) > rules.most_edges:
        yield Finding("EG-MANY-FACTS",
                      f"The graph has {len(parts)} edges; at most {rules.most_edges} may be.")


def _edge_findings(
    rules: GraphRules, parts: Sequence[tuple[str, ...]], numbered: Sequence[tuple[int, Edge]]
) -> Iterator[Finding]:
    known = set(rules.relations)
    for index, part in enumerate(parts):
        if len(part) != 3:
            yield Finding("EG-PARTS", f"Edge {index + 1} has {len(part)} parts.", (index,))
    for index, edge in numbered:
        for concept in dict.fromkeys((edge.source, edge.target)):
            words = len(concept.split(" "))
            if concept == "":
                yield Finding("EG-EMPTY", f"Edge {index + 1}: a concept is empty.", (index,))
            elif rules.concept_words is not None and words > rules.concept_words:
                yield Finding("EG-LONG", f'Edge {index + 1}: "{concept}" has {words} words; at '
                              f"most {rules.concept_words} may be.", (index,), (concept,))
        if edge.relation not in known:
            near = _nearest(edge.relation, rules.relations) if index < MOST_OF_A_RULE else ""
            yield Finding("EG-REL", f'Edge {index + 1}: "{edge.relation}" is not one of the '
                          f"relations{near or '.'}", (index,))
        if rules.acyclic and edge.source == edge.target:
            yield Finding("EG-SELF", f'Edge {index + 1} connects "{edge.source}" with itself.',
                          (index,), (edge.source,))


def _nearest(relation: str, relations: Sequence[str]) -> str:
    """The relation that was probably meant, to add to a sentence; "" if none is near."""
    near = difflib.get_close_matches(relation[:60], relations, n=1, cutoff=0.8)
    return f'; did you mean "{near[0]}"?' if near else ""


def _shape_findings(rules: GraphRules, numbered: Sequence[tuple[int, Edge]]) -> Iterator[Finding]:
    edges = [edge for _, edge in numbered]
    groups = notation.components(edges)
    if rules.connected and len(groups) > 1:
        apart = {concept for group in groups[1:] for concept in group}
        culprits = tuple(i for i, edge in numbered if edge.source in apart)
        shown = " / ".join(", ".join(group[:4]) for group in groups[:4])
        yield Finding("EG-DISCONNECTED", f"The graph falls into {len(groups)} parts: {shown}.",
                      culprits[:MOST_CULPRITS], tuple(sorted(apart))[:MOST_CULPRITS])
    cycle = notation.find_cycle(edges) if rules.acyclic else []
    if cycle:
        steps = set(pairwise(cycle))
        culprits = tuple(i for i, edge in numbered if (edge.source, edge.target) in steps)
        shown = " → ".join(cycle[:12]) + (" → ..." if len(cycle) > 12 else "")
        yield Finding("EG-CYCLE", f"The edges form a circle: {shown}.",
                      culprits[:MOST_CULPRITS], tuple(dict.fromkeys(cycle))[:MOST_CULPRITS])


def _text_findings(
    texts: Sequence[InputText], lowered: Sequence[str], edges: Sequence[Edge]
) -> Iterator[Finding]:
    concepts = notation.concepts(edges)
    for text, content in zip(texts, lowered, strict=True):
        inside = [concept for concept in concepts if concept in content]
        if len(inside) < text.concepts:
            listed = ": " + ", ".join(inside) if inside else ""
            yield Finding(text_rule(text.name), f"{counted(len(inside), 'concept')} found in the "
                          f"{text.name}; at least {text.concepts} needed{listed}.", (),
                          tuple(inside))


def _strict_edge_findings(
    rules: GraphRules, count: int, numbered: Sequence[tuple[int, Edge]]
) -> Iterator[Finding]:
    if rules.strict_most_edges is not None and count > rules.strict_most_edges:
        yield Finding("EG-MANY-FACTS", f"The graph has {count} edges; the strict reading allows "
                      f"{rules.strict_most_edges}.")
    seen: dict[Edge, int] = {}
    for index, edge in numbered:
        if edge in seen:
            yield Finding("EG-DUP", f"Edge {index + 1} repeats edge {seen[edge] + 1}.", (index,))
        seen.setdefault(edge, index)
        odd = [c for c in dict.fromkeys((edge.source, edge.target)) if re.search(r"[();\t]", c)]
        if odd:
            yield Finding("EG-CHAR", f'Edge {index + 1}: "{odd[0]}" contains a parenthesis, '
                          "semicolon or tab.", (index,), tuple(odd))


def _inside_findings(
    texts: Sequence[InputText], lowered: Sequence[str], edges: Sequence[Edge]
) -> Iterator[Finding]:
    for text, content in zip(texts, lowered, strict=True):
        for concept in notation.concepts(edges):
            if text.concepts and concept and concept in content and not _whole(concept, content):
                yield Finding("EG-W-INSIDE", f'"{concept}" occurs in the {text.name} only inside a '
                              "longer word.", (), (concept,))


def _whole(concept: str, text: str) -> bool:
    """Whether a concept occurs in a text somewhere with no letter or digit on either side."""
    place = text.find(concept)
    while place >= 0:
        around = text[max(0, place - 1) : place] + text[place + len(concept) :][:1]
        if not any(character.isalnum() or character == "_" for character in around):
            return True
        place = text.find(concept, place + 1)
    return False


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
    read_prediction=read_prediction,
    judge=judge,
    diagnose=diagnose,
    null=null,
    metrics=(
        MetricUse("SA", _labels),
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
)

