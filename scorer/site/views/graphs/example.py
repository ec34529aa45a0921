"""One example as a page shows it: the gold graph, and what each system made of it; and in words,
edges beside those of gold, constraints, and concepts marked in the input texts. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from scorer.core.errors import counted
from scorer.core.graph import Graph, concepts, depth, is_linear
from scorer.core.records import Edge
from scorer.core.rules import lookup, text_rule
from scorer.metrics.catalogue import METRICS
from scorer.site.records import Entry
from scorer.site.render import trusted
from scorer.site.text import shown
from scorer.site.views.base import ShownExample
from scorer.site.views.graphs import svg
from scorer.site.views.graphs.geometry import Box, Layout
from scorer.site.views.graphs.layout import MOST_EDGES, lay_out, lay_over
from scorer.tasks.graphs.baselines import BASELINES
from scorer.tasks.graphs.diff import Diff, Status, closest, diff
from scorer.tasks.graphs.facts import BETWEEN, id_places, node_texts, places
from scorer.tasks.graphs.graph_items import BY_ID, Gold, Prediction, Settings

MOST_UNREADABLE = 5
"""Edges without three parts that a card shows."""


@lru_cache(maxsize=1024)
def sentence(edge: Edge) -> Markup:
    """An edge in words, escaped. Remembered: cards of an example have many of its edges."""
    source, relation, target = (
        escape(shown(part, limit) or "(empty)")
        for part, limit in zip(edge, (200, 60, 200), strict=True))
    return trusted(f"<bdi>{source}</bdi> <em>{relation}</em> <bdi>{target}</bdi>")


def predicted_lines(gold: Sequence[Edge], edges: Sequence[Edge], changes: Diff,
                    bad: Collection[int]) -> Iterator[tuple[Markup, Status, str, bool]]:
    """The edges of a prediction in words, their status, the edges of gold that they change or
    reverse, and whether they are at fault; ``bad`` are, by position."""
    for index, (edge, mark) in enumerate(zip(edges, changes.marks, strict=True)):
        other = gold[mark.gold] if mark.gold is not None and mark.status != "kept" else ()
        yield sentence(edge), mark.status, " ".join(other), index in bad


def shape(edges: Sequence[Edge]) -> str:
    """Depth, which a graph with a cycle does not have, and whether a graph is one chain."""
    longest = depth(edges)
    chain = "one chain" if is_linear(edges) else "not one chain"
    return chain if longest is None else f"depth {longest}, {chain}"


def graph_card(graph: Graph, layout: Layout, kinds: Mapping[str, str], name: str,
               negated: Collection[str], texts: Mapping[str, str]) -> Mapping[str, Any]:
    """A graph as drawing, sentences and string, with the texts of concepts that are ids."""
    edges = graph.edges
    size = f"{counted(len(edges), 'edge')}, {counted(len(graph.concepts), 'concept')}"
    drawing = svg.render(layout, edges, kinds, f"{name}: {size}", negated=negated, texts=texts)
    return {"drawing": trusted(drawing), "tall": layout.tall, "edges": [*map(sentence, edges)],
            "text": graph.text, "facts": shape(edges), "nodes": texts}


# ---- constraints ---------------------------------------------------------------------------------


def constraints(settings: Settings) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What a graph of a board must be, and the rules that say when it is not, in their order."""
    rules = settings.graph
    yield f"{rules.least_edges} edges or more", ("EG-FEW-FACTS",)
    if rules.most_edges is not None:
        yield f"{rules.most_edges} edges or fewer", ("EG-MANY-FACTS",)
    yield "edges of three parts", ("EG-PARTS", "EG-EMPTY")
    yield "known relations", ("EG-REL",)
    if rules.concept_words is not None:
        yield f"concepts of {rules.concept_words} words or fewer", ("EG-LONG",)
    if rules.connected:
        yield "connected", ("EG-DISCONNECTED",)
    if rules.acyclic:
        yield "no cycle", ("EG-CYCLE", "EG-SELF")
    for text in settings.texts:
        if text.concepts:
            yield f"{text.concepts} concepts of the {text.name}", (text_rule(text.name),)


