"""What a page says of one graph: edges beside those of gold, constraints, findings and scores, its
concepts marked in the input texts. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup, escape

from scorer.core.graph import Graph, depth, is_linear
from scorer.core.records import Edge, Finding
from scorer.core.rules import text_rule
from scorer.site.render import trusted
from scorer.site.text import shown
from scorer.site.views.graphs.svg import SYMBOLS
from scorer.tasks.graphs.diff import Diff, Status
from scorer.tasks.graphs.facts import BETWEEN
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

    words: Markup
    """As a sentence, escaped."""
    status: Status | None = None
    symbol: str = ""
    note: str = ""
    bad: bool = False
    paired: MatchedEdge | None = None
    """The gold edge that the score matches it with."""


@lru_cache(maxsize=1024)
def _words(edge: Edge) -> Markup:
    """Remembered: every card of an example shows the gold edges that its graph lacks."""
    source, relation, target = (
        escape(shown(part, limit) or "(empty)")
        for part, limit in zip(edge, (200, 60, 200), strict=True))
    return trusted(f"<bdi>{source}</bdi> <em>{relation}</em> <bdi>{target}</bdi>")


def gold_lines(edges: Sequence[Edge]) -> tuple[EdgeLine, ...]:
    """The edges of a gold graph."""
    return tuple(EdgeLine(_words(edge)) for edge in edges)


def predicted_lines(
    gold: Sequence[Edge], edges: Sequence[Edge], changes: Diff, bad: Collection[int],
    pairs: Sequence[MatchedEdge | None],
) -> tuple[EdgeLine, ...]:
    """The edges of a prediction beside those of gold; ``bad`` are at fault, by position."""
    lines = []
    for index, (edge, mark, pair) in enumerate(zip(edges, changes.marks, pairs, strict=True)):
        note = MEANINGS[mark.status] if mark.status != "kept" else ""
        if mark.gold is not None and mark.status in ("changed", "reversed"):
            note = f"gold: {' '.join(gold[mark.gold])}"
        lines.append(EdgeLine(_words(edge), mark.status, SYMBOLS[mark.status], note, index in bad,
                              pair))
    return tuple(lines)


def missing_lines(gold: Sequence[Edge], changes: Diff) -> tuple[EdgeLine, ...]:
    """The edges of gold that a prediction does not have."""
    return tuple(EdgeLine(_words(gold[i]), "missing", SYMBOLS["missing"], MEANINGS["missing"])
                 for i in changes.missing)


def unreadable(parts: Sequence[tuple[str, ...]], most: int = 5) -> tuple[tuple[int, str], ...]:
    """The first edges that do not have three parts: number, from 1, and text."""
    odd = [(i + 1, "; ".join(part)) for i, part in enumerate(parts) if len(part) != 3]
    return tuple(odd[:most])


def shape(edges: Sequence[Edge]) -> str:
    """Depth, which a graph with a cycle does not have, and whether a graph is one chain."""
    longest = depth(edges)
    chain = "one chain" if is_linear(edges) else "not one chain"
    return chain if longest is None else f"depth {longest}, {chain}"


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


def constraint_lines(settings: Settings, broken: Iterable[Finding]) -> tuple[tuple[str, bool], ...]:
    """Every constraint of a board, and whether a graph that breaks some rules keeps it."""
    found = {finding.rule for finding in broken}
    return tuple((words, found.isdisjoint(rules)) for words, rules in constraints(settings))


# ---- which predicted edge answers which gold edge ------------------------------------------------


METRIC = "G-ROUGE-L"
"""The metric whose pairs are shown: it needs no model, and words in common can be seen."""


class MatchedEdge(NamedTuple):
    """The gold edge that a predicted edge is matched with."""

    gold: int
    """Its position, from 0."""
    score: float
    """0 to 1: the share of the predicted edge's words that stand in the gold edge, in order."""


Matcher = Callable[[Graph, Graph], Mapping[int, MatchedEdge]]
"""(predicted graph, gold graph) -> pairs by position of the predicted edge."""


def matcher() -> Matcher:
    """A matcher that remembers words; make one for each split.

    The pairs are those behind the score: the metric's own code finds them.
    """
    from scorer.metrics.matching import match
    from scorer.metrics.rouge import rouge_l_similarity

    similarity = rouge_l_similarity()

    def pairs(predicted: Graph, gold: Graph) -> dict[int, MatchedEdge]:
        alignment = match(predicted.sentences, [gold.sentences], similarity)
        return {pair.pred: MatchedEdge(pair.gold, pair.score) for pair in alignment.matches}

    return pairs


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
