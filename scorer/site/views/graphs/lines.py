"""What a page says of one graph: edges, constraints, findings and scores. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from markupsafe import Markup, escape

from scorer.core.graph import depth, is_linear
from scorer.core.records import Edge, Finding, ItemResult, ItemScore
from scorer.core.rules import text_rule
from scorer.metrics.catalogue import METRICS
from scorer.site.render import trusted
from scorer.site.text import shown
from scorer.site.views.graphs.pairs import Paired
from scorer.site.views.graphs.svg import SYMBOLS
from scorer.tasks.graphs.diff import Diff, Status
from scorer.tasks.graphs.graph_items import Settings

MEANINGS: dict[Status, str] = {
    "kept": "as in gold",
    "changed": "other relation in gold",
    "reversed": "the other way round in gold",
    "extra": "not in gold",
    "missing": "only in gold",
}


class EdgeLine(NamedTuple):
    """One edge in words."""

    edge: Edge
    status: Status | None
    symbol: str
    note: str
    bad: bool = False
    paired: Paired | None = None
    """The gold edge that the score matches it with."""

    @property
    def words(self) -> Markup:
        """The edge as a sentence, escaped."""
        return _words(self.edge)


@lru_cache(maxsize=1024)
def _words(edge: Edge) -> Markup:
    """Remembered: every card of an example shows the gold edges that its graph lacks."""
    source, relation, target = (
        escape(shown(part, limit) or "(empty)")
        for part, limit in zip(edge, (200, 60, 200), strict=True))
    return trusted(f"<bdi>{source}</bdi> <em>{relation}</em> <bdi>{target}</bdi>")


def gold_lines(edges: Sequence[Edge]) -> tuple[EdgeLine, ...]:
    """The edges of a gold graph."""
    return tuple(EdgeLine(edge, None, "", "") for edge in edges)


def predicted_lines(
    gold: Sequence[Edge], edges: Sequence[Edge], found: Diff, bad: Collection[int],
    pairs: Sequence[Paired | None],
) -> tuple[EdgeLine, ...]:
    """The edges of a prediction beside those of gold; ``bad`` are at fault, by position."""
    lines = []
    for place, (edge, mark, pair) in enumerate(zip(edges, found.marks, pairs, strict=True)):
        note = MEANINGS[mark.status] if mark.status != "kept" else ""
        if mark.gold is not None and mark.status in ("changed", "reversed"):
            note = f"gold: {' '.join(gold[mark.gold])}"
        lines.append(EdgeLine(edge, mark.status, SYMBOLS[mark.status], note, place in bad, pair))
    return tuple(lines)


def missing_lines(gold: Sequence[Edge], found: Diff) -> tuple[EdgeLine, ...]:
    """The edges of gold that a prediction does not have."""
    return tuple(EdgeLine(gold[i], "missing", SYMBOLS["missing"], MEANINGS["missing"])
                 for i in found.missing)


def unreadable(parts: Sequence[tuple[str, ...]], most: int = 5) -> tuple[tuple[int, str], ...]:
    """The first edges that do not have three parts: number, from 1, and text."""
    odd = [(i + 1, "; ".join(part)) for i, part in enumerate(parts) if len(part) != 3]
    return tuple(odd[:most])


def graded(item: ItemResult) -> tuple[tuple[str, ItemScore], ...]:
    """The scores of one item that grade its graph, by metric."""
    return tuple((metric, score) for metric, score in item.scores.items()
                 if METRICS[metric].graded)


def shape(edges: Sequence[Edge]) -> str:
    """Depth, which a graph with a cycle does not have, and whether a graph is one chain."""
    longest = depth(edges)
    chain = "one chain" if is_linear(edges) else "not one chain"
    return chain if longest is None else f"depth {longest}, {chain}"


# ---- constraints ---------------------------------------------------------------------------------


class Constraint(NamedTuple):
    """What a graph must be, and the rules that say when it is not."""

    words: str
    rules: tuple[str, ...]


def constraints(settings: Settings) -> Iterator[Constraint]:
    """The constraints of a board, in the order of its rules."""
    rules = settings.graph
    least = f"{rules.least_edges} edges or more"
    yield Constraint(least, ("EG-FEW-FACTS",))
    if rules.most_edges is not None:
        yield Constraint(f"{rules.most_edges} edges or fewer", ("EG-MANY-FACTS",))
    yield Constraint("edges of three parts", ("EG-PARTS", "EG-EMPTY"))
    yield Constraint("known relations", ("EG-REL",))
    if rules.concept_words is not None:
        yield Constraint(f"concepts of {rules.concept_words} words or fewer", ("EG-LONG",))
    if rules.connected:
        yield Constraint("connected", ("EG-DISCONNECTED",))
    if rules.acyclic:
        yield Constraint("no cycle", ("EG-CYCLE", "EG-SELF"))
    for text in settings.texts:
        if text.concepts:
            words = f"{text.concepts} concepts of the {text.name}"
            yield Constraint(words, (text_rule(text.name),))


def constraint_lines(settings: Settings, broken: Iterable[Finding]) -> tuple[tuple[str, bool], ...]:
    """Every constraint of a board, and whether a graph that breaks some rules keeps it."""
    found = {finding.rule for finding in broken}
    return tuple((one.words, found.isdisjoint(one.rules)) for one in constraints(settings))