# ---- input texts ---------------------------------------------------------------------------------


class MarkedText(NamedTuple):
    """One input text of an item."""

    name: str
    marked: Markup
    others: tuple[Markup, ...] = ()
    """Of a text that lists ids: the entries that the graph does not connect."""


def marked_entries(name: str, text: str, kinds: Mapping[str, str]) -> MarkedText:
    """An input text of a board whose concepts are ids: a list of ids has each that the graph
    connects on a line of its own, and the others apart.

    >>> marked_entries("given", "s1: Cats rest | s2: Dogs bark", {"s2": "k0"})
    MarkedText(name='given', marked=Markup('<mark class="k0">s2</mark>: Dogs bark'),\
 others=(Markup('s1: Cats rest'),))
    """
    if BETWEEN not in text:
        return MarkedText(name, marked_text(text, {}))
    used: list[Markup] = []
    others: list[Markup] = []
    for entry in text.split(BETWEEN):
        own, between, explanation = entry.partition(": ")
        line = marked_text(own, kinds) + between + marked_text(explanation, {})
        (used if own.lower() in kinds else others).append(line)
    return MarkedText(name, Markup("<br>").join(used), tuple(others))


def marked_text(text: str, kinds: Mapping[str, str]) -> Markup:
    """An input text with the gold concepts in it marked; everything in it is escaped.

    >>> marked_text("Cats & dogs", {"cats": "k0", "birds": "kx"})
    Markup('<mark class="k0">Cats</mark> &amp; dogs')
    """
    lowered = text.lower()
    if len(lowered) != len(text):
        return escape(shown(text))
    owner: list[str | None] = [None] * len(text)  # the class of every character
    for concept in sorted((c for c in kinds if c), key=lambda c: (-len(c), c)):
        start = lowered.find(concept)
        while start >= 0:
            end = start + len(concept)
            if not any(owner[start:end]) and not (
                    _joined(lowered, start) or _joined(lowered, end)):
                owner[start:end] = [kinds[concept]] * len(concept)
            start = lowered.find(concept, end)
    parts, start = [], 0
    for name, run in groupby(owner):
        end = start + sum(1 for _ in run)
        part = escape(shown(text[start:end]))
        parts.append(f'<mark class="{name}">{part}</mark>' if name else part)
        start = end
    return trusted("".join(parts))


def _joined(text: str, at: int) -> bool:
    """Whether a place in a text is inside a word."""
    return text[at - 1 : at].isalnum() and text[at : at + 1].isalnum()


# ---- an item -------------------------------------------------------------------------------------


