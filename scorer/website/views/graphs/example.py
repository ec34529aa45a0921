"""One example as a page shows it: the gold graph, and what each system made of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from markupsafe import Markup

from scorer.graph import Graph, concepts, depth, is_linear
from scorer.records import Edge, Finding, ItemResult, ItemScore
from scorer.rules import lookup
from scorer.tasks.graphs.baselines import BASELINES
from scorer.tasks.graphs.diff import Diff, closest, diff
from scorer.tasks.graphs.facts import id_places, node_texts, places
from scorer.tasks.graphs.records import BY_ID, Gold, Settings
from scorer.tasks.graphs.task import STRUCT_CORRECT
from scorer.website.records import Entry
from scorer.website.render import trusted
from scorer.website.views.base import ShownExample
from scorer.website.views.graphs import svg
from scorer.website.views.graphs.geometry import Box, Layout
from scorer.website.views.graphs.interactive import network
from scorer.website.views.graphs.layout import MOST_EDGES, lay_out, lay_over
from scorer.website.views.graphs.lines import (
    EdgeLine,
    constraint_lines,
    gold_lines,
    graded,
    missing_lines,
    predicted_lines,
    unreadable,
)
from scorer.website.views.graphs.marked import MarkedText, marked_entries, marked_text
from scorer.website.views.graphs.pairs import METRIC, Matcher, Paired


@dataclass(frozen=True)
class GoldCard:
    """A gold graph as drawing, sentences and string."""

    drawing: Markup
    tall: bool
    edges: tuple[EdgeLine, ...]
    text: str
    facts: str
    network: Mapping[str, Any]
    nodes: Mapping[str, str]
    """The texts of concepts that are ids."""


@dataclass(frozen=True)
class GraphCard:
    """What one system made of one item."""

    entry: Entry
    label: str | None
    label_right: bool
    annotation: str
    drawing: Markup
    tall: bool
    """Whether the drawing is higher than what is shown at once."""
    edges: tuple[EdgeLine, ...]
    missing: tuple[EdgeLine, ...]
    unreadable: tuple[tuple[int, str], ...]
    apart: bool
    """It shares no concept with gold and is drawn by itself."""
    undrawn: int
    gold_number: int
    """The gold graph it is compared with, from 1; 0 where there is one."""
    golds: int
    constraints: tuple[tuple[str, bool], ...]
    """In words, and whether it is kept."""
    broken: tuple[Finding, ...]
    strict: tuple[Finding, ...]
    scores: tuple[tuple[str, ItemScore], ...]
    stopped: bool
    """Whether a gate stopped it, so that these grade nothing."""
    text: str
    network: Mapping[str, Any]
    """The same drawing for the interactive graph."""
    label_name: str
    """What the label is called on this board."""
    paired_by: str
    """The metric that matches edges with those of gold."""
    nodes: Mapping[str, str]
    """The texts of concepts that are ids."""


def _shared(layout: Layout, edges: Sequence[Edge]) -> float:
    """The share of a graph's concepts that have a place in a layout."""
    names = concepts(edges)
    return sum(name in layout.boxes for name in names) / max(1, len(names))


def label_name(settings: Settings) -> str:
    """What the label is called on a board."""
    return settings.labels.name if settings.labels is not None else "label"


