"""One example as a page shows it: the gold graph, and what each system made of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from markupsafe import Markup

from scorer.core.errors import counted
from scorer.core.graph import concepts
from scorer.core.records import Edge, Finding, ItemResult, ItemScore
from scorer.core.rules import lookup
from scorer.metrics.catalogue import METRICS
from scorer.site.records import Entry
from scorer.site.render import trusted
from scorer.site.views.base import ShownExample
from scorer.site.views.graphs import svg
from scorer.site.views.graphs.geometry import Box
from scorer.site.views.graphs.layout import MOST_EDGES, lay_out, lay_over
from scorer.site.views.graphs.lines import (
    METRIC,
    EdgeLine,
    MarkedText,
    Matcher,
    constraint_lines,
    gold_lines,
    marked_entries,
    marked_text,
    missing_lines,
    predicted_lines,
    shape,
    unreadable,
)
from scorer.tasks.graphs.baselines import BASELINES
from scorer.tasks.graphs.diff import closest, diff
from scorer.tasks.graphs.facts import id_places, node_texts, places
from scorer.tasks.graphs.graph_items import BY_ID, Gold, Prediction, Settings
from scorer.tasks.graphs.task import STRUCT_CORRECT


class GoldCard(NamedTuple):
    """A gold graph as drawing, sentences and string."""

    drawing: Markup
    tall: bool
    edges: tuple[EdgeLine, ...]
    text: str
    facts: str
    nodes: Mapping[str, str]
    """The texts of concepts that are ids."""


@dataclass(frozen=True)
class GraphCard:
    """What one system made of one item."""

    entry: Entry
    prediction: Prediction
    item: ItemResult
    label_right: bool
    drawing: Markup
    tall: bool
    """Whether the drawing is higher than what is shown at once."""
    edges: tuple[EdgeLine, ...]
    missing: tuple[EdgeLine, ...]
    unreadable: tuple[tuple[int, str], ...]
    apart: bool
    """It shares no concept with gold and is drawn by itself."""
    undrawn: int
    compared: str
    """Which gold graph it is compared with, where there are several."""
    constraints: tuple[tuple[str, bool], ...]
    """In words, and whether it is kept."""
    nodes: Mapping[str, str]
    """The texts of concepts that are ids."""

    scores: tuple[tuple[str, ItemScore], ...]
    """What grades its graph, by metric."""

    paired_by: ClassVar[str] = METRIC
    """The metric that matches edges with those of gold."""

    @property
    def broken(self) -> tuple[Finding, ...]:
        """Findings that break its structure."""
        return self.item.verdict.broken

    @property
    def stopped(self) -> bool:
        """Whether a gate stopped it, so that its scores grade nothing."""
        return self.item.verdict.annotation != STRUCT_CORRECT


class GraphExample(ShownExample[GraphCard]):
    """One item of a split: everything the drawings of its page share."""

    def __init__(self, settings: Settings, gold: Gold, row: int, matcher: Matcher | None = None,
                 ) -> None:
        super().__init__(settings, gold, row)
        self.matcher = matcher
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

    @cached_property
    def gold_cards(self) -> list[GoldCard]:
        """Every gold graph, the first one first."""
        return [self._gold_card(i) for i in range(len(self.golds))]

    def context(self) -> Mapping[str, Any]:
        """The gold graphs, and the input texts with the first one's concepts marked."""
        names = concepts(self.golds[0])
        kinds = {name: self.kinds_of(names)[name] for name in names}
        texts = [marked_entries(name, text, kinds) if self.by_id
                 else MarkedText(name, marked_text(text, kinds))
                 for name, text in self.texts.items()]
        labels = self.settings.labels
        return {"golds": self.gold_cards, "texts": texts, "label": self.gold.label,
                "label_name": labels.name if labels else "label"}

    def _gold_card(self, number: int) -> GoldCard:
        edges, layout = self.golds[number], self.layouts[number]
        names = concepts(edges)
        texts = node_texts(self.gold.graphs[number], self.texts)
        which = "Gold graph" if len(self.golds) == 1 else f"Gold graph {number + 1}"
        drawing = svg.GraphDrawing(
            layout, edges, self.kinds_of(names),
            f"{which}: {counted(len(edges), 'edge')}, {counted(len(names), 'concept')}",
            negated=self.settings.graph.negated, texts=texts)
        return GoldCard(trusted(svg.render(drawing)), layout.tall, gold_lines(edges),
                        self.gold.graphs[number].text, shape(edges), texts)

    def card(self, entry: Entry) -> GraphCard:
        """The card of a system that has predictions for this split."""
        prediction = entry.predictions[self.row - 1]
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
        drawing = svg.GraphDrawing(
            layout, edges, self.kinds_of(concepts([*gold, *edges])), title,
            statuses=[mark.status for mark in changes.marks], bad_edges=bad,
            bad_concepts=culprits, negated=self.settings.graph.negated,
            texts=node_texts(prediction.graph, self.texts),
            ghosts=[] if apart else [(gold[i], base.routes[i]) for i in changes.missing])
        pairs = (self.matcher(prediction.graph, self.gold.graphs[best])
                 if self.matcher and item.verdict.annotation == STRUCT_CORRECT else {})
        word = "the closest one" if len(self.golds) > 2 else "the closer one"
        return GraphCard(
            entry=entry, prediction=prediction, item=item,
            label_right=prediction.label == self.gold.label,
            drawing=trusted(svg.render(drawing)), tall=drawing.layout.tall,
            edges=predicted_lines(gold, edges, changes, bad, [pairs.get(i) for i, _ in drawn]),
            missing=missing_lines(gold, changes), unreadable=unreadable(parts),
            apart=apart and bool(edges), undrawn=len(numbered) - len(drawn),
            compared=f"gold graph {best + 1}, {word}" if len(self.golds) > 1 else "",
            constraints=constraint_lines(self.settings, item.verdict.broken),
            nodes=drawing.texts,
            scores=tuple((metric, item.scores[metric]) for metric in entry.result.metrics
                         if metric in item.scores and METRICS[metric].graded))

    def _scored_by(self, entry: Entry) -> list[int]:
        """The places of the gold graphs that an entry is scored by; a row of gold has not all."""
        row = BASELINES.get(entry.key.rpartition("/")[2]) if entry.kind == "reference" else None
        left = row.against.gold(self.gold) if row and row.against else None
        every = range(len(self.golds))
        if left is None:
            return [*every]
        return [i for i in every if any(self.gold.graphs[i] is graph for graph in left.graphs)]


def beside(before: svg.GraphDrawing, edges: Sequence[Edge], title: str) -> svg.GraphDrawing:
    """A graph in the layout of another one, with what became of the edges of that."""
    changes = diff(before.edges, edges)
    return replace(
        before, layout=lay_over(before.layout, edges), edges=edges, title=title,
        statuses=[mark.status for mark in changes.marks],
        ghosts=[(before.edges[i], before.layout.routes[i]) for i in changes.missing])