class GraphExample(ShownExample):
    """One item of a split: everything the drawings of its page share."""

    def __init__(self, settings: Settings, gold: Gold, row: int) -> None:
        super().__init__(settings, gold, row)
        self.by_id = settings.graph.nodes == BY_ID
        self.texts = dict(zip((text.name for text in settings.texts), gold.texts, strict=True))
        self.golds = [graph.edges for graph in gold.graphs]
        self.kinds: dict[str, str] = {}
        self.places: dict[str, Box] = {}
        """Where concepts stand that gold does not have, in every drawing made so far."""
        first = lay_out(self.golds[0])
        self.layouts = [first]
        """Of each gold graph: over the first, by itself if that has less than half its concepts."""
        for edges in self.golds[1:]:
            shared = [name in first.boxes for name in concepts(edges)]
            alike = 2 * sum(shared) >= max(1, len(shared))
            self.layouts.append(lay_over(first, edges) if alike else lay_out(edges))

    def kinds_of(self, names: Iterable[str]) -> dict[str, str]:
        """The class of each concept; remembered, because gold concepts come back."""
        for name in names:
            if name not in self.kinds:
                self.kinds[name] = svg.kind(id_places(name, self.texts) if self.by_id
                                            else places(name, self.gold.texts))
        return self.kinds

    def context(self) -> Mapping[str, Any]:
        """The gold graphs, and the input texts with the first one's concepts marked."""
        names = concepts(self.golds[0])
        kinds = {name: self.kinds_of(names)[name] for name in names}
        texts = [marked_entries(name, text, kinds) if self.by_id
                 else MarkedText(name, marked_text(text, kinds))
                 for name, text in self.texts.items()]
        labels = self.settings.labels
        return {"golds": [self.gold_card(i) for i in range(len(self.golds))], "texts": texts,
                "label": self.gold.label, "label_name": labels.name if labels else "label"}

    def gold_card(self, number: int) -> Mapping[str, Any]:
        """A gold graph as ``graph_card`` has it; numbers count from 0."""
        graph = self.gold.graphs[number]
        which = "Gold graph" if len(self.golds) == 1 else f"Gold graph {number + 1}"
        return graph_card(graph, self.layouts[number], self.kinds_of(graph.concepts), which,
                          self.settings.graph.negated, node_texts(graph, self.texts))

    def card(self, entry: Entry) -> Mapping[str, Any]:
        """Its graph beside the gold graph that it is compared with: drawn, in words, judged."""
        prediction: Prediction = entry.predictions[self.row - 1]
        item = entry.result.items[self.row - 1]
        parts = prediction.graph.pieces
        numbered = [(i, part) for i, part in enumerate(parts) if isinstance(part, Edge)]
        drawn = numbered[:MOST_EDGES]
        edges = [edge for _, edge in drawn]
        scored = self._scored_by(entry)
        best = scored[closest([self.golds[i] for i in scored], edges)]
        gold, base = self.golds[best], self.layouts[best]
        changes = diff(gold, edges)
        at_fault = {i for finding in item.verdict.broken for i in finding.edges}
        bad = {index for index, (i, _) in enumerate(drawn) if i in at_fault}
        culprits = {concept for finding in item.verdict.broken
                    if lookup(finding.rule).id != "EG-TEXT-CONCEPTS"  # too few are from the text
                    for concept in finding.concepts}
        apart = base.boxes.keys().isdisjoint(concepts(edges))
        if apart:
            layout = lay_out(edges)
        else:  # what it adds stands where it stood before
            layout = lay_over(base, edges, self.places)
            self.places = {**layout.boxes, **self.places}
        title = (f"Graph of {entry.title}: {counted(len(edges), 'edge')}, {changes.count('kept')} "
                 f"as in gold, {changes.count('missing')} of gold missing")
        texts = node_texts(prediction.graph, self.texts)
        drawing = svg.render(
            layout, edges, self.kinds_of(concepts([*gold, *edges])), title,
            statuses=[mark.status for mark in changes.marks], bad_edges=bad,
            bad_concepts=culprits, negated=self.settings.graph.negated,
            texts=texts,
            ghosts=[] if apart else [(gold[i], base.routes[i]) for i in changes.missing])
        word = "the closest one" if len(self.golds) > 2 else "the closer one"
        broken = {finding.rule for finding in item.verdict.broken}
        return {
            "entry": entry, "prediction": prediction, "item": item,
            "label_right": prediction.label == self.gold.label,
            "drawing": trusted(drawing), "tall": layout.tall,
            "edges": [*predicted_lines(gold, edges, changes, bad)],
            "missing": [sentence(gold[i]) for i in changes.missing],
            "unreadable": [(i, "; ".join(part)) for i, part in enumerate(parts, start=1)
                           if len(part) != 3][:MOST_UNREADABLE],
            "apart": apart and bool(edges), "undrawn": len(numbered) - len(drawn),
            "compared": f"gold graph {best + 1}, {word}" if len(self.golds) > 1 else "",
            "constraints": tuple((words, broken.isdisjoint(rules))
                                 for words, rules in constraints(self.settings)),
            "nodes": texts,
            "scores": [(metric, item.scores[metric]) for metric in entry.result.metrics
                       if metric in item.scores and METRICS[metric].graded]}

    def _scored_by(self, entry: Entry) -> list[int]:
        """The places of the gold graphs that an entry is scored by; a row of gold has not all."""
        row = BASELINES.get(entry.key.rpartition("/")[2]) if entry.kind == "reference" else None
        left = row.against.gold(self.gold) if row and row.against else None
        every = range(len(self.golds))
        if left is None:
            return [*every]
        return [i for i in every if any(self.gold.graphs[i] is graph for graph in left.graphs)]