class GraphExample(ShownExample[GraphCard]):
    """One item of a split: everything the drawings of its page share."""

    passed = STRUCT_CORRECT

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
        self.layouts = self._layouts()

    def _layouts(self) -> list[Layout]:
        """Of each gold graph: over the first, by itself if that has less than half its concepts."""
        first = lay_out(self.golds[0])
        return [first, *(lay_over(first, edges) if _shared(first, edges) >= 0.5 else lay_out(edges)
                         for edges in self.golds[1:])]

    def kinds_of(self, names: Iterable[str]) -> dict[str, str]:
        """The class of each concept; remembered, because gold concepts come back."""
        for name in names:
            if name not in self.kinds:
                self.kinds[name] = svg.kind(id_places(name, self.texts) if self.by_id
                                            else places(name, self.gold.texts))
        return self.kinds

    @cached_property
    def depth(self) -> int | None:
        """Reasoning depth of the first gold graph."""
        return depth(self.golds[0])

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
        return {"golds": self.gold_cards, "texts": texts, "label": self.gold.label,
                "label_name": label_name(self.settings)}

    def data(self, card: GraphCard | None) -> Mapping[str, Any]:
        """The drawing of a card, or of the first gold graph, for the interactive graph."""
        return {"net": self.gold_cards[0].network if card is None else card.network}

    def _gold_card(self, number: int) -> GoldCard:
        edges = self.golds[number]
        names = concepts(edges)
        texts = node_texts(self.gold.graphs[number], self.texts)
        which = "Gold graph" if len(self.golds) == 1 else f"Gold graph {number + 1}"
        drawing = svg.GraphDrawing(
            self.layouts[number], edges, self.kinds_of(names),
            f"{which}: {_count(len(edges), 'edge')}, {_count(len(names), 'concept')}",
            negated=self.settings.graph.negated, texts=texts,
        )
        longest = depth(edges)
        shape = "one chain" if is_linear(edges) else "not one chain"
        facts = [] if longest is None else [f"depth {longest}"]
        facts.append(shape)
        return GoldCard(
            trusted(svg.render(drawing)),
            self.layouts[number].tall,
            gold_lines(edges),
            self.gold.graphs[number].text,
            ", ".join(facts),
            network(self.layouts[number], edges, self.kinds, texts=texts),
            texts,
        )

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
        found = diff(self.golds[best], edges)
        bad_pieces = {i for finding in item.verdict.broken for i in finding.edges}
        bad = {place for place, (i, _) in enumerate(drawn) if i in bad_pieces}
        apart = set(concepts(edges)).isdisjoint(self.layouts[best].boxes)
        layout = lay_out(edges) if apart else lay_over(self.layouts[best], edges, self.places)
        if not apart:
            self.places = {**layout.boxes, **self.places}
        texts = node_texts(prediction.graph, self.texts)
        drawing = self._drawing(entry, layout, edges, best, found, bad, item, texts)
        return GraphCard(
            entry=entry,
            label=prediction.label,
            label_right=prediction.label == self.gold.label,
            annotation=item.verdict.annotation,
            drawing=trusted(svg.render(drawing)),
            tall=layout.tall,
            edges=predicted_lines(self.golds[best], edges, found, bad,
                                  self._pairs(drawn, best, item, prediction.graph)),
            missing=missing_lines(self.golds[best], found),
            unreadable=unreadable(parts),
            apart=apart and bool(edges),
            undrawn=len(numbered) - len(drawn),
            gold_number=best + 1 if len(self.golds) > 1 else 0,
            golds=len(self.golds),
            constraints=constraint_lines(self.settings, item.verdict.broken),
            broken=item.verdict.broken,
            strict=item.verdict.strict,
            scores=graded(item),
            stopped=item.verdict.annotation != self.passed,
            text=prediction.graph.text,
            network=network(layout, edges, self.kinds, drawing.statuses, texts),
            label_name=label_name(self.settings),
            paired_by=METRIC,
            nodes=texts,
        )

    def _scored_by(self, entry: Entry) -> list[int]:
        """The places of the gold graphs that an entry is scored by; a row of gold has not all."""
        row = BASELINES.get(entry.key.rpartition("/")[2]) if entry.kind == "reference" else None
        left = row.against.gold(self.gold) if row and row.against else None
        every = range(len(self.golds))
        if left is None:
            return [*every]
        return [i for i in every if any(self.gold.graphs[i] is graph for graph in left.graphs)]

    def _drawing(
        self,
        entry: Entry,
        layout: Layout,
        edges: Sequence[Edge],
        best: int,
        found: Diff,
        bad: set[int],
        item: ItemResult,
        texts: Mapping[str, str],
    ) -> svg.GraphDrawing:
        routes = self.layouts[best].routes
        gold = self.golds[best]
        self.kinds_of(concepts([*gold, *edges]))
        culprits = {
            concept
            for finding in item.verdict.broken
            if lookup(finding.rule).id != "EG-TEXT-CONCEPTS"
            for concept in finding.concepts
        }
        title = (
            f"Graph of {entry.title}: {_count(len(edges), 'edge')}, {found.count('kept')} as in "
            f"gold, {found.count('missing')} of gold missing"
        )
        return svg.GraphDrawing(
            layout, edges, self.kinds, title,
            statuses=[mark.status for mark in found.marks],
            bad_edges=bad, bad_concepts=culprits,
            negated=self.settings.graph.negated, texts=texts,
            ghosts=[] if layout.boxes.keys().isdisjoint(self.layouts[best].boxes)
            else [(gold[i], routes[i]) for i in found.missing],
        )

    def _pairs(self, numbered: Sequence[tuple[int, Edge]], best: int, item: ItemResult,
               graph: Graph) -> list[Paired | None]:
        """What each drawn edge of a graded graph is matched with; nothing for other graphs."""
        if self.matcher is None or item.verdict.annotation != self.passed:
            return [None] * len(numbered)
        pairs = self.matcher(graph, self.gold.graphs[best])
        return [pairs.get(i) for i, _ in numbered]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
